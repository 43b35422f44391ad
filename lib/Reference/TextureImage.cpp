//===- TextureImage.cpp - opaque variables and images in memory -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handles, what an image holds, and the geometry of cubes.
//
//===----------------------------------------------------------------------===//

#include "TextureImage.h"
#include "Cta.h"

#include "ptxjit/Dialect/TextureAccess.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

/// Copies an object from memory. \returns whether it is accessible.
template <typename Object>
static bool readObject(MemoryProbe &probe, uint64_t address, Object &object) {
  if (!probe.isAccessible(address, sizeof(Object)))
    return false;
  std::memcpy(&object, reinterpret_cast<void *>(address), sizeof(Object));
  return true;
}

/// Copies an image. \returns whether there is one at the address.
static bool readImage(MemoryProbe &probe, uint64_t address,
                      PtxjitTexture &image) {
  return readObject(probe, address, image) &&
         (image.kind == PTXJIT_OPAQUE_TEXTURE ||
          image.kind == PTXJIT_OPAQUE_SURFACE);
}

/// Finds what a handle refers to. A number that is no handle is a fault, as for
/// the hardware, which reads its descriptor from a bad address.
FailureOr<OpaqueHandle> Cta::findOpaque(Thread &t, Operation &op,
                                        Value handle) {
  OpaqueHandle found;
  uint64_t address = toHost(t, get(t, handle));
  if (!address)
    return found;
  PtxjitOpaque variable;
  auto fault = [&]() -> FailureOr<OpaqueHandle> {
    return op.emitError() << "illegal memory access 0x"
                          << llvm::utohexstr(address, /*LowerCase=*/true);
  };
  if (!readObject(probe, address, found.kind))
    return fault();
  switch (found.kind) {
  case PTXJIT_OPAQUE_TEXTURE:
  case PTXJIT_OPAQUE_SURFACE:
    if (!readImage(probe, address, found.image))
      return fault();
    found.sampler = found.image.sampler;
    return found;
  case PTXJIT_OPAQUE_TEXREF:
  case PTXJIT_OPAQUE_SAMPLERREF:
  case PTXJIT_OPAQUE_SURFREF:
    if (!readObject(probe, address, variable))
      return fault();
    found.sampler = variable.sampler;
    if (found.kind == PTXJIT_OPAQUE_SAMPLERREF || !variable.bound)
      return found;
    if (!readImage(probe, variable.bound, found.image))
      return fault();
    found.sampler = found.image.sampler;
    return found;
  default:
    return fault();
  }
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

bool reference::isTextureOf(Geometry geometry, const PtxjitTexture &image) {
  if (isLayered(geometry) != bool(image.isLayered) ||
      isMultisampled(geometry) != (image.samples > 1))
    return false;
  bool isFlat =
      image.shape == PTXJIT_IMAGE_1D || image.shape == PTXJIT_IMAGE_2D;
  switch (geometry) {
  case Geometry::D1:
    return isFlat || image.shape == PTXJIT_IMAGE_LINEAR;
  case Geometry::D3:
    return image.shape == PTXJIT_IMAGE_3D;
  case Geometry::Cube:
  case Geometry::ACube:
    return image.shape == PTXJIT_IMAGE_CUBE;
  default:
    return isFlat;
  }
}

bool reference::isSurfaceOf(Geometry geometry, const PtxjitTexture &image) {
  // The faces of cubes are layers.
  bool hasFaces = image.shape == PTXJIT_IMAGE_CUBE;
  if (isLayered(geometry) != (image.isLayered || hasFaces) || image.samples > 1)
    return false;
  switch (geometry) {
  case Geometry::D1:
  case Geometry::A1:
    return image.shape == PTXJIT_IMAGE_1D || image.shape == PTXJIT_IMAGE_LINEAR;
  case Geometry::D3:
    return image.shape == PTXJIT_IMAGE_3D;
  default:
    return image.shape == PTXJIT_IMAGE_2D || hasFaces;
  }
}

static unsigned bytesOfChannel(const PtxjitTexture &image) {
  switch (image.type) {
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

unsigned reference::bytesOfTexel(const PtxjitTexture &image) {
  return bytesOfChannel(image) * image.channels;
}

Texel TexelLoader::load(unsigned level, int64_t x, int64_t y, int64_t slice,
                        uint32_t sample, const Texel &border) {
  if (x == kBorder || y == kBorder || slice == kBorder)
    return border;
  assert(level < texture.levels && "the level exists");
  const PtxjitImageLevel &image = texture.level[level];
  uint64_t address = image.texels + uint64_t(slice) * image.sliceBytes +
                     uint64_t(y) * image.rowBytes +
                     uint64_t(x) * bytesOfTexel(texture) +
                     uint64_t(sample) * texture.sampleBytes;
  Texel texel{};
  if (!probe.isAccessible(address, bytesOfTexel(texture))) {
    badAddress = address;
    return texel;
  }
  unsigned bytes = bytesOfChannel(texture);
  bool isSigned =
      texture.type >= PTXJIT_TEXEL_S8 && texture.type <= PTXJIT_TEXEL_S32;
  for (unsigned c = 0; c < texture.channels; ++c) {
    Bits bits = loadBits(address + c * bytes, bytes);
    texel[c] = isSigned ? llvm::SignExtend64(bits, bytes * 8) : int64_t(bits);
  }
  return texel;
}

//===----------------------------------------------------------------------===//
// Cubes
//===----------------------------------------------------------------------===//

FacePoint reference::moveToFrame(unsigned face,
                                 const std::array<double, 3> &direction) {
  auto [x, y, z] = direction;
  switch (face) {
  case 0:
    return {face, -z, -y, x};
  case 1:
    return {face, z, -y, -x};
  case 2:
    return {face, x, z, y};
  case 3:
    return {face, x, -z, -y};
  case 4:
    return {face, x, -y, z};
  default:
    return {face, -x, -y, -z};
  }
}

/// The inverse of moveToFrame().
static std::array<double, 3> moveFromFrame(const FacePoint &p) {
  switch (p.face) {
  case 0:
    return {p.major, -p.t, -p.s};
  case 1:
    return {-p.major, -p.t, p.s};
  case 2:
    return {p.s, p.major, p.t};
  case 3:
    return {p.s, -p.major, -p.t};
  case 4:
    return {p.s, -p.t, p.major};
  default:
    return {-p.s, -p.t, -p.major};
  }
}

FacePoint reference::projectToFace(std::array<double, 3> direction) {
  // Beside infinity the finite ones are zeros, of which one is chosen.
  bool isInfinite =
      llvm::any_of(direction, [](double x) { return std::isinf(x); });
  std::array<double, 3> sizes;
  for (auto [size, x] : llvm::zip_equal(sizes, direction)) {
    size = isInfinite      ? (std::isfinite(x) ? 0 : -1)
           : std::isnan(x) ? 0
                           : std::abs(x);
    if (isInfinite || std::isnan(x))
      x = 0;
  }
  auto [x, y, z] = sizes;
  unsigned axis = z >= x && z >= y ? 2 : y >= x ? 1 : 0;
  return moveToFrame(axis * 2 + std::signbit(direction[axis]), direction);
}

FixedPosition reference::placeOnFace(double coordinate, double major,
                                     uint32_t width) {
  assert(major >= 0 && "the direction hits the face");
  // From [-1, 1], cut to 20 fractional bits, to [0, 1] with 21 of them.
  double one = 1 << (kPositionBits - 1);
  double ratio = major > 0 ? coordinate / major : 0;
  return (int64_t(std::floor(ratio * one)) + int64_t(one)) * width;
}

std::optional<FaceTexel> reference::findAcrossEdges(FaceTexel at,
                                                    int64_t width) {
  bool isOutX = at.x < 0 || at.x >= width, isOutY = at.y < 0 || at.y >= width;
  if (!isOutX && !isOutY)
    return at;
  if (isOutX && isOutY)
    return std::nullopt;
  // The centre of the texel beside the edge, on the other side of it.
  auto centre = [&](int64_t i) {
    return double(2 * i + 1) / double(width) - 1;
  };
  FacePoint p{at.face, centre(at.x), centre(at.y), 1 - 1.0 / double(width)};
  double &out = isOutX ? p.s : p.t;
  out = out < 0 ? -1 : 1;
  FacePoint q = projectToFace(moveFromFrame(p));
  auto indexOf = [&](double x) {
    return int64_t(std::floor((x / q.major + 1) / 2 * double(width)));
  };
  return FaceTexel{q.face, indexOf(q.s), indexOf(q.t)};
}
