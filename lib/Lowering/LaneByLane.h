//===- LaneByLane.h - regions that lanes run in turn ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_LANEBYLANE_H
#define PTXJIT_LIB_LOWERING_LANEBYLANE_H

#include "ptxjit/Analysis/Shape.h"

#include "mlir/IR/Builders.h"

namespace ptxjit {

using ShapeOfFn = llvm::function_ref<const Shape &(mlir::Value)>;

/// Are these ops, the divergent loops among them, faster as scalar code for one
/// active lane after the other, on a CPU whose gathers take as long as the
/// loads of all lanes? They are if almost all that the loops do is to load from
/// places apart, as along rows of a sparse matrix: lanes with short rows then
/// wait for no others. May only be asked before the ops have masks.
bool paysLaneByLane(llvm::iterator_range<mlir::Block::iterator> ops,
                    ShapeOfFn shapeOf);

/// Moves such ops, none of which is a terminator, into a `ptx.each_lane`.
/// \param mask  the lanes that run them; null: all threads of the CTA.
/// \param values  what the results are made from; those of the ops themselves
/// have no other uses any more.
/// \returns the results.
mlir::ResultRange runLaneByLane(mlir::OpBuilder &b, mlir::Location loc,
                                llvm::iterator_range<mlir::Block::iterator> ops,
                                mlir::Value mask, mlir::ValueRange values);

} // namespace ptxjit

#endif
