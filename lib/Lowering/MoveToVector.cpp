//===- MoveToVector.cpp - moves and conversions per chunk -----------------===//

#include "ptxjit/Lowering/ChunkBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "ptxjit/Dialect/PtxOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using Results = llvm::SmallVectorImpl<Value>;
using arith::CmpIPredicate;

namespace {

LogicalResult emitPack(ChunkBuilder &c, Operation *op, ValueRange in,
                       Results &out) {
  unsigned width = op->getResult(0).getType().getIntOrFloatBitWidth();
  Value packed;
  unsigned at = 0;
  for (Value element : in) {
    Value part = c.resize(element, width, false);
    if (at)
      part = c.shlBy(part, at);
    packed = packed ? c.bitOr(packed, part) : part;
    at += c.widthOf(element);
  }
  out.push_back(packed);
  return success();
}

LogicalResult emitUnpack(ChunkBuilder &c, Operation *op, ValueRange in,
                         Results &out) {
  unsigned at = 0;
  for (Type type : op->getResultTypes()) {
    Value part = at ? c.shrBy(in[0], at, false) : in[0];
    out.push_back(c.resize(part, type.getIntOrFloatBitWidth(), false));
    at += type.getIntOrFloatBitWidth();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// prmt
//===----------------------------------------------------------------------===//

/// Byte number `index` (a value) of the 64-bit pair, in the low 8 bits.
Value pickByte(ChunkBuilder &c, Value pair, Value index) {
  Value shift = c.shlBy(c.resize(index, 64, false), 3);
  return c.bitAnd(c.resize(c.shr(pair, shift, false), 32, false),
                  c.intConstant(32, 0xff));
}

LogicalResult emitPrmt(ChunkBuilder &c, Operation *raw, ValueRange in,
                       Results &out) {
  auto op = cast<PrmtOp>(raw);
  Value pair = c.bitOr(c.resize(in[0], 64, false),
                       c.shlBy(c.resize(in[1], 64, false), 32));
  Value selector = in[2], result;
  Value mode = c.bitAnd(selector, c.intConstant(32, 3));
  for (unsigned i = 0; i < 4; ++i) {
    Value byte;
    Value lane = c.intConstant(32, i), seven = c.intConstant(32, 7);
    if (!op.getMode()) {
      Value nibble = c.shrBy(selector, 4 * i, false);
      byte = pickByte(c, pair, c.bitAnd(nibble, seven));
      // Bit 3: the byte's sign, eight times.
      Value sign = c.bitAnd(c.shrBy(c.shlBy(byte, 24), 31, true),
                            c.intConstant(32, 0xff));
      Value replicate =
          c.cmp(CmpIPredicate::ne, c.bitAnd(nibble, c.intConstant(32, 8)),
                c.intConstant(32, 0));
      byte = c.select(replicate, sign, byte);
    } else {
      Value index;
      switch (*op.getMode()) {
      case PermuteMode::F4E:
        index = c.add(mode, lane);
        break;
      case PermuteMode::B4E:
        index = c.bitAnd(c.sub(mode, lane), seven);
        break;
      case PermuteMode::RC8:
        index = mode;
        break;
      case PermuteMode::ECL:
        index = c.make<arith::MaxUIOp>(mode, lane);
        break;
      case PermuteMode::ECR:
        index = c.make<arith::MinUIOp>(mode, lane);
        break;
      case PermuteMode::RC16:
        index = c.add(c.shlBy(c.bitAnd(mode, c.intConstant(32, 1)), 1),
                      c.intConstant(32, i & 1));
        break;
      }
      byte = pickByte(c, pair, index);
    }
    if (i)
      byte = c.shlBy(byte, 8 * i);
    result = result ? c.bitOr(result, byte) : byte;
  }
  out.push_back(result);
  return success();
}

//===----------------------------------------------------------------------===//
// cvt
//===----------------------------------------------------------------------===//

/// Integer to integer, `.sat` clamping to the destination's range.
Value convertInt(ChunkBuilder &c, CvtOp op, Value a) {
  unsigned to = getBitWidth(op.getTy()), from = getBitWidth(op.getTy2());
  bool fromSigned = isSignedInt(op.getTy2()),
       toSigned = isSignedInt(op.getTy());
  if (!op.getSat())
    return c.resize(a, to, fromSigned);
  // Clamp in 128 bits at most: wide enough for every pair.
  unsigned wide = std::max(from, to) * 2;
  Value x = c.resize(a, wide, fromSigned);
  auto wideConstant = [&](APInt value) -> Value {
    Type element = c.b.getIntegerType(wide);
    TypedAttr attr = IntegerAttr::get(element, value);
    if (c.lanes)
      attr = DenseElementsAttr::get(VectorType::get(c.lanes, element),
                                    APInt(value));
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

/// Out of range clamps, NaN gives 0.
Value floatToInt(ChunkBuilder &c, CvtOp op, Value a) {
  a = c.flush(a, op.getFtz());
  if (op.getTy2() == ScalarType::F16) // exact, and wide enough for any f16
    a = c.make<arith::ExtFOp>(c.vec(c.b.getF32Type()), a);
  if (op.getRnd() != Rounding::RZI)
    a = roundToIntegral(c, op.getRnd(), a);
  return c.intrinsic(isSignedInt(op.getTy()) ? "llvm.fptosi.sat"
                                             : "llvm.fptoui.sat",
                     c.ints(getBitWidth(op.getTy())), {a});
}

StringRef modeName(Rounding rnd) {
  return rnd == Rounding::RM   ? "rm"
         : rnd == Rounding::RP ? "rp"
         : rnd == Rounding::RZ ? "rz"
                               : "rn";
}

/// f64 to f16 in any mode, rounded once.
Value narrowToHalf(ChunkBuilder &c, Rounding rnd, Value wide) {
  Value bits = c.callDevice(("cvt_" + modeName(rnd) + "_f16_f64").str(),
                            c.b.getI16Type(), {wide});
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
  // What f64 rounds of an integer is far beyond the largest f16.
  if (op.getTy() == ScalarType::F16)
    return narrowToHalf(c, rnd, convert(f64));
  if (rnd == Rounding::RN)
    return convert(element);
  bool exact = from <= (element == f32 ? 16u : 32u);
  if (exact)
    return convert(element);
  if (from == 32) // exact in f64, then rounded once
    return c.callDevice(("cvt_" + modeName(rnd) + "_f32_f64").str(), f32,
                        {convert(f64)});
  Value wide = c.resize(a, 64, s);
  return c.callDevice((Twine("cvt_") + modeName(rnd) +
                       (element == f32 ? "_f32_" : "_f64_") +
                       (s ? "s64" : "u64"))
                          .str(),
                      element, {wide});
}

Value floatToFloat(ChunkBuilder &c, CvtOp op, Value a) {
  ScalarType to = op.getTy(), from = op.getTy2();
  Type element = getValueType(c.b.getContext(), to);
  Rounding rnd = op.getRnd().value_or(Rounding::RN);
  bool ftz = op.getFtz();
  a = c.flush(a, ftz && from == ScalarType::F32);
  Value value;
  if (to == from) {
    // f16 has no vector rounding on every CPU; f32 holds it exactly.
    bool half = to == ScalarType::F16;
    Value x = half ? c.make<arith::ExtFOp>(c.vec(c.b.getF32Type()), a) : a;
    x = roundToIntegral(c, op.getRnd(), x);
    value = half ? c.make<arith::TruncFOp>(c.vec(element), x) : x;
  } else if (getBitWidth(to) > getBitWidth(from)) {
    if (from == ScalarType::F16 && to == ScalarType::F64)
      a = c.make<arith::ExtFOp>(c.vec(c.b.getF32Type()), a);
    value = c.make<arith::ExtFOp>(c.vec(element), a);
  } else if (to == ScalarType::F16) {
    if (from == ScalarType::F32 && rnd == Rounding::RN)
      value = c.make<arith::TruncFOp>(c.vec(element), a);
    else
      value =
          narrowToHalf(c, rnd,
                       from == ScalarType::F64
                           ? a
                           : c.make<arith::ExtFOp>(c.vec(c.b.getF64Type()), a));
  } else if (rnd == Rounding::RN) {
    value = c.make<arith::TruncFOp>(c.vec(element), a);
  } else {
    value =
        c.callDevice(("cvt_" + modeName(rnd) + "_f32_f64").str(), element, {a});
  }
  value = c.flush(value, ftz && to == ScalarType::F32);
  return c.saturate(value, op.getSat());
}

LogicalResult emitCvt(ChunkBuilder &c, Operation *raw, ValueRange in,
                      Results &out) {
  auto op = cast<CvtOp>(raw);
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
// arith ops that parser and structuring made
//===----------------------------------------------------------------------===//

LogicalResult emitTrunc(ChunkBuilder &c, Operation *op, ValueRange in,
                        Results &out) {
  out.push_back(
      c.resize(in[0], op->getResult(0).getType().getIntOrFloatBitWidth(), 0));
  return success();
}
LogicalResult emitExtU(ChunkBuilder &c, Operation *op, ValueRange in,
                       Results &out) {
  return emitTrunc(c, op, in, out);
}
LogicalResult emitExtS(ChunkBuilder &c, Operation *op, ValueRange in,
                       Results &out) {
  out.push_back(c.resize(
      in[0], op->getResult(0).getType().getIntOrFloatBitWidth(), true));
  return success();
}
LogicalResult emitBitcast(ChunkBuilder &c, Operation *op, ValueRange in,
                          Results &out) {
  out.push_back(c.bitcast(in[0], op->getResult(0).getType()));
  return success();
}
LogicalResult emitSelect(ChunkBuilder &c, Operation *, ValueRange in,
                         Results &out) {
  out.push_back(c.select(in[0], in[1], in[2]));
  return success();
}
LogicalResult emitCmpI(ChunkBuilder &c, Operation *op, ValueRange in,
                       Results &out) {
  out.push_back(c.cmp(cast<arith::CmpIOp>(op).getPredicate(), in[0], in[1]));
  return success();
}
template <typename OpTy>
LogicalResult emitSame(ChunkBuilder &c, Operation *, ValueRange in,
                       Results &out) {
  out.push_back(c.make<OpTy>(in[0], in[1]));
  return success();
}
LogicalResult emitUndef(ChunkBuilder &c, Operation *op, ValueRange,
                        Results &out) {
  out.push_back(c.zero(op->getResult(0).getType()));
  return success();
}

} // namespace

void ptxjit::addMoveEmitters(EmitterTable &table) {
  table.add<PackOp>(emitPack);
  table.add<UnpackOp>(emitUnpack);
  table.add<PrmtOp>(emitPrmt);
  table.add<CvtOp>(emitCvt);
  table.add<UndefOp>(emitUndef);
  table.add<arith::TruncIOp>(emitTrunc);
  table.add<arith::ExtUIOp>(emitExtU);
  table.add<arith::ExtSIOp>(emitExtS);
  table.add<arith::BitcastOp>(emitBitcast);
  table.add<arith::SelectOp>(emitSelect);
  table.add<arith::CmpIOp>(emitCmpI);
  table.add<arith::AndIOp>(emitSame<arith::AndIOp>);
  table.add<arith::OrIOp>(emitSame<arith::OrIOp>);
  table.add<arith::XOrIOp>(emitSame<arith::XOrIOp>);
  table.add<arith::AddIOp>(emitSame<arith::AddIOp>);
  table.add<arith::SubIOp>(emitSame<arith::SubIOp>);
  table.add<arith::MulIOp>(emitSame<arith::MulIOp>);
}
