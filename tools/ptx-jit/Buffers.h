//===- Buffers.h - typed data for kernel arguments --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types, buffers of them in memory that kernels reach, and conversions
// of their values from and to text and files.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_BUFFERS_H
#define PTXJIT_TOOLS_BUFFERS_H

#include "ptxjit/ptxjit.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ptxjit {

/// Element type as written in arguments: u8 … s64 (also i8 … i64, b8 … b64),
/// f32, f64.
struct ElementType {
  enum Kind { Unsigned, Signed, Float } kind = Unsigned;
  unsigned bytes = 4;
  std::string name;
};
std::optional<ElementType> parseElementType(const std::string &text);

/// Reads one number in C's notation (also hex floats, inf and nan), or a float
/// as PTX's bits (0f..., 0d...). The value goes to the low bytes of `bits`.
/// Returns false if `text` is malformed, or an integer is out of range; floats
/// out of range become infinite.
bool parseElement(const ElementType &type, const std::string &text,
                  uint64_t &bits);
std::string formatElement(const ElementType &type, uint64_t bits);

/// How far a result may be from the expected value.
struct Tolerance {
  double relative = 0, absolute = 0;
  uint64_t ulps = 0;
  bool exact() const { return relative == 0 && absolute == 0 && ulps == 0; }
};
/// Compares two elements. They are close if their bits are equal, both are NaN,
/// or they differ by at most absolute + relative * |want| or, for floats, by
/// `ulps`. Without a tolerance -0 differs from +0.
bool isClose(const ElementType &type, uint64_t got, uint64_t want,
             const Tolerance &tolerance);

/// An array of elements in memory whose edges are watched.
struct TypedBuffer {
  ElementType type;
  uint64_t count = 0;
  Buffer<uint8_t> memory;

  /// `isLow`: as in Buffer. \returns false if there is not enough memory.
  bool allocate(bool isLow = false);
  uint64_t get(uint64_t index) const;
  void set(uint64_t index, uint64_t bits);
  uint64_t bytes() const { return count * type.bytes; }
};

/// Fills a new, zeroed buffer as `text` says: zero (or empty), iota, const(V),
/// random or random(SEED). Returns false if `text` is none of them or V is not
/// of the buffer's type.
bool fillBuffer(TypedBuffer &buffer, const std::string &text,
                std::string &error);
/// Reads and writes raw bytes; the file must not be shorter than the buffer.
bool readFile(TypedBuffer &buffer, const std::string &path, std::string &error);
bool writeFile(const TypedBuffer &buffer, const std::string &path,
               std::string &error);

} // namespace ptxjit

#endif
