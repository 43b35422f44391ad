//===- CtaOrder.h - what may run in another order ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_CTAORDER_H
#define PTXJIT_LIB_LOWERING_CTAORDER_H

#include "mlir/IR/Operation.h"

namespace ptxjit {

/// May the op run early, or again?
bool runsAnyTime(mlir::Operation *op);

/// May the op run for a warp of the next CTA before it has run for the other
/// warps of this one, or for a later turn of a loop before it has run for the
/// next CTA? It has no memory of its CTA; it does not synchronise, update
/// atomically, or call the runtime. Says nothing of the ops in its regions.
bool needsNoCtaOrder(mlir::Operation *op);

} // namespace ptxjit

#endif
