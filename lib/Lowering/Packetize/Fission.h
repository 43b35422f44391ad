//===- Fission.h - split a kernel at its barriers ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_FISSION_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_FISSION_H

#include "WarpBuilder.h"
#include "ptxjit/Analysis/CtaLevel.h"

namespace ptxjit {

/// Emits the body of a kernel where the builder is, split at its barriers. \pre
/// `levels.whyNot()` is empty. \returns the size in bytes of the frame in which
/// a CTA keeps values of its warps from one part to another.
llvm::FailureOr<int64_t>
emitSplitKernel(WarpBuilder &warp, const CtaLevel &levels, mlir::Block &body);

} // namespace ptxjit

#endif
