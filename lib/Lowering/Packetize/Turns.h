//===- Turns.h - kernels that run turn by turn ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that is one loop over the grid runs once for each turn of the loop
// (InterchangeTurns.cpp): all CTAs of a call make the first turn, then all the
// second one, until no thread of them is in its loop. So the CTAs of a call
// read and write memory from end to end, as far as they reach together.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_TURNS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_TURNS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// The two forms of a kernel that runs turn by turn (kInTurnsAttr).
struct TurnForms {
  mlir::scf::IfOp choice;
  llvm::SmallVector<mlir::Operation *> front;  ///< the ops in front of it
  llvm::SmallVector<mlir::Operation *> inTurn; ///< of one turn, with `front`
  llvm::SmallVector<mlir::Operation *> whole;  ///< with the loop, and `front`
};

/// \param body  of a kernel. \returns nothing if it does not run turn by turn.
std::optional<TurnForms> findTurnForms(mlir::Block &body);

/// Emits a loop over the turns, and in it `emitTurn`, as long as that gets to a
/// `ptx.next_turn`.
mlir::LogicalResult
emitTurnLoop(WarpBuilder &warp,
             llvm::function_ref<mlir::LogicalResult()> emitTurn);

} // namespace ptxjit

#endif
