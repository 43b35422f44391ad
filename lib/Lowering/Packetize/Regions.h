//===- Regions.h - the walk over a kernel -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_REGIONS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_REGIONS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Emits the ops of a block, without its terminator, where the builder is.
llvm::LogicalResult emitBlock(WarpBuilder &warp, mlir::Block &block);
llvm::LogicalResult emitOp(WarpBuilder &warp, mlir::Operation &op);
llvm::LogicalResult emitOps(WarpBuilder &warp,
                            llvm::ArrayRef<mlir::Operation *> ops);
/// The same. What the ops test and learn is forgotten behind them.
llvm::LogicalResult emitScope(WarpBuilder &warp,
                              llvm::ArrayRef<mlir::Operation *> ops);

/// Moves the builder into a region of a conditional that was just made: 0 is
/// "then", 1 "else". The caller emits the yield.
void enterRegion(WarpBuilder &warp, mlir::scf::IfOp made, unsigned side);

} // namespace ptxjit

#endif
