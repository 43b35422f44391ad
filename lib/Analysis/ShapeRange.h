//===- ShapeRange.h - bounds of values in shapes ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_ANALYSIS_SHAPERANGE_H
#define PTXJIT_LIB_ANALYSIS_SHAPERANGE_H

#include "ptxjit/Analysis/Shape.h"
#include <tuple>

namespace ptxjit {

inline std::pair<int64_t, int64_t> fullRange(unsigned width) {
  if (width >= 64)
    return {INT64_MIN, INT64_MAX};
  return {-(int64_t(1) << (width - 1)), (int64_t(1) << (width - 1)) - 1};
}
inline void setFullRange(Shape &shape, unsigned width) {
  std::tie(shape.min, shape.max) = fullRange(width);
}
/// Sets the range to [lo, hi] if that fits in `width` bits; else to all numbers
/// of that width.
inline void setRange(Shape &shape, __int128 lo, __int128 hi, unsigned width) {
  auto [min, max] = fullRange(width);
  if (lo < min || hi > max)
    return setFullRange(shape, width);
  shape.min = int64_t(lo);
  shape.max = int64_t(hi);
}

} // namespace ptxjit

#endif
