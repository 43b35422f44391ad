//===- Integers.cpp - integer arithmetic per chunk ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No lane may get poison or trap: shift amounts are clamped, and divisors are
// made safe.
//
//===----------------------------------------------------------------------===//

#include "Dispatch.h"
#include "Packed.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "ptxjit/Dialect/PtxOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using Results = llvm::SmallVectorImpl<Value>;
using arith::CmpIPredicate;

namespace {

bool isSigned(ScalarType type) { return isSignedInt(type); }

Value saturatingAdd(ChunkBuilder &c, Value a, Value b) {
  return c.intrinsic("llvm.sadd.sat", a.getType(), {a, b});
}

template <typename OpTy>
LogicalResult emitSum(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  constexpr bool isAdd = std::is_same_v<OpTy, AddIntOp>;
  auto op = cast<OpTy>(raw);
  bool s = isSigned(getPartType(op.getTy()));
  out.push_back(mapLanesOfParts(
      c, op.getTy(), in, [&](ChunkBuilder &p, ValueRange v) -> Value {
        if (!op.getSat())
          return isAdd ? p.add(v[0], v[1]) : p.sub(v[0], v[1]);
        StringRef name = isAdd ? s ? "llvm.sadd.sat" : "llvm.uadd.sat"
                         : s   ? "llvm.ssub.sat"
                               : "llvm.usub.sat";
        return p.intrinsic(name, v[0].getType(), v);
      }));
  return success();
}

/// The part of a product that `.lo`, `.hi` or `.wide` asks for.
Value multiply(ChunkBuilder &c, Part part, ScalarType type, Value a, Value b) {
  unsigned width = getBitWidth(type);
  bool s = isSigned(type);
  if (part == Part::Lo)
    return c.mul(a, b);
  Value product = c.mul(c.resize(a, 2 * width, s), c.resize(b, 2 * width, s));
  if (part == Part::Wide)
    return product;
  return c.resize(c.shrBy(product, width, false), width, false);
}

LogicalResult emitMul(ChunkBuilder &c, Operation *op, ValueRange in,
                      Results &out) {
  auto mul = cast<MulIntOp>(op);
  out.push_back(multiply(c, mul.getPart(), mul.getTy(), in[0], in[1]));
  return success();
}

LogicalResult emitMad(ChunkBuilder &c, Operation *op, ValueRange in,
                      Results &out) {
  auto mad = cast<MadIntOp>(op);
  Value product = multiply(c, mad.getPart(), mad.getTy(), in[0], in[1]);
  out.push_back(mad.getSat() ? saturatingAdd(c, product, in[2])
                             : c.add(product, in[2]));
  return success();
}

/// Bits 31..0 or 47..16 of the product of the low 24 bits.
Value multiply24(ChunkBuilder &c, Part part, ScalarType type, Value a,
                 Value b) {
  auto low24 = [&](Value x) {
    bool s = isSigned(type);
    return c.resize(c.shrBy(c.shlBy(x, 8), 8, s), 64, s);
  };
  Value product = c.mul(low24(a), low24(b));
  if (part == Part::Hi)
    product = c.shrBy(product, 16, isSigned(type));
  return c.resize(product, 32, false);
}

LogicalResult emitMul24(ChunkBuilder &c, Operation *op, ValueRange in,
                        Results &out) {
  auto mul = cast<Mul24Op>(op);
  out.push_back(multiply24(c, mul.getPart(), mul.getTy(), in[0], in[1]));
  return success();
}

LogicalResult emitMad24(ChunkBuilder &c, Operation *op, ValueRange in,
                        Results &out) {
  auto mad = cast<Mad24Op>(op);
  Value product = multiply24(c, mad.getPart(), mad.getTy(), in[0], in[1]);
  out.push_back(mad.getSat() ? saturatingAdd(c, product, in[2])
                             : c.add(product, in[2]));
  return success();
}

Value minimum(ChunkBuilder &c, ScalarType type, Value a, Value b) {
  return isSigned(type) ? c.make<arith::MinSIOp>(a, b)
                        : c.make<arith::MinUIOp>(a, b);
}
Value maximum(ChunkBuilder &c, ScalarType type, Value a, Value b) {
  return isSigned(type) ? c.make<arith::MaxSIOp>(a, b)
                        : c.make<arith::MaxUIOp>(a, b);
}

template <typename OpTy>
LogicalResult emitMinMax(ChunkBuilder &c, Operation *raw, ValueRange in,
                         Results &out) {
  auto op = cast<OpTy>(raw);
  ScalarType part = getPartType(op.getTy());
  out.push_back(mapLanesOfParts(
      c, op.getTy(), in, [&](ChunkBuilder &p, ValueRange v) -> Value {
        Value d = std::is_same_v<OpTy, MinIntOp> ? minimum(p, part, v[0], v[1])
                                                 : maximum(p, part, v[0], v[1]);
        return op.getRelu() ? p.make<arith::MaxSIOp>(d, p.zero(p.elementOf(d)))
                            : d;
      }));
  return success();
}

LogicalResult emitSad(ChunkBuilder &c, Operation *op, ValueRange in,
                      Results &out) {
  ScalarType type = cast<SadOp>(op).getTy();
  Value difference =
      c.sub(maximum(c, type, in[0], in[1]), minimum(c, type, in[0], in[1]));
  out.push_back(c.add(difference, in[2]));
  return success();
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// Truncating division. The divisor must not be zero, nor -1 for the minimum.
/// Quotients of up to 32 bits are computed in f64, which is exact and has
/// vector division.
Value divideSafely(ChunkBuilder &c, bool s, Value a, Value b, bool constant) {
  unsigned width = c.widthOf(a);
  if (constant || width == 64 || !c.lanes)
    return s ? c.make<arith::DivSIOp>(a, b) : c.make<arith::DivUIOp>(a, b);
  Type f64 = c.vec(c.b.getF64Type());
  auto toDouble = [&](Value x) {
    return s ? c.make<arith::SIToFPOp>(f64, x)
             : c.make<arith::UIToFPOp>(f64, x);
  };
  Value q = c.make<arith::DivFOp>(toDouble(a), toDouble(b));
  return s ? c.make<arith::FPToSIOp>(c.ints(width), q)
           : c.make<arith::FPToUIOp>(c.ints(width), q);
}

struct Division {
  Value quotient, divisor, byZero;
};
Division divide(ChunkBuilder &c, Operation *op, bool s, Value a, Value b) {
  unsigned width = c.widthOf(a);
  APInt value;
  bool constant = matchPattern(op->getOperand(1), m_ConstantInt(&value)) &&
                  !value.isZero() && !value.isAllOnes();
  Value byZero = c.cmp(CmpIPredicate::eq, b, c.intConstant(width, 0));
  Value unsafe = byZero;
  if (s) {
    Value least = c.intConstant(width, uint64_t(1) << (width - 1));
    Value overflow =
        c.bitAnd(c.cmp(CmpIPredicate::eq, a, least),
                 c.cmp(CmpIPredicate::eq, b, c.intConstant(width, ~0ull)));
    unsafe = c.bitOr(unsafe, overflow);
  }
  Value divisor = constant ? b : c.select(unsafe, c.intConstant(width, 1), b);
  return {divideSafely(c, s, a, divisor, constant), divisor, byZero};
}

LogicalResult emitDiv(ChunkBuilder &c, Operation *op, ValueRange in,
                      Results &out) {
  bool s = isSigned(cast<DivIntOp>(op).getTy());
  Division d = divide(c, op, s, in[0], in[1]);
  out.push_back(
      c.select(d.byZero, c.intConstant(c.widthOf(in[0]), ~0ull), d.quotient));
  return success();
}

LogicalResult emitRem(ChunkBuilder &c, Operation *op, ValueRange in,
                      Results &out) {
  bool s = isSigned(cast<RemOp>(op).getTy());
  Division d = divide(c, op, s, in[0], in[1]);
  Value rest = c.sub(in[0], c.mul(d.quotient, d.divisor));
  out.push_back(
      c.select(d.byZero, c.intConstant(c.widthOf(in[0]), ~0ull), rest));
  return success();
}

//===----------------------------------------------------------------------===//
// One operand, and bits
//===----------------------------------------------------------------------===//

LogicalResult emitAbs(ChunkBuilder &c, Operation *op, ValueRange in,
                      Results &out) {
  Value zero = c.intConstant(c.widthOf(in[0]), 0);
  out.push_back(c.select(c.cmp(CmpIPredicate::slt, in[0], zero),
                         c.sub(zero, in[0]), in[0]));
  return success();
}
LogicalResult emitNeg(ChunkBuilder &c, Operation *op, ValueRange in,
                      Results &out) {
  out.push_back(mapLanesOfParts(c, cast<NegIntOp>(op).getTy(), in,
                                [](ChunkBuilder &p, ValueRange v) {
                                  return p.sub(p.zero(p.elementOf(v[0])), v[0]);
                                }));
  return success();
}
LogicalResult emitPopc(ChunkBuilder &c, Operation *op, ValueRange in,
                       Results &out) {
  out.push_back(c.resize(c.make<math::CtPopOp>(in[0]), 32, false));
  return success();
}
LogicalResult emitClz(ChunkBuilder &c, Operation *op, ValueRange in,
                      Results &out) {
  out.push_back(c.resize(c.make<math::CountLeadingZerosOp>(in[0]), 32, false));
  return success();
}
LogicalResult emitBrev(ChunkBuilder &c, Operation *op, ValueRange in,
                       Results &out) {
  out.push_back(c.intrinsic("llvm.bitreverse", in[0].getType(), in[0]));
  return success();
}

LogicalResult emitBfind(ChunkBuilder &c, Operation *op, ValueRange in,
                        Results &out) {
  auto bfind = cast<BfindOp>(op);
  Value a = in[0];
  unsigned width = c.widthOf(a);
  if (isSigned(bfind.getTy())) // negative: look for the highest 0
    a = c.bitXor(a, c.shrBy(a, width - 1, true));
  Value leading = c.make<math::CountLeadingZerosOp>(a);
  Value none = c.cmp(CmpIPredicate::eq, a, c.intConstant(width, 0));
  Value position = bfind.getShiftamt()
                       ? leading
                       : c.sub(c.intConstant(width, width - 1), leading);
  out.push_back(
      c.select(none, c.intConstant(32, ~0ull), c.resize(position, 32, false)));
  return success();
}

/// The field of `len` bits at `pos`. Bits from above the top are copies of the
/// sign, or 0 if unsigned.
LogicalResult emitBfe(ChunkBuilder &c, Operation *op, ValueRange in,
                      Results &out) {
  bool s = isSigned(cast<BfeOp>(op).getTy());
  Value a = in[0];
  unsigned width = c.widthOf(a);
  Value byte = c.intConstant(32, 0xff);
  Value pos = c.resize(c.bitAnd(in[1], byte), width, false);
  Value len = c.resize(c.bitAnd(in[2], byte), width, false);
  Value top = c.intConstant(width, width - 1);
  Value full = c.intConstant(width, width);
  // Shift the field down. Past the top: all sign bits, or zero.
  Value down = c.shr(a, c.umin(pos, top), s);
  if (!s)
    down = c.select(c.cmp(CmpIPredicate::ugt, pos, top),
                    c.intConstant(width, 0), down);
  // Cut to `len` bits, keeping the sign of its highest.
  Value drop = c.sub(full, c.umin(len, full));
  Value safeDrop = c.umin(drop, top);
  Value cut = c.shr(c.shl(down, safeDrop), safeDrop, s);
  Value empty = c.cmp(CmpIPredicate::eq, len, c.intConstant(width, 0));
  out.push_back(c.select(empty, c.intConstant(width, 0), cut));
  return success();
}

LogicalResult emitBfi(ChunkBuilder &c, Operation *op, ValueRange in,
                      Results &out) {
  Value a = in[0], b = in[1];
  unsigned width = c.widthOf(a);
  Value byte = c.intConstant(32, 0xff);
  Value pos = c.resize(c.bitAnd(in[2], byte), width, false);
  Value len = c.resize(c.bitAnd(in[3], byte), width, false);
  Value top = c.intConstant(width, width - 1);
  Value ones = c.intConstant(width, ~0ull);
  Value longLen = c.cmp(CmpIPredicate::ugt, len, top);
  Value field =
      c.select(longLen, ones, c.bitNot(c.shl(ones, c.umin(len, top))));
  Value at = c.umin(pos, top);
  Value mask = c.shl(field, at);
  Value merged =
      c.bitOr(c.bitAnd(c.shl(a, at), mask), c.bitAnd(b, c.bitNot(mask)));
  out.push_back(c.select(c.cmp(CmpIPredicate::ugt, pos, top), b, merged));
  return success();
}

LogicalResult emitFns(ChunkBuilder &c, Operation *, ValueRange in,
                      Results &out) {
  out.push_back(c.callDevice(device::fns, c.b.getI32Type(), in));
  return success();
}

/// The low n bits extended; n = 0 gives 0, n >= 32 (clamp) a itself.
LogicalResult emitSzext(ChunkBuilder &c, Operation *raw, ValueRange in,
                        Results &out) {
  auto op = cast<SzextOp>(raw);
  Value zero = c.intConstant(32, 0), n = in[1];
  if (op.getMode() == ShiftMode::Wrap)
    n = c.bitAnd(n, c.intConstant(32, 31));
  n = c.umin(n, c.intConstant(32, 32));
  Value none = c.cmp(CmpIPredicate::eq, n, zero);
  Value shift = c.bitAnd(c.sub(c.intConstant(32, 32), n),
                         c.intConstant(32, 31)); // not used if n is 0
  Value d = c.shr(c.shl(in[0], shift), shift, isSigned(op.getTy()));
  out.push_back(c.select(none, zero, d));
  return success();
}

/// b ones from bit a on.
LogicalResult emitBmsk(ChunkBuilder &c, Operation *raw, ValueRange in,
                       Results &out) {
  bool wrap = cast<BmskOp>(raw).getMode() == ShiftMode::Wrap;
  Value a = in[0], b = in[1], limit = c.intConstant(32, wrap ? 31 : 32);
  a = wrap ? c.bitAnd(a, limit) : c.umin(a, limit);
  b = wrap ? c.bitAnd(b, limit) : c.umin(b, limit);
  // No shift amount is too large in 64 bits.
  Value one = c.intConstant(64, 1);
  Value ones = c.sub(c.shl(one, c.resize(b, 64, false)), one);
  out.push_back(c.resize(c.shl(ones, c.resize(a, 64, false)), 32, false));
  return success();
}

//===----------------------------------------------------------------------===//
// Extended precision
//===----------------------------------------------------------------------===//

/// a + b + carry, and the carry out of it.
std::pair<Value, Value> addWithCarry(ChunkBuilder &c, Value a, Value b,
                                     Value carry) {
  Value sum = c.add(a, b);
  Value over = c.cmp(CmpIPredicate::ult, sum, a);
  if (!carry)
    return {sum, over};
  Value d = c.add(sum, c.resize(carry, c.widthOf(sum), false));
  return {d, c.bitOr(over, c.cmp(CmpIPredicate::ult, d, sum))};
}
/// a - b - (1 - carry), and the flag as hardware has it: 1 if nothing is
/// borrowed. A subtraction adds the complement, so its flag is a carry.
std::pair<Value, Value> subtractWithCarry(ChunkBuilder &c, Value a, Value b,
                                          Value carry) {
  if (carry)
    return addWithCarry(c, a, c.bitNot(b), carry);
  return {c.sub(a, b), c.cmp(CmpIPredicate::uge, a, b)};
}

template <typename OpTy>
LogicalResult emitCarry(ChunkBuilder &c, Operation *raw, ValueRange in,
                        Results &out) {
  constexpr bool isMad =
      std::is_same_v<OpTy, MadCcOp> || std::is_same_v<OpTy, MadcOp>;
  constexpr bool isSub =
      std::is_same_v<OpTy, SubCcOp> || std::is_same_v<OpTy, SubcOp>;
  unsigned sources = isMad ? 3 : 2;
  Value a = in[0], b = in[1], flag = in.size() > sources ? in.back() : Value();
  if constexpr (isMad) {
    auto op = cast<OpTy>(raw);
    a = multiply(c, op.getPart(), op.getTy(), a, b);
    b = in[2];
  }
  auto [d, carry] =
      isSub ? subtractWithCarry(c, a, b, flag) : addWithCarry(c, a, b, flag);
  out.push_back(d);
  if (raw->getNumResults() > 1)
    out.push_back(carry);
  return success();
}

} // namespace

void ptxjit::addIntegerEmitters(Dispatch &dispatch) {
  dispatch.add<AddIntOp>(emitSum<AddIntOp>);
  dispatch.add<SubIntOp>(emitSum<SubIntOp>);
  dispatch.add<MulIntOp>(emitMul);
  dispatch.add<MadIntOp>(emitMad);
  dispatch.add<Mul24Op>(emitMul24);
  dispatch.add<Mad24Op>(emitMad24);
  dispatch.add<SadOp>(emitSad);
  dispatch.add<DivIntOp>(emitDiv);
  dispatch.add<RemOp>(emitRem);
  dispatch.add<AbsIntOp>(emitAbs);
  dispatch.add<NegIntOp>(emitNeg);
  dispatch.add<MinIntOp>(emitMinMax<MinIntOp>);
  dispatch.add<MaxIntOp>(emitMinMax<MaxIntOp>);
  dispatch.add<PopcOp>(emitPopc);
  dispatch.add<ClzOp>(emitClz);
  dispatch.add<BrevOp>(emitBrev);
  dispatch.add<BfindOp>(emitBfind);
  dispatch.add<BfeOp>(emitBfe);
  dispatch.add<BfiOp>(emitBfi);
  dispatch.add<FnsOp>(emitFns);
  dispatch.add<SzextOp>(emitSzext);
  dispatch.add<BmskOp>(emitBmsk);
  dispatch.add<AddCcOp>(emitCarry<AddCcOp>);
  dispatch.add<AddcOp>(emitCarry<AddcOp>);
  dispatch.add<SubCcOp>(emitCarry<SubCcOp>);
  dispatch.add<SubcOp>(emitCarry<SubcOp>);
  dispatch.add<MadCcOp>(emitCarry<MadCcOp>);
  dispatch.add<MadcOp>(emitCarry<MadcOp>);
}
