//===- TextureFilter.h - mixes texels ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of filters, as an H100 has it: weights are multiples of 1/256
// whose sum is exactly 1, and results have the precision of the format.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_TEXTUREFILTER_H
#define PTXJIT_LIB_RUNTIME_TEXTUREFILTER_H

#include "Texels.h"

#include <array>

namespace ptxjit {

/// One as a weight.
inline constexpr int kWholeWeight = 256;

/// Four channels, as readTexel reads them.
using Texel = std::array<uint32_t, 4>;

/// The border's colour as a texel.
Texel readBorderColor(const PtxjitTexture &texture,
                      const PtxjitSampler &sampler);

/// The texels of a slice of a level that a filter mixes, by the bits of their
/// number: 1 the second one in x, 2 the second one in y.
struct Quad {
  std::array<Texel, 4> texels{};
  std::array<int, 4> weights{};
};

/// Shares a weight among the texels of a quad. \param x, y  the weights of the
/// second ones, in 256ths.
std::array<int, 4> splitWeight(int total, int x, int y);

/// What a filter reads: up to two slices of two levels.
class Footprint {
public:
  void add(const Quad &quad) { quads[count++] = quad; }
  /// The mixture, as registers get it.
  Texel mix(const PtxjitTexture &texture) const;

private:
  uint32_t mixChannel(const PtxjitTexture &texture, unsigned c) const;
  uint32_t mixFloats(unsigned c, int texelBits, int resultBits) const;
  int64_t sumIntegers(unsigned c, bool isSigned) const;

  std::array<Quad, 4> quads;
  unsigned count = 0;
};

} // namespace ptxjit

#endif
