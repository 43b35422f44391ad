//===- Waiting.h - who may wait for whom ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads structured `ptx` that is not masked yet.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_WAITING_H
#define PTXJIT_ANALYSIS_WAITING_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "ptxjit/Analysis/Shape.h"

namespace ptxjit {

/// May `loop` wait for another thread: does whether it goes on depend on an
/// ordered load or on an atomic that may find the same again and again? (Not an
/// atomic that changes what it reads, nor a compare-and-swap with what was read
/// last: if those fail, another thread has got on.) Or on a weak load, where
/// barriers or fences make each turn read anew and nothing is counted?
bool waitsOnMemory(mlir::scf::WhileOp loop);

/// Do turns of `loop` meet other threads, at barriers or operations of a warp?
/// That they meet is no sign then that what `loop` waits for has come nearer.
bool meetsOthers(mlir::scf::WhileOp loop);

/// An op at which a lane may wait for another lane of its own warp.
struct LaneWait {
  mlir::Operation *op = nullptr; ///< null: there is none
  const char *why = "";
};

/// Looks for a place where lanes in lockstep would wait for ever, or see too
/// early what others write: a loop that waits in some lanes for what others do
/// elsewhere; a barrier, or an operation of the whole warp, that lanes reach
/// one part here and one part there. When in doubt the answer is yes.
LaneWait findLaneWait(ptx::FuncOp func, const ShapeAnalysis &shapes);

} // namespace ptxjit

#endif
