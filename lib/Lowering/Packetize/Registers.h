//===- Registers.h - intrinsics of whole registers --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_REGISTERS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_REGISTERS_H

#include "ChunkBuilder.h"

namespace ptxjit {

/// Calls `emit` on operands of 512 bits, which is what intrinsics of AVX-512
/// take. Shorter vectors and scalars are padded, longer vectors are split.
/// \param in  scalars or vectors, all of one type, of f32 or f64.
/// \returns a value of that type.
mlir::Value onRegisters(ChunkBuilder &c, mlir::ValueRange in,
                        llvm::function_ref<mlir::Value(mlir::ValueRange)> emit);

} // namespace ptxjit

#endif
