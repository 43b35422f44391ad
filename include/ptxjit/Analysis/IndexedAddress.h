//===- IndexedAddress.h - addresses made from indices -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_INDEXEDADDRESS_H
#define PTXJIT_ANALYSIS_INDEXEDADDRESS_H

#include "ptxjit/Analysis/Shape.h"

namespace ptxjit {

/// An address that is an index of 32 bits behind a place that the lanes share,
/// as that of array[index]: the sum of the terms and of index * scale, modulo
/// 2^64. A vector of indices takes half of the registers that one of addresses
/// takes, and CPUs gather by either.
struct IndexedAddress {
  /// A multiple of a value that is the same in the warp.
  struct Term {
    mlir::Value value; ///< i64
    unsigned scale;    ///< 1, 2, 4, 8 or 16
  };
  mlir::Value index;    ///< i32; differs from lane to lane
  unsigned scale = 1;   ///< bytes for each step of the index, as in a term
  bool isSigned = true; ///< how the index is extended to 64 bits
  llvm::SmallVector<Term, 2> terms;
};

/// Finds the index that `address` (i64) is made from.
std::optional<IndexedAddress> findIndex(mlir::Value address,
                                        const ShapeAnalysis &shapes);

} // namespace ptxjit

#endif
