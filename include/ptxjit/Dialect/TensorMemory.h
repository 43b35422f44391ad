//===- TensorMemory.h - accesses of tensor memory ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes what the ops of PtxTensorMemoryOps.td do, decoded from their
// attributes, for the lowering and the reference interpreter.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_TENSORMEMORY_H
#define PTXJIT_DIALECT_TENSORMEMORY_H

#include "mlir/IR/ValueRange.h"
#include "ptxjit/Dialect/PtxDialect.h"

namespace ptxjit::ptx {

/// What `ptx.tcgen05.ld` and `ptx.tcgen05.st` access, and their operands. ISA:
/// "tcgen05-data-movement-shape".
struct CellAccess {
  CellShape shape = CellShape::R32B32;
  unsigned count = 1; ///< `.xN`
  /// `.pack::16b`, `.unpack::16b`: a register holds the lower halves of the
  /// cells of two columns.
  bool isPacked = false;
  mlir::Value address; ///< i32, the same in all lanes
  /// The distance of the halves of `16x32bx2` in columns; else null.
  mlir::Value split;
  mlir::ValueRange registers; ///< i32, what is stored; empty for a load
};

} // namespace ptxjit::ptx

#endif
