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
  /// Warps of a team. 1: one after another.
  unsigned warps = 1;
  /// The members' numbers are so far apart. `warps` times `stride` divides the
  /// warps of the CTA.
  unsigned stride = 1;
  /// The members run each stretch of code one after another, and not op by op:
  /// they share no loads, and no sums wait for each other, so that a register
  /// need not keep a vector while other members get to the same op.
  bool inTurn = false;
  /// The ops have no loops, so that CTAs may run one after another as well.
  bool straight = false;
  /// What the members share.
  const SameInWarps *same = nullptr;
  /// A conditional, one of the ops, that the warps of a team must all take the
  /// same way, to the region `side`; null: none. If they do not, they run one
  /// after another.
  mlir::scf::IfOp assumed;
  unsigned side = 0;
  /// One of the ops, a loop over the grid or a conditional around one, behind
  /// which the warps run one after another; null: none. They seldom have much
  /// to do there, and so its code is not repeated. It has the warps' results
  /// from the lead, and runs the ops in front of that again.
  mlir::Operation *lead = nullptr;
};

/// May any ops of a kernel be run by teams? Asked before SameInWarps is made.
bool mayFormTeams(const ShapeContext &context, const KernelTarget &target);

/// Plans the teams of a masked kernel. Where rows of the block have several
/// warps, a team may be of neighbours, or of one warp of each row.
class TeamPlanner {
public:
  /// \pre mayFormTeams.
  TeamPlanner(ptx::FuncOp kernel, const ShapeAnalysis &shapes,
              const KernelTarget &target);
  /// Plans the ops, which stand in one block. Their order among the warps must
  /// not matter. The plan must not outlive the planner.
  TeamPlan plan(llvm::ArrayRef<mlir::Operation *> ops) const;

private:
  const ShapeAnalysis &shapes;
  const KernelTarget &target;
  SameInWarps same;
  std::optional<SameInWarps> sameInColumn; ///< if rows have several warps
};

} // namespace ptxjit

#endif
