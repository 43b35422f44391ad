//===- TextureFilter.cpp - the arithmetic of texture reads ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextureFilter.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

using namespace ptxjit;
using namespace ptxjit::reference;
using llvm::APFloat;
using llvm::ArrayRef;

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

static int64_t modulo(int64_t i, int64_t n) {
  assert(n > 0 && "extents are positive");
  int64_t rest = i % n;
  return rest < 0 ? rest + n : rest;
}

/// Moves a normalised coordinate by whole periods of its mode.
static double reducePeriod(double x, uint8_t mode) {
  if (mode == PTXJIT_ADDRESS_WRAP)
    return std::isinf(x) ? 0 : x - std::floor(x);
  if (mode == PTXJIT_ADDRESS_MIRROR)
    return std::isinf(x) ? 0 : x - 2 * std::floor(x / 2);
  return x;
}

Axis reference::makeAxis(float coordinate, uint32_t extent, uint8_t mode,
                         bool isNormalized) {
  assert(extent > 0 && "missing dimensions have extent 1");
  Axis axis{extent, mode, 0};
  double x = std::isnan(coordinate) ? 0 : coordinate;
  double one = 1 << kPositionBits;
  if (isNormalized) {
    // Beyond the limits all is outside, and the product has 50 bits.
    x = std::clamp(reducePeriod(x, mode), -4096.0, 4096.0);
    axis.position = int64_t(std::floor(x * one)) * extent;
    return axis;
  }
  if (mode == PTXJIT_ADDRESS_WRAP || mode == PTXJIT_ADDRESS_MIRROR)
    axis.mode = PTXJIT_ADDRESS_CLAMP;
  x = std::clamp(x, -0x1p30, 0x1p30);
  axis.position = int64_t(std::floor(x * one));
  return axis;
}

/// Applies the mode to the index of a texel.
static int64_t findIndex(const Axis &axis, int64_t i) {
  switch (axis.mode) {
  case PTXJIT_ADDRESS_WRAP:
    return modulo(i, axis.extent);
  case PTXJIT_ADDRESS_MIRROR:
    i = modulo(i, 2 * axis.extent);
    return std::min(i, 2 * axis.extent - 1 - i);
  case PTXJIT_ADDRESS_CLAMP:
    return std::clamp<int64_t>(i, 0, axis.extent - 1);
  default:
    return i < 0 || i >= axis.extent ? kBorder : i;
  }
}

/// `clamp_ogl`: the coordinate itself is clamped. A filter at the end then
/// takes half of the border.
static FixedPosition clampPosition(const Axis &axis) {
  if (axis.mode != PTXJIT_ADDRESS_CLAMP_OGL)
    return axis.position;
  return std::clamp<FixedPosition>(axis.position, 0,
                                   axis.extent << kPositionBits);
}

Taps reference::findNearest(const Axis &axis) {
  FixedPosition position = clampPosition(axis);
  int64_t i = position >> kPositionBits;
  if (axis.mode == PTXJIT_ADDRESS_CLAMP_OGL)
    i = std::min(i, axis.extent - 1);
  i = findIndex(axis, i);
  return {{i, i}, 0};
}

/// A texel's centre is half a texel behind its beginning. Rounds half up, to 8
/// fractional bits.
static int64_t toCentres(FixedPosition position) {
  constexpr unsigned kLost = kPositionBits - 8;
  return ((position + (FixedPosition(1) << (kLost - 1))) >> kLost) - 128;
}

static Taps makeTaps(const Axis &axis, int64_t at) {
  return {{findIndex(axis, at >> 8), findIndex(axis, (at >> 8) + 1)},
          unsigned(at & 255)};
}

Taps reference::findLinear(const Axis &axis) {
  FixedPosition position = clampPosition(axis);
  int64_t at = toCentres(position);
  if (axis.mode == PTXJIT_ADDRESS_CLAMP)
    at = std::clamp<int64_t>(at, 0, (axis.extent - 1) * 256);
  return makeTaps(axis, at);
}

Taps reference::findGathered(const Axis &axis) {
  return makeTaps(axis, toCentres(clampPosition(axis)));
}

Taps reference::findUnbounded(const Axis &axis) {
  int64_t at = toCentres(axis.position);
  return {{at >> 8, (at >> 8) + 1}, unsigned(at & 255)};
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

std::array<unsigned, 2> reference::splitSlices(unsigned total,
                                               unsigned fraction) {
  unsigned second = (total * fraction + 128) >> 8;
  return {total - second, second};
}

std::array<unsigned, 4>
reference::splitWeight(unsigned total, unsigned fractionX, unsigned fractionY) {
  auto [x0, x1] = splitSlices(total, fractionX);
  // Ties in y go to the second row for x1, to the first one for x0.
  unsigned x0y1 = (x0 * fractionY + 127) >> 8;
  unsigned x1y1 = (x1 * fractionY + 128) >> 8;
  return {x0 - x0y1, x1 - x1y1, x0y1, x1y1};
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

namespace {
enum class Number { F32, F16, SRGB, Fraction, Integer };
} // namespace

static bool isSigned(const PtxjitTexture &texture) {
  return texture.type >= PTXJIT_TEXEL_S8 && texture.type <= PTXJIT_TEXEL_S32;
}

/// Bits of a channel.
static unsigned widthOf(const PtxjitTexture &texture) {
  switch (texture.type) {
  case PTXJIT_TEXEL_U8:
  case PTXJIT_TEXEL_S8:
    return 8;
  case PTXJIT_TEXEL_U16:
  case PTXJIT_TEXEL_S16:
  case PTXJIT_TEXEL_F16:
    return 16;
  default:
    return 32;
  }
}

static Number numberOf(const PtxjitTexture &texture, unsigned channel) {
  if (texture.type == PTXJIT_TEXEL_F32)
    return Number::F32;
  if (texture.type == PTXJIT_TEXEL_F16)
    return Number::F16;
  if (!texture.isFraction || widthOf(texture) == 32)
    return Number::Integer;
  // Hardware takes the second of two channels for alpha, not for green.
  bool isColor = channel < 3 && !(channel == 1 && texture.channels == 2);
  bool isCurved = texture.isSRGB && texture.type == PTXJIT_TEXEL_U8 && isColor;
  return isCurved ? Number::SRGB : Number::Fraction;
}

/// The integer that stands for 1 in a fraction.
static int64_t oneOf(const PtxjitTexture &texture) {
  return (int64_t(1) << (widthOf(texture) - isSigned(texture))) - 1;
}

/// The curve of sRGB, times 2^14: eight significant bits, or less.
static constexpr uint16_t kLinearOfSRGB[256] = {
    0,     5,     10,    15,    20,    25,    30,    35,    40,    45,    50,
    55,    60,    66,    72,    78,    85,    92,    99,    107,   115,   123,
    131,   140,   150,   159,   169,   180,   190,   201,   213,   224,   236,
    250,   262,   276,   290,   304,   318,   332,   348,   364,   380,   396,
    412,   430,   448,   466,   484,   504,   524,   544,   564,   584,   604,
    624,   648,   672,   692,   716,   740,   764,   788,   816,   840,   864,
    896,   920,   944,   976,   1000,  1032,  1064,  1088,  1120,  1152,  1184,
    1216,  1248,  1280,  1312,  1352,  1384,  1416,  1456,  1488,  1528,  1560,
    1600,  1640,  1672,  1712,  1752,  1792,  1832,  1872,  1920,  1952,  2000,
    2048,  2080,  2128,  2176,  2224,  2272,  2320,  2368,  2416,  2464,  2512,
    2560,  2608,  2656,  2704,  2752,  2816,  2864,  2912,  2976,  3024,  3072,
    3136,  3184,  3248,  3296,  3360,  3424,  3472,  3536,  3600,  3664,  3712,
    3776,  3840,  3904,  3968,  4032,  4096,  4160,  4224,  4288,  4352,  4416,
    4512,  4576,  4640,  4704,  4768,  4864,  4928,  4992,  5056,  5152,  5216,
    5280,  5376,  5440,  5536,  5600,  5696,  5760,  5824,  5920,  6016,  6080,
    6176,  6240,  6336,  6400,  6496,  6592,  6688,  6752,  6848,  6944,  7008,
    7104,  7200,  7296,  7392,  7488,  7584,  7680,  7744,  7872,  7936,  8064,
    8128,  8256,  8320,  8448,  8512,  8640,  8768,  8832,  8960,  9024,  9152,
    9280,  9344,  9472,  9600,  9664,  9792,  9920,  9984,  10112, 10240, 10304,
    10432, 10560, 10688, 10816, 10880, 11008, 11136, 11264, 11392, 11456, 11584,
    11712, 11840, 11968, 12096, 12224, 12352, 12480, 12608, 12736, 12864, 12992,
    13120, 13248, 13376, 13504, 13632, 13760, 13888, 14016, 14144, 14272, 14400,
    14528, 14656, 14848, 14976, 15104, 15232, 15360, 15488, 15616, 15744, 16000,
    16128, 16256, 16384};

/// From this number on, a colour of sRGB is not a byte, but the bits of a
/// float.
static constexpr int64_t kBytes = 256;

static uint32_t toBits(float value) { return llvm::bit_cast<uint32_t>(value); }

/// The value of f16 bits as f32 bits. NaNs keep their payload, and signalling
/// ones stay so, which an APFloat does not allow.
static uint32_t widenHalf(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, payload = bits & 0x3ff;
  if ((bits & 0x7c00) == 0x7c00)
    return sign | 0x7f800000 | payload << 13;
  APFloat value(APFloat::IEEEhalf(), llvm::APInt(16, bits));
  return toBits(value.convertToFloat());
}

Texel reference::makeBorder(const PtxjitTexture &texture,
                            const float (&border)[4]) {
  Texel texel{};
  for (unsigned c = 0; c < texture.channels; ++c) {
    uint32_t bits = toBits(border[c]);
    switch (numberOf(texture, c)) {
    case Number::F32:
      texel[c] = bits;
      break;
    case Number::F16:
      texel[c] = narrowToHalf(bits);
      break;
    case Number::SRGB: // the border is linear
      texel[c] =
          kBytes +
          toBits(std::clamp(std::isnan(border[c]) ? 0 : border[c], 0.0f, 1.0f));
      break;
    case Number::Fraction: {
      double one = double(oneOf(texture)), low = isSigned(texture) ? -1 : 0;
      double value = std::isnan(border[c]) ? 0 : border[c];
      value = std::clamp(value, low, 1.0) * one;
      // Ties go toward zero.
      double magnitude = std::ceil(std::abs(value) - 0.5);
      texel[c] = int64_t(std::copysign(magnitude, value));
      break;
    }
    case Number::Integer: // the integer has the bits of the float
      texel[c] =
          isSigned(texture)
              ? llvm::SignExtend64(bits, widthOf(texture))
              : bits & llvm::maskTrailingOnes<uint64_t>(widthOf(texture));
      break;
    }
  }
  return texel;
}

uint32_t reference::convertChannel(const PtxjitTexture &texture,
                                   const Texel &texel, unsigned channel) {
  if (channel >= texture.channels)
    return 0;
  int64_t raw = texel[channel];
  switch (numberOf(texture, channel)) {
  case Number::F32:
  case Number::Integer:
    return uint32_t(raw);
  case Number::F16:
    return widenHalf(uint16_t(raw));
  case Number::SRGB:
    return raw < kBytes ? toBits(float(kLinearOfSRGB[raw]) / (1 << 14))
                        : uint32_t(raw - kBytes);
  case Number::Fraction:
    return toBits(std::max(float(raw) / float(oneOf(texture)), -1.0f));
  }
  llvm_unreachable("all numbers are listed");
}

uint16_t reference::narrowToHalf(uint32_t bits) {
  APFloat value(APFloat::IEEEsingle(), llvm::APInt(32, bits));
  if (value.isNaN())
    return 0x7fff;
  bool losesInfo;
  value.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &losesInfo);
  return uint16_t(value.bitcastToAPInt().getZExtValue());
}

//===----------------------------------------------------------------------===//
// Mixing
//===----------------------------------------------------------------------===//

/// The value of a channel of a floating-point format. Subnormal f32 numbers are
/// zeros.
static float valueOf(const PtxjitTexture &texture, const Texel &texel,
                     unsigned channel) {
  uint32_t bits = convertChannel(texture, texel, channel);
  if (texture.type == PTXJIT_TEXEL_F32 && !(bits & 0x7f800000))
    bits &= 0x80000000;
  return llvm::bit_cast<float>(bits);
}

namespace {
/// A sum of floating-point texels. The hardware aligns the texels of a quad to
/// the largest one and cuts what is more than `kept` bits below its leading
/// bit; sums are exact.
class FloatSum {
public:
  explicit FloatSum(unsigned kept) : kept(kept) {}

  void add(ArrayRef<float> values, ArrayRef<unsigned> weights) {
    int top = std::numeric_limits<int>::min();
    for (auto [value, weight] : llvm::zip_equal(values, weights)) {
      if (!weight)
        continue;
      addSpecial(value);
      int exponent;
      std::frexp(value, &exponent);
      if (std::isfinite(value) && value != 0)
        top = std::max(top, exponent);
    }
    if (top == std::numeric_limits<int>::min())
      return;
    int64_t sum = 0; // in units of 2^(top - kept)
    for (auto [value, weight] : llvm::zip_equal(values, weights))
      if (weight && std::isfinite(value))
        sum += int64_t(std::ldexp(double(value), int(kept) - top)) * weight;
    APFloat part(APFloat::IEEEquad());
    part.convertFromAPInt(llvm::APInt(64, uint64_t(sum), true), true,
                          APFloat::rmNearestTiesToEven);
    total.add(
        llvm::scalbn(part, top - int(kept) - 8, APFloat::rmNearestTiesToEven),
        APFloat::rmNearestTiesToEven);
  }

  /// The sum in `format`, as f32 bits. Ties go away from zero, and subnormal
  /// results become zeros.
  uint32_t round(const llvm::fltSemantics &format) const {
    if (isNaN || (isInfinite[0] && isInfinite[1]))
      return 0x7fffffff;
    if (isInfinite[0] || isInfinite[1])
      return isInfinite[1] ? 0xff800000 : 0x7f800000;
    if (total.isZero())
      return isNegative ? 0x80000000 : 0;
    APFloat value = total;
    bool losesInfo;
    value.convert(format, APFloat::rmNearestTiesToAway, &losesInfo);
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    if (value.isDenormal())
      value = APFloat::getZero(APFloat::IEEEsingle(), value.isNegative());
    return toBits(value.convertToFloat());
  }

private:
  void addSpecial(float value) {
    isNaN |= std::isnan(value);
    isInfinite[std::signbit(value)] |= std::isinf(value);
    isNegative &= std::signbit(value);
  }

  unsigned kept;
  APFloat total = APFloat::getZero(APFloat::IEEEquad());
  bool isNaN = false, isNegative = true;
  bool isInfinite[2] = {false, false};
};
} // namespace

static uint32_t mixFloats(const PtxjitTexture &texture, ArrayRef<Quad> quads,
                          unsigned channel) {
  bool isSingle = numberOf(texture, channel) == Number::F32;
  FloatSum sum(isSingle ? 28 : 15);
  for (const Quad &quad : quads) {
    std::array<float, 4> values;
    for (unsigned i = 0; i < 4; ++i)
      values[i] = valueOf(texture, quad.texels[i], channel);
    sum.add(values, quad.weights);
  }
  return sum.round(isSingle ? APFloat::IEEEsingle() : APFloat::IEEEhalf());
}

/// Fractions are mixed as numbers of 16 bits.
static uint32_t mixFractions(const PtxjitTexture &texture, int64_t sum) {
  switch (texture.type) {
  case PTXJIT_TEXEL_U8:
    return toBits(float((sum * 257 + 128) >> 8) / 65535);
  case PTXJIT_TEXEL_U16:
    return toBits(float((sum + 128) >> 8) / 65535);
  case PTXJIT_TEXEL_S8: // nearly 32767 / 127, without a division
    return toBits(std::clamp(
        float((sum * 258 + (sum >> 12) * 32 + 128) >> 8) / 32767, -1.0f, 1.0f));
  case PTXJIT_TEXEL_S16:
    return toBits(std::max(float((sum + 128) >> 8) / 32767, -1.0f));
  }
  llvm_unreachable("other types are no fractions");
}

uint32_t reference::mixChannel(const PtxjitTexture &texture,
                               ArrayRef<Quad> quads, unsigned channel) {
  if (channel >= texture.channels)
    return 0;
  Number number = numberOf(texture, channel);
  if (number != Number::Fraction && number != Number::Integer)
    return mixFloats(texture, quads, channel);
  int64_t sum = 0, weight = 0;
  for (const Quad &quad : quads)
    for (unsigned i = 0; i < 4; ++i) {
      sum += quad.texels[i][channel] * quad.weights[i];
      weight += quad.weights[i];
    }
  assert(weight == 256 && "the weights are of 256");
  (void)weight;
  if (number == Number::Fraction)
    return mixFractions(texture, sum);
  // Integers of 32 bits are rounded down, others to nearest.
  return uint32_t((sum + (widthOf(texture) == 32 ? 0 : 128)) >> 8);
}

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

FixedLevel reference::clampLevel(const PtxjitTexture &texture,
                                 const PtxjitSampler &sampler, double level) {
  assert(texture.levels > 0 && "the texture has an image");
  auto fix = [](double x) -> FixedLevel {
    double limit = 4096;
    return int64_t(
        std::floor(std::clamp(std::isnan(x) ? 0 : x, -limit, limit) * 256));
  };
  FixedLevel at = fix(level) + fix(sampler.levelBias);
  at = std::max(at, fix(sampler.minLevel));
  at = std::min(at, fix(sampler.maxLevel));
  return std::clamp<FixedLevel>(at, 0, (texture.levels - 1) * 256);
}

using Vector = std::array<double, 3>;

/// Approximates the length of a vector.
static double lengthOf(Vector v) {
  for (double &x : v)
    x = std::isnan(x) ? 0 : std::abs(x);
  llvm::sort(v);
  return v[2] + v[1] * 11 / 32 + v[0] * 8 / 32;
}

/// Approximates the larger axis of the ellipse that two vectors span.
static double findMajor(const Gradients &g) {
  Vector sum, difference;
  for (unsigned i = 0; i < 3; ++i) {
    sum[i] = g.dx[i] + g.dy[i];
    difference[i] = g.dx[i] - g.dy[i];
  }
  return std::max({lengthOf(g.dx), lengthOf(g.dy), lengthOf(sum) * 11 / 16,
                   lengthOf(difference) * 11 / 16});
}

/// The logarithm to base 2, of eight bits of the mantissa.
static double approximateLog2(double x) {
  assert(x > 0 && std::isfinite(x) && "has a logarithm");
  int exponent;
  double mantissa = std::frexp(x, &exponent) * 2; // in [1, 2)
  double bits = std::floor((mantissa - 1) * 256);
  double fraction =
      bits == 0 ? 0
                : std::floor(256 * std::log2(1 + (bits + 0.5) / 256) + 0.4685);
  return exponent - 1 + std::min(fraction, 255.0) / 256;
}

double reference::findLevel(const Gradients &g, unsigned maxAnisotropy) {
  double size = findMajor(g);
  if (maxAnisotropy > 1 && g.count < 3 && std::isfinite(size) && size > 0) {
    double area = std::abs(g.dx[0] * g.dy[1] - g.dx[1] * g.dy[0]);
    size = std::max(area / size, size / maxAnisotropy);
  }
  if (!(size > 0))
    return -std::numeric_limits<double>::infinity();
  return std::isinf(size) ? size : approximateLog2(size);
}
