//===- MemoryProbe.h - asks which addresses can be accessed -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_REFERENCE_MEMORYPROBE_H
#define PTXJIT_LIB_REFERENCE_MEMORYPROBE_H

#include "llvm/ADT/DenseSet.h"
#include <cstdint>

namespace ptxjit::reference {

/// Asks the system whether memory is accessible, since a bad address of the
/// program must not crash the interpreter. Remembers accessible pages, so it
/// serves for one launch only.
class MemoryProbe {
public:
  MemoryProbe();
  ~MemoryProbe();
  MemoryProbe(const MemoryProbe &) = delete;
  MemoryProbe &operator=(const MemoryProbe &) = delete;

  /// Whether all `bytes` bytes can be read and written. True if the system
  /// cannot be asked.
  bool isAccessible(uint64_t address, uint64_t bytes);

private:
  bool ask(uint64_t address);

  static constexpr unsigned kPageBits = 12; ///< no page is smaller
  int pipe[2] = {-1, -1};
  llvm::DenseSet<uint64_t> pages;
};

} // namespace ptxjit::reference

#endif
