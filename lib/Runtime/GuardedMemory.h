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

/// Zeroed memory on small pages between two inaccessible areas of 16 MiB, so
/// that an access of a kernel outside of it faults. Each thread keeps one small
/// mapping for its next launch.
class GuardedMemory {
public:
  explicit GuardedMemory(size_t bytes, AddressRange range);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  /// Null if there was no memory.
  uint8_t *begin() const { return memory; }

private:
  uint8_t *memory = nullptr;
  size_t size = 0; ///< whole pages
  AddressRange range;
};

} // namespace ptxjit

#endif
