//===- TaskQueueTest.cpp - work in the order of streams -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/TaskQueue.h"

#include <atomic>
#include <gtest/gtest.h>
#include <vector>

using namespace ptxjit;

TEST(TaskQueue, KeepsOrder) {
  TaskQueue stream;
  std::vector<int> order;
  for (int i = 0; i < 1000; ++i)
    stream.submit([&order, i] { order.push_back(i); });
  stream.synchronize();
  ASSERT_EQ(order.size(), 1000u);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(order[i], i);
}

TEST(TaskQueue, RunsBesideTheHostAndOthers) {
  TaskQueue a, b;
  std::atomic<bool> go{false}, met{false};
  a.submit([&] {
    while (!go)
      std::this_thread::yield();
    met = true;
  });
  b.submit([&] { go = true; });
  a.synchronize();
  EXPECT_TRUE(met);
}

TEST(TaskQueue, SynchronizeOfAnEmptyStream) {
  TaskQueue stream;
  stream.synchronize();
  stream.synchronize();
}

TEST(TaskQueue, DestructionFinishesTheWork) {
  std::atomic<int> done{0};
  {
    TaskQueue stream;
    for (int i = 0; i < 100; ++i)
      stream.submit([&] { ++done; });
  }
  EXPECT_EQ(done, 100);
}
