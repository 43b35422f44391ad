//===- Conditions.cpp - run-time tests of lane patterns -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conditions.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

Value ptxjit::wrapTest(WarpBuilder &warp, Value base,
                       const LanePattern &pattern, unsigned width,
                       bool isSigned) {
  // Include the base, which need not be the value of any lane.
  int64_t low = std::min<int64_t>(*llvm::min_element(pattern), 0),
          high = std::max<int64_t>(*llvm::max_element(pattern), 0);
  ChunkBuilder s = warp.scalar();
  if (isSigned) {
    int64_t top = int64_t(~uint64_t(0) >> (65 - width)), bottom = -top - 1;
    return warp.both(
        s.cmp(CmpIPredicate::sle, base, s.intConstant(width, top - high)),
        s.cmp(CmpIPredicate::sge, base, s.intConstant(width, bottom - low)));
  }
  uint64_t top = ~uint64_t(0) >> (64 - width);
  return warp.both(
      s.cmp(CmpIPredicate::ule, base, s.intConstant(width, top - high)),
      s.cmp(CmpIPredicate::uge, base, s.intConstant(width, -low)));
}

Value ptxjit::conditionOf(WarpBuilder &warp, Operation *op) {
  Value ok;
  for (Value operand : op->getOperands())
    ok = warp.both(ok, warp.values.condition(operand));
  auto widening = dyn_cast<WideningOpInterface>(op);
  if (!widening)
    return ok;
  for (auto [number, isSigned] : widening.getWidenings()) {
    Value operand = op->getOperand(number);
    const Shape &shape = warp.shapeOf(operand);
    unsigned width = ChunkBuilder::widthOf(operand);
    if (ShapeAnalysis::mayWrap(shape, width, isSigned))
      ok = warp.both(ok, wrapTest(warp, warp.base(operand), *shape.pattern,
                                  width, isSigned));
  }
  return ok;
}

Value ptxjit::patternTest(WarpBuilder &warp, Value v, Value first,
                          const LanePattern &pattern) {
  unsigned width = ChunkBuilder::widthOf(v);
  Value bits = warp.laneBits([&](unsigned c) {
    ChunkBuilder l = warp.lanes();
    Value expected =
        l.add(l.splat(first), warp.patternVector(pattern, c, width));
    return l.cmp(CmpIPredicate::eq, warp.chunk(v, c), expected);
  });
  ChunkBuilder s = warp.scalar();
  return s.cmp(CmpIPredicate::eq, bits, s.intConstant(32, 0xffffffff));
}
