//===- ProductsX86.h - sums of products of small elements -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_PRODUCTSX86_H
#define PTXJIT_LIB_DEVICE_PRODUCTSX86_H

#include "Device.h"
#include <immintrin.h>

/// The CPU adds products of four bytes, and, in its own way, of pairs of bf16.
#if defined(__AVX512VNNI__) && defined(__AVX512BF16__)
#define PTXJIT_DOT_PRODUCTS 1
#define PTXJIT_FAST_PRODUCTS 1
#endif

namespace ptxjit::device {

/// Instructions multiply by an element in memory.
constexpr bool kTakesLanes = false;
/// The bytes of A that addBytes takes are unsigned.
constexpr bool kDotSignedA = false;

/// Adds the products of pairs of 16 bits, in vectors that the CPU has.
inline I32<8> addPairs(I32<8> sum, U32<8> x, U32<8> y) {
#if defined(__AVX512VNNI__) && defined(__AVX512VL__)
  return I32<8>(_mm256_dpwssd_epi32(__m256i(sum), __m256i(x), __m256i(y)));
#else
  return sum + I32<8>(_mm256_madd_epi16(__m256i(x), __m256i(y)));
#endif
}
inline I32<16> addPairs(I32<16> sum, U32<16> x, U32<16> y) {
#if defined(__AVX512VNNI__)
  return I32<16>(_mm512_dpwssd_epi32(__m512i(sum), __m512i(x), __m512i(y)));
#elif defined(__AVX512BW__)
  return sum + I32<16>(_mm512_madd_epi16(__m512i(x), __m512i(y)));
#else
  return join(addPairs(sum.lo, x.lo, y.lo), addPairs(sum.hi, x.hi, y.hi));
#endif
}

#if PTXJIT_DOT_PRODUCTS
/// Adds the products of four unsigned bytes of `x` and signed ones of `y`.
inline I32<8> addBytes(I32<8> sum, U32<8> x, U32<8> y) {
  return I32<8>(_mm256_dpbusd_epi32(__m256i(sum), __m256i(x), __m256i(y)));
}
inline I32<16> addBytes(I32<16> sum, U32<16> x, U32<16> y) {
  return I32<16>(_mm512_dpbusd_epi32(__m512i(sum), __m512i(x), __m512i(y)));
}
/// Adds the products of pairs of bf16.
inline F32<8> addHalves(F32<8> sum, U32<8> x, U32<8> y) {
  return _mm256_dpbf16_ps(sum, __builtin_bit_cast(__m256bh, x),
                          __builtin_bit_cast(__m256bh, y));
}
inline F32<16> addHalves(F32<16> sum, U32<16> x, U32<16> y) {
  return _mm512_dpbf16_ps(sum, __builtin_bit_cast(__m512bh, x),
                          __builtin_bit_cast(__m512bh, y));
}
#endif

} // namespace ptxjit::device

#endif
