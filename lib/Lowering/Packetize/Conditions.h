//===- Conditions.h - when a lane pattern holds -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_CONDITIONS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_CONDITIONS_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Scalar test that base + pattern stays within `width` bits in all lanes.
mlir::Value wrapTest(WarpBuilder &warp, mlir::Value base,
                     const LanePattern &pattern, unsigned width, bool isSigned);

/// When the pattern of an op's result holds, in terms of its operands'. Null if
/// always.
mlir::Value conditionOf(WarpBuilder &warp, mlir::Operation *op);

/// Scalar test: have all lanes of `v` the value `first` + pattern?
mlir::Value patternTest(WarpBuilder &warp, mlir::Value v, mlir::Value first,
                        const LanePattern &pattern);

} // namespace ptxjit

#endif
