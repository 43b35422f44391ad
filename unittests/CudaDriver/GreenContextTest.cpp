//===- GreenContextTest.cpp - shares of the multiprocessors ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../StreamGate.h"
#include "DriverFixture.h"

#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {
const char *const kWhere = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry where(.param .u64 out)
{
  .reg .b32 %r<3>; .reg .b64 %rd<3>;
  mov.u32 %r0, %ctaid.x;
  ld.param.u64 %rd1, [out];
  mul.wide.u32 %rd2, %r0, 8;
  add.u64 %rd1, %rd1, %rd2;
  mov.u32 %r1, %smid; mov.u32 %r2, %nsmid;
  st.global.v2.u32 [%rd1], {%r1, %r2};
  ret;
}
)";

class GreenContexts : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(primary), CUDA_SUCCESS);
    ASSERT_EQ(cuDeviceGetDevResource(0, &device, CU_DEV_RESOURCE_TYPE_SM),
              CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cuCtxSetCurrent(nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  }
  /// Splits the device into parts of two.
  std::vector<CUdevResource> split(unsigned wanted) {
    std::vector<CUdevResource> parts(wanted);
    EXPECT_EQ(cuDevSmResourceSplitByCount(
                  parts.data(), &wanted, &device, nullptr,
                  CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING, 2),
              CUDA_SUCCESS);
    parts.resize(wanted);
    return parts;
  }
  CUgreenCtx make(CUdevResource part) {
    CUdevResourceDesc desc;
    CUgreenCtx green = nullptr;
    EXPECT_EQ(cuDevResourceGenerateDesc(&desc, &part, 1), CUDA_SUCCESS);
    EXPECT_EQ(cuGreenCtxCreate(&green, desc, 0, CU_GREEN_CTX_DEFAULT_STREAM),
              CUDA_SUCCESS);
    return green;
  }

  CUcontext primary = nullptr;
  CUdevResource device{};
};
} // namespace

TEST_F(GreenContexts, SplitsRoundUpAndLeaveTheRest) {
  int count = 0;
  ASSERT_EQ(
      cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0),
      CUDA_SUCCESS);
  EXPECT_EQ(device.type, CU_DEV_RESOURCE_TYPE_SM);
  EXPECT_EQ(device.sm.smCount, unsigned(count));
  EXPECT_EQ(device.sm.minSmPartitionSize, 4u) << "of sm_80";
  EXPECT_EQ(device.sm.smCoscheduledAlignment, 2u);

  // Asks how many there would be.
  unsigned groups = 77;
  EXPECT_EQ(
      cuDevSmResourceSplitByCount(nullptr, &groups, &device, nullptr, 0, 1),
      CUDA_SUCCESS);
  EXPECT_EQ(groups, unsigned(count) / 4);
  EXPECT_EQ(
      cuDevSmResourceSplitByCount(nullptr, &groups, &device, nullptr, 1, 0),
      CUDA_SUCCESS);
  EXPECT_EQ(groups, unsigned(count) / 2);

  CUdevResource part, rest;
  groups = 1;
  EXPECT_EQ(cuDevSmResourceSplitByCount(&part, &groups, &device, &rest, 1, 1),
            CUDA_SUCCESS);
  EXPECT_EQ(groups, 1u);
  EXPECT_EQ(part.sm.smCount, 2u);
  EXPECT_EQ(rest.sm.smCount, unsigned(count) - 2);
  // Parts are not split again.
  EXPECT_EQ(cuDevSmResourceSplitByCount(nullptr, &groups, &rest, nullptr, 1, 1),
            CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
}

TEST_F(GreenContexts, WrongResourcesAreErrors) {
  unsigned groups = 1, count = device.sm.smCount;
  CUdevResource part;
  EXPECT_EQ(cuDeviceGetDevResource(0, &part, 7),
            CUDA_ERROR_INVALID_RESOURCE_TYPE);
  EXPECT_EQ(cuDeviceGetDevResource(9, &part, 1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuDeviceGetDevResource(0, nullptr, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuDevSmResourceSplitByCount(&part, &groups, &device, nullptr, 0,
                                        count + 1),
            CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION)
      << "so says an H100";
  EXPECT_EQ(cuDevSmResourceSplitByCount(&part, &groups, &device, nullptr, 2, 1),
            CUDA_ERROR_INVALID_VALUE)
      << "clusters exist from sm_90 on";
  CUdevResource changed = device;
  changed.sm.smCount = 1;
  EXPECT_EQ(
      cuDevSmResourceSplitByCount(&part, &groups, &changed, nullptr, 0, 0),
      CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION)
      << "so says an H100";
  changed.type = CU_DEV_RESOURCE_TYPE_INVALID;
  EXPECT_EQ(
      cuDevSmResourceSplitByCount(&part, &groups, &changed, nullptr, 0, 0),
      CUDA_ERROR_INVALID_RESOURCE_TYPE);

  CUdevResourceDesc desc;
  auto parts = split(2);
  ASSERT_EQ(parts.size(), 2u);
  CUdevResource twice[] = {parts[0], parts[0]};
  EXPECT_EQ(cuDevResourceGenerateDesc(&desc, twice, 2),
            CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION);
  CUdevResource mixed[] = {parts[0], split(2)[1]};
  EXPECT_EQ(cuDevResourceGenerateDesc(&desc, mixed, 2),
            CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION)
      << "of two splits";
  EXPECT_EQ(cuDevResourceGenerateDesc(&desc, parts.data(), 0),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuDevResourceGenerateDesc(&desc, parts.data(), 2), CUDA_SUCCESS);
  CUgreenCtx green;
  EXPECT_EQ(cuGreenCtxCreate(&green, desc, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGreenCtxCreate(&green, nullptr, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGreenCtxCreate(&green, desc, 5, 1), CUDA_ERROR_INVALID_DEVICE);
  ASSERT_EQ(cuGreenCtxCreate(&green, desc, 0, 1), CUDA_SUCCESS);
  EXPECT_EQ(cuGreenCtxGetDevResource(green, &part, 1), CUDA_SUCCESS);
  EXPECT_EQ(part.sm.smCount, 4u);
  EXPECT_EQ(cuGreenCtxDestroy(green), CUDA_SUCCESS);
}

TEST_F(GreenContexts, LaunchesStayInTheirShare) {
  constexpr unsigned kCtas = 64;
  CUmodule module;
  CUfunction where;
  CUdeviceptr out;
  ASSERT_EQ(cuModuleLoadData(&module, kWhere), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&where, module, "where"), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAlloc_v2(&out, kCtas * 8), CUDA_SUCCESS);
  auto parts = split(2);
  ASSERT_EQ(parts.size(), 2u);
  for (unsigned i = 0; i < 2; ++i) {
    CUgreenCtx green = make(parts[i]);
    CUstream stream;
    ASSERT_EQ(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0),
              CUDA_SUCCESS);
    void *params[] = {&out};
    EXPECT_EQ(
        cuLaunchKernel(where, kCtas, 1, 1, 1, 1, 1, 0, stream, params, nullptr),
        CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    unsigned seen[kCtas][2];
    EXPECT_EQ(cuMemcpyDtoH_v2(seen, out, sizeof(seen)), CUDA_SUCCESS);
    for (auto &[smid, nsmid] : seen) {
      EXPECT_GE(smid, 2 * i);
      EXPECT_LT(smid, 2 * i + 2);
      EXPECT_LT(smid, nsmid);
    }
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    EXPECT_EQ(cuGreenCtxDestroy(green), CUDA_SUCCESS);
  }
  EXPECT_EQ(cuMemFree_v2(out), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
}

TEST_F(GreenContexts, AreCurrentAsContexts) {
  CUgreenCtx green = make(split(1)[0]), found;
  CUcontext context, current;
  unsigned long long id, greenId, primaryId;
  ASSERT_EQ(cuCtxFromGreenCtx(&context, green), CUDA_SUCCESS);
  EXPECT_NE(context, primary);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
  EXPECT_EQ(current, context);
  EXPECT_EQ(cuCtxGetId(nullptr, &id), CUDA_SUCCESS);
  EXPECT_EQ(cuGreenCtxGetId(green, &greenId), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetId(primary, &primaryId), CUDA_SUCCESS);
  EXPECT_EQ(id, greenId);
  EXPECT_NE(id, primaryId);
  EXPECT_EQ(cuGreenCtxGetId(nullptr, &id), CUDA_SUCCESS) << "the current one";
  EXPECT_EQ(id, greenId);

  // Streams belong to it; memory belongs to the primary context.
  CUstream stream;
  CUdeviceptr data;
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamGetGreenCtx(stream, &found), CUDA_SUCCESS);
  EXPECT_EQ(found, green);
  EXPECT_EQ(cuStreamGetCtx(stream, &current), CUDA_SUCCESS);
  EXPECT_EQ(current, context);
  EXPECT_EQ(cuStreamGetCtx_v2(stream, &current, &found), CUDA_SUCCESS);
  EXPECT_EQ(current, primary);
  EXPECT_EQ(found, green);
  EXPECT_EQ(cuStreamGetGreenCtx(nullptr, &found), CUDA_SUCCESS);
  EXPECT_EQ(found, green);
  ASSERT_EQ(cuMemAlloc_v2(&data, 64), CUDA_SUCCESS);
  EXPECT_EQ(cuPointerGetAttribute(&current, CU_POINTER_ATTRIBUTE_CONTEXT, data),
            CUDA_SUCCESS);
  EXPECT_EQ(current, primary);
  CUexecAffinityParam affinity;
  EXPECT_EQ(cuCtxGetExecAffinity(&affinity, CU_EXEC_AFFINITY_TYPE_SM_COUNT),
            CUDA_SUCCESS);
  EXPECT_EQ(affinity.param.smCount.val, 2u);
  EXPECT_EQ(cuMemsetD8Async(data, 1, 64, stream), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);

  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuGreenCtxDestroy(green), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuGreenCtxDestroy(green), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_EQ(cuCtxSetCurrent(primary), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS) << "the memory lives on";
}

TEST_F(GreenContexts, DoNotWaitForEachOther) {
  auto parts = split(2);
  CUgreenCtx first = make(parts[0]), second = make(parts[1]);
  CUcontext context;
  ASSERT_EQ(cuCtxFromGreenCtx(&context, first), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  StreamGate gate(nullptr);
  ASSERT_EQ(cuCtxFromGreenCtx(&context, second), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(nullptr), CUDA_SUCCESS);
  gate.open();
  ASSERT_EQ(cuCtxSetCurrent(primary), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS) << "waits for both";
  EXPECT_EQ(cuGreenCtxDestroy(first), CUDA_SUCCESS);
  EXPECT_EQ(cuGreenCtxDestroy(second), CUDA_SUCCESS);
}

TEST_F(GreenContexts, EventsMarkWholeContexts) {
  auto parts = split(2);
  CUgreenCtx first = make(parts[0]), second = make(parts[1]);
  CUstream before, after, later;
  CUevent event;
  ASSERT_EQ(cuGreenCtxStreamCreate(&before, first, CU_STREAM_NON_BLOCKING, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(cuGreenCtxStreamCreate(&after, second, CU_STREAM_NON_BLOCKING, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
  StreamGate gate(before);
  EXPECT_EQ(cuGreenCtxRecordEvent(first, event), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuGreenCtxWaitEvent(second, event), CUDA_SUCCESS);
  ASSERT_EQ(cuGreenCtxStreamCreate(&later, second, CU_STREAM_NON_BLOCKING, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(after), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuStreamQuery(later), CUDA_ERROR_NOT_READY);
  gate.open();
  EXPECT_EQ(cuEventSynchronize(event), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(after), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(later), CUDA_SUCCESS);

  // The primary context's event covers the green ones.
  StreamGate gate2(after);
  EXPECT_EQ(cuCtxRecordEvent(primary, event), CUDA_SUCCESS);
  EXPECT_EQ(cuEventQuery(event), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cuCtxWaitEvent(primary, event), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(before), CUDA_ERROR_NOT_READY);
  gate2.open();
  EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamQuery(before), CUDA_SUCCESS);

  // Captures do not survive it.
  CUgraph graph;
  ASSERT_EQ(cuStreamBeginCapture_v2(before, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  EXPECT_EQ(cuGreenCtxRecordEvent(second, event), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxRecordEvent(primary, event),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(cuStreamEndCapture(before, &graph),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  CUcontext other;
  ASSERT_EQ(cuCtxCreate_v2(&other, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxRecordEvent(other, event), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuCtxWaitEvent(other, event), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(other), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(primary), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxRecordEvent(nullptr, event), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuCtxRecordEvent(primary, nullptr), CUDA_ERROR_INVALID_HANDLE);
  for (CUstream stream : {before, after, later})
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuEventDestroy_v2(event), CUDA_SUCCESS);
  EXPECT_EQ(cuGreenCtxDestroy(first), CUDA_SUCCESS);
  EXPECT_EQ(cuGreenCtxDestroy(second), CUDA_SUCCESS);
}

TEST_F(GreenContexts, GoWithThePrimaryContext) {
  CUgreenCtx green = make(split(1)[0]);
  CUcontext context;
  CUstream stream;
  CUdeviceptr data;
  ASSERT_EQ(cuCtxFromGreenCtx(&context, green), CUDA_SUCCESS);
  ASSERT_EQ(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxReset_v2(0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAlloc_v2(&data, 64), CUDA_ERROR_CONTEXT_IS_DESTROYED);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuGreenCtxDestroy(green), CUDA_ERROR_INVALID_CONTEXT);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
}

TEST_F(GreenContexts, AffinityLimitsAPlainContext) {
  CUcontext context;
  CUexecAffinityParam affinity{CU_EXEC_AFFINITY_TYPE_SM_COUNT, {{2}}}, found;
  CUdevResource resource;
  int isSupported = 0;
  EXPECT_EQ(cuDeviceGetExecAffinitySupport(&isSupported,
                                           CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0),
            CUDA_SUCCESS);
  EXPECT_EQ(isSupported, 1);
  ASSERT_EQ(cuCtxCreate_v3(&context, &affinity, 1, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxGetExecAffinity(&found, CU_EXEC_AFFINITY_TYPE_SM_COUNT),
            CUDA_SUCCESS);
  EXPECT_EQ(found.param.smCount.val, 2u);
  EXPECT_EQ(cuCtxGetDevResource(context, &resource, CU_DEV_RESOURCE_TYPE_SM),
            CUDA_SUCCESS);
  EXPECT_EQ(resource.sm.smCount, 2u);
  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);

  CUctxCreateParams params{&affinity, 1, nullptr};
  ASSERT_EQ(cuCtxCreate_v4(&context, &params, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
  params.cigParams = &params;
  EXPECT_EQ(cuCtxCreate_v4(&context, &params, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
  affinity.type = 3;
  EXPECT_EQ(cuCtxCreate_v3(&context, &affinity, 1, 0, 0),
            CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY);
  affinity = {CU_EXEC_AFFINITY_TYPE_SM_COUNT, {{1u << 30}}};
  EXPECT_EQ(cuCtxCreate_v3(&context, &affinity, 1, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuCtxCreate_v3(&context, nullptr, 1, 0, 0),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuCtxSetCurrent(primary), CUDA_SUCCESS);
}

// A capture that ends while another thread looks for captures.
TEST_F(GreenContexts, EventsMeetCapturesOfOtherThreads) {
  CUevent event;
  ASSERT_EQ(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  std::atomic<bool> isOver{false};
  std::thread other([&] {
    CUstream stream;
    EXPECT_EQ(cuCtxSetCurrent(primary), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    for (unsigned i = 0; i < 2000; ++i) {
      CUgraph graph = nullptr;
      EXPECT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
                CUDA_SUCCESS);
      CUresult result = cuStreamEndCapture(stream, &graph);
      EXPECT_EQ(result,
                graph ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
      if (graph)
        EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
    }
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    isOver = true;
  });
  while (!isOver) {
    CUresult result = cuCtxRecordEvent(primary, event);
    if (result)
      EXPECT_EQ(result, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  other.join();
  EXPECT_EQ(cuEventDestroy_v2(event), CUDA_SUCCESS);
}
