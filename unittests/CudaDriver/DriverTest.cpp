//===- DriverTest.cpp - libcuda.so.1 as programs see it -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"
#include "ptxjit/CudaDriver/KernelParam.h"

#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

TEST(DriverUninitialised, Names) {
  const char *text = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_INVALID_PTX, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_INVALID_PTX");
  EXPECT_EQ(cuGetErrorString(CUDA_SUCCESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "no error");
  EXPECT_EQ(cuGetErrorName(CUresult(12345), &text), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(text, nullptr);
}

TEST_F(Driver, FunctionsHaveClusterAttributes) {
  CUfunction count = get("count");
  auto read = [&](int attribute) {
    int value = -1;
    EXPECT_EQ(cuFuncGetAttribute(&value, attribute, count), CUDA_SUCCESS);
    return value;
  };
  auto launch = [&] {
    return cuLaunchKernel(count, 32, 1, 1, 1, 1, 1, 0, nullptr, nullptr,
                          nullptr);
  };
  const int width = CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
  const int portable = CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
  EXPECT_EQ(read(width), 0);
  EXPECT_EQ(read(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET), 0);
  for (int d = 0; d < 3; ++d)
    EXPECT_EQ(cuFuncSetAttribute(count, width + d, d ? 1 : 16), CUDA_SUCCESS);
  EXPECT_EQ(read(width), 16);
  EXPECT_EQ(launch(), CUDA_ERROR_INVALID_CLUSTER_SIZE) << "not portable";
  EXPECT_EQ(cuFuncSetAttribute(count, portable, 1), CUDA_SUCCESS);
  EXPECT_EQ(read(portable), 1);
  EXPECT_EQ(launch(), CUDA_SUCCESS);
  EXPECT_EQ(cuFuncSetAttribute(count, portable, 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(count, width, -1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, RoundTrip) {
  std::vector<unsigned> host(1000);
  std::iota(host.begin(), host.end(), 0);
  CUdeviceptr data = 0;
  ASSERT_EQ(cuMemAlloc_v2(&data, 4000), CUDA_SUCCESS);
  ASSERT_EQ(cuMemcpyHtoD_v2(data, host.data(), 4000), CUDA_SUCCESS);
  ASSERT_EQ(launchAdd(data, 5, 1000), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  std::vector<unsigned> back(1000);
  ASSERT_EQ(cuMemcpyDtoH_v2(back.data(), data, 4000), CUDA_SUCCESS);
  for (unsigned i = 0; i < 1000; ++i)
    ASSERT_EQ(back[i], i + 5);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
}

TEST_F(Driver, ExtraBuffer) {
  CUdeviceptr data = 0;
  ASSERT_EQ(cuMemAlloc_v2(&data, 256), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32_v2(data, 3, 64), CUDA_SUCCESS);
  struct {
    CUdeviceptr data;
    unsigned value, n;
  } params{data, 4, 64};
  size_t size = sizeof(params);
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &params,
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &size, CU_LAUNCH_PARAM_END};
  ASSERT_EQ(
      cuLaunchKernel(get("add"), 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra),
      CUDA_SUCCESS);
  unsigned back[64];
  ASSERT_EQ(cuMemcpyDtoH_v2(back, data, 256), CUDA_SUCCESS);
  EXPECT_EQ(back[63], 7u);
  size = 8; // too small
  EXPECT_EQ(
      cuLaunchKernel(get("add"), 1, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra),
      CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, ParametersHaveTypes) {
  CUmodule other;
  ASSERT_EQ(cuModuleLoadData(&other, R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .f32 a, .param .align 8 .b8 s[24], .param .s16 n)
{ ret; }
.visible .entry none() { ret; }
)"),
            CUDA_SUCCESS);
  CUfunction function;
  ASSERT_EQ(cuModuleGetFunction(&function, other, "k"), CUDA_SUCCESS);
  auto kernel = reinterpret_cast<CUkernel>(function);
  const PtxjitKernelParam expected[] = {
      {"a", "f32", 1, 0, 4}, {"s", "b8", 24, 8, 24}, {"n", "s16", 1, 32, 2}};
  PtxjitKernelParam param;
  for (size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(cuPtxjitGetKernelParam(kernel, i, &param), CUDA_SUCCESS);
    EXPECT_STREQ(param.name, expected[i].name);
    EXPECT_STREQ(param.type, expected[i].type);
    EXPECT_EQ(param.count, expected[i].count);
    EXPECT_EQ(param.offset, expected[i].offset);
    EXPECT_EQ(param.bytes, expected[i].bytes);
  }
  EXPECT_EQ(cuPtxjitGetKernelParam(kernel, 3, &param),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuPtxjitGetKernelParam(kernel, 0, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuPtxjitGetKernelParam(nullptr, 0, &param),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleUnload(other), CUDA_SUCCESS);
  EXPECT_EQ(cuPtxjitGetKernelParam(kernel, 0, &param),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Driver, BadHandlesPointersSizesNames) {
  CUdeviceptr data = 0;
  CUfunction function;
  CUmodule other;
  int value;
  ASSERT_EQ(cuMemAlloc_v2(&data, 100), CUDA_SUCCESS);
  char host[200] = {};
  EXPECT_EQ(cuMemAlloc_v2(nullptr, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemAlloc_v2(&data, 0), CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr huge;
  EXPECT_EQ(cuMemAlloc_v2(&huge, size_t(1) << 60), CUDA_ERROR_OUT_OF_MEMORY);
  size_t total = 0;
  ASSERT_EQ(cuDeviceTotalMem_v2(&total, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc_v2(&huge, total + 1), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemFree_v2(data + 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyHtoD_v2(data, host, 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(data + 50, host, 51), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(12345, host, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemcpyHtoD_v2(data, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD32_v2(data + 1, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemsetD8_v2(data, 0, 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "nobody"),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuModuleGetFunction(&function, (CUmodule)host, "add"),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleUnload((CUmodule)host), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamSynchronize((CUstream)host), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamDestroy_v2((CUstream)host), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuCtxSetCurrent((CUcontext)host), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuFuncGetAttribute(&value, 0, (CUfunction)host),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuFuncGetAttribute(&value, 99, get("add")),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDeviceGetAttribute(&value, 1, 3), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetAttribute(&value, -1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuModuleLoadData(&other, "\x7f"
                                     "ELF...."),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(cuModuleLoad(&other, "/nowhere.ptx"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(cuModuleLoad(&other, "/"), CUDA_ERROR_FILE_NOT_FOUND);
  // Texts may be shorter than the words that other images begin with.
  for (const char *text : {"", "\x7f", "ab"})
    EXPECT_EQ(cuModuleLoadData(&other, text), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(cuInit(1), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, LaunchShapes) {
  EXPECT_EQ(launch("small", 1, 64), CUDA_SUCCESS);
  EXPECT_EQ(launch("small", 1, 65), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("small", 0, 64), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("count", 1, 1025), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(launch("add", 1, 1), CUDA_ERROR_INVALID_VALUE); // no parameters
  CUfunction shaped = get("shaped");
  auto with = [&](unsigned x, unsigned y, unsigned shared) {
    return cuLaunchKernel(shaped, 1, 1, 1, x, y, 1, shared, nullptr, nullptr,
                          nullptr);
  };
  EXPECT_EQ(with(8, 4, 0), CUDA_SUCCESS);
  EXPECT_EQ(with(4, 8, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(with(8, 4, 48 << 10), CUDA_SUCCESS);
  EXPECT_EQ(with(8, 4, 49 << 10), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetAttribute(shaped,
                               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               100 << 10),
            CUDA_SUCCESS);
  EXPECT_EQ(with(8, 4, 100 << 10), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
}

// A kernel that fails leaves its context with the error, for good. Other
// contexts are not affected.
TEST_F(Driver, ErrorsStick) {
  EXPECT_EQ(launch("crash"), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  CUdeviceptr data;
  EXPECT_EQ(cuMemAlloc_v2(&data, 4), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  CUcontext fresh;
  ASSERT_EQ(cuCtxCreate_v2(&fresh, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc_v2(&data, 4), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(fresh), CUDA_SUCCESS);
}

// As on a GPU, each thread that fails prints a line to stderr, and assertions
// have an error code of their own.
TEST_F(Driver, AssertionOfTwoThreads) {
  const char *text = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func __assertfail(.param .b64 message, .param .b64 file,
    .param .b32 line, .param .b64 function, .param .b64 size);
.global .b8 name[2] = {120, 0};
.visible .entry asserts() {
  .reg .b32 %r; .reg .b64 %rd; .reg .pred %p;
  mov.u32 %r, %tid.y;
  setp.lt.u32 %p, %r, 2;
  @%p ret;
  mov.u64 %rd, name;
  cvta.global.u64 %rd, %rd;
  .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;
  st.param.b64 [a], %rd; st.param.b64 [b], %rd; st.param.b32 [c], 7;
  st.param.b64 [d], %rd; st.param.b64 [e], 1;
  call __assertfail, (a, b, c, d, e);
  ret;
}
)";
  ASSERT_EQ(cuModuleLoadData(&module, text), CUDA_SUCCESS);
  testing::internal::CaptureStderr();
  EXPECT_EQ(cuLaunchKernel(get("asserts"), 1, 1, 1, 2, 3, 1, 0, nullptr,
                           nullptr, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_ASSERT);
  std::string told = testing::internal::GetCapturedStderr();
  EXPECT_EQ(told.find("x:7: x: block: [0,0,0], thread: [0,2,0] Assertion `x` "
                      "failed.\n"
                      "x:7: x: block: [0,0,0], thread: [1,2,0] Assertion `x` "
                      "failed.\n"),
            0u)
      << told;
}

TEST_F(Driver, DeadlockIsAnError) {
  EXPECT_EQ(launch("stuck", 3, 32), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_TIMEOUT);
}

TEST_F(Driver, Globals) {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  ASSERT_EQ(cuModuleGetGlobal_v2(&address, &bytes, module, "counter"),
            CUDA_SUCCESS);
  EXPECT_EQ(bytes, 4u);
  EXPECT_EQ(cuModuleGetGlobal_v2(&address, nullptr, module, "add"),
            CUDA_ERROR_NOT_FOUND);
  ASSERT_EQ(launch("count", 2, 50), CUDA_SUCCESS);
  unsigned value = 0;
  ASSERT_EQ(cuMemcpyDtoH_v2(&value, address, 4), CUDA_SUCCESS);
  EXPECT_EQ(value, 107u);
}

TEST_F(Driver, JitLog) {
  char log[512] = {};
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof(log)};
  CUmodule bad = nullptr;
  const char *text = ".version 8.0\n.target sm_80\n.entry k() { nop; }\n";
  EXPECT_EQ(cuModuleLoadDataEx(&bad, text, 2, options, values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::string(log).find("'nop' is not the name of an instruction"),
            std::string::npos)
      << log;
  EXPECT_GT((size_t)values[1], 20u);
}

// Device pointers are host pointers, which do not fit into 32 bits.
TEST_F(Driver, ModulesOf32BitsAreRefused) {
  char log[512] = {};
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof(log)};
  CUmodule module = nullptr;
  const char *text = ".version 8.0\n.target sm_80\n.address_size 32\n"
                     ".entry k(.param .u32 p) { ret; }\n";
  EXPECT_EQ(cuModuleLoadDataEx(&module, text, 2, options, values),
            CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(std::string(log).find("addresses of 32 bits"), std::string::npos)
      << log;
  EXPECT_EQ(module, nullptr);
}

// Work in the default stream and in blocking streams is ordered by submission.
TEST_F(Driver, DefaultStreamOrder) {
  CUstream a, b;
  ASSERT_EQ(cuStreamCreate(&a, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&b, 0), CUDA_SUCCESS);
  CUdeviceptr data;
  const unsigned n = 1 << 16;
  ASSERT_EQ(cuMemAlloc_v2(&data, n * 4), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32_v2(data, 0, n), CUDA_SUCCESS);
  std::vector<unsigned> copy(n);
  for (unsigned i = 0; i < 20; ++i) {
    ASSERT_EQ(launchAdd(data, 1, n, a), CUDA_SUCCESS);
    ASSERT_EQ(launchAdd(data, 1, n, nullptr), CUDA_SUCCESS);
    ASSERT_EQ(launchAdd(data, 1, n, b), CUDA_SUCCESS);
    ASSERT_EQ(cuMemcpyDtoH_v2(copy.data(), data, n * 4), CUDA_SUCCESS);
    for (unsigned k = 0; k < n; k += 97)
      ASSERT_EQ(copy[k], 3 * (i + 1));
  }
  EXPECT_EQ(cuStreamQuery(a), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(a), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(a), CUDA_ERROR_INVALID_HANDLE);
}

// A stream may be destroyed while work of other streams still waits for it.
TEST_F(Driver, DestroyedStreamsAreStillWaitedFor) {
  CUdeviceptr data;
  const unsigned n = 1 << 18;
  ASSERT_EQ(cuMemAlloc_v2(&data, n * 4), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32_v2(data, 0, n), CUDA_SUCCESS);
  for (unsigned i = 0; i < 50; ++i) {
    CUstream stream;
    ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
    ASSERT_EQ(launchAdd(data, 1, n, stream), CUDA_SUCCESS);
    ASSERT_EQ(launchAdd(data, 1, n, nullptr), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  }
  std::vector<unsigned> back(n);
  ASSERT_EQ(cuMemcpyDtoH_v2(back.data(), data, n * 4), CUDA_SUCCESS);
  for (unsigned value : back)
    ASSERT_EQ(value, 100u);
}

TEST_F(Driver, FromManyThreads) {
  CUdeviceptr data;
  ASSERT_EQ(cuMemAlloc_v2(&data, 8 * 256), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32_v2(data, 0, 8 * 64), CUDA_SUCCESS);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
      CUstream stream;
      EXPECT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
      for (int i = 0; i < 50; ++i)
        EXPECT_EQ(launchAdd(data + t * 256, 1, 64, stream), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
      EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    });
  for (std::thread &t : threads)
    t.join();
  unsigned back[8 * 64];
  ASSERT_EQ(cuMemcpyDtoH_v2(back, data, sizeof(back)), CUDA_SUCCESS);
  for (unsigned value : back)
    ASSERT_EQ(value, 50u);
}

TEST_F(Driver, PrimaryContext) {
  CUcontext primary = nullptr, again = nullptr, current = nullptr;
  unsigned flags;
  int active;
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&again, 0), CUDA_SUCCESS);
  EXPECT_EQ(primary, again);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 1);
  EXPECT_EQ(cuCtxPushCurrent_v2(primary), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, primary);
  EXPECT_EQ(cuCtxDestroy_v2(primary), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxPopCurrent_v2(&current), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 0);
}

// Handles and addresses know their context. Only calls that name neither need a
// current one.
TEST_F(Driver, NoCurrentContext) {
  CUcontext primary = nullptr, current = nullptr, popped = nullptr;
  ASSERT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(primary), CUDA_SUCCESS);
  CUdeviceptr data = 0;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  ASSERT_EQ(cuMemAlloc_v2(&data, 256), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxPopCurrent_v2(&popped), CUDA_SUCCESS);

  CUfunction function = nullptr;
  CUdeviceptr start = 0;
  size_t size = 0;
  std::vector<unsigned> back(64);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "add"), CUDA_SUCCESS);
  EXPECT_EQ(cuMemsetD32Async(data, 3, 64, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(back.data()), data, 256,
                          stream),
            CUDA_SUCCESS);
  EXPECT_EQ(cuEventRecord(event, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWaitEvent(stream, event, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(back[63], 3u);
  EXPECT_EQ(cuMemGetAddressRange_v2(&start, &size, data), CUDA_SUCCESS);
  EXPECT_EQ(cuEventDestroy_v2(event), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc_v2(&data, 256), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuMemcpyAsync(data, data, 4, nullptr), CUDA_ERROR_INVALID_CONTEXT);

  EXPECT_EQ(cuCtxSetCurrent(current), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
}

// Work runs in the context of its stream, even if another one is current.
TEST_F(Driver, StreamOfAnotherContext) {
  CUcontext mine = nullptr, other = nullptr, popped = nullptr;
  ASSERT_EQ(cuCtxGetCurrent(&mine), CUDA_SUCCESS);
  CUstream stream = nullptr;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);
  CUdeviceptr data = 0;
  ASSERT_EQ(cuMemAlloc_v2(&data, 256), CUDA_SUCCESS);
  CUcontext owner = nullptr;
  EXPECT_EQ(cuStreamGetCtx(stream, &owner), CUDA_SUCCESS);
  EXPECT_EQ(owner, mine);
  EXPECT_EQ(cuMemsetD32Async(data, 3, 64, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(other), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  (void)cuCtxPopCurrent_v2(&popped);
  EXPECT_EQ(cuCtxSetCurrent(mine), CUDA_SUCCESS);
}

TEST_F(Driver, LaunchesBeforeCuda4) {
  CUfunction add = get("add");
  CUdeviceptr data = 0;
  ASSERT_EQ(cuMemAlloc_v2(&data, 600), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32_v2(data, 3, 150), CUDA_SUCCESS);
  EXPECT_EQ(cuFuncSetBlockShape(add, 0, 1, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuFuncSetBlockShape(add, 64, 1, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuFuncSetSharedSize(add, 16), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSetv(add, 0, &data, 8), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSeti(add, 8, 4), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchGrid(add, 3, 1), CUDA_ERROR_INVALID_VALUE); // n is missing
  EXPECT_EQ(cuParamSeti(add, 12, 150), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSetSize(add, 16), CUDA_SUCCESS);
  EXPECT_EQ(cuParamSetv(add, -1, &data, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuParamSetv(add, 4090, &data, 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchGrid(add, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLaunchGrid(add, 3, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunch(add), CUDA_SUCCESS); // the first block once more
  std::vector<unsigned> back(150);
  EXPECT_EQ(cuMemcpyDtoH_v2(back.data(), data, 600), CUDA_SUCCESS);
  EXPECT_EQ(back[63], 11u);
  EXPECT_EQ(back[64], 7u);
  EXPECT_EQ(back[149], 7u);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
}

TEST_F(Driver, AttachedContexts) {
  CUcontext other = nullptr, attached = nullptr, current = nullptr;
  ASSERT_EQ(cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxAttach(&attached, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxAttach(&attached, 0), CUDA_SUCCESS);
  EXPECT_EQ(attached, other);
  EXPECT_EQ(cuCtxDetach(context), CUDA_ERROR_INVALID_CONTEXT); // not current
  EXPECT_EQ(cuCtxDetach(other), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, other);
  EXPECT_EQ(cuCtxDetach(other), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, context);
}

TEST_F(Driver, PointerAttributes) {
  CUdeviceptr data, start;
  size_t size;
  unsigned type;
  ASSERT_EQ(cuMemAlloc_v2(&data, 1000), CUDA_SUCCESS);
  EXPECT_EQ(cuMemGetAddressRange_v2(&start, &size, data + 10), CUDA_SUCCESS);
  EXPECT_EQ(start, data);
  EXPECT_EQ(size, 1000u);
  EXPECT_EQ(
      cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, data + 5),
      CUDA_SUCCESS);
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_DEVICE));
  void *host;
  ASSERT_EQ(cuMemHostAlloc(&host, 100, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  (CUdeviceptr)host),
            CUDA_SUCCESS);
  EXPECT_EQ(type, unsigned(CU_MEMORYTYPE_HOST));
  EXPECT_EQ(cuMemFree_v2((CUdeviceptr)host), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFreeHost(host), CUDA_SUCCESS);
  // Ordinary host memory has a device address, too, which is its own.
  EXPECT_EQ(cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                  (CUdeviceptr)&size),
            CUDA_SUCCESS);
  EXPECT_EQ(start, (CUdeviceptr)&size);
}

TEST_F(Driver, DestroyedContextsAreNotUsed) {
  CUcontext other;
  ASSERT_EQ(cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);
  std::thread([&] {
    EXPECT_EQ(cuCtxSetCurrent(other), CUDA_SUCCESS);
    std::thread([&] {
      EXPECT_EQ(cuCtxDestroy_v2(other), CUDA_SUCCESS);
    }).join();
    EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  }).join();
  cuCtxPopCurrent_v2(nullptr);
}

//===----------------------------------------------------------------------===//
// Attributes of streams
//===----------------------------------------------------------------------===//

TEST_F(Driver, StreamsKeepAttributes) {
  CUstream one, two;
  ASSERT_EQ(cuStreamCreateWithPriority(&one, CU_STREAM_NON_BLOCKING, -2),
            CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&two, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  CUlaunchAttributeValue window{}, found{};
  std::memset(window.pad, 0x5a, sizeof(window.pad));
  constexpr int policy = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
  EXPECT_EQ(cuStreamSetAttribute(one, policy, &window), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamGetAttribute(one, policy, &found), CUDA_SUCCESS);
  EXPECT_EQ(std::memcmp(found.pad, window.pad, sizeof(found.pad)), 0);
  EXPECT_EQ(cuStreamGetAttribute(two, policy, &found), CUDA_SUCCESS);
  EXPECT_EQ(found.pad[0], 0) << "nothing was said";
  EXPECT_EQ(cuStreamCopyAttributes(two, one), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamGetAttribute(two, policy, &found), CUDA_SUCCESS);
  EXPECT_EQ(found.pad[63], 0x5a);
  EXPECT_EQ(cuStreamGetAttribute(one, CU_LAUNCH_ATTRIBUTE_PRIORITY, &found),
            CUDA_SUCCESS);
  EXPECT_EQ(found.cooperative, -2);
  EXPECT_EQ(cuStreamSetAttribute(one, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &window),
            CUDA_ERROR_INVALID_VALUE)
      << "is not a stream's";
  EXPECT_EQ(cuStreamSetAttribute(one, policy, nullptr),
            CUDA_ERROR_INVALID_VALUE);
}
