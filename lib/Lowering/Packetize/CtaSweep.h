//===- CtaSweep.h - many CTAs in one call -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A short kernel takes fewer instructions for a warp than a call takes, so one
// call runs neighbouring CTAs.
//
// A CTA of 32 x 8 threads touches 128 bytes of each of eight rows. Where rows
// are a multiple of the page size apart, as in most pictures and matrices, the
// accesses of its warps fall into the same set of the nearest cache, and loads
// wait for stores whose addresses have the same last 12 bits. So there a call
// runs the first warp of all its CTAs, which reads and writes whole rows, then
// the second one of each. CTAs of other shapes run one after another.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_CTASWEEP_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_CTASWEEP_H

#include "WarpBuilder.h"

namespace ptxjit {

/// Do the ops of a kernel gain from a sweep, and may its warps run in that
/// order (CtaOrder.h)? They have no loop.
bool maySweep(const WarpBuilder &warp, llvm::ArrayRef<mlir::Operation *> ops);

/// Does a call run the first warp of all its CTAs before the second ones?
bool sweepsRows(const ShapeContext &context);

/// Emits the loop over the CTAs of the call. Further code goes into it.
void enterSweptCtas(WarpBuilder &warp);

/// Emits the loops over the strands `begin` to `end` - 1 and over the CTAs of
/// the call, with `ops` inside, whose order among the CTAs must not matter.
mlir::LogicalResult emitSweep(WarpBuilder &warp, mlir::Value begin,
                              mlir::Value end,
                              llvm::ArrayRef<mlir::Operation *> ops);

} // namespace ptxjit

#endif
