//===- Packed.cpp - f16, bf16 and packed values per chunk -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Packed.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

std::pair<Value, Value> ptxjit::splitParts(ChunkBuilder &c, ScalarType type,
                                           Value value) {
  unsigned width = getBitWidth(getPartType(type));
  Type part = getValueType(c.b.getContext(), getPartType(type));
  Value low = c.resize(value, width, false);
  Value high = c.resize(c.shrBy(value, width, false), width, false);
  return {c.bitcast(low, part), c.bitcast(high, part)};
}

Value ptxjit::joinParts(ChunkBuilder &c, Value low, Value high) {
  unsigned width = c.widthOf(low);
  Value upper = c.shlBy(c.resize(c.bitsOf(high), 2 * width, false), width);
  return c.bitOr(c.resize(c.bitsOf(low), 2 * width, false), upper);
}

Value ptxjit::mapParts(ChunkBuilder &c, ScalarType type, ValueRange in,
                       llvm::function_ref<Value(ValueRange)> compute) {
  if (!isPacked(type))
    return compute(in);
  SmallVector<Value, 3> low, high;
  for (Value v : in) {
    auto [l, h] = c.widthOf(v) == getBitWidth(type) ? splitParts(c, type, v)
                                                    : std::pair(v, v);
    low.push_back(l);
    high.push_back(h);
  }
  Value first = compute(low);
  return joinParts(c, first, compute(high));
}

Value ptxjit::mapLanesOfParts(
    ChunkBuilder &c, ScalarType type, ValueRange in,
    llvm::function_ref<Value(ChunkBuilder &, ValueRange)> compute) {
  if (!isPacked(type))
    return compute(c, in);
  unsigned width = getBitWidth(getPartType(type));
  unsigned values = std::max(c.lanes, 1u);
  ChunkBuilder parts(c.b, c.loc, c.target, values * getBitWidth(type) / width);
  Type packed = VectorType::get(values, c.b.getIntegerType(getBitWidth(type)));
  SmallVector<Value, 2> split;
  for (Value v : in) {
    if (!c.lanes)
      v = c.make<vector::BroadcastOp>(packed, v);
    split.push_back(c.make<vector::BitCastOp>(parts.ints(width), v));
  }
  Value joined = c.make<vector::BitCastOp>(packed, compute(parts, split));
  return c.lanes ? joined
                 : c.make<vector::ExtractOp>(joined, ArrayRef<int64_t>{0});
}

Value ptxjit::flushHalf(ChunkBuilder &c, Value x, bool wanted) {
  if (!wanted)
    return x;
  Value bits = c.bitsOf(x);
  Value exponent = c.bitAnd(bits, c.intConstant(16, 0x7c00));
  Value tiny = c.cmp(CmpIPredicate::eq, exponent, c.intConstant(16, 0));
  Value sign = c.bitAnd(bits, c.intConstant(16, 0x8000));
  return c.bitcast(c.select(tiny, sign, bits), c.elementOf(x));
}

Value ptxjit::widenHalf(ChunkBuilder &c, ScalarType type, Value x, bool ftz) {
  Type f32 = c.b.getF32Type();
  if (type == ScalarType::BF16)
    return c.bitcast(c.shlBy(c.resize(x, 32, false), 16), f32);
  return c.make<arith::ExtFOp>(c.vec(f32), flushHalf(c, x, ftz));
}

Value ptxjit::narrowHalf(ChunkBuilder &c, ScalarType type, Value x, bool ftz,
                         bool towardZero) {
  Value isNaN = c.cmpf(CmpFPredicate::UNO, x, x);
  Value bits;
  if (type == ScalarType::F16) {
    bits = c.bitsOf(c.make<arith::TruncFOp>(c.vec(c.b.getF16Type()), x));
  } else {
    Value wide = c.bitsOf(x);
    if (!towardZero) { // ties to even: add a half, less one where even
      Value odd = c.bitAnd(c.shrBy(wide, 16, false), c.intConstant(32, 1));
      wide = c.add(wide, c.add(odd, c.intConstant(32, 0x7fff)));
    }
    bits = c.resize(c.shrBy(wide, 16, false), 16, false);
  }
  bits = c.select(isNaN, c.intConstant(16, 0x7fff), bits);
  if (type == ScalarType::BF16)
    return bits;
  return flushHalf(c, c.bitcast(bits, c.b.getF16Type()), ftz);
}

Value ptxjit::clampNegative(ChunkBuilder &c, Value x, bool wanted) {
  if (!wanted)
    return x;
  // Not `x > 0 ? x : 0`, which would lose NaN; -0 becomes +0.
  Value zero = c.zero(c.elementOf(x));
  return c.select(c.cmpf(CmpFPredicate::OLE, x, zero), zero, x);
}

/// Turns a result that was rounded to nearest into one rounded to odd. If it is
/// `inexact` and even, the result is its odd neighbour on the other side of the
/// exact value; `outward` if that is farther from zero.
static Value makeOdd(ChunkBuilder &c, Value value, Value inexact,
                     Value outward) {
  unsigned width = c.widthOf(value);
  Value bits = c.bitsOf(value), one = c.intConstant(width, 1);
  Value even =
      c.cmp(CmpIPredicate::eq, c.bitAnd(bits, one), c.intConstant(width, 0));
  Value moved = c.select(outward, c.add(bits, one), c.sub(bits, one));
  bits = c.select(c.bitAnd(inexact, even), moved, bits);
  return c.bitcast(bits, c.elementOf(value));
}

/// Computes the exact error of the addition (TwoSum).
Value ptxjit::addToOdd(ChunkBuilder &c, Value x, Value y) {
  Value sum = c.make<arith::AddFOp>(x, y);
  Value part = c.make<arith::SubFOp>(sum, x);
  Value rest = c.make<arith::SubFOp>(x, c.make<arith::SubFOp>(sum, part));
  Value error = c.make<arith::AddFOp>(rest, c.make<arith::SubFOp>(y, part));
  Value inexact = c.cmpf(CmpFPredicate::ONE, error, c.zero(c.elementOf(error)));
  unsigned width = c.widthOf(sum);
  Value signs = c.bitXor(c.bitsOf(sum), c.bitsOf(error));
  Value outward = c.cmp(CmpIPredicate::sge, signs, c.intConstant(width, 0));
  return makeOdd(c, sum, inexact, outward);
}

Value ptxjit::narrowToOdd(ChunkBuilder &c, Value x) {
  Value narrow = c.make<arith::TruncFOp>(c.vec(c.b.getF32Type()), x);
  Value back = c.make<arith::ExtFOp>(c.vec(c.b.getF64Type()), narrow);
  Value inexact = c.cmpf(CmpFPredicate::ONE, back, x);
  Value magnitude = c.intConstant(64, ~0ull >> 1);
  Value outward = c.cmp(CmpIPredicate::ugt, c.bitAnd(c.bitsOf(x), magnitude),
                        c.bitAnd(c.bitsOf(back), magnitude));
  return makeOdd(c, narrow, inexact, outward);
}

Value ptxjit::fmaToOdd(ChunkBuilder &c, ScalarType type, Value a, Value b,
                       Value d) {
  // The product of two f16 is exact in f32.
  if (type == ScalarType::F16)
    return addToOdd(c, c.make<arith::MulFOp>(a, b), d);
  // The product of two bf16 has few enough digits for f32, but its exponent
  // needs f64.
  Type f64 = c.vec(c.b.getF64Type());
  auto widen = [&](Value x) { return c.make<arith::ExtFOp>(f64, x); };
  Value sum = addToOdd(c, c.make<arith::MulFOp>(widen(a), widen(b)), widen(d));
  return narrowToOdd(c, sum);
}
