//===- Reduce.h - reductions of the data of several ranks -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_REDUCE_H
#define PTXJIT_LIB_NCCL_REDUCE_H

#include "ptxjit/Nccl/NcclABI.h"

#include <vector>

namespace ptxjit::nccl {

enum class ReduceKind : uint8_t { Sum, Prod, Max, Min, Avg, PreMulSum };

/// The bytes of an element; 0 if there is no such type.
size_t sizeOf(ncclDataType_t type);

/// What one rank brings.
struct Operand {
  const void *data = nullptr; ///< need not be aligned
  /// PreMulSum: the factor, in the lowest bytes, of the data's type.
  uint64_t scalar = 0;
};

/// Reduces `count` elements of each operand to `out`, in the order of the
/// operands. Floats of 8 and 16 bits are rounded once, at the end. Integers
/// wrap around. `out` may be the data of an operand.
void reduce(ncclDataType_t type, ReduceKind kind,
            const std::vector<Operand> &operands, void *out, size_t count);

} // namespace ptxjit::nccl

#endif
