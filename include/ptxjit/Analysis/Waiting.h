//===- Waiting.h - which threads may wait for which -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds loops that wait for other threads, and lanes that may wait for lanes of
// their own warp. Reads structured `ptx` that is not masked yet.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_WAITING_H
#define PTXJIT_ANALYSIS_WAITING_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "ptxjit/Analysis/Shape.h"

namespace ptxjit {

/// May `loop` wait for another thread? It may if its condition depends on
/// - an ordered load, an mbarrier wait, or an atomic that may read the same
///   value again; but not an atomic that always changes the value, nor a
///   compare-and-swap with the value it read last, whose failure means that
///   another thread made progress;
/// - a weak load, if a barrier or fence makes each iteration read memory again
///   and the condition depends on no counter.
bool waitsOnMemory(mlir::scf::WhileOp loop);

/// Does a loop that waits on memory wait for its own cluster alone: for
/// mbarriers, or for shared memory? Nobody else writes there.
bool waitsForCluster(mlir::scf::WhileOp loop);

/// Do iterations of `loop` meet other threads at barriers or warp operations?
/// Then such a meeting is no sign that the loop makes progress.
bool meetsOthers(mlir::scf::WhileOp loop);

/// An op at which a lane may wait for another lane of its own warp.
struct LaneWait {
  mlir::Operation *op = nullptr; ///< null: there is none
  const char *why = "";
};

/// Looks for an op where lanes in lockstep would wait forever, or would see a
/// write of another lane too early:
/// - a loop in which some lanes wait for an op that other lanes execute
///   elsewhere;
/// - a barrier or whole-warp operation that some lanes reach here and others
///   elsewhere.
/// When in doubt, returns the op.
LaneWait findLaneWait(ptx::FuncOp func, const ShapeAnalysis &shapes);

/// May lanes that wait in `loop` be waiting for `op`, or for an op inside of
/// it?
bool mayEndWait(mlir::scf::WhileOp loop, mlir::Operation *op,
                const ShapeAnalysis &shapes);

/// Does `op`, or an op inside of it, depend on which lanes execute it together:
/// a barrier, a warp operation, or a call of a function that may contain some?
bool meetsLanes(mlir::Operation *op);

} // namespace ptxjit

#endif
