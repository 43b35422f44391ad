//===- CooperativeTest.cpp - cooperative launches -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

namespace {
class Cooperative : public Driver {
protected:
  void SetUp() override {
    Driver::SetUp();
    int perMultiprocessor = 0, multiprocessors = 0;
    ASSERT_EQ(cuOccupancyMaxActiveBlocksPerMultiprocessor(&perMultiprocessor,
                                                          get("count"), 512, 0),
              CUDA_SUCCESS);
    ASSERT_EQ(cuDeviceGetAttribute(&multiprocessors,
                                   CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0),
              CUDA_SUCCESS);
    most = unsigned(perMultiprocessor * multiprocessors);
    ASSERT_EQ(perMultiprocessor, 4) << "2048 threads in CTAs of 512";
  }
  CUresult launchTogether(unsigned grid, CUstream stream = nullptr) {
    return cuLaunchCooperativeKernel(get("count"), grid, 1, 1, 512, 1, 1, 0,
                                     stream, nullptr);
  }
  unsigned most = 0;
};
} // namespace

TEST_F(Cooperative, GridsThatTheDeviceDoesNotHoldAreTooLarge) {
  EXPECT_EQ(launchTogether(most), CUDA_SUCCESS);
  EXPECT_EQ(launchTogether(most + 1), CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  EXPECT_EQ(launch("count", most + 1, 512), CUDA_SUCCESS) << "not cooperative";
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
  attribute.value.cooperative = 1;
  CUlaunchConfig config{most + 1, 1, 1, 512, 1, 1, 0, nullptr, &attribute, 1};
  EXPECT_EQ(cuLaunchKernelEx(&config, get("count"), nullptr, nullptr),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  config.gridDimX = most;
  EXPECT_EQ(cuLaunchKernelEx(&config, get("count"), nullptr, nullptr),
            CUDA_SUCCESS);
  // A refused launch leaves no error in the context.
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

TEST_F(Cooperative, GraphsHoldNoneThatIsTooLarge) {
  CUstream stream;
  CUgraph graph;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(launchTogether(most, stream), CUDA_SUCCESS);
  EXPECT_EQ(launchTogether(most + 1, stream),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  CUgraphNode node;
  size_t count = 1;
  ASSERT_EQ(cuGraphGetNodes(graph, &node, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);

  // A cooperative node cannot grow beyond the limit, and a larger node cannot
  // become cooperative.
  CUDA_KERNEL_NODE_PARAMS params;
  ASSERT_EQ(cuGraphKernelNodeGetParams_v2(node, &params), CUDA_SUCCESS);
  params.gridDimX = most + 1;
  EXPECT_EQ(cuGraphKernelNodeSetParams_v2(node, &params),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  CUgraphNode plain;
  CUlaunchAttributeValue yes{};
  yes.cooperative = 1;
  ASSERT_EQ(cuGraphAddKernelNode_v2(&plain, graph, nullptr, 0, &params),
            CUDA_SUCCESS);
  EXPECT_EQ(cuGraphKernelNodeSetAttribute(
                plain, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &yes),
            CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
}
