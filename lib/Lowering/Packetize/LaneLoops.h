//===- LaneLoops.h - loops over the lanes of a chunk ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_LANELOOPS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_LANELOOPS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Builds for (i32 i = 0; i < count; i += by), with `carried` as iteration
/// arguments.
mlir::scf::ForOp buildCountedLoop(WarpBuilder &warp, unsigned count,
                                  mlir::ValueRange carried, unsigned by = 1);

/// Runs `body` for each active lane of chunk `c`, in order. `lane` is its
/// number in the chunk, i32. `carried` are the initial values of what `body`
/// gets and returns.
/// \param unroll  lanes of an iteration if all are active; divides the chunk.
llvm::SmallVector<mlir::Value> forEachLane(
    WarpBuilder &warp, unsigned c, mlir::Value mask, mlir::ValueRange carried,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value lane,
                                                      mlir::ValueRange carried)>
        body,
    unsigned unroll = 1);

/// Element `lane` (i32) of a vector. In a loop over lanes a vector from outside
/// is stored once, in front of the loop, and its elements are loaded. LLVM
/// would store the whole vector in each iteration.
mlir::Value extractLane(WarpBuilder &warp, mlir::Value vector,
                        mlir::Value lane);

} // namespace ptxjit

#endif
