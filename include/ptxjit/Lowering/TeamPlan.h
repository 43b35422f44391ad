//===- TeamPlan.h - which warps run side by side ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Warps of a CTA that run one after another load what they share once for each
// of them, and wait for the latency of each chain of sums. A team of warps runs
// side by side instead, op by op: it loads shared rows once, has as many sums
// under way as registers hold, and walks memory in longer pieces.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LOWERING_TEAMPLAN_H
#define PTXJIT_LOWERING_TEAMPLAN_H

#include "ptxjit/Analysis/SameInWarps.h"
#include "ptxjit/Lowering/KernelTarget.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ptxjit {

/// How the warps of a CTA run a list of ops.
struct TeamPlan {
  /// Warps of a team, a divisor of the CTA's. 1: one after another.
  unsigned warps = 1;
  /// A conditional, one of the ops, that the warps of a team must all take the
  /// same way, to the region `side`; null: none. If they do not, they run one
  /// after another.
  mlir::scf::IfOp assumed;
  unsigned side = 0;
};

/// May any ops of a kernel be run by teams? Asked before SameInWarps is made.
bool mayFormTeams(const ShapeContext &context, const KernelTarget &target);

/// Plans the ops, which stand in one block of a masked kernel. Their order
/// among the warps must not matter. \pre mayFormTeams.
TeamPlan planTeam(llvm::ArrayRef<mlir::Operation *> ops,
                  const ShapeAnalysis &shapes, const SameInWarps &same,
                  const KernelTarget &target);

} // namespace ptxjit

#endif
