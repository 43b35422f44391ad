//===- Conditions.h - run-time tests of lane patterns -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_CONDITIONS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_CONDITIONS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Scalar i1: do `base`, and base + pattern in all lanes, stay within `width`
/// bits?
mlir::Value wrapTest(WarpBuilder &warp, mlir::Value base,
                     const LanePattern &pattern, unsigned width, bool isSigned);

/// Scalar i1: does the pattern of an op's result hold? Null if it always does.
mlir::Value conditionOf(WarpBuilder &warp, mlir::Operation *op);

/// Scalar i1: is `v` equal to first + pattern in all lanes?
mlir::Value patternTest(WarpBuilder &warp, mlir::Value v, mlir::Value first,
                        const LanePattern &pattern);

} // namespace ptxjit

#endif
