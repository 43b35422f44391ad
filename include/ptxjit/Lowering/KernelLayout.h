//===- KernelLayout.h - where a kernel's variables lie ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LOWERING_KERNELLAYOUT_H
#define PTXJIT_LOWERING_KERNELLAYOUT_H

#include "mlir/IR/BuiltinOps.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "llvm/ADT/StringMap.h"

namespace ptxjit {

/// Layout of the memory that one kernel sees.
///  - `.global`, `.const`: entries of the context's table, in module order.
///  - `.shared`: offsets from PTXJIT_SHARED_BASE on; dynamic shared memory lies
///    behind all static data.
///  - `.local`: offsets in the thread's frame.
class KernelLayout {
public:
  KernelLayout(mlir::ModuleOp module, ptx::FuncOp kernel);

  /// Place of a variable: table index, or offset in its window. Nothing if the
  /// name is not a variable of this kernel.
  std::optional<int64_t> find(llvm::StringRef symbol) const;

  /// End of static shared data, as a shared address; where dynamic data begin.
  int64_t sharedEnd = 0;
  /// Frame of local memory per thread, a multiple of 16.
  int64_t localBytes = 0;
  /// Of the kernel's parameters.
  int64_t paramBytes = 0;
  /// The kernel asks for its place in a cluster, or reaches other CTAs' shared
  /// memory: addresses of shared variables tell the rank of the CTA.
  bool usesCluster = false;
  /// Where threads have stacks of their own: room for one frame more.
  int64_t stackReserve() const { return localBytes + (16 << 10); }
  /// Variables in `.global` and `.const`, in table order.
  llvm::SmallVector<ptx::VarOp> globals;

private:
  llvm::StringMap<int64_t> places;
};

} // namespace ptxjit

#endif
