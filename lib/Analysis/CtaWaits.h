//===- CtaWaits.h - a warp that waits for other CTAs ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_ANALYSIS_CTAWAITS_H
#define PTXJIT_LIB_ANALYSIS_CTAWAITS_H

#include "ptxjit/Analysis/CtaLevel.h"

namespace ptxjit {

/// Does each loop of a kernel that waits on memory wait for other CTAs alone?
/// One call may then run all warps of the CTA, one after another. So it is
/// where one warp looks back at what earlier CTAs have found, and the others
/// wait at a barrier (scans over a grid): between two barriers no other warp
/// writes anything that it may wait for.
/// \param levels  of the kernel, which can be split at its barriers.
bool waitsForOtherCtas(ptx::FuncOp kernel, const CtaLevel &levels,
                       const ShapeAnalysis &shapes);

} // namespace ptxjit

#endif
