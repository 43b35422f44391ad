//===- Approximate.cpp - ex2, lg2, sin, cos, tanh, rsqrt ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ISA "floating-point-instructions": within its error bounds, with the special
// values of its tables. All CPUs use the same algorithms, but for rsqrt. The
// polynomials are those of Cephes.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

using namespace ptxjit::device;

namespace {

template <int W> F32<W> splat(float x) { return F32<W>(x); }

constexpr float kLeastNormal = 1.17549435e-38f;

/// 2^n for whole n in [-126, 127].
template <int W> F32<W> powerOfTwo(I32<W> n) {
  return fromBits<W>(U32<W>(n + 127) << 23);
}

/// 2^f for f in [-0.5, 0.5].
template <int W> F32<W> powerOfFraction(F32<W> f) {
  F32<W> p = splat<W>(1.535336188319500e-4f);
  p = __builtin_elementwise_fma(p, f, splat<W>(1.339887440266574e-3f));
  p = __builtin_elementwise_fma(p, f, splat<W>(9.618437357674640e-3f));
  p = __builtin_elementwise_fma(p, f, splat<W>(5.550332471162809e-2f));
  p = __builtin_elementwise_fma(p, f, splat<W>(2.402264791363012e-1f));
  p = __builtin_elementwise_fma(p, f, splat<W>(6.931472028550421e-1f));
  return __builtin_elementwise_fma(p, f, splat<W>(1));
}

/// x up to here give 0: half the least subnormal number is rounded to even.
constexpr float kMostForZero = -150;

#if defined(__AVX512F__) && defined(__AVX512VL__)
/// The same where subnormal results are 0: the float below -126.
constexpr float kMostForZeroFlushed = -0x1.f80002p6f;

/// One instruction scales by 2^whole. It rounds once, as the code for other
/// CPUs below does, and takes infinities and NaNs as they are. Intel's CPUs
/// take 230 cycles for a result that is too small for a normal number, also for
/// 0, so lanes up to `mostForZero` are left out.
template <int W> F32<W> ex2Above(F32<W> x, float mostForZero) {
  F32<W> whole = __builtin_elementwise_roundeven(x), zero = splat<W>(0);
  F32<W> p = powerOfFraction<W>(x - whole); // a NaN for an infinity
  F32<W> least = splat<W>(mostForZero);
  constexpr int notUpTo = 0x16; // true for NaNs
  if constexpr (W == 16) {
    auto lanes = __builtin_ia32_cmpps512_mask(x, least, notUpTo, 0xffff, 4);
    return __builtin_ia32_scalefps512_mask(p, whole, zero, lanes, 4);
  } else if constexpr (W == 8) {
    auto lanes = __builtin_ia32_cmpps256_mask(x, least, notUpTo, 0xff);
    return __builtin_ia32_scalefps256_mask(p, whole, zero, lanes);
  } else if constexpr (W == 4) {
    auto lanes = __builtin_ia32_cmpps128_mask(x, least, notUpTo, 0xf);
    return __builtin_ia32_scalefps128_mask(p, whole, zero, lanes);
  } else {
    return ex2Above<4>(F32<4>(x[0]), mostForZero)[0];
  }
}
template <int W> F32<W> ex2(F32<W> x) { return ex2Above<W>(x, kMostForZero); }
/// As ex2, with 0 for subnormal results.
template <int W> F32<W> ex2Flushed(F32<W> x) {
  return ex2Above<W>(x, kMostForZeroFlushed);
}
#else
/// A number from -2^22 to `most` as a whole number and a rest. The comparison
/// lets NaNs pass, which make the rest one.
template <int W> struct Parts {
  /// Around `kWhole`, floats are whole numbers that lie 1 apart.
  static constexpr float kWhole = 12582912; // 1.5 * 2^23
  Parts(F32<W> x, float most) {
    F32<W> y = choose<W>(x > most, splat<W>(most), x);
    F32<W> sum = y + kWhole;
    n = I32<W>(bitsOf<W>(sum) - bitsOf<W>(splat<W>(kWhole)));
    rest = y - (sum - kWhole); // exact, in [-0.5, 0.5]
  }
  I32<W> n;
  F32<W> rest;
};

/// Scales in two steps: the first is exact, so subnormal results are rounded
/// once. Products that are 0 for being too small take Intel's CPUs 150 cycles,
/// so their lanes compute something else.
template <int W> F32<W> ex2(F32<W> x) {
  I32<W> isZero = x <= kMostForZero;
  Parts<W> parts(choose<W>(isZero, splat<W>(0), x), 160);
  F32<W> p = powerOfFraction<W>(parts.rest);
  I32<W> half = parts.n >> 1;
  p = p * powerOfTwo<W>(half) * powerOfTwo<W>(parts.n - half);
  return choose<W>(isZero, splat<W>(0), p);
}

/// As ex2, with 0 for subnormal results. The sum of the exponents is that of a
/// normal result. For a smaller result the sum is 0, which is a subnormal
/// number as a float, and for 2^128 it is that of infinity.
template <int W> F32<W> ex2Flushed(F32<W> x) {
  constexpr float least = -126.49f;
  Parts<W> parts(choose<W>(x < least, splat<W>(least), x), 128);
  F32<W> p = powerOfFraction<W>(parts.rest);
  F32<W> result = fromBits<W>(bitsOf<W>(p) + (U32<W>(parts.n) << 23));
  return choose<W>(result < kLeastNormal, splat<W>(0), result);
}
#endif

template <int W> F32<W> lg2(F32<W> x) {
  I32<W> tiny = x < kLeastNormal;
  F32<W> y = choose<W>(tiny, x * 8388608.0f, x);
  U32<W> bits = bitsOf<W>(y);
  // m in [sqrt(1/2), sqrt(2)), x = m * 2^e.
  I32<W> e = I32<W>(bits - 0x3f3504f3u) >> 23;
  F32<W> m = fromBits<W>(bits - (U32<W>(e) << 23));
  F32<W> t = m - 1.0f, z = t * t;
  F32<W> p = splat<W>(7.0376836292e-2f);
  const float c[] = {-1.1514610310e-1f, 1.1676998740e-1f,  -1.2420140846e-1f,
                     1.4249322787e-1f,  -1.6668057665e-1f, 2.0000714765e-1f,
                     -2.4999993993e-1f, 3.3333331174e-1f};
  for (float k : c)
    p = __builtin_elementwise_fma(p, t, splat<W>(k));
  F32<W> r = p * t * z - 0.5f * z; // log(m) = t + r
  const float log2eMinus1 = 0.44269504088896340736f;
  F32<W> exponent = __builtin_convertvector(e, F32<W>) -
                    choose<W>(tiny, splat<W>(23), splat<W>(0));
  F32<W> result = r * log2eMinus1;
  result = __builtin_elementwise_fma(t, splat<W>(log2eMinus1), result);
  result = result + r + t + exponent;
  F32<W> inf = fromBits<W>(U32<W>(0x7f800000u));
  result = choose<W>(x == inf, inf, result);
  result = choose<W>(x == 0.0f, -inf, result);
  result = choose<W>(x < 0.0f, fromBits<W>(U32<W>(0x7fffffffu)), result);
  return choose<W>(x == x, result, x + x);
}

/// Returns x minus the nearest multiple of pi/2, and the quadrant, for |x| >
/// 2^20. Computed in f64 with pi/2 in two parts, which is good up to about
/// 2^50. Beyond, where the ISA asks for "best effort", it is some angle.
template <int W> F32<W> reduceLarge(F32<W> x, I32<W> *quadrant) {
  F64<W> wide = __builtin_convertvector(x, F64<W>);
  F64<W> k = __builtin_elementwise_roundeven(wide * 0.63661977236758134308);
  F64<W> r = __builtin_elementwise_fma(k, F64<W>(-1.5707963267948966), wide);
  r = __builtin_elementwise_fma(k, F64<W>(-6.123233995736766e-17), r);
  F64<W> q = k - 4.0 * __builtin_elementwise_floor(k * 0.25);
  for (int i = 0; i < W; ++i) // no digits left: take angle 0
    if (!(r[i] >= -1.0 && r[i] <= 1.0))
      r[i] = 0, q[i] = 0;
  *quadrant = __builtin_convertvector(q, I32<W>);
  return __builtin_convertvector(r, F32<W>);
}

/// sin(x + quadrant * pi/2).
template <int W> F32<W> sine(F32<W> x, int quadrant) {
  F32<W> magnitude = __builtin_elementwise_abs(x);
  F32<W> inf = fromBits<W>(U32<W>(0x7f800000u));
  F32<W> y = choose<W>(magnitude <= 1048576.0f, x, splat<W>(0));
  F32<W> k = __builtin_elementwise_roundeven(y * 0.63661977236758134308f);
  F32<W> r =
      __builtin_elementwise_fma(k, splat<W>(-1.57079625129699707031e+0f), y);
  r = __builtin_elementwise_fma(k, splat<W>(-7.54978941586159635335e-8f), r);
  r = __builtin_elementwise_fma(k, splat<W>(-5.39030252995776476554e-15f), r);
  r = choose<W>(k == 0.0f, y, r); // keeps the sign of 0
  I32<W> q = __builtin_convertvector(k, I32<W>);
  I32<W> isLarge = (magnitude > 1048576.0f) & (magnitude < inf);
  bool anyLarge = false;
  for (int i = 0; i < W; ++i)
    anyLarge |= isLarge[i] != 0;
  if (anyLarge) {
    I32<W> turns;
    r = choose<W>(isLarge, reduceLarge<W>(x, &turns), r);
    q = (isLarge & turns) | (~isLarge & q);
  }
  F32<W> z = r * r;
  F32<W> s = splat<W>(-1.9515295891e-4f);
  s = __builtin_elementwise_fma(s, z, splat<W>(8.3321608736e-3f));
  s = __builtin_elementwise_fma(s, z, splat<W>(-1.6666654611e-1f));
  s = r * __builtin_elementwise_fma(s, z, splat<W>(1));
  F32<W> c = splat<W>(2.443315711809948e-5f);
  c = __builtin_elementwise_fma(c, z, splat<W>(-1.388731625493765e-3f));
  c = __builtin_elementwise_fma(c, z, splat<W>(4.166664568298827e-2f));
  c = __builtin_elementwise_fma(c * z, z, 1.0f - 0.5f * z);
  q += quadrant;
  F32<W> result = choose<W>((q & 1) != 0, c, s);
  U32<W> flip = U32<W>((q & 2) != 0) & 0x80000000u;
  result = fromBits<W>(bitsOf<W>(result) ^ flip);
  return choose<W>(magnitude < inf, result, fromBits<W>(U32<W>(0x7fffffffu)));
}
template <int W> F32<W> sin(F32<W> x) { return sine<W>(x, 0); }
template <int W> F32<W> cos(F32<W> x) { return sine<W>(x, 1); }

template <int W> F32<W> tanh(F32<W> x) {
  F32<W> magnitude = __builtin_elementwise_abs(x);
  // Uses 1 - 2 / (e^2x + 1), and near 0, where that cancels, a polynomial.
  F32<W> e = ex2<W>(magnitude * 2.88539008177792681472f);
  F32<W> far = 1.0f - 2.0f / (e + 1.0f);
  F32<W> z = x * x;
  F32<W> p = splat<W>(-5.70498872745e-3f);
  p = __builtin_elementwise_fma(p, z, splat<W>(2.06390887954e-2f));
  p = __builtin_elementwise_fma(p, z, splat<W>(-5.37397155531e-2f));
  p = __builtin_elementwise_fma(p, z, splat<W>(1.33314422036e-1f));
  p = __builtin_elementwise_fma(p, z, splat<W>(-3.33332819422e-1f));
  F32<W> near = __builtin_elementwise_fma(p * z, magnitude, magnitude);
  F32<W> result = choose<W>(magnitude < 0.625f, near, far);
  result = fromBits<W>(bitsOf<W>(result) | (bitsOf<W>(x) & 0x80000000u));
  return choose<W>(x == x, result, x + x);
}

#if defined(__AVX512F__) && defined(__AVX512VL__)
/// The CPU's own estimate, whose relative error is below 2^-14.
template <int W> F32<W> estimateRsqrt(F32<W> x) {
  if constexpr (W == 16)
    return __builtin_ia32_rsqrt14ps512_mask(x, x, 0xffff);
  else if constexpr (W == 8)
    return __builtin_ia32_rsqrt14ps256_mask(x, x, 0xff);
  else if constexpr (W == 4)
    return __builtin_ia32_rsqrt14ps128_mask(x, x, 0xf);
  else
    return __builtin_ia32_rsqrt14ps128_mask(F32<4>(x[0]), F32<4>(x[0]), 1)[0];
}

/// Newton's step leaves a relative error of 2^-27.4, to which rounding adds
/// 2^-23.4 (the ISA allows 2^-22.9). The root and the division that it stands
/// for keep a core busy for 34 cycles.
template <int W> F32<W> rsqrt(F32<W> x) {
  F32<W> y = estimateRsqrt<W>(x);
  F32<W> rest = __builtin_elementwise_fma(-(x * y), y, splat<W>(1));
  F32<W> better = __builtin_elementwise_fma(0.5f * y, rest, y);
  // Of 0 and of infinity the estimate is right, and the rest is a NaN.
  return choose<W>(rest == rest, better, y);
}
#else
template <int W> F32<W> rsqrt(F32<W> x) {
  return 1.0f / __builtin_elementwise_sqrt(x);
}
#endif

} // namespace

PTXJIT_UNARY(ex2, ex2, F32, F32)
PTXJIT_UNARY(ex2_ftz, ex2Flushed, F32, F32)
PTXJIT_UNARY(lg2, lg2, F32, F32)
PTXJIT_UNARY(sin, sin, F32, F32)
PTXJIT_UNARY(cos, cos, F32, F32)
PTXJIT_UNARY(tanh, tanh, F32, F32)
PTXJIT_UNARY(rsqrt, rsqrt, F32, F32)

#define PTXJIT_APPROXIMATE_FUNCTION(name, operands)                            \
  PTXJIT_ASSERT_LANES(name, operands)
#include "ptxjit/Device/Functions.def"
