//===- FaultTest.cpp - bad accesses of kernels ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/LoadedModule.h"
#include "ptxjit/Runtime/TaskQueue.h"

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

using namespace ptxjit;

namespace {

const char *const kKernels = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 p, .param .u64 q, .param .u32 which) {
  .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .pred %p;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.param.u32 %r2, [which];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p, %r1, %r2;
  selp.b64 %rd3, %rd2, %rd1, %p;
  mad.wide.u32 %rd4, %r1, 4, %rd3;
  st.global.u32 [%rd4], %r1;
  ret;
}
.visible .entry together(.param .u64 p, .param .u64 q, .param .u32 which) {
  .reg .b32 %r<4>; .reg .b64 %rd<6>; .reg .pred %p;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.param.u32 %r2, [which];
  mov.u32 %r1, %tid.x;
  bar.sync 0;
  setp.eq.u32 %p, %r1, %r2;
  selp.b64 %rd3, %rd2, %rd1, %p;
  mad.wide.u32 %rd4, %r1, 4, %rd3;
  ld.global.u32 %r3, [%rd4];
  add.u32 %r3, %r3, 1; // storing what was loaded does nothing: no access is left
  st.global.u32 [%rd4], %r3;
  bar.sync 0;
  ret;
}
.visible .entry from_cta_4(.param .u64 p, .param .u64 q, .param .u32 which) {
  .reg .b32 %r<3>; .reg .b64 %rd<4>; .reg .pred %p;
  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %tid.x;
  setp.ge.u32 %p, %r1, 4;
  selp.b64 %rd3, %rd2, %rd1, %p;
  mad.wide.u32 %rd3, %r2, 4, %rd3;
  st.global.u32 [%rd3], %r2;
  ret;
}
)";

class Faults : public ::testing::Test {
protected:
  void SetUp() override {
    module = LoadedModule::load(kKernels, "faults.ptx", report);
    ASSERT_TRUE(module) << report;
  }
  /// Thread `which` of each CTA accesses `bad`, and the others `good`.
  LaunchStatus launch(const std::string &kernel, uint64_t bad, uint32_t which,
                      unsigned threads, uint32_t ctas = 16) {
    struct {
      uint64_t p, q;
      uint32_t which;
    } params = {reinterpret_cast<uint64_t>(good), bad, which};
    uint32_t block[3] = {64, 1, 1};
    report.clear();
    return module->launch(kernel, {ctas, 1, 1}, block, &params, 0, threads, {},
                          report);
  }

  alignas(64) uint32_t good[64] = {};
  std::unique_ptr<LoadedModule> module;
  std::string report;
};

sigjmp_buf escape;
volatile sig_atomic_t hostFaults = 0;
void onHostFault(int) {
  hostFaults = hostFaults + 1;
  siglongjmp(escape, 1);
}

/// Reads address 16 in host code; true if `onHostFault` saw it.
bool faultOnHost() {
  int before = hostFaults;
  if (sigsetjmp(escape, 1) == 0) {
    volatile int *bad = reinterpret_cast<volatile int *>(16);
    (void)*bad;
  }
  return hostFaults == before + 1;
}

} // namespace

TEST_F(Faults, NamesAddressLineCtaAndThread) {
  EXPECT_EQ(launch("store", 4096, 37, 1), LaunchStatus::IllegalAddress);
  EXPECT_NE(report.find("0x1094 (.global, 4 bytes), CTA (0,0,0), thread "
                        "(37,0,0)"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("faults.ptx:11: st.global.u32 [%rd4], %r1;"),
            std::string::npos)
      << report;
}

TEST_F(Faults, MisalignedIsToldApart) {
  EXPECT_EQ(launch("store", reinterpret_cast<uint64_t>(good) + 2, 5, 2),
            LaunchStatus::MisalignedAddress);
  EXPECT_NE(report.find("thread (5,0,0)"), std::string::npos) << report;
}

TEST_F(Faults, AddressesThatAreNoneAreReportedToo) {
  EXPECT_EQ(launch("store", 0xdead000000000000, 3, 1),
            LaunchStatus::IllegalAddress);
  EXPECT_NE(report.find("faults.ptx:11"), std::string::npos) << report;
}

TEST_F(Faults, AThousandInARow) {
  for (unsigned i = 0; i < 1000; ++i) {
    const char *kernel = i % 2 ? "together" : "store";
    ASSERT_EQ(launch(kernel, 64 * i, i % 64, 1 + i % 4),
              LaunchStatus::IllegalAddress);
    std::string thread = "thread (" + std::to_string(i % 64) + ",0,0)";
    ASSERT_NE(report.find(thread), std::string::npos) << i << report;
    // Correct launches still work.
    if (i % 10 == 0)
      ASSERT_EQ(launch(kernel, reinterpret_cast<uint64_t>(good), 0, 2),
                LaunchStatus::Ok);
  }
}

// Workers begin in different parts of the grid, and some may come late.
TEST_F(Faults, TheLowestCtaIsReported) {
  for (unsigned i = 0; i < 300; ++i) {
    ASSERT_EQ(launch("from_cta_4", 4096, 0, 1 + i % 4, 400),
              LaunchStatus::IllegalAddress);
    ASSERT_NE(report.find("CTA (4,0,0)"), std::string::npos) << i << report;
  }
}

TEST_F(Faults, OnStreamThreads) {
  TaskQueue stream;
  LaunchStatus status = LaunchStatus::Ok;
  stream.submit([&] { status = launch("store", 8192, 1, 0, 1000); });
  stream.synchronize();
  EXPECT_EQ(status, LaunchStatus::IllegalAddress);
}

TEST_F(Faults, ManyThreadsAtOnce) {
  std::vector<std::thread> hosts;
  std::atomic<int> failures{0};
  for (unsigned t = 0; t < 4; ++t)
    hosts.emplace_back([&, t] {
      uint32_t data[64] = {}, block[3] = {64, 1, 1};
      for (unsigned i = 0; i < 50; ++i) {
        struct {
          uint64_t p, q;
          uint32_t which;
        } params = {reinterpret_cast<uint64_t>(data), 4096, (i + t) % 64};
        std::string text;
        failures += module->launch("together", {8, 1, 1}, block, &params, 0, 2,
                                   {}, text) == LaunchStatus::IllegalAddress;
      }
    });
  for (std::thread &host : hosts)
    host.join();
  EXPECT_EQ(failures, 200);
}

// The program's own handler gets faults of the host, whether it was installed
// before ours or after.
TEST_F(Faults, HandlersOfTheProgramStillWork) {
  struct sigaction mine = {}, old;
  mine.sa_handler = onHostFault;
  mine.sa_flags = SA_NODEFER;
  ASSERT_EQ(launch("store", 4096, 0, 1), LaunchStatus::IllegalAddress);
  sigaction(SIGSEGV, &mine, &old); // replaces ours until the next launch
  EXPECT_TRUE(faultOnHost());
  ASSERT_EQ(launch("store", 4096, 0, 1), LaunchStatus::IllegalAddress);
  EXPECT_EQ(hostFaults, 1); // it did not get the kernel's fault
  EXPECT_TRUE(faultOnHost());
  ASSERT_EQ(launch("together", 4096, 9, 2), LaunchStatus::IllegalAddress);
  EXPECT_EQ(hostFaults, 2);
}

TEST_F(Faults, NobodysFaultStillEndsTheProcess) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer ends the process in its own way";
#endif
  ASSERT_EQ(launch("store", 4096, 0, 1), LaunchStatus::IllegalAddress);
  EXPECT_EXIT(
      {
        signal(SIGSEGV, SIG_DFL);
        (void)launch("store", 4096, 0, 1); // puts ours in front of it
        volatile int *bad = reinterpret_cast<volatile int *>(16);
        (void)*bad;
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}
