//===- AccessPlanTest.cpp - how a warp accesses memory --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/AccessPlan.h"

#include "gtest/gtest.h"

using namespace ptxjit;

namespace {

template <typename Fn> LanePattern patternOf(Fn offsetOf) {
  LanePattern pattern;
  for (int i = 0; i < 32; ++i)
    pattern[i] = offsetOf(i);
  return pattern;
}

Access accessAt(const LanePattern &pattern) {
  Access access;
  access.address.hasBase = true;
  access.address.pattern = pattern;
  return access;
}

/// Rows of `lanes` neighbouring lanes; each row has a base of its own.
LaneGroups rowsOf(int lanes) {
  return {patternOf([=](int i) { return i - i % lanes; }),
          patternOf([=](int i) { return 4 * (i % lanes); }), false};
}

std::string planOf(const Access &access, unsigned chunk = 8) {
  return describePlan(planAccess(access, chunk), access.isStore);
}

TEST(AccessPlan, OneAddressForAllLanes) {
  Access access;
  access.address.hasBase = true;
  EXPECT_EQ(planOf(access), "scalar load");
  access.isStore = true;
  access.sameValue = true;
  EXPECT_EQ(planOf(access), "scalar store");
  // The last lane must win, which is known if all are active. Scatters write in
  // order.
  access.sameValue = false;
  EXPECT_EQ(planOf(access), "scalar store");
  access.masked = true;
  EXPECT_EQ(planOf(access), "scatter");
  access.hasScatter = false;
  EXPECT_EQ(planOf(access), "lane by lane");
}

TEST(AccessPlan, LanesThatFollowEachOther) {
  Access access = accessAt(patternOf([](int i) { return 4 * i; }));
  EXPECT_EQ(planOf(access), "contiguous load");
  access.masked = true;
  EXPECT_EQ(planOf(access), "contiguous load");
  access.elementBytes = 8;
  EXPECT_NE(planOf(access), "contiguous load");
  access = accessAt(patternOf([](int i) { return 16 * i; }));
  access.count = 4;
  EXPECT_EQ(planOf(access), "contiguous load");
}

TEST(AccessPlan, RowsAsLongAsChunks) {
  // An 8x4 block and a pitch of 1000 bytes.
  Access access =
      accessAt(patternOf([](int i) { return i / 8 * 1000 + i % 8 * 4; }));
  EXPECT_EQ(planOf(access, 8), "contiguous load");
  EXPECT_EQ(planOf(access, 4), "contiguous load");
  EXPECT_EQ(planOf(access, 16), "a load for each row");
}

TEST(AccessPlan, NumbersThatMayWrapAround) {
  Access access = accessAt(patternOf([](int i) { return 4 * i; }));
  access.address.conditional = true;
  EXPECT_EQ(planOf(access),
            "contiguous load if the pattern holds, else lane by lane");
  EXPECT_TRUE(planAccess(access, 8).failsRarely);
  access.address.mayPart = true;
  EXPECT_EQ(planOf(access),
            "contiguous load if the pattern holds, else gather");
  EXPECT_FALSE(planAccess(access, 8).failsRarely);
  // The same for small strides, if no mask needs another test.
  access = accessAt(patternOf([](int i) { return 8 * i; }));
  access.address.conditional = true;
  EXPECT_EQ(planOf(access),
            "a load for each row if the pattern holds, else lane by lane");
  access.masked = true;
  EXPECT_EQ(planOf(access), "gather");
}

TEST(AccessPlan, SmallStridesAndReversedOrder) {
  Access access = accessAt(patternOf([](int i) { return -4 * i; }));
  EXPECT_EQ(planOf(access), "a load for each row");
  access.isStore = true;
  EXPECT_EQ(planOf(access), "a store for each row");
  access.masked = true;
  EXPECT_EQ(planOf(access),
            "a store for each row if all lanes take part, else with masks");
  // No CPU masks elements of 8 bits everywhere.
  access = accessAt(patternOf([](int i) { return -i; }));
  access.elementBytes = 1;
  access.masked = access.isStore = true;
  EXPECT_EQ(planOf(access),
            "a store for each row if all lanes take part, else lane by lane");
  // Lanes far apart: each is a run of its own.
  access = accessAt(patternOf([](int i) { return 4096 * i; }));
  EXPECT_EQ(planOf(access), "gather");
}

TEST(AccessPlan, GapsBetweenLanes) {
  Access access = accessAt(patternOf([](int i) { return 12 * i; }));
  EXPECT_EQ(planOf(access), "a load for each row");
  // With a mask for the gaps, be all lanes active or not.
  access.isStore = true;
  EXPECT_EQ(planOf(access), "a store for each row");
  access.masked = true;
  EXPECT_EQ(planOf(access), "a store for each row");
  access.hasScatter = false;
  EXPECT_EQ(planOf(access), "lane by lane");
  access = accessAt(patternOf([](int i) { return 20 * i; }));
  EXPECT_EQ(planOf(access), "gather");
}

TEST(AccessPlan, StoresThatOverlapKeepTheirOrder) {
  Access access = accessAt(patternOf([](int i) { return 4 * (i / 2); }));
  EXPECT_EQ(planOf(access), "a load for each row");
  access.isStore = true;
  EXPECT_EQ(planOf(access), "scatter");
  // Neighbouring elements overlap in part.
  access = accessAt(patternOf([](int i) { return 2 * i; }));
  EXPECT_EQ(planOf(access), "gather");
}

TEST(AccessPlan, VectorsOfLanesFarApart) {
  Access access = accessAt(patternOf([](int i) { return 4096 * i; }));
  access.count = 4;
  EXPECT_EQ(planOf(access), "a vector load for each lane");
  access.masked = true;
  EXPECT_EQ(planOf(access),
            "a vector load for each lane if all lanes take part, else gather");
  // A chunk of one lane is always contiguous.
  EXPECT_EQ(planOf(access, 1), "contiguous load");
}

TEST(AccessPlan, SomeLanesDoNotTakePart) {
  Access access = accessAt(patternOf([](int i) { return 16 * i; }));
  access.masked = access.partial = true;
  EXPECT_EQ(planOf(access), "gather");
  access.count = 4;
  EXPECT_EQ(planOf(access), "contiguous load");
  access.address.pattern =
      patternOf([](int i) { return 32 * (i / 8 * 8) + 16 * (7 - i % 8); });
  EXPECT_EQ(planOf(access), "a load for each row");
  access.isStore = true;
  EXPECT_EQ(planOf(access), "a store for each row");
}

TEST(AccessPlan, NothingIsKnown) {
  Access access;
  EXPECT_EQ(planOf(access), "contiguous load where lanes turn out to follow "
                            "each other, else gather");
  EXPECT_EQ(planOf(access, 1), "gather");
  access.elementBytes = 1;
  access.masked = true;
  EXPECT_EQ(planOf(access), "contiguous load where lanes turn out to follow "
                            "each other, else gather of dwords");
  access.isStore = true;
  EXPECT_EQ(planOf(access), "contiguous store where lanes turn out to follow "
                            "each other, else lane by lane");
}

TEST(AccessPlan, ComputedAddressesMayBeInTwoRows) {
  Access access;
  access.isComputed = true;
  EXPECT_EQ(planOf(access), "contiguous load where lanes turn out to follow "
                            "each other, in one row or two, else gather");
  access.isStore = access.masked = true;
  EXPECT_EQ(planOf(access), "contiguous store where lanes turn out to follow "
                            "each other, in one row or two, else scatter");
  access.hasScatter = false;
  EXPECT_EQ(planOf(access), "contiguous store where lanes turn out to follow "
                            "each other, else lane by lane");
  access.isStore = false;
  access.elementBytes = 2;
  EXPECT_EQ(planOf(access), "contiguous load where lanes turn out to follow "
                            "each other, else gather of dwords");
}

TEST(AccessPlan, SwizzledLanesAreNotTested) {
  Access access;
  access.swizzled = true;
  EXPECT_EQ(planOf(access), "gather");
  access.isStore = true;
  EXPECT_EQ(planOf(access), "scatter");
}

TEST(AccessPlan, RowsWithBasesOfTheirOwn) {
  Access access;
  access.address.groups = rowsOf(16);
  EXPECT_EQ(planOf(access, 16), "a load for each row");
  access.address.groups->mustTest = true;
  EXPECT_EQ(planOf(access, 16),
            "a load for each row if all lanes take part, else gather");
  access.masked = true;
  EXPECT_EQ(planOf(access, 16),
            "a load for each row if all lanes take part, else with masks");
  access.masked = false;
  // More rows than a quarter of the lanes.
  access.address.groups = rowsOf(2);
  EXPECT_EQ(planOf(access, 16), "contiguous load where lanes turn out to "
                                "follow each other, else gather");
}

TEST(FindRuns, OfOneBase) {
  AccessShape address;
  address.hasBase = true;
  address.pattern = patternOf([](int i) { return i % 4 * 4 + i / 4 * 100; });
  auto runs = findRuns(address, 8, 1, 4, 1, 8);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].begin, 200);
  EXPECT_EQ(runs[0].count, 4u);
  EXPECT_EQ(runs[1].begin, 300);
  EXPECT_EQ(runs[1].lanes, 0xffu);
  EXPECT_TRUE(findRuns(address, 8, 1, 4, 1, 1).empty());
}

TEST(FindRuns, WithGaps) {
  AccessShape address;
  address.hasBase = true;
  address.pattern = patternOf([](int i) { return 12 * i; });
  auto runs = findRuns(address, 8, 0, 4, 1, 8, /*mostGap=*/2);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].count, 22u);
  EXPECT_EQ(findRuns(address, 8, 0, 4, 1, 8, /*mostGap=*/1).size(), 8u);
}

TEST(FindRuns, OfGroups) {
  AccessShape address;
  address.groups = rowsOf(4);
  auto runs = findRuns(address, 8, 0, 4, 1, 8);
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].lanes, 0x0fu);
  EXPECT_EQ(runs[0].firstLane, 0u);
  EXPECT_EQ(runs[1].lanes, 0xf0u);
  EXPECT_EQ(runs[1].firstLane, 4u);
  EXPECT_EQ(runs[1].begin, 0);
}

} // namespace
