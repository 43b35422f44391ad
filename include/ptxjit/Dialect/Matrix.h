//===- Matrix.h - what a matrix instruction of a warp does ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of the attributes of matrix ops (PtxMatrixOps.td), for all that
// carry them out: `getMultiply` and `getMove` of the ops.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_MATRIX_H
#define PTXJIT_DIALECT_MATRIX_H

#include "ptxjit/Dialect/PtxDialect.h"

namespace ptxjit::ptx {

/// Which elements of A a sparse multiplication keeps.
enum class Sparsity {
  Dense,
  Words,  ///< one of two, 32 bits each (tf32)
  Halves, ///< two of four, 16 bits each
  Bytes   ///< two of four bytes: 8-bit elements, or pairs of 4-bit ones
};

/// What `ptx.mma` does: D = A * B + C. ISA: "warp-level-matrix-
/// instructions". A is m x k, B k x n, C and D m x n.
struct MatrixMultiply {
  unsigned m = 0, n = 0, k = 0;
  MatrixType a = MatrixType::F16, b = MatrixType::F16, c = MatrixType::F16,
             d = MatrixType::F16;
  bool isWmma = false;
  /// Of the f16 m8n8k4, whose fragments depend on it.
  bool aIsCol = false, bIsRow = false;
  bool saturates = false; ///< `.satfinite`
  Rounding rounding = Rounding::RN;
  BoolOp bitOp = BoolOp::Xor; ///< of b1
  Sparsity sparsity = Sparsity::Dense;
  /// 4- and 6-bit elements in a byte each (`.kind::f8f6f4`, `mxf8f6f4`).
  bool bytePerElement = false;
  /// Factors in each row of A and column of B, for equal parts of k; 0: none.
  unsigned scales = 0;
  /// They are ue4m3; else ue8m0.
  bool scalesAreUE4M3 = false;

  /// Four multiplications side by side, by eight lanes each.
  bool isQuadPair() const { return m == 8 && n == 8 && k == 4 && !isF64(); }
  bool isF64() const { return d == MatrixType::F64; }
  bool isInteger() const { return d == MatrixType::S32; }

  /// Bits that an element of A or B takes in a register.
  unsigned bitsOf(MatrixType type) const;
  /// Registers of an operand: of 64 bits for f64, else of 32.
  unsigned aRegisters() const;
  unsigned bRegisters() const;
  unsigned cRegisters() const { return accumulatorRegisters(c); }
  unsigned dRegisters() const { return accumulatorRegisters(d); }
  /// The registers that make up A or B; an f16 fragment of wmma holds more
  /// (always 8), the others are copies.
  unsigned aParts() const;
  unsigned bParts() const;

private:
  unsigned accumulatorRegisters(MatrixType type) const;
};

/// What `ptx.ldmatrix` and `ptx.stmatrix` move. ISA: "ldmatrix", "stmatrix".
struct MatrixMove {
  /// Bits of an element in memory, and the format.
  enum Format { B16, B8, B6, B4 } format = B16;
  unsigned rows = 8; ///< of a matrix, 16 bytes each
  unsigned count = 1;
  bool transposes = false;
  Space space = Space::Generic;
  /// Registers for each matrix.
  unsigned registersEach() const { return rows == 16 ? 2 : 1; }
};

/// What `ptx.wmma.load` and `ptx.wmma.store` move: a matrix of rows x cols (A:
/// m x k, B: k x n, C and D: m x n). ISA: "wmma.load".
struct WmmaMove {
  enum Operand { A, B, C } operand = A; ///< C: also D
  unsigned m = 0, n = 0, k = 0;
  MatrixType type = MatrixType::F16;
  bool isCol = false; ///< columns are contiguous in memory
  Space space = Space::Generic;
  /// Registers of the fragment.
  unsigned registers() const;

  /// Registers that hold the matrix; others are copies (see MatrixMultiply).
  unsigned parts() const;
  unsigned rows() const { return operand == B ? k : m; }
  unsigned cols() const { return operand == A ? k : n; }
  unsigned elementBits() const;
};

} // namespace ptxjit::ptx

#endif
