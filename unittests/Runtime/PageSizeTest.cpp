//===- PageSizeTest.cpp - memory on pages of 4, 16 and 64 KiB -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AArch64 has three sizes of pages. A system of smaller pages can protect what
// is laid out for larger ones.
//
//===----------------------------------------------------------------------===//

#include "lib/Runtime/PageSize.h"
#include "lib/Runtime/Fiber.h"
#include "lib/Runtime/GuardedMemory.h"
#include "ptxjit/Runtime/Memory.h"
#include "ptxjit/Runtime/WatchedMemory.h"

#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

using namespace ptxjit;

namespace {
class PageSizes : public testing::TestWithParam<size_t> {
protected:
  static void SetUpTestSuite() { ASSERT_EQ(pipe(ends), 0); }
  static void TearDownTestSuite() {
    close(ends[0]);
    close(ends[1]);
  }
  void SetUp() override {
    if (GetParam() % size_t(sysconf(_SC_PAGESIZE)))
      GTEST_SKIP() << "the system has larger pages";
    assumePageBytes(GetParam());
  }
  void TearDown() override { assumePageBytes(0); }

  /// Runs `body` on a thread that keeps no memory from earlier tests.
  template <typename Body> static void inThread(Body body) {
    std::thread(body).join();
  }

  /// Whether the system can read the byte.
  static bool isReadable(const void *byte) {
    char copy;
    return write(ends[1], byte, 1) == 1 && read(ends[0], &copy, 1) == 1;
  }

private:
  static inline int ends[2];
};
} // namespace

TEST_P(PageSizes, AGuardPageIsBelowEachStack) {
  inThread([] {
    constexpr unsigned count = 3;
    constexpr size_t bytes = 10000;
    size_t page = GetParam();
    FiberStacks stacks;
    ASSERT_TRUE(stacks.allocate(count, bytes, true, AddressRange::All));
    EXPECT_EQ(stacks.getStride() % page, 0u);
    EXPECT_GE(stacks.getStride(), bytes + page);
    for (unsigned i = 0; i < count; ++i) {
      const uint8_t *guard = stacks.begin() + i * stacks.getStride();
      auto isGuard = [&](size_t offset) {
        return stacks.isGuardPage(reinterpret_cast<uint64_t>(guard + offset));
      };
      EXPECT_TRUE(isGuard(0) && isGuard(page - 1));
      EXPECT_FALSE(isGuard(page) || isGuard(stacks.getStride() - 1));
      EXPECT_FALSE(isReadable(guard) || isReadable(guard + page - 1));
      EXPECT_TRUE(isReadable(guard + page));
      EXPECT_TRUE(isReadable(guard + stacks.getStride() - 1));
    }
  });
}

TEST_P(PageSizes, WindowsEndWithAPage) {
  inThread([] {
    size_t page = GetParam();
    for (size_t bytes : {size_t(1), page - 1, page, page + 1, 5 * page}) {
      GuardedMemory memory({1, bytes, bytes}, AddressRange::All);
      ASSERT_NE(memory.begin(), nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(memory.begin()) % 4096, 0u);
      EXPECT_TRUE(isReadable(memory.begin()));
      EXPECT_TRUE(isReadable(memory.begin() + bytes - 1));
      EXPECT_FALSE(isReadable(memory.begin() - 1));
    }
  });
}

TEST_P(PageSizes, NoByteBehindABufferIsAccessible) {
  size_t page = GetParam();
  for (AddressRange range : {AddressRange::All, AddressRange::Low})
    for (size_t bytes : {size_t(0), size_t(1), size_t(256), page, page + 40}) {
      WatchedMemory memory;
      ASSERT_TRUE(memory.allocate(bytes, range)) << bytes;
      size_t used = (bytes + 255) / 256 * 256;
      EXPECT_FALSE(memory.findDamage());
      EXPECT_FALSE(isReadable(memory.get() + used));
      if (!bytes)
        continue;
      EXPECT_TRUE(isReadable(memory.get()));
      EXPECT_TRUE(isReadable(memory.get() + used - 1));
      size_t front = (page - used % page) % page;
      EXPECT_FALSE(isReadable(memory.get() - front - 1));
      if (front) {
        memory.get()[-1] ^= 1;
        ASSERT_TRUE(memory.findDamage());
        EXPECT_EQ(memory.findDamage()->offset, -1);
      }
      if (used > bytes) {
        memory.get()[bytes] ^= 1;
        ASSERT_TRUE(memory.findDamage());
        EXPECT_EQ(memory.findDamage()->offset, int64_t(bytes));
      }
    }
}

INSTANTIATE_TEST_SUITE_P(, PageSizes,
                         testing::Values(4 << 10, 16 << 10, 64 << 10));
