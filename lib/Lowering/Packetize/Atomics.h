//===- Atomics.h - atomic updates of memory ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_ATOMICS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_ATOMICS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Updates one element in memory, atomically unless `ordering` is not_atomic.
/// \returns the old value.
mlir::Value updateElement(WarpBuilder &warp, ptx::AtomicOp kind,
                          ptx::ScalarType type, mlir::Value where,
                          mlir::Value value,
                          mlir::LLVM::AtomicOrdering ordering);

} // namespace ptxjit

#endif
