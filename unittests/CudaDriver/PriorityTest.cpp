//===- PriorityTest.cpp - streams that go before others -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

#include <algorithm>
#include <thread>
#include <vector>

namespace {
// Each CTA of `work` takes a number, notes it, and computes for a while.
const char *const kText = R"(.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 next[2];
.visible .entry work(.param .u64 numbers)
{
  .reg .b32 %r<4>; .reg .f32 %f; .reg .b64 %rd<3>; .reg .pred %p;
  mov.u32 %r1, %ctaid.x;
  ld.param.u64 %rd1, [numbers];
  mad.wide.u32 %rd2, %r1, 4, %rd1;
  atom.global.add.u32 %r2, [next], 1;
  st.global.u32 [%rd2], %r2;
  mov.u32 %r3, 0; mov.f32 %f, 1.0;
again:
  fma.rn.f32 %f, %f, %f, 1.0;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p, %r3, 50000;
  @%p bra again;
  st.global.f32 [next+4], %f;
  ret;
}
)";

class Priorities : public Driver {
protected:
  static constexpr unsigned kLong = 300, kUrgent = 60;

  void SetUp() override {
    Driver::SetUp();
    ASSERT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleLoadData(&module, kText), CUDA_SUCCESS);
    int least = 1, greatest = 1;
    ASSERT_EQ(cuCtxGetStreamPriorityRange(&least, &greatest), CUDA_SUCCESS);
    EXPECT_EQ(least, 0);
    EXPECT_LT(greatest, 0);
    ASSERT_EQ(cuStreamCreateWithPriority(&low, CU_STREAM_NON_BLOCKING, least),
              CUDA_SUCCESS);
    ASSERT_EQ(
        cuStreamCreateWithPriority(&high, CU_STREAM_NON_BLOCKING, greatest),
        CUDA_SUCCESS);
    ASSERT_EQ(cuMemAllocManaged(&numbers, (kLong + kUrgent) * 4, 1),
              CUDA_SUCCESS);
    CUdeviceptr address = 0;
    ASSERT_EQ(cuModuleGetGlobal_v2(&address, nullptr, module, "next"),
              CUDA_SUCCESS);
    next = reinterpret_cast<unsigned *>(address);
  }
  void TearDown() override {
    EXPECT_EQ(cuStreamDestroy_v2(low), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamDestroy_v2(high), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFree_v2(numbers), CUDA_SUCCESS);
    if (exec)
      EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
    if (graph)
      EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
    Driver::TearDown();
  }
  unsigned taken() const { return __atomic_load_n(next, __ATOMIC_RELAXED); }

  CUresult launchWork(unsigned ctas, CUdeviceptr to, CUstream stream) {
    void *params[] = {&to};
    return launch("work", ctas, 1, params, stream);
  }
  void startLong() {
    ASSERT_EQ(launchWork(kLong, numbers, low), CUDA_SUCCESS);
    while (!taken())
      std::this_thread::yield();
  }
  /// Makes an instance of the urgent launch, recorded in a stream.
  void record(CUstream stream, unsigned long long flags) {
    ASSERT_EQ(cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_RELAXED),
              CUDA_SUCCESS);
    ASSERT_EQ(launchWork(kUrgent, behindLong(), stream), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
    ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, flags), CUDA_SUCCESS);
  }
  CUdeviceptr behindLong() const { return numbers + kLong * 4; }
  /// How many CTAs of others started among the urgent ones.
  unsigned countOthers() {
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    auto *urgent = reinterpret_cast<unsigned *>(behindLong());
    auto [first, last] = std::minmax_element(urgent, urgent + kUrgent);
    EXPECT_EQ(taken(), kLong + kUrgent);
    return *last - *first + 1 - kUrgent;
  }
  /// Each worker may have taken a few CTAs already.
  static unsigned few() {
    return 10 + 5 * std::max(1u, std::thread::hardware_concurrency());
  }

  CUstream low = nullptr, high = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  CUdeviceptr numbers = 0;
  unsigned *next = nullptr;
};
} // namespace

TEST_F(Priorities, KernelsOfUrgentStreamsGoFirst) {
  startLong();
  ASSERT_EQ(launchWork(kUrgent, behindLong(), high), CUDA_SUCCESS);
  EXPECT_LE(countOthers(), few());
}

TEST_F(Priorities, OfAStreamCanChange) {
  int priority = 0;
  ASSERT_EQ(cuStreamGetPriority(high, &priority), CUDA_SUCCESS);
  EXPECT_EQ(priority, -5);
  CUlaunchAttributeValue value{};
  value.priority = -100; // becomes the highest there is
  ASSERT_EQ(cuStreamSetAttribute(low, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value),
            CUDA_SUCCESS);
  ASSERT_EQ(cuStreamGetPriority(low, &priority), CUDA_SUCCESS);
  EXPECT_EQ(priority, -5);
  value.priority = -2;
  ASSERT_EQ(cuStreamSetAttribute(high, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value),
            CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCopyAttributes(low, high), CUDA_SUCCESS);
  value.priority = 0;
  ASSERT_EQ(cuStreamGetAttribute(low, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value),
            CUDA_SUCCESS);
  EXPECT_EQ(value.priority, -2);
}

TEST_F(Priorities, GraphsHaveThatOfTheStream) {
  record(low, 0); // in a stream that is not urgent
  startLong();
  ASSERT_EQ(cuGraphLaunch(exec, high), CUDA_SUCCESS);
  EXPECT_LE(countOthers(), few());
}

TEST_F(Priorities, NodesHaveTheirOwnIfAskedFor) {
  record(high, CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY);
  startLong();
  CUstream other = nullptr;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(exec, other), CUDA_SUCCESS);
  EXPECT_LE(countOthers(), few());
  EXPECT_EQ(cuStreamDestroy_v2(other), CUDA_SUCCESS);
}
