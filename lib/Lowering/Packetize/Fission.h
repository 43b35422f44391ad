//===- Fission.h - a kernel in parts, split at its barriers -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_FISSION_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_FISSION_H

#include "WarpBuilder.h"
#include "ptxjit/Analysis/CtaLevel.h"

namespace ptxjit {

/// Emits a kernel's body where the builder is. \param levels  how to split it;
/// `levels.whyNot()` is empty. \returns the bytes of the frame that a CTA needs
/// for what its warps keep from one part to another.
llvm::FailureOr<int64_t>
emitSplitKernel(WarpBuilder &warp, const CtaLevel &levels, mlir::Block &body);

} // namespace ptxjit

#endif
