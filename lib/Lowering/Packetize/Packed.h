//===- Packed.h - f16, bf16 and packed values per chunk ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An f16 value is an f16, a bf16 value the i16 of its bits, a packed value an
// integer. Arithmetic on them is done in f32 and rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_PACKED_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_PACKED_H

#include "ChunkBuilder.h"

namespace ptxjit {

/// The predicate of an integer comparison. LO, LS, HI and HS are unsigned in
/// any type.
mlir::arith::CmpIPredicate intPredicate(ptx::Compare cmp, bool isSigned);

/// Calls `compute` on the operands or, if `type` is packed, on their low parts
/// and on their high parts. An operand that does not have the packed width is
/// the same for both.
mlir::Value mapParts(ChunkBuilder &c, ptx::ScalarType type, mlir::ValueRange in,
                     llvm::function_ref<mlir::Value(mlir::ValueRange)> compute);
/// Calls `compute` on the operands or, if `type` is packed, on all their parts
/// at once, as lanes of one long vector.
mlir::Value mapLanesOfParts(
    ChunkBuilder &c, ptx::ScalarType type, mlir::ValueRange in,
    llvm::function_ref<mlir::Value(ChunkBuilder &, mlir::ValueRange)> compute);
/// Splits a packed value into its low and its high part, which have the type of
/// the part.
std::pair<mlir::Value, mlir::Value>
splitParts(ChunkBuilder &c, ptx::ScalarType type, mlir::Value value);
/// Joins two parts to one integer.
mlir::Value joinParts(ChunkBuilder &c, mlir::Value low, mlir::Value high);

/// Converts f16 or bf16 to f32, exactly. With `ftz` subnormal f16 values become
/// 0.
mlir::Value widenHalf(ChunkBuilder &c, ptx::ScalarType type, mlir::Value x,
                      bool ftz = false);
/// Converts f32 to f16 or bf16; NaN becomes 0x7fff. Rounds to nearest even.
/// `towardZero` applies to bf16 only, `ftz` to f16 only.
mlir::Value narrowHalf(ChunkBuilder &c, ptx::ScalarType type, mlir::Value x,
                       bool ftz = false, bool towardZero = false);
/// Replaces subnormal f16 values by zero of the same sign, if `wanted`.
mlir::Value flushHalf(ChunkBuilder &c, mlir::Value x, bool wanted);
/// Converts f64 to f32, rounded to odd.
mlir::Value narrowToOdd(ChunkBuilder &c, mlir::Value x);
/// Returns x + y (f32 or f64), rounded to odd.
mlir::Value addToOdd(ChunkBuilder &c, mlir::Value x, mlir::Value y);
/// Replaces negative values (and -0) by +0, if `wanted`; NaN stays.
mlir::Value clampNegative(ChunkBuilder &c, mlir::Value x, bool wanted);
/// Returns a * b + d for values widened from f16 or bf16, rounded to odd in
/// f32. Narrowing it then rounds as if the result were exact.
mlir::Value fmaToOdd(ChunkBuilder &c, ptx::ScalarType type, mlir::Value a,
                     mlir::Value b, mlir::Value d);

} // namespace ptxjit

#endif
