//===- TensorMemory.h - the tensor memory of a CTA --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_REFERENCE_TENSORMEMORY_H
#define PTXJIT_LIB_REFERENCE_TENSORMEMORY_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ptxjit::reference {

/// ISA: "tensor-memory". 128 lanes of 512 cells of 32 bits, and the columns
/// that are allocated.
struct TensorMemory {
  static constexpr unsigned kLanes = 128, kColumns = 512;

  std::vector<uint32_t> cells =
      std::vector<uint32_t>(size_t(kLanes) * kColumns);
  std::map<unsigned, unsigned> allocations; ///< first column, and their number
  bool hasRelinquished = false;

  uint32_t &cell(unsigned lane, unsigned column) {
    return cells[lane * kColumns + column];
  }
  bool isAllocated(unsigned column) const;
  /// The first columns that are free side by side.
  std::optional<unsigned> findFree(unsigned columns) const;
};

} // namespace ptxjit::reference

#endif
