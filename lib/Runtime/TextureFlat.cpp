//===- TextureFlat.cpp - reads of flat images by whole warps --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Most reads are of one or two dimensions, without levels. Here they are done
// for the 32 lanes of a warp at once: the loops over lanes are straight code,
// which the compiler makes vector code of, for each kind of CPU
// (PTXJIT_CLONES). Results are the sampler's, bit by bit. Lanes that have no
// part in an access are computed along.
//
//===----------------------------------------------------------------------===//

#include "TextureFlat.h"
#include "TextureFilter.h"

#include <algorithm>
#include <cstring>

using namespace ptxjit;

#if defined(__x86_64__) && !defined(PTXJIT_SANITIZED)
#define PTXJIT_CLONES                                                          \
  __attribute__((target_clones("default", "avx2", "arch=x86-64-v4")))
#else
#define PTXJIT_CLONES
#endif

static constexpr unsigned kLanes = 32;

namespace {
using Doubles = double[kLanes];
using Floats = float[kLanes];
using Integers = int32_t[kLanes];
using Words = uint32_t[kLanes];

/// The texels of a dimension that each lane reads; index -1 is outside.
struct FlatAxis {
  Integers first, second, weight;
};
/// A dimension of the image.
struct FlatDimension {
  int extent;
  PtxjitAddressMode mode;
  bool isNormalized;
};
/// A channel of the four texels of a quad.
using Corners = Words[4];
using Weights = Integers[4];
} // namespace

//===----------------------------------------------------------------------===//
// Coordinates (see TextureSampler.cpp)
//===----------------------------------------------------------------------===//

/// Places along a dimension.
PTXJIT_CLONES static void findPlaces(const float *at, int extent,
                                     bool isNormalized, bool repeats,
                                     double *places) {
  constexpr double kFar = 1 << 22; // no such image is as long
  double scale = isNormalized ? extent : 1;
  for (unsigned i = 0; i < kLanes; ++i) {
    double x = at[i];
    if (repeats)
      x -= 2 * __builtin_floor(x / 2);
    x = x == x ? x : 0;
    double cut = __builtin_floor(x * 0x1p21) * 0x1p-21;
    x = (isNormalized ? cut : x) * scale;
    x = x < -kFar ? -kFar : x;
    places[i] = x > kFar ? kFar : x;
  }
}

/// The neighbours of places, before indices are wrapped.
PTXJIT_CLONES static void findUnits(const double *places, int lowest,
                                    int highest, int32_t *first,
                                    int32_t *weight) {
  for (unsigned i = 0; i < kLanes; ++i) {
    auto units = int32_t(__builtin_floor(places[i] * 256 + 0.5)) - 128;
    units = units < lowest ? lowest : units;
    units = units > highest ? highest : units;
    first[i] = units >> 8;
    weight[i] = units & 255;
  }
}

PTXJIT_CLONES static void floorPlaces(const double *places, int32_t *index) {
  for (unsigned i = 0; i < kLanes; ++i)
    index[i] = int32_t(__builtin_floor(places[i]));
}

/// Indices from -1 to twice the extent, or of any size if the mode does not
/// repeat.
PTXJIT_CLONES static void wrapIndices(PtxjitAddressMode mode, int extent,
                                      int32_t *index) {
  int n = extent;
  switch (mode) {
  case PTXJIT_ADDRESS_WRAP:
    for (unsigned i = 0; i < kLanes; ++i) {
      int32_t k = index[i] < 0 ? index[i] + n : index[i];
      k = k >= n ? k - n : k;
      index[i] = k >= n ? k - n : k;
    }
    return;
  case PTXJIT_ADDRESS_MIRROR:
    for (unsigned i = 0; i < kLanes; ++i) {
      int32_t k = index[i] < 0 ? -1 - index[i] : index[i];
      k = k >= n ? 2 * n - 1 - k : k;
      index[i] = k < 0 ? 0 : k;
    }
    return;
  case PTXJIT_ADDRESS_CLAMP:
    for (unsigned i = 0; i < kLanes; ++i) {
      int32_t k = index[i] < 0 ? 0 : index[i];
      index[i] = k >= n ? n - 1 : k;
    }
    return;
  default:
    for (unsigned i = 0; i < kLanes; ++i)
      index[i] = uint32_t(index[i]) < uint32_t(n) ? index[i] : -1;
  }
}

static bool repeats(PtxjitAddressMode mode) {
  return mode == PTXJIT_ADDRESS_WRAP || mode == PTXJIT_ADDRESS_MIRROR;
}

static void findNeighbours(const float *at, FlatDimension dim, FlatAxis &axis) {
  bool isClamped = dim.mode == PTXJIT_ADDRESS_CLAMP;
  int lowest = isClamped ? 0 : -(1 << 30);
  int highest = isClamped ? (dim.extent - 1) * 256 : 1 << 30;
  Doubles places;
  findPlaces(at, dim.extent, dim.isNormalized, repeats(dim.mode), places);
  findUnits(places, lowest, highest, axis.first, axis.weight);
  for (unsigned i = 0; i < kLanes; ++i)
    axis.second[i] = axis.first[i] + 1;
  wrapIndices(dim.mode, dim.extent, axis.first);
  wrapIndices(dim.mode, dim.extent, axis.second);
}

static void findNearest(const float *at, FlatDimension dim, int32_t *index) {
  Doubles places;
  findPlaces(at, dim.extent, dim.isNormalized, repeats(dim.mode), places);
  floorPlaces(places, index);
  wrapIndices(dim.mode, dim.extent, index);
}

//===----------------------------------------------------------------------===//
// Texels
//===----------------------------------------------------------------------===//

namespace {
/// Reads texels of a level, channel by channel.
class FlatReader {
public:
  explicit FlatReader(const TextureLanes &lanes);

  bool hasRows() const { return dims == 2; }
  /// Reads the texels at (x, y) of all lanes; outside there is the border.
  void read(const int32_t *x, const int32_t *y, Words *channels) const;

private:
  const char *rowOf(unsigned lane, int32_t y) const {
    return image + int64_t(y) * rowBytes + imageOf[lane];
  }
  template <typename Channel, unsigned count>
  void readAll(const int32_t *x, const int32_t *y, Words *channels) const;

  const PtxjitTexture &texture;
  const char *image;
  int64_t rowBytes;
  int64_t imageOf[kLanes]; ///< offset of the lane's layer
  unsigned dims;
  Texel border{};
};
} // namespace

FlatReader::FlatReader(const TextureLanes &lanes)
    : texture(lanes.texture),
      image(reinterpret_cast<const char *>(texture.level[0].texels)),
      rowBytes(int64_t(texture.level[0].rowBytes)) {
  uint8_t geometry = lanes.access.geometry;
  dims =
      geometry == PTXJIT_GEOMETRY_2D || geometry == PTXJIT_GEOMETRY_A2D ? 2 : 1;
  for (unsigned i = 0; i < kLanes; ++i) {
    uint32_t layer = texture.isLayered
                         ? std::min(lanes.row(PTXJIT_TEXTURE_ROW_LAYER, i),
                                    texture.layers - 1)
                         : 0;
    imageOf[i] = int64_t(layer * texture.level[0].sliceBytes);
  }
  if (lanes.has(PTXJIT_TEXTURE_FLOAT_AT))
    border = readBorderColor(texture, lanes.sampler);
}

template <typename Channel, unsigned count>
void FlatReader::readAll(const int32_t *x, const int32_t *y,
                         Words *channels) const {
  for (unsigned i = 0; i < kLanes; ++i) {
    bool isInside = x[i] >= 0 && y[i] >= 0;
    const char *place =
        isInside
            ? rowOf(i, y[i]) + int64_t(x[i]) * int64_t(sizeof(Channel) * count)
            : image;
    Channel texel[count];
    std::memcpy(texel, place, sizeof(texel));
    for (unsigned c = 0; c < count; ++c)
      channels[c][i] = isInside ? uint32_t(texel[c]) : border[c];
  }
}

void FlatReader::read(const int32_t *x, const int32_t *y,
                      Words *channels) const {
  unsigned bytes = bytesOfChannel(texture.type);
  bool isSigned =
      texture.type == PTXJIT_TEXEL_S8 || texture.type == PTXJIT_TEXEL_S16;
  auto readAs = [&](auto one) {
    using Channel = decltype(one);
    switch (texture.channels) {
    case 1:
      return readAll<Channel, 1>(x, y, channels);
    case 2:
      return readAll<Channel, 2>(x, y, channels);
    default:
      return readAll<Channel, 4>(x, y, channels);
    }
  };
  switch (bytes) {
  case 1:
    return isSigned ? readAs(int8_t()) : readAs(uint8_t());
  case 2:
    return isSigned ? readAs(int16_t()) : readAs(uint16_t());
  default:
    return readAs(uint32_t());
  }
}

//===----------------------------------------------------------------------===//
// Filters (see TextureFilter.cpp)
//===----------------------------------------------------------------------===//

PTXJIT_CLONES static void splitWeights(const int32_t *x, const int32_t *y,
                                       Weights &weights) {
  for (unsigned i = 0; i < kLanes; ++i) {
    int32_t first = 256 - x[i];
    int32_t below = (first * y[i] + 127) >> 8,
            beside = (x[i] * y[i] + 128) >> 8;
    weights[0][i] = first - below;
    weights[1][i] = x[i] - beside;
    weights[2][i] = below;
    weights[3][i] = beside;
  }
}

/// Mixes f32 numbers. \param odd  set where one is infinite or no number: such
/// lanes are left to the sampler.
PTXJIT_CLONES static void mixFloats(const Corners &texels,
                                    const Weights &weights, uint32_t *results,
                                    uint32_t *odd) {
  for (unsigned i = 0; i < kLanes; ++i) {
    uint32_t largest = 0, signs = 0x80000000;
    for (unsigned k = 0; k < 4; ++k) {
      uint32_t magnitude = texels[k][i] & 0x7fffffff;
      magnitude = weights[k][i] ? magnitude : 0;
      largest = magnitude > largest ? magnitude : largest;
      signs &= weights[k][i] ? texels[k][i] : 0x80000000;
    }
    odd[i] = largest >= 0x7f800000;
    // Units of 28 bits below the largest exponent.
    uint64_t exponent = largest >> 23;
    auto scale = __builtin_bit_cast(double, (1023 + 154 - exponent) << 52);
    auto unit = __builtin_bit_cast(double, (1023 - 154 + exponent) << 52);
    double sum = 0;
    for (unsigned k = 0; k < 4; ++k) {
      uint32_t bits = texels[k][i];
      // Subnormal numbers are 0, and what has no weight may be infinite.
      bits = (bits & 0x7f800000) && weights[k][i] ? bits : 0;
      double texel = __builtin_bit_cast(float, bits);
      sum += __builtin_trunc(texel * scale) * double(weights[k][i]);
    }
    double mean = sum * unit * 0x1p-8;
    auto image = __builtin_bit_cast(uint64_t, mean);
    auto sign = uint32_t(image >> 32) & 0x80000000;
    // To 24 bits, ties away from 0.
    image = (image + (uint64_t(1) << 28)) & ~((uint64_t(1) << 29) - 1);
    auto rounded =
        __builtin_bit_cast(uint32_t, float(__builtin_bit_cast(double, image)));
    bool isTiny = __builtin_fabs(mean) < 0x1p-126;
    results[i] = sum == 0 ? signs & 0x80000000 : isTiny ? sign : rounded;
  }
}

/// Mixes integers that stand for fractions. \param scale  makes 16 bits of
/// them.
PTXJIT_CLONES static void mixFractions(const Corners &texels,
                                       const Weights &weights, int32_t scale,
                                       float most, uint32_t *results) {
  for (unsigned i = 0; i < kLanes; ++i) {
    int32_t sum = 0;
    for (unsigned k = 0; k < 4; ++k)
      sum += int32_t(texels[k][i]) * weights[k][i];
    float value = float((sum * scale + 128) >> 8) / most;
    value = value < -1.0f ? -1.0f : value;
    results[i] = __builtin_bit_cast(uint32_t, value);
  }
}

/// What registers get of texels that are not mixed.
PTXJIT_CLONES static void divideFractions(float most, uint32_t *values) {
  for (unsigned i = 0; i < kLanes; ++i) {
    float value = float(int32_t(values[i])) / most;
    value = value < -1.0f ? -1.0f : value;
    values[i] = __builtin_bit_cast(uint32_t, value);
  }
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

/// The largest integer of a format whose integers stand for fractions.
static float largestOf(uint8_t type) {
  switch (type) {
  case PTXJIT_TEXEL_U8:
    return 255;
  case PTXJIT_TEXEL_U16:
    return 65535;
  case PTXJIT_TEXEL_S8:
    return 127;
  default:
    return 32767;
  }
}

/// Are filters of this format done here?
static bool isMixedHere(const PtxjitTexture &texture) {
  if (texture.isFraction)
    return texture.type != PTXJIT_TEXEL_S8;
  return texture.type == PTXJIT_TEXEL_F32;
}

static FlatDimension dimensionOf(const TextureLanes &lanes, unsigned i) {
  const PtxjitImageLevel &level = lanes.texture.level[0];
  bool isNormalized = lanes.sampler.isNormalized;
  auto mode = PtxjitAddressMode(lanes.sampler.addressModes[i]);
  if (repeats(mode) && !isNormalized) // CUDA: only fractions repeat
    mode = PTXJIT_ADDRESS_CLAMP;
  return {int(i ? level.height : level.width), mode, isNormalized};
}

static const float *coordinatesOf(const TextureLanes &lanes, unsigned i) {
  return reinterpret_cast<const float *>(
      &lanes.row(PTXJIT_TEXTURE_ROW_AT + i, 0));
}

static uint32_t *resultsOf(const TextureLanes &lanes, unsigned c) {
  return &lanes.row(PTXJIT_TEXTURE_ROW_DATA + c, 0);
}

/// Channels that the texels do not have are 0.
static void clearOthers(const TextureLanes &lanes) {
  for (unsigned c = lanes.texture.channels; c < 4; ++c)
    std::memset(resultsOf(lanes, c), 0, sizeof(Words));
}

/// The texels at the lanes' indices or places.
static void readNearest(const TextureLanes &lanes) {
  FlatReader reader(lanes);
  Integers index[2] = {};
  for (unsigned i = 0; i < (reader.hasRows() ? 2u : 1u); ++i) {
    FlatDimension dim = dimensionOf(lanes, i);
    if (lanes.has(PTXJIT_TEXTURE_FLOAT_AT)) {
      findNearest(coordinatesOf(lanes, i), dim, index[i]);
    } else {
      std::memcpy(index[i], coordinatesOf(lanes, i), sizeof(Integers));
      wrapIndices(PTXJIT_ADDRESS_BORDER, dim.extent, index[i]);
    }
  }
  Words channels[4];
  reader.read(index[0], index[1], channels);
  for (unsigned c = 0; c < lanes.texture.channels; ++c) {
    if (lanes.texture.isFraction)
      divideFractions(largestOf(lanes.texture.type), channels[c]);
    std::memcpy(resultsOf(lanes, c), channels[c], sizeof(Words));
  }
  clearOthers(lanes);
}

/// The mixtures around the lanes' places. \returns the lanes that are left to
/// the sampler.
static uint32_t readLinear(const TextureLanes &lanes) {
  FlatReader reader(lanes);
  FlatAxis x, y{};
  findNeighbours(coordinatesOf(lanes, 0), dimensionOf(lanes, 0), x);
  if (reader.hasRows())
    findNeighbours(coordinatesOf(lanes, 1), dimensionOf(lanes, 1), y);
  Weights weights;
  splitWeights(x.weight, y.weight, weights);
  Words corners[4][4]; // by corner and channel
  for (unsigned k = 0; k < (reader.hasRows() ? 4u : 2u); ++k)
    reader.read(k & 1 ? x.second : x.first, k & 2 ? y.second : y.first,
                corners[k]);
  if (!reader.hasRows()) // the weights are 0
    std::memcpy(corners[2], corners[0], sizeof(corners[0]) * 2);
  uint32_t left = 0;
  const PtxjitTexture &texture = lanes.texture;
  for (unsigned c = 0; c < texture.channels; ++c) {
    Corners texels;
    for (unsigned k = 0; k < 4; ++k)
      std::memcpy(texels[k], corners[k][c], sizeof(Words));
    if (texture.isFraction) {
      bool isByte = texture.type == PTXJIT_TEXEL_U8;
      mixFractions(texels, weights, isByte ? 257 : 1,
                   texture.type == PTXJIT_TEXEL_S16 ? 32767.0f : 65535.0f,
                   resultsOf(lanes, c));
      continue;
    }
    Words odd;
    mixFloats(texels, weights, resultsOf(lanes, c), odd);
    for (unsigned i = 0; i < kLanes; ++i)
      left |= odd[i] << i;
  }
  clearOthers(lanes);
  return left & lanes.lanes;
}

/// Are the reads of such a kind?
static bool isFlat(const TextureLanes &lanes) {
  const PtxjitTextureAccess &access = lanes.access;
  const PtxjitTexture &texture = lanes.texture;
  bool hasFloats = lanes.has(PTXJIT_TEXTURE_FLOAT_AT);
  unsigned dims = countDimensions(access.geometry);
  bool isLayered = hasLayers(access.geometry);
  bool isFlatGeometry = access.geometry == PTXJIT_GEOMETRY_1D ||
                        access.geometry == PTXJIT_GEOMETRY_A1D ||
                        access.geometry == PTXJIT_GEOMETRY_2D ||
                        access.geometry == PTXJIT_GEOMETRY_A2D;
  bool hasShape = isFlatGeometry && texture.shape <= PTXJIT_IMAGE_2D &&
                  (dims == 1 || texture.shape != PTXJIT_IMAGE_LINEAR);
  bool isOdd = lanes.has(PTXJIT_TEXTURE_HAS_OFFSETS) || texture.isSRGB ||
               access.level != PTXJIT_LEVEL_BASE || texture.levels != 1 ||
               texture.samples != 1 || texture.type == PTXJIT_TEXEL_F16 ||
               access.element == PTXJIT_ELEMENT_F16 ||
               access.element == PTXJIT_ELEMENT_F16X2 ||
               // A layer of integers may be outside, a buffer has no floats.
               (isLayered && !hasFloats) ||
               (texture.shape == PTXJIT_IMAGE_LINEAR && hasFloats);
  // All results are written: those of lanes with other textures, too.
  bool isWhole = access.lanes == kLanes && lanes.lanes == access.active;
  return isWhole && texture.kind == PTXJIT_OPAQUE_TEXTURE &&
         bool(texture.isLayered) == isLayered && hasShape && !isOdd;
}

uint32_t ptxjit::sampleFlat(const TextureLanes &lanes) {
  if (!isFlat(lanes))
    return 0;
  const PtxjitSampler &sampler = lanes.sampler;
  if (!sampler.isLinear || !lanes.has(PTXJIT_TEXTURE_FLOAT_AT)) {
    readNearest(lanes);
    return lanes.lanes;
  }
  bool isClampOGL = sampler.addressModes[0] == PTXJIT_ADDRESS_CLAMP_OGL ||
                    sampler.addressModes[1] == PTXJIT_ADDRESS_CLAMP_OGL;
  // One dimension is one row, beside which the border lies.
  bool isBesideBorder = lanes.access.geometry == PTXJIT_GEOMETRY_1D &&
                        sampler.addressModes[1] == PTXJIT_ADDRESS_BORDER;
  if (!isMixedHere(lanes.texture) || isClampOGL || isBesideBorder)
    return 0;
  return lanes.lanes & ~readLinear(lanes);
}
