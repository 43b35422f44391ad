//===- SameInWarps.h - values that all warps of a CTA share -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If the warps of a CTA run side by side, op by op, some of them compute the
// same values: rows of a matrix that all warps multiply by, or the counter of a
// loop. This finds these values.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_SAMEINWARPS_H
#define PTXJIT_ANALYSIS_SAMEINWARPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "ptxjit/Analysis/Shape.h"
#include "llvm/ADT/DenseSet.h"

namespace ptxjit {

/// Marks a loop that the warps may leave before it is done, since another loop
/// behind it runs what is left.
inline constexpr llvm::StringLiteral kLeadAttr = "ptx.lead";

class SameInWarps {
public:
  /// \param func  in masked form. \pre the CTA is a number of whole warps.
  /// \param stride  the warps that are compared are so far apart: 1 for all
  ///   warps, or warpsOfRow() for those that have the same part of each row.
  SameInWarps(ptx::FuncOp func, const ShapeAnalysis &shapes,
              unsigned stride = 1);

  /// Does lane l have the same value in all warps, for each l, if the warps run
  /// side by side? Regions that they run one after another (because of a
  /// condition that differs) tell nothing about the values inside.
  bool contains(mlir::Value v) const { return !differing.contains(v); }
  /// Can one warp's results of `op` serve all warps? False for ops with
  /// regions.
  bool contains(mlir::Operation *op) const;

private:
  bool visit(mlir::Operation *op);
  bool keepIf(mlir::Value v, bool same);
  bool isKnown(mlir::Value v) const;

  const ShapeAnalysis &shapes;
  unsigned stride;
  llvm::DenseSet<mlir::Value> differing;
};

/// How many warps a row of the block has; 1 if a warp has more than one row, or
/// rows end in the middle of warps.
unsigned warpsOfRow(const ShapeContext &context);

/// Is the loop one that warps may run side by side, iteration by iteration?
bool isJointLoop(mlir::scf::WhileOp loop, const SameInWarps &same);

} // namespace ptxjit

#endif
