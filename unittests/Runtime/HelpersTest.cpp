//===- HelpersTest.cpp - threads that help with a launch ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Runtime/Helpers.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

using namespace ptxjit;

static void sleepFor(int microseconds) {
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

TEST(Helpers, AreWaitedForIfTheyHaveCome) {
  unsigned most = 0;
  for (int i = 0; i < 200; ++i) {
    std::atomic<unsigned> begun{0}, ended{0};
    {
      Helpers helpers(3, [&](unsigned) {
        ++begun;
        sleepFor(100);
        ++ended;
      });
      sleepFor(i % 4 * 50);
    }
    // No helper may begin now: `begun` and `ended` end with this iteration.
    EXPECT_EQ(begun, ended);
    most = std::max(most, begun.load());
  }
  EXPECT_LE(most, 3u);
}

TEST(Helpers, ComeOnceEach) {
  std::mutex mutex;
  std::set<unsigned> seen;
  Helpers helpers(5, [&](unsigned index) {
    std::lock_guard<std::mutex> lock(mutex);
    EXPECT_TRUE(seen.insert(index).second);
  });
  for (int i = 0; i < 5000; ++i) {
    sleepFor(1000);
    std::lock_guard<std::mutex> lock(mutex);
    if (seen.size() == 5)
      break;
  }
  std::lock_guard<std::mutex> lock(mutex);
  EXPECT_EQ(seen, (std::set<unsigned>{1, 2, 3, 4, 5}));
}

TEST(Helpers, ServeManyLaunchesAtOnce) {
  std::atomic<unsigned> runs{0};
  std::vector<std::thread> hosts;
  for (int t = 0; t < 8; ++t)
    hosts.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        Helpers helpers(2, [&](unsigned) { ++runs; });
        sleepFor(20);
      }
    });
  for (std::thread &host : hosts)
    host.join();
  EXPECT_LE(runs, 8u * 100 * 2);
}
