//===- Texture.cpp - textures over memory of the program ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Impl.h"
#include "ptxjit/Runtime/TextureTable.h"

#include <algorithm>
#include <string_view>

using namespace ptxjit;
using Shape = TextureConfig::Shape;

struct PTXJIT_LOCAL Texture::Impl {
  uint64_t handle = 0;
  ~Impl() { destroyTexture(handle); }
};

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

namespace {
struct ChannelType {
  std::string_view name;
  PtxjitTexelType type;
  uint32_t bytes;
};
} // namespace

static constexpr ChannelType kChannelTypes[] = {
    {"u8", PTXJIT_TEXEL_U8, 1},   {"u16", PTXJIT_TEXEL_U16, 2},
    {"u32", PTXJIT_TEXEL_U32, 4}, {"s8", PTXJIT_TEXEL_S8, 1},
    {"s16", PTXJIT_TEXEL_S16, 2}, {"s32", PTXJIT_TEXEL_S32, 4},
    {"f16", PTXJIT_TEXEL_F16, 2}, {"f32", PTXJIT_TEXEL_F32, 4}};

static const ChannelType *findType(const std::string &name) {
  const auto *found =
      std::find_if(std::begin(kChannelTypes), std::end(kChannelTypes),
                   [&](const ChannelType &t) { return t.name == name; });
  return found == std::end(kChannelTypes) ? nullptr : found;
}

/// The largest extents of memory, and of images, whose places are counted in
/// 256ths of a texel.
static constexpr uint32_t kMostLinear = 1u << 27, kMostExtent = 1u << 17;
/// The largest number of texels of an image, and of bytes between samples.
static constexpr uint64_t kMostTexels = 1ull << 40,
                          kMostSampleBytes = UINT32_MAX;

/// Are extents, layers and samples such that no size overflows?
static bool isSmallEnough(const TextureConfig &config, uint32_t texelBytes) {
  uint32_t most = config.shape == Shape::Linear ? kMostLinear : kMostExtent;
  for (uint32_t extent : {config.width, config.height, config.depth})
    if (extent > most)
      return false;
  uint64_t texels = uint64_t(config.width) * config.height * config.depth;
  uint64_t layers = std::max(config.layers, 1u);
  return texels <= kMostTexels &&
         (config.samples == 1 ||
          texels * layers <= kMostSampleBytes / texelBytes);
}

/// Are the values those of their types? Bindings of other languages convert
/// numbers to them.
static bool areEnumerators(const TextureConfig &config) {
  for (TextureConfig::Address mode : config.address)
    if (int(mode) < PTXJIT_ADDRESS_WRAP ||
        mode > TextureConfig::Address::Border)
      return false;
  return config.shape >= Shape::Linear && config.shape <= Shape::Cube;
}

/// What is wrong with a configuration; null: nothing.
static const char *findMistake(const TextureConfig &config) {
  auto isBetween = [](uint32_t n, uint32_t least, uint32_t most) {
    return n >= least && n <= most;
  };
  Shape shape = config.shape;
  const ChannelType *type = findType(config.type);
  if (!type)
    return "unknown type of channels";
  if (!areEnumerators(config))
    return "unknown shape or address mode";
  if (config.channels != 1 && config.channels != 2 && config.channels != 4)
    return "a texel has 1, 2 or 4 channels";
  if (!config.width || !config.height || !config.depth)
    return "an extent is 0";
  bool isFlat = shape == Shape::Linear || shape == Shape::D1;
  if (isFlat && config.height != 1)
    return "one dimension has no height";
  if (shape != Shape::D3 && config.depth != 1)
    return "only three dimensions have a depth";
  if (shape == Shape::Cube && config.width != config.height)
    return "the faces of a cube are squares";
  if (config.layers && (shape == Shape::Linear || shape == Shape::D3 ||
                        !isBetween(config.layers, 1, 1u << 16)))
    return "the image has no layers, or too many";
  uint32_t longest = std::max({config.width, config.height, config.depth});
  if (!isBetween(config.levels, 1, PTXJIT_MOST_LEVELS) ||
      longest >> (config.levels - 1) == 0)
    return "no level, or more than the extents have";
  if (!isBetween(config.samples, 1, 16) ||
      (config.samples > 1 && (shape != Shape::D2 || config.levels > 1)))
    return "the image has no samples, or too many";
  if (!isSmallEnough(config, type->bytes * config.channels))
    return "the image is too large";
  return nullptr;
}

static PtxjitSampler makeSampler(const TextureConfig &config) {
  PtxjitSampler sampler{};
  for (int i = 0; i < 3; ++i)
    sampler.addressModes[i] = uint8_t(config.address[i]);
  sampler.isLinear = config.isLinear;
  sampler.isMipLinear = config.isMipLinear;
  sampler.isNormalized = config.isNormalized;
  sampler.isSeamless = config.isSeamless;
  sampler.maxAnisotropy = uint8_t(std::min(config.maxAnisotropy, 16u));
  sampler.levelBias = config.levelBias;
  sampler.minLevel = config.minLevel;
  sampler.maxLevel = config.maxLevel;
  std::copy_n(config.border, 4, sampler.border);
  return sampler;
}

/// Fills `texture` for texels from address `texels` on. \returns their bytes.
/// \pre !findMistake(config)
static uint64_t layOut(const TextureConfig &config, uint64_t texels,
                       PtxjitTexture &texture) {
  static constexpr PtxjitImageShape kShapes[] = {
      PTXJIT_IMAGE_LINEAR, PTXJIT_IMAGE_1D, PTXJIT_IMAGE_2D, PTXJIT_IMAGE_3D,
      PTXJIT_IMAGE_CUBE};
  const ChannelType &type = *findType(config.type);
  uint64_t texelBytes = uint64_t(type.bytes) * config.channels, bytes = 0;
  uint32_t layers = std::max(config.layers, 1u);
  uint32_t images = layers * (config.shape == Shape::Cube ? 6 : 1);
  texture.kind =
      config.isSurface ? PTXJIT_OPAQUE_SURFACE : PTXJIT_OPAQUE_TEXTURE;
  texture.shape = kShapes[int(config.shape)];
  texture.isLayered = config.layers > 0;
  texture.type = type.type;
  texture.channels = uint8_t(config.channels);
  texture.levels = uint8_t(config.levels);
  texture.samples = uint8_t(config.samples);
  bool isSmall = type.bytes <= 2 && type.type != PTXJIT_TEXEL_F16;
  texture.isFraction = config.isFraction && isSmall;
  texture.isSRGB =
      config.isSRGB && !config.isSurface && type.type == PTXJIT_TEXEL_U8;
  texture.layers = layers;
  texture.sampler = makeSampler(config);
  for (uint32_t i = 0; i < config.levels; ++i) {
    PtxjitImageLevel &level = texture.level[i];
    level.width = std::max(config.width >> i, 1u);
    level.height = std::max(config.height >> i, 1u);
    level.depth = std::max(config.depth >> i, 1u);
    level.texels = texels + bytes;
    level.rowBytes = level.width * texelBytes;
    level.sliceBytes = level.rowBytes * level.height;
    bytes += level.sliceBytes * level.depth * images;
  }
  texture.sampleBytes = uint32_t(bytes);
  return bytes * config.samples;
}

//===----------------------------------------------------------------------===//
// Textures
//===----------------------------------------------------------------------===//

size_t Texture::countBytes(const TextureConfig &config) {
  PtxjitTexture texture{};
  return findMistake(config) ? 0 : layOut(config, 0, texture);
}

Result<Texture> Texture::create(void *texels, const TextureConfig &config) {
  if (const char *mistake = findMistake(config))
    return Error(ErrorCode::InvalidArgument, mistake);
  PtxjitTexture description{};
  layOut(config, reinterpret_cast<uint64_t>(texels), description);
  auto impl = std::make_shared<Impl>();
  impl->handle = createTexture(description);
  if (!impl->handle)
    return Error(ErrorCode::OutOfMemory, "there is no room for a texture");
  Texture texture;
  texture.impl = std::move(impl);
  return texture;
}

uint64_t Texture::getHandle() const { return impl ? impl->handle : 0; }

Error Module::bindTexture(const std::string &name,
                          const Texture &texture) const {
  auto variable = getVariable(name);
  if (!variable)
    return variable.getError();
  auto &opaque = *static_cast<PtxjitOpaque *>(*variable);
  if (opaque.kind != PTXJIT_OPAQUE_TEXREF &&
      opaque.kind != PTXJIT_OPAQUE_SAMPLERREF &&
      opaque.kind != PTXJIT_OPAQUE_SURFREF)
    return Error(ErrorCode::NotFound,
                 "'" + name + "' is no .texref, .samplerref or .surfref");
  opaque.bound = texture.getHandle();
  if (opaque.kind == PTXJIT_OPAQUE_SAMPLERREF)
    if (const PtxjitTexture *bound = findTexture(opaque.bound))
      opaque.sampler = bound->sampler;
  return Error();
}
