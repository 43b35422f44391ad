//===- ShapeRules.h - how to write and attach shape rules -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_ANALYSIS_SHAPERULES_H
#define PTXJIT_LIB_ANALYSIS_SHAPERULES_H

#include "ptxjit/Analysis/InferShape.h"
#include "ptxjit/Dialect/Constants.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace ptxjit {

template <auto rule> struct ShapeRule;

/// Makes the interface of an op from its rule, a function (OpTy, ShapeInference
/// &).
template <typename OpTy, Shape (*rule)(OpTy, ShapeInference &)>
struct ShapeRule<rule>
    : InferShapeInterface::ExternalModel<ShapeRule<rule>, OpTy> {
  using Op = OpTy;
  Shape inferShape(mlir::Operation *op, ShapeInference &inference) const {
    return rule(llvm::cast<OpTy>(op), inference);
  }
};

/// The same for a lane-wise op with a rule that returns an optional shape. The
/// op counts as merely lane-wise if the rule returns nothing, and if the op
/// does not have exactly one integer result.
template <typename OpTy, std::optional<Shape> (*rule)(OpTy, ShapeInference &)>
struct ShapeRule<rule>
    : InferShapeInterface::ExternalModel<ShapeRule<rule>, OpTy> {
  using Op = OpTy;
  Shape inferShape(mlir::Operation *op, ShapeInference &inference) const {
    if (op->getNumResults() == 1 && op->getResult(0).getType().isInteger())
      if (std::optional<Shape> shape = rule(llvm::cast<OpTy>(op), inference))
        return *shape;
    return inference.merge(op->getOperands());
  }
};

template <auto... rules> void attachShapeRules(mlir::MLIRContext &context) {
  (ShapeRule<rules>::Op::template attachInterface<ShapeRule<rules>>(context),
   ...);
}

// One function per file of rules.
void attachSourceRules(mlir::MLIRContext &context);
void attachArithmeticRules(mlir::MLIRContext &context);
void attachBitRules(mlir::MLIRContext &context);
void attachChoiceRules(mlir::MLIRContext &context);
void attachMemoryRules(mlir::MLIRContext &context);
void attachCollectiveRules(mlir::MLIRContext &context);
void attachUpstreamRules(mlir::MLIRContext &context);

/// The shape of a select: that of both values joined, or the selected numbers
/// if both values and the predicate are known in every lane.
Shape inferSelect(mlir::SelectLikeOpInterface op, ShapeInference &inference);

/// Does a register of this type hold one integer modulo 2^n? (bf16 and packed
/// types are integers in MLIR, but not to the instruction.)
bool isWholeInt(ptx::ScalarType type);

/// The width in bits; 64 for a type without a width.
inline unsigned widthOf(mlir::Value value) {
  mlir::Type type = value.getType();
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
}

} // namespace ptxjit

#endif
