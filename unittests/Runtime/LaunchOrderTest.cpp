//===- LaunchOrderTest.cpp - launches that go before others ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/LaunchOrder.h"
#include "ptxjit/Runtime/LaunchGrid.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <mutex>
#include <thread>
#include <vector>

using namespace ptxjit;

namespace {
/// The CTAs of several launches, in the order in which they start.
struct Starts {
  void add(int launch) {
    std::lock_guard<std::mutex> lock(mutex);
    launches.push_back(launch);
  }
  size_t count(int launch) {
    std::lock_guard<std::mutex> lock(mutex);
    return size_t(std::count(launches.begin(), launches.end(), launch));
  }
  /// How many CTAs of `other` start between the first and last of `launch`.
  size_t countAmong(int launch, int other) {
    auto first = std::find(launches.begin(), launches.end(), launch);
    auto last = std::find(launches.rbegin(), launches.rend(), launch).base();
    return size_t(std::count(first, last, other));
  }
  std::mutex mutex;
  std::vector<int> launches;
};

/// What a kernel gets.
struct Params {
  Starts *starts;
  int launch;
  /// CTAs wait until that many of launch `other` have started.
  size_t waitsFor;
  int other;
};

void kernel(PtxjitKernelContext *context, uint32_t, uint32_t) {
  Params params;
  std::memcpy(&params, context->params, sizeof(params));
  params.starts->add(params.launch);
  while (params.starts->count(params.other) < params.waitsFor)
    std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

struct Launcher {
  void launch(int number, unsigned ctas, int priority, size_t waitsFor = 0,
              int other = 0, LaunchOrder *among = nullptr) {
    KernelCode code;
    code.entry = kernel;
    code.options.order = among ? among : &order;
    code.options.priority = priority;
    Params params{&starts, number, waitsFor, other};
    EXPECT_EQ(launchGrid(code, {ctas, 1, 1}, &params, 0, 2), LaunchStatus::Ok);
  }
  void awaitStart(int number) {
    while (!starts.count(number))
      std::this_thread::yield();
  }
  LaunchOrder order;
  Starts starts;
};
} // namespace

/// Each of two workers may just have decided to start a CTA, and a thread that
/// does not run for a tenth of a second seems to be stalled.
static constexpr size_t kFew = 6;

TEST(LaunchOrder, UrgentLaunchesGoFirst) {
  Launcher launcher;
  std::thread low([&] { launcher.launch(0, 64, kLowestPriority, 1, 1); });
  launcher.awaitStart(0);
  launcher.launch(1, 40, -3);
  EXPECT_EQ(launcher.starts.count(1), 40u);
  low.join();
  EXPECT_EQ(launcher.starts.count(0), 64u);
  EXPECT_LE(launcher.starts.countAmong(1, 0), kFew);
}

TEST(LaunchOrder, HasLevels) {
  Launcher launcher;
  std::vector<std::thread> threads;
  for (int level = 0; level < 3; ++level) {
    // Each goes on when the next one has started.
    threads.emplace_back([&, level] {
      launcher.launch(level, 60, -level, level < 2, level + 1);
    });
    launcher.awaitStart(level);
  }
  for (std::thread &thread : threads)
    thread.join();
  for (int level = 0; level < 3; ++level)
    EXPECT_EQ(launcher.starts.count(level), 60u);
  EXPECT_LE(launcher.starts.countAmong(2, 1), kFew);
  EXPECT_LE(launcher.starts.countAmong(2, 0), kFew);
  EXPECT_LE(launcher.starts.countAmong(1, 0), kFew);
}

TEST(LaunchOrder, UrgentCtasMayWaitForOthers) {
  Launcher launcher;
  std::thread low([&] { launcher.launch(0, 16, kLowestPriority); });
  launcher.awaitStart(0);
  // On hardware all are resident, so that this ends.
  launcher.launch(1, 4, kHighestPriority, /*waitsFor=*/16);
  low.join();
  EXPECT_EQ(launcher.starts.count(0), 16u);
  EXPECT_EQ(launcher.starts.count(1), 4u);
}

TEST(LaunchOrder, CountsAmongLaunchesOfOneOrder) {
  Launcher launcher;
  LaunchOrder other;
  std::thread low(
      [&] { launcher.launch(0, 200, kLowestPriority, 1, 1, &other); });
  launcher.awaitStart(0);
  launcher.launch(1, 40, kHighestPriority);
  low.join();
  EXPECT_GT(launcher.starts.countAmong(1, 0), kFew);
}
