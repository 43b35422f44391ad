//===- StreamedLoads.h - loads that may be fetched early --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CPUs fetch memory early where they see code walk along it. They do not see
// far if it walks along many rows at once, or takes many instructions for a
// line. This finds the arrays that a kernel only reads so; whether they are
// larger than the caches is known at the launch.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_STREAMEDLOADS_H
#define PTXJIT_ANALYSIS_STREAMEDLOADS_H

#include "ptxjit/Analysis/ParamArray.h"

namespace ptxjit {

/// Arrays that a kernel only reads, and the loads whose rows may be fetched
/// early: the first one of each row.
class StreamedLoads : public ParamArrayAccesses {
public:
  /// \param func  in structured or masked form.
  StreamedLoads(ptx::FuncOp func, const ShapeAnalysis &shapes);
};

} // namespace ptxjit

#endif
