//===- LaunchShape.h - the extents of a launch ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Combines the extents of grid, cluster and block that a launch gives with
// those that the kernel requires.
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

/// The most threads that a CTA of the kernel has. ISA: ".maxntid".
uint32_t mostThreads(const PtxjitKernelInfo &kernel);

/// " grid 4,1,1 block 256,1,1", for logs.
std::string describe(const LaunchShape &shape);

/// Fills in extents that the launch leaves open and the kernel states, and
/// checks that both agree. Returns InvalidValue for a wrong block or grid and
/// InvalidCluster for a wrong or missing cluster; `error` says why.
///
/// With `.blocksareclusters` the incoming grid counts clusters, and a block of
/// one thread stands for the block of `.reqntid`.
///
/// ISA: ".reqntid", "cluster-dimension-directives".
LaunchStatus completeShape(const PtxjitKernelInfo &kernel, LaunchShape &shape,
                           std::string &error);

} // namespace ptxjit

#endif
