//===- LaunchEventTest.cpp - events that launches record ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

namespace {
class LaunchEvent : public Driver {
protected:
  /// Launches a kernel with an attribute that names `event`.
  CUresult launchWith(int id, CUevent event) {
    CUlaunchAttribute attribute{};
    attribute.id = id;
    if (id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
      attribute.value.programmaticEvent.event = event;
    else
      attribute.value.launchCompletionEvent.event = event;
    CUlaunchConfig config{2, 1, 1, 64, 1, 1, 0, stream, &attribute, 1};
    return cuLaunchKernelEx(&config, get("count"), nullptr, nullptr);
  }
  void SetUp() override {
    Driver::SetUp();
    ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cuEventCreate(&before, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
  }
  CUstream stream = nullptr;
  CUevent before = nullptr, event = nullptr;
};
} // namespace

TEST_F(LaunchEvent, AttributesRecordEvents) {
  for (int id : {CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT,
                 CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT}) {
    ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuEventRecord(before, stream), CUDA_SUCCESS);
    ASSERT_EQ(launchWith(id, event), CUDA_SUCCESS);
    EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
    // An event that was never recorded has no time.
    float ms = -1;
    EXPECT_EQ(cuEventElapsedTime(&ms, before, event), CUDA_SUCCESS);
    EXPECT_GE(ms, 0.0f);
  }
}

TEST_F(LaunchEvent, WrongEventsAreRefusedBeforeTheLaunch) {
  int object = 0;
  EXPECT_EQ(launchWith(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT,
                       reinterpret_cast<CUevent>(&object)),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS);
}
