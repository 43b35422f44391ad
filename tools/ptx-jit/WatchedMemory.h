//===- WatchedMemory.h - memory whose edges are watched ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers of tests and trial runs: a kernel that runs over the end of one shall
// not get away with it.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_WATCHEDMEMORY_H
#define PTXJIT_TOOLS_WATCHEDMEMORY_H

#include "ptxjit/Runtime/Memory.h"
#include <cstdint>
#include <memory>
#include <optional>

namespace ptxjit {

struct UnmapPages {
  size_t bytes = 0;
  void operator()(char *pages) const;
};

/// Zeroed memory that begins at a multiple of 256 and ends, rounded up to one,
/// where pages begin that are a fault to access, as those in front of it are.
/// From 2 MiB on it lies on huge pages where the system has them.
///
///     | no access | pattern | the bytes | pattern (0 to 255) | no access |
///
/// The pattern shows writes that are too near for a fault. Compiled code may
/// read it: it reads the dwords that hold smaller elements.
class WatchedMemory {
public:
  /// \returns false if there is not enough memory.
  bool allocate(uint64_t bytes, AddressRange range);
  char *get() const { return begin; }

  /// The byte of the pattern that was written and is nearest to the memory.
  struct Damage {
    int64_t offset; ///< from the memory's beginning; negative in front of it
    uint8_t found, expected;
  };
  std::optional<Damage> findDamage() const;

private:
  std::unique_ptr<char, UnmapPages> all; ///< with the pages on both sides
  char *begin = nullptr;
  int64_t front = 0; ///< bytes of pattern in front
  int64_t size = 0;  ///< bytes, without the pattern
};

} // namespace ptxjit

#endif
