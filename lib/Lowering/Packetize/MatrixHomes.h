//===- MatrixHomes.h - code for accumulator homes ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the code that keeps accumulator tiles in memory, where AccumulatorHomes
// has found that they may stay.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_MATRIXHOMES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_MATRIXHOMES_H

#include "AccumulatorHomes.h"
#include "WarpMemory.h"

namespace ptxjit {

/// The layout of a tile in registers and in its home.
struct TileForm {
  /// \param op  one of hasTiles.
  TileForm(mlir::Operation *op, bool isResult);
  TileKind kind;
  int64_t elementBytes = 4; ///< of an element in the home
  bool saturates = false;
  /// Behind the 8 columns of an integer home of `mma` lie 64 bytes for what is
  /// to be subtracted from each column (lib/Device/Matrix.cpp).
  int64_t homeBytes() const {
    bool hasExcess = kind.type == ptx::MatrixType::S32 && !kind.isQueued;
    return int64_t(kind.rows) * kind.columns * elementBytes +
           (hasExcess ? 64 : 0);
  }
  /// Registers of 8 columns.
  unsigned registersEach() const {
    return kind.rows / 8 * (kind.type == ptx::MatrixType::F16 ? 1 : 2);
  }
};

/// Lets sums stay in memory from one instruction to another. Must not be called
/// for a split kernel: its warps share the stack buffers, so a home would not
/// outlast a part.
void keepSumsAtHome(WarpBuilder &warp);

/// Is the sum `tile` in a home that `consumer` takes over?
bool isAtHome(WarpBuilder &warp, mlir::Operation *consumer,
              llvm::ArrayRef<mlir::Value> tile);
/// The home in which `consumer` adds to the sum `tile`: its present home, or a
/// new one. A new one is not filled if `isOverwritten`.
StackBuffer homeFor(WarpBuilder &warp, mlir::Operation *consumer,
                    llvm::ArrayRef<mlir::Value> tile, const TileForm &form,
                    bool isOverwritten = false);
/// Gives back a home that no tile has any more.
void dropHome(WarpBuilder &warp, const StackBuffer &home, const TileForm &form);
/// Does keepHome make registers of the sum `tile`?
bool leavesHome(WarpBuilder &warp, llvm::ArrayRef<mlir::Value> tile);
/// Leaves the sum `tile` in its home for its consumer, and makes registers of
/// it for other uses. \returns true if the tile has a consumer.
bool keepHome(WarpBuilder &warp, const StackBuffer &home,
              llvm::ArrayRef<mlir::Value> tile, const TileForm &form);

/// Tiles that a loop carries in their homes.
struct CarriedTiles {
  llvm::ArrayRef<AccumulatorHomes::Carried> tiles;
  llvm::SmallVector<StackBuffer, 0> homes;
  llvm::DenseSet<mlir::Value> values; ///< their arguments and results
};
/// Moves the tiles that the loop carries into homes, in front of the loop.
CarriedTiles enterLoop(WarpBuilder &warp, mlir::scf::WhileOp loop);
/// Called at the start of each region of the loop: the tiles are in their homes
/// as `arguments`.
void keepArguments(WarpBuilder &warp, const CarriedTiles &carried,
                   mlir::ValueRange arguments, bool ofCondition);
/// Called behind the loop: the tiles are in their homes as `results`.
void keepResults(WarpBuilder &warp, const CarriedTiles &carried,
                 mlir::ValueRange results);

} // namespace ptxjit

#endif
