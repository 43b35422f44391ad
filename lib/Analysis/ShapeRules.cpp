//===- ShapeRules.cpp - attaches the shape rules to their ops -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// Ops of upstream dialects
//===----------------------------------------------------------------------===//

using Rule = std::optional<Shape>;

static Shape inferConstant(arith::ConstantOp op, ShapeInference &) {
  if (auto integer = dyn_cast<IntegerAttr>(op.getValue()))
    return Shape::known(integer.getValue().getSExtValue());
  return Shape::uniform(Uniformity::Grid);
}

static Rule inferAddI(arith::AddIOp op, ShapeInference &inference) {
  return inference.add(inference.get(op.getLhs()), inference.get(op.getRhs()),
                       widthOf(op));
}

static Rule inferMulI(arith::MulIOp op, ShapeInference &inference) {
  return inference.multiply(inference.get(op.getLhs()),
                            inference.get(op.getRhs()), widthOf(op));
}

template <typename Extension>
static Rule inferExtension(Extension op, ShapeInference &inference) {
  if (widthOf(op.getIn()) == 1)
    return std::nullopt;
  return inference.widen(cast<WideningOpInterface>(op.getOperation()), 0);
}
static Rule inferExtUI(arith::ExtUIOp op, ShapeInference &inference) {
  return inferExtension(op, inference);
}
static Rule inferExtSI(arith::ExtSIOp op, ShapeInference &inference) {
  return inferExtension(op, inference);
}

static Rule inferTruncI(arith::TruncIOp op, ShapeInference &inference) {
  if (widthOf(op) == 1)
    return std::nullopt;
  return inference.truncate(inference.get(op.getIn()), widthOf(op));
}

/// A `ptx.undef`, which stands for a value that does not exist on this path,
/// does not count.
static Shape inferArithSelect(arith::SelectOp op, ShapeInference &inference) {
  Value a = op.getTrueValue(), b = op.getFalseValue();
  if (a == b || b.getDefiningOp<UndefOp>())
    return inference.get(a);
  if (a.getDefiningOp<UndefOp>())
    return inference.get(b);
  return inferSelect(op, inference);
}

namespace {
template <typename OpTy, bool isSigned>
struct Extends
    : WideningOpInterface::ExternalModel<Extends<OpTy, isSigned>, OpTy> {
  SmallVector<Widening, 2> getWidenings(Operation *) const {
    return {{0, isSigned}};
  }
};
} // namespace

void ptxjit::attachUpstreamRules(MLIRContext &context) {
  attachShapeRules<inferConstant, inferAddI, inferMulI, inferExtUI, inferExtSI,
                   inferTruncI, inferArithSelect>(context);
  arith::ExtUIOp::attachInterface<Extends<arith::ExtUIOp, false>>(context);
  arith::ExtSIOp::attachInterface<Extends<arith::ExtSIOp, true>>(context);
}

//===----------------------------------------------------------------------===//
// All rules
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/InferShape.cpp.inc"

void ptxjit::registerShapeRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, PtxDialect *,
                            arith::ArithDialect *) {
    for (auto *attach : {attachSourceRules, attachArithmeticRules,
                         attachBitRules, attachChoiceRules, attachMemoryRules,
                         attachCollectiveRules, attachUpstreamRules})
      attach(*context);
  });
}
