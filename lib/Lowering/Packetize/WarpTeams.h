//===- WarpTeams.h - warps that run side by side ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_WARPTEAMS_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_WARPTEAMS_H

#include "WarpBuilder.h"
#include "ptxjit/Lowering/TeamPlan.h"

namespace ptxjit {

/// Code of one warp before and behind its ops, emitted where the builder is.
struct WarpFrameCode {
  llvm::function_ref<llvm::LogicalResult()> before, after;
};

/// Emits a loop over all warps of the CTA: in each iteration, a team of
/// `plan.warps` warps runs `ops`, which stand in one block, side by side.
/// \pre plan.warps > 1. Afterwards values have the forms that they had before.
llvm::LogicalResult emitTeams(WarpBuilder &warp, const TeamPlan &plan,
                              llvm::ArrayRef<mlir::Operation *> ops,
                              WarpFrameCode code);

} // namespace ptxjit

#endif
