//===- StreamTest.cpp - work in the order of streams ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/Stream.h"

#include <atomic>
#include <gtest/gtest.h>
#include <vector>

using namespace ptxjit;

TEST(Stream, KeepsOrder) {
  Stream stream;
  std::vector<int> order;
  for (int i = 0; i < 1000; ++i)
    stream.submit([&order, i] { order.push_back(i); });
  stream.synchronize();
  ASSERT_EQ(order.size(), 1000u);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(order[i], i);
}

TEST(Stream, RunsBesideTheHostAndOthers) {
  Stream a, b;
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

TEST(Stream, SynchronizeOfAnEmptyStream) {
  Stream stream;
  stream.synchronize();
  stream.synchronize();
}

TEST(Stream, DestructionFinishesTheWork) {
  std::atomic<int> done{0};
  {
    Stream stream;
    for (int i = 0; i < 100; ++i)
      stream.submit([&] { ++done; });
  }
  EXPECT_EQ(done, 100);
}
