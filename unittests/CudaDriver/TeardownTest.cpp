//===- TeardownTest.cpp - objects that go while work runs -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace {
/// Keeps a stream busy for some milliseconds.
void delay(CUstream stream) {
  EXPECT_EQ(cuLaunchHostFunc(
                stream,
                [](void *) {
                  std::this_thread::sleep_for(std::chrono::milliseconds(20));
                },
                nullptr),
            CUDA_SUCCESS);
}

/// Launches `count` behind a delay in two streams.
void launchLate(CUfunction count) {
  for (int i = 0; i < 2; ++i) {
    CUstream stream;
    ASSERT_EQ(cuStreamCreate(&stream, i ? CU_STREAM_NON_BLOCKING : 0),
              CUDA_SUCCESS);
    delay(stream);
    EXPECT_EQ(
        cuLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr),
        CUDA_SUCCESS);
  }
}
} // namespace

using Teardown = Driver;

TEST_F(Teardown, ModulesWaitForTheirKernels) {
  CUdeviceptr data;
  ASSERT_EQ(cuMemAlloc_v2(&data, 256), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD8_v2(data, 0, 256), CUDA_SUCCESS);
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  delay(stream);
  EXPECT_EQ(launchAdd(data, 7, 64, stream), CUDA_SUCCESS);
  CUfunction add = get("add");
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(stream), CUDA_SUCCESS) << "all work is done";
  unsigned value = 0;
  EXPECT_EQ(cuMemcpyDtoH_v2(&value, data, 4), CUDA_SUCCESS);
  EXPECT_EQ(value, 7u);
  EXPECT_EQ(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
}

TEST_F(Teardown, GraphsKeepTheCodeOfTheirModule) {
  CUstream stream;
  CUgraph graph;
  CUgraphExec exec;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(launch("count", 1, 1, nullptr, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
}

TEST_F(Teardown, ModulesOfLibrariesAreNotUnloaded) {
  CUlibrary library;
  CUmodule same;
  ASSERT_EQ(cuLibraryLoadData(&library, kKernels, nullptr, nullptr, 0, nullptr,
                              nullptr, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(cuLibraryGetModule(&same, library), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(same), CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
}

// Each thread has its own objects; none may disturb the others.
TEST_F(Teardown, ContextsAndLibrariesGoInSeveralThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 10; ++i) {
        CUcontext context;
        CUlibrary library;
        CUkernel kernel;
        CUmodule module;
        CUfunction count;
        ASSERT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
        ASSERT_EQ(cuModuleLoadData(&module, kKernels), CUDA_SUCCESS);
        ASSERT_EQ(cuModuleGetFunction(&count, module, "count"), CUDA_SUCCESS);
        launchLate(count);
        ASSERT_EQ(cuLibraryLoadData(&library, kKernels, nullptr, nullptr, 0,
                                    nullptr, nullptr, 0),
                  CUDA_SUCCESS);
        ASSERT_EQ(cuLibraryGetKernel(&kernel, library, "count"), CUDA_SUCCESS);
        launchLate(reinterpret_cast<CUfunction>(kernel));
        if (t % 2)
          EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
        if (t % 3)
          EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
        EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
        if (t % 2 == 0)
          EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(Teardown, AContextIsGoneInAllThreads) {
  std::atomic<int> step{0};
  CUcontext other;
  ASSERT_EQ(cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);
  std::thread user([&] {
    ASSERT_EQ(cuCtxSetCurrent(other), CUDA_SUCCESS);
    step = 1;
    while (step != 2)
      std::this_thread::yield();
    CUdeviceptr data;
    CUcontext fresh;
    EXPECT_EQ(cuMemAlloc_v2(&data, 4), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_CONTEXT_IS_DESTROYED);
    ASSERT_EQ(cuCtxCreate_v2(&fresh, 0, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxDestroy_v2(fresh), CUDA_SUCCESS);
  });
  while (step != 1)
    std::this_thread::yield();
  delay(nullptr);
  EXPECT_EQ(cuCtxDestroy_v2(other), CUDA_SUCCESS);
  step = 2;
  user.join();
}

TEST_F(Teardown, HostFunctionsMustNotCallTheDriver) {
  CUresult results[4] = {};
  CUstream stream;
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  auto call = [](void *data) {
    auto *results = static_cast<CUresult *>(data);
    CUdeviceptr memory;
    int version;
    results[0] = cuCtxSynchronize();
    results[1] = cuMemAlloc_v2(&memory, 4);
    results[2] = cuDriverGetVersion(&version); // needs no device
  };
  EXPECT_EQ(cuLaunchHostFunc(stream, call, results), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(results[0], CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(results[1], CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(results[2], CUDA_SUCCESS);
  EXPECT_EQ(cuStreamAddCallback(
                stream,
                [](CUstream stream, CUresult, void *result) {
                  *static_cast<CUresult *>(result) = cuStreamDestroy_v2(stream);
                },
                results, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(results[0], CUDA_ERROR_NOT_PERMITTED);
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}
