//===- MatrixNumbers.cpp - elements of matrices ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixNumbers.h"

#include <cmath>

using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;
using llvm::APFloat;
using llvm::APInt;

Bits reference::elementOf(Members lanes, unsigned lane, unsigned first,
                          unsigned bits, unsigned i) {
  if (!lanes[lane])
    return 0;
  if (bits >= 32)
    return lanes[lane]->waitInputs[first + i];
  unsigned each = 32 / bits;
  return lanes[lane]->waitInputs[first + i / each] >> (i % each * bits) &
         ((Bits(1) << bits) - 1);
}

static float decode(const llvm::fltSemantics &semantics, unsigned bits,
                    Bits code) {
  APFloat x(semantics, APInt(bits, code, false, /*implicitTrunc=*/true));
  bool lost = false;
  x.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
  return x.convertToFloat();
}

float reference::numberOf(MatrixType type, Bits bits, bool bytePerElement) {
  switch (type) {
  case MatrixType::F16:
    return decode(APFloat::IEEEhalf(), 16, bits);
  case MatrixType::BF16:
    return decode(APFloat::BFloat(), 16, bits);
  case MatrixType::TF32: // the low 13 bits are ignored
    return decode(APFloat::IEEEsingle(), 32, bits & 0xffffe000);
  case MatrixType::F32:
    return decode(APFloat::IEEEsingle(), 32, bits);
  case MatrixType::E4M3:
    return decode(APFloat::Float8E4M3FN(), 8, bits);
  case MatrixType::E5M2:
    return decode(APFloat::Float8E5M2(), 8, bits);
  case MatrixType::E3M2:
    return decode(APFloat::Float6E3M2FN(), 6, bits);
  case MatrixType::E2M3:
    return decode(APFloat::Float6E2M3FN(), 6, bits);
  case MatrixType::E2M1: // in a byte: two bits of padding on each side
    return decode(APFloat::Float4E2M1FN(), 4,
                  bytePerElement ? bits >> 2 : bits);
  default:
    return NAN;
  }
}

int64_t reference::integerOf(MatrixType type, Bits bits) {
  switch (type) {
  case MatrixType::S8:
    return int8_t(bits);
  case MatrixType::S4:
    return int64_t(bits & 7) - int64_t(bits & 8);
  case MatrixType::S32:
    return int32_t(bits);
  default:
    return int64_t(bits);
  }
}

/// ISA: NaN results are 0x7fffffff in f32, 0x7fff in f16.
Bits reference::resultBits(MatrixType type, float sum, bool saturates) {
  bool half = type == MatrixType::F16;
  if (std::isnan(sum))
    return saturates ? 0 : half ? 0x7fff : 0x7fffffff;
  APFloat x(sum);
  if (half) {
    bool lost = false;
    x.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &lost);
  }
  if (saturates && x.isInfinity())
    x = APFloat::getLargest(x.getSemantics(), x.isNegative());
  return bitsOf(x);
}
