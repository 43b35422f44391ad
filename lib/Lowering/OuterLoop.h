//===- OuterLoop.h - loops whose turns may run side by side -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What JamLoops.cpp has to know of a loop with inner loops. A turn of it has
// two parts. Its front is the inner loops and what they need, and does not
// depend on earlier turns. The rest, which may store, comes behind it.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_OUTERLOOP_H
#define PTXJIT_LIB_LOWERING_OUTERLOOP_H

#include "Loops.h"
#include "ptxjit/Analysis/Shape.h"

#include "llvm/ADT/DenseSet.h"

namespace ptxjit {

/// Where a load of an inner loop reads: at an induction of the loop, in any of
/// its turns, plus values that do not change there.
struct LoadPlace {
  mlir::Value address;
  std::optional<Induction> induction; ///< none: the address does not change
  llvm::SmallVector<mlir::Value> added;

  bool isSame(const LoadPlace &other) const {
    if (!induction || !other.induction)
      return address == other.address;
    return induction->argument == other.induction->argument &&
           added == other.added;
  }
};

/// \param loop  the innermost loop around the load.
std::optional<LoadPlace> findPlace(ptx::LdOp load, mlir::scf::WhileOp loop);

class OuterLoop {
public:
  /// Finds the parts of a turn. Nothing if the front of a turn must not run
  /// before the rest of those in front of it, even if that stores nothing which
  /// the front loads.
  static std::optional<OuterLoop> find(mlir::scf::WhileOp loop);

  mlir::scf::WhileOp getLoop() const { return loop; }
  llvm::ArrayRef<mlir::Operation *> getFront() const { return front; }
  llvm::ArrayRef<mlir::Operation *> getRest() const { return rest; }
  llvm::ArrayRef<ptx::StOp> getStores() const { return stores; }
  /// Arguments of which each turn knows its own from the start. The others come
  /// from the rest of the turn before.
  llvm::ArrayRef<Induction> getInductions() const { return inductions; }
  /// The one that the loop's condition tests, and what each turn adds to it.
  const Induction &getCounter() const { return inductions[counter]; }
  const llvm::APInt &getStep() const { return step; }
  /// The condition: of the counter of the next turn.
  const Bound &getBound() const { return bound; }

  /// Does the value of the front differ from turn to turn?
  bool varies(mlir::Value value) const { return varying.contains(value); }
  bool varies(mlir::Operation *op) const;
  /// Is the op a loop, or a conditional, that all turns run alike?
  bool isJammed(mlir::Operation *op) const;
  /// Do the turns load the same in inner loops, by vectors?
  bool sharesLoads(const ShapeAnalysis &shapes) const;

private:
  explicit OuterLoop(mlir::scf::WhileOp loop) : loop(loop) {}
  bool findCounter();
  bool splitTurn();
  bool placeLoads();
  bool addToFront(mlir::Operation *op);
  bool addToFront(mlir::Value value);
  bool markVarying(mlir::Operation *op);
  bool markVarying(mlir::Block &block);
  bool markVarying(mlir::scf::IfOp op);
  bool markVarying(mlir::scf::WhileOp op);
  bool mark(mlir::Value value, bool does);

  mlir::scf::WhileOp loop;
  llvm::SmallVector<Induction, 2> inductions;
  unsigned counter = 0; ///< number in `inductions`
  llvm::APInt step;
  Bound bound;
  llvm::SmallVector<mlir::Operation *> front, rest;
  llvm::SmallVector<ptx::StOp> stores; ///< in the rest
  llvm::DenseSet<mlir::Operation *> inFront;
  llvm::DenseSet<mlir::Value> varying;
};

} // namespace ptxjit

#endif
