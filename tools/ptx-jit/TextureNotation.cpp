//===- TextureNotation.cpp - textures among test arguments ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextureNotation.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace ptxjit;
using llvm::StringRef;

namespace {
struct ShapeWord {
  StringRef name;
  TextureConfig::Shape shape;
  unsigned extents;
  bool hasLayers, hasSamples;
};
} // namespace

static constexpr unsigned kMostExtents = 3;
static const ShapeWord kShapeWords[] = {
    {"buffer", TextureConfig::Shape::Linear, 1, false, false},
    {"1d", TextureConfig::Shape::D1, 1, false, false},
    {"2d", TextureConfig::Shape::D2, 2, false, false},
    {"3d", TextureConfig::Shape::D3, 3, false, false},
    {"cube", TextureConfig::Shape::Cube, 1, false, false},
    {"a1d", TextureConfig::Shape::D1, 1, true, false},
    {"a2d", TextureConfig::Shape::D2, 2, true, false},
    {"acube", TextureConfig::Shape::Cube, 1, true, false},
    {"2dms", TextureConfig::Shape::D2, 2, false, true},
    {"a2dms", TextureConfig::Shape::D2, 2, true, true}};

/// Takes the first word of a list.
static StringRef takeWord(StringRef &list) {
  auto [word, rest] = list.split(',');
  list = rest;
  return word.trim();
}

static bool takeNumber(StringRef &list, uint32_t &number) {
  return !takeWord(list).getAsInteger(10, number);
}

/// The shape, extents, layers and samples.
static bool takeShape(StringRef &list, TextureConfig &config) {
  StringRef name = takeWord(list);
  const auto *word = llvm::find_if(
      kShapeWords, [&](const ShapeWord &w) { return w.name == name; });
  if (word == std::end(kShapeWords))
    return false;
  config.shape = word->shape;
  uint32_t *extents[kMostExtents] = {&config.width, &config.height,
                                     &config.depth};
  for (unsigned i = 0; i < word->extents; ++i)
    if (!takeNumber(list, *extents[i]))
      return false;
  if (config.shape == TextureConfig::Shape::Cube)
    config.height = config.width;
  return (!word->hasLayers || takeNumber(list, config.layers)) &&
         (!word->hasSamples || takeNumber(list, config.samples));
}

/// Words that stand for themselves.
static bool setFlag(StringRef word, TextureConfig &config) {
  bool *flag = word == "linear"       ? &config.isLinear
               : word == "miplinear"  ? &config.isMipLinear
               : word == "normalized" ? &config.isNormalized
               : word == "fraction"   ? &config.isFraction
               : word == "srgb"       ? &config.isSRGB
               : word == "seamless"   ? &config.isSeamless
                                      : nullptr;
  if (flag)
    *flag = true;
  return flag;
}

/// The address mode of dimension `number`, or of it and all later ones.
static bool setAddress(StringRef word, unsigned &number,
                       TextureConfig &config) {
  static constexpr StringRef kModes[] = {"wrap", "clamp", "mirror", "border"};
  const auto *mode = llvm::find(kModes, word);
  if (mode == std::end(kModes) || number >= kMostExtents)
    return false;
  for (unsigned i = number; i < kMostExtents; ++i)
    config.address[i] = TextureConfig::Address(mode - kModes);
  ++number;
  return true;
}

static bool readFloat(StringRef text, float &number) {
  double value;
  if (text.getAsDouble(value))
    return false;
  number = float(value);
  return true;
}

static bool setColor(StringRef text, TextureConfig &config) {
  llvm::SmallVector<StringRef, 4> parts;
  text.split(parts, ';');
  if (parts.size() != 4)
    return false;
  for (unsigned i = 0; i < 4; ++i)
    if (!readFloat(parts[i], config.border[i]))
      return false;
  return true;
}

/// NAME=VALUE
static bool setProperty(StringRef word, TextureConfig &config) {
  auto [name, value] = word.split('=');
  if (name == "levels")
    return !value.getAsInteger(10, config.levels);
  if (name == "aniso")
    return !value.getAsInteger(10, config.maxAnisotropy);
  if (name == "color")
    return setColor(value, config);
  float *number = name == "bias"       ? &config.levelBias
                  : name == "minlevel" ? &config.minLevel
                  : name == "maxlevel" ? &config.maxLevel
                                       : nullptr;
  return number && readFloat(value, *number);
}

static bool parseList(StringRef list, TextureConfig &config) {
  if (!takeShape(list, config))
    return false;
  unsigned numModes = 0;
  while (!list.empty()) {
    StringRef word = takeWord(list);
    if (word == "x2" || word == "x4")
      config.channels = word == "x2" ? 2 : 4;
    else if (word == "f16")
      config.type = "f16";
    else if (!setFlag(word, config) && !setAddress(word, numModes, config) &&
             !setProperty(word, config))
      return false;
  }
  return true;
}

bool ptxjit::takeTexture(std::string &word,
                         std::optional<TextureRequest> &request) {
  size_t at = word.rfind("]@");
  if (at == std::string::npos)
    return true;
  StringRef rest = StringRef(word).drop_front(at + 2);
  auto [kind, list] = rest.split('(');
  if (!list.consume_back(")"))
    return false;
  TextureRequest made;
  made.config.isSurface = kind == "surface" || kind == "surfref";
  if (kind == "texref" || kind == "surfref")
    made.variable = takeWord(list).str();
  else if (kind != "texture" && kind != "surface")
    return false;
  made.text = list.str();
  if (!parseList(list, made.config))
    return false;
  request = std::move(made);
  word.resize(at + 1);
  return true;
}

bool ptxjit::setChannelType(TextureRequest &request, const std::string &type) {
  if (request.config.type == "f16")
    return type == "u16";
  request.config.type = type;
  return Texture::countBytes(request.config) != 0;
}
