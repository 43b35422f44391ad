//===- MemoryTest.cpp - device memory and its windows ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/Memory.h"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <vector>

using namespace ptxjit;

TEST(Memory, AlignedAndZero) {
  for (size_t bytes : {size_t(1), size_t(255), size_t(4096), size_t(2) << 20,
                       (size_t(5) << 20) + 1}) {
    auto *p = static_cast<unsigned char *>(allocateDevice(bytes));
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 512, 0u) << bytes;
    EXPECT_EQ(p[0], 0);
    EXPECT_EQ(p[bytes - 1], 0);
    p[bytes - 1] = 1;
    freeDevice(p, bytes);
  }
}

// Arrays of whole huge pages do not all begin at one place of a set of the
// caches, and their ends are mapped all the same.
TEST(Memory, LargeOnesBeginAtDifferentPlaces) {
  constexpr size_t kBytes = size_t(4) << 20, kPage = 4096;
  std::vector<DeviceBuffer> buffers;
  std::set<uintptr_t> places;
  for (unsigned i = 0; i < 40; ++i) {
    buffers.push_back(makeDeviceBuffer(kBytes));
    auto *p = static_cast<unsigned char *>(buffers.back().get());
    ASSERT_NE(p, nullptr);
    auto address = reinterpret_cast<uintptr_t>(p);
    EXPECT_EQ(address % 512, 0u);
    places.insert(address % kPage);
    EXPECT_EQ(p[kBytes - 1], 0);
    p[kBytes - 1] = 1;
    DevicePages pages = pagesOfDevice(p, kBytes);
    EXPECT_EQ(pages.begin % (size_t(2) << 20), 0u);
    EXPECT_LE(pages.begin, address);
    EXPECT_GE(pages.begin + pages.bytes, address + kBytes);
  }
  EXPECT_EQ(places.size(), 8u);
}

TEST(Memory, LowRange) {
  constexpr uintptr_t kEnd = uintptr_t(1) << 32;
  for (size_t bytes : {size_t(0), size_t(1), size_t(5) << 20}) {
    auto *first = allocateDevice(bytes, AddressRange::Low);
    auto *second = allocateDevice(bytes, AddressRange::Low);
    ASSERT_NE(first, nullptr);
    ASSERT_NE(second, nullptr);
    EXPECT_LT(reinterpret_cast<uintptr_t>(first) + bytes, kEnd);
    EXPECT_LT(reinterpret_cast<uintptr_t>(second) + bytes, kEnd);
    EXPECT_NE(first, second);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 256, 0u);
    std::memset(second, 1, bytes);
    freeDevice(first, bytes, AddressRange::Low);
    freeDevice(second, bytes, AddressRange::Low);
  }
  EXPECT_EQ(allocateDevice(size_t(4) << 30, AddressRange::Low), nullptr);
}

// Addresses of the low range are used again once they are freed.
TEST(Memory, LowRangeIsReused) {
  constexpr size_t kBytes = size_t(256) << 20;
  for (unsigned turn = 0; turn < 3; ++turn) {
    std::vector<DeviceBuffer> buffers;
    while (auto buffer = makeDeviceBuffer(kBytes, AddressRange::Low))
      buffers.push_back(std::move(buffer));
    EXPECT_GE(buffers.size(), 4u); // of 14, less other mappings
  }
}

TEST(Memory, TooMuchIsNull) {
  EXPECT_EQ(allocateDevice(size_t(1) << 60), nullptr);
  EXPECT_EQ(allocateDevice(~size_t(0)), nullptr);
  // The system would hand this out.
  EXPECT_EQ(allocateDevice(countPhysicalBytes() + 1), nullptr);
  freeDevice(nullptr, 0);
}
