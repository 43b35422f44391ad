//===- StreamedStores.h - stores that may go past the caches ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that writes an array and never reads it need not bring its lines
// into the caches, if the array is larger than these. This finds such arrays;
// whether they are large is known at the launch.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_STREAMEDSTORES_H
#define PTXJIT_ANALYSIS_STREAMEDSTORES_H

#include "ptxjit/Analysis/ParamArray.h"

namespace ptxjit {

/// Arrays that a kernel only writes, and its stores to them.
class StreamedStores : public ParamArrayAccesses {
public:
  /// \param func  in structured or masked form. Finds nothing if threads of
  /// different CTAs may communicate: stores past the caches come late.
  StreamedStores(ptx::FuncOp func, const ShapeAnalysis &shapes);

private:
  /// Sets what a thread writes to each array.
  void countBytes();
};

} // namespace ptxjit

#endif
