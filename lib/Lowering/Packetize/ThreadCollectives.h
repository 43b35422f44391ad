//===- ThreadCollectives.h - warp operations of single threads --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_THREADCOLLECTIVES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_THREADCOLLECTIVES_H

#include "WarpBuilder.h"

namespace ptxjit {

/// A PtxjitGathered in memory: what the threads of a warp have brought.
struct Gathered {
  WarpBuilder &warp;
  mlir::Value data; ///< pointer
  /// i32 bits: the threads that came, and those of them that said yes.
  mlir::Value present() const;
  mlir::Value yes() const;
  /// What lane `index` (i32, below 32) has brought.
  mlir::Value value(mlir::Value index, unsigned width) const;
  /// i32, 0 or 1.
  mlir::Value isPresent(mlir::Value index) const;

private:
  friend Gathered gather(WarpBuilder &, mlir::Operation *, mlir::Value,
                         mlir::Value);
  mlir::Value load(size_t offset, mlir::Type type) const;
};
/// Waits for the members of `m` (null: the warp) with `value` (null: none).
Gathered gather(WarpBuilder &warp, mlir::Operation *op, mlir::Value m,
                mlir::Value value);

} // namespace ptxjit

#endif
