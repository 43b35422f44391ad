//===- DeviceGraphTest.cpp - graphs that kernels launch and change --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphFixture.h"

namespace {
constexpr uint64_t kTailLaunch = uint64_t(1) << 56;
constexpr uint64_t kFireAndForget = uint64_t(2) << 56;
constexpr uint64_t kAsSibling = uint64_t(3) << 56;
constexpr unsigned kInvalidValue = 1; // cudaErrorInvalidValue

class DeviceGraphs : public GraphDriver {
protected:
  CUgraphExec instantiateForDevice() {
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    params.flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |
                   CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
    params.hUploadStream = stream;
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithParams(&exec, graph, &params),
              CUDA_SUCCESS);
    EXPECT_EQ(params.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
    return exec;
  }
  void startGraph() { ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS); }
  static uint64_t number(CUgraphExec exec) {
    return reinterpret_cast<uint64_t>(exec);
  }
  CUgraphInstantiateResult tryForDevice(CUgraphNode &culprit) {
    CUDA_GRAPH_INSTANTIATE_PARAMS params{};
    params.flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
    CUgraphExec exec;
    CUresult error = cuGraphInstantiateWithParams(&exec, graph, &params);
    EXPECT_NE(error, CUDA_SUCCESS);
    culprit = params.hErrNode_out;
    return params.result_out;
  }
  /// Makes the node one that kernels may update. \returns its handle.
  uint64_t makeUpdatable(CUgraphNode node) {
    CUlaunchAttributeValue value{};
    value.deviceUpdatableKernelNode.deviceUpdatable = 1;
    EXPECT_EQ(
        cuGraphKernelNodeSetAttribute(
            node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value),
        CUDA_SUCCESS);
    return reinterpret_cast<uint64_t>(value.deviceUpdatableKernelNode.devNode);
  }
};
} // namespace

TEST_F(DeviceGraphs, AreLaunchedByKernels) {
  add(graph, {}, "bump", at(0), 1u);
  CUgraphExec inner = instantiateForDevice();
  startGraph();
  CUgraphNode first =
      add(graph, {}, "launch", number(inner), kFireAndForget, at(2));
  add(graph, {first}, "launch", number(inner), kTailLaunch, at(4));
  CUgraphExec exec = instantiateForDevice();
  for (unsigned turn = 1; turn <= 10; ++turn) {
    run(exec);
    EXPECT_EQ(read(0), 2 * turn); // all has ended before the stream goes on
    EXPECT_EQ(read(2), 0u);
    EXPECT_EQ(read(3), 1u);
    EXPECT_EQ(read(4), 0u);
  }
  // A graph of the host may launch, but is not to be launched.
  run(instantiate());
  EXPECT_EQ(read(0), 22u);
  EXPECT_EQ(read(3), 0u);
}

TEST_F(DeviceGraphs, LaunchThemselvesAgain) {
  CUgraphNode bump = add(graph, {}, "bump", at(1), 1u);
  add(graph, {bump}, "relaunch", at(0));
  CUgraphExec exec = instantiateForDevice();
  write(0, 2000);
  run(exec);
  EXPECT_EQ(read(0), 0u);
  EXPECT_EQ(read(1), 2000u);
}

TEST_F(DeviceGraphs, TailLaunchesOfTailLaunchesComeFirst) {
  CUdeviceptr to = at(0);
  auto setTo = [&](unsigned value, CUgraphNode before) {
    CUDA_MEMSET_NODE_PARAMS set{to, 0, value, 4, 1, 1};
    CUgraphNode out;
    EXPECT_EQ(cuGraphAddMemsetNode(&out, graph, &before, before ? 1 : 0, &set,
                                   context),
              CUDA_SUCCESS);
    return out;
  };
  setTo(7, nullptr);
  CUgraphExec seven = instantiateForDevice();
  startGraph();
  add(graph, {}, "bump", to, 1u);
  CUgraphExec plusOne = instantiateForDevice();
  startGraph();
  add(graph, {}, "launch", number(seven), kTailLaunch, at(2));
  CUgraphExec nested = instantiateForDevice();
  startGraph();
  CUgraphNode first =
      add(graph, {}, "launch", number(nested), kTailLaunch, at(2));
  add(graph, {first}, "launch", number(plusOne), kTailLaunch, at(4));
  run(instantiateForDevice());
  EXPECT_EQ(read(0), 8u);
}

TEST_F(DeviceGraphs, SiblingsEndBeforeTheStreamGoesOn) {
  add(graph, {}, "bump", at(0), 1u);
  CUgraphExec inner = instantiateForDevice();
  startGraph();
  add(graph, {}, "launch", number(inner), kAsSibling, at(2));
  CUgraphExec exec = instantiateForDevice();
  run(exec);
  EXPECT_EQ(read(0), 1u);
  EXPECT_EQ(read(2), 0u);
}

TEST_F(DeviceGraphs, WrongLaunchesAreErrors) {
  add(graph, {}, "bump", at(0), 1u);
  CUgraphExec host = instantiate(), notUploaded = nullptr;
  ASSERT_EQ(cuGraphInstantiateWithFlags(
                &notUploaded, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH),
            CUDA_SUCCESS);
  CUgraphExec good = instantiateForDevice();
  auto launched = [&](uint64_t exec, uint64_t how) {
    startGraph();
    add(graph, {}, "launch", exec, how, at(2));
    run(instantiate());
    return read(2);
  };
  EXPECT_EQ(launched(number(host), kTailLaunch), kInvalidValue);
  EXPECT_EQ(launched(number(notUploaded), kTailLaunch), kInvalidValue);
  EXPECT_EQ(launched(0, kTailLaunch), kInvalidValue);
  EXPECT_EQ(launched(12345, kFireAndForget), kInvalidValue);
  EXPECT_EQ(launched(number(good), 0), kInvalidValue);
  EXPECT_EQ(launched(number(good), kFireAndForget), 0u);
  EXPECT_EQ(read(0), 1u);
  ASSERT_EQ(cuGraphUpload(notUploaded, stream), CUDA_SUCCESS);
  EXPECT_EQ(launched(number(notUploaded), kFireAndForget), 0u);
  ASSERT_EQ(cuGraphExecDestroy(good), CUDA_SUCCESS);
  EXPECT_EQ(launched(number(good), kFireAndForget), kInvalidValue);
  // Only kernels of graphs launch graphs.
  uint64_t exec = number(notUploaded), how = kFireAndForget;
  CUdeviceptr to = at(2);
  void *params[] = {&exec, &how, &to};
  CUDA_KERNEL_NODE_PARAMS kernel = describe("launch", params);
  ASSERT_EQ(
      cuLaunchKernel(kernel.func, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr),
      CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(read(2), kInvalidValue);
}

TEST_F(DeviceGraphs, HoldWorkOfTheDevice) {
  CUgraphNode culprit, host;
  EXPECT_EQ(tryForDevice(culprit), CUDA_GRAPH_INSTANTIATE_ERROR); // empty
  add(graph, {}, "bump", at(0), 1u);
  CUDA_HOST_NODE_PARAMS params{[](void *) {}, nullptr};
  ASSERT_EQ(cuGraphAddHostNode(&host, graph, nullptr, 0, &params),
            CUDA_SUCCESS);
  EXPECT_EQ(tryForDevice(culprit),
            CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED);
  EXPECT_EQ(culprit, host);
  CUgraphExec exec;
  EXPECT_EQ(cuGraphInstantiateWithFlags(
                &exec, graph,
                CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |
                    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 16),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphInstantiateWithParams(&exec, graph, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(DeviceGraphs, UploadsNeedAStream) {
  CUDA_GRAPH_INSTANTIATE_PARAMS params{};
  params.flags = CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD;
  params.hUploadStream = reinterpret_cast<CUstream>(uint64_t(64));
  CUgraphExec exec;
  EXPECT_EQ(cuGraphInstantiateWithParams(&exec, graph, &params),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(params.result_out, CUDA_GRAPH_INSTANTIATE_ERROR);
}

TEST_F(DeviceGraphs, KernelsUpdateNodes) {
  CUgraphNode target = add(graph, {}, "bump", at(0), 1u);
  uint64_t node = makeUpdatable(target);
  CUlaunchAttributeValue value{};
  ASSERT_EQ(
      cuGraphKernelNodeGetAttribute(
          target, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value),
      CUDA_SUCCESS);
  EXPECT_EQ(value.deviceUpdatableKernelNode.deviceUpdatable, 1);
  EXPECT_EQ(reinterpret_cast<uint64_t>(value.deviceUpdatableKernelNode.devNode),
            node);
  CUgraphExec exec = instantiateForDevice();
  run(exec);
  EXPECT_EQ(read(0), 1u);
  // bump's value is at offset 8.
  write(10, 5);
  CUgraph updated = graph;
  auto update = [&](uint64_t to, uint64_t offset, uint64_t bytes, unsigned grid,
                    unsigned enabled) {
    startGraph();
    add(graph, {}, "update", to, offset, uint64_t(at(10)), bytes, grid, enabled,
        at(20));
    run(instantiate());
    return read(20) | read(21) << 4 | read(22) << 8;
  };
  EXPECT_EQ(update(node, 8, 4, 3, 1), 0u);
  run(exec);
  EXPECT_EQ(read(0), 16u); // 3 CTAs add 5 each
  EXPECT_EQ(update(node, 8, 4, 1, 0), 0u);
  run(exec);
  EXPECT_EQ(read(0), 16u);
  EXPECT_EQ(update(node, 8, 4, 1, 1), 0u);
  run(exec);
  EXPECT_EQ(read(0), 21u);
  // An upload after a change by the host starts anew.
  CUdeviceptr to = at(0);
  unsigned two = 2;
  void *params[] = {&to, &two};
  CUDA_KERNEL_NODE_PARAMS kernel = describe("bump", params);
  ASSERT_EQ(cuGraphExecKernelNodeSetParams_v2(exec, target, &kernel),
            CUDA_SUCCESS);
  ASSERT_EQ(cuGraphUpload(exec, stream), CUDA_SUCCESS);
  run(exec);
  EXPECT_EQ(read(0), 23u);
  EXPECT_EQ(update(node, 12, 4, 0, 1), 0x11u);
  EXPECT_EQ(update(node, ~uint64_t(0), 4, 1, 1), 0x1u);
  EXPECT_EQ(update(node + 1000, 8, 4, 1, 1), 0x111u);
  EXPECT_EQ(cuGraphDestroyNode(target), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphDestroy(updated), CUDA_SUCCESS);
  EXPECT_EQ(update(node, 8, 4, 1, 1), 0x111u);
}

TEST_F(DeviceGraphs, UpdatesComeInBatches) {
  uint64_t node = makeUpdatable(add(graph, {}, "bump", at(0), 1u));
  CUgraphExec exec = instantiateForDevice();
  // cudaGraphKernelNodeUpdate
  struct Update {
    uint64_t node;
    uint32_t field, pad;
    union {
      uint32_t grid[3];
      uint64_t param[3];
      uint32_t isEnabled;
    };
  } updates[4] = {};
  CUdeviceptr list;
  ASSERT_EQ(cuMemAlloc_v2(&list, sizeof(updates)), CUDA_SUCCESS);
  for (Update &update : updates)
    update.node = node;
  updates[0].field = 1;
  updates[0].grid[0] = 2;
  updates[0].grid[1] = 2;
  updates[0].grid[2] = 1;
  updates[1].field = 2;
  updates[1].param[0] = at(10);
  updates[1].param[1] = 8;
  updates[1].param[2] = 4;
  updates[2].field = 3;
  updates[2].isEnabled = 1;
  ASSERT_EQ(cuMemcpyHtoD_v2(list, updates, sizeof(updates)), CUDA_SUCCESS);
  write(10, 100);
  startGraph();
  add(graph, {}, "apply", uint64_t(list), uint64_t(3), at(20));
  run(instantiate());
  EXPECT_EQ(read(20), 0u);
  run(exec);
  EXPECT_EQ(read(0), 400u);
  startGraph(); // the last one has no field
  add(graph, {}, "apply", uint64_t(list), uint64_t(4), at(20));
  run(instantiate());
  EXPECT_EQ(read(20), kInvalidValue);
}

TEST_F(DeviceGraphs, ReadingABadUpdateIsAFault) {
  startGraph();
  add(graph, {}, "apply", uint64_t(8), uint64_t(1), at(20));
  CUgraphExec exec = instantiate();
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(DeviceGraphs, UpdatableNodesExistOnce) {
  CUgraphNode node = add(graph, {}, "bump", at(0), 1u), out;
  CUgraphNode plain = add(graph, {}, "bump", at(0), 1u);
  makeUpdatable(node);
  CUlaunchAttributeValue value{};
  EXPECT_EQ(cuGraphKernelNodeSetAttribute(
                node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value),
            CUDA_ERROR_INVALID_VALUE);
  value.deviceUpdatableKernelNode.deviceUpdatable = 2;
  EXPECT_EQ(
      cuGraphKernelNodeSetAttribute(
          plain, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, &value),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphKernelNodeCopyAttributes(plain, node),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphKernelNodeCopyAttributes(node, plain),
            CUDA_ERROR_INVALID_VALUE);
  CUgraph other;
  EXPECT_EQ(cuGraphClone(&other, graph), CUDA_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(cuGraphCreate(&other, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphAddChildGraphNode(&out, other, nullptr, 0, graph),
            CUDA_ERROR_NOT_SUPPORTED);
  CUgraphExec exec = instantiate(), second;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&second, graph, 0),
            CUDA_ERROR_INVALID_VALUE);
  CUgraphExecUpdateResultInfo info;
  EXPECT_EQ(cuGraphExecUpdate_v2(exec, graph, &info),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED);
}

TEST_F(DeviceGraphs, CapturedLaunchesAreUpdatable) {
  CUdeviceptr to = at(0);
  unsigned one = 1;
  void *params[] = {&to, &one};
  CUDA_KERNEL_NODE_PARAMS kernel = describe("bump", params);
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE;
  attribute.value.deviceUpdatableKernelNode.deviceUpdatable = 1;
  CUlaunchConfig config{1, 1, 1, 1, 1, 1, 0, stream, &attribute, 1};
  EXPECT_EQ(cuLaunchKernelEx(&config, kernel.func, params, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernelEx(&config, kernel.func, params, nullptr),
            CUDA_SUCCESS);
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  EXPECT_NE(attribute.value.deviceUpdatableKernelNode.devNode, nullptr);
  run(instantiate());
  EXPECT_EQ(read(0), 1u);
}
