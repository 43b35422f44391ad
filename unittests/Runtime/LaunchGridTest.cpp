//===- LaunchGridTest.cpp - grids of CTAs on all cores --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/LaunchGrid.h"
#include "lib/Runtime/Cpu.h"
#include "ptxjit/Runtime/Fault.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace ptxjit;

namespace {
/// Peak resident memory in KiB.
long peakMemory() {
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word)
    if (word == "VmHWM:") {
      long kib;
      status >> kib;
      return kib;
    }
  return 0;
}

template <typename T> T *paramOf(PtxjitKernelContext *context) {
  T *pointer;
  std::memcpy(&pointer, context->params, sizeof pointer);
  return pointer;
}

KernelCode makeCode(PtxjitKernelEntry entry) {
  KernelCode code;
  code.entry = entry;
  return code;
}
} // namespace

TEST(LaunchGrid, WakesNobodyForWhatIsShort) {
  struct Threads {
    std::mutex mutex;
    std::set<std::thread::id> ids;
  } threads;
  auto *data = &threads;
  std::atomic<uint64_t> pace{0};
  KernelCode code = makeCode([](PtxjitKernelContext *c, uint32_t, uint32_t) {
    auto *seen = paramOf<Threads>(c);
    {
      std::lock_guard<std::mutex> lock(seen->mutex);
      seen->ids.insert(std::this_thread::get_id());
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  });
  code.pace = &pace;
  auto launch = [&] {
    threads.ids.clear();
    EXPECT_EQ(launchGrid(code, {200, 1, 1}, &data, 0, 2), LaunchStatus::Ok);
    return threads.ids.size();
  };
  EXPECT_EQ(launch(), 2u); // the pace is not known yet
  EXPECT_GT(pace, 100000u);
  EXPECT_EQ(launch(), 2u);
  pace = 1;
  EXPECT_EQ(launch(), 1u); // the launch corrects the pace
  EXPECT_GT(pace, 10000u);
  EXPECT_EQ(launch(), 2u);
}

namespace {
/// Counts for each CTA by which code it was run.
struct CodeCounts {
  std::vector<std::atomic<int>> first, second;
  std::atomic<unsigned> started{0};
};

void runFirst(PtxjitKernelContext *context, uint32_t, uint32_t) {
  auto *counts = paramOf<CodeCounts>(context);
  ++counts->first[context->ctaid[0]];
  ++counts->started;
}
void runSecond(PtxjitKernelContext *context, uint32_t, uint32_t) {
  ++paramOf<CodeCounts>(context)->second[context->ctaid[0]];
}

/// Is ready once so many CTAs have started.
class ReadyAfter : public BetterCode {
public:
  ReadyAfter(CodeCounts &counts, unsigned ctas, KernelCode code)
      : counts(counts), ctas(ctas), code(std::move(code)) {}
  bool isReady() override { return counts.started >= ctas; }
  const KernelCode &take() override {
    ++taken;
    return code;
  }
  int taken = 0;

private:
  CodeCounts &counts;
  unsigned ctas;
  KernelCode code;
};
} // namespace

TEST(LaunchGrid, GoesOnWithBetterCode) {
  constexpr unsigned kCtas = 1000;
  for (unsigned threads : {1u, 4u})
    for (unsigned after : {0u, 1u, 500u, kCtas, kCtas + 1}) {
      CodeCounts counts;
      counts.first = std::vector<std::atomic<int>>(kCtas);
      counts.second = std::vector<std::atomic<int>>(kCtas);
      CodeCounts *data = &counts;
      ReadyAfter better(counts, after, makeCode(runSecond));
      KernelCode code = makeCode(runFirst);
      code.better = &better;
      EXPECT_EQ(launchGrid(code, {kCtas, 1, 1}, &data, 0, threads),
                LaunchStatus::Ok);
      unsigned second = 0;
      for (unsigned i = 0; i < kCtas; ++i) {
        EXPECT_EQ(counts.first[i] + counts.second[i], 1) << i;
        second += unsigned(counts.second[i]);
      }
      EXPECT_EQ(better.taken, after < kCtas) << after;
      if (after < kCtas)
        EXPECT_GT(second, 0u) << after;
      if (after == 0)
        EXPECT_EQ(second, kCtas);
    }
}

TEST(LaunchGrid, BetterCodeFailsTheLaunch) {
  CodeCounts counts;
  counts.first = std::vector<std::atomic<int>>(100);
  CodeCounts *data = &counts;
  ReadyAfter better(counts, 10,
                    makeCode([](PtxjitKernelContext *c, uint32_t, uint32_t) {
                      if (c->ctaid[0] >= 40)
                        c->status = PTXJIT_KERNEL_TRAP;
                    }));
  KernelCode code = makeCode(runFirst);
  code.better = &better;
  Fault fault;
  EXPECT_EQ(launchGrid(code, {100, 1, 1}, &data, 0, 1, &fault),
            LaunchStatus::Trap);
  EXPECT_EQ(fault.ctaid[0], 40u);
}

TEST(LaunchGrid, RunsEveryCtaOnce) {
  const Grid grid{7, 5, 3};
  std::vector<std::atomic<int>> seen(7 * 5 * 3);
  auto *data = seen.data();
  auto entry = [](PtxjitKernelContext *c, uint32_t, uint32_t) {
    unsigned index =
        (c->ctaid[2] * c->nctaid[1] + c->ctaid[1]) * c->nctaid[0] + c->ctaid[0];
    ++paramOf<std::atomic<int>>(c)[index];
  };
  for (unsigned threads : {1u, 2u, 3u, 8u, 200u, 0u})
    ASSERT_EQ(launchGrid(makeCode(entry), grid, &data, 0, threads),
              LaunchStatus::Ok);
  for (auto &count : seen)
    EXPECT_EQ(count, 6);
}

// Algorithms such as decoupled look-back rely on it: if a kernel waits, or
// there is one worker, a CTA only starts after all CTAs of lower index were
// taken.
TEST(LaunchGrid, StartsInIndexOrder) {
  struct State {
    std::atomic<uint32_t> started{0};
    std::atomic<uint32_t> most{0}; ///< CTAs of lower index that had not begun
  };
  auto entry = [](PtxjitKernelContext *c, uint32_t, uint32_t) {
    State *s = paramOf<State>(c);
    uint32_t before = s->started++;
    if (before < c->ctaid[0])
      s->most = std::max(s->most.load(), c->ctaid[0] - before);
  };
  KernelCode code = makeCode(entry);
  for (auto [waits, threads] :
       {std::pair(PTXJIT_WAITS_NEVER, 1u), std::pair(PTXJIT_WAITS_FOR_GRID, 1u),
        std::pair(PTXJIT_WAITS_FOR_GRID, 4u)}) {
    code.waits = waits;
    State state, *pointer = &state;
    ASSERT_EQ(launchGrid(code, {10000, 1, 1}, &pointer, 0, threads),
              LaunchStatus::Ok);
    EXPECT_EQ(state.started, 10000u);
    EXPECT_LT(state.most, threads);
  }
}

TEST(LaunchGrid, MemoryDoesNotGrowWithTheGrid) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "ThreadSanitizer keeps memory for what it has seen";
#endif
  std::atomic<uint64_t> sum{0};
  auto *pointer = &sum;
  auto entry = [](PtxjitKernelContext *c, uint32_t, uint32_t) {
    *paramOf<std::atomic<uint64_t>>(c) += c->ctaid[0] + 1;
  };
  auto launch = [&](uint64_t n) {
    sum = 0;
    EXPECT_EQ(launchGrid(makeCode(entry), {uint32_t(n), 1, 1}, &pointer, 0, 0),
              LaunchStatus::Ok);
    EXPECT_EQ(sum, n * (n + 1) / 2);
  };
  // A long one first: all of TBB's threads come, which allocate, too.
  launch(1000000);
  long before = peakMemory();
  launch(4000000);
  EXPECT_LT(peakMemory() - before, 4096);
}

TEST(LaunchGrid, ChecksExtents) {
  auto entry = [](PtxjitKernelContext *, uint32_t, uint32_t) {};
  EXPECT_EQ(launchGrid(makeCode(entry), {0, 1, 1}, nullptr, 0, 1),
            LaunchStatus::InvalidValue);
  EXPECT_EQ(launchGrid(makeCode(entry), {1, 65536, 1}, nullptr, 0, 1),
            LaunchStatus::InvalidValue);
  EXPECT_EQ(launchGrid(makeCode(entry), {1, 1, 65536}, nullptr, 0, 1),
            LaunchStatus::InvalidValue);
  EXPECT_EQ(launchGrid(makeCode(entry), {0x80000000u, 1, 1}, nullptr, 0, 1),
            LaunchStatus::InvalidValue);
  EXPECT_EQ(launchGrid(makeCode(entry), {1, 65535, 1}, nullptr, 0, 1),
            LaunchStatus::Ok);
}

TEST(LaunchGrid, ChecksClusters) {
  auto entry = [](PtxjitKernelContext *, uint32_t, uint32_t) {};
  auto launch = [&](Grid grid, Grid cluster) {
    KernelCode code = makeCode(entry);
    code.options.cluster = cluster;
    return launchGrid(code, grid, nullptr, 0, 1);
  };
  EXPECT_EQ(launch({16, 1, 1}, {16, 1, 1}), LaunchStatus::Ok);
  EXPECT_EQ(launch({4, 4, 2}, {2, 4, 2}), LaunchStatus::Ok);
  EXPECT_EQ(launch({32, 1, 1}, {32, 1, 1}), LaunchStatus::InvalidCluster);
  EXPECT_EQ(launch({16, 16, 1}, {8, 4, 1}), LaunchStatus::InvalidCluster);
  EXPECT_EQ(launch({6, 1, 1}, {4, 1, 1}), LaunchStatus::InvalidCluster);
  EXPECT_EQ(launch({4, 1, 1}, {2, 0, 1}), LaunchStatus::InvalidCluster);
  EXPECT_EQ(launch({4, 1, 1}, {0, 2, 0}), LaunchStatus::InvalidCluster);
  EXPECT_EQ(launch({65536, 1, 1}, {65536, 65536, 1}),
            LaunchStatus::InvalidCluster);
}

TEST(LaunchGrid, ClustersCoverTheGrid) {
  std::vector<std::atomic<uint32_t>> ran(4 * 6 * 2);
  auto *pointer = &ran;
  auto entry = [](PtxjitKernelContext *c, uint32_t, uint32_t) {
    auto &seen = *paramOf<std::vector<std::atomic<uint32_t>>>(c);
    uint32_t rank = c->ctaid[0] % 2 + 2 * (c->ctaid[1] % 3);
    seen[c->ctaid[0] + 4 * (c->ctaid[1] + 6 * c->ctaid[2])] +=
        c->clusterRank == rank ? 1 : 100;
  };
  KernelCode code = makeCode(entry);
  code.options.cluster = {2, 3, 1};
  EXPECT_EQ(launchGrid(code, {4, 6, 2}, &pointer, 0, 3), LaunchStatus::Ok);
  for (const auto &count : ran)
    EXPECT_EQ(count, 1u);
}

TEST(LaunchGrid, TrapStopsTheGrid) {
  std::atomic<uint32_t> ran{0};
  auto *pointer = &ran;
  auto entry = [](PtxjitKernelContext *c, uint32_t, uint32_t) {
    ++*paramOf<std::atomic<uint32_t>>(c);
    if (c->ctaid[0] == 10)
      c->status = PTXJIT_KERNEL_TRAP;
  };
  EXPECT_EQ(launchGrid(makeCode(entry), {1000000, 1, 1}, &pointer, 0, 1),
            LaunchStatus::Trap);
  EXPECT_EQ(ran, 11u);
  ran = 0;
  EXPECT_EQ(launchGrid(makeCode(entry), {1000000, 1, 1}, &pointer, 0, 4),
            LaunchStatus::Trap);
  EXPECT_LT(ran, 1000000u);
}

TEST(LaunchGrid, SharedWindows) {
  struct State {
    std::atomic<int> wrong{0};
  } state;
  State *pointer = &state;
  // Static data end at 1024 + 40; 100 more bytes are dynamic.
  auto entry = [](PtxjitKernelContext *c, uint32_t, uint32_t) {
    bool ok = c->dynamicShared == 100 && c->totalShared == 140 &&
              reinterpret_cast<uintptr_t>(c->shared) % 128 == 0;
    std::memset(c->shared + PTXJIT_SHARED_BASE, int(c->ctaid[0]), 140);
    for (unsigned i = 0; i < 140; ++i)
      ok &= c->shared[PTXJIT_SHARED_BASE + i] == uint8_t(c->ctaid[0]);
    if (!ok)
      ++paramOf<State>(c)->wrong;
  };
  KernelCode code = makeCode(entry);
  code.sharedEnd = PTXJIT_SHARED_BASE + 40;
  EXPECT_EQ(launchGrid(code, {500, 1, 1}, &pointer, 100, 0), LaunchStatus::Ok);
  EXPECT_EQ(state.wrong, 0);
}

// Hosts that were built with -ffast-math flush subnormals; kernels do not.
TEST(LaunchGrid, FloatEnvironment) {
  std::atomic<uint64_t> inside{0};
  auto *pointer = &inside;
  auto entry = [](PtxjitKernelContext *c, uint32_t, uint32_t) {
    *paramOf<std::atomic<uint64_t>>(c) = getFloatMode();
  };
  // Flush to zero, towards zero.
#if defined(__x86_64__)
  uint64_t odd = 0x1f80 | 0x8040 | 0x6000;
#else
  uint64_t odd = 1 << 24 | 3 << 22;
#endif
  uint64_t saved = getFloatMode();
  setFloatMode(odd);
  launchGrid(makeCode(entry), {1, 1, 1}, &pointer, 0, 1);
  uint64_t after = getFloatMode();
  setFloatMode(saved);
  uint64_t raised = 0x3f; // x86-64 keeps the exceptions that occurred beside it
  EXPECT_EQ(inside & ~raised, kKernelFloatMode);
  EXPECT_EQ(after & ~raised, odd);
}

TEST(LaunchGrid, FromSeveralThreads) {
  std::atomic<uint32_t> ran{0};
  auto *pointer = &ran;
  auto entry = [](PtxjitKernelContext *c, uint32_t, uint32_t) {
    ++*paramOf<std::atomic<uint32_t>>(c);
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        launchGrid(makeCode(entry), {100, 1, 1}, &pointer, 0, 3);
    });
  for (std::thread &t : threads)
    t.join();
  EXPECT_EQ(ran, 8u * 50 * 100);
}
