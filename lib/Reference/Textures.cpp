//===- Textures.cpp - reads of textures -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A read chooses levels, then texels and their weights on each of them, and
// then mixes the texels (TextureFilter.h). The reference for comparisons is
// ignored: no texture holds depths, since no API of CUDA makes one that does.
//
//===----------------------------------------------------------------------===//

#include "Cta.h"
#include "TextureImage.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cmath>
#include <utility>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using namespace ptxjit::reference;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// The operands of a read.
struct reference::TexturePlace {
  Geometry geometry = Geometry::D1;
  unsigned dimensions = 1;
  bool isFloat = false;
  std::array<float, 3> at{};       ///< if `isFloat`
  std::array<int64_t, 3> texels{}; ///< else
  std::array<int64_t, 3> offsets{};
  uint32_t layer = 0, sample = 0;
  std::optional<LevelMode> mode;
  Bits level = 0;
  std::array<float, 3> dPdx{}, dPdy{};

  bool isCube() const {
    return geometry == Geometry::Cube || geometry == Geometry::ACube;
  }
};

static float toFloat(Bits bits) {
  return llvm::bit_cast<float>(uint32_t(bits));
}

TexturePlace Cta::placeInTexture(Thread &t, const TextureAccess &access) {
  TexturePlace place;
  place.geometry = access.geometry;
  place.dimensions = countDimensions(access.geometry);
  place.isFloat = access.isFloat;
  for (unsigned d = 0; d < place.dimensions; ++d) {
    Bits bits = get(t, access.at[d]);
    place.at[d] = toFloat(bits);
    place.texels[d] = int32_t(bits);
    if (!access.offsets.empty())
      place.offsets[d] = int32_t(get(t, access.offsets[d]));
    if (!access.dPdx.empty()) {
      place.dPdx[d] = toFloat(get(t, access.dPdx[d]));
      place.dPdy[d] = toFloat(get(t, access.dPdy[d]));
    }
  }
  if (access.layer)
    place.layer = uint32_t(get(t, access.layer));
  if (access.sample)
    place.sample = uint32_t(get(t, access.sample));
  if (access.level)
    place.level = get(t, access.level);
  return place;
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

namespace {
/// Carries out a read of a texture that has an image of the right shape.
class TextureReader {
public:
  TextureReader(const PtxjitTexture &texture, const PtxjitSampler &sampler,
                const TexturePlace &place, MemoryProbe &probe)
      : texture(texture), sampler(sampler), place(place),
        loader(texture, probe), border(makeBorder(texture, sampler.border)) {
    assert(texture.levels <= PTXJIT_MOST_LEVELS && "a sound texture");
  }

  /// The channels' bits, as f32 or integers.
  std::array<uint32_t, 4> sample();
  /// One channel of the four texels of a linear filter.
  std::array<uint32_t, 4> gather(unsigned channel);
  std::optional<uint64_t> badAddress() const { return loader.badAddress; }

private:
  std::array<uint32_t, 4> convert(const Texel &texel);
  std::array<uint32_t, 4> fetch();
  FixedLevel chooseLevel();
  double levelOfGradients();
  std::array<double, 3> direction() const;
  std::array<double, 3> directionAt(const std::array<float, 3> &step) const;
  Axis axisOf(unsigned dimension, unsigned level) const;
  Taps findTaps(const Axis &axis) const;
  int64_t sliceOf(unsigned face) const;
  Quad loadQuad(unsigned level, const Taps &x, const Taps &y, int64_t slice,
                unsigned weight);
  std::optional<unsigned> loadAcrossEdges(unsigned level, unsigned face,
                                          const Taps &x, const Taps &y,
                                          Quad &quad);
  void addLevel(unsigned level, unsigned weight, SmallVectorImpl<Quad> &quads);
  void addFace(unsigned level, unsigned weight, SmallVectorImpl<Quad> &quads);

  const PtxjitTexture &texture;
  const PtxjitSampler &sampler;
  const TexturePlace &place;
  TexelLoader loader;
  Texel border;
};
} // namespace

std::array<uint32_t, 4> TextureReader::convert(const Texel &texel) {
  std::array<uint32_t, 4> channels;
  for (unsigned c = 0; c < 4; ++c)
    channels[c] = convertChannel(texture, texel, c);
  return channels;
}

static uint32_t extentOf(const PtxjitImageLevel &image, unsigned dimension) {
  return dimension == 0   ? image.width
         : dimension == 1 ? image.height
                          : image.depth;
}

/// The layer, which is clamped, and the face of cubes.
int64_t TextureReader::sliceOf(unsigned face) const {
  uint32_t layer = std::min(place.layer, texture.layers - 1);
  return place.isCube() ? int64_t(layer) * 6 + face : layer;
}

/// Integer coordinates name a texel, whatever the sampler says. There is
/// nothing outside of the image. With a level the coordinates are clamped, and
/// so is the layer: the hardware does so.
std::array<uint32_t, 4> TextureReader::fetch() {
  int64_t level = 0;
  bool isClamped = place.mode && *place.mode != LevelMode::Base;
  if (place.mode == LevelMode::Level)
    level = int32_t(place.level);
  if (place.mode == LevelMode::Grad)
    level = (chooseLevel() + 128) >> 8;
  if (level < 0 || level >= texture.levels ||
      (!isClamped && place.layer >= texture.layers) ||
      place.sample >= texture.samples)
    return {};
  std::array<int64_t, 3> at{};
  for (unsigned d = 0; d < place.dimensions; ++d) {
    int64_t last = int64_t(extentOf(texture.level[level], d)) - 1;
    at[d] = place.texels[d] + llvm::SignExtend64<4>(uint64_t(place.offsets[d]));
    if (isClamped)
      at[d] = std::clamp<int64_t>(at[d], 0, last);
    if (at[d] < 0 || at[d] > last)
      return {};
  }
  int64_t slice = place.geometry == Geometry::D3 ? at[2] : sliceOf(0);
  return convert(
      loader.load(unsigned(level), at[0], at[1], slice, place.sample, border));
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

/// The place of a cube. Its zeros keep their signs, which choose between faces.
std::array<double, 3> TextureReader::direction() const {
  return {place.at[0], place.at[1], place.at[2]};
}

/// The place of a cube that lies a gradient away.
std::array<double, 3>
TextureReader::directionAt(const std::array<float, 3> &step) const {
  std::array<double, 3> direction;
  for (unsigned d = 0; d < 3; ++d)
    direction[d] = double(place.at[d]) + step[d];
  return direction;
}

double TextureReader::levelOfGradients() {
  Gradients g;
  g.count = place.dimensions;
  if (!place.isCube()) {
    // The extents scale gradients even if coordinates are not normalised.
    for (unsigned d = 0; d < place.dimensions; ++d) {
      g.dx[d] = double(place.dPdx[d]) * extentOf(texture.level[0], d);
      g.dy[d] = double(place.dPdy[d]) * extentOf(texture.level[0], d);
    }
    return findLevel(g, sampler.maxAnisotropy);
  }
  // The hardware takes differences on the face. Up to 1.4 levels off where the
  // gradients lead to other faces.
  g.count = 2;
  FacePoint here = projectToFace(direction());
  double half = texture.level[0].width / 2.0;
  auto difference = [&](const std::array<float, 3> &step,
                        std::array<double, 3> &out) {
    FacePoint there = moveToFrame(here.face, directionAt(step));
    out[0] = (there.s / there.major - here.s / here.major) * half;
    out[1] = (there.t / there.major - here.t / here.major) * half;
  };
  difference(place.dPdx, g.dx);
  difference(place.dPdy, g.dy);
  return findLevel(g, sampler.maxAnisotropy);
}

FixedLevel TextureReader::chooseLevel() {
  double level = 0;
  if (place.mode == LevelMode::Level)
    level = toFloat(place.level);
  if (place.mode == LevelMode::Grad)
    level = levelOfGradients();
  return clampLevel(texture, sampler, level);
}

//===----------------------------------------------------------------------===//
// Texels of a level
//===----------------------------------------------------------------------===//

/// The axis of a coordinate. Images of one dimension are one texel high, and
/// read at height 0: so the second address mode counts even for them, but not
/// for their arrays.
Axis TextureReader::axisOf(unsigned dimension, unsigned level) const {
  assert(dimension < 3 && "modes are of x, y and z");
  bool isGiven = dimension < place.dimensions;
  Axis axis = makeAxis(isGiven ? place.at[dimension] : 0,
                       extentOf(texture.level[level], dimension),
                       sampler.addressModes[dimension], sampler.isNormalized);
  if (!isGiven && texture.isLayered)
    axis.mode = PTXJIT_ADDRESS_CLAMP;
  axis.position +=
      place.offsets[dimension] * (FixedPosition(1) << kPositionBits);
  return axis;
}

Taps TextureReader::findTaps(const Axis &axis) const {
  return sampler.isLinear ? findLinear(axis) : findNearest(axis);
}

Quad TextureReader::loadQuad(unsigned level, const Taps &x, const Taps &y,
                             int64_t slice, unsigned weight) {
  Quad quad;
  quad.weights = splitWeight(weight, x.fraction, y.fraction);
  for (unsigned i = 0; i < 4; ++i)
    quad.texels[i] =
        loader.load(level, x.index[i & 1], y.index[i >> 1], slice, 0, border);
  return quad;
}

/// Gives a weight to the three texels that meet at a corner, in place of
/// `missing`, which does not exist.
static void shareWeight(Quad &quad, unsigned missing, unsigned weight) {
  unsigned third = (2 * weight + 3) / 6;
  quad.weights[missing ^ 1] += third;
  quad.weights[missing ^ 2] += third;
  quad.weights[missing ^ 3] += weight - 2 * third;
}

/// Loads the texels of a seamless cube, some of which may lie on other faces.
/// \returns the texel that does not exist, if there is one.
std::optional<unsigned>
TextureReader::loadAcrossEdges(unsigned level, unsigned face, const Taps &x,
                               const Taps &y, Quad &quad) {
  std::optional<unsigned> missing;
  for (unsigned i = 0; i < 4; ++i) {
    std::optional<FaceTexel> at = findAcrossEdges(
        {face, x.index[i & 1], y.index[i >> 1]}, texture.level[level].width);
    if (at)
      quad.texels[i] =
          loader.load(level, at->x, at->y, sliceOf(at->face), 0, border);
    else
      missing = i;
  }
  return missing;
}

/// The axes of a point on a cube's face.
static std::array<Axis, 2>
axesOnFace(const FacePoint &p, const PtxjitSampler &sampler, uint32_t width) {
  return {
      Axis{width, sampler.addressModes[0], placeOnFace(p.s, p.major, width)},
      Axis{width, sampler.addressModes[1], placeOnFace(p.t, p.major, width)}};
}

void TextureReader::addFace(unsigned level, unsigned weight,
                            SmallVectorImpl<Quad> &quads) {
  FacePoint p = projectToFace(direction());
  auto [x, y] = axesOnFace(p, sampler, texture.level[level].width);
  if (sampler.isLinear && sampler.isSeamless) {
    Taps tapsX = findUnbounded(x), tapsY = findUnbounded(y);
    Quad quad{};
    quad.weights = splitWeight(weight, tapsX.fraction, tapsY.fraction);
    if (auto missing = loadAcrossEdges(level, p.face, tapsX, tapsY, quad))
      shareWeight(quad, *missing, std::exchange(quad.weights[*missing], 0));
    quads.push_back(quad);
    return;
  }
  if (sampler.isSeamless) // the edges belong to the face
    x.mode = y.mode = PTXJIT_ADDRESS_CLAMP;
  quads.push_back(
      loadQuad(level, findTaps(x), findTaps(y), sliceOf(p.face), weight));
}

/// Adds the texels that count on a level.
void TextureReader::addLevel(unsigned level, unsigned weight,
                             SmallVectorImpl<Quad> &quads) {
  if (place.isCube())
    return addFace(level, weight, quads);
  Taps x = findTaps(axisOf(0, level)), y = findTaps(axisOf(1, level));
  if (place.geometry != Geometry::D3) {
    quads.push_back(loadQuad(level, x, y, sliceOf(0), weight));
    return;
  }
  Taps z = findTaps(axisOf(2, level));
  std::array<unsigned, 2> weights = splitSlices(weight, z.fraction);
  for (unsigned i = 0; i < 2; ++i)
    quads.push_back(loadQuad(level, x, y, z.index[i], weights[i]));
}

std::array<uint32_t, 4> TextureReader::sample() {
  if (!place.isFloat)
    return fetch();
  if (texture.shape == PTXJIT_IMAGE_LINEAR) {
    // Chosen: the hardware reads 0.
    Axis axis = makeAxis(place.at[0], texture.level[0].width,
                         PTXJIT_ADDRESS_BORDER, /*isNormalized=*/false);
    axis.position += place.offsets[0] * (FixedPosition(1) << kPositionBits);
    int64_t x = findNearest(axis).index[0];
    return convert(loader.load(0, x, 0, 0, 0, Texel{}));
  }
  FixedLevel at = chooseLevel();
  if (!sampler.isMipLinear)
    at = (at + 128) >> 8 << 8;
  auto level = unsigned(at >> 8), fraction = unsigned(at & 255);
  assert(level + (fraction > 0) < texture.levels && "the level was clamped");
  SmallVector<Quad, 4> quads;
  addLevel(level, 256 - fraction, quads);
  if (fraction)
    addLevel(level + 1, fraction, quads);
  if (!sampler.isLinear && !fraction)
    return convert(quads.front().texels.front());
  std::array<uint32_t, 4> channels;
  for (unsigned c = 0; c < 4; ++c)
    channels[c] = mixChannel(texture, quads, c);
  return channels;
}

//===----------------------------------------------------------------------===//
// Gathering
//===----------------------------------------------------------------------===//

std::array<uint32_t, 4> TextureReader::gather(unsigned channel) {
  unsigned level = unsigned((chooseLevel() + 128) >> 8);
  Quad quad{};
  std::optional<unsigned> missing;
  if (!place.isCube()) {
    quad = loadQuad(level, findGathered(axisOf(0, level)),
                    findGathered(axisOf(1, level)), sliceOf(0), 256);
  } else {
    FacePoint p = projectToFace(direction());
    auto [x, y] = axesOnFace(p, sampler, texture.level[level].width);
    if (sampler.isSeamless)
      missing = loadAcrossEdges(level, p.face, findUnbounded(x),
                                findUnbounded(y), quad);
    else
      quad = loadQuad(level, findGathered(x), findGathered(y), sliceOf(p.face),
                      256);
  }
  std::array<uint32_t, 4> gathered;
  constexpr unsigned kOrder[4] = {2, 3, 1, 0}; // ISA: "tld4"
  for (unsigned i = 0; i < 4; ++i) {
    // Fractions of 8 bits with a sign go through the filter.
    bool isFiltered = texture.isFraction && texture.type == PTXJIT_TEXEL_S8;
    if (kOrder[i] != missing && !isFiltered) {
      gathered[i] = convertChannel(texture, quad.texels[kOrder[i]], channel);
      continue;
    }
    Quad mixed = quad;
    mixed.weights = {};
    if (kOrder[i] == missing) // the others stand for it
      shareWeight(mixed, *missing, 256);
    else
      mixed.weights[kOrder[i]] = 256;
    gathered[i] = mixChannel(texture, mixed, channel);
  }
  return gathered;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The sampler of a read. A separate one may be a `.samplerref` variable, or
/// that of another texture. It leaves to the texture whether coordinates are
/// normalised.
FailureOr<PtxjitSampler> Cta::findSampler(Thread &t, Operation &op,
                                          const TextureAccess &access,
                                          const PtxjitTexture &texture) {
  if (!access.sampler)
    return texture.sampler;
  FailureOr<OpaqueHandle> found = findOpaque(t, op, access.sampler);
  if (failed(found))
    return failure();
  PtxjitSampler sampler = found->sampler;
  sampler.isNormalized =
      texture.sampler.isNormalized && !sampler.forcesUnnormalized;
  return sampler;
}

/// Cuts an offset to the bits that the instruction has for it.
static int64_t cutOffset(int64_t offset, bool isGather) {
  return isGather ? llvm::SignExtend64<6>(uint64_t(offset))
                  : llvm::SignExtend64<4>(uint64_t(offset));
}

/// Writes the components, of which a register may hold two, and the predicate.
template <typename ReadOp>
LogicalResult Cta::readTexture(Thread &t, ReadOp op) {
  constexpr bool kIsGather = std::is_same_v<ReadOp, Tld4Op>;
  TextureAccess access = op.getAccess();
  FailureOr<OpaqueHandle> found = findOpaque(t, *op, access.handle);
  if (failed(found))
    return failure();
  const PtxjitTexture &texture = found->image;
  FailureOr<PtxjitSampler> sampler = findSampler(t, *op, access, texture);
  if (failed(sampler))
    return failure();
  TexturePlace place = placeInTexture(t, access);
  if constexpr (!kIsGather)
    place.mode = op.getLevel();
  for (int64_t &offset : place.offsets)
    offset = cutOffset(offset, kIsGather);
  std::array<uint32_t, 4> channels{};
  if (found->hasTexture() && isTextureOf(access.geometry, texture)) {
    TextureReader reader(texture, *sampler, place, probe);
    if constexpr (kIsGather)
      channels = reader.gather(unsigned(op.getComponent()));
    else
      channels = reader.sample();
    if (std::optional<uint64_t> bad = reader.badAddress())
      return op->emitError() << "illegal memory access 0x"
                             << llvm::utohexstr(*bad, /*LowerCase=*/true);
  }
  ScalarType type = op.getTy();
  bool isPair = type == ScalarType::F16x2;
  bool isHalf = isPair || type == ScalarType::F16;
  unsigned registers = isPair ? 2 : 4;
  auto component = [&](unsigned c) -> Bits {
    return isHalf ? narrowToHalf(channels[c]) : channels[c];
  };
  for (auto [i, result] : llvm::enumerate(op.getD())) {
    if (i >= registers) // the texels are in memory
      set(t, result, 1);
    else
      set(t, result,
          isPair ? component(2 * i) | component(2 * i + 1) << 16
                 : component(i));
  }
  return success();
}

/// Runs an op of textures or surfaces. \returns whether it is one.
FailureOr<bool> Cta::textureOp(Thread &t, Operation &op) {
  auto done = [](LogicalResult result) -> FailureOr<bool> {
    if (failed(result))
      return failure();
    return true;
  };
  if (auto tex = dyn_cast<TexOp>(op))
    return done(readTexture(t, tex));
  if (auto tld4 = dyn_cast<Tld4Op>(op))
    return done(readTexture(t, tld4));
  if (auto txq = dyn_cast<TxqOp>(op))
    return done(queryTexture(t, op, txq.getAccess(), txq.getQuery(),
                             /*isSurface=*/false));
  if (auto suq = dyn_cast<SuqOp>(op))
    return done(queryTexture(t, op, suq.getAccess(), suq.getQuery(),
                             /*isSurface=*/true));
  if (auto istypep = dyn_cast<IstypepOp>(op))
    return done(isOpaque(t, istypep));
  return surfaceOp(t, op);
}
