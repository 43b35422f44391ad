//===- ForkTest.cpp - children of a process that uses the driver ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ForkedChild.h"
#include "DriverFixture.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {
class Forks : public Driver {
protected:
  void SetUp() override {
    Driver::SetUp();
    ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&data, 4 * kCount), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD32_v2(data, 0, kCount), CUDA_SUCCESS);
    // Starts threads of the stream, of the compiler and of TBB.
    ASSERT_EQ(launchAdd(data, 1, kCount, stream), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    // Starts the default stream of this thread, which ends with the thread.
    ASSERT_EQ(launchAdd(data, 1, kCount, CU_STREAM_PER_THREAD), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamSynchronize(CU_STREAM_PER_THREAD), CUDA_SUCCESS);
  }
  /// \returns how many calls do not return what they must in a child: all that
  /// need a device return CUDA_ERROR_NOT_INITIALIZED.
  int useInChild() {
    CUdeviceptr pointer;
    CUdevice device;
    CUcontext made;
    CUmodule loaded;
    CUfunction function;
    CUevent event;
    int count, wrong = 0;
    auto expectNone = [&](CUresult result) {
      wrong += result != CUDA_ERROR_NOT_INITIALIZED;
    };
    expectNone(cuInit(0));
    expectNone(cuDeviceGet(&device, 0));
    expectNone(cuDeviceGetCount(&count));
    expectNone(cuDevicePrimaryCtxRetain(&made, 0));
    expectNone(cuCtxGetCurrent(&made));
    expectNone(cuCtxSetCurrent(context));
    expectNone(cuCtxCreate_v2(&made, 0, 0));
    expectNone(cuCtxSynchronize());
    expectNone(cuMemAlloc_v2(&pointer, 4));
    expectNone(cuMemcpyDtoH_v2(&count, data, 4));
    expectNone(cuMemsetD32Async(data, 0, 1, stream));
    expectNone(cuMemFree_v2(data));
    expectNone(cuModuleLoadData(&loaded, kKernels));
    expectNone(cuModuleGetFunction(&function, module, "add"));
    expectNone(cuStreamSynchronize(stream));
    expectNone(cuStreamDestroy_v2(stream));
    expectNone(cuEventCreate(&event, 0));
    expectNone(cuCtxDestroy_v2(context));
    void *params[] = {nullptr};
    expectNone(
        cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr));
    // These need no device.
    const char *name = nullptr;
    wrong += cuDriverGetVersion(&count) != CUDA_SUCCESS;
    wrong += cuGetErrorName(CUDA_ERROR_NOT_INITIALIZED, &name) != CUDA_SUCCESS;
    void *found = nullptr;
    wrong += cuGetProcAddress_v2("cuInit", &found, 13000, 0, nullptr) !=
             CUDA_SUCCESS;
    return wrong;
  }
  static constexpr unsigned kCount = 100000;
  CUstream stream = nullptr;
  CUdeviceptr data = 0;
};
} // namespace

TEST_F(Forks, TheChildHearsThatThereIsNoDevice) {
  EXPECT_EQ(runInChild([&] { return useInChild(); }), 0);
  // A child of a child, and one that does nothing but end.
  EXPECT_EQ(
      runInChild([&] { return runInChild([&] { return useInChild(); }); }), 0);
  EXPECT_EQ(runInChild([] { return 0; }), 0);
  // The parent goes on.
  unsigned value = 0;
  EXPECT_EQ(launchAdd(data, 1, kCount, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyDtoHAsync_v2(&value, data + 4 * (kCount - 1), 4, stream),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(value, 3u);
}

// The process forks while other threads hold locks and kernels run.
TEST_F(Forks, WhileOtherThreadsWork) {
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
      for (unsigned i = 0; !done; ++i) {
        CUdeviceptr own = 0;
        CUmodule fresh = nullptr;
        EXPECT_EQ(cuMemAlloc_v2(&own, 1000), CUDA_SUCCESS);
        EXPECT_EQ(launchAdd(data, 1, kCount, stream), CUDA_SUCCESS);
        std::string text = kKernels + ("// " + std::to_string(i));
        EXPECT_EQ(cuModuleLoadData(&fresh, text.c_str()), CUDA_SUCCESS);
        EXPECT_EQ(cuModuleUnload(fresh), CUDA_SUCCESS);
        EXPECT_EQ(cuMemFree_v2(own), CUDA_SUCCESS);
      }
    });
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(runInChild([&] { return useInChild(); }), 0) << i;
  done = true;
  for (std::thread &thread : threads)
    thread.join();
}
