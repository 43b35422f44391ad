//===- WatchedMemory.h - memory whose edges are watched ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for the buffers of `ptx-jit run` and `ptx-jit test`. A kernel that
// accesses memory far outside a buffer faults; a write close to the buffer is
// found after the launch.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_WATCHEDMEMORY_H
#define PTXJIT_RUNTIME_WATCHEDMEMORY_H

#include "ptxjit/Runtime/Memory.h"
#include <cstdint>
#include <memory>
#include <optional>

namespace ptxjit {

struct UnmapPages {
  size_t bytes = 0;
  void operator()(char *pages) const;
};

/// Zeroed memory between inaccessible pages. It begins at a multiple of 256.
/// Its end, rounded up to such a multiple, is where the next inaccessible page
/// begins. From 2 MiB on it lies on huge pages where the system has them, but
/// not in the low range.
///
///     | no access | pattern | the bytes | pattern (0 to 255) | no access |
///
/// The pattern reveals writes that are too close for a fault. Reading it is no
/// error, since compiled code loads the dwords that hold smaller elements.
class WatchedMemory {
public:
  /// \returns false if there is not enough memory.
  bool allocate(uint64_t bytes, AddressRange range);
  char *get() const { return begin; }

  /// A byte of the pattern that a kernel has overwritten.
  struct Damage {
    int64_t offset; ///< from the memory's beginning; negative in front
    uint8_t found, expected;
  };
  /// The nearest such byte behind the memory; if there is none, the nearest in
  /// front of it.
  std::optional<Damage> findDamage() const {
    return findDamage(begin, uint64_t(size));
  }
  /// The same for `bytes` at `begin`, which are all of a WatchedMemory.
  static std::optional<Damage> findDamage(const char *begin, uint64_t bytes);

private:
  std::unique_ptr<char, UnmapPages> all; ///< including the guard pages
  char *begin = nullptr;
  int64_t size = 0; ///< bytes, without the pattern
};

} // namespace ptxjit

#endif
