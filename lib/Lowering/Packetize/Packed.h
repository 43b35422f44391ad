//===- Packed.h - half types and packed types per chunk ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f16 values are f16, bf16 values their bits as i16, packed values integers.
// Arithmetic on them is arithmetic on f32, rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_PACKED_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_PACKED_H

#include "ChunkBuilder.h"

namespace ptxjit {

/// A comparison of integers; LO, LS, HI and HS are unsigned whatever the type.
mlir::arith::CmpIPredicate intPredicate(ptx::Compare cmp, bool isSigned);

/// `compute` on the operands, or on the low and the high parts of packed ones.
/// Operands that are no integers of the packed width are the same for both.
mlir::Value mapParts(ChunkBuilder &c, ptx::ScalarType type, mlir::ValueRange in,
                     llvm::function_ref<mlir::Value(mlir::ValueRange)> compute);
/// `compute` on the operands, or on all parts of packed integers at once, as
/// lanes of one long vector.
mlir::Value mapLanesOfParts(
    ChunkBuilder &c, ptx::ScalarType type, mlir::ValueRange in,
    llvm::function_ref<mlir::Value(ChunkBuilder &, mlir::ValueRange)> compute);
/// Low and high part of a packed value, as values of the part's type.
std::pair<mlir::Value, mlir::Value>
splitParts(ChunkBuilder &c, ptx::ScalarType type, mlir::Value value);
/// Two parts as one integer.
mlir::Value joinParts(ChunkBuilder &c, mlir::Value low, mlir::Value high);

/// f16 or bf16 to f32, exactly. Subnormal f16 values become 0 with `ftz`.
mlir::Value widenHalf(ChunkBuilder &c, ptx::ScalarType type, mlir::Value x,
                      bool ftz = false);
/// f32 to f16 or bf16, to nearest or toward zero; NaN becomes 0x7fff.
mlir::Value narrowHalf(ChunkBuilder &c, ptx::ScalarType type, mlir::Value x,
                       bool ftz = false, bool towardZero = false);
/// Subnormal f16 to zero of its sign, if `wanted`.
mlir::Value flushHalf(ChunkBuilder &c, mlir::Value x, bool wanted);
/// f64 to f32, rounded to odd.
mlir::Value narrowToOdd(ChunkBuilder &c, mlir::Value x);
/// x + y (f32 or f64), rounded to odd.
mlir::Value addToOdd(ChunkBuilder &c, mlir::Value x, mlir::Value y);
/// Negative values to 0, NaN stays, if `wanted` (f32).
mlir::Value clampNegative(ChunkBuilder &c, mlir::Value x, bool wanted);
/// a*b+c of values widened from f16 or bf16, rounded to odd in f32, so that
/// narrowing rounds as if the result were exact.
mlir::Value fmaToOdd(ChunkBuilder &c, ptx::ScalarType type, mlir::Value a,
                     mlir::Value b, mlir::Value d);

/// min or max of two f32. One NaN: the other operand; +0 is greater than -0.
/// With `propagate` any NaN gives the canonical one.
mlir::Value minMaxFloat(ChunkBuilder &c, bool isMin, bool propagate,
                        mlir::Value a, mlir::Value b);

} // namespace ptxjit

#endif
