//===- TextureSampler.cpp - reads of textures -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA guide describes how coordinates become texels; where it leaves
// something open, this does what an H100 does. Coordinates that are fractions
// of an extent have 21 fractional bits, places in texels 8.
//
//===----------------------------------------------------------------------===//

#include "TextureAccess.h"
#include "TextureCubes.h"
#include "TextureFilter.h"
#include "TextureFlat.h"

#include <algorithm>
#include <cmath>

using namespace ptxjit;

//===----------------------------------------------------------------------===//
// One dimension
//===----------------------------------------------------------------------===//

namespace {
/// The texels of a dimension that an access reads.
struct Axis {
  /// Their indices; -1: outside. Without a filter the first one counts.
  std::array<int, 2> index;
  int weight; ///< of the second one, in 256ths
};

/// How a dimension is addressed.
struct Dimension {
  int extent;
  PtxjitAddressMode mode;
  bool isNormalized;
  int offset; ///< in texels
};
} // namespace

/// Places beyond this are as good as infinite, and fit into an int.
static constexpr double kFar = 1 << 30;
/// The same for places in 256ths of a texel. Only memory, which has no filter,
/// is longer.
static constexpr double kFarOfFilters = 1 << 22;

static bool repeats(PtxjitAddressMode mode) {
  return mode == PTXJIT_ADDRESS_WRAP || mode == PTXJIT_ADDRESS_MIRROR;
}

/// The texel that is read in place of `index`; -1: there is none.
static int wrapIndex(int index, const Dimension &dim) {
  int n = dim.extent;
  switch (dim.mode) {
  case PTXJIT_ADDRESS_WRAP: {
    int rest = index % n;
    return rest < 0 ? rest + n : rest;
  }
  case PTXJIT_ADDRESS_MIRROR: {
    int rest = index % (2 * n);
    if (rest < 0)
      rest += 2 * n;
    return rest < n ? rest : 2 * n - 1 - rest;
  }
  case PTXJIT_ADDRESS_CLAMP:
    return std::clamp(index, 0, n - 1);
  case PTXJIT_ADDRESS_BORDER:
  case PTXJIT_ADDRESS_CLAMP_OGL:
    return index >= 0 && index < n ? index : -1;
  }
  __builtin_unreachable();
}

/// A coordinate as a place, from 0 to the extent. What repeats has twice as
/// many places, of which the second half is mirrored, or the same again.
static double findPlaceAlong(double x, const Dimension &dim) {
  if (std::isnan(x))
    return 0;
  if (dim.isNormalized) {
    if (repeats(dim.mode))
      x = std::isinf(x) ? 0 : x - 2 * std::floor(x / 2);
    x = std::floor(x * 0x1p21) * 0x1p-21 * dim.extent;
  }
  return std::clamp(x, -kFar, kFar);
}

/// The texels around a place; in CUDA only fractions repeat. Texel i has its
/// centre at i + 1/2. \param isGather  places beyond an edge stay there: each
/// texel alone is clamped.
static Axis findNeighbours(double coordinate, Dimension dim, bool isGather) {
  if (repeats(dim.mode) && !dim.isNormalized)
    dim.mode = PTXJIT_ADDRESS_CLAMP;
  double x = findPlaceAlong(coordinate, dim) + dim.offset;
  x = std::clamp(x, -kFarOfFilters, kFarOfFilters);
  int units = int(std::floor(x * 256 + 0.5)) - 128;
  if (!isGather && dim.mode == PTXJIT_ADDRESS_CLAMP)
    units = std::clamp(units, 0, (dim.extent - 1) * 256);
  if (dim.mode == PTXJIT_ADDRESS_CLAMP_OGL) // up to half of the border counts
    units = std::clamp(units, -128, dim.extent * 256 - 128);
  int first = units >> 8;
  return {{wrapIndex(first, dim), wrapIndex(first + 1, dim)}, units & 255};
}

/// The texel at a place.
static Axis findNearest(double coordinate, Dimension dim) {
  if (repeats(dim.mode) && !dim.isNormalized)
    dim.mode = PTXJIT_ADDRESS_CLAMP;
  double x = findPlaceAlong(coordinate, dim) + dim.offset;
  return {{wrapIndex(int(std::floor(x)), dim), -1}, 0};
}

/// An index that the kernel gives: outside there is nothing, or the nearest
/// texel.
static Axis findIndex(int32_t index, const Dimension &dim, bool isClamped) {
  int64_t i = int64_t(index) + dim.offset;
  if (isClamped)
    i = std::clamp<int64_t>(i, 0, dim.extent - 1);
  bool isInside = i >= 0 && i < dim.extent;
  return {{isInside ? int(i) : -1, -1}, 0};
}

//===----------------------------------------------------------------------===//
// The sampler
//===----------------------------------------------------------------------===//

namespace {
/// Reads the texture of some lanes.
class Sampler {
public:
  explicit Sampler(const TextureLanes &lanes);

  void sample() const;
  void gather() const;

private:
  /// Where a lane reads, but for the level.
  struct Place {
    std::array<double, 3> at;     ///< coordinates; in a face of a cube
    std::array<int32_t, 3> index; ///< if coordinates are integers
    std::array<int, 3> offset;
    uint32_t image;  ///< the number of the layer, or of the cube's first face
    int face;        ///< of a cube
    uint32_t sample; ///< of a multisampled texture
    bool isOutside;  ///< there is no such layer or sample
  };
  using Axes = std::array<Axis, 3>;

  bool isEmpty() const;
  /// Are all texels read that a filter would mix?
  bool hasFootprint() const {
    return isLinear || lanes.access.action == PTXJIT_TEXTURE_GATHER;
  }
  Place findPlace(unsigned lane) const;
  Dimension describe(const Place &place, const PtxjitImageLevel &level,
                     unsigned i) const;
  Axes findAxes(const Place &place, const PtxjitImageLevel &level,
                bool isGather) const;

  Texel readAt(const Place &place, const PtxjitImageLevel &level, int x, int y,
               int z) const;
  bool isAcross(const Axes &axes, unsigned corner, unsigned i) const;
  Texel readAcross(const Place &place, const PtxjitImageLevel &level,
                   const Axes &axes, unsigned corner) const;
  Texel readCorner(const Place &place, const PtxjitImageLevel &level,
                   const Axes &axes, unsigned corner, unsigned slice) const;
  Quad readQuad(const Place &place, const PtxjitImageLevel &level,
                const Axes &axes, unsigned slice, int weight) const;
  void addLevel(const Place &place, unsigned number, int weight,
                Footprint &footprint) const;
  Texel readNearest(const Place &place, unsigned number) const;

  double lengthOf(const std::array<double, 3> &step) const;
  double widthOfSteps(std::array<double, 3> dx, std::array<double, 3> dy) const;
  std::array<double, 3> stepOf(unsigned row, unsigned lane) const;
  int levelOfGradients(unsigned lane) const;
  int findLevel(unsigned lane) const;
  uint32_t findIndexOfLevel(unsigned lane) const;

  Texel sampleLane(unsigned lane) const;
  Texel gatherLane(unsigned lane) const;
  void storeResults(unsigned lane, const Texel &texel) const;

  const TextureLanes &lanes;
  const PtxjitTexture &texture;
  const PtxjitSampler &sampler;
  const bool isCube, hasFloats;
  const bool isLinear; ///< mixes texels
  const unsigned dims; ///< of places: a cube has 2
};
} // namespace

static bool isCubeGeometry(uint8_t geometry) {
  return geometry == PTXJIT_GEOMETRY_CUBE || geometry == PTXJIT_GEOMETRY_ACUBE;
}
static bool hasSamples(uint8_t geometry) {
  return geometry == PTXJIT_GEOMETRY_2DMS || geometry == PTXJIT_GEOMETRY_A2DMS;
}

Sampler::Sampler(const TextureLanes &lanes)
    : lanes(lanes), texture(lanes.texture), sampler(lanes.sampler),
      isCube(isCubeGeometry(lanes.access.geometry)),
      hasFloats(lanes.has(PTXJIT_TEXTURE_FLOAT_AT)),
      isLinear(lanes.sampler.isLinear && hasFloats &&
               lanes.texture.shape != PTXJIT_IMAGE_LINEAR),
      dims(countDimensions(lanes.access.geometry)) {}

/// Is there nothing to read? An image of one dimension is one of two, with one
/// row; all others have to have the shape that the geometry is for.
bool Sampler::isEmpty() const {
  if (!texture.levels || texture.kind != PTXJIT_OPAQUE_TEXTURE ||
      bool(texture.isLayered) != hasLayers(lanes.access.geometry) ||
      (texture.samples > 1) != hasSamples(lanes.access.geometry))
    return true;
  switch (texture.shape) {
  case PTXJIT_IMAGE_3D:
    return dims != 3;
  case PTXJIT_IMAGE_CUBE:
    return !isCube;
  case PTXJIT_IMAGE_LINEAR:
    return dims != 1;
  default:
    return dims == 3 || isCube;
  }
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Offsets have few bits.
static int signExtend(uint32_t offset, unsigned bits) {
  return int32_t(offset << (32 - bits)) >> (32 - bits);
}

Sampler::Place Sampler::findPlace(unsigned lane) const {
  Place place{};
  unsigned offsetBits = lanes.access.action == PTXJIT_TEXTURE_GATHER ? 6 : 4;
  for (unsigned i = 0; i < (isCube ? 3 : dims); ++i) {
    place.index[i] = int32_t(lanes.row(PTXJIT_TEXTURE_ROW_AT + i, lane));
    place.at[i] = double(lanes.floatRow(PTXJIT_TEXTURE_ROW_AT + i, lane));
    if (lanes.has(PTXJIT_TEXTURE_HAS_OFFSETS))
      place.offset[i] = signExtend(
          lanes.row(PTXJIT_TEXTURE_ROW_OFFSETS + i, lane), offsetBits);
  }
  uint8_t geometry = lanes.access.geometry;
  if (hasSamples(geometry))
    place.sample = lanes.row(PTXJIT_TEXTURE_ROW_SAMPLE, lane);
  uint32_t layer =
      hasLayers(geometry) ? lanes.row(PTXJIT_TEXTURE_ROW_LAYER, lane) : 0;
  bool isIndex = !hasFloats && lanes.access.level == PTXJIT_LEVEL_BASE;
  place.isOutside =
      place.sample >= texture.samples || (isIndex && layer >= texture.layers);
  place.image = std::min(layer, texture.layers - 1);
  if (isCube) {
    FacePlace found = findFace(cleanDirection(place.at));
    place.at = {found.s, found.t, 0};
    place.face = found.face;
    place.image *= 6;
  }
  return place;
}

Dimension Sampler::describe(const Place &place, const PtxjitImageLevel &level,
                            unsigned i) const {
  const std::array<uint32_t, 3> extents = {level.width, level.height,
                                           level.depth};
  Dimension dim = {int(extents[i]), PtxjitAddressMode(sampler.addressModes[i]),
                   sampler.isNormalized || isCube, place.offset[i]};
  if (i >= dims) // y of one dimension is 0, beside which the border lies
    dim.isNormalized = false;
  if (i >= dims && texture.isLayered)
    dim.mode = PTXJIT_ADDRESS_CLAMP;
  if (isCube && sampler.isSeamless) // beside a face lies another one
    dim.mode = hasFootprint() ? PTXJIT_ADDRESS_BORDER : PTXJIT_ADDRESS_CLAMP;
  if (texture.shape == PTXJIT_IMAGE_LINEAR) { // memory has no sampler
    dim.mode = PTXJIT_ADDRESS_BORDER;
    dim.isNormalized = false;
  }
  return dim;
}

Sampler::Axes Sampler::findAxes(const Place &place,
                                const PtxjitImageLevel &level,
                                bool isGather) const {
  Axes axes{};
  for (unsigned i = 0; i < std::max(dims, 2u); ++i) {
    Dimension dim = describe(place, level, i);
    if (isGather || isLinear)
      axes[i] = findNeighbours(place.at[i], dim, isGather);
    else if (hasFloats)
      axes[i] = findNearest(place.at[i], dim);
    else
      axes[i] = findIndex(place.index[i], dim,
                          lanes.access.level != PTXJIT_LEVEL_BASE);
  }
  return axes;
}

//===----------------------------------------------------------------------===//
// Texels
//===----------------------------------------------------------------------===//

Texel Sampler::readAt(const Place &place, const PtxjitImageLevel &level, int x,
                      int y, int z) const {
  uint64_t image = place.image + uint64_t(place.face) + uint64_t(z);
  uint64_t address = level.texels + image * level.sliceBytes +
                     uint64_t(y) * level.rowBytes +
                     uint64_t(x) * bytesOfTexel(texture) +
                     uint64_t(place.sample) * texture.sampleBytes;
  Texel texel{};
  readTexel(texture, reinterpret_cast<const char *>(address), texel.data());
  return texel;
}

/// Is a corner of the footprint outside in dimension `i`?
bool Sampler::isAcross(const Axes &axes, unsigned corner, unsigned i) const {
  return axes[i].index[corner >> i & 1] < 0;
}

/// The texel that continues a face of a cube beside an edge.
Texel Sampler::readAcross(const Place &place, const PtxjitImageLevel &level,
                          const Axes &axes, unsigned corner) const {
  auto n = int(level.width);
  std::array<int, 2> at;
  for (unsigned i = 0; i < 2; ++i) {
    bool isSecond = corner >> i & 1;
    int index = axes[i].index[isSecond];
    at[i] = index >= 0 ? index : isSecond ? n : -1;
  }
  CubeTexel texel = crossEdge(place.face, at[0], at[1], n);
  Place other = place;
  other.face = texel.face;
  return readAt(other, level, texel.i, texel.j, 0);
}

/// The texel at a corner of a slice of the footprint, by the bits of Quad.
Texel Sampler::readCorner(const Place &place, const PtxjitImageLevel &level,
                          const Axes &axes, unsigned corner,
                          unsigned slice) const {
  int x = axes[0].index[corner & 1], y = axes[1].index[corner >> 1],
      z = dims == 3 ? axes[2].index[slice] : 0;
  if (x >= 0 && y >= 0 && z >= 0)
    return readAt(place, level, x, y, z);
  if (isCube && sampler.isSeamless)
    return readAcross(place, level, axes, corner);
  return hasFloats && texture.shape != PTXJIT_IMAGE_LINEAR
             ? readBorderColor(texture, sampler)
             : Texel{};
}

/// Three faces meet at a vertex of a cube, where a footprint has no fourth
/// texel. Its weight is shared by the others.
static void shareWeight(std::array<int, 4> &weights, unsigned corner) {
  int share = (2 * weights[corner] + 3) / 6;
  weights[corner ^ 1] += share;
  weights[corner ^ 2] += share;
  weights[corner ^ 3] += weights[corner] - 2 * share;
  weights[corner] = 0;
}

Quad Sampler::readQuad(const Place &place, const PtxjitImageLevel &level,
                       const Axes &axes, unsigned slice, int weight) const {
  Quad quad;
  quad.weights = splitWeight(weight, axes[0].weight, axes[1].weight);
  for (unsigned corner = 0; corner < 4 && isCube && sampler.isSeamless;
       ++corner)
    if (isAcross(axes, corner, 0) && isAcross(axes, corner, 1))
      shareWeight(quad.weights, corner);
  for (unsigned corner = 0; corner < 4; ++corner)
    if (quad.weights[corner])
      quad.texels[corner] = readCorner(place, level, axes, corner, slice);
  return quad;
}

/// Adds the texels of a level that a filter reads.
void Sampler::addLevel(const Place &place, unsigned number, int weight,
                       Footprint &footprint) const {
  const PtxjitImageLevel &level = texture.level[number];
  Axes axes = findAxes(place, level, /*isGather=*/false);
  if (!isLinear) {
    Quad quad;
    quad.texels[0] = readCorner(place, level, axes, 0, 0);
    quad.weights[0] = weight;
    return footprint.add(quad);
  }
  int second = dims == 3 ? (weight * axes[2].weight + 128) >> 8 : 0;
  footprint.add(readQuad(place, level, axes, 0, weight - second));
  if (second)
    footprint.add(readQuad(place, level, axes, 1, second));
}

/// The nearest texel stays as it is, a NaN's bits included.
Texel Sampler::readNearest(const Place &place, unsigned number) const {
  const PtxjitImageLevel &level = texture.level[number];
  Axes axes = findAxes(place, level, /*isGather=*/false);
  Texel texel = readCorner(place, level, axes, 0, 0);
  for (unsigned c = 0; c < texture.channels; ++c)
    texel[c] = finishChannel(texture, c, texel[c]);
  return texel;
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

/// The length of a step in texels, roughly, without a square root.
double Sampler::lengthOf(const std::array<double, 3> &step) const {
  std::array<double, 3> sizes;
  for (unsigned i = 0; i < 3; ++i)
    sizes[i] = std::isnan(step[i]) ? 0 : std::fabs(step[i]);
  std::sort(sizes.begin(), sizes.end());
  double middle =
      dims == 3 ? sizes[1] * 11 / 32 + sizes[0] / 4 : sizes[1] * 11 / 32;
  return sizes[2] + middle;
}

/// How far apart the samples of a pixel are, in texels: the longest of its
/// sides and (shortened) diagonals. With anisotropy N the shorter axis counts,
/// if it is no shorter than an N-th part of the longer one.
double Sampler::widthOfSteps(std::array<double, 3> dx,
                             std::array<double, 3> dy) const {
  std::array<double, 3> sum, difference;
  for (unsigned i = 0; i < 3; ++i) {
    sum[i] = dx[i] + dy[i];
    difference[i] = dx[i] - dy[i];
  }
  double longer = std::max({lengthOf(dx), lengthOf(dy), lengthOf(sum) * 11 / 16,
                            lengthOf(difference) * 11 / 16});
  if (sampler.maxAnisotropy <= 1 || dims == 3 || longer == 0)
    return longer;
  double shorter = std::fabs(dx[0] * dy[1] - dx[1] * dy[0]) / longer;
  return std::max(shorter, longer / sampler.maxAnisotropy);
}

/// A gradient in texels of the base level. In a cube it is the difference of
/// two places in the face of the coordinate.
std::array<double, 3> Sampler::stepOf(unsigned row, unsigned lane) const {
  const PtxjitImageLevel &base = texture.level[0];
  const std::array<uint32_t, 3> extents = {base.width, base.height, base.depth};
  std::array<double, 3> step{};
  if (!isCube) {
    for (unsigned i = 0; i < dims; ++i)
      step[i] = double(lanes.floatRow(row + i, lane)) * extents[i];
    return step;
  }
  Direction from, to;
  for (unsigned i = 0; i < 3; ++i) {
    from[i] = lanes.floatRow(PTXJIT_TEXTURE_ROW_AT + i, lane);
    to[i] = from[i] + lanes.floatRow(row + i, lane);
  }
  from = cleanDirection(from);
  int face = findFace(from).face;
  std::array<double, 2> a = projectOn(face, from), b = projectOn(face, to);
  for (unsigned i = 0; i < 2; ++i)
    step[i] = (b[i] - a[i]) * (base.width / 2.0);
  return step;
}

/// log2 in units of 1/256, by a table of 256 entries.
static int logOf(double x) {
  if (!(x > 0))
    return -64 * 256;
  if (std::isinf(x))
    return 64 * 256;
  int exponent = std::ilogb(x);
  auto entry = int((std::ldexp(x, -exponent) - 1) * 256);
  double middle = std::log2(1 + (entry + 0.5) / 256) * 256 + 0.4685;
  int fraction = entry ? std::min(255, int(middle)) : 0;
  return std::clamp(exponent, -64, 64) * 256 + fraction;
}

int Sampler::levelOfGradients(unsigned lane) const {
  return logOf(widthOfSteps(stepOf(PTXJIT_TEXTURE_ROW_DPDX, lane),
                            stepOf(PTXJIT_TEXTURE_ROW_DPDY, lane)));
}

/// A level as a number of 256ths.
static int unitsOf(double level) {
  if (std::isnan(level))
    return 0;
  return int(std::floor(std::clamp(level, -64.0, 64.0) * 256));
}

/// The level in 256ths, within the limits of sampler and image.
int Sampler::findLevel(unsigned lane) const {
  double level = 0;
  if (lanes.access.level == PTXJIT_LEVEL_GIVEN)
    level = lanes.floatRow(PTXJIT_TEXTURE_ROW_LEVEL, lane);
  if (lanes.access.level == PTXJIT_LEVEL_GRADIENTS)
    level = levelOfGradients(lane) / 256.0;
  int last = (texture.levels - 1) * 256;
  int least = std::clamp(unitsOf(sampler.minLevel), 0, last);
  int most = std::clamp(unitsOf(sampler.maxLevel), least, last);
  return std::clamp(unitsOf(level) + unitsOf(sampler.levelBias), least, most);
}

/// With integer coordinates, levels are indices, too.
uint32_t Sampler::findIndexOfLevel(unsigned lane) const {
  switch (lanes.access.level) {
  case PTXJIT_LEVEL_GIVEN:
    return lanes.row(PTXJIT_TEXTURE_ROW_LEVEL, lane);
  case PTXJIT_LEVEL_GRADIENTS:
    return uint32_t(
        std::clamp((levelOfGradients(lane) + 128) >> 8, 0, texture.levels - 1));
  default:
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Texel Sampler::sampleLane(unsigned lane) const {
  Place place = findPlace(lane);
  if (place.isOutside)
    return {};
  if (!hasFloats) {
    uint32_t number = findIndexOfLevel(lane);
    return number < texture.levels ? readNearest(place, number) : Texel{};
  }
  int level = texture.levels > 1 ? findLevel(lane) : 0;
  auto number = unsigned(level) / 256;
  int weight = level % 256;
  if (!sampler.isMipLinear) {
    number = unsigned(level + 128) / 256;
    weight = 0;
  }
  if (!isLinear && !weight)
    return readNearest(place, number);
  Footprint footprint;
  addLevel(place, number, kWholeWeight - weight, footprint);
  if (weight)
    addLevel(place, number + 1, weight, footprint);
  return footprint.mix(texture);
}

/// A component of the texels that a filter would mix, from the lower left one
/// counter-clockwise. ISA: "tld4".
Texel Sampler::gatherLane(unsigned lane) const {
  static constexpr std::array<unsigned, 4> kCorners = {2, 3, 1, 0};
  unsigned component = lanes.access.variant;
  Place place = findPlace(lane);
  int level = texture.levels > 1 ? (findLevel(lane) + 128) >> 8 : 0;
  const PtxjitImageLevel &base = texture.level[level];
  Axes axes = findAxes(place, base, /*isGather=*/true);
  Texel results{};
  for (unsigned i = 0; i < 4; ++i) {
    unsigned corner = kCorners[i];
    if (component >= texture.channels)
      continue;
    bool isVertex = isCube && sampler.isSeamless && isAcross(axes, corner, 0) &&
                    isAcross(axes, corner, 1);
    Quad quad;
    quad.weights[corner] = kWholeWeight;
    if (isVertex) // a mixture of the three texels there
      shareWeight(quad.weights, corner);
    for (unsigned k = 0; k < 4; ++k)
      if (quad.weights[k])
        quad.texels[k] = readCorner(place, base, axes, k, 0);
    // Fractions of 8 bits with a sign go through the filter, too.
    if (isVertex || (texture.isFraction && texture.type == PTXJIT_TEXEL_S8)) {
      Footprint footprint;
      footprint.add(quad);
      results[i] = footprint.mix(texture)[component];
    } else {
      results[i] =
          finishChannel(texture, component, quad.texels[corner][component]);
    }
  }
  return results;
}

/// The types of results are names: registers get the texel's bits. Halves are
/// converted from f32, whatever the bits are.
void Sampler::storeResults(unsigned lane, const Texel &texel) const {
  auto half = [&](unsigned c) -> uint32_t {
    return floatToHalf(__builtin_bit_cast(float, texel[c]));
  };
  switch (lanes.access.element) {
  case PTXJIT_ELEMENT_F16:
    for (unsigned c = 0; c < 4; ++c)
      lanes.row(PTXJIT_TEXTURE_ROW_DATA + c, lane) = half(c);
    return;
  case PTXJIT_ELEMENT_F16X2:
    for (unsigned c = 0; c < 2; ++c)
      lanes.row(PTXJIT_TEXTURE_ROW_DATA + c, lane) =
          half(2 * c) | half(2 * c + 1) << 16;
    return;
  default:
    for (unsigned c = 0; c < 4; ++c)
      lanes.row(PTXJIT_TEXTURE_ROW_DATA + c, lane) = texel[c];
  }
}

void Sampler::sample() const {
  bool empty = isEmpty();
  lanes.forEach([&](unsigned lane) {
    storeResults(lane, empty ? Texel{} : sampleLane(lane));
  });
}

void Sampler::gather() const {
  bool empty = isEmpty();
  lanes.forEach([&](unsigned lane) {
    storeResults(lane, empty ? Texel{} : gatherLane(lane));
  });
}

void ptxjit::sampleTexture(const TextureLanes &lanes) {
  uint32_t left = lanes.lanes & ~sampleFlat(lanes);
  if (!left)
    return;
  Sampler({lanes.access, lanes.texture, lanes.sampler, left, lanes.caller})
      .sample();
}

void ptxjit::gatherTexels(const TextureLanes &lanes) {
  Sampler(lanes).gather();
}
