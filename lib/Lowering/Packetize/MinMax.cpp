//===- MinMax.cpp - minimum and maximum of floats -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX orders -0 before +0 and takes the number beside a NaN. So does AVX-512's
// vrange, but not beside a signaling NaN. A vrange gives none, nor does other
// arithmetic that LLVM cannot remove, so what these have computed needs no
// preparation; what was loaded, say, is made quiet first.
//
//===----------------------------------------------------------------------===//

#include "MinMax.h"
#include "Registers.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptxjit;
using arith::CmpFPredicate;

static constexpr llvm::StringLiteral kRange = "llvm.x86.avx512.mask.range.";

/// Is it a finite number other than -1, 0 and 1?
static bool isOtherNumber(Value v) {
  llvm::APFloat number(0.0);
  return matchPattern(v, m_ConstantFloat(&number)) && number.isFinite() &&
         !number.isZero() && !abs(number).isExactlyValue(1.0);
}

/// Does the operation change numbers, whatever its other operand is? LLVM
/// replaces x * 1, x - 0 and the like by x, which may be a signaling NaN, also
/// where it finds out only later that an operand is such a number.
static bool changesNumbers(Operation *op) {
  if (auto fma = dyn_cast<math::FmaOp>(op))
    return isOtherNumber(fma.getC());
  return llvm::any_of(op->getOperands(), isOtherNumber);
}

/// Is `v`, or the float that has its bits, never a signaling NaN?
/// \param depth  of the values that are looked at.
static bool isQuiet(Value v, unsigned depth = 4) {
  llvm::APFloat number(0.0);
  if (matchPattern(v, m_ConstantFloat(&number)))
    return !number.isSignaling();
  Operation *op = v.getDefiningOp();
  if (!op || !depth)
    return false;
  auto areQuiet = [&](auto... values) {
    return (isQuiet(values, depth - 1) && ...);
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<arith::ExtFOp, arith::SIToFPOp, arith::UIToFPOp, math::SqrtOp>(
          [](auto) { return true; })
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
            math::FmaOp>([](auto op) { return changesNumbers(op); })
      .Case<LLVM::CallIntrinsicOp>(
          [](auto call) { return call.getIntrin().starts_with(kRange); })
      .Case<arith::BitcastOp>([&](auto op) {
        return ChunkBuilder::widthOf(op.getIn()) == ChunkBuilder::widthOf(v) &&
               areQuiet(op.getIn());
      })
      .Case<arith::SelectOp>([&](auto op) {
        return areQuiet(op.getTrueValue(), op.getFalseValue());
      })
      .Case<LLVM::ShuffleVectorOp, vector::ShuffleOp>(
          [&](auto op) { return areQuiet(op.getV1(), op.getV2()); })
      .Default(false);
}

static Value makeQuiet(ChunkBuilder &c, Value v) {
  return isQuiet(v) ? v : c.intrinsic("llvm.canonicalize", v.getType(), v);
}

/// Calls vrange on vectors of 128, 256 or 512 bits.
static Value callRange(ChunkBuilder &c, bool isMin, Value a, Value b) {
  auto type = cast<VectorType>(a.getType());
  unsigned lanes = unsigned(type.getNumElements()), width = c.widthOf(a);
  bool isWhole = lanes * width == 512;
  // The sign is that of the operand which is taken.
  Value how = c.make<arith::ConstantIntOp>(isMin ? 4 : 5, 32);
  Value all = c.make<arith::ConstantIntOp>(-1, std::max(lanes, 8u));
  SmallVector<Value> args{a, b, how, a, all};
  if (isWhole) // _MM_FROUND_CUR_DIRECTION
    args.push_back(c.make<arith::ConstantIntOp>(4, 32));
  std::string name = (kRange + (width == 32 ? "ps." : "pd.")).str() +
                     std::to_string(lanes * width);
  return c.intrinsic(name, type, args);
}

static Value emitRange(ChunkBuilder &c, bool isMin, Value a, Value b) {
  auto emit = [&](ValueRange in) { return callRange(c, isMin, in[0], in[1]); };
  auto type = cast<VectorType>(a.getType());
  int64_t bits = type.getNumElements() * c.widthOf(a);
  if (bits == 128 || bits == 256)
    return callRange(c, isMin, a, b);
  return onRegisters(c, {a, b}, emit);
}

Value ptxjit::minMaxFloat(ChunkBuilder &c, bool isMin, bool propagate, Value a,
                          Value b) {
  bool hasRange = c.target.embeddedRounding && isa<VectorType>(a.getType());
  Value value;
  if (hasRange && propagate)
    value = emitRange(c, isMin, a, b);
  else if (hasRange)
    value = emitRange(c, isMin, makeQuiet(c, a), makeQuiet(c, b));
  else
    value = c.intrinsic(isMin ? "llvm.minimumnum" : "llvm.maximumnum",
                        a.getType(), {a, b});
  if (!propagate)
    return value;
  assert(c.widthOf(a) == 32 && ".NaN is for f32 and what is widened to it");
  Value canonical = c.bitcast(c.intConstant(32, 0x7fffffff), c.b.getF32Type());
  return c.select(c.cmpf(CmpFPredicate::UNO, a, b), canonical, value);
}
