//===- TextureAccess.h - textures and surfaces for kernels ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `tex`, `tld4`, `txq`, `istypep`, `suld`, `sust`, `sured` and `suq` do
// for the lanes of a warp.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_TEXTUREACCESS_H
#define PTXJIT_LIB_RUNTIME_TEXTUREACCESS_H

#include "FaultScope.h"
#include "ptxjit/Runtime/KernelABI.h"
#include "ptxjit/Runtime/Texture.h"

namespace ptxjit {

/// Implements PtxjitHelpers::accessTexture. \param caller  whose faults these
/// are; the thread is that of lane 0, and those of other lanes follow.
void accessTexture(const PtxjitTextureAccess &access, const KernelCall &caller);

/// Dimensions of places in an image. A direction into a cube becomes a place in
/// one of its faces.
constexpr unsigned countDimensions(uint8_t geometry) {
  switch (geometry) {
  case PTXJIT_GEOMETRY_1D:
  case PTXJIT_GEOMETRY_A1D:
    return 1;
  case PTXJIT_GEOMETRY_3D:
    return 3;
  default:
    return 2;
  }
}
/// Does an access choose one of several layers?
constexpr bool hasLayers(uint8_t geometry) {
  return geometry == PTXJIT_GEOMETRY_A1D || geometry == PTXJIT_GEOMETRY_A2D ||
         geometry == PTXJIT_GEOMETRY_ACUBE || geometry == PTXJIT_GEOMETRY_A2DMS;
}

/// The lanes of an access that refer to the same texture and sampler.
struct TextureLanes {
  const PtxjitTextureAccess &access;
  const PtxjitTexture &texture; ///< without levels if there is none
  PtxjitSampler sampler;
  uint32_t lanes; ///< a bit each, at least one
  const KernelCall &caller;

  /// An operand or result of a lane, by its row (PTXJIT_TEXTURE_ROW_*).
  uint32_t &row(unsigned number, unsigned lane) const {
    return access.rows[number * access.lanes + lane];
  }
  float floatRow(unsigned number, unsigned lane) const {
    return __builtin_bit_cast(float, row(number, lane));
  }
  bool has(unsigned flag) const { return access.flags & flag; }
  template <typename Visit> void forEach(Visit visit) const {
    for (uint32_t rest = lanes; rest; rest &= rest - 1)
      visit(unsigned(__builtin_ctz(rest)));
  }
  /// Leaves the kernel on behalf of a lane.
  [[noreturn]] void fail(PtxjitKernelStatus status, uint64_t address,
                         unsigned lane) const;
};

// What is done for lanes with the same texture.
void sampleTexture(const TextureLanes &lanes); ///< tex
void gatherTexels(const TextureLanes &lanes);  ///< tld4
void accessSurface(const TextureLanes &lanes); ///< suld, sust, sured
void queryTexture(const TextureLanes &lanes);  ///< txq, suq

} // namespace ptxjit

#endif
