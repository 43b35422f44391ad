//===- CtaLevel.h - what is the same for a whole CTA ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel may be split at its barriers, and where shared memory is kept in
// order (SharedOrder.h), so that each part is a loop over the
// warps, if all threads reach every barrier together: under control that is the
// same in the whole CTA. That control, and what it depends on, stands outside
// the loops over warps.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_CTALEVEL_H
#define PTXJIT_ANALYSIS_CTALEVEL_H

#include "ptxjit/Analysis/Shape.h"
#include "llvm/ADT/DenseSet.h"

namespace ptxjit {

class CtaLevel {
public:
  /// \param func  structured or masked.
  /// \param points  ops in front of which it shall be split, too.
  CtaLevel(ptx::FuncOp func, const ShapeAnalysis &shapes,
           llvm::ArrayRef<mlir::Operation *> points = {});

  /// Why the kernel cannot be split at its barriers; empty if it can.
  llvm::StringRef whyNot() const { return reason; }

  /// May the value be computed once for the CTA, from others of that kind?
  bool contains(mlir::Value value) const { return values.contains(value); }
  /// The same of all results of an op without regions.
  bool contains(mlir::Operation *op) const;
  /// Cheaper to compute in each part than to keep: scalars, and numbers of
  /// threads.
  bool isRecomputed(mlir::Value value) const;
  /// Bytes that each warp keeps from one part to another.
  uint64_t countLiveBytes(ptx::FuncOp func) const;
  /// Does `op` hold a border of parts inside?
  bool isSplit(mlir::Operation *op) const { return split.contains(op); }
  static bool isBarrier(mlir::Operation *op);
  /// Does a part of a split kernel end at `op`, and another begin?
  static bool isBorder(mlir::Operation *op);

private:
  void findSplit(ptx::FuncOp func, llvm::ArrayRef<mlir::Operation *> points);
  void assume(ptx::FuncOp func);
  bool retract(ptx::FuncOp func);
  bool retractUnless(mlir::Value value, mlir::ValueRange sources);
  void check(ptx::FuncOp func);
  bool hasCtaShape(mlir::Value value) const;
  bool joinsWholeCta(mlir::Operation *barrier) const;

  const ShapeAnalysis &shapes;
  llvm::DenseSet<mlir::Value> values;
  mutable llvm::DenseMap<mlir::Value, bool> recomputed;
  llvm::DenseSet<mlir::Operation *> split;
  std::string reason;
};

} // namespace ptxjit

#endif
