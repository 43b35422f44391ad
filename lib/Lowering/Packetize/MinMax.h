//===- MinMax.h - minimum and maximum of floats -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_MINMAX_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_MINMAX_H

#include "ChunkBuilder.h"

namespace ptxjit {

/// Minimum or maximum of two f32 or two f64; +0 is greater than -0. If one
/// operand is NaN, signaling or not, the result is the other one, or with
/// `propagate` (f32 only) the canonical NaN.
mlir::Value minMaxFloat(ChunkBuilder &c, bool isMin, bool propagate,
                        mlir::Value a, mlir::Value b);

} // namespace ptxjit

#endif
