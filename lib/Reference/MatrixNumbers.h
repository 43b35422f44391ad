//===- MatrixNumbers.h - elements of matrices -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the multiplications of a warp, of a warpgroup and of tensor cores have
// in common.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_REFERENCE_MATRIXNUMBERS_H
#define PTXJIT_LIB_REFERENCE_MATRIXNUMBERS_H

#include "Cta.h"
#include "ptxjit/Dialect/Matrix.h"

namespace ptxjit::reference {

/// The threads of a warp; null for lanes that do not take part.
using Members = llvm::ArrayRef<Thread *>;

/// Returns element `i`, of `bits` bits, of a fragment whose registers start at
/// input `first` of the op that the lane waits at. 0 if the lane is not there.
Bits elementOf(Members lanes, unsigned lane, unsigned first, unsigned bits,
               unsigned i);

/// Returns the value of a floating-point element, which f32 can hold. NaN for
/// other types.
/// \param bytePerElement  whether an element of fewer bits is in a byte.
float numberOf(ptx::MatrixType type, Bits bits, bool bytePerElement = false);

/// Returns the value of an integer element.
int64_t integerOf(ptx::MatrixType type, Bits bits);

/// Rounds a sum to the type of D, f16 or f32. With `saturates` infinity becomes
/// the largest number, and NaN +0 (`.satfinite` of the first wmma).
Bits resultBits(ptx::MatrixType type, float sum, bool saturates = false);

} // namespace ptxjit::reference

#endif
