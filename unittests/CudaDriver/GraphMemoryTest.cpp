//===- GraphMemoryTest.cpp - memory that graphs allocate ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An H100 gives the error codes that are expected here.
//
//===----------------------------------------------------------------------===//

#include "GraphFixture.h"

#include <thread>

namespace {
class GraphMemory : public GraphDriver {
protected:
  /// Adds a node that allocates.
  CUgraphNode allocate(CUdeviceptr &memory,
                       std::vector<CUgraphNode> before = {},
                       size_t bytes = 4096) {
    CUDA_MEM_ALLOC_NODE_PARAMS params = describeMemory(bytes);
    CUgraphNode out = nullptr;
    EXPECT_EQ(cuGraphAddMemAllocNode(&out, graph, before.data(), before.size(),
                                     &params),
              CUDA_SUCCESS);
    memory = params.dptr;
    return out;
  }
  static CUresult addFree(CUgraph to, CUdeviceptr memory,
                          std::vector<CUgraphNode> before = {},
                          CUgraphNode *out = nullptr) {
    CUgraphNode node;
    return cuGraphAddMemFreeNode(out ? out : &node, to, before.data(),
                                 before.size(), memory);
  }
  static CUgraph makeGraph() {
    CUgraph made = nullptr;
    EXPECT_EQ(cuGraphCreate(&made, 0), CUDA_SUCCESS);
    return made;
  }
  static uint64_t amount(int attribute) {
    uint64_t bytes = ~0ull;
    EXPECT_EQ(cuDeviceGetGraphMemAttribute(0, attribute, &bytes), CUDA_SUCCESS);
    return bytes;
  }
};
} // namespace

TEST_F(GraphMemory, StaysWithTheInstance) {
  CUdeviceptr memory;
  CUgraphNode alloc = allocate(memory, {}, 1024), set;
  CUDA_MEMSET_NODE_PARAMS fill{memory, 0, 9, 1, 1024, 1};
  ASSERT_EQ(cuGraphAddMemsetNode(&set, graph, &alloc, 1, &fill, context),
            CUDA_SUCCESS);
  ASSERT_EQ(addFree(graph, memory, {set}), CUDA_SUCCESS);
  CUgraphExec exec = instantiate();
  run(exec);
  run(exec);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE)
      << "the graph has freed it";
  EXPECT_EQ(cuMemFreeAsync(memory, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8_v2(memory, 0, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphMemory, IsUsedAgainOnceItIsFreed) {
  uint64_t before = amount(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), zero = 0;
  EXPECT_EQ(
      cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &zero),
      CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceSetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
                                         &zero),
            CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr first, beside, behind, last;
  CUgraphNode alloc = allocate(first), release;
  ASSERT_EQ(addFree(graph, first, {alloc}, &release), CUDA_SUCCESS);
  // One allocation that is not ordered with the free node, and two behind it.
  allocate(beside, {alloc});
  CUgraphNode next = allocate(behind, {release});
  allocate(last, {release});
  EXPECT_NE(beside, first);
  EXPECT_EQ(behind, first);
  EXPECT_NE(last, first);
  EXPECT_EQ(amount(CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT), before + 3 * 4096);
  // Each allocation may be freed once.
  EXPECT_EQ(addFree(graph, behind, {next}), CUDA_SUCCESS);
  EXPECT_EQ(addFree(graph, behind, {next}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(amount(CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT), before);
  EXPECT_EQ(amount(CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH), before + 3 * 4096);
  EXPECT_EQ(cuDeviceGraphMemTrim(0), CUDA_SUCCESS);
}

TEST_F(GraphMemory, MustBeFreedBeforeTheNextLaunch) {
  CUdeviceptr memory;
  allocate(memory);
  CUgraphExec exec = instantiate();
  EXPECT_EQ(cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE) << "not yet there";
  run(exec);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphUpload(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8_v2(memory, 7, 4096), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(memory), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE);
  run(exec);
  EXPECT_EQ(cuMemFree_v2(memory + 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeAsync(memory, stream), CUDA_SUCCESS);
  run(exec);
  // What was not freed outlives the graph.
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8_v2(memory, 7, 4096), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeAsync(memory, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD8_v2(memory, 7, 1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphMemory, IsFreedByTheNextLaunchIfAskedTo) {
  CUdeviceptr memory, again;
  allocate(memory);
  CUgraphExec exec =
      instantiate(CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  run(exec);
  run(exec);
  EXPECT_EQ(cuMemFree_v2(memory), CUDA_SUCCESS);
  run(exec);
  // An instance of another graph with other memory takes its place.
  graph = makeGraph();
  allocate(again);
  CUgraphExecUpdateResultInfo info;
  ASSERT_EQ(cuGraphExecUpdate_v2(exec, graph, &info), CUDA_SUCCESS);
  run(exec);
  run(exec);
  EXPECT_EQ(cuMemFree_v2(memory), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(again), CUDA_SUCCESS);
}

TEST_F(GraphMemory, IsFreedByAnotherGraph) {
  CUdeviceptr memory;
  CUgraphNode alloc = allocate(memory);
  CUgraphExec exec = instantiate();
  CUgraph other = makeGraph(), third = makeGraph();
  EXPECT_EQ(addFree(other, memory), CUDA_SUCCESS);
  EXPECT_EQ(addFree(other, memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(addFree(graph, memory, {alloc}), CUDA_ERROR_INVALID_VALUE)
      << "another graph frees it";
  EXPECT_EQ(addFree(third, memory), CUDA_SUCCESS);
  graph = other;
  CUgraphExec release = instantiate();
  EXPECT_EQ(cuGraphLaunch(release, stream), CUDA_ERROR_INVALID_VALUE);
  for (int turn = 0; turn < 3; ++turn) {
    run(exec);
    run(release);
    EXPECT_EQ(cuMemFree_v2(memory), CUDA_ERROR_INVALID_VALUE);
  }
  // The memory is there until the launch that frees it has run.
  run(exec);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(release, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(release, stream), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(GraphMemory, FreeNodesNameMemoryOfGraphs) {
  CUdeviceptr pooled, memory;
  ASSERT_EQ(cuMemAllocAsync(&pooled, 64, stream), CUDA_SUCCESS);
  EXPECT_EQ(addFree(graph, pooled), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(addFree(graph, data), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(addFree(graph, 0), CUDA_ERROR_INVALID_VALUE);
  // A capture refuses it and goes on.
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeAsync(pooled, stream), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuMemAllocAsync(&memory, 64, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeAsync(memory, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFreeAsync(memory, stream), CUDA_ERROR_INVALID_VALUE);
  CUgraph recorded;
  ASSERT_EQ(cuStreamEndCapture(stream, &recorded), CUDA_SUCCESS);
  CUgraphNode nodes[2];
  size_t count = 2;
  ASSERT_EQ(cuGraphGetNodes(recorded, nodes, &count), CUDA_SUCCESS);
  ASSERT_EQ(count, 2u);
  CUdeviceptr freed = 0;
  EXPECT_EQ(cuGraphMemFreeNodeGetParams(nodes[1], &freed), CUDA_SUCCESS);
  EXPECT_EQ(freed, memory);
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
  params.free = memory;
  EXPECT_EQ(cuGraphNodeSetParams(nodes[1], &params), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphAddNode(nodes, graph, nullptr, 0, &params),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree_v2(pooled), CUDA_SUCCESS);
}

TEST_F(GraphMemory, MakesAGraphUnique) {
  CUdeviceptr memory;
  CUgraphNode alloc = allocate(memory), empty, out;
  ASSERT_EQ(cuGraphAddEmptyNode(&empty, graph, &alloc, 1), CUDA_SUCCESS);
  CUgraphExec exec = instantiate(), second;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&second, graph, 0),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphInstantiateWithFlags(
                &second, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
            CUDA_ERROR_INVALID_VALUE);
  CUgraph copy;
  EXPECT_EQ(cuGraphClone(&copy, graph), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphAddChildGraphNode(&out, makeGraph(), nullptr, 0, graph),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphDestroyNode(alloc), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphDestroyNode(empty), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphRemoveDependencies(graph, &alloc, &empty, 1),
            CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamEndCapture(stream, &copy),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  instantiate();
  // A child node may own such a graph.
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_GRAPH;
  params.child.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
  params.child.graph = graph = makeGraph();
  allocate(memory);
  graph = makeGraph();
  ASSERT_EQ(cuGraphAddNode_v2(&out, graph, nullptr, nullptr, 0, &params),
            CUDA_SUCCESS);
  EXPECT_EQ(addFree(graph, memory, {out}), CUDA_SUCCESS);
  exec = instantiate();
  run(exec);
  run(exec);
}

TEST_F(GraphMemory, IsOfEachThreadsGraph) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
      CUstream own = nullptr;
      EXPECT_EQ(cuStreamCreate(&own, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
      for (int turn = 0; turn < 50; ++turn) {
        CUDA_MEM_ALLOC_NODE_PARAMS params = describeMemory(4096);
        CUgraph made = makeGraph(), other = makeGraph();
        CUgraphNode node;
        CUgraphExec exec, release;
        EXPECT_EQ(cuGraphAddMemAllocNode(&node, made, nullptr, 0, &params),
                  CUDA_SUCCESS);
        EXPECT_EQ(addFree(other, params.dptr), CUDA_SUCCESS);
        EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, made, 0), CUDA_SUCCESS);
        EXPECT_EQ(cuGraphInstantiateWithFlags(&release, other, 0),
                  CUDA_SUCCESS);
        EXPECT_EQ(cuGraphLaunch(exec, own), CUDA_SUCCESS);
        EXPECT_EQ(cuMemsetD8Async(params.dptr, 1, 4096, own), CUDA_SUCCESS);
        EXPECT_EQ(cuGraphLaunch(release, own), CUDA_SUCCESS);
        EXPECT_EQ(cuGraphLaunch(exec, own), CUDA_SUCCESS);
        EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
        EXPECT_EQ(cuGraphDestroy(made), CUDA_SUCCESS);
        EXPECT_EQ(cuMemsetD8Async(params.dptr, 1, 4096, own), CUDA_SUCCESS);
        EXPECT_EQ(cuMemFreeAsync(params.dptr, own), CUDA_SUCCESS);
        EXPECT_EQ(cuGraphExecDestroy(release), CUDA_SUCCESS);
        EXPECT_EQ(cuGraphDestroy(other), CUDA_SUCCESS);
      }
      EXPECT_EQ(cuStreamDestroy_v2(own), CUDA_SUCCESS);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(GraphMemory, WrongParameters) {
  CUgraphNode out;
  auto add = [&](const CUDA_MEM_ALLOC_NODE_PARAMS &params) {
    CUDA_MEM_ALLOC_NODE_PARAMS copy = params;
    return cuGraphAddMemAllocNode(&out, graph, nullptr, 0, &copy);
  };
  EXPECT_EQ(add({}), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(describeMemory(0)), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(add(describeMemory(size_t(1) << 60)), CUDA_ERROR_OUT_OF_MEMORY);
  CUDA_MEM_ALLOC_NODE_PARAMS params = describeMemory(64);
  params.poolProps.location.id = 64;
  EXPECT_EQ(add(params), CUDA_ERROR_INVALID_DEVICE);
  params = describeMemory(64);
  params.accessDescCount = 1;
  EXPECT_EQ(add(params), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddMemAllocNode(&out, graph, nullptr, 0, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphAddMemAllocNode(nullptr, graph, nullptr, 0, &params),
            CUDA_ERROR_INVALID_VALUE);
  {
    CUmemAccessDesc access{};
    access.location = params.poolProps.location;
    params.accessDescs = &access;
    EXPECT_EQ(add(params), CUDA_SUCCESS);
  }
  CUDA_MEM_ALLOC_NODE_PARAMS read{};
  ASSERT_EQ(cuGraphMemAllocNodeGetParams(out, &read), CUDA_SUCCESS);
  ASSERT_EQ(read.accessDescCount, 1u);
  EXPECT_NE(read.accessDescs, params.accessDescs);
  EXPECT_EQ(read.accessDescs->location.type, CU_MEM_LOCATION_TYPE_DEVICE);
}
