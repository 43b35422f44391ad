//===- SharedOrder.h - where warps must not run ahead -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU runs the warps of a CTA side by side. There are programs whose warps
// share memory without a barrier and are right as long as no warp runs far
// ahead. This analysis finds where they need the others to have come as far.
//
// Warps are kept together in front of an access to shared memory if another
// warp may have to touch the same bytes before it: it reads what this one
// writes, or writes what this one reads, and there is neither a barrier in
// between nor a loop that waits for others. Such a place always stands under
// control that all warps of the CTA share. A region that only some of the warps
// enter is one access for all it does.
//
// Whether two warps touch the same bytes is asked of the addresses' thread
// forms (ThreadForm.h). When in doubt they do, unless the doubt comes from the
// threads' data.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_SHAREDORDER_H
#define PTXJIT_ANALYSIS_SHAREDORDER_H

#include "ptxjit/Analysis/Shape.h"
#include <string>
#include <vector>

namespace ptxjit {

/// A place where warps are kept together.
struct OrderPoint {
  mlir::Operation *before; ///< the op in front of which it lies
  std::string why;         ///< for people
};

/// The places of a kernel in structured form. There are none if the CTA is one
/// warp. If the kernel can be split at its barriers (CtaLevel.h) it can be
/// split at these places, too. Where threads run one by one, because
/// `context.lanes` is 1 or the kernel needs that (ExecutionMode.h), each is a
/// warp of its own.
std::vector<OrderPoint> findSharedOrder(ptx::FuncOp kernel,
                                        ShapeContext context);

} // namespace ptxjit

#endif
