//===- SmallFloat.h - conversions of fp8, fp6 and fp4 formats ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ISA "alternate floating-point data formats". A code is held in a 32-bit
// integer.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_SMALLFLOAT_H
#define PTXJIT_LIB_DEVICE_SMALLFLOAT_H

#include "Device.h"

namespace ptxjit::device {

/// A format of E exponent and M mantissa bits. `Max` is the code of the largest
/// number; `NaN` is that of NaN, or `Max` if the format has none.
template <int E, int M, uint32_t Max, uint32_t NaN> struct Format {
  static constexpr int bias = (1 << (E - 1)) - 1;
  static constexpr int least = 1 - bias; ///< exponent of the smallest normal
  static constexpr uint32_t sign = 1u << (E + M);

  template <int W> static F32<W> power(I32<W> n) {
    return fromBits<W>(U32<W>(n + 127) << 23);
  }
  template <int W> static F32<W> magnitude(U32<W> code) {
    I32<W> field = I32<W>(code >> M);
    U32<W> digits = code & ((1u << M) - 1);
    I32<W> normal = field != 0;
    digits |= U32<W>(normal) & (1u << M);
    I32<W> exponent = (normal & (field - 1)) + least - M;
    return __builtin_convertvector(I32<W>(digits), F32<W>) * power<W>(exponent);
  }

  /// Rounds to nearest even. Larger magnitudes become the largest number.
  template <int W> static U32<W> encode(F32<W> x) {
    return encodeBy<W>(
        x, [](F32<W> y) { return __builtin_elementwise_roundeven(y); });
  }
  /// Rounds away from zero if the digits cut off, as a fraction of the last
  /// digit kept, plus `random` / 2^16 are at least 1.
  template <int W> static U32<W> encodeRandom(F32<W> x, U32<W> random) {
    return encodeBy<W>(x, [&](F32<W> y) {
      F32<W> whole = __builtin_elementwise_floor(y);
      // Compares instead of adding, since the sum might be rounded.
      F32<W> rest =
          1.0f - __builtin_convertvector(random & 0xffffu, F32<W>) * 0x1p-16f;
      I32<W> carries = y - whole >= rest;
      return whole + choose<W>(carries, F32<W>(1), F32<W>(0));
    });
  }
  /// Encodes x. `round` rounds digits to an integer.
  template <int W, typename Round>
  static U32<W> encodeBy(F32<W> x, Round round) {
    I32<W> isNumber = x == x;
    F32<W> y = __builtin_elementwise_abs(choose<W>(isNumber, x, F32<W>(0)));
    F32<W> most = magnitude<W>(U32<W>(Max));
    y = choose<W>(y > most, most, y);
    I32<W> exponent = I32<W>(bitsOf<W>(y) >> 23) - 127;
    I32<W> normal = exponent > least;
    exponent = (normal & exponent) | (~normal & least);
    F32<W> digits = round(y * power<W>(M - exponent));
    // A carry out of the digits increments the exponent.
    U32<W> code = (U32<W>(exponent - least) << M) +
                  U32<W>(__builtin_convertvector(digits, I32<W>));
    code |= (bitsOf<W>(x) >> 31) * sign;
    return (U32<W>(isNumber) & code) | (~U32<W>(isNumber) & NaN);
  }
  template <int W> static F32<W> decode(U32<W> code) {
    U32<W> digits = code & (sign - 1);
    U32<W> bits = bitsOf<W>(magnitude<W>(digits));
    if constexpr (NaN != Max) {
      // Codes above `Max` are infinity, if the exponents are those of IEEE
      // (E5M2), or NaN.
      I32<W> isInf = (digits == Max + 1) & (E == 5 ? -1 : 0);
      I32<W> isNaN = (digits > Max) & ~isInf;
      bits = (U32<W>(isInf) & 0x7f800000u) | (~U32<W>(isInf) & bits);
      bits = (U32<W>(isNaN) & 0x7fffffffu) | (~U32<W>(isNaN) & bits);
    }
    return fromBits<W>(bits | (((code & sign) != 0) & 0x80000000u));
  }
};

/// f16. `Max` is infinity here, so numbers that are too large become infinity.
using Half = Format<5, 10, 0x7c00, 0x7fff>;
using E4M3 = Format<4, 3, 0x7e, 0x7f>;
using E5M2 = Format<5, 2, 0x7b, 0x7f>;
using E2M3 = Format<2, 3, 0x1f, 0x1f>;
using E3M2 = Format<3, 2, 0x1f, 0x1f>;
using E2M1 = Format<2, 1, 0x7, 0x7>;

} // namespace ptxjit::device

#endif
