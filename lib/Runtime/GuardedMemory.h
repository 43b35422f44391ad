//===- GuardedMemory.h - memory between guards ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_GUARDEDMEMORY_H
#define PTXJIT_LIB_RUNTIME_GUARDEDMEMORY_H

#include "ptxjit/Runtime/Memory.h"
#include <cstdint>

namespace ptxjit {

/// Zeroed memory, on small pages, of which only little may be used. What a
/// kernel accesses up to 16 MiB in front of it, or behind its last page, is a
/// fault rather than somebody else's memory. A thread keeps the one it gave
/// back last for its next launch.
class GuardedMemory {
public:
  explicit GuardedMemory(size_t bytes, AddressRange range);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;

  /// Null if there is none.
  uint8_t *begin() const { return memory; }

private:
  uint8_t *memory = nullptr;
  size_t size = 0; ///< whole pages
  AddressRange range;
};

} // namespace ptxjit

#endif
