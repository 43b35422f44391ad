//===- TensorBox.h - boxes of tensors, row by row ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The box of a tensor that one copy of the reference interpreter moves.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_REFERENCE_TENSORBOX_H
#define PTXJIT_LIB_REFERENCE_TENSORBOX_H

#include "ptxjit/Dialect/PtxOps.h"
#include "ptxjit/Runtime/TensorRules.h"
#include <array>
#include <optional>
#include <vector>

namespace ptxjit::reference {

constexpr unsigned kMostDims = 5;
/// An element's place in a tensor. Dimension 0 is the innermost one.
using Coordinates = std::array<int64_t, kMostDims>;

/// A copy of one thread, with the values of its operands.
struct TensorBox {
  ptx::TensorCopy copy;
  PtxjitTensorMap map{};
  bool isLoad = false;
  std::optional<ptx::AtomicOp> reduction;
  /// The coordinates that the instruction gives. `gather4` and `scatter4`: the
  /// column and the first row.
  Coordinates start{};
  int64_t gathered[4] = {}; ///< `gather4` and `scatter4`: the rows
  int64_t offsets[3] = {};  ///< `im2col`: in w, h, d; others: halo, offset in w
  /// The first element of each row, in the order of the rows in shared memory.
  std::vector<Coordinates> rows;

  /// Bits that an element takes in global memory.
  unsigned bits() const { return ptxjitTensorElementBits(map.type); }
  bool isTiled() const { return map.kind == PTXJIT_TENSOR_TILED; }
  /// Whether the instruction gives four rows.
  bool isByRow() const {
    return copy.mode == ptx::TensorMode::Gather4 ||
           copy.mode == ptx::TensorMode::Scatter4;
  }
  /// ISA: "for layouts that are not interleaved, the traversal stride of
  /// dimension 0 must be 1".
  unsigned strideIn(unsigned dim) const {
    bool counts = dim || (isTiled() && map.interleave);
    return counts ? map.elementStrides[dim] : 1;
  }
  /// Elements of dimension `dim` that a tiled copy moves.
  unsigned countIn(unsigned dim) const {
    return llvm::divideCeil(map.box[dim], strideIn(dim));
  }
  /// Elements of a row.
  unsigned columns() const { return isTiled() ? countIn(0) : map.channels; }
  bool isPadded() const {
    return map.type == PTXJIT_TENSOR_B4X16_P64 ||
           map.type == PTXJIT_TENSOR_B6X16_P32;
  }
  /// Bytes of a row in shared memory. 16 padded elements take 16 bytes.
  unsigned rowBytes() const {
    return isPadded() ? columns() : columns() * bits() / 8;
  }
  uint64_t sharedBytes() const { return uint64_t(rows.size()) * rowBytes(); }
  /// The bytes that the mbarrier counts: also those that lie outside of the
  /// tensor, but no padding.
  uint64_t countedBytes() const {
    return uint64_t(rows.size()) * columns() * bits() / 8;
  }
};

/// What makes a copy illegal; null: nothing.
const char *findFault(const TensorBox &box);
/// Fills in `rows` of a box without faults.
void listRows(TensorBox &box);

} // namespace ptxjit::reference

#endif
