//===- ChoiceShapes.cpp - shapes of comparisons and selections ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompareIntegers.h"
#include "ShapeRules.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "ptxjit/Dialect/FormTable.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

static bool isPlainBits(ScalarType type) {
  return type >= ScalarType::B8 && type <= ScalarType::B64;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// The lanes where the comparison holds, if both operands are integers that are
/// known in every lane.
static std::optional<uint32_t> compareKnown(SetpOp op,
                                            ShapeInference &inference) {
  unsigned width = widthOf(op.getA());
  const Shape &a = inference.get(op.getA()), &b = inference.get(op.getB());
  bool isEquality = op.getCmp() == Compare::EQ || op.getCmp() == Compare::NE;
  if (!(isWholeInt(op.getTy()) || (isEquality && isPlainBits(op.getTy()))) ||
      op.getC() || width > 32 || !a.isKnown(width) || !b.isKnown(width))
    return std::nullopt;
  bool isSigned = isSignedInt(op.getTy());
  auto laneOf = [&](const Shape &s, unsigned i) {
    APInt bits(width, s.low + uint64_t(s.pattern ? (*s.pattern)[i] : 0), false,
               /*implicitTrunc=*/true);
    return APSInt(bits, !isSigned);
  };
  uint32_t lanes = 0;
  for (unsigned i = 0; i < 32; ++i) {
    auto holds = compareIntegers(op.getCmp(), laneOf(a, i), laneOf(b, i));
    if (!holds)
      return std::nullopt;
    lanes |= uint32_t(*holds) << i;
  }
  return lanes;
}

/// The shape of a comparison such as tid < 64. It is the same in all lanes if
/// the pattern is below a power of two of which the base and the limit are
/// multiples: then comparing the base alone gives the result.
static Shape compareBases(SetpOp op, ShapeInference &inference) {
  Shape a = inference.get(op.getA()), b = inference.get(op.getB());
  Shape c = op.getC() ? inference.get(op.getC()) : Shape::known(0);
  if (!c.isUniform() || a.isVarying() || b.isVarying())
    return Shape();
  Shape shape =
      Shape::uniform(std::max({a.uniformity, b.uniformity, c.uniformity}));
  if (a.isUniform() && b.isUniform())
    return shape;
  Compare cmp = op.getCmp();
  bool below = cmp == Compare::LT || cmp == Compare::LO || cmp == Compare::GE ||
               cmp == Compare::HS;
  bool upTo = cmp == Compare::LE || cmp == Compare::LS || cmp == Compare::GT ||
              cmp == Compare::HI;
  if (a.isUniform()) { // limit > tid becomes tid < limit
    std::swap(a, b);
    std::swap(below, upTo);
  }
  if (!isWholeInt(op.getTy()) || !b.isUniform() || a.conditional ||
      (!below && !upTo))
    return Shape();
  auto [least, most] =
      std::minmax_element(a.pattern->begin(), a.pattern->end());
  unsigned bits = 64 - llvm::countl_zero(uint64_t(*most));
  if (*least < 0 || a.baseAlign() < bits)
    return Shape();
  bool aligned = below ? b.baseAlign() >= bits
                       : b.min == b.max &&
                             (uint64_t(b.min) + 1) % (uint64_t(1) << bits) == 0;
  return aligned ? shape : Shape();
}

static Shape inferSetp(SetpOp op, ShapeInference &inference) {
  // Set the lanes even if they are unknown: the first visit of a loop may have
  // known them.
  if (op->getNumResults() == 1)
    inference.setLanes(op->getResult(0), compareKnown(op, inference));
  return compareBases(op, inference);
}

//===----------------------------------------------------------------------===//
// Selections
//===----------------------------------------------------------------------===//

Shape ptxjit::inferSelect(SelectLikeOpInterface op, ShapeInference &inference) {
  const Shape &x = inference.get(op.getTrueValue()),
              &y = inference.get(op.getFalseValue()),
              &p = inference.get(op.getCondition());
  Shape shape =
      inference.join(x, y, p.isUniform() ? p.uniformity : Uniformity::Lane);
  unsigned width = widthOf(op->getResult(0));
  auto lanes = inference.getLanes(op.getCondition());
  if (shape.hasBase() || !lanes || !x.isKnown(width) || !y.isKnown(width))
    return shape;
  LanePattern pattern{};
  auto laneOf = [&](unsigned i) {
    const Shape &s = *lanes >> i & 1 ? x : y;
    return int64_t(s.low) + (s.pattern ? (*s.pattern)[i] : 0);
  };
  for (unsigned i = 0; i < 32; ++i)
    pattern[i] = laneOf(i) - laneOf(0);
  shape.uniformity = Uniformity::Grid;
  shape.setKnown(63, uint64_t(laneOf(0)));
  shape.pattern = inference.intern(pattern);
  return shape;
}

static std::optional<Shape> inferSelp(SelpOp op, ShapeInference &inference) {
  return inferSelect(op, inference);
}

void ptxjit::attachChoiceRules(MLIRContext &context) {
  attachShapeRules<inferSetp, inferSelp>(context);
}
