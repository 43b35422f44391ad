//===- GridSpansTest.cpp - which CTAs a worker takes next -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Runtime/GridSpans.h"

#include <gtest/gtest.h>
#include <string>

using namespace ptxjit;

namespace {
constexpr uint64_t kNoLimit = ~uint64_t(0);

/// All that is left, taken from span `own` on: "begin-end begin-end …".
std::string takeAll(GridSpans &spans, size_t own, uint64_t count,
                    uint64_t limit = kNoLimit) {
  std::string all;
  while (auto range = spans.takeFrom(own, count, limit))
    all += (all.empty() ? "" : " ") + std::to_string(range->begin) + "-" +
           std::to_string(range->end);
  return all;
}
} // namespace

TEST(GridSpans, OwnSpanFirstThenThoseBehind) {
  GridSpans spans;
  spans.cut(0, 10, 3); // 0-4, 4-7, 7-10
  EXPECT_EQ(takeAll(spans, 1, 2), "4-6 6-7 7-9 9-10 0-2 2-4");
  EXPECT_EQ(takeAll(spans, 0, 1), "");
}

TEST(GridSpans, WorkersShareTheRest) {
  GridSpans spans;
  spans.cut(0, 8, 2);
  EXPECT_EQ(spans.takeFrom(1, 3, kNoLimit)->begin, 4u);
  EXPECT_EQ(spans.takeFrom(0, 3, kNoLimit)->begin, 0u);
  EXPECT_EQ(takeAll(spans, 1, 3), "7-8 3-4");
}

TEST(GridSpans, NothingStartsFromTheLimitOn) {
  GridSpans spans;
  spans.cut(0, 12, 3);
  EXPECT_EQ(takeAll(spans, 2, 2, 5), "0-2 2-4 4-6");
  EXPECT_EQ(takeAll(spans, 1, 2, 0), "");
}

TEST(GridSpans, MoreSpansThanClusters) {
  GridSpans spans;
  spans.cut(5, 7, 4);
  EXPECT_EQ(takeAll(spans, 3, 1), "5-6 6-7");
  spans.cut(5, 6, 1);
  EXPECT_EQ(spans.take(1, kNoLimit)->begin, 5u);
  EXPECT_FALSE(spans.take(1, kNoLimit));
}

TEST(GridSpans, TakesShorterAndShorterPieces) {
  GridSpans spans;
  spans.cut(0, 40, 1);
  std::string all;
  while (auto range = spans.takeMost(12, kNoLimit))
    all += " " + std::to_string(range->end - range->begin);
  EXPECT_EQ(all, " 12 12 12 3 1");
  spans.cut(0, 40, 1);
  EXPECT_FALSE(spans.takeMost(12, 0));
}

TEST(GridSpans, KnowsWhetherSomethingIsLeft) {
  GridSpans spans;
  spans.cut(0, 8, 2);
  spans.takeFrom(0, 4, kNoLimit);
  EXPECT_FALSE(spans.isEmpty(kNoLimit));
  EXPECT_TRUE(spans.isEmpty(4)); // 4-8 need not run
  spans.takeFrom(1, 4, kNoLimit);
  EXPECT_TRUE(spans.isEmpty(kNoLimit));
}
