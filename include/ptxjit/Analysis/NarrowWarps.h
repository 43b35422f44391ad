//===- NarrowWarps.h - fewer than 32 threads together -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel without operations of warps cannot tell how many threads run
// together. A *narrow warp* has fewer than 32, two vectors as a rule. Its
// values need fewer registers, its code is shorter, and where the rows of a
// block are short, it has one row. The warps of the ISA hide more of the
// latency of instructions, and read more of a line of memory at once.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_NARROWWARPS_H
#define PTXJIT_ANALYSIS_NARROWWARPS_H

#include "ptxjit/Analysis/Shape.h"

namespace ptxjit {

/// How many threads of `kernel` run together: kWarpLanes, or a multiple of
/// `chunk` that is a power of two.
/// \param chunk  lanes of a vector.
/// \param always  fewer than kWarpLanes if that is possible; else if it is
///   faster.
unsigned chooseLanes(ptx::FuncOp kernel, const ShapeContext &context,
                     unsigned chunk, bool always);

} // namespace ptxjit

#endif
