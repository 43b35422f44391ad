//===- TensorDescriptors.h - what tensor cores are told ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The descriptors of ISA "matrix descriptors", and the memories of a CTA that
// they describe parts of.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_REFERENCE_TENSORDESCRIPTORS_H
#define PTXJIT_LIB_REFERENCE_TENSORDESCRIPTORS_H

#include "Evaluate.h"
#include "TensorMemory.h"
#include "ptxjit/Dialect/TensorCore.h"

namespace ptxjit::reference {

/// The memories of a CTA that its tensor core accesses.
struct CoreMemory {
  llvm::ArrayRef<uint8_t> shared; ///< the CTA's window, from offset 0 on
  TensorMemory *tensor;

  /// Reads an element that begins at bit `bit` of the bytes at `address`, or
  /// fails after a diagnostic.
  llvm::FailureOr<Bits> readShared(mlir::Operation &op, uint64_t address,
                                   unsigned bit, unsigned bits) const;
  /// Fails after a diagnostic unless all of the columns are allocated.
  llvm::LogicalResult requireColumns(mlir::Operation &op, unsigned first,
                                     unsigned count) const;
};

/// The parts of an address in tensor memory.
inline unsigned laneOf(Bits address) { return address >> 16 & 0xffff; }
inline unsigned columnOf(Bits address) { return address & 0xffff; }

/// The type of the elements of a matrix, and how much of memory each takes.
struct ElementFormat {
  ptx::MatrixType type = ptx::MatrixType::F32;
  unsigned bits = 32;
  /// Bits from one element to the next: in tensor memory of all elements, in
  /// shared memory on the average of 16 bytes.
  unsigned pitch = 32;
};

/// ISA: "instruction descriptor".
struct Instruction {
  unsigned m = 0, n = 0, k = 0;
  unsigned selector = 0; ///< of the columns of metadata
  bool saturates = false;
  ptx::MatrixType typeOfD = ptx::MatrixType::F32;
  ElementFormat a, b;
  bool negatesA = false, negatesB = false;
  bool transposesA = false, transposesB = false; ///< M- and N-major
  /// The number of the first scale factor in a cell.
  unsigned scaleIdOfA = 0, scaleIdOfB = 0;
  bool scalesAreE4M3 = false; ///< ue4m3, not ue8m0

  /// \returns what the ISA does not allow, or null.
  const char *decode(const ptx::TensorMultiply &mma, Bits bits);

private:
  const char *decodeUnscaled(const ptx::TensorMultiply &mma, Bits bits);
  const char *decodeScaled(const ptx::TensorMultiply &mma, Bits bits);
};

/// ISA: "shared memory descriptor", and "canonical layouts".
class SharedTile {
public:
  /// \param isAcross  whether elements that follow each other in memory are
  ///                  those along m or n ("MN-major"), not along k.
  SharedTile(Bits descriptor, ElementFormat format, bool isAcross);

  /// \param bytesOfK  of a row, if the tile is not `isAcross`.
  /// \returns what the ISA does not allow, or null.
  const char *findFault(unsigned bytesOfK) const;
  /// Reads an element, `mn` being its row of A or column of B.
  llvm::FailureOr<Bits> read(mlir::Operation &op, const CoreMemory &memory,
                             unsigned mn, unsigned k) const;
  /// Returns where 16 bytes are, of a row or with `isAcross` of a column. They
  /// are `byte` bytes from its start.
  uint64_t unitAt(unsigned row, unsigned byte) const;

private:
  unsigned width() const;
  uint64_t offsetOf(unsigned row, unsigned byte) const;
  uint64_t swizzle(uint64_t address) const;

  Bits descriptor;
  uint64_t start, leading, stride; ///< bytes
  unsigned base, mode;
  bool isAbsolute; ///< `leading` is an address
  ElementFormat format;
  bool isAcross;
};

/// ISA: "zero-column mask descriptor".
class ZeroColumns {
public:
  ZeroColumns() = default; ///< none, and no shift
  /// \param parts  1, 2 or 4 sub-masks, of `columns` columns each.
  ZeroColumns(Bits descriptor, unsigned parts, unsigned columns)
      : descriptor(descriptor), parts(parts), columns(columns) {}

  const char *findFault() const;
  /// Whether column `n` of B counts as zeros.
  bool isZero(unsigned n) const;
  /// How far the columns of B are from those of D.
  unsigned shift() const { return descriptor >> 56 & 0x3f; }

private:
  Bits descriptor = 0;
  unsigned parts = 1, columns = 0;
};

} // namespace ptxjit::reference

#endif
