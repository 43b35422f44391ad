//===- EvaluateMove.cpp - ISA "data movement and conversion" --------------===//

#include "Evaluate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "ptxjit/Dialect/FormTable.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;
using llvm::RoundingMode;

static const llvm::fltSemantics &semanticsOf(ScalarType type) {
  return type == ScalarType::F16   ? APFloat::IEEEhalf()
         : type == ScalarType::F32 ? APFloat::IEEEsingle()
                                   : APFloat::IEEEdouble();
}
static RoundingMode modeOf(std::optional<Rounding> rnd) {
  switch (rnd.value_or(Rounding::RN)) {
  case Rounding::RZ:
  case Rounding::RZI:
    return RoundingMode::TowardZero;
  case Rounding::RM:
  case Rounding::RMI:
    return RoundingMode::TowardNegative;
  case Rounding::RP:
  case Rounding::RPI:
    return RoundingMode::TowardPositive;
  default:
    return RoundingMode::NearestTiesToEven;
  }
}
static bool isIntegral(std::optional<Rounding> rnd) {
  return rnd && *rnd >= Rounding::RNI;
}

static Bits saturate(APFloat x) {
  if (x.isNaN() || x.isNegative() || x.isZero())
    return 0;
  APFloat one(x.getSemantics(), 1);
  return (x.compare(one) == APFloat::cmpGreaterThan ? one : x)
      .bitcastToAPInt()
      .getZExtValue();
}

static Bits convert(CvtOp op, Bits bits) {
  ScalarType to = op.getTy(), from = op.getTy2();
  unsigned width = getBitWidth(to);
  bool ftz = op.getFtz();
  if (!isFloat(from)) {
    APSInt value(APInt(getBitWidth(from), bits, false, true),
                 !isSignedInt(from));
    if (isFloat(to)) {
      APFloat f(semanticsOf(to));
      f.convertFromAPInt(value, value.isSigned(), modeOf(op.getRnd()));
      return op.getSat() ? saturate(f) : f.bitcastToAPInt().getZExtValue();
    }
    APSInt wide = value.extend(192);
    wide.setIsSigned(true);
    if (op.getSat()) {
      APSInt low = APSInt::getMinValue(width, !isSignedInt(to)).extend(192);
      APSInt high = APSInt::getMaxValue(width, !isSignedInt(to)).extend(192);
      low.setIsSigned(true);
      high.setIsSigned(true);
      wide = std::min(std::max(wide, low), high);
    }
    return wide.trunc(width).getZExtValue();
  }
  if (ftz && from == ScalarType::F32)
    bits = flushF32(bits);
  APFloat x(semanticsOf(from), APInt(getBitWidth(from), bits, false, true));
  if (!isFloat(to)) {
    if (x.isNaN())
      return 0;
    APSInt result(width, !isSignedInt(to));
    bool exact; // saturates out of range
    x.convertToInteger(result, modeOf(op.getRnd()), &exact);
    return result.getZExtValue();
  }
  if (isIntegral(op.getRnd()))
    x.roundToIntegral(modeOf(op.getRnd()));
  bool loses;
  x.convert(semanticsOf(to), modeOf(op.getRnd()), &loses);
  Bits result = x.bitcastToAPInt().getZExtValue();
  if (ftz && to == ScalarType::F32)
    result = flushF32(result);
  return op.getSat() ? saturate(APFloat(semanticsOf(to), APInt(width, result)))
                     : result;
}

/// ISA: bytes 0-3 are a, 4-7 are b.
static Bits permute(PrmtOp op, ArrayRef<Bits> in) {
  uint64_t pair = (in[1] << 32) | (in[0] & 0xffffffffu);
  auto byte = [&](unsigned i) { return pair >> (8 * (i & 7)) & 0xff; };
  unsigned s = in[2] & 3;
  Bits d = 0;
  for (unsigned i = 0; i < 4; ++i) {
    Bits b;
    if (!op.getMode()) {
      unsigned nibble = in[2] >> (4 * i) & 0xf;
      b = byte(nibble & 7);
      if (nibble & 8)
        b = b & 0x80 ? 0xff : 0;
    } else {
      switch (*op.getMode()) {
      case PermuteMode::F4E:
        b = byte(s + i);
        break;
      case PermuteMode::B4E:
        b = byte(s - i);
        break;
      case PermuteMode::RC8:
        b = byte(s);
        break;
      case PermuteMode::ECL:
        b = byte(std::max(i, s));
        break;
      case PermuteMode::ECR:
        b = byte(std::min(i, s));
        break;
      case PermuteMode::RC16:
        b = byte((s & 1) * 2 + (i & 1));
        break;
      }
    }
    d |= b << (8 * i);
  }
  return d;
}

bool reference::evaluateMove(Operation *op, ArrayRef<Bits> in,
                             SmallVectorImpl<Bits> &out) {
  auto give = [&](Bits value) {
    out.push_back(value);
    return true;
  };
  auto widthOf = [](Value v) { return v.getType().getIntOrFloatBitWidth(); };
  auto maskOf = [](unsigned n) { return n >= 64 ? ~0ull : (1ull << n) - 1; };
  if (isa<MovOp, arith::BitcastOp, arith::ExtUIOp>(op))
    return give(in[0]);
  if (isa<arith::TruncIOp>(op))
    return give(in[0] & maskOf(widthOf(op->getResult(0))));
  if (isa<arith::ExtSIOp>(op)) {
    APInt x(widthOf(op->getOperand(0)), in[0]);
    return give(x.sext(widthOf(op->getResult(0))).getZExtValue());
  }
  if (isa<arith::XOrIOp>(op))
    return give(in[0] ^ in[1]);
  if (isa<arith::AddIOp>(op))
    return give((in[0] + in[1]) & maskOf(widthOf(op->getResult(0))));
  if (isa<arith::MulIOp>(op))
    return give((in[0] * in[1]) & maskOf(widthOf(op->getResult(0))));
  if (isa<PackOp>(op)) {
    Bits d = 0;
    unsigned at = 0;
    for (auto [value, bits] : llvm::zip(op->getOperands(), in)) {
      d |= bits << at;
      at += widthOf(value);
    }
    return give(d);
  }
  if (isa<UnpackOp>(op)) {
    unsigned at = 0;
    for (Value v : op->getResults()) {
      out.push_back(in[0] >> at & maskOf(widthOf(v)));
      at += widthOf(v);
    }
    return true;
  }
  if (auto prmt = dyn_cast<PrmtOp>(op))
    return give(permute(prmt, in));
  if (auto cvt = dyn_cast<CvtOp>(op))
    return give(convert(cvt, in[0]));
  return false;
}
