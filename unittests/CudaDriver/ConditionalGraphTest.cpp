//===- ConditionalGraphTest.cpp - conditional nodes of graphs -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphFixture.h"

#include <fstream>
#include <sstream>

namespace {
class ConditionalGraphs : public GraphDriver {
protected:
  CUgraphConditionalHandle makeHandle(CUgraph of, unsigned value = 0,
                                      unsigned flags = 0) {
    CUgraphConditionalHandle handle = 0;
    EXPECT_EQ(
        cuGraphConditionalHandleCreate(&handle, of, nullptr, value, flags),
        CUDA_SUCCESS);
    return handle;
  }
  CUgraphNodeParams describeChoice(CUgraphConditionalHandle handle,
                                   CUgraphConditionalNodeType kind,
                                   unsigned size) {
    CUgraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    params.conditional = {handle, kind, size, nullptr, context};
    return params;
  }
  /// Adds a conditional node. \returns its bodies.
  CUgraph *addChoice(CUgraph to, std::vector<CUgraphNode> before,
                     CUgraphConditionalHandle handle,
                     CUgraphConditionalNodeType kind, unsigned size = 1) {
    CUgraphNodeParams params = describeChoice(handle, kind, size);
    EXPECT_EQ(cuGraphAddNode_v2(&node, to, before.data(), nullptr,
                                before.size(), &params),
              CUDA_SUCCESS);
    return params.conditional.phGraph_out;
  }
  CUresult tryChoice(CUgraphConditionalHandle handle,
                     CUgraphConditionalNodeType kind, unsigned size = 1) {
    CUgraphNodeParams params = describeChoice(handle, kind, size);
    CUgraphNode out;
    return cuGraphAddNode(&out, graph, nullptr, 0, &params);
  }

  CUgraphNode node = nullptr; ///< the last conditional node
};
} // namespace

TEST_F(ConditionalGraphs, ChooseByTheValueThatAKernelSets) {
  CUgraphConditionalHandle handle = makeHandle(graph);
  CUgraphNode decide = add(graph, {}, "decide", handle, 1u);
  CUgraph *bodies =
      addChoice(graph, {decide}, handle, CU_GRAPH_COND_TYPE_IF, 2);
  add(bodies[0], {}, "bump", at(0), 1u);
  add(bodies[1], {}, "bump", at(1), 1u);
  add(graph, {node}, "bump", at(2), 1u);
  CUgraphExec exec = instantiate();
  run(exec);
  EXPECT_EQ(read(0), 1u);
  EXPECT_EQ(read(1), 0u);
  unsigned no = 0;
  void *params[] = {&handle, &no};
  CUDA_KERNEL_NODE_PARAMS kernel = describe("decide", params);
  ASSERT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, decide, &kernel),
            CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(read(0), 1u);
  EXPECT_EQ(read(1), 1u);
  EXPECT_EQ(read(2), 2u);
  CUgraphNodeType type;
  EXPECT_EQ(cuGraphNodeGetType(node, &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_CONDITIONAL);
}

// As in NVIDIA's sample graphConditionalNodes, which forgets the edge.
TEST_F(ConditionalGraphs, ChooseBehindKernelsWithoutAnEdge) {
  CUgraphConditionalHandle handle =
      makeHandle(graph, 0, CU_GRAPH_COND_ASSIGN_DEFAULT);
  CUgraph body = *addChoice(graph, {}, handle, CU_GRAPH_COND_TYPE_IF);
  add(body, {}, "bump", at(0), 1u);
  add(graph, {}, "decide", handle, 1u);
  CUgraphExec exec = instantiate();
  for (unsigned turn = 1; turn <= 20; ++turn) {
    run(exec);
    EXPECT_EQ(read(0), turn);
  }
}

TEST_F(ConditionalGraphs, AreAddedToGraphsThatStreamsRecord) {
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  CUstreamCaptureStatus status;
  CUgraph recorded = nullptr, ended = nullptr;
  ASSERT_EQ(cuStreamGetCaptureInfo_v2(stream, &status, nullptr, &recorded,
                                      nullptr, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(recorded), CUDA_ERROR_INVALID_VALUE);
  CUgraphConditionalHandle handle =
      makeHandle(recorded, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  CUgraph body = *addChoice(recorded, {}, handle, CU_GRAPH_COND_TYPE_IF);
  add(body, {}, "bump", at(0), 1u);
  ASSERT_EQ(cuStreamUpdateCaptureDependencies(stream, &node, 1, 1),
            CUDA_SUCCESS);
  ASSERT_EQ(launch("count", 1, 1, nullptr, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamEndCapture(stream, &ended), CUDA_SUCCESS);
  EXPECT_EQ(ended, recorded);
  graph = ended;
  run(instantiate());
  EXPECT_EQ(read(0), 1u);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  // A graph whose recording fails is gone.
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  ASSERT_EQ(cuStreamGetCaptureInfo_v2(stream, &status, nullptr, &recorded,
                                      nullptr, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamEndCapture(stream, &ended),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  size_t count;
  EXPECT_EQ(cuGraphGetNodes(recorded, nullptr, &count),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ConditionalGraphs, SwitchesRunOneBodyOrNone) {
  CUgraphConditionalHandle handle = makeHandle(graph);
  CUgraphNode decide = add(graph, {}, "decide", handle, 0u);
  CUgraph *bodies =
      addChoice(graph, {decide}, handle, CU_GRAPH_COND_TYPE_SWITCH, 3);
  for (unsigned i = 0; i < 3; ++i)
    add(bodies[i], {}, "bump", at(i), 1 + i);
  CUgraphExec exec = instantiate();
  for (unsigned value : {2u, 0u, 3u, ~0u, 1u, 2u}) {
    void *params[] = {&handle, &value};
    CUDA_KERNEL_NODE_PARAMS kernel = describe("decide", params);
    ASSERT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, decide, &kernel),
              CUDA_SUCCESS);
    run(exec);
  }
  EXPECT_EQ(read(0), 1u);
  EXPECT_EQ(read(1), 2u);
  EXPECT_EQ(read(2), 6u);
}

TEST_F(ConditionalGraphs, LoopsBeginWithTheDefaultInEachLaunch) {
  CUgraphConditionalHandle handle =
      makeHandle(graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  CUgraph body = *addChoice(graph, {}, handle, CU_GRAPH_COND_TYPE_WHILE);
  CUgraphNode bump = add(body, {}, "bump", at(1), 1u);
  add(body, {bump}, "countdown", at(0), handle);
  CUgraphExec exec = instantiate();
  for (unsigned n : {10u, 1u, 3u}) {
    write(0, n);
    write(1, 0);
    run(exec);
    EXPECT_EQ(read(0), 0u);
    EXPECT_EQ(read(1), n);
  }
}

TEST_F(ConditionalGraphs, AreNested) {
  CUgraphConditionalHandle outer = makeHandle(graph, 1, 1);
  CUgraphConditionalHandle inner = makeHandle(graph);
  CUgraph loop = *addChoice(graph, {}, outer, CU_GRAPH_COND_TYPE_WHILE);
  // For each outer turn the inner loop runs three times.
  CUgraphNode begin = add(loop, {}, "decide", inner, 1u);
  CUDA_MEMSET_NODE_PARAMS three{at(1), 0, 3, 4, 1, 1};
  CUgraphNode set;
  ASSERT_EQ(cuGraphAddMemsetNode(&set, loop, &begin, 1, &three, context),
            CUDA_SUCCESS);
  CUgraph inside = *addChoice(loop, {set}, inner, CU_GRAPH_COND_TYPE_WHILE);
  CUgraphNode count = add(inside, {}, "bump", at(2), 1u);
  add(inside, {count}, "countdown", at(1), inner);
  add(loop, {node}, "countdown", at(0), outer);
  write(0, 4);
  run(instantiate());
  EXPECT_EQ(read(0), 0u);
  EXPECT_EQ(read(2), 12u);
}

TEST_F(ConditionalGraphs, BodiesAreCaptured) {
  CUgraphConditionalHandle handle = makeHandle(graph, 1, 1);
  CUgraph body = *addChoice(graph, {}, handle, CU_GRAPH_COND_TYPE_WHILE);
  ASSERT_EQ(cuStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                        CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  CUdeviceptr left = data;
  void *params[] = {&left, &handle};
  CUDA_KERNEL_NODE_PARAMS kernel = describe("countdown", params);
  EXPECT_EQ(
      cuLaunchKernel(kernel.func, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr),
      CUDA_SUCCESS);
  EXPECT_EQ(cuStreamEndCapture(stream, nullptr), CUDA_SUCCESS);
  write(0, 5);
  run(instantiate());
  EXPECT_EQ(read(0), 0u);
  // A body holds no host functions.
  ASSERT_EQ(cuStreamBeginCaptureToGraph(stream, body, nullptr, nullptr, 0,
                                        CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchHostFunc(
                stream, [](void *) {}, nullptr),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(cuStreamEndCapture(stream, nullptr),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(ConditionalGraphs, CapturesEndWithTheirGraph) {
  ASSERT_EQ(cuStreamBeginCaptureToGraph(stream, graph, nullptr, nullptr, 0,
                                        CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_SUCCESS);
  ASSERT_EQ(launch("count", 1, 1, nullptr, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(launch("count", 1, 1, nullptr, stream),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(cuStreamEndCapture(stream, nullptr),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(ConditionalGraphs, CapturesForgetNodesThatAreDestroyed) {
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  CUstreamCaptureStatus status;
  CUgraph recorded = nullptr;
  const CUgraphNode *tips = nullptr;
  size_t count = 0;
  auto ask = [&] {
    EXPECT_EQ(cuStreamGetCaptureInfo_v2(stream, &status, nullptr, &recorded,
                                        &tips, &count),
              CUDA_SUCCESS);
    return count;
  };
  ASSERT_EQ(launch("count", 1, 1, nullptr, stream), CUDA_SUCCESS);
  ASSERT_EQ(ask(), 1u);
  ASSERT_EQ(cuGraphDestroyNode(tips[0]), CUDA_SUCCESS);
  EXPECT_EQ(ask(), 0u);
  ASSERT_EQ(launch("count", 1, 1, nullptr, stream), CUDA_SUCCESS);
  ASSERT_EQ(ask(), 1u);
  ASSERT_EQ(cuGraphDestroyNode(tips[0]), CUDA_SUCCESS);
  ASSERT_EQ(launch("count", 1, 1, nullptr, stream), CUDA_SUCCESS);
  ASSERT_EQ(ask(), 1u);
  ASSERT_EQ(cuGraphDestroyNode(tips[0]), CUDA_SUCCESS);
  CUdeviceptr memory = 0;
  EXPECT_EQ(cuMemAllocAsync(&memory, 64, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
}

TEST_F(ConditionalGraphs, BodiesHoldWorkOfTheDevice) {
  CUgraph body =
      *addChoice(graph, {}, makeHandle(graph), CU_GRAPH_COND_TYPE_IF);
  CUgraphNode out;
  CUDA_HOST_NODE_PARAMS host{[](void *) {}, nullptr};
  EXPECT_EQ(cuGraphAddHostNode(&out, body, nullptr, 0, &host),
            CUDA_ERROR_NOT_SUPPORTED);
  CUDA_MEM_ALLOC_NODE_PARAMS memory = describeMemory(64);
  EXPECT_EQ(cuGraphAddMemAllocNode(&out, body, nullptr, 0, &memory),
            CUDA_ERROR_NOT_SUPPORTED);
  CUgraph owner;
  ASSERT_EQ(cuGraphCreate(&owner, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphAddMemAllocNode(&out, owner, nullptr, 0, &memory),
            CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddMemFreeNode(&out, body, nullptr, 0, memory.dptr),
            CUDA_ERROR_NOT_SUPPORTED);
  CUgraph child;
  ASSERT_EQ(cuGraphCreate(&child, 0), CUDA_SUCCESS);
  add(child, {}, "bump", at(0), 1u);
  EXPECT_EQ(cuGraphAddChildGraphNode(&out, body, nullptr, 0, child),
            CUDA_SUCCESS);
  // The same holds inside of the child, and for a child with such a node.
  CUgraph inside;
  ASSERT_EQ(cuGraphChildGraphNodeGetGraph(out, &inside), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddHostNode(&out, inside, nullptr, 0, &host),
            CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(cuGraphAddHostNode(&out, child, nullptr, 0, &host), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddChildGraphNode(&out, body, nullptr, 0, child),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphDestroy(body), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphDestroyNode(node), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddEmptyNode(&out, body, nullptr, 0),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ConditionalGraphs, ExistOnce) {
  CUgraphConditionalHandle handle = makeHandle(graph, 1, 1);
  CUgraph body = *addChoice(graph, {}, handle, CU_GRAPH_COND_TYPE_IF);
  add(body, {}, "bump", at(0), 1u);
  CUgraph other;
  CUgraphNode out;
  EXPECT_EQ(cuGraphClone(&other, graph), CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(cuGraphCreate(&other, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddChildGraphNode(&out, other, nullptr, 0, graph),
            CUDA_ERROR_NOT_SUPPORTED);
  CUgraphExec exec = instantiate(), second;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&second, graph, 0),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuStreamEndCapture(stream, &other), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  exec = instantiate();
  // The instance needs the graph no more.
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(read(0), 1u);
}

TEST_F(ConditionalGraphs, MoveIntoChildNodes) {
  CUgraph outer, last;
  CUgraphNode child, out;
  ASSERT_EQ(cuGraphCreate(&outer, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphCreate(&last, 0), CUDA_SUCCESS);
  CUgraphConditionalHandle handle =
      makeHandle(graph, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
  CUgraph body = *addChoice(graph, {}, handle, CU_GRAPH_COND_TYPE_IF);
  add(body, {}, "bump", at(0), 1u);
  CUgraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_GRAPH;
  params.child = {graph, CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID};
  EXPECT_EQ(cuGraphAddNode(&child, outer, nullptr, 0, &params),
            CUDA_ERROR_INVALID_VALUE);
  params.child.ownership = CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE;
  EXPECT_EQ(cuGraphAddNode(&child, graph, nullptr, 0, &params),
            CUDA_ERROR_INVALID_VALUE); // into itself
  EXPECT_EQ(cuGraphAddNode(&child, body, nullptr, 0, &params),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuGraphAddNode(&child, outer, nullptr, 0, &params), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddNode(&out, last, nullptr, 0, &params),
            CUDA_ERROR_INVALID_VALUE); // it belongs to the node now
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_ERROR_INVALID_VALUE);
  CUgraph inside;
  ASSERT_EQ(cuGraphChildGraphNodeGetGraph(child, &inside), CUDA_SUCCESS);
  EXPECT_EQ(inside, graph);
  add(graph, {}, "bump", at(1), 1u); // its handle stays
  graph = outer;
  run(instantiate());
  EXPECT_EQ(read(0), 1u);
  EXPECT_EQ(read(1), 1u);
  EXPECT_EQ(cuGraphDestroy(outer), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddEmptyNode(&out, inside, nullptr, 0),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(ConditionalGraphs, HandlesBelongToOneNodeOfTheirGraph) {
  CUgraphConditionalHandle handle = makeHandle(graph), out;
  CUgraph other;
  ASSERT_EQ(cuGraphCreate(&other, 0), CUDA_SUCCESS);
  EXPECT_EQ(tryChoice(makeHandle(other), CU_GRAPH_COND_TYPE_IF),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(tryChoice(handle + 1000, CU_GRAPH_COND_TYPE_IF),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(tryChoice(handle, CU_GRAPH_COND_TYPE_IF, 3),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(tryChoice(handle, CU_GRAPH_COND_TYPE_WHILE, 2),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(tryChoice(handle, CU_GRAPH_COND_TYPE_SWITCH, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(tryChoice(handle, CU_GRAPH_COND_TYPE_SWITCH, ~0u),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(tryChoice(handle, CUgraphConditionalNodeType(3)),
            CUDA_ERROR_INVALID_VALUE);
  CUgraphInstantiateResult unused =
      CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED;
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  CUgraphExec exec;
  EXPECT_EQ(cuGraphInstantiateWithParams(&exec, graph, &params),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(params.result_out, unused);
  EXPECT_EQ(tryChoice(handle, CU_GRAPH_COND_TYPE_IF), CUDA_SUCCESS);
  EXPECT_EQ(tryChoice(handle, CU_GRAPH_COND_TYPE_IF), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphInstantiateWithParams(&exec, graph, &params), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphConditionalHandleCreate(nullptr, graph, nullptr, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphConditionalHandleCreate(&out, nullptr, nullptr, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphConditionalHandleCreate(&out, graph, nullptr, 0, 2),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphConditionalHandleCreate(
                &out, graph, reinterpret_cast<CUcontext>(8), 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
}

TEST_F(ConditionalGraphs, UnknownHandlesAreFaultsOfKernels) {
  CUgraphConditionalHandle handle = makeHandle(graph);
  ASSERT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  unsigned value = 1;
  void *params[] = {&handle, &value};
  CUDA_KERNEL_NODE_PARAMS kernel = describe("decide", params);
  ASSERT_EQ(
      cuLaunchKernel(kernel.func, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr),
      CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_INSTRUCTION);
}

TEST_F(ConditionalGraphs, InstancesAreUpdated) {
  auto build = [&](unsigned value, unsigned initial,
                   CUgraphConditionalNodeType kind) {
    CUgraph made;
    EXPECT_EQ(cuGraphCreate(&made, 0), CUDA_SUCCESS);
    CUgraph body = *addChoice(made, {}, makeHandle(made, initial, 1), kind);
    add(body, {}, "bump", at(0), value);
    return made;
  };
  graph = build(1, 1, CU_GRAPH_COND_TYPE_IF);
  CUgraphExec exec = instantiate();
  CUgraphExecUpdateResultInfo info;
  ASSERT_EQ(
      cuGraphExecUpdate_v2(exec, build(10, 1, CU_GRAPH_COND_TYPE_IF), &info),
      CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(read(0), 10u);
  // The default is updated, too.
  CUgraph never = build(10, 0, CU_GRAPH_COND_TYPE_IF);
  ASSERT_EQ(cuGraphExecUpdate_v2(exec, never, &info), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphDestroy(never), CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(read(0), 10u);
  EXPECT_EQ(cuGraphExecUpdate_v2(exec, build(10, 1, CU_GRAPH_COND_TYPE_SWITCH),
                                 &info),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
  EXPECT_EQ(info.errorNode, node);
  CUgraphNodeParams params = describeChoice(1, CU_GRAPH_COND_TYPE_IF, 1);
  EXPECT_EQ(cuGraphNodeSetParams(node, &params), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(cuGraphExecNodeSetParams(exec, node, &params),
            CUDA_ERROR_NOT_SUPPORTED);
}

TEST_F(ConditionalGraphs, NodesOfBodiesChangeInInstances) {
  CUgraphConditionalHandle handle = makeHandle(graph, 1, 1);
  CUgraph body = *addChoice(graph, {}, handle, CU_GRAPH_COND_TYPE_IF);
  CUgraphNode bump = add(body, {}, "bump", at(0), 1u);
  CUgraphExec exec = instantiate();
  CUdeviceptr to = at(0);
  unsigned value = 20;
  void *params[] = {&to, &value};
  CUDA_KERNEL_NODE_PARAMS kernel = describe("bump", params);
  ASSERT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, bump, &kernel),
            CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(read(0), 20u);
  EXPECT_EQ(cuGraphNodeSetEnabled(exec, bump, 0), CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(read(0), 20u);
  // The graph is as it was, and an update from it is found again.
  CUgraphExecUpdateResultInfo info;
  EXPECT_EQ(cuGraphNodeSetEnabled(exec, bump, 1), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphExecUpdate_v2(exec, graph, &info), CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(read(0), 21u);
  ASSERT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, bump, &kernel),
            CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(read(0), 41u);
}

TEST_F(ConditionalGraphs, ArePrinted) {
  addChoice(graph, {}, makeHandle(graph), CU_GRAPH_COND_TYPE_SWITCH, 2);
  std::string path = ::testing::TempDir() + "conditional.dot";
  ASSERT_EQ(
      cuGraphDebugDotPrint(graph, path.c_str(),
                           CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS),
      CUDA_SUCCESS);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_NE(text.str().find("CONDITIONAL\\nSWITCH"), std::string::npos)
      << text.str();
  EXPECT_NE(text.str().find("bodies 2"), std::string::npos);
}
