//===- GuardedMemory.h - memory between guard pages -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_GUARDEDMEMORY_H
#define PTXJIT_LIB_RUNTIME_GUARDEDMEMORY_H

#include "ptxjit/Runtime/Memory.h"
#include <cstdint>

namespace ptxjit {

/// Windows of zeroed memory, which lie at equal distances on small pages
/// between two inaccessible areas of 16 MiB, so that an access of a kernel
/// outside of these pages faults. Each thread keeps a few mappings for its
/// next launch.
class GuardedMemory {
public:
  /// The windows' number, their distance and their size, in bytes.
  struct Windows {
    size_t count, stride, bytes;
    size_t total() const { return (count - 1) * stride + bytes; }
  };
  explicit GuardedMemory(const Windows &windows, AddressRange range);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  /// Null if there was no memory.
  uint8_t *begin() const { return memory; }

private:
  uint8_t *memory = nullptr;
  size_t size = 0; ///< whole pages
  Windows windows;
  AddressRange range;
};

} // namespace ptxjit

#endif
