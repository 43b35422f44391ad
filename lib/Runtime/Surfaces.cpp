//===- Surfaces.cpp - loads, stores and reductions of surfaces ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `.b` accesses bits, and x counts bytes; `.p` converts to the surface's
// format, and x counts texels. Where the ISA leaves something open, this does
// what an H100 does.
//
//===----------------------------------------------------------------------===//

#include "Texels.h"
#include "TextureAccess.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace ptxjit;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
/// One dimension of an access: a coordinate, and the coordinates that there
/// are.
struct Span {
  int64_t at, end;
  bool isInside() const { return at >= 0 && at < end; }
  int64_t clamped() const { return std::clamp<int64_t>(at, 0, end - 1); }
};
} // namespace

static unsigned bytesOf(PtxjitTextureElement element) {
  switch (element) {
  case PTXJIT_ELEMENT_B8:
    return 1;
  case PTXJIT_ELEMENT_B16:
    return 2;
  case PTXJIT_ELEMENT_B64:
  case PTXJIT_ELEMENT_U64:
  case PTXJIT_ELEMENT_S64:
    return 8;
  default:
    return 4;
  }
}

/// Has the surface the shape that a geometry is for? The faces of a cube are
/// layers.
static bool hasShape(const PtxjitTexture &surface, uint8_t geometry) {
  switch (geometry) {
  case PTXJIT_GEOMETRY_1D:
  case PTXJIT_GEOMETRY_A1D:
    return surface.shape == PTXJIT_IMAGE_1D &&
           bool(surface.isLayered) == hasLayers(geometry);
  case PTXJIT_GEOMETRY_2D:
    return surface.shape == PTXJIT_IMAGE_2D && !surface.isLayered;
  case PTXJIT_GEOMETRY_3D:
    return surface.shape == PTXJIT_IMAGE_3D;
  default:
    return surface.shape == PTXJIT_IMAGE_CUBE ||
           (surface.shape == PTXJIT_IMAGE_2D && surface.isLayered);
  }
}

/// The host address that a lane accesses `bytes` bytes at; null if that is
/// outside, and reads give 0. Leaves the kernel for `.trap`, and if the place
/// is not aligned. \param unit  bytes that x counts.
static char *findPlace(const TextureLanes &lanes, unsigned lane, unsigned bytes,
                       unsigned unit) {
  const PtxjitTexture &surface = lanes.texture;
  if (!surface.levels || surface.kind != PTXJIT_OPAQUE_SURFACE)
    return nullptr;
  const PtxjitImageLevel &level = surface.level[0];
  unsigned dims = countDimensions(lanes.access.geometry);
  if (!hasShape(surface, lanes.access.geometry)) {
    if (lanes.access.variant == PTXJIT_BOUNDS_TRAP)
      lanes.fail(PTXJIT_KERNEL_ILLEGAL_ADDRESS, level.texels, lane);
    return nullptr;
  }
  auto coordinate = [&](unsigned i) -> int64_t {
    return i < dims ? int32_t(lanes.row(PTXJIT_TEXTURE_ROW_AT + i, lane)) : 0;
  };
  int64_t rowBytes = int64_t(level.width) * bytesOfTexel(surface);
  Span x = {coordinate(0) * unit, rowBytes - bytes + 1},
       y = {coordinate(1), level.height}, z = {coordinate(2), level.depth},
       layer = {hasLayers(lanes.access.geometry)
                    ? int64_t(lanes.row(PTXJIT_TEXTURE_ROW_LAYER, lane))
                    : 0,
                int64_t(surface.layers) *
                    (surface.shape == PTXJIT_IMAGE_CUBE ? 6 : 1)};
  auto addressOf = [&] {
    return level.texels + uint64_t(x.at) + uint64_t(y.at) * level.rowBytes +
           uint64_t(z.at + layer.at) * level.sliceBytes;
  };
  if (x.at % bytes != 0)
    lanes.fail(PTXJIT_KERNEL_MISALIGNED_ADDRESS, addressOf(), lane);
  bool isInside =
      x.isInside() && y.isInside() && z.isInside() && layer.isInside();
  if (!isInside) {
    if (lanes.access.variant == PTXJIT_BOUNDS_TRAP)
      lanes.fail(PTXJIT_KERNEL_ILLEGAL_ADDRESS, addressOf(), lane);
    // A row may be shorter than the access.
    if (lanes.access.variant == PTXJIT_BOUNDS_ZERO || x.end <= 0)
      return nullptr;
    for (Span *span : {&x, &y, &z, &layer})
      span->at = span->clamped();
    x.at -= x.at % bytes;
  }
  return reinterpret_cast<char *>(addressOf());
}

//===----------------------------------------------------------------------===//
// Loads and stores of bits
//===----------------------------------------------------------------------===//

/// Copies the elements of a lane between memory and rows. An element of 64 bits
/// takes two rows.
template <bool isStore>
static void moveElements(const TextureLanes &lanes, unsigned lane, char *place,
                         unsigned bytes) {
  for (unsigned e = 0; e < lanes.access.count; ++e)
    for (unsigned part = 0; part < std::max(bytes / 4, 1u); ++part) {
      unsigned number = e * std::max(bytes / 4, 1u) + part;
      uint32_t &value = lanes.row(PTXJIT_TEXTURE_ROW_DATA + number, lane);
      char *at = place ? place + e * bytes + part * 4 : nullptr;
      if constexpr (isStore) {
        std::memcpy(at, &value, std::min(bytes, 4u));
      } else {
        value = 0;
        if (at)
          std::memcpy(&value, at, std::min(bytes, 4u));
      }
    }
}

static void loadBits(const TextureLanes &lanes) {
  unsigned bytes = bytesOf(PtxjitTextureElement(lanes.access.element));
  lanes.forEach([&](unsigned lane) {
    char *place =
        findPlace(lanes, lane, bytes * lanes.access.count, /*unit=*/1);
    moveElements</*isStore=*/false>(lanes, lane, place, bytes);
  });
}

static void storeBits(const TextureLanes &lanes) {
  unsigned bytes = bytesOf(PtxjitTextureElement(lanes.access.element));
  lanes.forEach([&](unsigned lane) {
    if (char *place =
            findPlace(lanes, lane, bytes * lanes.access.count, /*unit=*/1))
      moveElements</*isStore=*/true>(lanes, lane, place, bytes);
  });
}

//===----------------------------------------------------------------------===//
// Converted elements
//===----------------------------------------------------------------------===//

/// Channels that the instruction does not give become those of (0, 0, 0, 0).
static void storeConverted(const TextureLanes &lanes) {
  unsigned bytes = bytesOfTexel(lanes.texture);
  lanes.forEach([&](unsigned lane) {
    char *place = findPlace(lanes, lane, bytes, bytes);
    if (!place)
      return;
    uint32_t channels[4] = {};
    for (unsigned c = 0; c < lanes.access.count; ++c)
      channels[c] = lanes.row(PTXJIT_TEXTURE_ROW_DATA + c, lane);
    writeTexel(lanes.texture, channels, place);
  });
}

static void loadConverted(const TextureLanes &lanes) {
  unsigned bytes = bytesOfTexel(lanes.texture);
  lanes.forEach([&](unsigned lane) {
    uint32_t channels[4] = {};
    if (const char *place = findPlace(lanes, lane, bytes, bytes)) {
      readTexel(lanes.texture, place, channels);
      for (unsigned c = 0; c < lanes.texture.channels; ++c)
        channels[c] = finishChannel(lanes.texture, c, channels[c]);
    }
    for (unsigned c = 0; c < lanes.access.count; ++c)
      lanes.row(PTXJIT_TEXTURE_ROW_DATA + c, lane) = channels[c];
  });
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// `Number` says whether numbers are signed; memory is changed as unsigned.
template <typename Number>
static void reduceAt(char *place, PtxjitSurfaceReduction how, Number value) {
  auto *memory = reinterpret_cast<Number *>(place);
  auto swap = [&](auto combine) {
    Number old = __atomic_load_n(memory, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(memory, &old, combine(old),
                                        /*weak=*/true, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
      ;
  };
  switch (how) {
  case PTXJIT_SURFACE_ADD:
    __atomic_fetch_add(memory, value, __ATOMIC_RELAXED);
    return;
  case PTXJIT_SURFACE_MIN:
    return swap([&](Number old) { return std::min(old, value); });
  case PTXJIT_SURFACE_MAX:
    return swap([&](Number old) { return std::max(old, value); });
  case PTXJIT_SURFACE_AND:
    __atomic_fetch_and(memory, value, __ATOMIC_RELAXED);
    return;
  case PTXJIT_SURFACE_OR:
    __atomic_fetch_or(memory, value, __ATOMIC_RELAXED);
    return;
  }
}

/// Are the numbers signed? With `.p` the surface's format says so.
static bool isSigned(const TextureLanes &lanes) {
  uint8_t element = lanes.access.element;
  if (!lanes.has(PTXJIT_SURFACE_FORMATTED))
    return element == PTXJIT_ELEMENT_S32 || element == PTXJIT_ELEMENT_S64;
  uint8_t type = lanes.texture.type;
  return type == PTXJIT_TEXEL_S8 || type == PTXJIT_TEXEL_S16 ||
         type == PTXJIT_TEXEL_S32;
}

template <typename Signed, typename Unsigned>
static void reduceLanes(const TextureLanes &lanes) {
  auto how = PtxjitSurfaceReduction(lanes.access.reduction);
  bool asSigned = isSigned(lanes);
  // An element of `.p` has 32 or 64 bits whatever the texel has.
  unsigned unit = lanes.has(PTXJIT_SURFACE_FORMATTED) ? sizeof(Unsigned) : 1;
  lanes.forEach([&](unsigned lane) {
    char *place = findPlace(lanes, lane, sizeof(Unsigned), unit);
    if (!place)
      return;
    Unsigned value = lanes.row(PTXJIT_TEXTURE_ROW_DATA, lane);
    if constexpr (sizeof(Unsigned) == 8)
      value |= Unsigned(lanes.row(PTXJIT_TEXTURE_ROW_DATA + 1, lane)) << 32;
    if (asSigned)
      reduceAt(place, how, Signed(value));
    else
      reduceAt(place, how, value);
  });
}

static void reduceSurface(const TextureLanes &lanes) {
  if (bytesOf(PtxjitTextureElement(lanes.access.element)) == 8)
    return reduceLanes<int64_t, uint64_t>(lanes);
  return reduceLanes<int32_t, uint32_t>(lanes);
}

void ptxjit::accessSurface(const TextureLanes &lanes) {
  bool isFormatted = lanes.has(PTXJIT_SURFACE_FORMATTED);
  switch (lanes.access.action) {
  case PTXJIT_SURFACE_LOAD:
    return isFormatted ? loadConverted(lanes) : loadBits(lanes);
  case PTXJIT_SURFACE_STORE:
    return isFormatted ? storeConverted(lanes) : storeBits(lanes);
  default:
    return reduceSurface(lanes);
  }
}
