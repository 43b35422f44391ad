//===- EvaluateFloat.cpp - ISA "floating point instructions" --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact, by APFloat. Approximate instructions return the exact result rounded
// to nearest, and tests compare within the ISA's bounds.
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
using llvm::RoundingMode;

/// ISA: NaN results of f16 and bf16 are canonical.
static Bits canonical(ScalarType type, Bits bits) {
  return isHalf(type) && makeFloat(type, bits).isNaN() ? 0x7fff : bits;
}
/// Square root in any mode: rounds to nearest, then moves by one step if the
/// exact square of the root (it fits in quad precision) is on the wrong side.
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

/// If one operand is NaN, returns the other. +0 is greater than -0.
static Bits minMax(ScalarType type, bool isMin, bool propagateNaN, Bits x,
                   Bits y) {
  APFloat a = makeFloat(type, x), b = makeFloat(type, y);
  if (a.isNaN() || b.isNaN()) {
    if (propagateNaN || (a.isNaN() && b.isNaN()))
      return isHalf(type)              ? 0x7fffu
             : type == ScalarType::F64 ? 0x7fffffffffffffffull
                                       : 0x7fffffffu;
    return a.isNaN() ? y : x;
  }
  if (a.isZero() && b.isZero())
    return a.isNegative() == isMin ? x : y;
  bool aLess = a.compare(b) == APFloat::cmpLessThan;
  return aLess == isMin ? x : y;
}

/// min and max with `.xorsign.abs` and `.abs`, of two or three values.
static Bits minMaxOf(Operation *op, ScalarType type, ArrayRef<Bits> in) {
  auto has = [&](StringRef name) {
    auto attr = op->getInherentAttr(name);
    return attr && *attr;
  };
  auto operand = [&](unsigned i) {
    APFloat x = makeFloat(type, has("ftz") ? flush(type, in[i]) : in[i]);
    if (has("abs"))
      x.clearSign();
    return bitsOf(x);
  };
  bool isMin = isa<MinFloatOp>(op);
  Bits d = minMax(type, isMin, has("nan"), operand(0), operand(1));
  if (in.size() > 2)
    d = minMax(type, isMin, has("nan"), d, operand(2));
  APFloat result = makeFloat(type, d);
  if (has("xorsign") && !result.isNaN() &&
      makeFloat(type, in[0]).isNegative() !=
          makeFloat(type, in[1]).isNegative())
    result.changeSign();
  return bitsOf(result);
}

static bool testProperty(TestpOp op, Bits bits) {
  APFloat x = makeFloat(op.getTy(), bits);
  switch (op.getTest()) {
  case FloatTest::Finite:
    return x.isFinite();
  case FloatTest::Infinite:
    return x.isInfinity();
  case FloatTest::Number:
    return !x.isNaN();
  case FloatTest::NotANumber:
    return x.isNaN();
  case FloatTest::Normal: // the ISA counts zeros as normal
    return x.isNormal() || x.isZero();
  case FloatTest::Subnormal:
    return x.isDenormal();
  }
  llvm_unreachable("all tests handled");
}

/// ISA: uses the upper 32 bits of the operand and sets the lower 32 of the
/// result to 0. Subnormals are flushed.
static Bits onUpperHalf(Bits in, llvm::function_ref<double(double)> compute) {
  Bits upper = 0xffffffff00000000ull;
  double x = llvm::bit_cast<double>(flush(ScalarType::F64, in & upper));
  double d = compute(x);
  if (std::isnan(d))
    return 0x7fffffff00000000ull;
  return flush(ScalarType::F64, llvm::bit_cast<uint64_t>(d) & upper);
}

/// Mixed precision: the first operands (all but the last) are f16 or bf16.
static bool evaluateMixed(Operation *op, ArrayRef<Bits> in,
                          SmallVectorImpl<Bits> &out) {
  if (!isa<AddMixedOp, SubMixedOp, FmaMixedOp>(op))
    return false;
  auto from = cast<ScalarTypeAttr>(*op->getInherentAttr("ty2")).getValue();
  auto rndAttr = *op->getInherentAttr("rnd");
  RoundingMode mode =
      modeOf(rndAttr ? std::optional(cast<RoundingAttr>(rndAttr).getValue())
                     : std::nullopt);
  auto widened = [&](unsigned i) {
    APFloat x = makeFloat(from, in[i]);
    bool loses;
    x.convert(APFloat::IEEEsingle(), RoundingMode::NearestTiesToEven, &loses);
    return x;
  };
  APFloat a = widened(0);
  if (isa<FmaMixedOp>(op))
    a.fusedMultiplyAdd(widened(1), makeFloat(ScalarType::F32, in[2]), mode);
  else if (isa<AddMixedOp>(op))
    a.add(makeFloat(ScalarType::F32, in[1]), mode);
  else
    a.subtract(makeFloat(ScalarType::F32, in[1]), mode);
  bool sat = bool(*op->getInherentAttr("sat"));
  out.push_back(sat ? saturate(ScalarType::F32, bitsOf(a)) : bitsOf(a));
  return true;
}

/// Evaluates an instruction on operands that are not packed.
static bool evaluatePart(Operation *op, ScalarType type, ArrayRef<Bits> in,
                         SmallVectorImpl<Bits> &out) {
  auto attrSet = [&](StringRef name) {
    auto attr = op->getInherentAttr(name);
    return attr && *attr;
  };
  bool ftz = attrSet("ftz"), sat = attrSet("sat");
  std::optional<Rounding> rnd;
  if (auto attr = op->getInherentAttr("rnd"); attr && *attr)
    rnd = cast<RoundingAttr>(*attr).getValue();
  RoundingMode mode = modeOf(rnd);
  auto x = [&](unsigned i) {
    return makeFloat(type, ftz ? flush(type, in[i]) : in[i]);
  };
  auto give = [&](Bits bits) {
    if (ftz)
      bits = flush(type, bits);
    bits = sat ? saturate(type, bits) : bits;
    if (attrSet("relu") && makeFloat(type, bits).isNegative() &&
        !makeFloat(type, bits).isNaN())
      bits = 0;
    out.push_back(canonical(type, bits));
    return true;
  };
  auto single = [&](unsigned i) {
    APFloat value = x(i);
    bool loses;
    value.convert(APFloat::IEEEdouble(), RoundingMode::NearestTiesToEven,
                  &loses);
    return value.convertToDouble();
  };
  auto rounded = [&](double value) {
    APFloat d(value);
    bool loses;
    d.convert(semanticsOf(type), RoundingMode::NearestTiesToEven, &loses);
    return bitsOf(d);
  };

  if (isa<AddFloatOp>(op)) {
    APFloat a = x(0);
    a.add(x(1), mode);
    return give(bitsOf(a));
  }
  if (isa<SubFloatOp>(op)) {
    APFloat a = x(0);
    a.subtract(x(1), mode);
    return give(bitsOf(a));
  }
  if (isa<MulFloatOp>(op)) {
    APFloat a = x(0);
    a.multiply(x(1), mode);
    return give(bitsOf(a));
  }
  if (isa<FmaOp, MadFloatOp>(op)) {
    // The NaN that marks elements out of bounds.
    Bits outside = type == ScalarType::BF16 ? 0x7fff : 0x7eff;
    if (attrSet("oob") && llvm::is_contained(in, outside))
      return give(0);
    APFloat a = x(0);
    a.fusedMultiplyAdd(x(1), x(2), mode);
    return give(bitsOf(a));
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
    return give(bitsOf(a));
  }
  bool onUpper = type == ScalarType::F64 && attrSet("approx") && ftz;
  if (isa<RcpOp>(op) && onUpper) {
    out.push_back(onUpperHalf(in[0], [](double v) { return 1.0 / v; }));
    return true;
  }
  if (isa<RsqrtOp>(op) && onUpper) {
    out.push_back(
        onUpperHalf(in[0], [](double v) { return 1.0 / std::sqrt(v); }));
    return true;
  }
  if (type == ScalarType::F64) // `.ftz` flushes f32 only
    ftz = false;
  if (isa<RcpOp>(op)) {
    APFloat a = x(0), one(a.getSemantics(), 1);
    one.divide(a, mode);
    return give(bitsOf(one));
  }
  if (isa<SqrtOp>(op))
    return give(bitsOf(squareRoot(x(0), mode)));
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
  if (isa<TanhOp>(op))
    return give(rounded(std::tanh(single(0))));
  if (isa<AbsFloatOp, NegFloatOp>(op)) { // the sign bit only, also of NaN
    APFloat a = x(0);
    isa<AbsFloatOp>(op) ? a.clearSign() : a.changeSign();
    out.push_back(bitsOf(a));
    return true;
  }
  if (isa<MinFloatOp, MaxFloatOp>(op)) {
    out.push_back(canonical(type, minMaxOf(op, type, in)));
    return true;
  }
  if (isa<CopysignOp>(op)) {
    APFloat b = x(1);
    if (b.isNegative() != x(0).isNegative())
      b.changeSign();
    return give(bitsOf(b));
  }
  if (auto test = dyn_cast<TestpOp>(op)) {
    out.push_back(testProperty(test, in[0]));
    return true;
  }
  return false;
}

bool reference::evaluateFloat(Operation *op, ArrayRef<Bits> in,
                              SmallVectorImpl<Bits> &out) {
  if (evaluateMixed(op, in, out))
    return true;
  auto attr = op->getInherentAttr("ty");
  auto type = attr ? dyn_cast_if_present<ScalarTypeAttr>(*attr) : nullptr;
  if (!type)
    return false;
  ScalarType part = getPartType(type.getValue());
  if (part == type.getValue())
    return evaluatePart(op, part, in, out);
  // Packed: evaluate both halves.
  unsigned width = getBitWidth(part);
  SmallVector<Bits, 3> low, high;
  for (Bits bits : in) {
    low.push_back(bits & ((Bits(1) << width) - 1));
    high.push_back(bits >> width);
  }
  SmallVector<Bits, 2> results;
  if (!evaluatePart(op, part, low, results) ||
      !evaluatePart(op, part, high, results))
    return false;
  out.push_back(results[0] | results[1] << width);
  return true;
}
