//===- Conversions.cpp - conversions per chunk ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Dispatch.h"
#include "Packed.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "ptxjit/Dialect/PtxOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using Results = llvm::SmallVectorImpl<Value>;
using arith::CmpIPredicate;

namespace {

/// Converts between integers; `.sat` clamps to the range of the destination.
Value convertInt(ChunkBuilder &c, CvtOp op, Value a) {
  unsigned to = getBitWidth(op.getTy()), from = getBitWidth(op.getTy2());
  bool fromSigned = isSignedInt(op.getTy2()),
       toSigned = isSignedInt(op.getTy());
  if (!op.getSat())
    return c.resize(a, to, fromSigned);
  // Clamp in twice the width (at most 128 bits), which holds both ranges.
  unsigned wide = std::max(from, to) * 2;
  Value x = c.resize(a, wide, fromSigned);
  auto wideConstant = [&](const APInt &value) -> Value {
    Type element = c.b.getIntegerType(wide);
    TypedAttr attr = IntegerAttr::get(element, value);
    if (c.lanes)
      attr = DenseElementsAttr::get(VectorType::get(c.lanes, element), value);
    return arith::ConstantOp::create(c.b, c.loc, attr);
  };
  APInt low =
      toSigned ? APInt::getSignedMinValue(to).sext(wide) : APInt(wide, 0);
  APInt high = toSigned ? APInt::getSignedMaxValue(to).sext(wide)
                        : APInt::getMaxValue(to).zext(wide);
  x = c.make<arith::MaxSIOp>(x, wideConstant(low));
  x = c.make<arith::MinSIOp>(x, wideConstant(high));
  return c.resize(x, to, toSigned);
}

Value roundToIntegral(ChunkBuilder &c, std::optional<Rounding> rnd, Value a) {
  if (!rnd)
    return a;
  switch (*rnd) {
  case Rounding::RNI:
    return c.make<math::RoundEvenOp>(a);
  case Rounding::RZI:
    return c.make<math::TruncOp>(a);
  case Rounding::RMI:
    return c.make<math::FloorOp>(a);
  case Rounding::RPI:
    return c.make<math::CeilOp>(a);
  default:
    return a;
  }
}

/// Converts an integral f32 or f64 to an integer. Values out of range are
/// clamped. NaN is 0, except from f64 or to 64 bits: only the top bit is set
/// then.
Value clampToInt(ChunkBuilder &c, CvtOp op, Value x) {
  unsigned width = getBitWidth(op.getTy());
  bool isSigned = isSignedInt(op.getTy());
  auto saturating = [&](Value value) {
    return c.intrinsic(isSigned ? "llvm.fptosi.sat" : "llvm.fptoui.sat",
                       c.ints(width), {value});
  };
  if (op.getTy2() != ScalarType::F64 && width < 64)
    return saturating(x);
  double top = double(uint64_t(1) << (width - 1));
  auto number = [&](double value) {
    return c.floatConstant(c.elementOf(x), value);
  };
  if (!isSigned)
    return saturating(
        c.select(c.cmpf(arith::CmpFPredicate::UNO, x, x), number(top), x));
  // The top bit is the least number, which is what maximum instructions of
  // CPUs make of NaN. Let LLVM see one, and no other test for NaN.
  Value least = number(-top);
  x = c.select(c.cmpf(arith::CmpFPredicate::OGT, x, least), x, least);
  if (width < 64) {
    Value most = number(top - 1);
    x = c.select(c.cmpf(arith::CmpFPredicate::OLT, x, most), x, most);
    return c.make<arith::FPToSIOp>(c.ints(width), x);
  }
  Value isLarge = c.cmpf(arith::CmpFPredicate::OGE, x, number(top));
  return c.select(isLarge, c.intConstant(width, ~uint64_t(0) >> 1),
                  c.make<arith::FPToSIOp>(c.ints(width), x));
}

Value floatToInt(ChunkBuilder &c, CvtOp op, Value a) {
  a = c.flush(a, op.getFtz());
  if (op.getTy2() == ScalarType::F16) // exact, and wide enough for any f16
    a = c.make<arith::ExtFOp>(c.vec(c.b.getF32Type()), a);
  if (op.getRnd() != Rounding::RZI)
    a = roundToIntegral(c, op.getRnd(), a);
  return clampToInt(c, op, a);
}

/// Converts f64 to f16 in any rounding mode, rounded once.
Value narrowToHalf(ChunkBuilder &c, Rounding rnd, Value wide) {
  Type i16 = c.b.getI16Type();
  Value bits = rnd == Rounding::RN
                   ? c.callDevice(device::cvt_rn_f16_f64, i16, {wide})
                   : c.callDevice(device::cvt_f16_f64, rnd, i16, {wide});
  return c.bitcast(bits, c.b.getF16Type());
}

Value intToFloat(ChunkBuilder &c, CvtOp op, Value a) {
  bool s = isSignedInt(op.getTy2());
  Rounding rnd = op.getRnd().value_or(Rounding::RN);
  Type f32 = c.b.getF32Type(), f64 = c.b.getF64Type();
  Type element = getValueType(c.b.getContext(), op.getTy());
  unsigned from = getBitWidth(op.getTy2());
  auto convert = [&](Type to) {
    return s ? c.make<arith::SIToFPOp>(c.vec(to), a)
             : c.make<arith::UIToFPOp>(c.vec(to), a);
  };
  // An integer that f64 has to round is far beyond the largest f16.
  if (op.getTy() == ScalarType::F16)
    return narrowToHalf(c, rnd, convert(f64));
  if (rnd == Rounding::RN)
    return convert(element);
  bool exact = from <= (element == f32 ? 16u : 32u);
  if (exact)
    return convert(element);
  if (from == 32) // exact in f64, then rounded once
    return c.callDevice(device::cvt_f32_f64, rnd, f32, {convert(f64)});
  const device::DirectedFunction &toF32 =
      s ? device::cvt_f32_s64 : device::cvt_f32_u64;
  const device::DirectedFunction &toF64 =
      s ? device::cvt_f64_s64 : device::cvt_f64_u64;
  Value wide = c.resize(a, 64, s);
  return c.callDevice(element == f32 ? toF32 : toF64, rnd, element, {wide});
}

//===----------------------------------------------------------------------===//
// Floats to floats
//===----------------------------------------------------------------------===//

/// Converts f32 to bf16 in any rounding mode.
Value narrowToBrain(ChunkBuilder &c, Rounding rnd, Value x) {
  if (rnd == Rounding::RN || rnd == Rounding::RZ)
    return narrowHalf(c, ScalarType::BF16, x, false, rnd == Rounding::RZ);
  Value cut = narrowHalf(c, ScalarType::BF16, x, false, /*towardZero=*/true);
  Value bits = c.bitsOf(x), zero = c.intConstant(32, 0);
  Value inexact =
      c.cmp(CmpIPredicate::ne, c.bitAnd(bits, c.intConstant(32, 0xffff)), zero);
  Value away =
      c.cmp(rnd == Rounding::RP ? CmpIPredicate::sge : CmpIPredicate::slt, bits,
            zero);
  Value isNaN = c.cmpf(arith::CmpFPredicate::UNO, x, x);
  Value more = c.bitAnd(c.bitAnd(inexact, away), c.bitNot(isNaN));
  return c.add(cut, c.resize(more, 16, false));
}

/// Converts any number to f32, exactly or rounded to odd, so that rounding the
/// result again is as if it were rounded once.
Value toOddSingle(ChunkBuilder &c, CvtOp op, Value a) {
  ScalarType from = op.getTy2();
  Type f64 = c.vec(c.b.getF64Type());
  if (isHalf(from))
    return widenHalf(c, from, a);
  if (from == ScalarType::F32)
    return c.flush(a, op.getFtz());
  if (from == ScalarType::F64)
    return narrowToOdd(c, a);
  bool s = isSignedInt(from);
  auto convert = [&](Value x, bool isSigned) -> Value {
    return isSigned ? c.make<arith::SIToFPOp>(f64, x)
                    : c.make<arith::UIToFPOp>(f64, x);
  };
  if (getBitWidth(from) <= 32)
    return narrowToOdd(c, convert(a, s));
  Value low = convert(c.resize(a, 32, false), false);
  Value high = convert(c.resize(c.shrBy(a, 32, s), 32, false), s);
  Value scaled = c.make<arith::MulFOp>(
      high, c.floatConstant(c.b.getF64Type(), 4294967296.0));
  return narrowToOdd(c, addToOdd(c, scaled, low));
}

/// Replaces infinities of f16 or bf16 by the largest finite number, if
/// `wanted`.
Value clampFinite(ChunkBuilder &c, ScalarType type, Value x, bool wanted) {
  if (!wanted)
    return x;
  uint64_t inf = type == ScalarType::F16 ? 0x7c00 : 0x7f80;
  Value bits = c.bitsOf(x);
  Value magnitude = c.bitAnd(bits, c.intConstant(16, 0x7fff));
  Value isInf = c.cmp(CmpIPredicate::eq, magnitude, c.intConstant(16, inf));
  return c.bitcast(c.select(isInf, c.sub(bits, c.intConstant(16, 1)), bits),
                   c.elementOf(x));
}

/// Converts f32 to f16 or bf16, with `.relu` and `.satfinite`.
Value narrowSpecial(ChunkBuilder &c, ScalarType type, Rounding rnd, bool relu,
                    bool satfinite, Value x) {
  x = clampNegative(c, x, relu);
  Value d;
  if (type == ScalarType::BF16 || rnd == Rounding::RN) {
    d = type == ScalarType::BF16 ? narrowToBrain(c, rnd, x)
                                 : narrowHalf(c, type, x);
  } else {
    Value isNaN = c.cmpf(arith::CmpFPredicate::UNO, x, x);
    d = narrowToHalf(c, rnd, c.make<arith::ExtFOp>(c.vec(c.b.getF64Type()), x));
    Value canonical = c.bitcast(c.intConstant(16, 0x7fff), c.b.getF16Type());
    d = c.select(isNaN, canonical, d);
  }
  return clampFinite(c, type, d, satfinite);
}

Value floatToFloat(ChunkBuilder &c, CvtOp op, Value a) {
  ScalarType to = op.getTy(), from = op.getTy2();
  Type element = getValueType(c.b.getContext(), to);
  Rounding rnd = op.getRnd().value_or(Rounding::RN);
  bool ftz = op.getFtz();
  a = c.flush(a, ftz && from == ScalarType::F32);
  Value value;
  if (to == from) {
    // Not every CPU rounds vectors of f16; f32 holds them exactly.
    bool half = to == ScalarType::F16;
    Value x = half ? c.make<arith::ExtFOp>(c.vec(c.b.getF32Type()), a) : a;
    x = roundToIntegral(c, op.getRnd(), x);
    value = half ? narrowHalf(c, to, x) : x;
  } else if (getBitWidth(to) > getBitWidth(from)) {
    if (from == ScalarType::F16 && to == ScalarType::F64)
      a = c.make<arith::ExtFOp>(c.vec(c.b.getF32Type()), a);
    value = c.make<arith::ExtFOp>(c.vec(element), a);
  } else if (to == ScalarType::F16) {
    value = from == ScalarType::F64
                ? narrowToHalf(c, rnd, a)
                : narrowSpecial(c, to, rnd, false, false, a);
  } else if (rnd == Rounding::RN) {
    value = c.make<arith::TruncFOp>(c.vec(element), a);
  } else {
    value = c.callDevice(device::cvt_f32_f64, rnd, element, {a});
  }
  value = c.flush(value, ftz && to == ScalarType::F32);
  return c.saturate(value, op.getSat());
}

/// Converts f32 to tf32, by rounding away the low 13 bits.
Value toTensorFloat(ChunkBuilder &c, CvtOp op, Value a) {
  Value x = clampNegative(c, a, op.getRelu());
  Value isNaN = c.cmpf(arith::CmpFPredicate::UNO, x, x);
  Value bits = c.bitsOf(x);
  if (op.getRnd() == Rounding::RNA) {
    bits = c.add(bits, c.intConstant(32, 0x1000));
  } else if (op.getRnd() == Rounding::RN) {
    Value odd = c.bitAnd(c.shrBy(bits, 13, false), c.intConstant(32, 1));
    bits = c.add(bits, c.add(odd, c.intConstant(32, 0xfff)));
  }
  bits = c.bitAnd(bits, c.intConstant(32, ~uint64_t(0x1fff)));
  if (op.getSatfinite()) {
    Value magnitude = c.bitAnd(bits, c.intConstant(32, 0x7fffffff));
    Value isInf =
        c.cmp(CmpIPredicate::eq, magnitude, c.intConstant(32, 0x7f800000));
    bits = c.select(isInf, c.sub(bits, c.intConstant(32, 0x2000)), bits);
  }
  return c.select(isNaN, c.intConstant(32, 0x7fffe000), bits);
}

/// Conversions from or to bf16 and tf32, or with `.relu` and `.satfinite`.
Value convertSpecial(ChunkBuilder &c, CvtOp op, Value a) {
  ScalarType to = op.getTy(), from = op.getTy2();
  Rounding rnd = op.getRnd().value_or(Rounding::RN);
  if (to == ScalarType::TF32)
    return toTensorFloat(c, op, a);
  if (from == ScalarType::BF16) {
    Value wide = roundToIntegral(c, op.getRnd(), widenHalf(c, from, a));
    if (to == ScalarType::F32)
      return c.flush(wide, op.getFtz());
    if (to == ScalarType::F64)
      return c.make<arith::ExtFOp>(c.vec(c.b.getF64Type()), wide);
    if (!isHalf(to))
      return clampToInt(c, op, wide);
    return narrowSpecial(c, to, rnd, false, false, wide);
  }
  Value x = toOddSingle(c, op, a);
  Value d = narrowSpecial(c, to, rnd, op.getRelu(), op.getSatfinite(), x);
  if (from != ScalarType::F64)
    return d;
  // NaN from f64 keeps its upper digits.
  return c.select(c.cmpf(arith::CmpFPredicate::UNO, x, x),
                  c.resize(c.shrBy(c.bitsOf(x), 16, false), 16, false), d);
}

LogicalResult emitCvt(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  auto op = cast<CvtOp>(raw);
  if (op.getTy() == ScalarType::BF16 || op.getTy2() == ScalarType::BF16 ||
      op.getTy() == ScalarType::TF32 || op.getRelu() || op.getSatfinite()) {
    out.push_back(convertSpecial(c, op, in[0]));
    return success();
  }
  bool toFloat = isFloat(op.getTy()), fromFloat = isFloat(op.getTy2());
  if (!toFloat) {
    out.push_back(fromFloat ? floatToInt(c, op, in[0])
                            : convertInt(c, op, in[0]));
    return success();
  }
  out.push_back(fromFloat ? floatToFloat(c, op, in[0])
                          : c.saturate(intToFloat(c, op, in[0]), op.getSat()));
  return success();
}

//===----------------------------------------------------------------------===//
// Packed and small formats
//===----------------------------------------------------------------------===//

/// The device functions that convert the parts of a packed small format.
const device::FormatFunctions &functionsOf(ScalarType type) {
  switch (type) {
  case ScalarType::E4M3x2:
    return device::e4m3;
  case ScalarType::E5M2x2:
    return device::e5m2;
  case ScalarType::E2M1x2:
    return device::e2m1;
  case ScalarType::E2M3x2:
    return device::e2m3;
  case ScalarType::E3M2x2:
    return device::e3m2;
  default:
    llvm_unreachable("not a small format");
  }
}
const device::FormatFunctions &functionsOf(QuadFormat format) {
  switch (format) {
  case QuadFormat::E4M3x4:
    return device::e4m3;
  case QuadFormat::E5M2x4:
    return device::e5m2;
  case QuadFormat::E2M3x4:
    return device::e2m3;
  case QuadFormat::E3M2x4:
    return device::e3m2;
  case QuadFormat::E2M1x4:
    return device::e2m1;
  }
  llvm_unreachable("all formats are listed");
}

/// Converts |x| (f32) to the exponent of a power of two, with bias 127.
Value toExponent(ChunkBuilder &c, Rounding rnd, bool satfinite, Value x) {
  Value bits = c.bitAnd(c.bitsOf(x), c.intConstant(32, 0x7fffffff));
  Value code = c.shrBy(bits, 23, false);
  if (rnd == Rounding::RP) {
    // The only code for numbers below 2^-126 is 2^-127.
    Value tiny = c.cmp(CmpIPredicate::eq, code, c.intConstant(32, 0));
    Value digits = c.bitAnd(bits, c.intConstant(32, 0x7fffff));
    Value more = c.cmp(
        CmpIPredicate::ugt, digits,
        c.select(tiny, c.intConstant(32, 0x400000), c.intConstant(32, 0)));
    code = c.add(code, c.resize(more, 32, false));
  }
  Value isNaN = c.cmpf(arith::CmpFPredicate::UNO, x, x);
  code = c.umin(code, c.intConstant(32, satfinite ? 0xfe : 0xff));
  return c.select(isNaN, c.intConstant(32, 0xff), code);
}

/// Converts one f32 to a part of `type`.
Value encodePart(ChunkBuilder &c, ScalarType type, Rounding rnd, bool relu,
                 bool satfinite, Value x) {
  if (isPacked(type))
    return narrowSpecial(c, getPartType(type), rnd, relu, satfinite, x);
  unsigned width = type == ScalarType::E2M1x2 ? 4 : 8;
  Value code;
  if (type == ScalarType::UE8M0x2)
    code = toExponent(c, rnd, satfinite, x);
  else
    code = c.callDevice(functionsOf(type).encode, c.b.getI32Type(),
                        {clampNegative(c, x, relu)});
  return c.resize(code, width, false);
}

LogicalResult emitCvtPair(ChunkBuilder &c, Operation *raw, ValueRange in,
                          Results &out) {
  auto op = cast<CvtPairOp>(raw);
  auto part = [&](Value x) {
    return encodePart(c, op.getTy(), op.getRnd(), op.getRelu(),
                      op.getSatfinite(), x);
  };
  Value high = part(in[0]);
  out.push_back(joinParts(c, part(in[1]), high));
  return success();
}

/// Converts f32 to f16 or bf16 (`type`), rounded by the low 16 bits of
/// `random`. bf16 uses all of them, since as many digits are cut off. f16 uses
/// 13; in subnormal numbers they stand for the first 13 digits that are cut
/// off.
Value narrowRandom(ChunkBuilder &c, ScalarType type, bool relu, bool satfinite,
                   Value x, Value random) {
  x = clampNegative(c, x, relu);
  Value code;
  if (type == ScalarType::F16) {
    Value first = c.shlBy(c.bitAnd(random, c.intConstant(32, 0x1fff)), 3);
    code = c.callDevice(device::cvt_rs_f16_f32, c.b.getI32Type(), {x, first});
  } else {
    Value sum = c.add(c.bitsOf(x), c.bitAnd(random, c.intConstant(32, 0xffff)));
    Value isNaN = c.cmpf(arith::CmpFPredicate::UNO, x, x);
    code = c.select(isNaN, c.intConstant(32, 0x7fff), c.shrBy(sum, 16, false));
  }
  Value d = c.bitcast(c.resize(code, 16, false),
                      getValueType(c.b.getContext(), type));
  return clampFinite(c, type, d, satfinite);
}

LogicalResult emitCvtRandom(ChunkBuilder &c, Operation *raw, ValueRange in,
                            Results &out) {
  auto op = cast<CvtRandomOp>(raw);
  auto part = [&](Value x, Value random) {
    return narrowRandom(c, getPartType(op.getTy()), op.getRelu(),
                        op.getSatfinite(), x, random);
  };
  Value high = part(in[0], c.shrBy(in[2], 16, false));
  out.push_back(joinParts(c, part(in[1], in[2]), high));
  return success();
}

/// The random bits of value `i` of {a, b, e, f}. a and b use the upper half of
/// `random`, e and f the lower one. The second value of a pair uses the half as
/// it is, the first one its bits in reverse order. For e2m1 each value has one
/// byte: a and b have the upper bytes of the two halves, e and f the lower ones
/// (docs/Execution.md). The bits are at the top of the low 16.
Value randomBitsOf(ChunkBuilder &c, QuadFormat format, Value random,
                   unsigned i) {
  bool isUpper = i < 2, isFirst = i % 2 == 0;
  if (format == QuadFormat::E2M1x4) {
    unsigned at = (isFirst ? 16 : 0) + (isUpper ? 8 : 0);
    Value byte = c.resize(c.shrBy(random, at, false), 8, false);
    return c.shlBy(c.resize(byte, 32, false), 8);
  }
  Value half =
      c.resize(isUpper ? c.shrBy(random, 16, false) : random, 16, false);
  if (isFirst)
    half = c.intrinsic("llvm.bitreverse", c.ints(16), {half});
  return c.resize(half, 32, false);
}

LogicalResult emitCvtRandomQuad(ChunkBuilder &c, Operation *raw, ValueRange in,
                                Results &out) {
  auto op = cast<CvtRandomQuadOp>(raw);
  const device::LaneFunction &encode = functionsOf(op.getFormat()).encodeRandom;
  bool isFour = op.getFormat() == QuadFormat::E2M1x4;
  Value d;
  for (unsigned i = 0; i < 4; ++i) {
    Value x = clampNegative(c, in[i], op.getRelu());
    Value random = randomBitsOf(c, op.getFormat(), in[4], i);
    Value code = c.callDevice(encode, c.b.getI32Type(), {x, random});
    d = d ? c.bitOr(c.shlBy(d, isFour ? 4 : 8), code) : code;
  }
  out.push_back(isFour ? c.resize(d, 16, false) : d);
  return success();
}

LogicalResult emitCvtPacked(ChunkBuilder &c, Operation *raw, ValueRange in,
                            Results &out) {
  auto op = cast<CvtPackedOp>(raw);
  ScalarType to = op.getTy(), from = op.getTy2();
  auto low = [&](Value x, unsigned width) { return c.resize(x, width, false); };
  auto high = [&](Value x, unsigned width) {
    return c.resize(c.shrBy(x, width, false), width, false);
  };
  SmallVector<Value, 2> parts;
  unsigned width = getBitWidth(from) / 2;
  for (Value code : {low(in[0], width), high(in[0], width)}) {
    if (isPacked(from)) { // f16x2, bf16x2
      Type half = getValueType(c.b.getContext(), getPartType(from));
      Value wide = widenHalf(c, getPartType(from), c.bitcast(code, half));
      parts.push_back(encodePart(c, to, op.getRnd(), op.getRelu(),
                                 op.getSatfinite(), wide));
      continue;
    }
    Value bits = c.resize(code, 32, false);
    if (from == ScalarType::UE8M0x2) { // 2^(code - 127); 0xff is NaN
      Value brain =
          c.select(c.cmp(CmpIPredicate::eq, bits, c.intConstant(32, 0)),
                   c.intConstant(32, 0x40), c.shlBy(bits, 7));
      Value isNaN = c.cmp(CmpIPredicate::eq, bits, c.intConstant(32, 0xff));
      brain = c.select(isNaN, c.intConstant(32, 0x7fff), brain);
      parts.push_back(c.resize(brain, 16, false));
      continue;
    }
    Value wide =
        c.callDevice(functionsOf(from).decode, c.b.getF32Type(), {bits});
    parts.push_back(
        encodePart(c, to, op.getRnd(), op.getRelu(), op.getSatfinite(), wide));
  }
  out.push_back(joinParts(c, parts[0], parts[1]));
  return success();
}

/// Clamps a and b. b is the lowest field, a the next one, c the rest.
LogicalResult emitCvtPack(ChunkBuilder &c, Operation *raw, ValueRange in,
                          Results &out) {
  auto op = cast<CvtPackOp>(raw);
  unsigned n = getBitWidth(op.getTy());
  bool s = isSignedInt(op.getTy()) || op.getTy() == ScalarType::S2 ||
           op.getTy() == ScalarType::S4;
  uint64_t top = s ? (1ull << (n - 1)) - 1 : (1ull << n) - 1;
  uint64_t bottom = s ? ~top : 0;
  auto clamp = [&](Value x) {
    x = c.make<arith::MaxSIOp>(x, c.intConstant(32, bottom));
    x = c.make<arith::MinSIOp>(x, c.intConstant(32, top));
    return c.bitAnd(x, c.intConstant(32, (1ull << n) - 1));
  };
  Value d = c.bitOr(clamp(in[1]), c.shlBy(clamp(in[0]), n));
  if (in.size() > 2)
    d = c.bitOr(d, c.shlBy(in[2], 2 * n));
  out.push_back(d);
  return success();
}

} // namespace

void ptxjit::addConversionEmitters(Dispatch &dispatch) {
  dispatch.add<CvtOp>(emitCvt);
  dispatch.add<CvtPairOp>(emitCvtPair);
  dispatch.add<CvtRandomOp>(emitCvtRandom);
  dispatch.add<CvtRandomQuadOp>(emitCvtRandomQuad);
  dispatch.add<CvtPackedOp>(emitCvtPacked);
  dispatch.add<CvtPackOp>(emitCvtPack);
}
