//===- TensorDescriptors.h - descriptors of tcgen05.mma ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_TENSORDESCRIPTORS_H
#define PTXJIT_LIB_RUNTIME_TENSORDESCRIPTORS_H

#include "ptxjit/Device/TensorCore.h"
#include "ptxjit/Runtime/KernelABI.h"

namespace ptxjit {

/// What the text and the instruction descriptor of a multiplication say. ISA:
/// "instruction descriptor", "matrix shape".
struct TensorInstruction {
  uint32_t m = 0, n = 0, k = 0; ///< of the CTA, or of the pair of CTAs
  device::TensorElement typeA = {}, typeB = {};
  bool hasHalfSums = false; ///< D is f16
  bool saturates = false;
  bool negatesA = false, negatesB = false;
  bool transposesA = false, transposesB = false;
  bool isUE4M3 = false;  ///< scale factors; else ue8m0
  uint32_t selector = 0; ///< of the metadata of a sparse A
  uint32_t scaleIdA = 0, scaleIdB = 0;
  uint32_t scales = 0; ///< of each row of A and column of B
};

/// Decodes a multiplication.
/// \returns null, or what is wrong with it.
const char *decodeInstruction(const PtxjitTensorMultiply &multiply,
                              TensorInstruction &to);

/// Decodes a matrix descriptor.
/// \param mayBeAbsolute  whether it may have the address of a second matrix.
/// \returns null, or what is wrong with it.
const char *decodeMatrix(uint64_t descriptor, bool alongRows,
                         bool mayBeAbsolute, device::TensorMatrix &to);

/// The address behind the matrix, in the CTA's window of shared memory, if it
/// has `lines` lines of `bytes` bytes.
uint64_t endOf(const device::TensorMatrix &matrix, uint32_t lines,
               uint32_t bytes);

} // namespace ptxjit

#endif
