//===- IdlePoolTest.cpp - objects kept for their next user ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/JIT/IdlePool.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace ptxjit;

namespace {
std::atomic<int> alive{0};

struct Item {
  explicit Item(int key) : key(key) { ++alive; }
  ~Item() { --alive; }
  int key;
  std::atomic<bool> isTaken{false};
};

std::unique_ptr<Item> takeFor(IdlePool<Item> &pool, int key) {
  return pool.take([&](const Item &item) { return item.key == key; });
}
} // namespace

TEST(IdlePool, GivesWhatFits) {
  IdlePool<Item> pool;
  EXPECT_EQ(takeFor(pool, 1), nullptr);
  pool.give(std::make_unique<Item>(1));
  pool.give(std::make_unique<Item>(2));
  EXPECT_EQ(takeFor(pool, 3), nullptr);
  auto two = takeFor(pool, 2);
  ASSERT_NE(two, nullptr);
  EXPECT_EQ(two->key, 2);
  EXPECT_EQ(takeFor(pool, 2), nullptr);
  EXPECT_NE(takeFor(pool, 1), nullptr);
}

TEST(IdlePool, KeepsAFew) {
  IdlePool<Item> pool;
  int before = alive;
  for (int i = 0; i < 100; ++i)
    pool.give(std::make_unique<Item>(i));
  EXPECT_EQ(alive - before, 4);
  EXPECT_NE(takeFor(pool, 99), nullptr); // the latest ones
  EXPECT_EQ(takeFor(pool, 0), nullptr);
}

TEST(IdlePool, NoObjectHasTwoUsers) {
  IdlePool<Item> pool;
  std::atomic<int> shared{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20000; ++i) {
        auto item = takeFor(pool, (t + i) % 3);
        if (!item)
          item = std::make_unique<Item>((t + i) % 3);
        shared += item->isTaken.exchange(true);
        item->isTaken = false;
        pool.give(std::move(item));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(shared, 0);
}
