//===- SharedOrder.h - places where warps must not run ahead ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU runs the warps of a CTA side by side. Some programs share memory
// between warps without a barrier, and are correct as long as no warp runs far
// ahead. We run warps one after another, so this analysis finds the places of
// order: where a warp must give the others time to catch up.
//
// There is a place of order before an access to shared memory if another warp
// may have to access the same bytes earlier in the program: it reads what this
// access writes, or writes what this access reads, and neither a barrier nor a
// loop that waits for others lies in between. Where we run fewer than 32
// threads together, two writes count, too, if they are those of one warp of a
// GPU, which is in lockstep. Places of order always stand under control flow
// that all warps of the CTA share. A region that only some warps enter counts
// as one access that does all that the region does.
//
// The thread forms of addresses (ThreadForm.h) tell whether two warps access
// the same bytes. If that is unknown they do, unless it is unknown because the
// addresses depend on the threads' data.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_SHAREDORDER_H
#define PTXJIT_ANALYSIS_SHAREDORDER_H

#include "ptxjit/Analysis/Shape.h"
#include <string>
#include <vector>

namespace ptxjit {

/// A place of order.
struct OrderPoint {
  mlir::Operation *before; ///< the place is in front of this op
  std::string why;         ///< the reason, for people
};

/// Finds the places of order of a kernel in structured form. There are none if
/// the CTA has only one warp. If the kernel can be split at its barriers
/// (CtaLevel.h), it can be split at these places, too. If threads run one by
/// one, because `context.lanes` is 1 or the kernel needs it (ExecutionMode.h),
/// each thread counts as a warp.
std::vector<OrderPoint> findSharedOrder(ptx::FuncOp kernel,
                                        ShapeContext context);

} // namespace ptxjit

#endif
