//===- MemoryProbe.h - which addresses can be accessed ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_REFERENCE_MEMORYPROBE_H
#define PTXJIT_LIB_REFERENCE_MEMORYPROBE_H

#include "llvm/ADT/DenseSet.h"
#include <cstdint>

namespace ptxjit::reference {

/// Asks the system whether memory is there, since a program's wild address must
/// not end ours. Remembers pages that are, which holds for a launch.
class MemoryProbe {
public:
  MemoryProbe();
  ~MemoryProbe();
  MemoryProbe(const MemoryProbe &) = delete;
  MemoryProbe &operator=(const MemoryProbe &) = delete;

  /// Can all of `bytes` bytes be read and written? Yes, where it cannot be
  /// asked.
  bool isAccessible(uint64_t address, uint64_t bytes);

private:
  bool ask(uint64_t address);

  static constexpr unsigned kPageBits = 12; ///< no page is smaller
  int pipe[2] = {-1, -1};
  llvm::DenseSet<uint64_t> pages;
};

} // namespace ptxjit::reference

#endif
