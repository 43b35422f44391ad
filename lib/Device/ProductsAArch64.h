//===- ProductsAArch64.h - sums of products of small elements ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_PRODUCTSAARCH64_H
#define PTXJIT_LIB_DEVICE_PRODUCTSAARCH64_H

#include "Device.h"
#include <arm_neon.h>

/// The CPU adds products of four bytes.
#if defined(__ARM_FEATURE_DOTPROD)
#define PTXJIT_DOT_PRODUCTS 1
#endif
/// The CPU multiplies two rows by two columns, each of 8 bytes, or in its own
/// way of 4 bf16. It adds exact products of f16 and bf16 to f32.
#if defined(__ARM_FEATURE_MATMUL_INT8) && defined(__ARM_FEATURE_BF16) &&       \
    defined(__ARM_FEATURE_FP16_FML)
#define PTXJIT_MATRIX_PRODUCTS 1
#define PTXJIT_FAST_PRODUCTS 1
#endif

namespace ptxjit::device {

/// Calls add(sum, x, y) with the lanes of each register.
template <typename T, int W, typename Add>
inline Vec<T, W> addInRegisters(Vec<T, W> sum, U32<W> x, U32<W> y, Add add) {
  if constexpr (W == 4)
    return add(sum, x, y);
  else
    return join(addInRegisters<T, W / 2>(sum.lo, x.lo, y.lo, add),
                addInRegisters<T, W / 2>(sum.hi, x.hi, y.hi, add));
}

/// Adds the products of pairs of 16 bits.
template <int W> inline I32<W> addPairs(I32<W> sum, U32<W> x, U32<W> y) {
  return addInRegisters<int32_t, W>(
      sum, x, y, [](I32<4> sum, U32<4> x, U32<4> y) {
        auto a = __builtin_bit_cast(int16x8_t, x);
        auto b = __builtin_bit_cast(int16x8_t, y);
        int32x4_t low = vmull_s16(vget_low_s16(a), vget_low_s16(b));
        return sum + I32<4>(vpaddq_s32(low, vmull_high_s16(a, b)));
      });
}

/// Instructions multiply by a lane of a register.
constexpr bool kTakesLanes = true;

#if PTXJIT_DOT_PRODUCTS
/// The bytes of A that addBytes takes are signed, like those of B.
constexpr bool kDotSignedA = true;

/// Adds the products of four signed bytes.
template <int W> inline I32<W> addBytes(I32<W> sum, U32<W> x, U32<W> y) {
  return addInRegisters<int32_t, W>(
      sum, x, y, [](I32<4> sum, U32<4> x, U32<4> y) {
        return I32<4>(vdotq_s32(sum, __builtin_bit_cast(int8x16_t, x),
                                __builtin_bit_cast(int8x16_t, y)));
      });
}
#endif

#if PTXJIT_MATRIX_PRODUCTS
// Halves are added one product after the other.

/// Adds the products of pairs of bf16.
template <int W, int I>
inline F32<W> addBf16(F32<W> sum, U32<W> x, Lane<uint32_t, I> y) {
  return addInRegisters<float, W>(sum, x, x, [y](F32<4> sum, U32<4> x, U32<4>) {
    auto a = __builtin_bit_cast(bfloat16x8_t, x);
    auto b = __builtin_bit_cast(bfloat16x8_t, y.four);
    sum = vbfmlalbq_laneq_f32(sum, a, b, 2 * I);
    return F32<4>(vbfmlaltq_laneq_f32(sum, a, b, 2 * I + 1));
  });
}
/// Adds the products of f16: of `lower` with lane 2 * I of `y`, then of `upper`
/// with the next one.
template <int I, int W>
inline F32<W> addF16(F32<W> sum, Vec<_Float16, W> lower, Vec<_Float16, W> upper,
                     float16x8_t y) {
  if constexpr (W > 8) {
    return join(addF16<I, W / 2>(sum.lo, lower.lo, upper.lo, y),
                addF16<I, W / 2>(sum.hi, lower.hi, upper.hi, y));
  } else {
    auto a = __builtin_bit_cast(float16x8_t, lower);
    auto b = __builtin_bit_cast(float16x8_t, upper);
    float32x4_t low = vfmlalq_laneq_low_f16(sum.lo, a, y, 2 * I);
    float32x4_t high = vfmlalq_laneq_high_f16(sum.hi, a, y, 2 * I);
    low = vfmlalq_laneq_low_f16(low, b, y, 2 * I + 1);
    high = vfmlalq_laneq_high_f16(high, b, y, 2 * I + 1);
    return join(F32<4>(low), F32<4>(high));
  }
}
/// Adds the products of pairs of f16. The rows have first the lower halves of
/// all dwords, then the upper ones.
template <int W, int I>
inline F32<W> addF16(F32<W> sum, U32<W> x, Lane<uint32_t, I> y) {
  auto halves = __builtin_bit_cast(Vec<_Float16, 2 * W>, x);
  return addF16<I, W>(sum, halves.lo, halves.hi,
                      __builtin_bit_cast(float16x8_t, y.four));
}

// A register of sums has two rows of two columns; `x` has 8 bytes of each row,
// `y` of each column.

/// Adds the products of signed bytes.
template <int W> inline I32<W> addByteMatrix(I32<W> sum, U32<W> x, U32<4> y) {
  return addInRegisters<int32_t, W>(
      sum, x, x, [y](I32<4> sum, U32<4> x, U32<4>) {
        return I32<4>(vmmlaq_s32(sum, __builtin_bit_cast(int8x16_t, x),
                                 __builtin_bit_cast(int8x16_t, y)));
      });
}
/// Adds the products of bf16. They are rounded to odd, and denormal numbers are
/// 0.
template <int W> inline F32<W> addHalfMatrix(F32<W> sum, U32<W> x, U32<4> y) {
  return addInRegisters<float, W>(sum, x, x, [y](F32<4> sum, U32<4> x, U32<4>) {
    return F32<4>(vbfmmlaq_f32(sum, __builtin_bit_cast(bfloat16x8_t, x),
                               __builtin_bit_cast(bfloat16x8_t, y)));
  });
}
#endif

} // namespace ptxjit::device

#endif
