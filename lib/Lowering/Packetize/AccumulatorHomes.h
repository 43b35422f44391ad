//===- AccumulatorHomes.h - accumulators kept in memory ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix multiplication adds to tiles in memory, their homes. Where the sum
// of one multiplication is the accumulator of the next, also across loop
// iterations, the tile stays in its home. It is not turned into registers in
// between. This analysis finds those tiles; MatrixHomes emits the code.
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

/// How the registers of a tile are read. Tiles of different kinds may have the
/// same number of registers.
struct TileKind {
  ptx::MatrixType type;
  unsigned rows, columns;
  /// Multiplications of a warpgroup add to it. They may not have been done yet.
  bool isQueued;
  bool operator==(const TileKind &other) const {
    return type == other.type && rows == other.rows &&
           columns == other.columns && isQueued == other.isQueued;
  }
};

/// Is the op one that MatrixTiles describes: `ptx.mma`, `ptx.wgmma` or
/// `ptx.settle`?
bool hasTiles(mlir::Operation *op);

/// The tiles of an instruction's C and D. A tile of `mma` is 8 columns wide;
/// all of D is one tile of `wgmma`. `settle` passes its tile on.
struct MatrixTiles {
  /// \param op  one of hasTiles.
  explicit MatrixTiles(mlir::Operation *op);
  TileKind kindOfC{}, kindOfD{};
  /// False if D is saturated when it leaves the home. The next instruction must
  /// then add to the registers, not to the home.
  bool staysExact = true;
  llvm::SmallVector<TileValues, 4> c, d;
};

class AccumulatorHomes {
public:
  using Positions = llvm::SmallVector<unsigned, 4>;
  /// A tile that a loop carries in its home. `args` are its positions in the
  /// arguments of the loop, in the inits and in the operands of the yield.
  /// `results` are its positions in the results, and in what the condition
  /// forwards; a condition may forward a tile several times.
  struct Carried {
    Positions args;
    llvm::SmallVector<Positions, 2> results;
    mlir::Operation *user; ///< an instruction that adds to it
  };

  explicit AccumulatorHomes(ptx::FuncOp func);

  /// The operation that takes over the home of `tile`; null if none does.
  mlir::Operation *consumerOf(llvm::ArrayRef<mlir::Value> tile) const;
  /// Are all uses of `tile` by its consumer?
  bool onlyConsumed(llvm::ArrayRef<mlir::Value> tile) const;
  llvm::ArrayRef<Carried> carriedBy(mlir::scf::WhileOp loop) const;

private:
  /// Does a loop's condition forward the operand as part of a tile that the
  /// loop carries?
  bool isCarried(mlir::OpOperand &use) const;
  struct Link {
    TileValues tile;
    mlir::Operation *consumer;
  };
  struct Trace {
    llvm::SmallVector<Link> links;
    Positions positions; ///< in the block's arguments
    mlir::Operation *user = nullptr;
  };
  /// The C tile to which an instruction added to get `tile`, if `tile` is one
  /// of its D tiles and has that kind. `kind` becomes the kind of the result.
  /// Null if `tile` is no such tile.
  const TileValues *continued(llvm::ArrayRef<mlir::Value> tile, TileKind &kind,
                              mlir::Operation *&adds) const;
  /// Follows a tile back through additions and inner loops to arguments of
  /// `block`.
  bool trace(TileValues tile, TileKind &kind, mlir::Operation *consumer,
             mlir::Block *block, Trace &out);
  const Carried *carry(mlir::scf::WhileOp loop, llvm::ArrayRef<unsigned> args,
                       TileKind kind);
  const MatrixTiles &tilesAt(mlir::Operation *op) const;
  void findLoops(TileValues tile, TileKind kind);

  struct Consumer {
    TileValues tile;
    mlir::Operation *op;
  };
  llvm::DenseMap<mlir::Value, Consumer> consumers; ///< by a tile's first value
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Carried, 0>> loops;
  llvm::DenseMap<mlir::Operation *, MatrixTiles> tilesOf;
};

} // namespace ptxjit

#endif
