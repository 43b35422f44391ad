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

/// Where the variables that one kernel can see lie.
///  - `.global`, `.const`: an index in the context's table of addresses, in
///    module order.
///  - `.shared`: an offset in the shared window, from PTXJIT_SHARED_BASE on.
///    Dynamic shared memory lies behind all static data.
///  - `.local`: an offset in the thread's frame.
class KernelLayout {
public:
  KernelLayout(mlir::ModuleOp module, ptx::FuncOp kernel);

  /// The place of a variable: a table index, or an offset in its window.
  /// Nothing if the name is not a variable of this kernel.
  std::optional<int64_t> find(llvm::StringRef symbol) const;

  /// End of the static shared data, as a shared address. Dynamic data begin
  /// here.
  int64_t sharedEnd = 0;
  /// Size of the local memory frame of a thread, a multiple of 16.
  int64_t localBytes = 0;
  /// Size of the kernel's parameters.
  int64_t paramBytes = 0;
  /// The kernel depends on its place in a cluster, or accesses
  /// `.shared::cluster` memory. Addresses of shared variables then hold the
  /// rank of the CTA.
  bool usesCluster = false;
  /// In thread mode, the bytes of stack that must stay free: one frame, and 16
  /// KiB.
  int64_t stackReserve() const { return localBytes + (16 << 10); }
  /// Variables in `.global` and `.const`, in table order.
  llvm::SmallVector<ptx::VarOp> globals;

private:
  llvm::StringMap<int64_t> places;
};

} // namespace ptxjit

#endif
