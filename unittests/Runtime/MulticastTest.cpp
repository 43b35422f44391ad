//===- MulticastTest.cpp - what addresses stand for -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/Multicast.h"
#include "../../lib/Runtime/Numbers.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace ptxjit;

namespace {
using Addresses = std::vector<uint64_t>;

Addresses find(uint64_t address) {
  Replicas replicas;
  findReplicas(address, replicas);
  EXPECT_TRUE(replicas.contains(address));
  Addresses found;
  for (unsigned i = 0; i < replicas.count; ++i)
    found.push_back(address + replicas.distances[i]);
  return found;
}
} // namespace

TEST(Multicast, AddressesStandForMemories) {
  EXPECT_EQ(find(0), Addresses({0}));
  EXPECT_EQ(find(0x10000), Addresses({0x10000}));
  // The second memory begins later, and the first ends earlier.
  setMulticast(0x10000, 0x100, true,
               {{0x10000, 0x80, 0x900000}, {0x10040, 0x80, 0x500}});
  EXPECT_EQ(find(0xffff), Addresses({0xffff}));
  EXPECT_EQ(find(0x10000), Addresses({0x900000}));
  EXPECT_EQ(find(0x1003f), Addresses({0x90003f}));
  EXPECT_EQ(find(0x10040), Addresses({0x900040, 0x500}));
  EXPECT_EQ(find(0x1007f), Addresses({0x90007f, 0x53f}));
  EXPECT_EQ(find(0x10080), Addresses({0x540}));
  EXPECT_EQ(find(0x100bf), Addresses({0x57f}));
  EXPECT_EQ(find(0x100c0), Addresses());
  EXPECT_EQ(find(0x100ff), Addresses());
  EXPECT_EQ(find(0x10100), Addresses({0x10100}));
  // Two ranges, with ordinary addresses between them.
  setMulticast(0x20000, 0x10, false, {{0x20000, 0x10, 0x30}});
  EXPECT_EQ(find(0x1ffff), Addresses({0x1ffff}));
  EXPECT_EQ(find(0x2000f), Addresses({0x3f}));
  EXPECT_EQ(find(UINT64_MAX - 1), Addresses({UINT64_MAX - 1}));
  Replicas replicas;
  findReplicas(0x20000, replicas);
  EXPECT_FALSE(replicas.mayWrite);
  findReplicas(0x10000, replicas);
  EXPECT_TRUE(replicas.mayWrite);
  // The first range is forgotten.
  dropMulticast(0x10000);
  EXPECT_EQ(find(0x10040), Addresses({0x10040}));
  EXPECT_EQ(find(0x20000), Addresses({0x30}));
  dropMulticast(0x20000);
  dropMulticast(0x20000); // of no consequence
  EXPECT_EQ(find(0x20000), Addresses({0x20000}));
}

TEST(Multicast, ChangesWhileOthersRead) {
  std::atomic<bool> isDone{false};
  std::vector<std::thread> readers;
  for (unsigned i = 0; i < 4; ++i)
    readers.emplace_back([&] {
      while (!isDone) {
        Addresses found = find(0x40008);
        EXPECT_TRUE(found == Addresses({0x40008}) ||
                    found == Addresses({0x1008, 0x2008}));
      }
    });
  for (unsigned i = 0; i < 2000; ++i) {
    setMulticast(0x40000, 0x10, true,
                 {{0x40000, 0x10, 0x1000}, {0x40000, 0x10, 0x2000}});
    dropMulticast(0x40000);
  }
  isDone = true;
  for (std::thread &reader : readers)
    reader.join();
}

/// The code of the number of a format that is nearest to x.
template <typename Number> static uint8_t roundSlowly(float x) {
  unsigned best = 0;
  for (unsigned code = 0; code <= Number::kLargest; ++code) {
    double distance = std::abs(double(Number::decode(uint8_t(code))) - x);
    double least = std::abs(double(Number::decode(uint8_t(best))) - x);
    if (distance < least || (distance == least && code % 2 == 0))
      best = code;
  }
  return uint8_t(best);
}

template <typename Number> static void checkQuarters() {
  for (unsigned code = 0; code < 256; ++code) {
    float x = Number::decode(uint8_t(code));
    uint8_t expected = std::isnan(x) ? 0x7f : uint8_t(code);
    EXPECT_EQ(Number::encode(x), expected) << code;
  }
  // Many f16, among them all that lie between two numbers, and f32 beside them.
  for (unsigned code = 0; code < 0x7c00; code += 16)
    for (uint32_t step : {0u, 1u, ~0u}) {
      float x = F16Number::decode(uint16_t(code));
      x = F32Number::decode(F32Number::encode(x) + (code ? step : 0));
      uint8_t expected = roundSlowly<Number>(x);
      EXPECT_EQ(Number::encode(x), expected) << x;
      EXPECT_EQ(Number::encode(-x), 0x80 | expected) << x;
    }
}

TEST(Numbers, Quarters) {
  checkQuarters<E4M3Number>();
  checkQuarters<E5M2Number>();
  EXPECT_EQ(E4M3Number::decode(0x7e), 448);
  EXPECT_EQ(E4M3Number::decode(0x01), 0x1p-9f);
  EXPECT_EQ(E5M2Number::decode(0x7b), 57344);
  EXPECT_EQ(E5M2Number::decode(0x81), -0x1p-16f);
  float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(E5M2Number::decode(0x7c), infinity);
  EXPECT_EQ(E5M2Number::encode(-infinity), 0xfc);
  EXPECT_EQ(E4M3Number::encode(infinity), 0x7e);
}
