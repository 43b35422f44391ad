//===- EvaluateInteger.cpp - ISA "integer arithmetic instructions" --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

/// Multiplies the low 24 bits. Returns bits 31..0 or 47..16 of the product.
static APInt product24(Part part, ScalarType type, Bits x, Bits y) {
  bool s = isSignedInt(type);
  APInt full = extend(make(type, x).trunc(24), 64, s) *
               extend(make(type, y).trunc(24), 64, s);
  return (part == Part::Lo ? full : full.lshr(16)).trunc(32);
}

static APInt divide(ScalarType type, Bits x, Bits y, bool remainder) {
  APInt a = make(type, x), b = make(type, y);
  bool s = isSignedInt(type);
  // The ISA leaves these cases open; we do what the hardware does.
  if (b.isZero())
    return APInt::getAllOnes(a.getBitWidth());
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

static APInt dp2a(Dp2aOp op, ArrayRef<Bits> in) {
  APInt d(32, in[2], false, true);
  unsigned first = op.getPart() == Part::Hi ? 2 : 0;
  for (unsigned i = 0; i < 2; ++i) {
    APInt a = APInt(16, in[0] >> (16 * i) & 0xffff),
          b = APInt(8, in[1] >> (8 * (first + i)) & 0xff);
    d += extend(a, 32, isSignedInt(op.getTy())) *
         extend(b, 32, isSignedInt(op.getTy2()));
  }
  return d;
}

/// Follows the ISA's loop.
static Bits findNthSet(Bits mask, uint32_t base, int32_t offset) {
  if (base > 31) // undefined
    return 0xffffffffu;
  if (offset == 0)
    return mask >> base & 1 ? base : 0xffffffffu;
  int64_t pos = base, count = std::abs(int64_t(offset)) - 1;
  int step = offset > 0 ? 1 : -1;
  for (; pos >= 0 && pos < 32; pos += step)
    if (mask >> pos & 1) {
      if (count == 0)
        return Bits(pos);
      --count;
    }
  return 0xffffffffu;
}

static Bits signOrZeroExtend(SzextOp op, uint32_t a, uint32_t n) {
  if (op.getMode() == ShiftMode::Wrap)
    n &= 31;
  if (n == 0)
    return 0;
  if (n >= 32)
    return a;
  APInt low = APInt(32, a).trunc(n);
  return raw(extend(low, 32, isSignedInt(op.getTy())));
}

/// ISA: mask0 & ~mask1.
static Bits bitMask(BmskOp op, uint32_t a, uint32_t b) {
  bool wrap = op.getMode() == ShiftMode::Wrap;
  uint64_t a1 = wrap ? a & 31 : a, b1 = wrap ? b & 31 : b;
  uint32_t d = 0;
  for (uint64_t i = 0; i < 32; ++i)
    if (i >= a1 && i < a1 + b1)
      d |= 1u << i;
  return d;
}

/// Instructions that read or only set the carry flag. Subtractions set it to 1
/// if nothing was borrowed.
static bool evaluateCarry(Operation *op, ArrayRef<Bits> in,
                          SmallVectorImpl<Bits> &out) {
  if (!isa<AddCcOp, AddcOp, SubCcOp, SubcOp, MadCcOp, MadcOp>(op))
    return false;
  ScalarType type = cast<ScalarTypeAttr>(*op->getInherentAttr("ty")).getValue();
  unsigned n = getBitWidth(type);
  bool takesFlag = isa<AddcOp, SubcOp, MadcOp>(op);
  APInt flag(2 * n + 2, takesFlag ? in.back() : 0);
  auto wide = [&](const APInt &x) { return x.zext(2 * n + 2); };
  APInt a = make(type, in[0]), b = make(type, in[1]);
  if (auto mad = dyn_cast<MadCcOp>(op))
    a = product(mad.getPart(), type, in[0], in[1]), b = make(type, in[2]);
  if (auto mad = dyn_cast<MadcOp>(op))
    a = product(mad.getPart(), type, in[0], in[1]), b = make(type, in[2]);
  bool isSub = isa<SubCcOp, SubcOp>(op);
  if (isSub)
    flag = takesFlag && flag.isZero() ? 1 : 0; // the borrow
  APInt exact = isSub ? wide(a) - (wide(b) + flag) : wide(a) + wide(b) + flag;
  out.push_back(raw(exact.trunc(n)));
  if (op->getNumResults() > 1)
    out.push_back(isSub ? exact.isNonNegative() : exact[n]);
  return true;
}

/// Evaluates the parts of a packed type, one after the other.
template <typename OpTy>
static bool
evaluateParts(Operation *inst, ArrayRef<Bits> in, SmallVectorImpl<Bits> &out,
              llvm::function_ref<APInt(APInt, APInt, bool)> compute) {
  auto op = dyn_cast<OpTy>(inst);
  if (!op || getPartType(op.getTy()) == op.getTy())
    return false;
  ScalarType part = getPartType(op.getTy());
  Bits d = 0;
  unsigned width = getBitWidth(part);
  for (unsigned at = 0; at < getBitWidth(op.getTy()); at += width) {
    APInt b = in.size() > 1 ? make(part, in[1] >> at) : APInt(width, 0);
    d |= raw(compute(make(part, in[0] >> at), b, isSignedInt(part))) << at;
  }
  out.push_back(d);
  return true;
}

/// `.relu` of min and max: turns negative values into 0.
static APInt relu(Operation *op, const APInt &x) {
  auto attr = op->getInherentAttr("relu");
  return attr && *attr && x.isNegative() ? APInt(x.getBitWidth(), 0) : x;
}

bool reference::evaluateInteger(Operation *inst, ArrayRef<Bits> in,
                                SmallVectorImpl<Bits> &out) {
  auto give = [&](const APInt &value) {
    out.push_back(raw(value));
    return true;
  };
  auto least = [&](const APInt &a, const APInt &b, bool s) {
    return relu(inst, less(b, a, s) ? b : a);
  };
  auto most = [&](const APInt &a, const APInt &b, bool s) {
    return relu(inst, less(a, b, s) ? b : a);
  };
  auto sat = inst->getInherentAttr("sat");
  bool saturates = sat && *sat;
  auto sum = [&](const APInt &a, const APInt &b, bool s) {
    if (!saturates)
      return a + b;
    return s ? a.sadd_sat(b) : a.uadd_sat(b);
  };
  auto difference = [&](const APInt &a, const APInt &b, bool s) {
    if (!saturates)
      return a - b;
    return s ? a.ssub_sat(b) : a.usub_sat(b);
  };
  if (evaluateCarry(inst, in, out) ||
      evaluateParts<AddIntOp>(inst, in, out, sum) ||
      evaluateParts<SubIntOp>(inst, in, out, difference) ||
      evaluateParts<NegIntOp>(
          inst, in, out,
          [](const APInt &a, const APInt &, bool) { return -a; }) ||
      evaluateParts<MinIntOp>(inst, in, out, least) ||
      evaluateParts<MaxIntOp>(inst, in, out, most))
    return true;
  if (auto op = dyn_cast<AddIntOp>(inst))
    return give(sum(make(op.getTy(), in[0]), make(op.getTy(), in[1]),
                    isSignedInt(op.getTy())));
  if (auto op = dyn_cast<SubIntOp>(inst))
    return give(difference(make(op.getTy(), in[0]), make(op.getTy(), in[1]),
                           isSignedInt(op.getTy())));
  if (auto op = dyn_cast<MulIntOp>(inst))
    return give(product(op.getPart(), op.getTy(), in[0], in[1]));
  if (auto op = dyn_cast<MadIntOp>(inst)) {
    APInt p = product(op.getPart(), op.getTy(), in[0], in[1]);
    APInt c(p.getBitWidth(), in[2], false, true);
    return give(op.getSat() ? p.sadd_sat(c) : p + c);
  }
  if (auto op = dyn_cast<Mul24Op>(inst))
    return give(product24(op.getPart(), op.getTy(), in[0], in[1]));
  if (auto op = dyn_cast<Mad24Op>(inst)) {
    APInt p = product24(op.getPart(), op.getTy(), in[0], in[1]);
    APInt c(32, in[2], false, true);
    return give(op.getSat() ? p.sadd_sat(c) : p + c);
  }
  if (auto op = dyn_cast<SadOp>(inst)) {
    APInt a = make(op.getTy(), in[0]), b = make(op.getTy(), in[1]);
    bool swap = less(a, b, isSignedInt(op.getTy()));
    return give(make(op.getTy(), in[2]) + (swap ? b - a : a - b));
  }
  if (auto op = dyn_cast<DivIntOp>(inst))
    return give(divide(op.getTy(), in[0], in[1], false));
  if (auto op = dyn_cast<RemOp>(inst))
    return give(divide(op.getTy(), in[0], in[1], true));
  if (auto op = dyn_cast<AbsIntOp>(inst))
    return give(make(op.getTy(), in[0]).abs());
  if (auto op = dyn_cast<NegIntOp>(inst))
    return give(-make(op.getTy(), in[0]));
  if (auto op = dyn_cast<MinIntOp>(inst)) {
    APInt a = make(op.getTy(), in[0]), b = make(op.getTy(), in[1]);
    return give(least(a, b, isSignedInt(op.getTy())));
  }
  if (auto op = dyn_cast<MaxIntOp>(inst)) {
    APInt a = make(op.getTy(), in[0]), b = make(op.getTy(), in[1]);
    return give(most(a, b, isSignedInt(op.getTy())));
  }
  if (auto op = dyn_cast<PopcOp>(inst))
    return give(APInt(32, make(op.getTy(), in[0]).popcount()));
  if (auto op = dyn_cast<ClzOp>(inst))
    return give(APInt(32, make(op.getTy(), in[0]).countl_zero()));
  if (auto op = dyn_cast<BrevOp>(inst))
    return give(make(op.getTy(), in[0]).reverseBits());
  if (auto op = dyn_cast<BfindOp>(inst))
    return give(bfind(op, in[0]));
  if (auto op = dyn_cast<BfeOp>(inst))
    return give(bfe(op, in));
  if (auto op = dyn_cast<BfiOp>(inst))
    return give(bfi(op, in));
  if (auto op = dyn_cast<Dp4aOp>(inst))
    return give(dp4a(op, in));
  if (auto op = dyn_cast<Dp2aOp>(inst))
    return give(dp2a(op, in));
  if (isa<FnsOp>(inst))
    return give(APInt(32, findNthSet(in[0], in[1], int32_t(in[2]))));
  if (auto op = dyn_cast<SzextOp>(inst))
    return give(APInt(32, signOrZeroExtend(op, in[0], in[1])));
  if (auto op = dyn_cast<BmskOp>(inst))
    return give(APInt(32, bitMask(op, in[0], in[1])));
  return false;
}
