//===- Comparisons.cpp - comparison, logic and shifts per chunk -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dispatch.h"
#include "Packed.h"

#include "mlir/IR/Matchers.h"
#include "ptxjit/Dialect/PtxOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using Results = llvm::SmallVectorImpl<Value>;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

CmpIPredicate ptxjit::intPredicate(Compare cmp, bool isSigned) {
  switch (cmp) {
  case Compare::EQ:
    return CmpIPredicate::eq;
  case Compare::NE:
    return CmpIPredicate::ne;
  case Compare::LT:
    return isSigned ? CmpIPredicate::slt : CmpIPredicate::ult;
  case Compare::LE:
    return isSigned ? CmpIPredicate::sle : CmpIPredicate::ule;
  case Compare::GT:
    return isSigned ? CmpIPredicate::sgt : CmpIPredicate::ugt;
  case Compare::GE:
    return isSigned ? CmpIPredicate::sge : CmpIPredicate::uge;
  case Compare::LO:
    return CmpIPredicate::ult;
  case Compare::LS:
    return CmpIPredicate::ule;
  case Compare::HI:
    return CmpIPredicate::ugt;
  case Compare::HS:
    return CmpIPredicate::uge;
  default:
    llvm_unreachable("float comparison of integers");
  }
}

namespace {

CmpFPredicate floatPredicate(Compare cmp) {
  switch (cmp) {
  case Compare::EQ:
    return CmpFPredicate::OEQ;
  case Compare::NE:
    return CmpFPredicate::ONE;
  case Compare::LT:
    return CmpFPredicate::OLT;
  case Compare::LE:
    return CmpFPredicate::OLE;
  case Compare::GT:
    return CmpFPredicate::OGT;
  case Compare::GE:
    return CmpFPredicate::OGE;
  case Compare::EQU:
    return CmpFPredicate::UEQ;
  case Compare::NEU:
    return CmpFPredicate::UNE;
  case Compare::LTU:
    return CmpFPredicate::ULT;
  case Compare::LEU:
    return CmpFPredicate::ULE;
  case Compare::GTU:
    return CmpFPredicate::UGT;
  case Compare::GEU:
    return CmpFPredicate::UGE;
  case Compare::NUM:
    return CmpFPredicate::ORD;
  case Compare::NAN_:
    return CmpFPredicate::UNO;
  default:
    llvm_unreachable("unsigned comparison of floats");
  }
}

Value compare(ChunkBuilder &c, Compare cmp, ScalarType type, bool ftz, Value a,
              Value b) {
  if (isHalf(type))
    return c.cmpf(floatPredicate(cmp), widenHalf(c, type, a, ftz),
                  widenHalf(c, type, b, ftz));
  if (isFloat(type))
    return c.cmpf(floatPredicate(cmp), c.flush(a, ftz), c.flush(b, ftz));
  return c.cmp(intPredicate(cmp, isSignedInt(type)), a, b);
}

Value combine(ChunkBuilder &c, std::optional<BoolOp> op, Value t, Value with) {
  if (!op)
    return t;
  switch (*op) {
  case BoolOp::And:
    return c.bitAnd(t, with);
  case BoolOp::Or:
    return c.bitOr(t, with);
  case BoolOp::Xor:
    return c.bitXor(t, with);
  }
  llvm_unreachable("all operations handled");
}

LogicalResult emitSetp(ChunkBuilder &c, Operation *raw, ValueRange in,
                       Results &out) {
  auto op = cast<SetpOp>(raw);
  if (isPacked(op.getTy())) { // p compares the low halves, q the high ones
    auto a = splitParts(c, op.getTy(), in[0]),
         b = splitParts(c, op.getTy(), in[1]);
    ScalarType part = getPartType(op.getTy());
    Value with = in.size() > 2 ? in[2] : Value();
    Value low = compare(c, op.getCmp(), part, op.getFtz(), a.first, b.first);
    out.push_back(combine(c, op.getBoolop(), low, with));
    if (op.getP().size() == 1)
      return success();
    Value high = compare(c, op.getCmp(), part, op.getFtz(), a.second, b.second);
    out.push_back(combine(c, op.getBoolop(), high, with));
    return success();
  }
  Value t = compare(c, op.getCmp(), op.getTy(), op.getFtz(), in[0], in[1]);
  Value with = in.size() > 2 ? in[2] : Value();
  out.push_back(combine(c, op.getBoolop(), t, with));
  if (op.getP().size() > 1)
    out.push_back(combine(c, op.getBoolop(), c.bitNot(t), with));
  return success();
}

/// The result of `set`: 1.0 or 0.0, or all ones or 0.
Value truthOf(ChunkBuilder &c, ScalarType type, Value t) {
  if (type == ScalarType::BF16)
    return c.select(t, c.intConstant(16, 0x3f80), c.intConstant(16, 0));
  Type element = getValueType(c.b.getContext(), type);
  if (isFloat(type))
    return c.select(t, c.floatConstant(element, 1.0), c.zero(element));
  return c.resize(t, getBitWidth(type), true);
}

LogicalResult emitSet(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  auto op = cast<SetOp>(raw);
  ScalarType type = op.getTy2(), part = getPartType(type);
  auto decide = [&](ValueRange v) {
    Value t = compare(c, op.getCmp(), part, op.getFtz(), v[0], v[1]);
    return combine(c, op.getBoolop(), t, in.size() > 2 ? in[2] : Value());
  };
  if (!isPacked(type)) {
    out.push_back(truthOf(c, op.getTy(), decide(in)));
    return success();
  }
  ScalarType half =
      isPacked(op.getTy()) ? getPartType(op.getTy()) : ScalarType::U16;
  out.push_back(mapParts(c, type, in.take_front(2), [&](ValueRange v) {
    return truthOf(c, half, decide(v));
  }));
  return success();
}

LogicalResult emitSelp(ChunkBuilder &c, Operation *op, ValueRange in,
                       Results &out) {
  out.push_back(c.select(in[2], in[0], in[1]));
  return success();
}

/// c >= 0 (also -0, not NaN) ? a : b
LogicalResult emitSlct(ChunkBuilder &c, Operation *raw, ValueRange in,
                       Results &out) {
  auto op = cast<SlctOp>(raw);
  Value t = compare(c, Compare::GE, op.getTy2(), op.getFtz(), in[2],
                    c.zero(c.elementOf(in[2])));
  out.push_back(c.select(t, in[0], in[1]));
  return success();
}

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

LogicalResult emitAnd(ChunkBuilder &c, Operation *, ValueRange in,
                      Results &out) {
  out.push_back(c.bitAnd(in[0], in[1]));
  return success();
}
LogicalResult emitOr(ChunkBuilder &c, Operation *, ValueRange in,
                     Results &out) {
  out.push_back(c.bitOr(in[0], in[1]));
  return success();
}
LogicalResult emitXor(ChunkBuilder &c, Operation *, ValueRange in,
                      Results &out) {
  out.push_back(c.bitXor(in[0], in[1]));
  return success();
}
LogicalResult emitNot(ChunkBuilder &c, Operation *, ValueRange in,
                      Results &out) {
  out.push_back(c.bitNot(in[0]));
  return success();
}
LogicalResult emitCnot(ChunkBuilder &c, Operation *, ValueRange in,
                       Results &out) {
  unsigned width = c.widthOf(in[0]);
  Value isZero = c.cmp(CmpIPredicate::eq, in[0], c.intConstant(width, 0));
  out.push_back(c.resize(isZero, width, false));
  return success();
}

/// The function of two bits whose truth table is `table` (bit 2b+c).
Value twoBitFunction(ChunkBuilder &c, unsigned table, Value b, Value d) {
  switch (table & 15) {
  case 0x0:
    return c.intConstant(32, 0);
  case 0x1:
    return c.bitNot(c.bitOr(b, d));
  case 0x2:
    return c.bitAnd(c.bitNot(b), d);
  case 0x3:
    return c.bitNot(b);
  case 0x4:
    return c.bitAnd(b, c.bitNot(d));
  case 0x5:
    return c.bitNot(d);
  case 0x6:
    return c.bitXor(b, d);
  case 0x7:
    return c.bitNot(c.bitAnd(b, d));
  case 0x8:
    return c.bitAnd(b, d);
  case 0x9:
    return c.bitNot(c.bitXor(b, d));
  case 0xa:
    return d;
  case 0xb:
    return c.bitOr(c.bitNot(b), d);
  case 0xc:
    return b;
  case 0xd:
    return c.bitOr(b, c.bitNot(d));
  case 0xe:
    return c.bitOr(b, d);
  default:
    return c.intConstant(32, ~0ull);
  }
}

LogicalResult emitLop3(ChunkBuilder &c, Operation *raw, ValueRange in,
                       Results &out) {
  APInt lut;
  if (!matchPattern(raw->getOperand(3), m_ConstantInt(&lut)))
    return raw->emitOpError("the truth table must be a constant");
  unsigned table = unsigned(lut.getZExtValue() & 0xff);
  Value high = twoBitFunction(c, table >> 4, in[1], in[2]);
  Value low = twoBitFunction(c, table & 15, in[1], in[2]);
  // a ? high : low, as low ^ (a & (low ^ high)).
  out.push_back(c.bitXor(low, c.bitAnd(in[0], c.bitXor(low, high))));
  return success();
}

/// Like lop3, and p = (d != 0) BoolOp q.
LogicalResult emitLop3Pred(ChunkBuilder &c, Operation *raw, ValueRange in,
                           Results &out) {
  if (failed(emitLop3(c, raw, in, out)))
    return failure();
  Value some = c.cmp(CmpIPredicate::ne, out.back(), c.intConstant(32, 0));
  if (raw->getNumResults() > 1)
    out.push_back(
        combine(c, cast<Lop3PredOp>(raw).getBoolop(), some, in.back()));
  return success();
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

/// The shift amount (32 bits), clamped to width-1, as wide as the shifted
/// value.
Value clampAmount(ChunkBuilder &c, Value amount, unsigned width) {
  Value clamped = c.umin(amount, c.intConstant(32, width - 1));
  return c.resize(clamped, width, false);
}
Value isOver(ChunkBuilder &c, Value amount, unsigned width) {
  return c.cmp(CmpIPredicate::uge, amount, c.intConstant(32, width));
}

LogicalResult emitShl(ChunkBuilder &c, Operation *, ValueRange in,
                      Results &out) {
  unsigned width = c.widthOf(in[0]);
  Value shifted = c.shl(in[0], clampAmount(c, in[1], width));
  out.push_back(
      c.select(isOver(c, in[1], width), c.intConstant(width, 0), shifted));
  return success();
}

LogicalResult emitShr(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  unsigned width = c.widthOf(in[0]);
  bool s = isSignedInt(cast<ShrOp>(raw).getTy());
  Value shifted = c.shr(in[0], clampAmount(c, in[1], width), s);
  out.push_back(
      s ? shifted
        : c.select(isOver(c, in[1], width), c.intConstant(width, 0), shifted));
  return success();
}

LogicalResult emitShf(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  auto op = cast<ShfOp>(raw);
  Value a = in[0], b = in[1], amount = in[2];
  bool left = op.getDir() == Direction::Left;
  Value shifted = c.intrinsic(left ? "llvm.fshl" : "llvm.fshr", a.getType(),
                              {b, a, amount});
  if (op.getMode() == ShiftMode::Clamp)
    shifted = c.select(isOver(c, amount, 32), left ? a : b, shifted);
  out.push_back(shifted);
  return success();
}

} // namespace

void ptxjit::addComparisonEmitters(Dispatch &dispatch) {
  dispatch.add<SetpOp>(emitSetp);
  dispatch.add<SetOp>(emitSet);
  dispatch.add<SelpOp>(emitSelp);
  dispatch.add<SlctOp>(emitSlct);
  dispatch.add<AndOp>(emitAnd);
  dispatch.add<OrOp>(emitOr);
  dispatch.add<XorOp>(emitXor);
  dispatch.add<NotOp>(emitNot);
  dispatch.add<CnotOp>(emitCnot);
  dispatch.add<Lop3Op>(emitLop3);
  dispatch.add<Lop3PredOp>(emitLop3Pred);
  dispatch.add<ShlOp>(emitShl);
  dispatch.add<ShrOp>(emitShr);
  dispatch.add<ShfOp>(emitShf);
}
