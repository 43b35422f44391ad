//===- LaneLoops.h - code that goes lane by lane ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_LANELOOPS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_LANELOOPS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// for (i32 i = 0; i < count; ++i)
mlir::scf::ForOp buildCountedLoop(WarpBuilder &warp, unsigned count,
                                  mlir::ValueRange carried);

/// Runs `body` for each active lane of chunk `c`, in order; `carried` go
/// through the loop. `lane` is its number in the chunk, i32.
llvm::SmallVector<mlir::Value> forEachLane(
    WarpBuilder &warp, unsigned c, mlir::Value mask, mlir::ValueRange carried,
    llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value lane,
                                                      mlir::ValueRange carried)>
        body);

/// Element `lane` (i32) of a vector. In a loop over lanes that of a vector from
/// outside comes from memory, where LLVM would write all of it in each turn.
mlir::Value extractLane(WarpBuilder &warp, mlir::Value vector,
                        mlir::Value lane);

} // namespace ptxjit

#endif
