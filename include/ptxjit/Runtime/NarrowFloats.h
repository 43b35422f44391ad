//===- NarrowFloats.h - floats of 8 and 16 bits -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written without branches, so that loops over these are vector code.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_NARROWFLOATS_H
#define PTXJIT_RUNTIME_NARROWFLOATS_H

#include <cstdint>
#include <cstring>

namespace ptxjit {

inline uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}
inline float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline float halfToFloat(uint16_t bits) {
  _Float16 value;
  std::memcpy(&value, &bits, sizeof(value));
  return float(value);
}
inline uint16_t floatToHalf(float value) {
  auto half = _Float16(value);
  uint16_t bits;
  std::memcpy(&bits, &half, sizeof(bits));
  return bits;
}

inline float bfloatToFloat(uint16_t bits) {
  return fromBits(uint32_t(bits) << 16);
}
inline uint16_t floatToBfloat(float value) {
  uint32_t bits = bitsOf(value);
  uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
  return uint16_t((value == value ? rounded : bits | 0x400000) >> 16);
}

inline float e5m2ToFloat(uint8_t bits) {
  return halfToFloat(uint16_t(bits << 8));
}
inline float e4m3ToFloat(uint8_t bits) {
  // The exponents of a half have a bias that is larger by 8.
  uint16_t half = uint16_t((bits & 0x80) << 8 | (bits & 0x7f) << 7);
  float value = halfToFloat(half) * 256;
  return (bits & 0x7f) == 0x7f ? fromBits(0x7fc00000) : value;
}

/// Rounds to the nearest number of 8 bits, ties to even. What is too large
/// becomes the largest number, as in CUDA's conversions with `satfinite`.
/// \param Largest  the code of the largest number.
template <int Bias, int MantissaBits, uint32_t Largest>
uint8_t floatToByte(float value) {
  constexpr int dropped = 23 - MantissaBits;
  uint32_t bits = bitsOf(value), magnitude = bits & 0x7fffffff;
  uint32_t rounded =
      magnitude + ((1u << (dropped - 1)) - 1) + (magnitude >> dropped & 1);
  uint32_t normal = (rounded >> dropped) - ((127 - Bias) << MantissaBits);
  normal = rounded >> 31 || normal > Largest ? Largest : normal;
  // A float of this size has the distance of the subnormal numbers, so that
  // the addition rounds.
  constexpr uint32_t magic = uint32_t(127 + 1 - Bias + dropped) << 23;
  uint32_t subnormal = bitsOf(fromBits(magnitude) + fromBits(magic)) - magic;
  bool isSmall = magnitude < uint32_t(127 + 1 - Bias) << 23;
  uint32_t code = isSmall ? subnormal : normal;
  code = magnitude > 0x7f800000 ? 0x7f : code; // NaN
  return uint8_t(code | (bits >> 24 & 0x80));
}
inline uint8_t floatToE4m3(float value) {
  return floatToByte<7, 3, 0x7e>(value);
}
inline uint8_t floatToE5m2(float value) {
  return floatToByte<15, 2, 0x7b>(value);
}

} // namespace ptxjit

#endif
