//===- DeviceLaunchTest.cpp - what kernels ask and launch -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What only the driver can answer to kernels that launch kernels.
// test/Tools/device-launches.test has the rest.
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

#include <vector>

namespace {
/// `ask` stores the results and answers of questions, in 32 bits each.
/// `launch` launches `child` with dynamic shared memory, and stores the result.
const char *const kLaunching = R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 r) __cudaCDP2DeviceGetAttribute(.param .b64 a, .param .b32 b, .param .b32 c);
.extern .func (.param .b32 r) __cudaCDP2DeviceGetLimit(.param .b64 a, .param .b32 b);
.extern .func (.param .b32 r) __cudaCDP2FuncGetAttributes(.param .b64 a, .param .b64 b);
.extern .func (.param .b32 r) __cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d);
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 a, .param .align 4 .b8 b[12], .param .align 4 .b8 c[12], .param .b32 d);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2_ptsz(.param .b64 a, .param .b64 b);

.visible .entry child(.param .u64 out, .param .u32 value) .maxntid 64
{
  .reg .b64 %rd; .reg .b32 %r; .reg .pred %p;
  ld.param.u64 %rd, [out];
  ld.param.u32 %r, [value];
  setp.eq.u64 %p, %rd, 0;
  @%p trap;
  st.global.u32 [%rd], %r;
  ret;
}
.visible .entry ask(.param .u64 out)
{
  .reg .b64 %rd<6>; .reg .b32 %r<6>;
  .param .b64 a, b, d; .param .b32 c, r, e;
  ld.param.u64 %rd1, [out];
  st.param.b64 [a], %rd1;
  st.param.b32 [c], 10; st.param.b32 [e], 0;
  call (r), __cudaCDP2DeviceGetAttribute, (a, c, e);
  ld.param.b32 %r1, [r]; st.global.u32 [%rd1+4], %r1;
  st.param.b32 [c], 9999;
  call (r), __cudaCDP2DeviceGetAttribute, (a, c, e);
  ld.param.b32 %r1, [r]; st.global.u32 [%rd1+8], %r1;
  add.u64 %rd2, %rd1, 16; st.param.b64 [a], %rd2;
  st.param.b32 [c], 4;
  call (r), __cudaCDP2DeviceGetLimit, (a, c);
  ld.param.b32 %r1, [r]; st.global.u32 [%rd1+24], %r1;
  st.param.b32 [c], 3;
  call (r), __cudaCDP2DeviceGetLimit, (a, c);
  ld.param.b32 %r1, [r]; st.global.u32 [%rd1+28], %r1;
  add.u64 %rd2, %rd1, 32; st.param.b64 [a], %rd2;
  mov.u64 %rd3, child; st.param.b64 [b], %rd3;
  call (r), __cudaCDP2FuncGetAttributes, (a, b);
  ld.param.b32 %r1, [r]; st.global.u32 [%rd1+72], %r1;
  add.u64 %rd2, %rd1, 76; st.param.b64 [a], %rd2;
  mov.u64 %rd3, ask; st.param.b64 [b], %rd3;
  st.param.b32 [c], 1024; st.param.b64 [d], 0;
  call (r), __cudaCDP2OccupancyMaxActiveBlocksPerMultiprocessor, (a, b, c, d);
  ld.param.b32 %r1, [r]; st.global.u32 [%rd1+80], %r1;
  ret;
}
.visible .entry launch(.param .u64 out, .param .u32 shared, .param .u64 where)
{
  .reg .b64 %rd<6>; .reg .b32 %r<6>;
  .param .b64 a, stream, buffer; .param .b32 c, r;
  .param .align 4 .b8 grid[12], block[12];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [shared];
  mov.u64 %rd2, child; st.param.b64 [a], %rd2;
  st.param.b32 [grid], 1; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;
  st.param.b32 [block], 1; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;
  st.param.b32 [c], %r1;
  call (buffer), __cudaCDP2GetParameterBufferV2, (a, grid, block, c);
  ld.param.b64 %rd3, [buffer];
  ld.param.u64 %rd4, [where];
  st.u64 [%rd3], %rd4;
  st.u32 [%rd3+8], 4711;
  st.param.b64 [a], %rd3; st.param.b64 [stream], 0;
  call (r), __cudaCDP2LaunchDeviceV2_ptsz, (a, stream);
  ld.param.b32 %r2, [r]; st.global.u32 [%rd1], %r2;
  ret;
}
)";

class DeviceLaunch : public Driver {
protected:
  void SetUp() override {
    Driver::SetUp();
    ASSERT_EQ(cuModuleLoadData(&module, kLaunching), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&out, 128), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD8_v2(out, 0, 128), CUDA_SUCCESS);
  }
  std::vector<int> read() {
    std::vector<int> words(32);
    EXPECT_EQ(cuMemcpyDtoH_v2(words.data(), out, 128), CUDA_SUCCESS);
    return words;
  }
  CUresult launchChild(unsigned shared, CUdeviceptr where) {
    void *params[] = {&out, &shared, &where};
    return launch("launch", 1, 1, params);
  }
  CUdeviceptr out = 0;
};
} // namespace

TEST_F(DeviceLaunch, KernelsAskTheDevice) {
  ASSERT_EQ(cuCtxSetLimit(4, 3000), CUDA_SUCCESS);
  void *params[] = {&out};
  ASSERT_EQ(launch("ask", 1, 1, params), CUDA_SUCCESS);
  std::vector<int> words = read();
  EXPECT_EQ(words[0], 32); // threads of a warp
  EXPECT_EQ(words[1], 0);
  EXPECT_EQ(words[2], 1); // no such attribute
  EXPECT_EQ(words[4], 3000);
  EXPECT_EQ(words[6], 0);
  EXPECT_EQ(words[7], 215); // kernels do not wait for launches
  EXPECT_EQ(words[14], 64); // the most threads of `child`
  EXPECT_EQ(words[16], 80); // its PTX version
  EXPECT_EQ(words[18], 0);
  int ctas = 0;
  ASSERT_EQ(
      cuOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, get("ask"), 1024, 0),
      CUDA_SUCCESS);
  EXPECT_EQ(words[19], ctas);
  EXPECT_EQ(words[20], 0);
}

TEST_F(DeviceLaunch, TheHostSeesWhatAChildHasStored) {
  ASSERT_EQ(launchChild(0, out + 4), CUDA_SUCCESS);
  std::vector<int> words = read();
  EXPECT_EQ(words[0], 0);
  EXPECT_EQ(words[1], 4711);
}

TEST_F(DeviceLaunch, SharedMemoryIsLimitedAsForTheHost) {
  constexpr unsigned usual = 48 << 10;
  ASSERT_EQ(launchChild(usual, out + 4), CUDA_SUCCESS);
  EXPECT_EQ(read()[0], 0);
  ASSERT_EQ(launchChild(usual + 4, out + 4), CUDA_SUCCESS);
  EXPECT_EQ(read()[0], 9);
  ASSERT_EQ(cuFuncSetAttribute(get("child"),
                               CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                               64 << 10),
            CUDA_SUCCESS);
  ASSERT_EQ(launchChild(usual + 4, out + 4), CUDA_SUCCESS);
  EXPECT_EQ(read()[0], 0);
}

TEST_F(DeviceLaunch, AFailureOfAChildIsOneOfTheContext) {
  ASSERT_EQ(launchChild(0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  EXPECT_EQ(cuMemsetD8_v2(out, 0, 128), CUDA_ERROR_LAUNCH_FAILED);
}
