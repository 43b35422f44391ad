//===- Surfaces.cpp - accesses of surfaces --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an access does outside of the surface, and how `sust.p` and `sured.p`
// see elements, is what an H100 does. What it does not tell is marked "chosen".
//
//===----------------------------------------------------------------------===//

#include "Cta.h"
#include "TextureImage.h"

#include "ptxjit/Dialect/FormTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// What an access moves.
struct reference::SurfaceElements {
  unsigned bytes; ///< of the whole access
  unsigned scale; ///< bytes that x counts
  SurfaceBounds bounds;
};

/// Moves a coordinate into the surface if `bounds` says so. \returns whether it
/// is inside.
static bool bound(int64_t &at, int64_t last, SurfaceBounds bounds) {
  if (bounds == SurfaceBounds::Clamp && last >= 0)
    at = std::clamp<int64_t>(at, 0, last);
  return at >= 0 && at <= last;
}

/// Finds the address of an access. Null if it is outside and has no effect, for
/// instance because there is no surface.
FailureOr<std::optional<uint64_t>>
Cta::findInSurface(Thread &t, Operation &op, const TextureAccess &access,
                   const PtxjitTexture &surface, SurfaceElements elements) {
  std::optional<uint64_t> nowhere;
  auto fault = [&](uint64_t address) -> FailureOr<std::optional<uint64_t>> {
    return op.emitError() << "illegal memory access 0x"
                          << llvm::utohexstr(address, /*LowerCase=*/true);
  };
  int64_t x = int32_t(get(t, access.at[0])) * int64_t(elements.scale);
  if (x % elements.bytes != 0 && elements.scale == 1)
    return op.emitError("misaligned address");
  const PtxjitImageLevel &image = surface.level[0];
  int64_t rowBytes = int64_t(image.width) * bytesOfTexel(surface);
  // The last place at which the access fits.
  int64_t lastX =
      rowBytes < elements.bytes
          ? -1
          : (rowBytes - elements.bytes) / elements.scale * elements.scale;
  if (elements.scale == 1)
    lastX -= std::max<int64_t>(lastX, 0) % elements.bytes;
  int64_t y = 0, slice = 0, lastY = 0, lastSlice = 0;
  unsigned dimensions = countDimensions(access.geometry);
  if (dimensions > 1) {
    y = int32_t(get(t, access.at[1]));
    lastY = int64_t(image.height) - 1;
  }
  if (dimensions > 2) {
    slice = int32_t(get(t, access.at[2]));
    lastSlice = int64_t(image.depth) - 1;
  }
  if (access.layer) {
    slice = uint32_t(get(t, access.layer));
    int64_t faces = surface.shape == PTXJIT_IMAGE_CUBE ? 6 : 1;
    lastSlice = int64_t(surface.layers) * faces - 1;
  }
  bool isInside = isSurfaceOf(access.geometry, surface);
  isInside &= bound(x, lastX, elements.bounds);
  isInside &= bound(y, lastY, elements.bounds);
  isInside &= bound(slice, lastSlice, elements.bounds);
  uint64_t address = image.texels + uint64_t(slice) * image.sliceBytes +
                     uint64_t(y) * image.rowBytes + uint64_t(x);
  if (!isInside && elements.bounds == SurfaceBounds::Trap)
    return fault(address);
  if (!isInside)
    return nowhere;
  if (!probe.isAccessible(address, elements.bytes))
    return fault(address);
  return std::optional<uint64_t>(address);
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

/// Converts f32 to f16, toward zero. NaNs keep what fits of their payload; if
/// nothing is left, they become quiet (chosen).
static Bits cutToHalf(uint32_t bits) {
  if ((bits & 0x7f800000) == 0x7f800000 && (bits & 0x7fffff)) {
    uint32_t payload = (bits & 0x7fffff) >> 13;
    return (bits >> 16 & 0x8000) | 0x7c00 | (payload ? payload : 0x200);
  }
  llvm::APFloat value(llvm::APFloat::IEEEsingle(), llvm::APInt(32, bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmTowardZero,
                &losesInfo);
  return bitsOf(value);
}

/// Chosen: to nearest even, and NaN becomes 0.
static int64_t toFraction(uint32_t bits, unsigned width, bool isSigned) {
  double value = llvm::bit_cast<float>(bits);
  double one = double((int64_t(1) << (width - isSigned)) - 1);
  value = std::clamp(std::isnan(value) ? 0 : value, isSigned ? -1.0 : 0.0, 1.0);
  return int64_t(std::nearbyint(value * one));
}

/// Converts a word of `sust.p` to a channel. ISA: "sust".
static Bits toChannel(const PtxjitTexture &surface, uint32_t word) {
  bool isSigned =
      surface.type == PTXJIT_TEXEL_S8 || surface.type == PTXJIT_TEXEL_S16;
  switch (surface.type) {
  case PTXJIT_TEXEL_U8:
  case PTXJIT_TEXEL_U16:
  case PTXJIT_TEXEL_S8:
  case PTXJIT_TEXEL_S16: {
    unsigned width = bytesOfTexel(surface) / surface.channels * 8;
    if (surface.isFraction)
      return Bits(toFraction(word, width, isSigned));
    int64_t most = (int64_t(1) << (width - isSigned)) - 1;
    return isSigned ? Bits(std::clamp<int64_t>(int32_t(word), -most - 1, most))
                    : Bits(std::min<int64_t>(word, most));
  }
  case PTXJIT_TEXEL_F16:
    return cutToHalf(word);
  default:
    return word;
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult Cta::loadSurface(Thread &t, SuldOp op) {
  TextureAccess access = op.getAccess();
  FailureOr<OpaqueHandle> found = findOpaque(t, *op, access.handle);
  if (failed(found))
    return failure();
  unsigned bytes = getBitWidth(op.getTy()) / 8, count = op.getD().size();
  std::optional<uint64_t> at;
  if (found->hasSurface()) {
    auto place = findInSurface(t, *op, access, found->image,
                               {bytes * count, 1, op.getBounds()});
    if (failed(place))
      return failure();
    at = *place;
  }
  for (auto [i, result] : llvm::enumerate(op.getD()))
    set(t, result, at ? loadBits(*at + i * bytes, bytes) : 0);
  return success();
}

LogicalResult Cta::storeSurface(Thread &t, SustOp op) {
  TextureAccess access = op.getAccess();
  FailureOr<OpaqueHandle> found = findOpaque(t, *op, access.handle);
  if (failed(found))
    return failure();
  if (!found->hasSurface())
    return success();
  const PtxjitTexture &surface = found->image;
  bool isFormatted = op.getElement() == SurfaceElement::Formatted;
  unsigned texel = bytesOfTexel(surface);
  unsigned bytes =
      isFormatted ? texel / surface.channels : getBitWidth(op.getTy()) / 8;
  unsigned count = isFormatted ? surface.channels : access.data.size();
  auto at =
      findInSurface(t, *op, access, surface,
                    {bytes * count, isFormatted ? texel : 1, op.getBounds()});
  if (failed(at))
    return failure();
  for (unsigned i = 0; *at && i < count; ++i) {
    // ISA: a channel without a word becomes unpredictable. Chosen: 0.
    Bits word = i < access.data.size() ? get(t, access.data[i]) : 0;
    storeBits(**at + i * bytes, bytes,
              isFormatted ? toChannel(surface, uint32_t(word)) : word);
  }
  return success();
}

static bool isSignedFormat(const PtxjitTexture &surface) {
  return surface.type >= PTXJIT_TEXEL_S8 && surface.type <= PTXJIT_TEXEL_S32;
}

/// The type by which a reduction computes. `sured.p` has that of the surface.
static ScalarType typeOf(SuredOp op, const PtxjitTexture &surface) {
  if (op.getElement() == SurfaceElement::Bits)
    return op.getTy();
  bool isWide = getBitWidth(op.getTy()) == 64;
  if (isSignedFormat(surface))
    return isWide ? ScalarType::S64 : ScalarType::S32;
  return isWide ? ScalarType::U64 : ScalarType::U32;
}

/// The hardware knows reductions of whole words only: x of `sured.p` counts
/// words, of whatever size texels are.
LogicalResult Cta::reduceSurface(Thread &t, SuredOp op) {
  TextureAccess access = op.getAccess();
  FailureOr<OpaqueHandle> found = findOpaque(t, *op, access.handle);
  if (failed(found))
    return failure();
  if (!found->hasSurface())
    return success();
  ScalarType type = typeOf(op, found->image);
  unsigned bytes = getBitWidth(type) / 8;
  bool isFormatted = op.getElement() == SurfaceElement::Formatted;
  auto at = findInSurface(t, *op, access, found->image,
                          {bytes, isFormatted ? bytes : 1, op.getBounds()});
  if (failed(at))
    return failure();
  if (*at)
    storeBits(**at, bytes,
              atomicResult(op.getOp(), type, loadBits(**at, bytes),
                           get(t, access.data.front()), 0));
  return success();
}

/// Runs an op of this file. \returns whether it is one.
FailureOr<bool> Cta::surfaceOp(Thread &t, Operation &op) {
  auto done = [](LogicalResult result) -> FailureOr<bool> {
    if (failed(result))
      return failure();
    return true;
  };
  if (auto suld = dyn_cast<SuldOp>(op))
    return done(loadSurface(t, suld));
  if (auto sust = dyn_cast<SustOp>(op))
    return done(storeSurface(t, sust));
  if (auto sured = dyn_cast<SuredOp>(op))
    return done(reduceSurface(t, sured));
  return false;
}
