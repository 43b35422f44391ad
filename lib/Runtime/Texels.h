//===- Texels.h - formats of texels -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_TEXELS_H
#define PTXJIT_LIB_RUNTIME_TEXELS_H

#include "ptxjit/Runtime/Texture.h"

namespace ptxjit {

/// Bytes of a channel in memory.
constexpr unsigned bytesOfChannel(uint8_t type) {
  switch (type) {
  case PTXJIT_TEXEL_U8:
  case PTXJIT_TEXEL_S8:
    return 1;
  case PTXJIT_TEXEL_U16:
  case PTXJIT_TEXEL_S16:
  case PTXJIT_TEXEL_F16:
    return 2;
  default:
    return 4;
  }
}
inline unsigned bytesOfTexel(const PtxjitTexture &texture) {
  return bytesOfChannel(texture.type) * texture.channels;
}

/// How the channels of a texel are mixed by filters.
enum class ChannelKind {
  Float,    ///< f32
  Half,     ///< f16, and the colours of sRGB
  Fraction, ///< integers that stand for fractions
  Integer,
};
ChannelKind kindOfChannel(const PtxjitTexture &texture, unsigned channel);

/// Is a channel read by the curve of sRGB? An H100 takes the second of two
/// channels as it takes the fourth of four.
inline bool isCurved(const PtxjitTexture &texture, unsigned channel) {
  return texture.isSRGB && channel < (texture.channels == 2 ? 1u : 3u);
}

/// Reads the channels that the texel has: integers as 32-bit integers, others
/// as the bits of f32 numbers.
void readTexel(const PtxjitTexture &texture, const char *place,
               uint32_t *channels);
/// What a register gets of a channel that readTexel has read: fractions become
/// f32 numbers.
uint32_t finishChannel(const PtxjitTexture &texture, unsigned channel,
                       uint32_t value);
/// Writes the channels of a register to a texel, rounded and clamped to the
/// format.
void writeTexel(const PtxjitTexture &texture, const uint32_t *channels,
                char *place);
/// The integer that stands for a fraction. Ties go towards 0.
uint32_t integerOfFraction(uint8_t type, float fraction);

float halfToFloat(uint16_t half);
/// Rounds to nearest even.
uint16_t floatToHalf(float value);

} // namespace ptxjit

#endif
