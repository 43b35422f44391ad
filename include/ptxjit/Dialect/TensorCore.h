//===- TensorCore.h - multiplications in tensor memory ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes what the multiplications of PtxTensorCoreOps.td do, as far as their
// text says; the instruction descriptor, an operand, says the rest.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_TENSORCORE_H
#define PTXJIT_DIALECT_TENSORCORE_H

#include "mlir/IR/ValueRange.h"
#include "ptxjit/Dialect/PtxDialect.h"

namespace ptxjit::ptx {

/// What `ptx.tcgen05.mma` and `ptx.tcgen05.mma_tmem` do. ISA: "tcgen05.mma",
/// "tcgen05.mma.sp", "tcgen05.mma.ws", "tcgen05.mma.ws.sp". Addresses are those
/// of tensor memory, the lane in bits 16 and up, i64 or i32.
struct TensorMultiply {
  MmaKind kind = MmaKind::F16;
  bool isForPair = false;          ///< `.cta_group::2`
  bool isWeightStationary = false; ///< `.ws`
  bool isSparse = false;           ///< `.sp`
  bool shiftsRows = false;         ///< `.ashift`
  bool aIsInTensorMemory = false;
  /// The number of elements along k of a dense A that have a scale factor in
  /// common, 16 or 32; twice as many of a sparse A. 0: no scale factors.
  unsigned scaleBlock = 0;

  mlir::Value d;              ///< address
  mlir::Value a;              ///< matrix descriptor, i64, or address
  mlir::Value b;              ///< matrix descriptor, i64
  mlir::Value metadata;       ///< address; null: A is dense
  mlir::Value instruction;    ///< instruction descriptor, i32
  mlir::Value scaleA, scaleB; ///< addresses; null: no scale factors
  /// None, or 4 or 8 i32: a bit for each lane that is not written.
  mlir::ValueRange disabledLanes;
  mlir::Value accumulates; ///< i1. False: D = A * B
  mlir::Value zeroColumns; ///< zero-column mask descriptor, i64; null: none
  /// i64, 0 to 15: D = A * B + D / 2^n. Null: 0.
  mlir::Value inputShift;
};

} // namespace ptxjit::ptx

#endif
