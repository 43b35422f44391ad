//===- TextureFilter.cpp - mixes texels -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextureFilter.h"

#include <algorithm>
#include <cmath>

using namespace ptxjit;

std::array<int, 4> ptxjit::splitWeight(int total, int x, int y) {
  int second = (total * x + 128) >> 8, first = total - second;
  int below = (first * y + 127) >> 8, beside = (second * y + 128) >> 8;
  return {first - below, second - beside, below, beside};
}

/// The border's colour as a texel. Integers that are no fractions have the low
/// bits of the numbers.
Texel ptxjit::readBorderColor(const PtxjitTexture &texture,
                              const PtxjitSampler &sampler) {
  char stored[16];
  unsigned bytes = bytesOfChannel(texture.type);
  for (unsigned c = 0; c < texture.channels; ++c) {
    float color = sampler.border[c];
    auto bits = __builtin_bit_cast(uint32_t, color);
    if (texture.isFraction)
      bits = integerOfFraction(texture.type, color);
    else if (texture.type == PTXJIT_TEXEL_F16)
      bits = floatToHalf(color);
    __builtin_memcpy(stored + c * bytes, &bits, bytes);
  }
  Texel texel{};
  readTexel(texture, stored, texel.data());
  for (unsigned c = 0; c < texture.channels; ++c) {
    float color = sampler.border[c] > 0 ? std::min(sampler.border[c], 1.0f) : 0;
    if (isCurved(texture, c)) // the border is linear already
      texel[c] = __builtin_bit_cast(uint32_t, color);
  }
  return texel;
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

static float floatOf(uint32_t bits) { return __builtin_bit_cast(float, bits); }

/// Significant bits of an f16.
static constexpr int kHalfBits = 11;

/// Rounds to `bits` significant bits, ties away from 0.
static double roundAway(double value, int bits) {
  int dropped = 53 - bits;
  auto image = __builtin_bit_cast(uint64_t, value);
  image += uint64_t(1) << (dropped - 1);
  image &= ~((uint64_t(1) << dropped) - 1);
  return __builtin_bit_cast(double, image);
}

namespace {
/// A channel of the texels of a quad that have a weight.
struct FloatQuad {
  double sum = 0; ///< of finite texels, in 256ths
  bool hasNaN = false, hasPositive = false, hasNegative = false; ///< infinities
  bool allNegative = true;                                       ///< signs
};
} // namespace

/// Adds the texels as fixed-point numbers: `bits` below the exponent of the
/// largest one. Subnormal numbers are 0.
static FloatQuad addFloats(const Quad &quad, unsigned c, int bits) {
  FloatQuad result;
  int largest = INT32_MIN;
  for (unsigned i = 0; i < 4; ++i) {
    if (!quad.weights[i])
      continue;
    float texel = floatOf(quad.texels[i][c]);
    result.hasNaN |= std::isnan(texel);
    result.hasPositive |= std::isinf(texel) && texel > 0;
    result.hasNegative |= std::isinf(texel) && texel < 0;
    result.allNegative &= std::signbit(texel);
    if (std::isnormal(texel))
      largest = std::max(largest, std::ilogb(texel) + 1);
  }
  if (largest == INT32_MIN)
    return result;
  double unit = std::ldexp(1.0, largest - bits);
  int64_t sum = 0;
  for (unsigned i = 0; i < 4; ++i) {
    float texel = floatOf(quad.texels[i][c]);
    if (quad.weights[i] && std::isnormal(texel))
      sum += int64_t(double(texel) / unit) * quad.weights[i];
  }
  result.sum = double(sum) * unit;
  return result;
}

uint32_t Footprint::mixFloats(unsigned c, int texelBits, int resultBits) const {
  constexpr uint32_t kNaN = 0x7fffffff, kInfinity = 0x7f800000,
                     kSign = 0x80000000;
  FloatQuad all;
  for (unsigned i = 0; i < count; ++i) {
    FloatQuad quad = addFloats(quads[i], c, texelBits);
    all.sum += quad.sum;
    all.hasNaN |= quad.hasNaN;
    all.hasPositive |= quad.hasPositive;
    all.hasNegative |= quad.hasNegative;
    all.allNegative &= quad.allNegative;
  }
  if (all.hasNaN || (all.hasPositive && all.hasNegative))
    return kNaN;
  if (all.hasPositive || all.hasNegative)
    return all.hasNegative ? kSign | kInfinity : kInfinity;
  if (all.sum == 0)
    return all.allNegative ? kSign : 0;
  double mean = all.sum / kWholeWeight;
  if (std::fabs(mean) < 0x1p-126)
    return mean < 0 ? kSign : 0;
  if (resultBits == kHalfBits && std::fabs(mean) < 0x1p-14) {
    // A subnormal f16.
    double units = std::floor(std::fabs(mean) * 0x1p24 + 0.5);
    return __builtin_bit_cast(uint32_t,
                              float(std::copysign(units * 0x1p-24, mean)));
  }
  return __builtin_bit_cast(uint32_t, float(roundAway(mean, resultBits)));
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

int64_t Footprint::sumIntegers(unsigned c, bool isSigned) const {
  int64_t sum = 0;
  for (unsigned i = 0; i < count; ++i)
    for (unsigned k = 0; k < 4; ++k) {
      uint32_t texel = quads[i].texels[k][c];
      int64_t value = isSigned ? int64_t(int32_t(texel)) : int64_t(texel);
      sum += value * quads[i].weights[k];
    }
  return sum;
}

/// `sum` has 8 fractional bits; the result has 16 bits for a fraction.
static uint32_t finishFraction(uint8_t type, int64_t sum) {
  auto bitsOf = [](float value) { return __builtin_bit_cast(uint32_t, value); };
  switch (type) {
  case PTXJIT_TEXEL_U8:
    return bitsOf(float((sum * 257 + 128) >> 8) / 65535.0f);
  case PTXJIT_TEXEL_U16:
    return bitsOf(float((sum + 128) >> 8) / 65535.0f);
  case PTXJIT_TEXEL_S8: {
    int64_t wide = (sum * 258 + (sum >> 12) * 32 + 128) >> 8;
    return bitsOf(float(std::clamp<int64_t>(wide, -32767, 32767)) / 32767.0f);
  }
  default:
    return bitsOf(std::max(float((sum + 128) >> 8) / 32767.0f, -1.0f));
  }
}

uint32_t Footprint::mixChannel(const PtxjitTexture &texture, unsigned c) const {
  uint8_t type = texture.type;
  bool isSigned = type == PTXJIT_TEXEL_S8 || type == PTXJIT_TEXEL_S16 ||
                  type == PTXJIT_TEXEL_S32;
  switch (kindOfChannel(texture, c)) {
  case ChannelKind::Float:
    return mixFloats(c, /*texelBits=*/28, /*resultBits=*/24);
  case ChannelKind::Half:
    return mixFloats(c, /*texelBits=*/15, kHalfBits);
  case ChannelKind::Fraction:
    return finishFraction(type, sumIntegers(c, isSigned));
  case ChannelKind::Integer: // those of 32 bits are not rounded
    return uint32_t(
        (sumIntegers(c, isSigned) + (bytesOfChannel(type) < 4 ? 128 : 0)) >> 8);
  }
  __builtin_unreachable();
}

Texel Footprint::mix(const PtxjitTexture &texture) const {
  Texel mixture{};
  for (unsigned c = 0; c < texture.channels; ++c)
    mixture[c] = mixChannel(texture, c);
  return mixture;
}
