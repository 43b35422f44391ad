//===- TextureImage.h - opaque variables and images in memory ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_REFERENCE_TEXTUREIMAGE_H
#define PTXJIT_LIB_REFERENCE_TEXTUREIMAGE_H

#include "MemoryProbe.h"
#include "TextureFilter.h"
#include "ptxjit/Dialect/PtxOps.h"
#include <optional>

namespace ptxjit::reference {

/// What a handle refers to. The handle 0 refers to nothing.
struct OpaqueHandle {
  uint64_t kind = PTXJIT_OPAQUE_NONE; ///< PtxjitOpaqueKind
  /// The texture or surface, itself or bound to the variable. If there is none,
  /// its kind is PTXJIT_OPAQUE_NONE.
  PtxjitTexture image{};
  /// Of a `.samplerref` variable, or the image's.
  PtxjitSampler sampler{};

  bool hasTexture() const {
    return image.kind == PTXJIT_OPAQUE_TEXTURE && image.levels > 0;
  }
  bool hasSurface() const {
    return image.kind == PTXJIT_OPAQUE_SURFACE && image.levels > 0;
  }
};

/// Whether accesses of `geometry` suit the image. If not, they find nothing. An
/// image of one dimension is a texture of two dimensions and height 1.
bool isTextureOf(ptx::Geometry geometry, const PtxjitTexture &image);
bool isSurfaceOf(ptx::Geometry geometry, const PtxjitTexture &image);

/// Bytes of a texel.
unsigned bytesOfTexel(const PtxjitTexture &image);

/// Loads texels of a texture.
class TexelLoader {
public:
  TexelLoader(const PtxjitTexture &texture, MemoryProbe &probe)
      : texture(texture), probe(probe) {}

  /// \param slice  of a 3D image, or layer, or face. An index may be kBorder.
  Texel load(unsigned level, int64_t x, int64_t y, int64_t slice,
             uint32_t sample, const Texel &border);
  /// The address of a texel that could not be accessed.
  std::optional<uint64_t> badAddress;

private:
  const PtxjitTexture &texture;
  MemoryProbe &probe;
};

//===----------------------------------------------------------------------===//
// Cubes
//===----------------------------------------------------------------------===//

/// A direction in the frame of a face: `major` is along the face's axis.
struct FacePoint {
  unsigned face = 0;
  double s = 0, t = 0, major = 0;
};
/// The face that a direction hits.
FacePoint projectToFace(std::array<double, 3> direction);
/// A direction in the frame of a face that it may not hit.
FacePoint moveToFrame(unsigned face, const std::array<double, 3> &direction);
/// A coordinate on the face, in texels.
FixedPosition placeOnFace(double coordinate, double major, uint32_t width);

/// A texel of a cube.
struct FaceTexel {
  unsigned face;
  int64_t x, y;
};
/// Finds the texel at `at`, which may lie on a neighbouring face, beside the
/// edge. Null beyond a corner, where there is none.
std::optional<FaceTexel> findAcrossEdges(FaceTexel at, int64_t width);

} // namespace ptxjit::reference

#endif
