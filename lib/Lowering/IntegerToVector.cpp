//===- IntegerToVector.cpp - integer arithmetic per chunk -----------------===//
//
// Nothing here may be poison or trap in any lane: shift amounts are clamped,
// divisors made safe.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/ChunkBuilder.h"

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

LogicalResult emitAdd(ChunkBuilder &c, Operation *op, ValueRange in,
                      Results &out) {
  out.push_back(cast<AddIntOp>(op).getSat() ? saturatingAdd(c, in[0], in[1])
                                            : c.add(in[0], in[1]));
  return success();
}

LogicalResult emitSub(ChunkBuilder &c, Operation *op, ValueRange in,
                      Results &out) {
  out.push_back(cast<SubIntOp>(op).getSat()
                    ? c.intrinsic("llvm.ssub.sat", in[0].getType(), in)
                    : c.sub(in[0], in[1]));
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

LogicalResult emitMin(ChunkBuilder &c, Operation *op, ValueRange in,
                      Results &out) {
  out.push_back(minimum(c, cast<MinIntOp>(op).getTy(), in[0], in[1]));
  return success();
}
LogicalResult emitMax(ChunkBuilder &c, Operation *op, ValueRange in,
                      Results &out) {
  out.push_back(maximum(c, cast<MaxIntOp>(op).getTy(), in[0], in[1]));
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

/// Truncating division whose divisor is safe: no zero, no minimum by -1.
/// Quotients of up to 32 bits are exact through f64, which has vector division.
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
  out.push_back(c.select(d.byZero, in[0], rest));
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
  out.push_back(c.sub(c.intConstant(c.widthOf(in[0]), 0), in[0]));
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

/// Field of `len` bits at `pos`; bits from above the top are the sign.
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

LogicalResult emitDp4a(ChunkBuilder &c, Operation *op, ValueRange in,
                       Results &out) {
  auto dp = cast<Dp4aOp>(op);
  Value sum = in[2];
  auto byteOf = [&](Value x, unsigned i, bool s) {
    return c.shrBy(c.shlBy(x, 24 - 8 * i), 24, s);
  };
  for (unsigned i = 0; i < 4; ++i)
    sum = c.add(sum, c.mul(byteOf(in[0], i, isSigned(dp.getTy())),
                           byteOf(in[1], i, isSigned(dp.getTy2()))));
  out.push_back(sum);
  return success();
}

} // namespace

void ptxjit::addIntegerEmitters(EmitterTable &table) {
  table.add<AddIntOp>(emitAdd);
  table.add<SubIntOp>(emitSub);
  table.add<MulIntOp>(emitMul);
  table.add<MadIntOp>(emitMad);
  table.add<Mul24Op>(emitMul24);
  table.add<Mad24Op>(emitMad24);
  table.add<SadOp>(emitSad);
  table.add<DivIntOp>(emitDiv);
  table.add<RemOp>(emitRem);
  table.add<AbsIntOp>(emitAbs);
  table.add<NegIntOp>(emitNeg);
  table.add<MinIntOp>(emitMin);
  table.add<MaxIntOp>(emitMax);
  table.add<PopcOp>(emitPopc);
  table.add<ClzOp>(emitClz);
  table.add<BrevOp>(emitBrev);
  table.add<BfindOp>(emitBfind);
  table.add<BfeOp>(emitBfe);
  table.add<BfiOp>(emitBfi);
  table.add<Dp4aOp>(emitDp4a);
}
