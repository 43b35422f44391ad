//===- GraphTest.cpp - graphs, captures, events ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

#include <atomic>
#include <fstream>
#include <numeric>
#include <sstream>
#include <thread>
#include <vector>

namespace {
class Graphs : public Driver {
protected:
  void SetUp() override {
    Driver::SetUp();
    ASSERT_EQ(cuMemAlloc_v2(&data, 256), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD32_v2(data, 0, 64), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  }
  unsigned read(unsigned index = 0) {
    unsigned value = ~0u;
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, data + index * 4, 4), CUDA_SUCCESS);
    return value;
  }
  CUgraphNode addKernel(unsigned value, std::vector<CUgraphNode> before = {}) {
    unsigned n = 64;
    void *params[] = {&data, &value, &n};
    CUDA_KERNEL_NODE_PARAMS node{
        get("add"), 1, 1, 1, 64, 1, 1, 0, params, nullptr, nullptr, nullptr};
    CUgraphNode out = nullptr;
    EXPECT_EQ(cuGraphAddKernelNode_v2(&out, graph, before.data(), before.size(),
                                      &node),
              CUDA_SUCCESS);
    return out;
  }
  CUgraphExec instantiate(CUgraph of) {
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, of, 0), CUDA_SUCCESS);
    return exec;
  }
  void run(CUgraphExec exec) {
    EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  }

  CUdeviceptr data = 0;
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
};
} // namespace

TEST_F(Graphs, RunInTheOrderOfTheirEdges) {
  CUDA_MEMSET_NODE_PARAMS five{data, 0, 5, 4, 64, 1};
  CUgraphNode add = addKernel(2), set, copy;
  ASSERT_EQ(cuGraphAddMemsetNode(&set, graph, nullptr, 0, &five, context),
            CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddDependencies(graph, &set, &add, 1), CUDA_SUCCESS);
  unsigned result[64] = {};
  CUDA_MEMCPY3D out{};
  out.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  out.srcDevice = data;
  out.dstMemoryType = CU_MEMORYTYPE_HOST;
  out.dstHost = result;
  out.WidthInBytes = sizeof(result);
  out.Height = out.Depth = 1;
  ASSERT_EQ(cuGraphAddMemcpyNode(&copy, graph, &add, 1, &out, context),
            CUDA_SUCCESS);
  CUgraphExec exec = instantiate(graph);
  for (int i = 0; i < 3; ++i) {
    std::fill(result, result + 64, 0u);
    run(exec);
    EXPECT_EQ(result[0], 7u);
    EXPECT_EQ(result[63], 7u);
  }
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, AnswerQuestions) {
  CUgraphNode a = addKernel(1), b = addKernel(2, {a}), c = addKernel(3, {a, b});
  size_t count = 0;
  EXPECT_EQ(cuGraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 3u);
  CUgraphNode nodes[4] = {};
  count = 4;
  EXPECT_EQ(cuGraphGetRootNodes(graph, nodes, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(nodes[0], a);
  EXPECT_EQ(nodes[1], nullptr);
  count = 4;
  EXPECT_EQ(cuGraphNodeGetDependencies(c, nodes, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(cuGraphNodeGetDependentNodes(a, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(cuGraphGetEdges(graph, nullptr, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 3u);
  CUgraphNodeType type;
  EXPECT_EQ(cuGraphNodeGetType(b, &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_KERNEL);
  CUDA_KERNEL_NODE_PARAMS params;
  EXPECT_EQ(cuGraphKernelNodeGetParams_v2(b, &params), CUDA_SUCCESS);
  EXPECT_EQ(*static_cast<unsigned *>(params.kernelParams[1]), 2u);
  EXPECT_EQ(cuGraphDestroyNode(b), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphNodeGetType(b, &type), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphNodeGetDependencies(c, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
}

TEST_F(Graphs, RefuseCircles) {
  CUgraphNode a = addKernel(1), b = addKernel(2, {a});
  ASSERT_EQ(cuGraphAddDependencies(graph, &b, &a, 1), CUDA_SUCCESS);
  CUgraphExec exec;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddDependencies(graph, &a, &a, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, KeepObjectsOfTheProgram) {
  std::atomic<int> destroyed{0};
  auto destroy = [](void *data) { ++*static_cast<std::atomic<int> *>(data); };
  constexpr unsigned kFlags = CU_USER_OBJECT_NO_DESTRUCTOR_SYNC;
  CUuserObject object = nullptr;
  EXPECT_EQ(cuUserObjectCreate(&object, &destroyed, destroy, 1, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuUserObjectCreate(&object, &destroyed, destroy, 0, kFlags),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuUserObjectCreate(&object, &destroyed, destroy, 2, kFlags),
            CUDA_SUCCESS);
  CUgraph graph, clone;
  CUgraphExec exec;
  CUgraphNode node;
  ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  // The graph takes over one of our two references, and gets a third.
  EXPECT_EQ(
      cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE),
      CUDA_SUCCESS);
  EXPECT_EQ(cuGraphRetainUserObject(graph, object, 1, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuUserObjectRelease(object, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuUserObjectRelease(object, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphReleaseUserObject(graph, object, 3),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphReleaseUserObject(graph, object, 1), CUDA_SUCCESS);
  EXPECT_EQ(destroyed, 0);

  // Clones, instances and launches hold references, too.
  std::atomic<bool> open{false};
  CUDA_HOST_NODE_PARAMS wait{};
  wait.fn = [](void *user) {
    while (!*static_cast<std::atomic<bool> *>(user))
      std::this_thread::yield();
  };
  wait.userData = &open;
  ASSERT_EQ(cuGraphAddHostNode(&node, graph, nullptr, 0, &wait), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphClone(&clone, graph), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, clone, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(clone), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(destroyed, 0);
  open = true;
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  for (int i = 0; i < 1000 && destroyed == 0; ++i) // NO_DESTRUCTOR_SYNC
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, InstancesAreUpdated) {
  CUgraphNode node = addKernel(1);
  CUgraphExec exec = instantiate(graph);
  unsigned value = 10, n = 64;
  void *params[] = {&data, &value, &n};
  CUDA_KERNEL_NODE_PARAMS ten{get("add"), 1, 1,      1,       64,      1,
                              1,          0, params, nullptr, nullptr, nullptr};
  EXPECT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, node, &ten), CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(read(), 10u);
  EXPECT_EQ(cuGraphNodeSetEnabled(exec, node, 0), CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(read(), 10u);
  EXPECT_EQ(cuGraphNodeSetEnabled(exec, node, 1), CUDA_SUCCESS);
  CUgraphExecUpdateResultInfo info;
  EXPECT_EQ(cuGraphExecUpdate_v2(exec, graph, &info), CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(read(), 11u);
  addKernel(5);
  EXPECT_EQ(cuGraphExecUpdate_v2(exec, graph, &info),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
}

TEST_F(Graphs, KernelsHaveAttributes) {
  CUgraphNode node = addKernel(1), other = addKernel(1);
  unsigned value = 1, n = 64;
  void *params[] = {&data, &value, &n};
  auto shape = [&](unsigned grid) {
    return CUDA_KERNEL_NODE_PARAMS{
        get("add"), grid, 1, 1, 64, 1, 1, 0, params, nullptr, nullptr, nullptr};
  };
  CUDA_KERNEL_NODE_PARAMS four = shape(4), three = shape(3);
  ASSERT_EQ(cuGraphKernelNodeSetParams_v2(node, &four), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphKernelNodeSetParams_v2(other, &four), CUDA_SUCCESS);
  CUlaunchAttributeValue cluster{}, got{};
  cluster.clusterDim = {2, 1, 1};
  const int kind = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  EXPECT_EQ(cuGraphKernelNodeSetAttribute(node, kind, &cluster), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphKernelNodeCopyAttributes(other, node), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphKernelNodeGetAttribute(other, kind, &got), CUDA_SUCCESS);
  EXPECT_EQ(got.clusterDim.x, 2u);
  // New parameters do not change the attributes.
  EXPECT_EQ(cuGraphKernelNodeSetParams_v2(node, &three),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  EXPECT_EQ(cuGraphKernelNodeSetParams_v2(node, &four), CUDA_SUCCESS);
  CUgraphExec exec = instantiate(graph);
  EXPECT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, node, &three),
            CUDA_ERROR_INVALID_CLUSTER_SIZE);
  run(exec);
  EXPECT_EQ(read(63), 2u);
  EXPECT_EQ(cuGraphKernelNodeSetAttribute(node, kind, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, ArePrinted) {
  CUgraphNode first = addKernel(3), second = addKernel(4, {first});
  CUgraph inner;
  CUgraphNode child;
  ASSERT_EQ(cuGraphClone(&inner, graph), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddChildGraphNode(&child, graph, &second, 1, inner),
            CUDA_SUCCESS);
  std::string path = testing::TempDir() + "graph.dot";
  ASSERT_EQ(cuGraphDebugDotPrint(graph, path.c_str(),
                                 CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE),
            CUDA_SUCCESS);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::string dot = text.str();
  auto count = [&](const std::string &what) {
    size_t found = 0;
    for (size_t at = dot.find(what); at != dot.npos;
         at = dot.find(what, at + 1))
      ++found;
    return found;
  };
  EXPECT_EQ(count("KERNEL\\nadd\\n<<<1,1,1; 64,1,1; 0>>>"), 4u) << dot;
  EXPECT_EQ(count("u32 0x4"), 2u + 4u) << "and n, which is 0x40" << dot;
  EXPECT_EQ(count("GRAPH"), 1u);
  EXPECT_EQ(count(" -> "), 3u);
  EXPECT_EQ(count("{"), count("}"));
  EXPECT_EQ(cuGraphDebugDotPrint(graph, "/nowhere/graph.dot", 0),
            CUDA_ERROR_OPERATING_SYSTEM);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDebugDotPrint(graph, path.c_str(),
                                 CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE),
            CUDA_SUCCESS);
}

TEST_F(Graphs, NodesOfAnyKindGetParameters) {
  CUgraphNode node = addKernel(1);
  CUgraphExec exec = instantiate(graph);
  unsigned value = 20, n = 64;
  void *values[] = {&data, &value, &n};
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_KERNEL;
  params.kernel = {get("add"), 1, 1,      1,       64,      1,
                   1,          0, values, nullptr, nullptr, nullptr};
  EXPECT_EQ(cuGraphExecNodeSetParams(exec, node, &params), CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(read(), 20u);
  value = 30;
  EXPECT_EQ(cuGraphNodeSetParams(node, &params), CUDA_SUCCESS);
  run(instantiate(graph));
  EXPECT_EQ(read(), 50u);
  params.type = CU_GRAPH_NODE_TYPE_EMPTY;
  EXPECT_EQ(cuGraphNodeSetParams(node, &params), CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(Graphs, FirstParametersOfKernelsEndEarlier) {
  CUgraphNode node = addKernel(1);
  CUDA_KERNEL_NODE_PARAMS params{};
  auto *beyond = reinterpret_cast<CUkernel>(0x1234);
  params.kern = beyond;
  ASSERT_EQ(cuGraphKernelNodeGetParams(node, &params), CUDA_SUCCESS);
  EXPECT_EQ(params.blockDimX, 64u);
  EXPECT_EQ(params.kern, beyond) << "not written";
  params.blockDimX = 32;
  ASSERT_EQ(cuGraphKernelNodeSetParams(node, &params), CUDA_SUCCESS)
      << "nor read";
  CUgraphExec exec = instantiate(graph);
  ASSERT_EQ(cuGraphKernelNodeGetParams_v2(node, &params), CUDA_SUCCESS);
  EXPECT_EQ(params.blockDimX, 32u);
  EXPECT_EQ(params.kern, nullptr);
  params.kern = beyond;
  EXPECT_EQ(cuGraphExecKernelNodeSetParams(exec, node, &params), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddKernelNode(&node, graph, nullptr, 0, &params),
            CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddKernelNode(&node, graph, nullptr, 0, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, ChildrenChangeInInstancesAlone) {
  CUgraph outer;
  ASSERT_EQ(cuGraphCreate(&outer, 0), CUDA_SUCCESS);
  addKernel(1);
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_GRAPH;
  params.graph = graph;
  CUgraphNode child;
  ASSERT_EQ(cuGraphAddNode(&child, outer, nullptr, 0, &params), CUDA_SUCCESS);
  CUgraphExec exec = instantiate(outer);
  ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  CUgraphNode first = addKernel(100);
  params.graph = graph;
  EXPECT_EQ(cuGraphNodeSetParams(child, &params), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphExecNodeSetParams(exec, child, &params), CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(read(), 100u);
  addKernel(1000, {first});
  EXPECT_EQ(cuGraphExecNodeSetParams(exec, child, &params),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  run(exec);
  EXPECT_EQ(read(), 200u);
}

TEST_F(Graphs, InstancesTakeChildrenOfTheSameShapeOnly) {
  auto makeEmpty = [](CUgraph of, std::vector<CUgraphNode> before = {}) {
    CUgraphNode node = nullptr;
    EXPECT_EQ(cuGraphAddEmptyNode(&node, of, before.data(), before.size()),
              CUDA_SUCCESS);
    return node;
  };
  auto makeGraph = [] {
    CUgraph made = nullptr;
    EXPECT_EQ(cuGraphCreate(&made, 0), CUDA_SUCCESS);
    return made;
  };
  CUgraph two = makeGraph(), outer = makeGraph(), other = makeGraph();
  makeEmpty(two, {makeEmpty(two)});
  CUgraphNode child, nested;
  ASSERT_EQ(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, two),
            CUDA_SUCCESS);
  CUgraphExec exec = instantiate(outer);
  auto set = [&](CUgraph to) {
    return cuGraphExecChildGraphNodeSetParams(exec, child, to);
  };
  EXPECT_EQ(set(two), CUDA_SUCCESS);
  EXPECT_EQ(set(other), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE); // no nodes
  CUgraphNode first = makeEmpty(other), second = makeEmpty(other);
  EXPECT_EQ(set(other), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE); // no edge
  ASSERT_EQ(cuGraphAddDependencies(other, &first, &second, 1), CUDA_SUCCESS);
  EXPECT_EQ(set(other), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphRemoveDependencies(other, &first, &second, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddDependencies(other, &second, &first, 1), CUDA_SUCCESS);
  EXPECT_EQ(set(other), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE); // other order
  addKernel(1, {addKernel(1)});
  EXPECT_EQ(set(graph), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE); // other kinds
  CUgraph deeper = makeGraph();
  ASSERT_EQ(cuGraphAddChildGraphNode(&nested, deeper, nullptr, 0, two),
            CUDA_SUCCESS);
  EXPECT_EQ(set(deeper), CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  run(exec);
}

TEST_F(Graphs, HostAndChildNodes) {
  static std::atomic<int> calls;
  calls = 0;
  CUDA_HOST_NODE_PARAMS host{
      [](void *user) { calls += *static_cast<int *>(user); }, nullptr};
  int three = 3;
  host.userData = &three;
  CUgraphNode first = addKernel(1), call, child;
  ASSERT_EQ(cuGraphAddHostNode(&call, graph, &first, 1, &host), CUDA_SUCCESS);
  CUgraph outer;
  ASSERT_EQ(cuGraphCreate(&outer, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddChildGraphNode(&child, outer, nullptr, 0, graph),
            CUDA_SUCCESS);
  addKernel(100); // not in the child, which is a copy
  CUgraphExec exec = instantiate(outer);
  run(exec);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(read(), 1u);
  CUgraph inside;
  EXPECT_EQ(cuGraphChildGraphNodeGetGraph(child, &inside), CUDA_SUCCESS);
  size_t count;
  EXPECT_EQ(cuGraphGetNodes(inside, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(cuGraphDestroy(inside), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphDestroy(outer), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphGetNodes(inside, nullptr, &count), CUDA_ERROR_INVALID_VALUE);
}

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

TEST_F(Graphs, CapturedStreamsMayGoOnceTheyHaveJoined) {
  for (bool joins : {true, false}) {
    CUstream side;
    CUevent fork, join;
    ASSERT_EQ(cuStreamCreate(&side, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    ASSERT_EQ(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
              CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(fork, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamWaitEvent(side, fork, 0), CUDA_SUCCESS);
    EXPECT_EQ(launchAdd(data, 1, 64, side), CUDA_SUCCESS);
    EXPECT_EQ(cuEventRecord(join, side), CUDA_SUCCESS);
    if (joins)
      EXPECT_EQ(cuStreamWaitEvent(stream, join, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamDestroy_v2(side), CUDA_SUCCESS);
    EXPECT_EQ(cuEventDestroy_v2(fork), CUDA_SUCCESS);
    EXPECT_EQ(cuEventDestroy_v2(join), CUDA_SUCCESS);
    CUgraph captured;
    EXPECT_EQ(cuStreamEndCapture(stream, &captured),
              joins ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    if (!joins)
      continue;
    CUgraphExec exec = instantiate(captured);
    unsigned before = read();
    run(exec);
    EXPECT_EQ(read(), before + 1);
    EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
    EXPECT_EQ(cuGraphDestroy(captured), CUDA_SUCCESS);
  }
}

TEST_F(Graphs, ReuseMemoryThatStreamsFreed) {
  CUdeviceptr first, second;
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocAsync(&first, 1 << 20, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemFreeAsync(first, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAllocAsync(&second, 1 << 20, stream), CUDA_SUCCESS);
  EXPECT_EQ(first, second);
  ASSERT_EQ(cuMemsetD8Async(second, 3, 1 << 20, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuMemFreeAsync(second, stream), CUDA_SUCCESS);
  CUgraph captured;
  ASSERT_EQ(cuStreamEndCapture(stream, &captured), CUDA_SUCCESS);
  CUgraphExec exec = instantiate(captured);
  run(exec);
  run(exec);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(captured), CUDA_SUCCESS);
}

TEST_F(Graphs, AreCapturedFromStreams) {
  CUstream side;
  CUevent fork, join;
  ASSERT_EQ(cuStreamCreate(&side, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&join, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32Async(data, 4, 64, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(fork, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(side, fork, 0), CUDA_SUCCESS);
  EXPECT_EQ(launchAdd(data, 1, 32, side), CUDA_SUCCESS);
  EXPECT_EQ(launchAdd(data + 128, 2, 32, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(join, side), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(join), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(cuStreamWaitEvent(stream, join, 0), CUDA_SUCCESS);
  CUstreamCaptureStatus status;
  EXPECT_EQ(cuStreamIsCapturing(side, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  EXPECT_EQ(read(), 0u) << "nothing has run";
  size_t nodes, edges;
  EXPECT_EQ(cuGraphGetNodes(graph, nullptr, &nodes), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphGetEdges(graph, nullptr, nullptr, &edges), CUDA_SUCCESS);
  EXPECT_EQ(nodes, 3u);
  EXPECT_EQ(edges, 2u);
  run(instantiate(graph));
  EXPECT_EQ(read(), 5u);
  EXPECT_EQ(read(32), 6u);
  EXPECT_EQ(cuStreamIsCapturing(side, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
}

TEST_F(Graphs, WrongCapturesAreErrors) {
  EXPECT_EQ(cuStreamBeginCapture_v2(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_ILLEGAL_STATE);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuMemsetD32Async(data, 4, 64, stream),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(cuMemsetD32Async(data, 4, 64, stream), CUDA_SUCCESS);

  // The work of `side` is never joined to `stream`.
  CUstream side;
  CUevent fork;
  ASSERT_EQ(cuStreamCreate(&side, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&fork, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(fork, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(side, fork, 0), CUDA_SUCCESS);
  EXPECT_EQ(launchAdd(data, 1, 32, side), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32Async(data, 1, 1, nullptr),
            CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph),
            CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

// An H200 (driver 580) gives the answers of this test and of the next one.
TEST_F(Graphs, OnlyTheirOriginEndsCaptures) {
  CUstream side;
  CUevent fork;
  ASSERT_EQ(cuStreamCreate(&side, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&fork, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(fork, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(side, fork, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamEndCapture(side, &graph),
            CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(graph, nullptr);
  for (CUstream each : {side, stream}) {
    CUstreamCaptureStatus status;
    EXPECT_EQ(cuStreamIsCapturing(each, &status), CUDA_SUCCESS);
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  }
}

TEST_F(Graphs, TheDefaultStreamIsNotAskedDuringBlockingCaptures) {
  for (unsigned flags : {0u, CU_STREAM_NON_BLOCKING}) {
    CUstream other;
    ASSERT_EQ(cuStreamCreate(&other, flags), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamBeginCapture_v2(other, CU_STREAM_CAPTURE_MODE_GLOBAL),
              CUDA_SUCCESS);
    CUresult expected =
        flags ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    CUstreamCaptureStatus status;
    EXPECT_EQ(cuStreamIsCapturing(nullptr, &status), expected);
    EXPECT_EQ(cuStreamGetCaptureInfo(nullptr, &status, nullptr), expected);
    EXPECT_EQ(cuStreamIsCapturing(CU_STREAM_PER_THREAD, &status), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamEndCapture(other, &graph), CUDA_SUCCESS)
        << "asking spoils nothing";
    EXPECT_EQ(cuStreamIsCapturing(nullptr, &status), CUDA_SUCCESS);
    EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
    EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
    graph = nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

TEST_F(Graphs, EventsOrderStreamsAndTellTime) {
  CUevent begin, end, idle;
  CUstream other;
  ASSERT_EQ(cuEventCreate(&begin, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&end, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&idle, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(begin), CUDA_SUCCESS) << "never recorded";
  float ms = -1;
  EXPECT_EQ(cuEventElapsedTime(&ms, begin, end), CUDA_ERROR_INVALID_HANDLE);

  std::atomic<bool> open{false};
  auto wait = [](void *user) {
    while (!*static_cast<std::atomic<bool> *>(user))
      std::this_thread::yield();
  };
  EXPECT_EQ(cuEventRecord(begin, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchHostFunc(stream, wait, &open), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32Async(data, 8, 64, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(end, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(other, end, 0), CUDA_SUCCESS);
  EXPECT_EQ(launchAdd(data, 1, 64, other), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(end), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuStreamQuery(other), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuEventElapsedTime(&ms, begin, end), CUDA_ERROR_NOT_READY);
  open = true;
  EXPECT_EQ(cuEventSynchronize(end), CUDA_SUCCESS);
  EXPECT_EQ(cuEventElapsedTime(&ms, begin, end), CUDA_SUCCESS);
  EXPECT_GE(ms, 0);
  EXPECT_EQ(cuStreamSynchronize(other), CUDA_SUCCESS);
  EXPECT_EQ(read(), 9u);
  EXPECT_EQ(cuEventRecord(idle, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuEventSynchronize(idle), CUDA_SUCCESS);
  EXPECT_EQ(cuEventElapsedTime(&ms, begin, idle), CUDA_ERROR_INVALID_HANDLE);
  // An event outlives the stream that recorded it.
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuEventSynchronize(end), CUDA_SUCCESS);
  EXPECT_EQ(cuEventDestroy_v2(end), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(end), CUDA_ERROR_INVALID_HANDLE);
}
