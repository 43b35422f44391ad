//===- TensorRows.h - moves rows of boxes -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A box of a tensor is a dense array of rows in shared memory, whose bytes are
// swizzled by their addresses there. This file moves whole rows between such an
// array and plain memory. ISA: "swizzling modes".
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_TENSORROWS_H
#define PTXJIT_LIB_RUNTIME_TENSORROWS_H

#include "ptxjit/Runtime/TensorMap.h"

#include <cstddef>

namespace ptxjit {

/// A swizzle exchanges units of 16 bytes or more among each other. The unit at
/// shared address `a` is found at `a ^ (a >> 7 & mask) << shift`.
struct Swizzle {
  explicit Swizzle(const PtxjitTensorMap &map);

  uint64_t mask = 0;
  unsigned shift = 4;
  bool flips = false; ///< the halves of a unit of 16 bytes, in odd rows

  /// Returns where the 16 bytes of the array at shared address `a` are.
  uint64_t operator()(uint64_t a) const { return a ^ (a >> 7 & mask) << shift; }
  bool flipsAt(uint64_t a) const { return flips && (a >> 7 & 1); }
};

/// Rows of a box that follow each other in shared memory. The number of bytes
/// of a row, and the addresses in shared memory, are multiples of 16.
struct SharedRows {
  char *place;      ///< of the first row, not swizzled
  uint64_t address; ///< the same place, as an address of shared memory
  size_t bytes;     ///< of a row
  Swizzle swizzle;

  /// The rows behind the first `n` ones.
  SharedRows behind(size_t n) const {
    return {place + n * bytes, address + n * bytes, bytes, swizzle};
  }
};

/// Copies `count` rows to shared memory. They begin at `from`, `stride` bytes
/// apart. With a stride of 0 all rows get the same bytes.
void placeRows(const SharedRows &to, const char *from, int64_t stride,
               size_t count);
/// The inverse of placeRows().
void fetchRows(char *to, int64_t stride, const SharedRows &from, size_t count);

} // namespace ptxjit

#endif
