// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the inputs of cases are filled with.
#pragma once
#include "cases.h"
namespace bench {
inline auto f32(uint64_t seed, float lo, float hi, size_t n) {
  return [=](void *p) {
    for (size_t i = 0; i < n; ++i)
      ((float *)p)[i] = lo + (hi - lo) * unit(seed, i);
  };
}
inline auto u32(uint64_t seed, uint32_t mask, size_t n) {
  return [=](void *p) {
    for (size_t i = 0; i < n; ++i)
      ((uint32_t *)p)[i] = (uint32_t)mix(seed, i) & mask;
  };
}
// Whole numbers from `lo` on, `count` of them.
inline auto s32(uint64_t seed, int lo, int count, size_t n) {
  return [=](void *p) {
    for (size_t i = 0; i < n; ++i)
      ((int *)p)[i] = lo + int(mix(seed, i) % count);
  };
}
inline auto b16(uint64_t seed, size_t n) {
  return [=](void *p) {
    for (size_t i = 0; i < n; ++i)
      ((uint16_t *)p)[i] = bf16(unit(seed, i) - 0.5f);
  };
}
inline auto copy(const std::vector<int> &v) {
  return [&v](void *p) { memcpy(p, v.data(), v.size() * 4); };
}
} // namespace bench
