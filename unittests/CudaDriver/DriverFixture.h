//===- DriverFixture.h - a test with a context and kernels ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_UNITTESTS_CUDADRIVER_DRIVERFIXTURE_H
#define PTXJIT_UNITTESTS_CUDADRIVER_DRIVERFIXTURE_H

#include "ptxjit/CudaDriver/CudaABI.h"

#include <gtest/gtest.h>

inline const char *const kKernels = R"(.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 counter = 7;
.visible .entry add(.param .u64 data, .param .u32 value, .param .u32 n)
{
  .reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %p;
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  ld.param.u32 %r5, [n];
  setp.ge.u32 %p, %r4, %r5;
  @%p ret;
  ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [value];
  mad.wide.u32 %rd2, %r4, 4, %rd1;
  ld.global.u32 %r2, [%rd2];
  add.u32 %r2, %r2, %r1;
  st.global.u32 [%rd2], %r2;
  ret;
}
.visible .entry crash() { trap; }
.visible .entry stuck() { bar.sync 0, 64; ret; }
.visible .entry count() { red.global.add.u32 [counter], 1; ret; }
.visible .entry small() .maxntid 64 { ret; }
.visible .entry shaped() .reqntid 8, 4 { ret; }
)";

/// Makes a context, which is current, and loads kKernels in it. Destroys it at
/// the end.
class Driver : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleLoadData(&module, kKernels), CUDA_SUCCESS);
  }
  void TearDown() override {
    if (context)
      EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
  }
  CUfunction get(const char *name) {
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&function, module, name), CUDA_SUCCESS);
    return function;
  }
  CUresult launch(const char *name, unsigned grid = 1, unsigned block = 1,
                  void **params = nullptr, CUstream stream = nullptr) {
    return cuLaunchKernel(get(name), grid, 1, 1, block, 1, 1, 0, stream, params,
                          nullptr);
  }
  CUresult launchAdd(CUdeviceptr data, unsigned value, unsigned n,
                     CUstream stream = nullptr) {
    void *params[] = {&data, &value, &n};
    return launch("add", (n + 63) / 64, 64, params, stream);
  }

  CUcontext context = nullptr;
  CUmodule module = nullptr;
};

#endif
