//===- CombineAccesses.h - neighbouring accesses as one ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_COMBINEACCESSES_H
#define PTXJIT_LIB_LOWERING_COMBINEACCESSES_H

#include "ptxjit/Dialect/PtxOps.h"

namespace ptxjit {

/// Is it a vector that the pass has made of accesses, which is aligned as its
/// elements are?
bool isElementAligned(mlir::Operation *access);

} // namespace ptxjit

#endif
