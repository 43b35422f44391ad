//===- ThreadCollectives.h - warp operations in thread mode -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_THREADCOLLECTIVES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_THREADCOLLECTIVES_H

#include "WarpBuilder.h"

namespace ptxjit {

/// A PtxjitGathered in memory, which holds what the threads of a warp have
/// brought to a collective operation.
struct Gathered {
  WarpBuilder &warp;
  mlir::Value data; ///< pointer
  /// Bit masks (i32) of the threads that came, and of those among them whose
  /// predicate is true.
  mlir::Value present() const;
  mlir::Value yes() const;
  /// The value that lane `index` (i32, below 32) has brought.
  mlir::Value value(mlir::Value index, unsigned width) const;
  /// Is lane `index` present? i32, 0 or 1.
  mlir::Value isPresent(mlir::Value index) const;

private:
  friend Gathered gather(WarpBuilder &, mlir::Operation *, mlir::Value,
                         mlir::Value);
  mlir::Value load(size_t offset, mlir::Type type) const;
};
/// Brings `value` (null: none) to operation `op`, and waits for the members of
/// mask `m` (null: the whole warp).
Gathered gather(WarpBuilder &warp, mlir::Operation *op, mlir::Value m,
                mlir::Value value);

} // namespace ptxjit

#endif
