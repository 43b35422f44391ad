//===- AssumedPatterns.h - tests in front of a conditional ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An index of 32 bits may wrap around between lanes, so each access that it
// leads to has a test, and other code for the case that it does. Where a
// conditional has a side without masks for the case that all lanes go there,
// and another side that serves all cases, these tests can be part of its
// condition. Then the side without masks is straight code.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_ASSUMEDPATTERNS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_ASSUMEDPATTERNS_H

#include "WarpBuilder.h"

namespace ptxjit {

class AssumedPatterns {
public:
  /// Emits what the addresses of loads and stores in `block` are computed from,
  /// as far as their patterns may fail to hold and depend on nothing but ops
  /// without effects. The code goes in front of the conditional.
  /// \returns i1: do they hold? Null if there is nothing to test.
  llvm::FailureOr<mlir::Value> emitTests(WarpBuilder &warp, mlir::Block &block);

  /// Finds what the addresses of loads and stores in a loop are computed from
  /// in front of it, as far as the patterns of that may fail to hold.
  /// \returns i1: do they hold? Null if a copy of the loop for that case would
  /// not pay.
  mlir::Value findTests(WarpBuilder &warp, mlir::scf::WhileOp loop);

  /// Was the op emitted in front of the conditional?
  bool contains(mlir::Operation *op) const { return emitted.contains(op); }

  /// Between these the builder is in the block, and the patterns hold.
  void enter(WarpBuilder &warp) const;
  void leave(WarpBuilder &warp) const;

private:
  llvm::DenseSet<mlir::Operation *> emitted;
  /// Values whose patterns are tested, and their conditions.
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> tested;
};

} // namespace ptxjit

#endif
