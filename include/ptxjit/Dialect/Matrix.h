//===- Matrix.h - the meaning of matrix instructions ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions of what the warp-level matrix ops (PtxMatrixOps.td) do, decoded
// from their attributes. `getMultiply` and `getMove` of the ops return them,
// for the lowering and the reference interpreter.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_MATRIX_H
#define PTXJIT_DIALECT_MATRIX_H

#include "ptxjit/Dialect/PtxDialect.h"

namespace ptxjit::ptx {

/// A is m x k, B is k x n.
struct MatrixExtents {
  unsigned m, n, k;
};
MatrixExtents getExtents(MatrixShape shape);

/// The bits of an element in memory.
unsigned getElementBits(MatrixType type);

/// Which elements of A a sparse multiplication keeps.
enum class Sparsity {
  Dense,
  Words,  ///< one of two, 32 bits each (tf32)
  Halves, ///< two of four, 16 bits each
  Bytes   ///< two of four bytes: 8-bit elements, or pairs of 4-bit ones
};

/// What `ptx.mma` does: D = A * B + C, where A is m x k, B is k x n, C and D
/// are m x n. ISA: "warp-level-matrix-instructions".
struct MatrixMultiply {
  unsigned m = 0, n = 0, k = 0;
  MatrixType a = MatrixType::F16, b = MatrixType::F16, c = MatrixType::F16,
             d = MatrixType::F16;
  bool isWmma = false;
  /// The layouts of A and B. They matter to the fragments of the f16 m8n8k4.
  bool aIsCol = false, bIsRow = false;
  bool saturates = false; ///< `.satfinite`
  Rounding rounding = Rounding::RN;
  BoolOp bitOp = BoolOp::Xor; ///< combines elements of type b1
  Sparsity sparsity = Sparsity::Dense;
  /// Each 4- or 6-bit element takes a byte (`.kind::f8f6f4`, `mxf8f6f4`).
  bool bytePerElement = false;
  /// The number of scale factors of each row of A and column of B. Each applies
  /// to an equal part of k. 0: not scaled.
  unsigned scales = 0;
  /// The scale factors are ue4m3; else ue8m0.
  bool scalesAreUE4M3 = false;

  /// The warp does four multiplications, each on eight of its lanes.
  bool isQuadPair() const { return m == 8 && n == 8 && k == 4 && !isF64(); }
  bool isF64() const { return d == MatrixType::F64; }
  bool isInteger() const { return d == MatrixType::S32; }

  /// The bits that an element of A or B takes in a register.
  unsigned bitsOf(MatrixType type) const;
  /// The number of registers of an operand in each lane. Registers have 64 bits
  /// for f64, else 32.
  unsigned aRegisters() const;
  unsigned bRegisters() const;
  unsigned cRegisters() const { return accumulatorRegisters(c); }
  unsigned dRegisters() const { return accumulatorRegisters(d); }
  /// The number of registers that hold distinct parts of A or B. An f16
  /// fragment of wmma always has 8 registers; the further ones are copies.
  unsigned aParts() const;
  unsigned bParts() const;

private:
  unsigned accumulatorRegisters(MatrixType type) const;
};

/// What `ptx.ldmatrix` and `ptx.stmatrix` move: `count` matrices. ISA:
/// "ldmatrix", "stmatrix".
struct MatrixMove {
  /// The format of elements in memory, named for their bits.
  enum Format { B16, B8, B6, B4 } format = B16;
  unsigned rows = 8; ///< of each matrix, 16 bytes each
  unsigned count = 1;
  bool transposes = false;
  Space space = Space::Generic;
  /// The number of registers for each matrix.
  unsigned registersEach() const { return rows == 16 ? 2 : 1; }
};

/// What `ptx.wmma.load` and `ptx.wmma.store` move: one matrix of rows() x
/// cols(). A is m x k, B is k x n, C and D are m x n. ISA: "wmma.load".
struct WmmaMove {
  enum Operand { A, B, C } operand = A; ///< C stands for D, too
  unsigned m = 0, n = 0, k = 0;
  MatrixType type = MatrixType::F16;
  bool isCol = false; ///< columns are contiguous in memory
  Space space = Space::Generic;
  /// The number of registers of the fragment in each lane.
  unsigned registers() const;

  /// The number of registers that hold distinct parts of the matrix; further
  /// ones are copies (see MatrixMultiply::aParts).
  unsigned parts() const;
  unsigned rows() const { return operand == B ? k : m; }
  unsigned cols() const { return operand == A ? k : n; }
  unsigned elementBits() const;
};

} // namespace ptxjit::ptx

#endif
