//===- MbarrierTest.cpp - counts of mbarrier objects at their limits ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Runtime/Mbarrier.h"
#include "ptxjit/Runtime/KernelABI.h"

#include <gtest/gtest.h>

using namespace ptxjit;

namespace {
constexpr uint32_t kMost = (1u << 20) - 1;

struct Object {
  explicit Object(uint64_t count)
      : word(count | count << PTXJIT_MBARRIER_EXPECTED_SHIFT) {}
  uint64_t update(uint32_t arrivals, uint32_t drops, int32_t tx) {
    return updateMbarrier(nullptr, reinterpret_cast<uint64_t>(&word), arrivals,
                          drops, tx);
  }
  unsigned phase() const { return unsigned(word >> 63); }
  uint32_t pending() const { return uint32_t(word) & kMost; }
  uint64_t word;
};
} // namespace

TEST(Mbarrier, PhasesEndWithTheLastArrival) {
  Object object(3);
  EXPECT_EQ(object.update(1, 0, 0) & kMost, 3u);
  EXPECT_EQ(object.update(1, 0, 0) & kMost, 2u);
  EXPECT_EQ(object.phase(), 0u);
  object.update(1, 0, 0);
  EXPECT_EQ(object.phase(), 1u);
  EXPECT_EQ(object.pending(), 3u);
  object.update(3, 0, 0);
  EXPECT_EQ(object.phase(), 0u);
}

TEST(Mbarrier, CountsReachTheirLimits) {
  Object object(kMost);
  object.update(kMost - 1, 0, 0);
  EXPECT_EQ(object.pending(), 1u);
  EXPECT_EQ(object.phase(), 0u);
  object.update(1, 0, int32_t(kMost)); // bytes are still missing
  EXPECT_EQ(object.phase(), 0u);
  EXPECT_EQ(object.pending(), 0u);
  object.update(0, 0, -int32_t(kMost));
  EXPECT_EQ(object.phase(), 1u);
  EXPECT_EQ(object.pending(), kMost);
  // Bytes arrive before they are expected.
  object.update(0, 0, -int32_t(kMost));
  object.update(kMost, 0, 0);
  EXPECT_EQ(object.phase(), 1u);
  // Expecting them does not end the phase; the next arrival would.
  object.update(0, 0, int32_t(kMost));
  EXPECT_EQ(object.phase(), 1u);
}

TEST(Mbarrier, DropsCountInLaterPhases) {
  Object object(4);
  object.update(2, 2, 0);
  EXPECT_EQ(object.pending(), 2u);
  object.update(2, 0, 0);
  EXPECT_EQ(object.phase(), 1u);
  EXPECT_EQ(object.pending(), 2u);
}
