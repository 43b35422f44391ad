//===- BitShapes.cpp - shapes of logic, shifts and bit fields -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "ptxjit/Dialect/FormTable.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

using Rule = std::optional<Shape>;
using Bits = ArrayRef<uint64_t>;

/// Narrows the range of `or` and `xor`: no bit is set above the bits of both.
static void narrowOrRange(Shape &shape, const Shape &a, const Shape &b) {
  if (a.min < 0 || b.min < 0)
    return;
  uint64_t most = uint64_t(a.max) | uint64_t(b.max);
  shape.min = std::max<int64_t>(shape.min, 0);
  shape.max = std::min(shape.max, int64_t(llvm::maskTrailingOnes<uint64_t>(
                                      llvm::bit_width(most))));
}

static Rule inferAnd(AndOp op, ShapeInference &inference) {
  unsigned width = widthOf(op.getD());
  if (width == 1)
    return std::nullopt;
  return inference.bitAnd(inference.get(op.getA()), inference.get(op.getB()),
                          width);
}

/// The rule of `or` and `xor`.
template <typename Logic>
static Rule inferOrLike(Logic op, ShapeInference &inference,
                        llvm::function_ref<uint64_t(Bits)> compute) {
  unsigned width = widthOf(op.getD());
  if (width == 1)
    return std::nullopt;
  Shape a = inference.get(op.getA()), b = inference.get(op.getB());
  Shape shape = inference.bitwise({a, b}, width, compute);
  narrowOrRange(shape, a, b);
  return shape;
}

static Rule inferOr(OrOp op, ShapeInference &inference) {
  return inferOrLike(op, inference, [](Bits x) { return x[0] | x[1]; });
}

static Rule inferXor(XorOp op, ShapeInference &inference) {
  return inferOrLike(op, inference, [](Bits x) { return x[0] ^ x[1]; });
}

static Rule inferNot(NotOp op, ShapeInference &inference) {
  unsigned width = widthOf(op.getD());
  if (width == 1)
    return std::nullopt;
  return inference.bitwise({inference.get(op.getA())}, width,
                           [](Bits x) { return ~x[0]; });
}

static Rule inferLop3(Lop3Op op, ShapeInference &inference) {
  auto table = constantOf(op.getImmLut());
  if (!table)
    return Shape();
  return inference.bitwise({inference.get(op.getA()), inference.get(op.getB()),
                            inference.get(op.getC())},
                           widthOf(op.getD()), [&](Bits x) {
                             uint64_t d = 0;
                             for (unsigned row = 0; row < 8; ++row)
                               if ((*table)[row])
                                 d |= (row & 4 ? x[0] : ~x[0]) &
                                      (row & 2 ? x[1] : ~x[1]) &
                                      (row & 1 ? x[2] : ~x[2]);
                             return d;
                           });
}

static Rule inferShr(ShrOp op, ShapeInference &inference) {
  auto amount = constantOf(op.getB());
  if (!amount)
    return std::nullopt;
  unsigned width = widthOf(op.getD());
  return inference.shiftRight(inference.get(op.getA()),
                              unsigned(amount->getLimitedValue(width)), width,
                              isSignedInt(op.getTy()));
}

/// An unsigned field is a shift and a mask. The pattern of a signed field is
/// known only if all its bits are.
static Rule inferBfe(BfeOp op, ShapeInference &inference) {
  unsigned width = widthOf(op.getD());
  auto at = constantOf(op.getB()), length = constantOf(op.getC());
  bool isSigned = isSignedInt(op.getTy());
  if (!at || !length || length->isZero() ||
      at->getLimitedValue(64) + length->getLimitedValue(64) > width)
    return std::nullopt;
  unsigned bits = unsigned(length->getZExtValue());
  Shape field = inference.bitAnd(
      inference.shiftRight(inference.get(op.getA()),
                           unsigned(at->getZExtValue()), width, false),
      Shape::known(
          llvm::SignExtend64(llvm::maskTrailingOnes<uint64_t>(bits), width)),
      width);
  if (!isSigned)
    return field;
  if (!field.isKnown(width)) {
    Shape shape;
    shape.uniformity = field.isUniform() ? field.uniformity : Uniformity::Lane;
    return shape;
  }
  Shape shape = Shape::known(llvm::SignExtend64(field.low, bits));
  LanePattern pattern{};
  for (unsigned i = 0; i < 32; ++i) {
    uint64_t lane =
        field.low + uint64_t(field.pattern ? (*field.pattern)[i] : 0);
    pattern[i] = llvm::SignExtend64(lane, bits) - shape.min;
  }
  shape.pattern = inference.intern(pattern);
  shape.min = -(int64_t(1) << (bits - 1));
  shape.max = (int64_t(1) << (bits - 1)) - 1;
  return shape;
}

/// Inserts the low bits of a into b, at a constant position.
static Rule inferBfi(BfiOp op, ShapeInference &inference) {
  unsigned width = widthOf(op.getF());
  auto at = constantOf(op.getC()), length = constantOf(op.getD());
  if (!at || !length || length->isZero() || at->uge(width) ||
      length->ugt(width) || (*at + *length).ugt(width))
    return std::nullopt;
  unsigned shift = unsigned(at->getZExtValue());
  uint64_t field =
      llvm::maskTrailingOnes<uint64_t>(unsigned(length->getZExtValue()))
      << shift;
  Shape a =
      inference.scale(inference.get(op.getA()), int64_t(1) << shift, width);
  const Shape &b = inference.get(op.getB());
  Shape shape = inference.bitwise(
      {a, b}, width, [&](Bits x) { return (x[0] & field) | (x[1] & ~field); });
  narrowOrRange(shape, a, b);
  return shape;
}

void ptxjit::attachBitRules(MLIRContext &context) {
  attachShapeRules<inferAnd, inferOr, inferXor, inferNot, inferLop3, inferShr,
                   inferBfe, inferBfi>(context);
}
