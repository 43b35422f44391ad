//===- MatrixHomes.h - sums of matrices where they stay ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_MATRIXHOMES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_MATRIXHOMES_H

#include "AccumulatorHomes.h"
#include "WarpMemory.h"

namespace ptxjit {

/// How a tile's values become its home, and come from it.
struct TileForm {
  TileForm(ptx::MmaOp op, bool isResult);
  ptx::MatrixType type; ///< of the values
  unsigned rows = 16;
  int64_t elementBytes = 4; ///< in the home
  bool saturates = false;
  /// Integers have 8 more behind them, in a vector (lib/Device/Matrix.cpp).
  int64_t homeBytes() const {
    return int64_t(rows) * 8 * elementBytes +
           (type == ptx::MatrixType::S32 ? 64 : 0);
  }
};

/// From here on sums may stay in memory from one instruction to another. Not
/// where parts of a kernel have stacks of their own.
void keepSumsAtHome(WarpBuilder &warp);

/// Where `consumer` goes on with the sum `tile`: where it is, or in a new home.
StackBuffer homeFor(WarpBuilder &warp, mlir::Operation *consumer,
                    llvm::ArrayRef<mlir::Value> tile, const TileForm &form);
/// Leaves the sum `tile` at home for the one that goes on with it, and makes
/// registers of it for others. \returns whether one goes on.
bool keepHome(WarpBuilder &warp, const StackBuffer &home,
              llvm::ArrayRef<mlir::Value> tile, const TileForm &form);

/// Tiles that a loop carries in their homes.
struct CarriedTiles {
  llvm::ArrayRef<AccumulatorHomes::Carried> tiles;
  llvm::SmallVector<StackBuffer, 0> homes;
  llvm::DenseSet<mlir::Value> values; ///< arguments and results
};
/// Brings what the loop adds to into homes.
CarriedTiles enterLoop(WarpBuilder &warp, mlir::scf::WhileOp loop);
/// At the start of the loop's regions: the tiles are at home as `arguments`.
void keepArguments(WarpBuilder &warp, const CarriedTiles &carried,
                   mlir::ValueRange arguments, bool ofCondition);
/// Behind the loop.
void keepResults(WarpBuilder &warp, const CarriedTiles &carried,
                 mlir::ValueRange results);

} // namespace ptxjit

#endif
