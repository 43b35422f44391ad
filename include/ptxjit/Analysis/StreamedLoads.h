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
#include "llvm/ADT/DenseMap.h"

namespace ptxjit {

class StreamedLoads {
public:
  /// \param func  in structured or masked form.
  StreamedLoads(ptx::FuncOp func, const ShapeAnalysis &shapes);

  llvm::ArrayRef<ParamArray> getArrays() const { return arrays; }
  /// The index of the array that a load reads; nothing if it is none of
  /// getArrays(), or if a load beside it reads the same row.
  std::optional<unsigned> arrayOf(ptx::LdOp load) const;

private:
  void addLoad(ptx::LdOp load, uint32_t param);

  llvm::SmallVector<ParamArray> arrays;
  llvm::DenseMap<mlir::Operation *, unsigned> loads;
};

} // namespace ptxjit

#endif
