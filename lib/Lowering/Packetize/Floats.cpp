//===- Floats.cpp - floating-point arithmetic per chunk -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results are bit-exact in every rounding mode. Plain ops round to nearest;
// directed modes use AVX-512's embedded rounding or the device library. There
// is no fast-math anywhere.
//
//===----------------------------------------------------------------------===//

#include "Dispatch.h"
#include "MinMax.h"
#include "Packed.h"
#include "Registers.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using Results = llvm::SmallVectorImpl<Value>;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace {

bool isDirected(std::optional<Rounding> rnd) {
  return rnd && *rnd != Rounding::RN;
}

/// An operation with directed rounding modes: the name of the AVX-512
/// instruction, and the functions of the device library.
struct DirectedOperation {
  const char *instruction;
  const device::DirectedFunction &f32, &f64;
};
constexpr DirectedOperation kAdd{"add", device::add_f32, device::add_f64},
    kSub{"sub", device::sub_f32, device::sub_f64},
    kMul{"mul", device::mul_f32, device::mul_f64},
    kDiv{"div", device::div_f32, device::div_f64},
    kSqrt{"sqrt", device::sqrt_f32, device::sqrt_f64},
    kFma{"vfmadd", device::fma_f32, device::fma_f64};

/// Emits an operation whose instruction holds the rounding mode.
Value roundEmbedded(ChunkBuilder &c, StringRef instruction, Rounding rnd,
                    ValueRange in) {
  // _MM_FROUND_NO_EXC (8) with nearest 0, down 1, up 2, zero 3.
  unsigned mode = 8 | (rnd == Rounding::RM ? 1 : rnd == Rounding::RP ? 2 : 3);
  std::string callee = ("llvm.x86.avx512." + instruction +
                        (c.elementOf(in[0]).isF32() ? ".ps.512" : ".pd.512"))
                           .str();
  return onRegisters(c, in, [&](ValueRange parts) {
    SmallVector<Value> args(parts);
    args.push_back(c.make<arith::ConstantIntOp>(mode, 32));
    return c.intrinsic(callee, parts[0].getType(), args);
  });
}

/// Emits an operation in a directed rounding mode.
Value directed(ChunkBuilder &c, const DirectedOperation &operation,
               Rounding rnd, ValueRange in) {
  if (c.target.embeddedRounding)
    return roundEmbedded(c, operation.instruction, rnd, in);
  Type element = c.elementOf(in[0]);
  return c.callDevice(element.isF32() ? operation.f32 : operation.f64, rnd,
                      element, in);
}

/// Emits an operation on f32 or f64 in the given rounding mode.
template <typename ArithOp>
Value arithmetic(ChunkBuilder &c, std::optional<Rounding> rnd, Value a,
                 Value b) {
  const DirectedOperation &operation =
      std::is_same_v<ArithOp, arith::AddFOp>   ? kAdd
      : std::is_same_v<ArithOp, arith::SubFOp> ? kSub
                                               : kMul;
  return isDirected(rnd) ? directed(c, operation, *rnd, {a, b})
                         : c.make<ArithOp>(a, b);
}
Value fuse(ChunkBuilder &c, std::optional<Rounding> rnd, Value a, Value b,
           Value d) {
  return isDirected(rnd) ? directed(c, kFma, *rnd, {a, b, d})
                         : c.make<math::FmaOp>(a, b, d);
}

template <typename OpTy, typename ArithOp>
LogicalResult emitArith(ChunkBuilder &c, Operation *raw, ValueRange in,
                        Results &out) {
  auto op = cast<OpTy>(raw);
  bool ftz = op.getFtz(), sat = op.getSat();
  ScalarType part = getPartType(op.getTy());
  out.push_back(mapParts(c, op.getTy(), in, [&](ValueRange v) {
    if (isHalf(part)) // f32 has twice the digits: rounding twice is harmless
      return narrowHalf(
          c, part,
          c.saturate(c.make<ArithOp>(widenHalf(c, part, v[0], ftz),
                                     widenHalf(c, part, v[1], ftz)),
                     sat),
          ftz);
    Value d = arithmetic<ArithOp>(c, op.getRnd(), c.flush(v[0], ftz),
                                  c.flush(v[1], ftz));
    return c.saturate(c.flush(d, ftz), sat);
  }));
  return success();
}

LogicalResult emitMad(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  auto op = cast<MadFloatOp>(raw);
  bool ftz = op.getFtz();
  Value value = fuse(c, op.getRnd(), c.flush(in[0], ftz), c.flush(in[1], ftz),
                     c.flush(in[2], ftz));
  out.push_back(c.saturate(c.flush(value, ftz), op.getSat()));
  return success();
}

/// ISA, "fma", `.oob`: the result is 0 if an operand of `type` is the NaN that
/// asynchronous copies may write out of bounds (docs/Execution.md).
Value zeroOutOfBounds(ChunkBuilder &c, ScalarType type, Value d,
                      ValueRange operands) {
  Value outside = c.intConstant(16, type == ScalarType::BF16 ? 0x7fff : 0x7eff);
  Value isOutside;
  for (Value x : operands) {
    Value is = c.cmp(arith::CmpIPredicate::eq, c.bitsOf(x), outside);
    isOutside = isOutside ? c.bitOr(isOutside, is) : is;
  }
  return c.select(isOutside, c.bitcast(c.intConstant(16, 0), c.elementOf(d)),
                  d);
}

/// Is it a f32 from 0 to 1, as `.sat` makes it, also of NaN?
bool isSaturated(Value v) {
  Operation *op = v.getDefiningOp();
  if (!op)
    return false; // what a loop carries
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<CvtOp, FmaOp, AddFloatOp, MulFloatOp>(
          [](auto op) { return op.getTy() == ScalarType::F32 && op.getSat(); })
      .Default(false);
}

/// The distance between the floats that results may be, if it is one for all of
/// them: a * b + c for a saturated a, where c and b + c have the same exponent,
/// or b + c is the next power of two. So nvcc rounds down in front of an
/// exponential, and has CPUs without embedded rounding change their mode.
std::optional<float> findOneStep(FmaOp op) {
  llvm::APFloat b(0.f), c(0.f);
  bool isKnown = op.getTy() == ScalarType::F32 && isSaturated(op.getA()) &&
                 matchPattern(op.getB(), m_ConstantFloat(&b)) &&
                 matchPattern(op.getC(), m_ConstantFloat(&c));
  if (!isKnown || !b.isFinite() || !c.isFinite() || b.isNegative() ||
      c.convertToFloat() < 1)
    return std::nullopt;
  int exponent = llvm::ilogb(c);
  double most = double(b.convertToFloat()) + double(c.convertToFloat());
  if (most > std::ldexp(1.0, exponent + 1))
    return std::nullopt;
  return std::ldexp(1.f, exponent - std::numeric_limits<float>::digits + 1);
}

/// Rounds a * b + d down, whose results lie `step` apart: to the nearest, and
/// one step down if the rest is negative. The difference of the sum to `d` is
/// exact, so the sign of the rest is right.
Value fuseDown(ChunkBuilder &c, Value a, Value b, Value d, float step) {
  Value nearest = c.make<math::FmaOp>(a, b, d);
  Value back = c.make<arith::SubFOp>(d, nearest);
  Value rest = c.make<math::FmaOp>(a, b, back);
  Type f32 = c.b.getF32Type();
  Value isAbove = c.cmpf(CmpFPredicate::OLT, rest, c.zero(f32));
  return c.make<arith::SubFOp>(
      nearest, c.select(isAbove, c.floatConstant(f32, step), c.zero(f32)));
}

/// In f32 and f64.
Value emitFused(ChunkBuilder &c, FmaOp op, ValueRange in) {
  std::optional<float> step;
  bool isDown = op.getRnd() == Rounding::RM || op.getRnd() == Rounding::RZ;
  if (isDown && !c.target.embeddedRounding)
    step = findOneStep(op);
  return step ? fuseDown(c, in[0], in[1], in[2], *step)
              : fuse(c, op.getRnd(), in[0], in[1], in[2]);
}

LogicalResult emitFma(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  auto op = cast<FmaOp>(raw);
  bool ftz = op.getFtz();
  ScalarType part = getPartType(op.getTy());
  out.push_back(mapParts(c, op.getTy(), in, [&](ValueRange v) {
    if (!isHalf(part)) {
      Value flushed[] = {c.flush(v[0], ftz), c.flush(v[1], ftz),
                         c.flush(v[2], ftz)};
      Value d = emitFused(c, op, flushed);
      return c.saturate(c.flush(d, ftz), op.getSat());
    }
    Value d =
        fmaToOdd(c, part, widenHalf(c, part, v[0], ftz),
                 widenHalf(c, part, v[1], ftz), widenHalf(c, part, v[2], ftz));
    d = clampNegative(c, c.saturate(d, op.getSat()), op.getRelu());
    d = narrowHalf(c, part, d, ftz, op.getRnd() == Rounding::RZ);
    return op.getOob() ? zeroOutOfBounds(c, part, d, v) : d;
  }));
  return success();
}

template <typename OpTy, typename ArithOp>
LogicalResult emitMixed(ChunkBuilder &c, Operation *raw, ValueRange in,
                        Results &out) {
  auto op = cast<OpTy>(raw);
  Value a = widenHalf(c, op.getTy2(), in[0]);
  out.push_back(
      c.saturate(arithmetic<ArithOp>(c, op.getRnd(), a, in[1]), op.getSat()));
  return success();
}

LogicalResult emitFmaMixed(ChunkBuilder &c, Operation *raw, ValueRange in,
                           Results &out) {
  auto op = cast<FmaMixedOp>(raw);
  Value a = widenHalf(c, op.getTy2(), in[0]);
  Value b = widenHalf(c, op.getTy2(), in[1]);
  out.push_back(c.saturate(fuse(c, op.getRnd(), a, b, in[2]), op.getSat()));
  return success();
}

LogicalResult emitDiv(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  auto op = cast<DivFloatOp>(raw);
  Value a = c.flush(in[0], op.getFtz()), b = c.flush(in[1], op.getFtz());
  Value value;
  if (isDirected(op.getRnd())) {
    value = directed(c, kDiv, *op.getRnd(), {a, b});
  } else if (op.getApprox()) {
    // a * (1/b), where a subnormal 1/b counts as 0 (ISA: |b| > 2^126).
    Value one = c.floatConstant(c.elementOf(b), 1.0);
    Value inverse = c.flush(c.make<arith::DivFOp>(one, b), true);
    value = c.make<arith::MulFOp>(a, inverse);
  } else {
    value = c.make<arith::DivFOp>(a, b);
  }
  out.push_back(c.flush(value, op.getFtz()));
  return success();
}

/// `.approx.ftz.f64`: computes on the upper 32 bits, and keeps those of the
/// result. Subnormals count as 0, and NaN is 0x7fffffff00000000.
template <typename Compute>
Value onUpperHalf(ChunkBuilder &c, Value a, Compute compute) {
  Value upper = c.intConstant(64, 0xffffffff00000000ull);
  Value bits = c.bitAnd(c.bitsOf(a), upper);
  auto flush = [&](Value x) {
    Value exponent = c.bitAnd(x, c.intConstant(64, 0x7ff0000000000000ull));
    Value tiny = c.cmp(CmpIPredicate::eq, exponent, c.intConstant(64, 0));
    return c.select(tiny, c.bitAnd(x, c.intConstant(64, 1ull << 63)), x);
  };
  Value d = compute(c.bitcast(flush(bits), c.b.getF64Type()));
  Value isNaN = c.cmpf(CmpFPredicate::UNO, d, d);
  bits = flush(c.bitAnd(c.bitsOf(d), upper));
  bits = c.select(isNaN, c.intConstant(64, 0x7fffffff00000000ull), bits);
  return c.bitcast(bits, c.b.getF64Type());
}

LogicalResult emitRcp(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  auto op = cast<RcpOp>(raw);
  Value one = c.floatConstant(c.elementOf(in[0]), 1.0);
  bool f64 = op.getTy() == ScalarType::F64, ftz = op.getFtz() && !f64;
  auto divide = [&](Value a) { return c.make<arith::DivFOp>(one, a); };
  if (f64 && op.getApprox()) {
    out.push_back(onUpperHalf(c, in[0], divide));
    return success();
  }
  Value a = c.flush(in[0], ftz);
  Value value = isDirected(op.getRnd())
                    ? directed(c, kDiv, *op.getRnd(), {one, a})
                    : divide(a);
  out.push_back(c.flush(value, ftz));
  return success();
}

LogicalResult emitSqrt(ChunkBuilder &c, Operation *raw, ValueRange in,
                       Results &out) {
  auto op = cast<SqrtOp>(raw);
  Value a = c.flush(in[0], op.getFtz());
  // The root of the least number is normal.
  out.push_back(isDirected(op.getRnd()) ? directed(c, kSqrt, *op.getRnd(), {a})
                                        : c.make<math::SqrtOp>(a));
  return success();
}

LogicalResult emitRsqrt(ChunkBuilder &c, Operation *raw, ValueRange in,
                        Results &out) {
  auto op = cast<RsqrtOp>(raw);
  Value one = c.floatConstant(c.elementOf(in[0]), 1.0);
  auto compute = [&](Value a) {
    return c.make<arith::DivFOp>(one, c.make<math::SqrtOp>(a));
  };
  if (op.getTy() == ScalarType::F64)
    out.push_back(op.getFtz() ? onUpperHalf(c, in[0], compute)
                              : compute(in[0]));
  else
    out.push_back(c.callDevice(device::rsqrt, c.b.getF32Type(),
                               {c.flush(in[0], op.getFtz())}));
  return success();
}

/// Calls an f32 function of the device library: sin, cos, lg2, ex2 or tanh.
/// `finish` is applied to what it gives, `start` to its operand.
template <typename Start, typename Finish>
Value approximate(ChunkBuilder &c, const device::LaneFunction &function,
                  ScalarType type, Value in, Start start, Finish finish) {
  ScalarType part = getPartType(type);
  return mapParts(c, type, in, [&](ValueRange v) {
    bool isNarrow = isHalf(part);
    Value a = start(isNarrow ? widenHalf(c, part, v[0]) : v[0]);
    Value d = finish(c.callDevice(function, c.b.getF32Type(), {a}));
    return isNarrow ? narrowHalf(c, part, d) : d;
  });
}
Value keep(Value v) { return v; }

template <typename OpTy, const device::LaneFunction &function>
LogicalResult emitApprox(ChunkBuilder &c, Operation *raw, ValueRange in,
                         Results &out) {
  auto op = cast<OpTy>(raw);
  auto flush = [&](Value v) { return c.flush(v, op.getFtz()); };
  out.push_back(approximate(c, function, op.getTy(), in[0], flush, flush));
  return success();
}
/// 2 to the power of a subnormal number is 1, as 2 to the power of 0 is.
LogicalResult emitEx2(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  auto op = cast<Ex2Op>(raw);
  const device::LaneFunction &function =
      op.getFtz() ? device::ex2_ftz : device::ex2;
  out.push_back(approximate(c, function, op.getTy(), in[0], keep, keep));
  return success();
}
LogicalResult emitTanh(ChunkBuilder &c, Operation *raw, ValueRange in,
                       Results &out) {
  out.push_back(approximate(c, device::tanh, cast<TanhOp>(raw).getTy(), in[0],
                            keep, keep));
  return success();
}

/// Changes the sign; that of half types on the bits.
template <typename OpTy>
LogicalResult emitSign(ChunkBuilder &c, Operation *raw, ValueRange in,
                       Results &out) {
  auto op = cast<OpTy>(raw);
  bool isAbs = std::is_same_v<OpTy, AbsFloatOp>;
  ScalarType part = getPartType(op.getTy());
  out.push_back(mapParts(c, op.getTy(), in, [&](ValueRange v) {
    if (!isHalf(part)) {
      Value d =
          isAbs ? c.make<math::AbsFOp>(v[0]) : c.make<arith::NegFOp>(v[0]);
      return c.flush(d, op.getFtz());
    }
    Value x = flushHalf(c, v[0], op.getFtz());
    Value bits = c.bitsOf(x);
    bits = isAbs ? c.bitAnd(bits, c.intConstant(16, 0x7fff))
                 : c.bitXor(bits, c.intConstant(16, 0x8000));
    return c.bitcast(bits, c.elementOf(x));
  }));
  return success();
}

/// min and max of two or three values; `.xorsign.abs` takes the magnitudes and
/// multiplies the signs.
template <typename OpTy>
LogicalResult emitMinMax(ChunkBuilder &c, Operation *raw, ValueRange in,
                         Results &out) {
  auto op = cast<OpTy>(raw);
  bool isMin = std::is_same_v<OpTy, MinFloatOp>, ftz = op.getFtz();
  ScalarType part = getPartType(op.getTy());
  out.push_back(mapParts(c, op.getTy(), in, [&](ValueRange v) {
    SmallVector<Value, 3> x;
    for (Value value : v) {
      Value wide =
          isHalf(part) ? widenHalf(c, part, value, ftz) : c.flush(value, ftz);
      x.push_back(op.getAbs() ? c.make<math::AbsFOp>(wide) : wide);
    }
    Value d = minMaxFloat(c, isMin, op.getNan(), x[0], x[1]);
    if (x.size() > 2)
      d = minMaxFloat(c, isMin, op.getNan(), d, x[2]);
    if (op.getXorsign()) {
      auto wideBits = [&](Value value) {
        return c.bitsOf(isHalf(part) ? widenHalf(c, part, value) : value);
      };
      Value sign = c.bitAnd(c.bitXor(wideBits(v[0]), wideBits(v[1])),
                            c.intConstant(32, 0x80000000));
      Value isNaN = c.cmpf(CmpFPredicate::UNO, d, d);
      Value bits = c.bitsOf(d);
      bits = c.select(isNaN, bits, c.bitOr(bits, sign));
      d = c.bitcast(bits, c.elementOf(d));
    }
    return isHalf(part) ? narrowHalf(c, part, d) : d;
  }));
  return success();
}

LogicalResult emitCopysign(ChunkBuilder &c, Operation *op, ValueRange in,
                           Results &out) {
  // The sign of a on the magnitude of b.
  out.push_back(c.make<math::CopySignOp>(in[1], in[0]));
  return success();
}

LogicalResult emitTestp(ChunkBuilder &c, Operation *raw, ValueRange in,
                        Results &out) {
  auto op = cast<TestpOp>(raw);
  unsigned width = c.widthOf(in[0]);
  Value magnitude =
      c.bitAnd(c.bitsOf(in[0]), c.intConstant(width, ~0ull >> (65 - width)));
  uint64_t infBits = width == 32 ? 0x7f800000ull : 0x7ff0000000000000ull;
  uint64_t leastBits = width == 32 ? 0x00800000ull : 0x0010000000000000ull;
  Value inf = c.intConstant(width, infBits), zero = c.intConstant(width, 0),
        least = c.intConstant(width, leastBits);
  Value result;
  switch (op.getTest()) {
  case FloatTest::Finite:
    result = c.cmp(CmpIPredicate::ult, magnitude, inf);
    break;
  case FloatTest::Infinite:
    result = c.cmp(CmpIPredicate::eq, magnitude, inf);
    break;
  case FloatTest::Number:
    result = c.cmp(CmpIPredicate::ule, magnitude, inf);
    break;
  case FloatTest::NotANumber:
    result = c.cmp(CmpIPredicate::ugt, magnitude, inf);
    break;
  case FloatTest::Normal: // zeros count as normal
    result = c.bitOr(c.cmp(CmpIPredicate::eq, magnitude, zero),
                     c.bitAnd(c.cmp(CmpIPredicate::uge, magnitude, least),
                              c.cmp(CmpIPredicate::ult, magnitude, inf)));
    break;
  case FloatTest::Subnormal:
    result = c.bitAnd(c.cmp(CmpIPredicate::ne, magnitude, zero),
                      c.cmp(CmpIPredicate::ult, magnitude, least));
    break;
  }
  out.push_back(result);
  return success();
}

} // namespace

void ptxjit::addFloatEmitters(Dispatch &dispatch) {
  dispatch.add<AddFloatOp>(emitArith<AddFloatOp, arith::AddFOp>);
  dispatch.add<SubFloatOp>(emitArith<SubFloatOp, arith::SubFOp>);
  dispatch.add<MulFloatOp>(emitArith<MulFloatOp, arith::MulFOp>);
  dispatch.add<FmaOp>(emitFma);
  dispatch.add<MadFloatOp>(emitMad);
  dispatch.add<AddMixedOp>(emitMixed<AddMixedOp, arith::AddFOp>);
  dispatch.add<SubMixedOp>(emitMixed<SubMixedOp, arith::SubFOp>);
  dispatch.add<FmaMixedOp>(emitFmaMixed);
  dispatch.add<DivFloatOp>(emitDiv);
  dispatch.add<RcpOp>(emitRcp);
  dispatch.add<SqrtOp>(emitSqrt);
  dispatch.add<RsqrtOp>(emitRsqrt);
  dispatch.add<SinOp>(emitApprox<SinOp, device::sin>);
  dispatch.add<CosOp>(emitApprox<CosOp, device::cos>);
  dispatch.add<Lg2Op>(emitApprox<Lg2Op, device::lg2>);
  dispatch.add<Ex2Op>(emitEx2);
  dispatch.add<TanhOp>(emitTanh);
  dispatch.add<AbsFloatOp>(emitSign<AbsFloatOp>);
  dispatch.add<NegFloatOp>(emitSign<NegFloatOp>);
  dispatch.add<MinFloatOp>(emitMinMax<MinFloatOp>);
  dispatch.add<MaxFloatOp>(emitMinMax<MaxFloatOp>);
  dispatch.add<CopysignOp>(emitCopysign);
  dispatch.add<TestpOp>(emitTestp);
}
