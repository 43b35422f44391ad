//===- Texels.cpp - formats of texels -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Texels.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace ptxjit;

static uint32_t bitsOf(float value) {
  return __builtin_bit_cast(uint32_t, value);
}

//===----------------------------------------------------------------------===//
// Half precision
//===----------------------------------------------------------------------===//

float ptxjit::halfToFloat(uint16_t half) {
  uint32_t magnitude = uint32_t(half & 0x7fff) << 13;
  bool isFinite = (half & 0x7c00) != 0x7c00;
  // The exponent's bias differs by 112. The product is right for subnormals,
  // too.
  float value = isFinite ? __builtin_bit_cast(float, magnitude) * 0x1p112f
                         : __builtin_bit_cast(float, magnitude | 0x7f800000u);
  return half & 0x8000 ? -value : value;
}

uint16_t ptxjit::floatToHalf(float value) {
  auto bits = __builtin_bit_cast(uint32_t, value);
  auto sign = uint16_t(bits >> 16 & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return 0x7fff;             // the one NaN of GPUs
  if (magnitude >= 0x477ff000) // rounds to 65536 or more
    return sign | 0x7c00;
  if (magnitude < 0x38800000) { // subnormal: in units of 2^-24
    float units = __builtin_bit_cast(float, magnitude) * 0x1p24f;
    return sign | uint16_t(std::nearbyint(units));
  }
  magnitude += 0xfff + (magnitude >> 13 & 1);
  return sign | uint16_t((magnitude >> 13) - (112 << 10));
}

/// Rounds towards 0, and finite numbers stay finite: so do surfaces. A NaN
/// keeps the upper bits of its payload.
static uint16_t truncateToHalf(float value) {
  auto bits = __builtin_bit_cast(uint32_t, value);
  auto sign = uint16_t(bits >> 16 & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) {
    auto payload = uint16_t(magnitude >> 13 & 0x3ff);
    return sign | 0x7c00 | (payload ? payload : 0x200);
  }
  if (magnitude == 0x7f800000)
    return sign | 0x7c00;
  if (magnitude >= 0x47800000)
    return sign | 0x7bff;
  if (magnitude < 0x38800000)
    return sign | uint16_t(__builtin_bit_cast(float, magnitude) * 0x1p24f);
  return sign | uint16_t((magnitude >> 13) - (112 << 10));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// What an H100 makes of the 256 values of an sRGB channel, in units of 2^-16.
static constexpr uint32_t kLinearOfSRGB[256] = {
    0,     20,    40,    60,    80,    100,   120,   140,   160,   180,   200,
    220,   240,   264,   288,   312,   340,   368,   396,   428,   460,   492,
    524,   560,   600,   636,   676,   720,   760,   804,   852,   896,   944,
    1000,  1048,  1104,  1160,  1216,  1272,  1328,  1392,  1456,  1520,  1584,
    1648,  1720,  1792,  1864,  1936,  2016,  2096,  2176,  2256,  2336,  2416,
    2496,  2592,  2688,  2768,  2864,  2960,  3056,  3152,  3264,  3360,  3456,
    3584,  3680,  3776,  3904,  4000,  4128,  4256,  4352,  4480,  4608,  4736,
    4864,  4992,  5120,  5248,  5408,  5536,  5664,  5824,  5952,  6112,  6240,
    6400,  6560,  6688,  6848,  7008,  7168,  7328,  7488,  7680,  7808,  8000,
    8192,  8320,  8512,  8704,  8896,  9088,  9280,  9472,  9664,  9856,  10048,
    10240, 10432, 10624, 10816, 11008, 11264, 11456, 11648, 11904, 12096, 12288,
    12544, 12736, 12992, 13184, 13440, 13696, 13888, 14144, 14400, 14656, 14848,
    15104, 15360, 15616, 15872, 16128, 16384, 16640, 16896, 17152, 17408, 17664,
    18048, 18304, 18560, 18816, 19072, 19456, 19712, 19968, 20224, 20608, 20864,
    21120, 21504, 21760, 22144, 22400, 22784, 23040, 23296, 23680, 24064, 24320,
    24704, 24960, 25344, 25600, 25984, 26368, 26752, 27008, 27392, 27776, 28032,
    28416, 28800, 29184, 29568, 29952, 30336, 30720, 30976, 31488, 31744, 32256,
    32512, 33024, 33280, 33792, 34048, 34560, 35072, 35328, 35840, 36096, 36608,
    37120, 37376, 37888, 38400, 38656, 39168, 39680, 39936, 40448, 40960, 41216,
    41728, 42240, 42752, 43264, 43520, 44032, 44544, 45056, 45568, 45824, 46336,
    46848, 47360, 47872, 48384, 48896, 49408, 49920, 50432, 50944, 51456, 51968,
    52480, 52992, 53504, 54016, 54528, 55040, 55552, 56064, 56576, 57088, 57600,
    58112, 58624, 59392, 59904, 60416, 60928, 61440, 61952, 62464, 62976, 64000,
    64512, 65024, 65536};

template <typename Channel> static Channel load(const char *place) {
  Channel channel;
  std::memcpy(&channel, place, sizeof(channel));
  return channel;
}

/// A channel as a 32-bit integer, or as the bits of a float.
static uint32_t decodeChannel(uint8_t type, const char *place) {
  switch (type) {
  case PTXJIT_TEXEL_U8:
    return load<uint8_t>(place);
  case PTXJIT_TEXEL_U16:
    return load<uint16_t>(place);
  case PTXJIT_TEXEL_S8:
    return uint32_t(load<int8_t>(place));
  case PTXJIT_TEXEL_S16:
    return uint32_t(load<int16_t>(place));
  case PTXJIT_TEXEL_F16:
    return bitsOf(halfToFloat(load<uint16_t>(place)));
  default:
    return load<uint32_t>(place);
  }
}

ChannelKind ptxjit::kindOfChannel(const PtxjitTexture &texture,
                                  unsigned channel) {
  if (isCurved(texture, channel))
    return ChannelKind::Half;
  if (texture.isFraction)
    return ChannelKind::Fraction;
  switch (texture.type) {
  case PTXJIT_TEXEL_F32:
    return ChannelKind::Float;
  case PTXJIT_TEXEL_F16:
    return ChannelKind::Half;
  default:
    return ChannelKind::Integer;
  }
}

void ptxjit::readTexel(const PtxjitTexture &texture, const char *place,
                       uint32_t *channels) {
  unsigned bytes = bytesOfChannel(texture.type);
  for (unsigned c = 0; c < texture.channels; ++c) {
    channels[c] = decodeChannel(texture.type, place + c * bytes);
    if (isCurved(texture, c))
      channels[c] = bitsOf(float(kLinearOfSRGB[channels[c]]) * 0x1p-16f);
  }
}

uint32_t ptxjit::finishChannel(const PtxjitTexture &texture, unsigned channel,
                               uint32_t value) {
  if (kindOfChannel(texture, channel) != ChannelKind::Fraction)
    return value;
  switch (texture.type) {
  case PTXJIT_TEXEL_U8:
    return bitsOf(float(value) / 255.0f);
  case PTXJIT_TEXEL_U16:
    return bitsOf(float(value) / 65535.0f);
  case PTXJIT_TEXEL_S8:
    return bitsOf(std::max(float(int32_t(value)) / 127.0f, -1.0f));
  default:
    return bitsOf(std::max(float(int32_t(value)) / 32767.0f, -1.0f));
  }
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

uint32_t ptxjit::integerOfFraction(uint8_t type, float fraction) {
  bool isSigned = type == PTXJIT_TEXEL_S8 || type == PTXJIT_TEXEL_S16;
  double most = type == PTXJIT_TEXEL_U8   ? 255
                : type == PTXJIT_TEXEL_S8 ? 127
                : isSigned                ? 32767
                                          : 65535;
  if (!(fraction == fraction)) // NaN
    return 0;
  double scaled =
      std::clamp(double(fraction), isSigned ? -1.0 : 0.0, 1.0) * most;
  double whole = std::ceil(std::fabs(scaled) - 0.5);
  return uint32_t(int32_t(std::copysign(whole, scaled)));
}

/// The bits that a channel is stored as.
static uint32_t encodeChannel(const PtxjitTexture &texture, uint32_t value) {
  auto asSigned = int32_t(value);
  if (texture.isFraction)
    return integerOfFraction(texture.type, __builtin_bit_cast(float, value));
  switch (texture.type) {
  case PTXJIT_TEXEL_U8:
    return std::min(value, 0xffu);
  case PTXJIT_TEXEL_U16:
    return std::min(value, 0xffffu);
  case PTXJIT_TEXEL_S8:
    return uint32_t(std::clamp(asSigned, -0x80, 0x7f));
  case PTXJIT_TEXEL_S16:
    return uint32_t(std::clamp(asSigned, -0x8000, 0x7fff));
  case PTXJIT_TEXEL_F16:
    return truncateToHalf(__builtin_bit_cast(float, value));
  default:
    return value;
  }
}

void ptxjit::writeTexel(const PtxjitTexture &texture, const uint32_t *channels,
                        char *place) {
  unsigned bytes = bytesOfChannel(texture.type);
  for (unsigned c = 0; c < texture.channels; ++c) {
    uint32_t bits = encodeChannel(texture, channels[c]);
    std::memcpy(place + c * bytes, &bits, bytes); // the low bytes
  }
}
