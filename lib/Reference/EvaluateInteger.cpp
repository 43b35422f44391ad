//===- EvaluateInteger.cpp - ISA "integer arithmetic instructions" --------===//

#include "Evaluate.h"

#include "ptxjit/Dialect/FormTable.h"
#include "llvm/ADT/APInt.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;
using llvm::APInt;

static APInt make(ScalarType type, Bits bits) {
  return APInt(getBitWidth(type), bits, false, /*implicitTrunc=*/true);
}
static Bits raw(const APInt &value) { return value.getZExtValue(); }
static APInt extend(const APInt &value, unsigned width, bool isSigned) {
  return isSigned ? value.sext(width) : value.zext(width);
}
static bool less(const APInt &a, const APInt &b, bool isSigned) {
  return isSigned ? a.slt(b) : a.ult(b);
}

static APInt product(Part part, ScalarType type, Bits x, Bits y) {
  unsigned n = getBitWidth(type);
  bool s = isSignedInt(type);
  APInt full =
      extend(make(type, x), 2 * n, s) * extend(make(type, y), 2 * n, s);
  switch (part) {
  case Part::Lo:
    return full.trunc(n);
  case Part::Hi:
    return full.lshr(n).trunc(n);
  case Part::Wide:
    return full;
  }
  llvm_unreachable("all parts handled");
}

/// Low 24 bits each; bits 31..0 or 47..16 of the 48-bit product.
static APInt product24(Part part, ScalarType type, Bits x, Bits y) {
  bool s = isSignedInt(type);
  APInt full = extend(make(type, x).trunc(24), 64, s) *
               extend(make(type, y).trunc(24), 64, s);
  return (part == Part::Lo ? full : full.lshr(16)).trunc(32);
}

static APInt divide(ScalarType type, Bits x, Bits y, bool remainder) {
  APInt a = make(type, x), b = make(type, y);
  bool s = isSignedInt(type);
  // Unspecified by the ISA; as the hardware does.
  if (b.isZero())
    return remainder ? a : APInt::getAllOnes(a.getBitWidth());
  if (s && a.isMinSignedValue() && b.isAllOnes())
    return remainder ? APInt(a.getBitWidth(), 0) : a;
  if (s)
    return remainder ? a.srem(b) : a.sdiv(b);
  return remainder ? a.urem(b) : a.udiv(b);
}

static APInt bfind(BfindOp op, Bits x) {
  APInt a = make(op.getTy(), x);
  unsigned msb = a.getBitWidth() - 1;
  if (isSignedInt(op.getTy()) && a.isNegative())
    a.flipAllBits();
  for (int i = int(msb); i >= 0; --i)
    if (a[i])
      return APInt(32, op.getShiftamt() ? msb - i : i);
  return APInt(32, 0xffffffffu);
}

static APInt bfe(BfeOp op, ArrayRef<Bits> in) {
  APInt a = make(op.getTy(), in[0]);
  unsigned msb = a.getBitWidth() - 1;
  unsigned pos = in[1] & 0xff, len = in[2] & 0xff;
  bool sign = false;
  if (isSignedInt(op.getTy()) && len != 0)
    sign = a[std::min(pos + len - 1, msb)];
  APInt d(a.getBitWidth(), 0);
  for (unsigned i = 0; i <= msb; ++i)
    d.setBitVal(i, i < len && pos + i <= msb ? a[pos + i] : sign);
  return d;
}

static APInt bfi(BfiOp op, ArrayRef<Bits> in) {
  APInt a = make(op.getTy(), in[0]), f = make(op.getTy(), in[1]);
  unsigned msb = a.getBitWidth() - 1;
  unsigned pos = in[2] & 0xff, len = in[3] & 0xff;
  for (unsigned i = 0; i < len && pos + i <= msb; ++i)
    f.setBitVal(pos + i, a[i]);
  return f;
}

static APInt dp4a(Dp4aOp op, ArrayRef<Bits> in) {
  APInt d(32, in[2], false, true);
  for (unsigned i = 0; i < 4; ++i) {
    APInt a = APInt(8, in[0] >> (8 * i) & 0xff),
          b = APInt(8, in[1] >> (8 * i) & 0xff);
    d += extend(a, 32, isSignedInt(op.getTy())) *
         extend(b, 32, isSignedInt(op.getTy2()));
  }
  return d;
}

bool reference::evaluateInteger(Operation *raw_, ArrayRef<Bits> in,
                                SmallVectorImpl<Bits> &out) {
  auto give = [&](const APInt &value) {
    out.push_back(raw(value));
    return true;
  };
  if (auto op = dyn_cast<AddIntOp>(raw_)) {
    APInt a = make(op.getTy(), in[0]), b = make(op.getTy(), in[1]);
    return give(op.getSat() ? a.sadd_sat(b) : a + b);
  }
  if (auto op = dyn_cast<SubIntOp>(raw_)) {
    APInt a = make(op.getTy(), in[0]), b = make(op.getTy(), in[1]);
    return give(op.getSat() ? a.ssub_sat(b) : a - b);
  }
  if (auto op = dyn_cast<MulIntOp>(raw_))
    return give(product(op.getPart(), op.getTy(), in[0], in[1]));
  if (auto op = dyn_cast<MadIntOp>(raw_)) {
    APInt p = product(op.getPart(), op.getTy(), in[0], in[1]);
    APInt c(p.getBitWidth(), in[2], false, true);
    return give(op.getSat() ? p.sadd_sat(c) : p + c);
  }
  if (auto op = dyn_cast<Mul24Op>(raw_))
    return give(product24(op.getPart(), op.getTy(), in[0], in[1]));
  if (auto op = dyn_cast<Mad24Op>(raw_)) {
    APInt p = product24(op.getPart(), op.getTy(), in[0], in[1]);
    APInt c(32, in[2], false, true);
    return give(op.getSat() ? p.sadd_sat(c) : p + c);
  }
  if (auto op = dyn_cast<SadOp>(raw_)) {
    APInt a = make(op.getTy(), in[0]), b = make(op.getTy(), in[1]);
    bool swap = less(a, b, isSignedInt(op.getTy()));
    return give(make(op.getTy(), in[2]) + (swap ? b - a : a - b));
  }
  if (auto op = dyn_cast<DivIntOp>(raw_))
    return give(divide(op.getTy(), in[0], in[1], false));
  if (auto op = dyn_cast<RemOp>(raw_))
    return give(divide(op.getTy(), in[0], in[1], true));
  if (auto op = dyn_cast<AbsIntOp>(raw_))
    return give(make(op.getTy(), in[0]).abs());
  if (auto op = dyn_cast<NegIntOp>(raw_))
    return give(-make(op.getTy(), in[0]));
  if (auto op = dyn_cast<MinIntOp>(raw_)) {
    APInt a = make(op.getTy(), in[0]), b = make(op.getTy(), in[1]);
    return give(less(b, a, isSignedInt(op.getTy())) ? b : a);
  }
  if (auto op = dyn_cast<MaxIntOp>(raw_)) {
    APInt a = make(op.getTy(), in[0]), b = make(op.getTy(), in[1]);
    return give(less(a, b, isSignedInt(op.getTy())) ? b : a);
  }
  if (auto op = dyn_cast<PopcOp>(raw_))
    return give(APInt(32, make(op.getTy(), in[0]).popcount()));
  if (auto op = dyn_cast<ClzOp>(raw_))
    return give(APInt(32, make(op.getTy(), in[0]).countl_zero()));
  if (auto op = dyn_cast<BrevOp>(raw_))
    return give(make(op.getTy(), in[0]).reverseBits());
  if (auto op = dyn_cast<BfindOp>(raw_))
    return give(bfind(op, in[0]));
  if (auto op = dyn_cast<BfeOp>(raw_))
    return give(bfe(op, in));
  if (auto op = dyn_cast<BfiOp>(raw_))
    return give(bfi(op, in));
  if (auto op = dyn_cast<Dp4aOp>(raw_))
    return give(dp4a(op, in));
  return false;
}
