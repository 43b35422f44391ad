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
#include "llvm/ADT/DenseMap.h"

namespace ptxjit {

class StreamedStores {
public:
  /// \param func  in structured or masked form. Finds nothing if threads of
  /// different CTAs may communicate: stores past the caches come late.
  StreamedStores(ptx::FuncOp func, const ShapeAnalysis &shapes);

  /// Those that the kernel only writes.
  llvm::ArrayRef<ParamArray> getArrays() const { return arrays; }
  /// The index of the array that a store writes; nothing if it is none of
  /// getArrays().
  std::optional<unsigned> arrayOf(ptx::StOp store) const;

private:
  void addStore(ptx::StOp store, uint32_t param);
  /// Sets what a thread writes to each array.
  void countBytes();

  llvm::SmallVector<ParamArray> arrays;
  llvm::DenseMap<mlir::Operation *, unsigned> stores;
};

} // namespace ptxjit

#endif
