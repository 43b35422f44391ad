//===- PartValues.h - values that live from part to part --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is split at its barriers (CtaLevel.h) runs each part for all
// warps before the next part. What a later part needs of an earlier one is kept
// in memory, or computed again from what is kept. The choice is a minimum cut:
// a vector that is kept costs a store and a load, one that is computed again an
// op.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_PARTVALUES_H
#define PTXJIT_ANALYSIS_PARTVALUES_H

#include "ptxjit/Analysis/CtaLevel.h"

namespace ptxjit {

class PartValues {
public:
  /// \param func  in structured or masked form, the function of `levels` and
  /// `shapes`.
  PartValues(ptx::FuncOp func, const CtaLevel &levels,
             const ShapeAnalysis &shapes);

  /// Does each part that needs the value, and is not its own, compute it again?
  /// Its operands are then at CTA level, computed again, or kept.
  bool isRecomputed(mlir::Value value) const;
  /// Does an op for which `isElsewhere` holds need the value, be it to compute
  /// others again?
  bool isNeeded(mlir::Value value,
                llvm::function_ref<bool(mlir::Operation *)> isElsewhere) const;
  /// The number of bytes that each warp keeps across a border, where they are
  /// most.
  uint64_t countLiveBytes(ptx::FuncOp func) const;

private:
  bool isFree(mlir::Value v) const;
  bool isScalar(mlir::Value v) const;
  bool isScalarMostly(mlir::Value v) const;
  bool isSameInWarps(mlir::Value v) const;
  bool mayRecompute(mlir::Value v) const;
  uint64_t bytesOf(mlir::Value v) const;
  uint64_t costOf(mlir::Value v) const;
  bool leavesItsPart(mlir::Value v) const;
  void cut(ptx::FuncOp func);
  uint64_t countLiveBytes(mlir::Block &block, uint64_t outside) const;

  const CtaLevel &levels;
  const ShapeAnalysis &shapes;
  mutable llvm::DenseMap<mlir::Value, bool> free, same; ///< answers so far
  llvm::DenseSet<mlir::Value> cheaper; ///< to compute again than to keep
};

} // namespace ptxjit

#endif
