//===- LaunchShape.cpp - the extents of a launch --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/LaunchShape.h"
#include <algorithm>

using namespace ptxjit;

static std::string triple(uint32_t x, uint32_t y, uint32_t z) {
  return std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z);
}

uint32_t ptxjit::mostThreads(const PtxjitKernelInfo &kernel) {
  constexpr uint64_t ofAll = 1024;
  uint64_t most = uint64_t(kernel.maxntid[0]) *
                  std::max(kernel.maxntid[1], 1u) *
                  std::max(kernel.maxntid[2], 1u);
  return uint32_t(most ? std::min(most, ofAll) : ofAll);
}

std::string ptxjit::describe(const LaunchShape &shape) {
  const auto &[grid, block, cluster] = shape;
  return " grid " + triple(grid.x, grid.y, grid.z) + " block " +
         triple(block[0], block[1], block[2]);
}

static bool operator==(const Grid &a, const Grid &b) {
  return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// `.blocksareclusters`: turns the grid from clusters into CTAs, and fills in
/// the block if it is one thread. \returns false if the grid becomes too large.
static bool expandClusters(const PtxjitKernelInfo &kernel, LaunchShape &shape) {
  auto grow = [](uint32_t &extent, uint32_t factor) {
    return !__builtin_mul_overflow(extent, factor, &extent);
  };
  uint32_t (&block)[3] = shape.block;
  if (block[0] == 1 && block[1] == 1 && block[2] == 1)
    std::copy(kernel.reqntid, kernel.reqntid + 3, block);
  return grow(shape.grid.x, kernel.cluster[0]) &&
         grow(shape.grid.y, kernel.cluster[1]) &&
         grow(shape.grid.z, kernel.cluster[2]);
}

static LaunchStatus completeCluster(const PtxjitKernelInfo &kernel,
                                    LaunchShape &shape, std::string &error) {
  Grid &cluster = shape.cluster;
  bool isGiven = cluster.x || cluster.y || cluster.z;
  Grid required = {kernel.cluster[0], kernel.cluster[1], kernel.cluster[2]};
  if (required.x && isGiven && !(cluster == required)) {
    error = "the kernel requires clusters of " +
            triple(required.x, required.y, required.z) + " CTAs";
    return LaunchStatus::InvalidCluster;
  }
  if (!isGiven)
    cluster = required;
  if (kernel.explicitCluster && !cluster.x) {
    error = "the kernel must be launched with a cluster's extents";
    return LaunchStatus::InvalidCluster;
  }
  uint64_t rank = uint64_t(cluster.x) * cluster.y * cluster.z;
  if (kernel.maxClusterRank && rank > kernel.maxClusterRank) {
    error = "the kernel has clusters of " +
            std::to_string(kernel.maxClusterRank) + " CTAs at most";
    return LaunchStatus::InvalidCluster;
  }
  return LaunchStatus::Ok;
}

LaunchStatus ptxjit::completeShape(const PtxjitKernelInfo &kernel,
                                   LaunchShape &shape, std::string &error) {
  if (kernel.blocksAreClusters && !(kernel.reqntid[0] && kernel.cluster[0])) {
    error = "'.blocksareclusters' needs '.reqntid' and '.reqnctapercluster'";
    return LaunchStatus::InvalidValue;
  }
  if (kernel.blocksAreClusters && !expandClusters(kernel, shape)) {
    error = "the grid is too large";
    return LaunchStatus::InvalidValue;
  }
  if (!ptxjitIsBlock(shape.block)) {
    error = PTXJIT_BLOCK_RULE;
    return LaunchStatus::InvalidValue;
  }
  const uint32_t (&required)[3] = kernel.reqntid;
  if (required[0] && !std::equal(required, required + 3, shape.block)) {
    error = "the kernel requires blocks of " +
            triple(required[0], required[1], required[2]) + " threads";
    return LaunchStatus::InvalidValue;
  }
  if (LaunchStatus status = completeCluster(kernel, shape, error);
      status != LaunchStatus::Ok)
    return status;
  if (!isValidCluster(shape.cluster, shape.grid)) {
    const Grid &grid = shape.grid, &cluster = shape.cluster;
    error = "clusters of " + triple(cluster.x, cluster.y, cluster.z) +
            " CTAs do not fit a grid of " + triple(grid.x, grid.y, grid.z) +
            ": a cluster has at most " +
            std::to_string(PTXJIT_MOST_CLUSTER_CTAS) +
            " CTAs, and its extents divide those of the grid";
    return LaunchStatus::InvalidCluster;
  }
  return LaunchStatus::Ok;
}
