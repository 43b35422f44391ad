//===- CombineAccesses.h - combine neighbouring accesses --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_COMBINEACCESSES_H
#define PTXJIT_LIB_LOWERING_COMBINEACCESSES_H

#include "ptxjit/Dialect/PtxOps.h"

namespace ptxjit {

/// Is `access` a vector access that the pass has made? It is aligned to its
/// element size only.
bool isElementAligned(mlir::Operation *access);

} // namespace ptxjit

#endif
