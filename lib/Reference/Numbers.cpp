//===- Numbers.cpp - floating-point numbers as bits -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluate.h"

#include "ptxjit/Dialect/FormTable.h"

using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;
using llvm::APFloat;
using llvm::APInt;
using llvm::RoundingMode;

const llvm::fltSemantics &reference::semanticsOf(ScalarType type) {
  switch (type) {
  case ScalarType::F16:
    return APFloat::IEEEhalf();
  case ScalarType::BF16:
    return APFloat::BFloat();
  case ScalarType::F64:
    return APFloat::IEEEdouble();
  default:
    return APFloat::IEEEsingle();
  }
}

APFloat reference::makeFloat(ScalarType type, Bits bits) {
  return APFloat(semanticsOf(type),
                 APInt(getBitWidth(type), bits, false, /*implicitTrunc=*/true));
}

Bits reference::bitsOf(const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue();
}

RoundingMode reference::modeOf(std::optional<Rounding> rnd) {
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
  case Rounding::RNA:
    return RoundingMode::NearestTiesToAway;
  default:
    return RoundingMode::NearestTiesToEven;
  }
}

Bits reference::flush(ScalarType type, Bits bits) {
  APFloat x = makeFloat(type, bits);
  return x.isDenormal()
             ? bitsOf(APFloat::getZero(x.getSemantics(), x.isNegative()))
             : bits;
}

Bits reference::saturate(ScalarType type, Bits bits) {
  APFloat x = makeFloat(type, bits);
  APFloat one(x.getSemantics(), 1);
  if (x.isNaN() || x.isNegative() || x.isZero())
    return 0;
  return x.compare(one) == APFloat::cmpGreaterThan ? bitsOf(one) : bits;
}
