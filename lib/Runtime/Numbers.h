//===- Numbers.h - numbers as memory holds them -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of numbers for reductions that helpers do. `Bits` is what memory holds,
// `Value` what operations have; decode() and encode() go from one to the other.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_NUMBERS_H
#define PTXJIT_LIB_RUNTIME_NUMBERS_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace ptxjit {

template <typename T> struct IntegerNumber {
  using Bits = std::make_unsigned_t<T>;
  using Value = T;
  static Value decode(Bits bits) { return Value(bits); }
  static Bits encode(Value value) { return Bits(value); }
};

/// f32 and f64.
template <typename T, typename B> struct PlainNumber {
  using Bits = B;
  using Value = T;
  static Value decode(Bits bits) {
    Value value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  static Bits encode(Value value) {
    Bits bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }
};
using F32Number = PlainNumber<float, uint32_t>;
using F64Number = PlainNumber<double, uint64_t>;

/// f32 whose subnormal numbers are 0.
struct FlushedNumber {
  using Bits = uint32_t;
  using Value = float;
  static Value flush(Value x) {
    return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.f, x) : x;
  }
  static Value decode(Bits bits) { return flush(F32Number::decode(bits)); }
  static Bits encode(Value x) { return F32Number::encode(flush(x)); }
};

// Operations on halves are done in f32, whose digits are more than twice as
// many. So rounding twice gives the same result as rounding once.
constexpr uint16_t kHalfNaN = 0x7fff;
struct F16Number {
  using Bits = uint16_t;
  using Value = float;
  static Value decode(Bits bits) {
    return Value(PlainNumber<_Float16, uint16_t>::decode(bits));
  }
  static Bits encode(Value x) {
    return std::isnan(x) ? kHalfNaN
                         : PlainNumber<_Float16, uint16_t>::encode(_Float16(x));
  }
};
struct BF16Number {
  using Bits = uint16_t;
  using Value = float;
  static Value decode(Bits bits) {
    return F32Number::decode(uint32_t(bits) << 16);
  }
  static Bits encode(Value x) {
    if (std::isnan(x))
      return kHalfNaN;
    uint32_t bits = F32Number::encode(x);
    return Bits((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};

/// Numbers of 8 bits. A finite number that is too large becomes the largest
/// one, and so does infinity where there is none.
template <int digits, int bias, bool hasInfinity> struct QuarterNumber {
  using Bits = uint8_t;
  using Value = float;
  static constexpr Bits kNaN = 0x7f;
  static constexpr Bits kLargest = hasInfinity ? 0x7b : 0x7e;
  static constexpr Bits kInfinity = hasInfinity ? kLargest + 1 : kLargest;

  static Value decode(Bits bits) {
    Bits magnitude = bits & 0x7f;
    Value value = hasInfinity && magnitude == kInfinity
                      ? std::numeric_limits<Value>::infinity()
                  : magnitude > kInfinity
                      ? std::numeric_limits<Value>::quiet_NaN()
                      : decodeFinite(magnitude);
    return bits & 0x80 ? -value : value;
  }
  static Bits encode(Value x) {
    if (std::isnan(x))
      return kNaN;
    Bits sign = std::signbit(x) ? 0x80 : 0;
    x = std::fabs(x);
    if (std::isinf(x))
      return sign | kInfinity;
    if (x >= decode(kLargest))
      return sign | kLargest;
    int exponent;
    std::frexp(x, &exponent); // x is below 2 to the exponent
    exponent = x == 0 ? 1 - bias : std::max(exponent - 1, 1 - bias);
    // In units of the last digit, to nearest even.
    auto units = unsigned(std::nearbyint(std::ldexp(x, digits - exponent)));
    return Bits(sign + (unsigned(exponent + bias - 1) << digits) + units);
  }

private:
  static Value decodeFinite(Bits magnitude) {
    int exponent = magnitude >> digits;
    int fraction = magnitude & ((1 << digits) - 1);
    return exponent ? std::ldexp(Value((1 << digits) + fraction),
                                 exponent - bias - digits)
                    : std::ldexp(Value(fraction), 1 - bias - digits);
  }
};
using E4M3Number = QuarterNumber<3, 7, false>;
using E5M2Number = QuarterNumber<2, 15, true>;

/// The smaller of two numbers, of which a NaN is none, and -0 is below +0.
template <typename T> T least(T x, T y) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(x) || std::isnan(y))
      return std::isnan(x) ? y : x;
    if (x == y)
      return std::signbit(x) ? x : y;
  }
  return x < y ? x : y;
}
/// The larger of two numbers, likewise.
template <typename T> T greatest(T x, T y) {
  if constexpr (std::is_floating_point_v<T>)
    return -least(-x, -y);
  return x > y ? x : y;
}
/// The sum of two numbers. That of integers wraps.
template <typename T> T sumOf(T x, T y) {
  if constexpr (std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(x) + std::make_unsigned_t<T>(y));
  else
    return x + y;
}

} // namespace ptxjit

#endif
