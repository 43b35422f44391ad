//===- MemoryTest.cpp -----------------------------------------------------===//

#include "ptxjit/Runtime/Memory.h"

#include <cstdint>
#include <gtest/gtest.h>

using namespace ptxjit;

TEST(Memory, AlignedAndZero) {
  for (size_t bytes : {size_t(1), size_t(255), size_t(4096), size_t(2) << 20,
                       (size_t(5) << 20) + 1}) {
    auto *p = static_cast<unsigned char *>(allocateDevice(bytes));
    ASSERT_NE(p, nullptr);
    size_t align = bytes >= (size_t(2) << 20) ? size_t(2) << 20 : 256;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % align, 0u) << bytes;
    EXPECT_EQ(p[0], 0);
    EXPECT_EQ(p[bytes - 1], 0);
    p[bytes - 1] = 1;
    freeDevice(p, bytes);
  }
}

TEST(Memory, TooMuchIsNull) {
  EXPECT_EQ(allocateDevice(size_t(1) << 60), nullptr);
  EXPECT_EQ(allocateDevice(~size_t(0)), nullptr);
  freeDevice(nullptr, 0);
}
