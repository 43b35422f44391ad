//===- LaunchShape.h - the extents of a launch ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launch says of grid, cluster and block together with what the kernel
// requires of them.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_LAUNCHSHAPE_H
#define PTXJIT_RUNTIME_LAUNCHSHAPE_H

#include "ptxjit/Runtime/CompilerABI.h"
#include "ptxjit/Runtime/LaunchGrid.h"
#include <string>

namespace ptxjit {

struct LaunchShape {
  Grid grid;             ///< CTAs
  uint32_t block[3];     ///< threads
  Grid cluster{0, 0, 0}; ///< CTAs; 0: no clusters
};

/// Fills in what the launch leaves open and the kernel says, and checks that
/// they agree: InvalidValue where the block is not the kernel's, InvalidCluster
/// where clusters are not or do not fit. `error` says why.
///
/// With `.blocksareclusters` the grid that comes in counts clusters, and a
/// block of one thread stands for that of `.reqntid`.
///
/// ISA: ".reqntid", "cluster-dimension-directives".
LaunchStatus completeShape(const PtxjitKernelInfo &kernel, LaunchShape &shape,
                           std::string &error);

} // namespace ptxjit

#endif
