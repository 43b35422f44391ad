//===- AccumulatorHomes.h - sums that stay in memory ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A multiplication of matrices adds to a tile in memory, its home. Where one
// goes on with the sum of another, also through loops, the tile stays where it
// is instead of becoming registers in between.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_ACCUMULATORHOMES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_ACCUMULATORHOMES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "llvm/ADT/MapVector.h"

namespace ptxjit {

/// The registers of one tile of an accumulator.
using TileValues = llvm::SmallVector<mlir::Value, 4>;

/// The values at `positions`.
TileValues tileAt(mlir::ValueRange values, llvm::ArrayRef<unsigned> positions);

/// What a tile's registers hold: two kinds may have as many of them.
struct TileKind {
  ptx::MatrixType type;
  unsigned rows;
  bool operator==(const TileKind &other) const {
    return type == other.type && rows == other.rows;
  }
};

/// The tiles of an instruction's C, and of its D, one for each 8 columns and
/// the rows of their kind.
struct MatrixTiles {
  explicit MatrixTiles(ptx::MmaOp op);
  TileKind kindOfC{}, kindOfD{};
  /// False if what D gets is not what the next one should add to (numbers that
  /// are limited when they leave).
  bool staysExact = true;
  llvm::SmallVector<TileValues, 4> c, d;
};

class AccumulatorHomes {
public:
  using Positions = llvm::SmallVector<unsigned, 4>;
  /// A tile that a loop carries in its home: where in its arguments (and the
  /// inits and what the body yields), and where in its results (and what the
  /// condition forwards), there perhaps more than once.
  struct Carried {
    Positions args;
    llvm::SmallVector<Positions, 2> results;
    ptx::MmaOp user; ///< one that adds to it
  };

  explicit AccumulatorHomes(ptx::FuncOp func);

  /// The operation that goes on with the sum `tile`; null if none does.
  mlir::Operation *consumerOf(llvm::ArrayRef<mlir::Value> tile) const;
  /// Does nothing else use these values?
  bool onlyConsumed(llvm::ArrayRef<mlir::Value> tile) const;
  llvm::ArrayRef<Carried> carriedBy(mlir::scf::WhileOp loop) const;

private:
  /// Is it what a loop's condition forwards of a tile that the loop carries?
  bool isCarried(mlir::OpOperand &use) const;
  struct Link {
    TileValues tile;
    mlir::Operation *consumer;
  };
  struct Trace {
    llvm::SmallVector<Link> links;
    Positions positions; ///< of the block's arguments
    ptx::MmaOp user;
  };
  /// What `tile` went on from, if it is a tile of D of that kind, which becomes
  /// that of the result; null if it is not.
  const TileValues *continued(llvm::ArrayRef<mlir::Value> tile, TileKind &kind,
                              ptx::MmaOp &mma) const;
  /// Follows a tile back to arguments of `block`.
  bool trace(TileValues tile, TileKind &kind, mlir::Operation *consumer,
             mlir::Block *block, Trace &out);
  const Carried *carry(mlir::scf::WhileOp loop, llvm::ArrayRef<unsigned> args,
                       TileKind kind);
  const MatrixTiles &tilesAt(ptx::MmaOp mma) const;
  void findLoops(TileValues tile, TileKind kind);

  struct Consumer {
    TileValues tile;
    mlir::Operation *op;
  };
  llvm::DenseMap<mlir::Value, Consumer> consumers; ///< by a tile's first value
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Carried, 0>> loops;
  llvm::DenseMap<mlir::Value, MatrixTiles> tilesOf; ///< by first result
};

} // namespace ptxjit

#endif
