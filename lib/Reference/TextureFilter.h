//===- TextureFilter.h - the arithmetic of texture reads --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How coordinates become texels and weights, and how texels are mixed. The ISA
// leaves this to the hardware. The rules here reproduce what an H100 computes
// bit by bit, except where a comment says how far they are off, or "chosen".
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_REFERENCE_TEXTUREFILTER_H
#define PTXJIT_LIB_REFERENCE_TEXTUREFILTER_H

#include "ptxjit/Runtime/Texture.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>

namespace ptxjit::reference {

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// A coordinate in texels, in units of 2^-21 texels: normalised coordinates are
/// cut to 21 fractional bits before they are scaled.
using FixedPosition = int64_t;
constexpr unsigned kPositionBits = 21;

/// One dimension of an access.
struct Axis {
  int64_t extent = 1;
  uint8_t mode = PTXJIT_ADDRESS_CLAMP; ///< PtxjitAddressMode
  FixedPosition position = 0;
};
/// The axis of a coordinate. Unless `isNormalized`, only CLAMP and the modes
/// with a border count; the others behave like CLAMP.
Axis makeAxis(float coordinate, uint32_t extent, uint8_t mode,
              bool isNormalized);

/// The index of a texel outside of the image, which has the border's colour.
constexpr int64_t kBorder = -1;

/// The texels of an axis that count. `fraction` is the weight of the second
/// one, of 256.
struct Taps {
  std::array<int64_t, 2> index;
  unsigned fraction;
};
Taps findNearest(const Axis &axis);
Taps findLinear(const Axis &axis);
/// The texels that `tld4` reads. It treats positions outside differently.
Taps findGathered(const Axis &axis);
/// The texels of findLinear(), as if the image had no ends.
Taps findUnbounded(const Axis &axis);

//===----------------------------------------------------------------------===//
// Texels
//===----------------------------------------------------------------------===//

/// The channels of a texel as they are stored: integers, or the bits of floats.
/// Missing channels are 0.
using Texel = std::array<int64_t, 4>;

/// Four texels of one slice, in the order (0,0), (1,0), (0,1), (1,1) of x and
/// y.
struct Quad {
  std::array<Texel, 4> texels;
  std::array<unsigned, 4> weights;
};
/// Distributes `total` of 256 on the texels of a quad.
std::array<unsigned, 4> splitWeight(unsigned total, unsigned fractionX,
                                    unsigned fractionY);
/// The same for the two slices of a 3D image, or for two levels.
std::array<unsigned, 2> splitSlices(unsigned total, unsigned fraction);

/// What lies outside of an image.
Texel makeBorder(const PtxjitTexture &texture, const float (&border)[4]);
/// The 32 bits that a read of one texel gives for a channel.
uint32_t convertChannel(const PtxjitTexture &texture, const Texel &texel,
                        unsigned channel);
/// The 32 bits that a filter gives for a channel.
uint32_t mixChannel(const PtxjitTexture &texture, llvm::ArrayRef<Quad> quads,
                    unsigned channel);
/// Converts such 32 bits to `.f16`, to nearest even. Even the bits of integers
/// are taken for those of f32 numbers. NaN becomes 0x7fff.
uint16_t narrowToHalf(uint32_t bits);

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

/// A level of detail, with 8 fractional bits.
using FixedLevel = int64_t;
/// Applies bias and limits of the sampler, and the number of levels.
FixedLevel clampLevel(const PtxjitTexture &texture,
                      const PtxjitSampler &sampler, double level);

/// Gradients in texels of level 0, of `count` dimensions.
struct Gradients {
  unsigned count = 0;
  std::array<double, 3> dx{}, dy{};
};
/// The level whose texels are as large as the gradients, with 8 fractional
/// bits. Off by at most 2/256, with anisotropy by 1/4.
double findLevel(const Gradients &gradients, unsigned maxAnisotropy);

} // namespace ptxjit::reference

#endif
