//===- Wgmma.h - the meaning of warpgroup multiplications -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes what `ptx.wgmma` (PtxMatrixOps.td) does, decoded from its
// attributes, for the lowering and the reference interpreter.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_WGMMA_H
#define PTXJIT_DIALECT_WGMMA_H

#include "mlir/IR/ValueRange.h"
#include "ptxjit/Dialect/PtxDialect.h"

namespace ptxjit::ptx {

/// What `ptx.wgmma` does, and its operands: D = A * B + D, where A is 64 x k, B
/// is k x n, D is 64 x n. ISA:
/// "asynchronous-warpgroup-level-matrix-instructions-wgmma-mma".
struct WgmmaMultiply {
  unsigned n = 0; ///< 8 to 256
  /// The rows of B. A sparse A has k / 2 columns in memory or registers.
  unsigned k = 0;
  MatrixType typeOfA = MatrixType::F16, typeOfB = MatrixType::F16,
             typeOfD = MatrixType::F16;
  bool isSparse = false;
  bool saturates = false; ///< `.satfinite`

  mlir::ValueRange c; ///< the registers of D before, f32 or i32 (pairs of f16)
  /// A in registers: four i32. Empty: A is in shared memory.
  mlir::ValueRange a;
  mlir::Value descriptorOfA; ///< i64; null: A is in registers
  mlir::Value descriptorOfB; ///< i64
  /// i32 and i64, of a sparse A; else null.
  mlir::Value metadata, selector;
  /// i1, the same in the warpgroup. False: D = A * B.
  mlir::Value accumulates;
  /// i64, 1 or -1. Null: 1.
  mlir::Value factorOfA, factorOfB;
  /// i64. 0: consecutive elements of memory follow each other along k. 1: along
  /// m or n. Null: 0.
  mlir::Value layoutOfA, layoutOfB;

  /// The bits of an element of A or B.
  unsigned bits() const;
  bool isInteger() const { return typeOfD == MatrixType::S32; }
};

} // namespace ptxjit::ptx

#endif
