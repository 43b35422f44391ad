//===- ProductsAArch64.h - sums of products of small elements ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_PRODUCTSAARCH64_H
#define PTXJIT_LIB_DEVICE_PRODUCTSAARCH64_H

#include "Device.h"
#include <arm_neon.h>

namespace ptxjit::device {

/// Adds the products of pairs of 16 bits.
inline I32<4> addPairs(I32<4> sum, U32<4> x, U32<4> y) {
  auto a = __builtin_bit_cast(int16x8_t, x);
  auto b = __builtin_bit_cast(int16x8_t, y);
  int32x4_t low = vmull_s16(vget_low_s16(a), vget_low_s16(b));
  return sum + I32<4>(vpaddq_s32(low, vmull_high_s16(a, b)));
}
inline I32<8> addPairs(I32<8> sum, U32<8> x, U32<8> y) {
  return join(addPairs(sum.lo, x.lo, y.lo), addPairs(sum.hi, x.hi, y.hi));
}
inline I32<16> addPairs(I32<16> sum, U32<16> x, U32<16> y) {
  return join(addPairs(sum.lo, x.lo, y.lo), addPairs(sum.hi, x.hi, y.hi));
}

} // namespace ptxjit::device

#endif
