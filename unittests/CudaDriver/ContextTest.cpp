//===- ContextTest.cpp - several contexts, and errors that stick ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace {
/// A context with a module, a stream, an event and memory. It is not current
/// when the constructor returns.
struct Place {
  CUcontext context = nullptr, popped = nullptr;
  CUmodule module = nullptr;
  CUfunction add = nullptr, crash = nullptr;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUdeviceptr data = 0;

  Place() {
    EXPECT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleLoadData(&module, kKernels), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&add, module, "add"), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleGetFunction(&crash, module, "crash"), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    EXPECT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuMemAlloc_v2(&data, 256), CUDA_SUCCESS);
    EXPECT_EQ(cuMemsetD32_v2(data, 0, 64), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);
  }
  ~Place() { EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS); }

  CUresult launch(CUfunction function) {
    unsigned value = 1, n = 64;
    void *params[] = {&data, &value, &n};
    return cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream,
                          function == add ? params : nullptr, nullptr);
  }
  void fail() {
    EXPECT_EQ(launch(crash), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_LAUNCH_FAILED);
  }
};

class Contexts : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(cuInit(0), CUDA_SUCCESS); }
};

/// Calls that name a handle or an address of `place`. They do not depend on the
/// current context.
void useByHandles(Place &place, CUresult expected) {
  int number;
  size_t bytes;
  CUdeviceptr start;
  CUfunction function;
  float milliseconds;
  EXPECT_EQ(cuEventRecord(place.event, place.stream), expected);
  EXPECT_EQ(place.launch(place.add), expected);
  EXPECT_EQ(cuStreamSynchronize(place.stream), expected);
  EXPECT_EQ(cuStreamQuery(place.stream), expected);
  EXPECT_EQ(cuStreamWaitEvent(place.stream, place.event, 0), expected);
  EXPECT_EQ(cuEventSynchronize(place.event), expected);
  EXPECT_EQ(cuEventElapsedTime(&milliseconds, place.event, place.event),
            expected);
  EXPECT_EQ(cuMemsetD32Async(place.data, 7, 64, place.stream), expected);
  EXPECT_EQ(cuModuleGetFunction(&function, place.module, "add"), expected);
  EXPECT_EQ(cuModuleGetGlobal_v2(&start, &bytes, place.module, "counter"),
            expected);
  EXPECT_EQ(cuMemGetAddressRange_v2(&start, &bytes, place.data), expected);
  EXPECT_EQ(cuPointerGetAttribute(&number, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  place.data),
            expected);
  EXPECT_EQ(cuFuncGetAttribute(&number, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                               place.add),
            expected);
  EXPECT_EQ(cuFuncSetCacheConfig(place.add, 0), expected);
  EXPECT_EQ(
      cuOccupancyMaxActiveBlocksPerMultiprocessor(&number, place.add, 64, 0),
      expected);
}

/// Calls that refer to the current context.
void useCurrent(CUresult expected) {
  CUdeviceptr data = 0;
  CUstream stream;
  CUmodule module;
  CUevent event;
  unsigned flags, value = 0;
  EXPECT_EQ(cuMemAlloc_v2(&data, 256), expected);
  EXPECT_EQ(cuMemcpyHtoD_v2(data, &value, 4), expected);
  EXPECT_EQ(cuMemcpyDtoH_v2(&value, data, 4), expected);
  EXPECT_EQ(cuStreamCreate(&stream, 0), expected);
  EXPECT_EQ(cuEventCreate(&event, 0), expected);
  EXPECT_EQ(cuModuleLoadData(&module, kKernels), expected);
  EXPECT_EQ(cuCtxGetFlags(&flags), expected);
  EXPECT_EQ(cuStreamSynchronize(nullptr), expected);
  EXPECT_EQ(cuCtxSynchronize(), expected);
  if (!expected) {
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    EXPECT_EQ(cuEventDestroy_v2(event), CUDA_SUCCESS);
    EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
  }
}
} // namespace

TEST_F(Contexts, AFaultIsOfItsContextAlone) {
  Place bad, good;
  bad.fail();
  for (CUcontext current : {good.context, bad.context, CUcontext()}) {
    ASSERT_EQ(cuCtxSetCurrent(current), CUDA_SUCCESS);
    SCOPED_TRACE(current == good.context  ? "the good one is current"
                 : current == bad.context ? "the bad one is current"
                                          : "none is current");
    useByHandles(good, CUDA_SUCCESS);
    useByHandles(bad, CUDA_ERROR_LAUNCH_FAILED);
  }
  ASSERT_EQ(cuCtxSetCurrent(bad.context), CUDA_SUCCESS);
  useCurrent(CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuMemFree_v2(bad.data), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuMemFree_v2(good.data), CUDA_SUCCESS) << "of the other one";
  ASSERT_EQ(cuCtxSetCurrent(good.context), CUDA_SUCCESS);
  useCurrent(CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(bad.data), CUDA_ERROR_LAUNCH_FAILED);
  ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
}

TEST_F(Contexts, GraphsGoOnInOthers) {
  Place bad, good;
  CUgraph graph;
  CUgraphExec exec;
  ASSERT_EQ(cuCtxSetCurrent(good.context), CUDA_SUCCESS);
  ASSERT_EQ(
      cuStreamBeginCapture_v2(good.stream, CU_STREAM_CAPTURE_MODE_RELAXED),
      CUDA_SUCCESS);
  EXPECT_EQ(good.launch(good.add), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamEndCapture(good.stream, &graph), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  bad.fail();
  ASSERT_EQ(cuCtxSetCurrent(bad.context), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, good.stream), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphLaunch(exec, bad.stream), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuStreamSynchronize(good.stream), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(good.context), CUDA_SUCCESS);
  unsigned value = 0;
  EXPECT_EQ(cuMemcpyDtoH_v2(&value, good.data, 4), CUDA_SUCCESS);
  EXPECT_EQ(value, 1u);
  ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
}

// Each thread uses two streams of a context of its own. Every second context
// fails.
TEST_F(Contexts, FaultsWhileOthersRun) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([fails = t % 2 == 1] {
      Place place;
      ASSERT_EQ(cuCtxSetCurrent(place.context), CUDA_SUCCESS);
      CUstream second;
      ASSERT_EQ(cuStreamCreate(&second, 0), CUDA_SUCCESS);
      for (int i = 0; i < 50; ++i) {
        EXPECT_EQ(place.launch(place.add), CUDA_SUCCESS);
        EXPECT_EQ(cuStreamSynchronize(place.stream), CUDA_SUCCESS);
        unsigned value = 0;
        EXPECT_EQ(cuMemcpyDtoHAsync_v2(&value, place.data, 4, second),
                  CUDA_SUCCESS);
        EXPECT_EQ(cuStreamSynchronize(second), CUDA_SUCCESS);
        EXPECT_EQ(value, unsigned(i + 1));
      }
      if (fails) {
        place.fail();
        EXPECT_EQ(cuStreamSynchronize(second), CUDA_ERROR_LAUNCH_FAILED);
      }
      EXPECT_EQ(cuCtxSynchronize(),
                fails ? CUDA_ERROR_LAUNCH_FAILED : CUDA_SUCCESS);
      ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
    });
  for (std::thread &thread : threads)
    thread.join();
}

// Memory is not freed with its context, even if that has failed.
TEST_F(Contexts, MemoryOutlivesAFailedContext) {
  CUdeviceptr data;
  Place good;
  {
    Place bad;
    data = bad.data;
    bad.fail();
  }
  ASSERT_EQ(cuCtxSetCurrent(good.context), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32_v2(data, 1, 64), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
}
