//===- Relocations.h - relocations of compiled code -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code refers to places in itself only, by their distance. So it may
// lie at any address that is a multiple of 4096.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CACHE_RELOCATIONS_H
#define PTXJIT_LIB_CACHE_RELOCATIONS_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace ptxjit {

/// A word or instruction that is completed with the distance to a place.
struct Relocation {
  uint32_t type;  ///< the machine's R_... number
  uint8_t *bytes; ///< what is completed
  size_t room;    ///< the bytes that there are
  uint64_t at;    ///< where that is, in the code
  uint64_t to;    ///< the place, in the code
};

/// Writes a distance as a T. \returns false if it does not fit into T, or T not
/// into the bytes that there are.
template <typename T>
bool writeDistance(const Relocation &relocation, int64_t distance) {
  auto value = T(distance);
  if (value != distance || relocation.room < sizeof(T))
    return false;
  std::memcpy(relocation.bytes, &value, sizeof(T));
  return true;
}

/// Completes what the relocation says.
/// \returns false if it is out of range, or of a type that compiled code does
///   not have.
bool relocateX86(const Relocation &relocation);
bool relocateAArch64(const Relocation &relocation);

} // namespace ptxjit

#endif
