//===- GraphMemory.cpp - memory that graphs allocate ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The address of an allocation is known when its node is made, so the graph has
// the memory from then on. A later node may reuse what an earlier node frees.
//
//===----------------------------------------------------------------------===//

#include "GraphNodeKinds.h"

#include <algorithm>
#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cuda;

namespace {
/// Memory of all graphs, in bytes: now, and at most so far.
struct Usage {
  std::atomic<uint64_t> now{0}, most{0};
  void add(uint64_t bytes) {
    uint64_t sum = now += bytes, high = most;
    while (sum > high && !most.compare_exchange_weak(high, sum))
      ;
  }
};
} // namespace

static Usage usage;

namespace {
struct GraphMemory {
  uint64_t address;
  size_t bytes;
  explicit GraphMemory(size_t bytes)
      : address(allocateKnown(nullptr, currentDevice(), bytes,
                              Allocation::OfGraph)),
        bytes(bytes) {
    if (address)
      usage.add(bytes);
  }
  ~GraphMemory() {
    if (freeKnown(address, Allocation::OfGraph))
      usage.now -= bytes;
  }
  GraphMemory(const GraphMemory &) = delete;
  GraphMemory &operator=(const GraphMemory &) = delete;
};

struct AllocOperation : Operation {
  CUDA_MEM_ALLOC_NODE_PARAMS params;
  std::shared_ptr<GraphMemory> memory;
  AllocOperation(const CUDA_MEM_ALLOC_NODE_PARAMS &params,
                 std::shared_ptr<GraphMemory> memory)
      : params(params), memory(std::move(memory)) {}
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEM_ALLOC; }
  void run(Context &) const override {}
  bool isShort() const override { return true; }
};
} // namespace

/// Memory of that size that an earlier node has freed, or new memory.
static std::shared_ptr<GraphMemory>
findMemory(size_t bytes, const std::vector<GraphNode *> &dependencies) {
  std::vector<GraphNode *> before = allBefore(dependencies);
  for (GraphNode *freeing : before) {
    if (freeing->operation->type() != CU_GRAPH_NODE_TYPE_MEM_FREE)
      continue;
    auto &freed = static_cast<const FreeOperation &>(*freeing->operation);
    for (GraphNode *node : before) {
      if (node->operation->type() != CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        continue;
      auto &made = static_cast<const AllocOperation &>(*node->operation);
      if (made.memory->address == freed.pointer &&
          made.memory->bytes == bytes && !freed.isReused.exchange(true))
        return made.memory;
    }
  }
  return std::make_shared<GraphMemory>(bytes);
}

static CUresult makeAllocation(CUDA_MEM_ALLOC_NODE_PARAMS &params,
                               const std::vector<GraphNode *> &dependencies,
                               OperationRef &operation) {
  if (!params.bytesize)
    return CUDA_ERROR_INVALID_VALUE;
  auto memory = findMemory(params.bytesize, dependencies);
  params.dptr = memory->address;
  if (!params.dptr)
    return CUDA_ERROR_OUT_OF_MEMORY;
  operation = std::make_shared<AllocOperation>(params, std::move(memory));
  return CUDA_SUCCESS;
}

CUresult cuda::captureAllocation(Context &context, StreamObject &stream,
                                 CUDA_MEM_ALLOC_NODE_PARAMS &params) {
  OperationRef operation;
  Capture &capture = *stream.capture;
  if (!capture.isAlive())
    capture.isInvalid = true;
  if (capture.isInvalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  capture.prune(stream.captureTips);
  if (CUresult error = makeAllocation(params, stream.captureTips, operation))
    return error;
  return enqueue(context, stream, std::move(operation));
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuGraphAddMemAllocNode,
                (CUgraphNode * out, CUgraph handle,
                 const CUgraphNode *dependencies, size_t count,
                 CUDA_MEM_ALLOC_NODE_PARAMS *params),
                out, handle, dependencies, count, params) {
  Graph *graph;
  std::vector<GraphNode *> nodes;
  OperationRef operation;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  if (!params || !out)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = findNodes(*graph, dependencies, count, nodes))
    return error;
  if (CUresult error = makeAllocation(*params, nodes, operation))
    return error;
  if (!mayHold(*graph, *operation))
    return CUDA_ERROR_NOT_SUPPORTED;
  *out = reinterpret_cast<CUgraphNode>(
      graph->add(std::move(operation), std::move(nodes)));
  return CUDA_SUCCESS;
}

void AllocNode::read(const Operation &operation, Value &value) {
  value = static_cast<const AllocOperation &>(operation).params;
}

CUresult FreeNode::make(CUdeviceptr pointer, OperationRef &operation) {
  if (findPlace(pointer, 1) != Place::Inside)
    return CUDA_ERROR_INVALID_VALUE;
  operation = std::make_shared<FreeOperation>(pointer);
  return CUDA_SUCCESS;
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
    bytes = usage.now;
    break;
  case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
  case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
    bytes = usage.most;
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
  usage.most = usage.now.load();
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDeviceGraphMemTrim, (CUdevice device), device) {
  return checkDevice(device); // no unused memory is kept
}
