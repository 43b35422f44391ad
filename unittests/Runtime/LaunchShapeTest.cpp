//===- LaunchShapeTest.cpp - the extents of a launch ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/LaunchShape.h"
#include <gtest/gtest.h>

using namespace ptxjit;

namespace {
std::string text(const LaunchShape &s) {
  auto triple = [](uint32_t x, uint32_t y, uint32_t z) {
    return std::to_string(x) + "," + std::to_string(y) + "," +
           std::to_string(z);
  };
  return triple(s.grid.x, s.grid.y, s.grid.z) + " " +
         triple(s.block[0], s.block[1], s.block[2]) + " " +
         triple(s.cluster.x, s.cluster.y, s.cluster.z);
}

/// The completed shape as text, or the error.
std::string complete(const PtxjitKernelInfo &kernel, LaunchShape shape) {
  std::string error;
  return completeShape(kernel, shape, error) == LaunchStatus::Ok ? text(shape)
                                                                 : error;
}
} // namespace

TEST(LaunchShape, IsWhatTheLaunchSaysWhereTheKernelSaysNothing) {
  PtxjitKernelInfo kernel{};
  EXPECT_EQ(complete(kernel, {{4, 2, 1}, {32, 1, 1}}), "4,2,1 32,1,1 0,0,0");
  EXPECT_EQ(complete(kernel, {{4, 2, 1}, {32, 1, 1}, {2, 2, 1}}),
            "4,2,1 32,1,1 2,2,1");
  EXPECT_EQ(complete(kernel, {{5, 1, 1}, {32, 1, 1}, {2, 1, 1}}),
            "clusters of 2,1,1 CTAs do not fit a grid of 5,1,1: a cluster has "
            "at most 16 CTAs, and its extents divide those of the grid");
}

TEST(LaunchShape, AgreesWithTheKernel) {
  PtxjitKernelInfo kernel{};
  kernel.reqntid[0] = 8;
  kernel.reqntid[1] = kernel.reqntid[2] = 1;
  kernel.cluster[0] = 2;
  kernel.cluster[1] = kernel.cluster[2] = 1;
  EXPECT_EQ(complete(kernel, {{4, 1, 1}, {8, 1, 1}}), "4,1,1 8,1,1 2,1,1");
  EXPECT_EQ(complete(kernel, {{4, 1, 1}, {1, 1, 1}}),
            "the kernel requires blocks of 8,1,1 threads");
  EXPECT_EQ(complete(kernel, {{4, 1, 1}, {8, 1, 1}, {4, 1, 1}}),
            "the kernel requires clusters of 2,1,1 CTAs");
}

TEST(LaunchShape, RefusesWhatIsNoBlock) {
  PtxjitKernelInfo kernel{};
  EXPECT_EQ(complete(kernel, {{1, 1, 1}, {1024, 1, 1}}),
            "1,1,1 1024,1,1 0,0,0");
  EXPECT_EQ(complete(kernel, {{1, 1, 1}, {4, 4, 64}}), "1,1,1 4,4,64 0,0,0");
  const uint32_t bad[][3] = {{0, 1, 1},    {32, 0, 1},   {32, 1, 0},
                             {1025, 1, 1}, {1, 1025, 1}, {1, 1, 65},
                             {1024, 2, 1}, {33, 32, 1},  {0x10000, 0x10000, 1}};
  for (const uint32_t (&b)[3] : bad)
    EXPECT_EQ(complete(kernel, {{1, 1, 1}, {b[0], b[1], b[2]}}),
              PTXJIT_BLOCK_RULE);
}

TEST(LaunchShape, CountsClusters) {
  PtxjitKernelInfo kernel{};
  kernel.blocksAreClusters = true;
  EXPECT_EQ(complete(kernel, {{3, 2, 1}, {1, 1, 1}}),
            "'.blocksareclusters' needs '.reqntid' and '.reqnctapercluster'");
  for (int d = 0; d < 3; ++d) {
    kernel.reqntid[d] = 4;
    kernel.cluster[d] = 2;
  }
  EXPECT_EQ(complete(kernel, {{3, 2, 1}, {1, 1, 1}}), "6,4,2 4,4,4 2,2,2");
  EXPECT_EQ(complete(kernel, {{3, 2, 1}, {4, 4, 4}}), "6,4,2 4,4,4 2,2,2");
  EXPECT_EQ(complete(kernel, {{3, 2, 1}, {2, 1, 1}}),
            "the kernel requires blocks of 4,4,4 threads");
  EXPECT_EQ(complete(kernel, {{0x80000000u, 1, 1}, {1, 1, 1}}),
            "the grid is too large");
}
