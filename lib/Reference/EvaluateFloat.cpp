//===- EvaluateFloat.cpp - ISA "floating point instructions" --------------===//
//
// Exact by APFloat. The approximations give the correctly rounded value, to be
// compared within the ISA's bound.
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include "ptxjit/Dialect/FormTable.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;
using llvm::APFloat;
using llvm::APInt;
using llvm::RoundingMode;

static APFloat make(ScalarType type, Bits bits) {
  if (type == ScalarType::F64)
    return APFloat(APFloat::IEEEdouble(), APInt(64, bits));
  return APFloat(APFloat::IEEEsingle(), APInt(32, bits & 0xffffffffu));
}
static Bits raw(const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue();
}

static RoundingMode modeOf(std::optional<Rounding> rnd) {
  switch (rnd.value_or(Rounding::RN)) {
  case Rounding::RZ:
    return RoundingMode::TowardZero;
  case Rounding::RM:
    return RoundingMode::TowardNegative;
  case Rounding::RP:
    return RoundingMode::TowardPositive;
  default:
    return RoundingMode::NearestTiesToEven;
  }
}

/// Clamps to [0, 1]; NaN and -0 to +0.
static Bits saturate(ScalarType type, Bits bits) {
  APFloat x = make(type, bits);
  APFloat one(x.getSemantics(), 1);
  if (x.isNaN() || x.isNegative() || x.isZero())
    return 0;
  return x.compare(one) == APFloat::cmpGreaterThan ? raw(one) : bits;
}

/// Square root in any mode: nearest first, then one step if the exact residual
/// (a product of two such roots fits in quad precision) says so.
static APFloat squareRoot(const APFloat &x, RoundingMode mode) {
  if (x.isNaN() || x.isZero() || (x.isInfinity() && !x.isNegative()))
    return x;
  if (x.isNegative())
    return APFloat::getNaN(x.getSemantics());
  bool single = &x.getSemantics() == &APFloat::IEEEsingle();
  APFloat root = single ? APFloat(float(std::sqrt(double(x.convertToFloat()))))
                        : APFloat(std::sqrt(x.convertToDouble()));
  if (mode == RoundingMode::NearestTiesToEven)
    return root;
  bool loses;
  APFloat r = root, value = x;
  r.convert(APFloat::IEEEquad(), RoundingMode::NearestTiesToEven, &loses);
  value.convert(APFloat::IEEEquad(), RoundingMode::NearestTiesToEven, &loses);
  APFloat square = r;
  square.multiply(r, RoundingMode::NearestTiesToEven);
  auto order = square.compare(value);
  if (order == APFloat::cmpGreaterThan && mode != RoundingMode::TowardPositive)
    root.next(/*nextDown=*/true);
  if (order == APFloat::cmpLessThan && mode == RoundingMode::TowardPositive)
    root.next(/*nextDown=*/false);
  return root;
}

/// One NaN: the other operand. +0 is greater than -0.
static Bits minMax(ScalarType type, bool isMin, bool propagateNaN, Bits x,
                   Bits y) {
  APFloat a = make(type, x), b = make(type, y);
  if (a.isNaN() || b.isNaN()) {
    if (propagateNaN || (a.isNaN() && b.isNaN()))
      return type == ScalarType::F64 ? 0x7fffffffffffffffull : 0x7fffffffu;
    return a.isNaN() ? y : x;
  }
  if (a.isZero() && b.isZero())
    return a.isNegative() == isMin ? x : y;
  bool aLess = a.compare(b) == APFloat::cmpLessThan;
  return aLess == isMin ? x : y;
}

static bool testProperty(TestpOp op, Bits bits) {
  APFloat x = make(op.getTy(), bits);
  switch (op.getTest()) {
  case FloatTest::Finite:
    return x.isFinite();
  case FloatTest::Infinite:
    return x.isInfinity();
  case FloatTest::Number:
    return !x.isNaN();
  case FloatTest::NotANumber:
    return x.isNaN();
  case FloatTest::Normal: // the manual counts zeros as normal
    return x.isNormal() || x.isZero();
  case FloatTest::Subnormal:
    return x.isDenormal();
  }
  llvm_unreachable("all tests handled");
}

/// f(x) computed in double and rounded to f32.
static Bits rounded(double value) {
  return llvm::bit_cast<uint32_t>(float(value));
}

bool reference::evaluateFloat(Operation *op, ArrayRef<Bits> in,
                              SmallVectorImpl<Bits> &out) {
  auto attrSet = [&](StringRef name) {
    auto attr = op->getInherentAttr(name);
    return attr && *attr;
  };
  auto tyAttr = op->getInherentAttr("ty");
  auto ty = tyAttr ? dyn_cast_if_present<ScalarTypeAttr>(*tyAttr) : nullptr;
  if (!ty)
    return false;
  ScalarType type = ty.getValue();
  bool ftz = attrSet("ftz"), sat = attrSet("sat");
  std::optional<Rounding> rnd;
  if (auto attr = op->getInherentAttr("rnd"); attr && *attr)
    rnd = cast<RoundingAttr>(*attr).getValue();
  RoundingMode mode = modeOf(rnd);
  auto x = [&](unsigned i) {
    return make(type, ftz ? flushF32(in[i]) : in[i]);
  };
  auto give = [&](Bits bits) {
    if (ftz)
      bits = flushF32(bits);
    out.push_back(sat ? saturate(type, bits) : bits);
    return true;
  };
  auto single = [&](unsigned i) { return double(x(i).convertToFloat()); };

  if (isa<AddFloatOp>(op)) {
    APFloat a = x(0);
    a.add(x(1), mode);
    return give(raw(a));
  }
  if (isa<SubFloatOp>(op)) {
    APFloat a = x(0);
    a.subtract(x(1), mode);
    return give(raw(a));
  }
  if (isa<MulFloatOp>(op)) {
    APFloat a = x(0);
    a.multiply(x(1), mode);
    return give(raw(a));
  }
  if (isa<FmaOp, MadFloatOp>(op)) {
    APFloat a = x(0);
    a.fusedMultiplyAdd(x(1), x(2), mode);
    return give(raw(a));
  }
  if (isa<DivFloatOp>(op)) {
    APFloat a = x(0), b = x(1);
    if (attrSet("approx")) { // ISA: 0 or NaN for 2^126 < |b| < 2^128
      APFloat big = abs(b);
      if (big.isFinite() &&
          big.compare(APFloat(0x1p126f)) == APFloat::cmpGreaterThan) {
        bool negative = a.isNegative() != b.isNegative();
        if (a.isNaN() || a.isInfinity())
          return give(0x7fffffffu);
        return give(negative ? 0x80000000u : 0);
      }
    }
    a.divide(b, mode);
    return give(raw(a));
  }
  if (isa<RcpOp>(op)) {
    APFloat a = x(0), one(a.getSemantics(), 1);
    one.divide(a, mode);
    return give(raw(one));
  }
  if (isa<SqrtOp>(op))
    return give(raw(squareRoot(x(0), mode)));
  if (isa<RsqrtOp>(op)) {
    if (type == ScalarType::F64)
      return give(
          llvm::bit_cast<uint64_t>(1.0 / std::sqrt(x(0).convertToDouble())));
    return give(rounded(1.0 / std::sqrt(single(0))));
  }
  if (isa<SinOp>(op))
    return give(rounded(std::sin(single(0))));
  if (isa<CosOp>(op))
    return give(rounded(std::cos(single(0))));
  if (isa<Lg2Op>(op))
    return give(rounded(std::log2(single(0))));
  if (isa<Ex2Op>(op))
    return give(rounded(std::exp2(single(0))));
  if (isa<AbsFloatOp>(op)) {
    APFloat a = x(0);
    a.clearSign();
    return give(raw(a));
  }
  if (isa<NegFloatOp>(op)) {
    APFloat a = x(0);
    a.changeSign();
    return give(raw(a));
  }
  if (isa<MinFloatOp, MaxFloatOp>(op))
    return give(minMax(type, isa<MinFloatOp>(op), attrSet("nan"), raw(x(0)),
                       raw(x(1))));
  if (isa<CopysignOp>(op)) {
    APFloat b = x(1);
    if (b.isNegative() != x(0).isNegative())
      b.changeSign();
    return give(raw(b));
  }
  if (auto test = dyn_cast<TestpOp>(op)) {
    out.push_back(testProperty(test, in[0]));
    return true;
  }
  return false;
}
