//===- Graphs.cpp - graphs that change buffers ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

using namespace stress;

/// Records launches that add to a buffer. \param added  set to the sum of what
/// they add. \returns null if another thread has invalidated the graph
/// (recordContext).
/// Streams that record do not wait for the default stream, which other threads
/// use meanwhile.
static CUgraph record(Client &client, Buffer &buffer, unsigned kernels,
                      unsigned &added) {
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  client.use(buffer.stream);
  STRESS_OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  STRESS_OK(cuStreamBeginCapture_v2(
      stream, client.pick(2) ? CU_STREAM_CAPTURE_MODE_RELAXED
                             : CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  added = 0;
  for (unsigned i = 0; i < kernels; ++i) {
    unsigned value = client.pickValue();
    void *params[] = {&buffer.memory, &value};
    STRESS_ONE_OF(cuLaunchKernel(client.world.get(Kernel::add), 4, 1, 1, 128, 1,
                                 1, 0, stream, params, nullptr),
                  CUDA_SUCCESS, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    added += value;
  }
  STRESS_ONE_OF(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS,
                CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  STRESS_OK(cuStreamDestroy_v2(stream));
  return graph;
}

static Buffer *pickWithInstance(Client &client) {
  Buffer *buffer = client.pickBuffer();
  return buffer && buffer->instance.exec ? buffer : nullptr;
}

void stress::makeGraph(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer || buffer->instance.exec)
    return;
  Instance &instance = buffer->instance;
  instance.kernels = 1 + client.pick(3);
  CUgraph graph = record(client, *buffer, instance.kernels, instance.added);
  if (!graph)
    return;
  if (client.pick(2)) {
    CUgraph copy = nullptr;
    STRESS_OK(cuGraphClone(&copy, graph));
    STRESS_OK(cuGraphDestroy(graph));
    graph = copy;
  }
  STRESS_OK(cuGraphInstantiateWithFlags(&instance.exec, graph, 0));
  STRESS_OK(cuGraphDestroy(graph));
}

void stress::launchGraph(Client &client) {
  Buffer *buffer = pickWithInstance(client);
  if (!buffer)
    return;
  client.use(buffer->stream);
  if (client.pick(8) == 0)
    STRESS_OK(cuGraphUpload(buffer->instance.exec, buffer->stream.handle));
  STRESS_OK(cuGraphLaunch(buffer->instance.exec, buffer->stream.handle));
  buffer->content.first += buffer->instance.added;
}

/// Launches that have begun use the old values.
void stress::updateGraph(Client &client) {
  Buffer *buffer = pickWithInstance(client);
  if (!buffer)
    return;
  Instance &instance = buffer->instance;
  unsigned added = 0;
  CUgraph graph = record(client, *buffer, instance.kernels, added);
  if (!graph)
    return;
  CUgraphExecUpdateResultInfo info{};
  STRESS_OK(cuGraphExecUpdate_v2(instance.exec, graph, &info));
  instance.added = added;
  STRESS_OK(cuGraphDestroy(graph));
}

/// While it runs.
void stress::dropGraph(Client &client) {
  Buffer *buffer = pickWithInstance(client);
  if (!buffer)
    return;
  STRESS_OK(cuGraphExecDestroy(buffer->instance.exec));
  buffer->instance = {};
}

static CUgraphNode addKernel(Client &client, CUgraph graph,
                             std::vector<CUgraphNode> before, Kernel kernel,
                             unsigned grid, unsigned block,
                             std::vector<void *> params) {
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = client.world.get(kernel);
  node.gridDimX = grid;
  node.blockDimX = block;
  node.gridDimY = node.gridDimZ = node.blockDimY = node.blockDimZ = 1;
  node.kernelParams = params.data();
  CUgraphNode out = nullptr;
  STRESS_OK(cuGraphAddKernelNode_v2(&out, graph, before.data(), before.size(),
                                    &node));
  return out;
}

/// Fills all words at `memory`.
static CUgraphNode addFill(const Client &client, const Buffer &buffer,
                           CUgraph graph, std::vector<CUgraphNode> before,
                           CUdeviceptr memory, unsigned value) {
  CUDA_MEMSET_NODE_PARAMS fill{memory, 0, value, 4, kWords, 1};
  CUgraphNode out = nullptr;
  STRESS_OK(cuGraphAddMemsetNode(&out, graph, before.data(), before.size(),
                                 &fill,
                                 client.world.contexts[buffer.stream.device]));
  return out;
}

/// Launches a graph, and destroys it while it runs.
static void runAndDestroy(Client &client, CUgraph graph, const Stream &stream,
                          unsigned times) {
  CUgraphExec exec = nullptr;
  client.use(stream);
  STRESS_OK(cuGraphInstantiateWithFlags(&exec, graph, 0));
  STRESS_OK(cuGraphDestroy(graph));
  for (unsigned i = 0; i < times; ++i)
    STRESS_OK(cuGraphLaunch(exec, stream.handle));
  STRESS_OK(cuGraphExecDestroy(exec));
}

/// A fill, then beside each other a function of the host and a child graph.
void stress::buildGraph(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  unsigned filled = client.pickValue(), step = client.pickValue();
  unsigned times = 1 + client.pick(2);
  CUgraph graph = nullptr, child = nullptr;
  client.use(buffer->stream);
  STRESS_OK(cuGraphCreate(&graph, 0));
  STRESS_OK(cuGraphCreate(&child, 0));
  addKernel(client, child, {}, Kernel::ramp, 4, 128, {&buffer->memory, &step});
  CUgraphNode fill =
      addFill(client, *buffer, graph, {}, buffer->memory, filled);
  CUDA_HOST_NODE_PARAMS call{
      [](void *data) { ++*static_cast<std::atomic<unsigned long> *>(data); },
      &client.hostCallsMade};
  CUgraphNode side = nullptr, inner = nullptr, last = nullptr;
  STRESS_OK(cuGraphAddHostNode(&side, graph, &fill, 1, &call));
  STRESS_OK(cuGraphAddChildGraphNode(&inner, graph, &fill, 1, child));
  STRESS_OK(cuGraphDestroy(child));
  CUgraphNode both[] = {side, inner};
  STRESS_OK(cuGraphAddEmptyNode(&last, graph, both, 2));
  runAndDestroy(client, graph, buffer->stream, times);
  client.hostCalls += times;
  buffer->content = {filled, step};
}

/// A conditional node whose body adds to the buffer a few times.
void stress::loopInGraph(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  const Stream &stream = buffer->stream;
  unsigned value = client.pickValue(), times = 1 + client.pick(4);
  CUdeviceptr left = 0;
  client.use(stream);
  STRESS_OK(cuMemAllocAsync(&left, 4, stream.handle));
  STRESS_OK(cuMemsetD32Async(left, times, 1, stream.handle));
  CUgraph graph = nullptr;
  CUgraphConditionalHandle handle = 0;
  STRESS_OK(cuGraphCreate(&graph, 0));
  STRESS_OK(cuGraphConditionalHandleCreate(&handle, graph,
                                           client.world.contexts[stream.device],
                                           1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams loop{};
  loop.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  loop.conditional = {handle, CU_GRAPH_COND_TYPE_WHILE, 1, nullptr,
                      client.world.contexts[stream.device]};
  CUgraphNode node = nullptr;
  STRESS_OK(cuGraphAddNode(&node, graph, nullptr, 0, &loop));
  CUgraph body = loop.conditional.phGraph_out[0];
  CUgraphNode add = addKernel(client, body, {}, Kernel::add, 4, 128,
                              {&buffer->memory, &value});
  addKernel(client, body, {add}, Kernel::countdown, 1, 1, {&left, &handle});
  runAndDestroy(client, graph, stream, 1);
  STRESS_OK(cuMemFreeAsync(left, stream.handle));
  buffer->content.first += times * value;
}

/// Fills memory of the graph's own, and copies that to the buffer.
void stress::allocateInGraph(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  const Stream &stream = buffer->stream;
  CUgraph graph = nullptr;
  client.use(stream);
  STRESS_OK(cuGraphCreate(&graph, 0));
  CUDA_MEM_ALLOC_NODE_PARAMS allocation{};
  allocation.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  allocation.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE,
                                   int(stream.device)};
  allocation.bytesize = kBytes;
  CUgraphNode first = nullptr, copied = nullptr, last = nullptr;
  STRESS_OK(cuGraphAddMemAllocNode(&first, graph, nullptr, 0, &allocation));
  unsigned value = client.pickValue();
  CUgraphNode fill =
      addFill(client, *buffer, graph, {first}, allocation.dptr, value);
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = allocation.dptr;
  copy.dstDevice = buffer->memory;
  copy.WidthInBytes = kBytes;
  copy.Height = copy.Depth = 1;
  STRESS_OK(cuGraphAddMemcpyNode(&copied, graph, &fill, 1, &copy,
                                 client.world.contexts[stream.device]));
  STRESS_OK(cuGraphAddMemFreeNode(&last, graph, &copied, 1, allocation.dptr));
  runAndDestroy(client, graph, stream, 1);
  buffer->content = {value, 0};
}
