//===- Buffers.cpp - typed data for kernel arguments ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace ptxjit;

std::optional<ElementType> ptxjit::parseElementType(const std::string &text) {
  if (text.size() < 2)
    return std::nullopt;
  ElementType type;
  type.name = text;
  std::string bits = text.substr(1);
  switch (text[0]) {
  case 'u':
  case 'b':
    type.kind = ElementType::Unsigned;
    break;
  case 's':
  case 'i':
    type.kind = ElementType::Signed;
    break;
  case 'f':
    type.kind = ElementType::Float;
    break;
  default:
    return std::nullopt;
  }
  for (unsigned n : {8u, 16u, 32u, 64u})
    if (bits == std::to_string(n))
      type.bytes = n / 8;
  bool known = bits == std::to_string(type.bytes * 8);
  if (!known || (type.kind == ElementType::Float && type.bytes < 4))
    return std::nullopt;
  return type;
}

bool ptxjit::parseElement(const ElementType &type, const std::string &text,
                          uint64_t &bits) {
  const char *begin = text.c_str();
  char *end = nullptr;
  errno = 0;
  if (text.empty())
    return false;
  if (type.kind == ElementType::Float) {
    if (text.rfind("0f", 0) == 0 || text.rfind("0d", 0) == 0) { // PTX bits
      bits = std::strtoull(begin + 2, &end, 16);
      return *end == 0;
    }
    if (type.bytes == 4) {
      float f = std::strtof(begin, &end);
      uint32_t raw;
      std::memcpy(&raw, &f, 4);
      bits = raw;
    } else {
      double d = std::strtod(begin, &end);
      std::memcpy(&bits, &d, 8);
    }
    return *end == 0;
  }
  if (text[0] == '-') {
    int64_t value = std::strtoll(begin, &end, 0);
    int64_t least =
        type.bytes == 8 ? INT64_MIN : -(int64_t(1) << (type.bytes * 8 - 1));
    bits = uint64_t(value) & (~0ull >> (64 - type.bytes * 8));
    return *end == 0 && errno == 0 && value >= least;
  }
  bits = std::strtoull(begin, &end, 0);
  return *end == 0 && errno == 0 &&
         (type.bytes == 8 || bits >> (type.bytes * 8) == 0);
}

static double toDouble(const ElementType &type, uint64_t bits) {
  if (type.bytes == 8) {
    double d;
    std::memcpy(&d, &bits, 8);
    return d;
  }
  float f;
  uint32_t raw = uint32_t(bits);
  std::memcpy(&f, &raw, 4);
  return f;
}

static int64_t signExtend(const ElementType &type, uint64_t bits) {
  unsigned shift = 64 - type.bytes * 8;
  return int64_t(bits << shift) >> shift;
}

std::string ptxjit::formatElement(const ElementType &type, uint64_t bits) {
  char text[64];
  if (type.kind == ElementType::Float)
    std::snprintf(text, sizeof text, type.bytes == 4 ? "%.9g" : "%.17g",
                  toDouble(type, bits));
  else if (type.kind == ElementType::Signed)
    std::snprintf(text, sizeof text, "%" PRId64, signExtend(type, bits));
  else
    std::snprintf(text, sizeof text, "%" PRIu64, bits);
  return text;
}

/// Maps the bits of a float to an integer, in the order of the floats:
/// neighbours differ by 1.
static int64_t ordered(const ElementType &type, uint64_t bits) {
  int64_t v = signExtend(type, bits);
  return v < 0 ? (type.bytes == 4 ? int64_t(INT32_MIN) : INT64_MIN) - v : v;
}

bool ptxjit::isClose(const ElementType &type, uint64_t got, uint64_t want,
                     const Tolerance &tolerance) {
  if (got == want)
    return true;
  if (type.kind != ElementType::Float) {
    if (tolerance.exact())
      return false;
    double a = type.kind == ElementType::Signed ? double(signExtend(type, got))
                                                : double(got);
    double b = type.kind == ElementType::Signed ? double(signExtend(type, want))
                                                : double(want);
    return std::fabs(a - b) <=
           tolerance.absolute + tolerance.relative * std::fabs(b);
  }
  double a = toDouble(type, got), b = toDouble(type, want);
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  if (tolerance.exact())
    return false;
  if (tolerance.ulps) {
    int64_t x = ordered(type, got), y = ordered(type, want);
    uint64_t distance =
        x > y ? uint64_t(x) - uint64_t(y) : uint64_t(y) - uint64_t(x);
    if (distance <= tolerance.ulps)
      return true;
  }
  // A part of infinity is infinite, too: every number would be near enough.
  if (std::isinf(b))
    return false;
  return std::fabs(a - b) <=
         tolerance.absolute + tolerance.relative * std::fabs(b);
}

bool TypedBuffer::allocate(bool isLow) {
  if (count > (uint64_t(1) << 40)) // bytes() could overflow
    return false;
  auto allocated = Buffer<uint8_t>::allocate(bytes(), isLow);
  if (allocated)
    memory = *allocated;
  return bool(allocated);
}
uint64_t TypedBuffer::get(uint64_t index) const {
  uint64_t bits = 0;
  std::memcpy(&bits, memory.data() + index * type.bytes, type.bytes);
  return bits;
}
void TypedBuffer::set(uint64_t index, uint64_t bits) {
  std::memcpy(memory.data() + index * type.bytes, &bits, type.bytes);
}

/// The generator splitmix64.
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static uint64_t fromDouble(const ElementType &type, double value) {
  uint64_t bits = 0;
  if (type.kind != ElementType::Float)
    return uint64_t(int64_t(value));
  if (type.bytes == 8) {
    std::memcpy(&bits, &value, 8);
  } else {
    float f = float(value);
    std::memcpy(&bits, &f, 4);
  }
  return bits;
}

bool ptxjit::fillBuffer(TypedBuffer &buffer, const std::string &text,
                        std::string &error) {
  auto argumentOf = [&](const std::string &name, std::string &argument) {
    if (text.rfind(name + "(", 0) != 0 || text.back() != ')')
      return false;
    argument = text.substr(name.size() + 1, text.size() - name.size() - 2);
    return true;
  };
  std::string argument;
  if (text.empty() || text == "zero")
    return true;
  if (text == "iota") {
    for (uint64_t i = 0; i < buffer.count; ++i)
      buffer.set(i, buffer.type.kind == ElementType::Float
                        ? fromDouble(buffer.type, double(i))
                        : i);
    return true;
  }
  if (argumentOf("const", argument)) {
    uint64_t bits;
    if (!parseElement(buffer.type, argument, bits)) {
      error = "'" + argument + "' is not a " + buffer.type.name;
      return false;
    }
    for (uint64_t i = 0; i < buffer.count; ++i)
      buffer.set(i, bits);
    return true;
  }
  if (text == "random" || argumentOf("random", argument)) {
    uint64_t seed =
        argument.empty() ? 1 : std::strtoull(argument.c_str(), 0, 0);
    for (uint64_t i = 0; i < buffer.count; ++i) {
      uint64_t r = mix(seed * 0x2545f4914f6cdd1du + i);
      buffer.set(i, buffer.type.kind == ElementType::Float
                        ? fromDouble(buffer.type, double(r >> 11) * 0x1p-53)
                        : r);
    }
    return true;
  }
  error = "'" + text +
          "' is not a way to fill a buffer; expected zero, iota, const(V), "
          "random(SEED) or @FILE";
  return false;
}

bool ptxjit::readFile(TypedBuffer &buffer, const std::string &path,
                      std::string &error) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file) {
    error = path + ": " + std::strerror(errno);
    return false;
  }
  size_t got = std::fread(buffer.memory.data(), 1, buffer.bytes(), file);
  std::fclose(file);
  if (got == buffer.bytes())
    return true;
  error = path + " holds " + std::to_string(got) + " bytes, the buffer has " +
          std::to_string(buffer.bytes());
  return false;
}

bool ptxjit::writeFile(const TypedBuffer &buffer, const std::string &path,
                       std::string &error) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  bool ok = file && std::fwrite(buffer.memory.data(), 1, buffer.bytes(),
                                file) == buffer.bytes();
  if (file && std::fclose(file) != 0)
    ok = false;
  if (!ok)
    error = path + ": " + std::strerror(errno);
  return ok;
}
