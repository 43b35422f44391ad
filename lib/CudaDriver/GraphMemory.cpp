//===- GraphMemory.cpp - memory that graphs allocate ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The address of an allocation is known when its node is made, so the graph has
// the memory from then on. A later node may reuse what an earlier node frees.
// Which memory a program may free, and what may be launched, is settled in the
// order of calls, where a launch counts as done.
//
//===----------------------------------------------------------------------===//

#include "GraphNodeKinds.h"

#include <cstring>
#include <unordered_map>

using namespace ptxjit;
using namespace ptxjit::cuda;

namespace {
/// Memory of a graph. Allocations of it share it that are never there at the
/// same time.
struct GraphMemory {
  const CUdevice device;
  const size_t bytes;
  const uint64_t address; ///< 0: the device has no such amount left

  // Guarded by the table's mutex: the nodes for it in its graph, and whether
  // another graph has ever had a node that frees it.
  size_t allocations = 0, frees = 0;
  bool isFreedElsewhere = false;

  GraphMemory(CUdevice device, size_t bytes);
  ~GraphMemory();
  GraphMemory(const GraphMemory &) = delete;
  GraphMemory &operator=(const GraphMemory &) = delete;
};

/// The memory of all graphs, by address.
struct MemoryTable {
  std::mutex mutex;
  std::unordered_map<uint64_t, GraphMemory *> known;
  /// What launches have allocated and nothing has freed. It outlives its graph.
  std::unordered_map<uint64_t, std::shared_ptr<void>> live;
};

struct AllocOperation : Operation {
  CUDA_MEM_ALLOC_NODE_PARAMS params;
  std::vector<CUmemAccessDesc> access; ///< of `params`
  std::shared_ptr<GraphMemory> memory;

  AllocOperation(const CUDA_MEM_ALLOC_NODE_PARAMS &given,
                 std::shared_ptr<GraphMemory> memory);
  ~AllocOperation() override;
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEM_ALLOC; }
  void run(Context &) const override {}
  bool isShort() const override { return true; }
};

/// Ends an allocation. Its memory stays with its graph, where later nodes may
/// reuse it.
struct FreeOperation : Operation {
  CUdeviceptr pointer;
  /// If it belongs to the graph of this node, else null.
  std::shared_ptr<GraphMemory> own;
  mutable std::atomic<bool> isReused{false};

  FreeOperation(CUdeviceptr pointer, std::shared_ptr<GraphMemory> own)
      : pointer(pointer), own(std::move(own)) {}
  ~FreeOperation() override;
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEM_FREE; }
  void run(Context &) const override {}
  bool isShort() const override { return true; }
};
} // namespace

static MemoryTable &memoryTable() {
  static auto *table = new MemoryTable; // may be used while the process ends
  return *table;
}

/// The operation of a node that allocates; null for other nodes.
static const AllocOperation *allocIn(const GraphNode &node) {
  return node.operation->type() == CU_GRAPH_NODE_TYPE_MEM_ALLOC
             ? static_cast<const AllocOperation *>(node.operation.get())
             : nullptr;
}
/// The operation of a node that frees; null for other nodes.
static const FreeOperation *freeIn(const GraphNode &node) {
  return node.operation->type() == CU_GRAPH_NODE_TYPE_MEM_FREE
             ? static_cast<const FreeOperation *>(node.operation.get())
             : nullptr;
}

GraphMemory::GraphMemory(CUdevice device, size_t bytes)
    : device(device), bytes(bytes),
      address(allocateKnown(nullptr, device, bytes, Allocation::OfGraph)) {
  if (!address)
    return;
  Device &counted = getDevice(device);
  uint64_t sum = counted.graphMemory += bytes, high = counted.mostGraphMemory;
  while (sum > high &&
         !counted.mostGraphMemory.compare_exchange_weak(high, sum))
    ;
  std::lock_guard<std::mutex> lock(memoryTable().mutex);
  memoryTable().known[address] = this;
}
GraphMemory::~GraphMemory() {
  if (!address)
    return;
  {
    std::lock_guard<std::mutex> lock(memoryTable().mutex);
    memoryTable().known.erase(address);
  }
  if (freeKnown(address, Allocation::OfGraph))
    getDevice(device).graphMemory -= bytes;
}

AllocOperation::AllocOperation(const CUDA_MEM_ALLOC_NODE_PARAMS &given,
                               std::shared_ptr<GraphMemory> memory)
    : params(given),
      access(given.accessDescs, given.accessDescs + given.accessDescCount),
      memory(std::move(memory)) {
  params.accessDescs = access.data();
  std::lock_guard<std::mutex> lock(memoryTable().mutex);
  ++this->memory->allocations;
}
AllocOperation::~AllocOperation() {
  std::lock_guard<std::mutex> lock(memoryTable().mutex);
  --memory->allocations;
}
FreeOperation::~FreeOperation() {
  std::lock_guard<std::mutex> lock(memoryTable().mutex);
  if (own)
    --own->frees;
}

bool cuda::hasMemoryNodes(const Graph &graph) {
  return anyNode(graph, [](const GraphNode &node) {
    return allocIn(node) || freeIn(node);
  });
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

LaunchMemory cuda::memoryOfLaunch(const Graph &graph) {
  std::unordered_map<uint64_t, std::shared_ptr<GraphMemory>> made;
  std::unordered_map<uint64_t, size_t> frees;
  anyNode(graph, [&](const GraphNode &node) {
    if (const AllocOperation *alloc = allocIn(node))
      made[alloc->memory->address] = alloc->memory;
    if (const FreeOperation *freeing = freeIn(node))
      ++frees[freeing->pointer];
    return false;
  });
  LaunchMemory memory;
  std::lock_guard<std::mutex> lock(memoryTable().mutex);
  for (auto &[address, own] : made)
    if (frees[address] < own->allocations)
      memory.left.push_back({address, own});
  for (auto &[address, count] : frees)
    if (!made.count(address))
      memory.freed.push_back(address);
  return memory;
}

CUresult cuda::checkLaunch(const LaunchMemory &memory, bool freesLeft) {
  if (memory.isEmpty())
    return CUDA_SUCCESS;
  MemoryTable &table = memoryTable();
  std::lock_guard<std::mutex> lock(table.mutex);
  for (auto &[address, own] : memory.left)
    if (!freesLeft && table.live.count(address))
      return CUDA_ERROR_INVALID_VALUE;
  for (CUdeviceptr address : memory.freed)
    if (!table.live.count(address))
      return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

std::vector<std::shared_ptr<void>>
cuda::commitLaunch(const LaunchMemory &memory) {
  if (!memory.left.empty()) {
    std::lock_guard<std::mutex> lock(memoryTable().mutex);
    for (auto &[address, own] : memory.left)
      memoryTable().live[address] = own;
  }
  std::vector<std::shared_ptr<void>> freed;
  for (CUdeviceptr address : memory.freed)
    if (std::shared_ptr<void> taken = takeGraphMemory(address))
      freed.push_back(std::move(taken));
  return freed;
}

std::shared_ptr<void> cuda::takeGraphMemory(CUdeviceptr pointer) {
  MemoryTable &table = memoryTable();
  std::lock_guard<std::mutex> lock(table.mutex);
  auto it = table.live.find(pointer);
  if (it == table.live.end())
    return nullptr;
  std::shared_ptr<void> taken = std::move(it->second);
  table.live.erase(it);
  return taken;
}

//===----------------------------------------------------------------------===//
// Making
//===----------------------------------------------------------------------===//

/// Memory of that size that an earlier node has freed, or new memory.
static std::shared_ptr<GraphMemory>
findMemory(CUdevice device, size_t bytes,
           const std::vector<GraphNode *> &dependencies) {
  std::vector<GraphNode *> before = allBefore(dependencies);
  for (GraphNode *node : before) {
    const FreeOperation *freed = freeIn(*node);
    if (freed && freed->own && freed->own->device == device &&
        freed->own->bytes == bytes && !freed->isReused.exchange(true))
      return freed->own;
  }
  return std::make_shared<GraphMemory>(device, bytes);
}

static CUresult makeAllocation(CUDA_MEM_ALLOC_NODE_PARAMS &params,
                               const std::vector<GraphNode *> &dependencies,
                               OperationRef &operation) {
  const CUmemPoolProps &pool = params.poolProps;
  if (!params.bytesize || pool.allocType != CU_MEM_ALLOCATION_TYPE_PINNED ||
      pool.location.type != CU_MEM_LOCATION_TYPE_DEVICE || pool.handleTypes ||
      (params.accessDescCount && !params.accessDescs))
    return CUDA_ERROR_INVALID_VALUE;
  if (isMissing(pool.location))
    return CUDA_ERROR_INVALID_DEVICE;
  auto memory = findMemory(pool.location.id, params.bytesize, dependencies);
  params.dptr = memory->address;
  if (!params.dptr)
    return CUDA_ERROR_OUT_OF_MEMORY;
  operation = std::make_shared<AllocOperation>(params, std::move(memory));
  return CUDA_SUCCESS;
}

/// Makes the operation of a node of `graph`. Each allocation is freed by one
/// node of its own graph, or else by nodes of other graphs, or by none.
static CUresult makeFree(const Graph &graph, CUdeviceptr pointer,
                         OperationRef &operation) {
  const Graph *outermost = &graph;
  while (outermost->parent)
    outermost = outermost->parent;
  std::shared_ptr<GraphMemory> own;
  bool isFreedHere = false;
  anyNode(*outermost, [&](const GraphNode &node) {
    const AllocOperation *alloc = allocIn(node);
    const FreeOperation *freeing = freeIn(node);
    if (alloc && alloc->memory->address == pointer)
      own = alloc->memory;
    isFreedHere |= freeing && freeing->pointer == pointer;
    return false;
  });
  std::lock_guard<std::mutex> lock(memoryTable().mutex);
  auto it = memoryTable().known.find(pointer);
  if (it == memoryTable().known.end() ||
      it->second->frees == it->second->allocations ||
      (own ? own->isFreedElsewhere : isFreedHere))
    return CUDA_ERROR_INVALID_VALUE;
  if (own)
    ++own->frees;
  else
    it->second->isFreedElsewhere = true;
  operation = std::make_shared<FreeOperation>(pointer, std::move(own));
  return CUDA_SUCCESS;
}

/// Can the stream record nodes? It is in a capture.
static CUresult checkCapture(StreamObject &stream) {
  Capture &capture = *stream.capture;
  if (!capture.isAlive())
    capture.isInvalid = true;
  if (capture.isInvalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  capture.prune(stream.captureTips);
  return CUDA_SUCCESS;
}

CUresult cuda::captureAllocation(Context &context, StreamObject &stream,
                                 CUDA_MEM_ALLOC_NODE_PARAMS &params) {
  OperationRef operation;
  if (CUresult error = checkCapture(stream))
    return error;
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, {context.device}};
  if (CUresult error = makeAllocation(params, stream.captureTips, operation))
    return error;
  return enqueue(context, stream, std::move(operation));
}

CUresult cuda::captureFree(Context &context, StreamObject &stream,
                           CUdeviceptr pointer) {
  OperationRef operation;
  if (CUresult error = checkCapture(stream))
    return error;
  if (CUresult error = makeFree(*stream.capture->target, pointer, operation))
    return error; // the capture goes on
  return enqueue(context, stream, std::move(operation));
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Adds a node. make(graph, dependencies, operation) makes its operation.
template <typename Make>
static CUresult addMemoryNode(CUgraphNode *out, CUgraph handle,
                              const CUgraphNode *dependencies, size_t count,
                              const Make &make) {
  Graph *graph;
  std::vector<GraphNode *> nodes;
  OperationRef operation;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = findNodes(*graph, dependencies, count, nodes))
    return error;
  if (CUresult error = make(*graph, nodes, operation))
    return error;
  if (!mayHold(*graph, *operation))
    return CUDA_ERROR_NOT_SUPPORTED;
  *out = reinterpret_cast<CUgraphNode>(
      graph->add(std::move(operation), std::move(nodes)));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuGraphAddMemAllocNode,
                (CUgraphNode * out, CUgraph graph,
                 const CUgraphNode *dependencies, size_t count,
                 CUDA_MEM_ALLOC_NODE_PARAMS *params),
                out, graph, dependencies, count, params) {
  return addMemoryNode(
      out, graph, dependencies, count,
      [&](const Graph &, auto &nodes, OperationRef &operation) {
        return params ? makeAllocation(*params, nodes, operation)
                      : CUDA_ERROR_INVALID_VALUE;
      });
}
PTXJIT_CUDA_API(cuGraphAddMemFreeNode,
                (CUgraphNode * out, CUgraph graph,
                 const CUgraphNode *dependencies, size_t count,
                 CUdeviceptr pointer),
                out, graph, dependencies, count, pointer) {
  return addMemoryNode(
      out, graph, dependencies, count,
      [&](const Graph &graph, auto &, OperationRef &operation) {
        return makeFree(graph, pointer, operation);
      });
}

void AllocNode::read(const Operation &operation, Value &value) {
  value = static_cast<const AllocOperation &>(operation).params;
}

void FreeNode::read(const Operation &operation, CUdeviceptr &pointer) {
  pointer = static_cast<const FreeOperation &>(operation).pointer;
}

//===----------------------------------------------------------------------===//
// How much there is
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuDeviceGetGraphMemAttribute,
                (CUdevice device, int attribute, void *value), device,
                attribute, value) {
  if (CUresult error = checkDevice(device))
    return error;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t bytes;
  switch (attribute) {
  case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
  case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
    bytes = getDevice(device).graphMemory;
    break;
  case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
  case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
    bytes = getDevice(device).mostGraphMemory;
    break;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::memcpy(value, &bytes, sizeof(bytes));
  return CUDA_SUCCESS;
}

// Programs may reset the high-water marks, but set no other attribute.
PTXJIT_CUDA_API(cuDeviceSetGraphMemAttribute,
                (CUdevice device, int attribute, void *value), device,
                attribute, value) {
  if (CUresult error = checkDevice(device))
    return error;
  uint64_t bytes = 1;
  if (value)
    std::memcpy(&bytes, value, sizeof(bytes));
  if (bytes != 0 || (attribute != CU_GRAPH_MEM_ATTR_USED_MEM_HIGH &&
                     attribute != CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH))
    return CUDA_ERROR_INVALID_VALUE;
  Device &counted = getDevice(device);
  counted.mostGraphMemory = counted.graphMemory.load();
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDeviceGraphMemTrim, (CUdevice device), device) {
  return checkDevice(device); // no unused memory is kept
}
