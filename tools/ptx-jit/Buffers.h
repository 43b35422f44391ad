//===- Buffers.h - typed data for kernel arguments --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_BUFFERS_H
#define PTXJIT_TOOLS_BUFFERS_H

#include "WatchedMemory.h"
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

/// Reads one number in C's notation (hex floats, inf and nan too). False if
/// malformed or out of range. `bits` is little-endian, in the low bytes.
bool parseElement(const ElementType &type, const std::string &text,
                  uint64_t &bits);
std::string formatElement(const ElementType &type, uint64_t bits);

/// How far a result may be from what is expected.
struct Tolerance {
  double relative = 0, absolute = 0;
  uint64_t ulps = 0;
  bool exact() const { return relative == 0 && absolute == 0 && ulps == 0; }
};
/// Any NaN equals any NaN; otherwise equal bits, or within the tolerance.
bool isClose(const ElementType &type, uint64_t got, uint64_t want,
             const Tolerance &tolerance);

/// An array of elements in device memory, whose edges are watched.
struct TypedBuffer {
  ElementType type;
  uint64_t count = 0;
  WatchedMemory memory;

  bool allocate(ptxjit::AddressRange range = ptxjit::AddressRange::All);
  uint64_t get(uint64_t index) const;
  void set(uint64_t index, uint64_t bits);
  uint64_t bytes() const { return count * type.bytes; }
};

/// iota, zero, const(V), random(SEED): false if `text` is none of them.
bool fillBuffer(TypedBuffer &buffer, const std::string &text,
                std::string &error);
bool readFile(TypedBuffer &buffer, const std::string &path, std::string &error);
bool writeFile(const TypedBuffer &buffer, const std::string &path,
               std::string &error);

} // namespace ptxjit

#endif
