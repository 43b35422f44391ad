//===- Elements.h - elements of loads and stores ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_ELEMENTS_H
#define PTXJIT_LIB_LOWERING_ELEMENTS_H

#include "ptxjit/Dialect/PtxOps.h"

namespace ptxjit {

/// ISA: vectors have at most 16 bytes in any space.
constexpr int64_t kMostVectorBytes = 16;

/// The type of one of the elements that an access moves.
inline mlir::Type elementOf(ptx::LdOp op) {
  return op.getD().front().getType();
}
inline mlir::Type elementOf(ptx::StOp op) {
  return op.getB().front().getType();
}

/// Size of an element in memory.
inline int64_t bytesOf(mlir::Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

} // namespace ptxjit

#endif
