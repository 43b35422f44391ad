//===- CtaLevel.h - values and control common to a whole CTA ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides whether fission can split a kernel at its barriers and at its places
// of order (SharedOrder.h), so that each part becomes a loop over the warps.
// That needs all threads of the CTA to reach each barrier together: the control
// flow around it must be the same in the whole CTA. This control flow, and the
// values it depends on, then stand outside the loops over warps: they are "at
// CTA level". So are vectors that all warps would compute alike, as sums of
// what each warp has summed up.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_CTALEVEL_H
#define PTXJIT_ANALYSIS_CTALEVEL_H

#include "ptxjit/Analysis/Shape.h"
#include "llvm/ADT/DenseSet.h"

namespace ptxjit {

class CtaLevel {
public:
  /// \param func  in structured or masked form.
  /// \param points  ops before which the kernel is to be split, too.
  CtaLevel(ptx::FuncOp func, const ShapeAnalysis &shapes,
           llvm::ArrayRef<mlir::Operation *> points = {});

  /// Why the kernel cannot be split at its barriers; empty if it can.
  llvm::StringRef whyNot() const { return reason; }

  /// May the value be computed once for the CTA, from other such values, or
  /// from those of the first warp?
  bool contains(mlir::Value value) const { return values.contains(value); }
  /// May all results of `op` be computed once for the CTA, in front of its
  /// part? Of loads only those in front of what changes their memory there.
  bool contains(mlir::Operation *op) const;
  /// Does `op` contain a border between parts?
  bool isSplit(mlir::Operation *op) const { return split.contains(op); }
  /// Do two ops of one block that holds a border, or is the function's, stand
  /// between the same two borders?
  bool isInSamePart(mlir::Operation *a, mlir::Operation *b) const {
    return partOf(a) == partOf(b);
  }
  static bool isBarrier(mlir::Operation *op);
  /// Does one part of a split kernel end at `op` and another begin?
  static bool isBorder(mlir::Operation *op);

private:
  void findSplit(ptx::FuncOp func, llvm::ArrayRef<mlir::Operation *> points);
  /// Visits the blocks that hold borders, and the function's own.
  void forEachSplitBlock(ptx::FuncOp func,
                         llvm::function_ref<void(mlir::Block &)> visit) const;
  void numberParts(ptx::FuncOp func, llvm::ArrayRef<mlir::Operation *> points);
  unsigned partOf(mlir::Operation *op) const;
  bool readsTheSame(ptx::LdOp load) const;
  bool canMove(mlir::Operation *op) const;
  bool isWhole(mlir::Operation *op) const;
  void assume(ptx::FuncOp func);
  bool retract(ptx::FuncOp func);
  bool retractUnless(mlir::Value value, mlir::ValueRange sources);
  bool retractAll(mlir::ValueRange range);
  void settle(ptx::FuncOp func);
  bool isScalar(mlir::Value v) const;
  bool isOfFirstWarp(mlir::Value value) const;
  bool isShuffled(mlir::Operation *op) const;
  bool dropVectors(ptx::FuncOp func);
  bool hasWholeWarps() const;
  bool joinsWholeWarp(mlir::Operation *op) const;
  void check(ptx::FuncOp func);
  bool joinsWholeCta(mlir::Operation *barrier) const;

  const ShapeAnalysis &shapes;
  llvm::DenseSet<mlir::Value> values;
  llvm::DenseSet<mlir::Operation *> split;
  /// Of the ops in blocks that are split: the number of the part between two
  /// borders, where a border and an op that is split are parts of their own.
  llvm::DenseMap<mlir::Operation *, unsigned> parts;
  /// By part: the first op of the block in or after which shared memory may
  /// change. Null: it does not.
  std::vector<mlir::Operation *> firstChanges;
  /// Ops that may move out of a loop over warps, if their operands allow it.
  llvm::DenseSet<mlir::Operation *> movable;
  std::string reason;
};

} // namespace ptxjit

#endif
