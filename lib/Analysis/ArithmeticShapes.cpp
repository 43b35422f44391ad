//===- ArithmeticShapes.cpp - shapes of sums, products and extensions -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "ptxjit/Dialect/FormTable.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

bool ptxjit::isWholeInt(ScalarType type) {
  return isSignedInt(type) || isUnsignedInt(type);
}

using Rule = std::optional<Shape>;

static Rule inferAdd(AddIntOp op, ShapeInference &inference) {
  if (!isWholeInt(op.getTy()) || op.getSat())
    return std::nullopt;
  return inference.add(inference.get(op.getA()), inference.get(op.getB()),
                       widthOf(op.getD()));
}

static Rule inferSub(SubIntOp op, ShapeInference &inference) {
  if (!isWholeInt(op.getTy()) || op.getSat())
    return std::nullopt;
  return inference.add(inference.get(op.getA()), inference.get(op.getB()),
                       widthOf(op.getD()), /*sign=*/-1);
}

static Rule inferNeg(NegIntOp op, ShapeInference &inference) {
  return inference.scale(inference.get(op.getA()), -1, widthOf(op.getD()));
}

/// The product of `mul` and `mad`; nothing is known about the high half.
template <typename Product>
static Rule inferProduct(Product op, ShapeInference &inference) {
  unsigned width = widthOf(op.getD());
  switch (op.getPart()) {
  case Part::Lo:
    return inference.multiply(inference.get(op.getA()),
                              inference.get(op.getB()), width);
  case Part::Wide:
    return inference.multiply(inference.widen(op, 0), inference.widen(op, 1),
                              width);
  case Part::Hi:
    return std::nullopt;
  }
  llvm_unreachable("no part of a product");
}

static Rule inferMul(MulIntOp op, ShapeInference &inference) {
  return inferProduct(op, inference);
}

static Rule inferMad(MadIntOp op, ShapeInference &inference) {
  Rule product = inferProduct(op, inference);
  if (!product)
    return std::nullopt;
  return inference.add(*product, inference.get(op.getC()), widthOf(op.getD()));
}

static Rule inferShl(ShlOp op, ShapeInference &inference) {
  unsigned width = widthOf(op.getD());
  auto amount = constantOf(op.getB());
  if (!amount || amount->uge(width) || width == 1)
    return std::nullopt;
  return inference.scale(inference.get(op.getA()),
                         int64_t(uint64_t(1) << amount->getZExtValue()), width);
}

/// The divisor, if it is a power of two and the dividend is not negative.
template <typename Quotient>
static std::optional<APInt> simpleDivisor(Quotient op,
                                          ShapeInference &inference) {
  auto divisor = constantOf(op.getB());
  bool isSimple = divisor && divisor->isPowerOf2() && !divisor->isNegative() &&
                  inference.get(op.getA()).min >= 0;
  return isSimple ? divisor : std::nullopt;
}

static Rule inferDiv(DivIntOp op, ShapeInference &inference) {
  auto divisor = simpleDivisor(op, inference);
  if (!divisor)
    return std::nullopt;
  return inference.shiftRight(inference.get(op.getA()), divisor->logBase2(),
                              widthOf(op.getD()), /*isSigned=*/false);
}

static Rule inferRem(RemOp op, ShapeInference &inference) {
  auto divisor = simpleDivisor(op, inference);
  if (!divisor)
    return std::nullopt;
  return inference.bitAnd(inference.get(op.getA()),
                          Shape::known(divisor->getSExtValue() - 1),
                          widthOf(op.getD()));
}

static Rule inferCvt(CvtOp op, ShapeInference &inference) {
  if (!isWholeInt(op.getTy()) || !isWholeInt(op.getTy2()) || op.getSat())
    return std::nullopt;
  unsigned width = widthOf(op.getD());
  if (width > getBitWidth(op.getTy2()))
    return inference.widen(op, 0);
  return inference.truncate(inference.get(op.getA()), width);
}

void ptxjit::attachArithmeticRules(MLIRContext &context) {
  attachShapeRules<inferAdd, inferSub, inferNeg, inferMul, inferMad, inferShl,
                   inferDiv, inferRem, inferCvt>(context);
}
