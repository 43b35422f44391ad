//===- Rounding.cpp - arithmetic in directed rounding modes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correctly rounded results in .rz, .rm and .rp.
//
//===----------------------------------------------------------------------===//

#if defined(__aarch64__)
#include "RoundingAArch64.h"
#else
#include "RoundingX86.h"
#endif

using namespace ptxjit::device;

namespace {

template <int W, typename T> constexpr int partOf() {
  return W * int(sizeof(T)) > kRegisterBytes ? kRegisterBytes / int(sizeof(T))
                                             : W;
}

#define PTXJIT_BINARY_OP(op)                                                   \
  template <typename T, int W, uint32_t Mode>                                  \
  inline void op(Vec<T, W> *out, const Vec<T, W> *x, const Vec<T, W> *y) {     \
    constexpr int N = partOf<W, T>();                                          \
    using R = Register<T, N>;                                                  \
    for (int i = 0; i < W / N; ++i)                                            \
      ((R *)out)[i] =                                                          \
          op##Directed<T, N, Mode>(((const R *)x)[i], ((const R *)y)[i]);      \
  }
PTXJIT_BINARY_OP(add)
PTXJIT_BINARY_OP(sub)
PTXJIT_BINARY_OP(mul)
PTXJIT_BINARY_OP(div)

template <typename T, int W, uint32_t Mode>
inline void sqrt(Vec<T, W> *out, const Vec<T, W> *x) {
  constexpr int N = partOf<W, T>();
  using R = Register<T, N>;
  for (int i = 0; i < W / N; ++i)
    ((R *)out)[i] = sqrtDirected<T, N, Mode>(((const R *)x)[i]);
}

template <typename T, int W, uint32_t Mode>
inline void fma(Vec<T, W> *out, const Vec<T, W> *x, const Vec<T, W> *y,
                const Vec<T, W> *z) {
  constexpr int N = partOf<W, T>();
  using R = Register<T, N>;
  for (int i = 0; i < W / N; ++i)
    ((R *)out)[i] = fmaDirected<T, N, Mode>(
        ((const R *)x)[i], ((const R *)y)[i], ((const R *)z)[i]);
}

template <int W, uint32_t Mode>
inline void narrow(Vec<float, W> *out, const Vec<double, W> *x) {
  constexpr int N = partOf<W, double>();
  for (int i = 0; i < W / N; ++i)
    ((Register<float, N> *)out)[i] =
        narrowDirected<N, Mode>(((const Register<double, N> *)x)[i]);
}

/// Converts a 64-bit magnitude to floating point. If bits are lost, rounds away
/// from zero if `up`, else toward zero. Integers overflow neither type.
template <typename T, typename Bits>
inline T fromMagnitude(uint64_t m, bool up, bool negative) {
  constexpr int mantissa = sizeof(T) == 4 ? 23 : 52;
  constexpr int bias = sizeof(T) == 4 ? 127 : 1023;
  Bits sign = Bits(negative) << (sizeof(T) * 8 - 1);
  if (m == 0)
    return 0;
  int top = 63 - __builtin_clzll(m);
  Bits fraction;
  bool lost = false;
  if (top <= mantissa) {
    fraction = Bits(m << (mantissa - top));
  } else {
    int drop = top - mantissa;
    fraction = Bits(m >> drop);
    lost = (m & ((uint64_t(1) << drop) - 1)) != 0;
  }
  // The hidden bit adds one to the exponent, and so does a carry out of the
  // fraction.
  Bits bits = (Bits(top + bias - 1) << mantissa) + fraction + (lost && up);
  return __builtin_bit_cast(T, Bits(bits | sign));
}
template <typename T, typename Bits, int W, uint32_t Mode>
inline void fromSigned(Vec<T, W> *out, const Vec<int64_t, W> *x) {
  for (int i = 0; i < W; ++i) {
    int64_t v = ((const int64_t *)x)[i];
    bool negative = v < 0;
    uint64_t m = negative ? 0 - uint64_t(v) : uint64_t(v);
    bool up = Mode == kUp ? !negative : Mode == kDown ? negative : false;
    ((T *)out)[i] = fromMagnitude<T, Bits>(m, up, negative);
  }
}
template <typename T, typename Bits, int W, uint32_t Mode>
inline void fromUnsigned(Vec<T, W> *out, const Vec<uint64_t, W> *x) {
  for (int i = 0; i < W; ++i)
    ((T *)out)[i] =
        fromMagnitude<T, Bits>(((const uint64_t *)x)[i], Mode == kUp, false);
}

/// Converts f64 to f16 with one rounding, in any mode. Other types go through
/// f64, which holds all that f16 needs.
enum Mode { Nearest, Zero, Down, Up };
template <Mode M> inline uint16_t toHalf(double value) {
  uint64_t bits = __builtin_bit_cast(uint64_t, value);
  bool negative = bits >> 63;
  uint16_t sign = uint16_t(negative) << 15;
  int exponent = int(bits >> 52 & 0x7ff);
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  if (exponent == 0x7ff)
    return sign | 0x7c00 | (mantissa ? 0x200 | uint16_t(mantissa >> 42) : 0);
  if (exponent == 0 && mantissa == 0)
    return sign;
  if (exponent == 0) // below all f16; only "not 0" matters
    exponent = 1;
  else
    mantissa |= uint64_t(1) << 52;
  int e = exponent - 1023;
  int quantum = (e < -14 ? -14 : e) - 10; // weight of the last kept bit
  int drop = quantum - (e - 52);
  uint64_t kept = drop > 63 ? 0 : mantissa >> drop;
  uint64_t rest = drop > 63 ? mantissa : mantissa & ((uint64_t(1) << drop) - 1);
  bool up = false;
  if (M == Nearest && drop <= 63) {
    uint64_t half = uint64_t(1) << (drop - 1);
    up = rest > half || (rest == half && (kept & 1));
  } else if (M == Down) {
    up = negative && rest;
  } else if (M == Up) {
    up = !negative && rest;
  }
  if (e > 15)
    kept = 2048, up = false; // above the largest f16
  uint32_t half =
      e > 15 ? 0x7c00u : uint32_t((quantum + 24) << 10) + uint32_t(kept + up);
  if (half >= 0x7c00) {
    bool toInf =
        M == Nearest || (M == Down && negative) || (M == Up && !negative);
    half = toInf ? 0x7c00 : 0x7bff;
  }
  return sign | uint16_t(half);
}
template <int W, Mode M>
inline void toHalves(Vec<uint16_t, W> *out, const Vec<double, W> *x) {
  for (int i = 0; i < W; ++i)
    ((uint16_t *)out)[i] = toHalf<M>(((const double *)x)[i]);
}

} // namespace

#define PTXJIT_HALF(W, m, M)                                                   \
  PTXJIT_EXPORT void ptxjit_cvt_##m##_f16_f64_x##W(Vec<uint16_t, W> *d,        \
                                                   const Vec<double, W> *a) {  \
    toHalves<W, M>(d, a);                                                      \
  }
#define PTXJIT_HALF_MODES(W)                                                   \
  PTXJIT_HALF(W, rn, Nearest)                                                  \
  PTXJIT_HALF(W, rz, Zero)                                                     \
  PTXJIT_HALF(W, rm, Down)                                                     \
  PTXJIT_HALF(W, rp, Up)
PTXJIT_HALF_MODES(1)
PTXJIT_HALF_MODES(4)
PTXJIT_HALF_MODES(8)
PTXJIT_HALF_MODES(16)

#define PTXJIT_DIRECTED_AT(W, m, Mode, T, S, Bits)                             \
  PTXJIT_EXPORT void ptxjit_add_##m##_##S##_x##W(                              \
      Vec<T, W> *d, const Vec<T, W> *a, const Vec<T, W> *b) {                  \
    add<T, W, Mode>(d, a, b);                                                  \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_sub_##m##_##S##_x##W(                              \
      Vec<T, W> *d, const Vec<T, W> *a, const Vec<T, W> *b) {                  \
    sub<T, W, Mode>(d, a, b);                                                  \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_mul_##m##_##S##_x##W(                              \
      Vec<T, W> *d, const Vec<T, W> *a, const Vec<T, W> *b) {                  \
    mul<T, W, Mode>(d, a, b);                                                  \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_div_##m##_##S##_x##W(                              \
      Vec<T, W> *d, const Vec<T, W> *a, const Vec<T, W> *b) {                  \
    div<T, W, Mode>(d, a, b);                                                  \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_sqrt_##m##_##S##_x##W(Vec<T, W> *d,                \
                                                  const Vec<T, W> *a) {        \
    sqrt<T, W, Mode>(d, a);                                                    \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_fma_##m##_##S##_x##W(                              \
      Vec<T, W> *d, const Vec<T, W> *a, const Vec<T, W> *b,                    \
      const Vec<T, W> *c) {                                                    \
    fma<T, W, Mode>(d, a, b, c);                                               \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_cvt_##m##_##S##_s64_x##W(                          \
      Vec<T, W> *d, const Vec<int64_t, W> *a) {                                \
    fromSigned<T, Bits, W, Mode>(d, a);                                        \
  }                                                                            \
  PTXJIT_EXPORT void ptxjit_cvt_##m##_##S##_u64_x##W(                          \
      Vec<T, W> *d, const Vec<uint64_t, W> *a) {                               \
    fromUnsigned<T, Bits, W, Mode>(d, a);                                      \
  }
#define PTXJIT_DIRECTED(W, m, Mode)                                            \
  PTXJIT_DIRECTED_AT(W, m, Mode, float, f32, uint32_t)                         \
  PTXJIT_DIRECTED_AT(W, m, Mode, double, f64, uint64_t)                        \
  PTXJIT_EXPORT void ptxjit_cvt_##m##_f32_f64_x##W(Vec<float, W> *d,           \
                                                   const Vec<double, W> *a) {  \
    narrow<W, Mode>(d, a);                                                     \
  }
#define PTXJIT_DIRECTED_MODES(W)                                               \
  PTXJIT_DIRECTED(W, rm, kDown)                                                \
  PTXJIT_DIRECTED(W, rp, kUp)                                                  \
  PTXJIT_DIRECTED(W, rz, kZero)
PTXJIT_DIRECTED_MODES(1)
PTXJIT_DIRECTED_MODES(4)
PTXJIT_DIRECTED_MODES(8)
PTXJIT_DIRECTED_MODES(16)

#define PTXJIT_ROUNDING_FUNCTION(name, operands)                               \
  PTXJIT_ASSERT_LANES(name, operands)
#include "ptxjit/Device/Functions.def"
