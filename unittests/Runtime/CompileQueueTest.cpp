//===- CompileQueueTest.cpp - threads that compile beside a program -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Runtime/CompileQueue.h"
#include "../ForkedChild.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

using namespace ptxjit;

namespace {
bool comes(std::future<void> &event) {
  return event.wait_for(std::chrono::seconds(20)) == std::future_status::ready;
}
} // namespace

TEST(CompileQueue, JobsRunSideBySide) {
  CompileQueue queue(3);
  std::promise<void> come[3];
  std::future<void> others[3];
  std::atomic<int> met{0};
  for (int i = 0; i < 3; ++i)
    others[i] = come[i].get_future();
  std::promise<void> done;
  std::future<void> end = done.get_future();
  for (int i = 0; i < 3; ++i)
    queue.add([&, i] {
      come[i].set_value();
      if (comes(others[(i + 1) % 3]) && ++met == 3)
        done.set_value();
    });
  EXPECT_TRUE(comes(end));
  EXPECT_EQ(met, 3);
}

TEST(CompileQueue, HasNoMoreThreadsThanItMay) {
  std::atomic<int> running{0}, most{0}, ended{0};
  {
    CompileQueue queue(2);
    for (int i = 0; i < 50; ++i)
      queue.add([&] {
        int now = ++running;
        for (int old = most;
             old < now && !most.compare_exchange_weak(old, now);)
          ;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        --running;
        ++ended;
      });
    while (ended < 50)
      std::this_thread::yield();
  }
  EXPECT_LE(most, 2);
}

TEST(CompileQueue, JobsBeginInTheirOrder) {
  CompileQueue queue(1);
  std::vector<int> order;
  std::promise<void> last;
  std::future<void> end = last.get_future();
  for (int i = 0; i < 10; ++i)
    queue.add([&, i] { order.push_back(i); });
  queue.add([&] { last.set_value(); });
  ASSERT_TRUE(comes(end));
  ASSERT_EQ(order.size(), 10u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(CompileQueue, UrgentJobsBeginFirst) {
  CompileQueue queue(1);
  std::promise<void> begin, last;
  std::future<void> start = begin.get_future(), end = last.get_future();
  std::vector<int> order;
  queue.add([&] { EXPECT_TRUE(comes(start)); });
  queue.add([&] { order.push_back(2); }, /*isUrgent=*/false);
  queue.add([&] { last.set_value(); }, /*isUrgent=*/false);
  queue.add([&] { order.push_back(1); });
  begin.set_value();
  ASSERT_TRUE(comes(end));
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(CompileQueue, CloseWaitsForWhatHasBegunAndDropsTheRest) {
  for (int round = 0; round < 20; ++round) {
    std::promise<void> begun;
    std::future<void> start = begun.get_future();
    std::atomic<bool> finished{false}, dropped{true};
    auto owned = std::make_shared<int>(0);
    std::weak_ptr<int> seen = owned;
    CompileQueue queue(1);
    queue.add([&] {
      begun.set_value();
      for (int i = 0; i < 20000 && !seen.expired(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      finished = true;
    });
    for (bool isUrgent : {true, false})
      queue.add([&dropped, owned] { dropped = false; }, isUrgent);
    owned.reset();
    ASSERT_TRUE(comes(start));
    queue.close();
    EXPECT_TRUE(finished);
    EXPECT_TRUE(dropped);
    EXPECT_TRUE(seen.expired());
    queue.add([&] { dropped = false; });
    queue.close();
    EXPECT_TRUE(dropped);
  }
}

TEST(CompileQueue, AForkedProcessHasNone) {
  CompileQueue queue(1);
  std::promise<void> ran;
  std::future<void> end = ran.get_future();
  queue.add([&] { ran.set_value(); });
  ASSERT_TRUE(comes(end));
  EXPECT_EQ(runInChild([&] {
              queue.add([] { std::abort(); });
              queue.close();
              return 0;
            }),
            0);
}
