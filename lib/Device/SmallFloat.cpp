//===- SmallFloat.cpp - fp8, fp6 and fp4; finding bits --------------------===//
//
// ISA "alternate floating-point data formats". Codes travel as 32-bit integers.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

using namespace ptxjit::device;

namespace {

/// E exponent and M mantissa bits; `Max` is the code of the largest number,
/// `NaN` that of NaN (of formats without one: the largest number).
template <int E, int M, uint32_t Max, uint32_t NaN> struct Format {
  static constexpr int bias = (1 << (E - 1)) - 1;
  static constexpr int least = 1 - bias; ///< exponent of the least normal
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

  /// To nearest, larger magnitudes to the largest number.
  template <int W> static U32<W> encode(F32<W> x) {
    I32<W> isNumber = x == x;
    F32<W> y = __builtin_elementwise_abs(choose<W>(isNumber, x, F32<W>(0)));
    F32<W> most = magnitude<W>(U32<W>(Max));
    y = choose<W>(y > most, most, y);
    I32<W> exponent = I32<W>(bitsOf<W>(y) >> 23) - 127;
    I32<W> normal = exponent > least;
    exponent = (normal & exponent) | (~normal & least);
    F32<W> digits = __builtin_elementwise_roundeven(y * power<W>(M - exponent));
    // A carry out of the digits is one into the exponent.
    U32<W> code = (U32<W>(exponent - least) << M) +
                  U32<W>(__builtin_convertvector(digits, I32<W>));
    code |= (bitsOf<W>(x) >> 31) * sign;
    return (U32<W>(isNumber) & code) | (~U32<W>(isNumber) & NaN);
  }
  template <int W> static F32<W> decode(U32<W> code) {
    U32<W> digits = code & (sign - 1);
    U32<W> bits = bitsOf<W>(magnitude<W>(digits));
    if constexpr (NaN != Max) {
      // Above the largest: infinity if the exponents are IEEE's, or NaN.
      I32<W> isInf = (digits == Max + 1) & (E == 5 ? -1 : 0);
      I32<W> isNaN = (digits > Max) & ~isInf;
      bits = (U32<W>(isInf) & 0x7f800000u) | (~U32<W>(isInf) & bits);
      bits = (U32<W>(isNaN) & 0x7fffffffu) | (~U32<W>(isNaN) & bits);
    }
    return fromBits<W>(bits | (((code & sign) != 0) & 0x80000000u));
  }
};

using E4M3 = Format<4, 3, 0x7e, 0x7f>;
using E5M2 = Format<5, 2, 0x7b, 0x7f>;
using E2M3 = Format<2, 3, 0x1f, 0x1f>;
using E3M2 = Format<3, 2, 0x1f, 0x1f>;
using E2M1 = Format<2, 1, 0x7, 0x7>;

/// fns: from bit `base` of `mask` on, up or down, the |offset|-th that is set.
template <int W> U32<W> findNthSet(U32<W> mask, U32<W> base, I32<W> offset) {
  mask &= U32<W>(I32<W>(base < 32u)); // beyond: undefined, nothing found
  I32<W> isDown = offset < 0;
  U32<W> wanted = U32<W>((isDown & -offset) | (~isDown & offset));
  // Offset 0 looks at the base alone, as 1 does first.
  I32<W> isZero = offset == 0;
  wanted = (U32<W>(isZero) & 1u) | (~U32<W>(isZero) & wanted);
  U32<W> result = ~U32<W>(0), at = base;
  for (int i = 0; i < 32; ++i) {
    I32<W> inside = at < 32u;
    I32<W> isSet = inside & I32<W>((mask >> (at & 31u) & 1u) != 0);
    wanted -= U32<W>(isSet) & 1u;
    I32<W> found = isSet & I32<W>(wanted == 0);
    result = (U32<W>(found) & at) | (~U32<W>(found) & result);
    // Behind the last look nothing counts any more.
    I32<W> done = found | isZero;
    wanted = (U32<W>(done) & ~0u) | (~U32<W>(done) & wanted);
    at = at + ((U32<W>(isDown) & ~0u) | (~U32<W>(isDown) & 1u));
    at = (U32<W>(isZero) & ~0u) | (~U32<W>(isZero) & at);
  }
  return result;
}

} // namespace

#define PTXJIT_FORMAT_AT(name, Type, W)                                        \
  PTXJIT_EXPORT void ptxjit_cvt_##name##_f32_x##W(U32<W> *d,                   \
                                                  const F32<W> *a) {           \
    *d = Type::encode<W>(*a);                                                  \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_cvt_f32_##name##_x##W(F32<W> *d,                   \
                                                  const U32<W> *a) {           \
    *d = Type::decode<W>(*a);                                                  \
  }
#define PTXJIT_FORMAT(name, Type)                                              \
  PTXJIT_FORMAT_AT(name, Type, 1)                                              \
  PTXJIT_FORMAT_AT(name, Type, 4)                                              \
  PTXJIT_FORMAT_AT(name, Type, 8)                                              \
  PTXJIT_FORMAT_AT(name, Type, 16)
PTXJIT_FORMAT(e4m3, E4M3)
PTXJIT_FORMAT(e5m2, E5M2)
PTXJIT_FORMAT(e2m3, E2M3)
PTXJIT_FORMAT(e3m2, E3M2)
PTXJIT_FORMAT(e2m1, E2M1)

#define PTXJIT_FNS(W)                                                          \
  PTXJIT_EXPORT void ptxjit_fns_x##W(U32<W> *d, const U32<W> *mask,            \
                                     const U32<W> *base,                       \
                                     const U32<W> *offset) {                   \
    *d = findNthSet<W>(*mask, *base, I32<W>(*offset));                         \
  }
PTXJIT_FNS(1)
PTXJIT_FNS(4)
PTXJIT_FNS(8)
PTXJIT_FNS(16)
