//===- KernelLayout.h - where a kernel's variables lie ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LOWERING_KERNELLAYOUT_H
#define PTXJIT_LOWERING_KERNELLAYOUT_H

#include "mlir/IR/BuiltinOps.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace ptxjit {

/// The variables of a module, and what its functions use of them. Made once for
/// all kernels of a module, so that laying out each of them takes time for what
/// it uses, and not for the whole module.
class ModuleVariables {
public:
  explicit ModuleVariables(mlir::ModuleOp module);

private:
  friend class KernelLayout;
  /// What the code of functions refers to.
  struct Uses {
    void add(ptx::FuncOp func);
    void add(const Uses &other);
    /// Of variables, and of functions that are called or whose address is
    /// taken, without those that they refer to.
    llvm::SetVector<llvm::StringRef> names;
    /// Calls a function by its address, which may be any.
    bool callsByAddress = false;
    /// Tests whether an address is that of a constant, which may be any.
    bool testsForConstants = false;
    bool cluster = false;
  };
  /// The uses of a kernel and of all functions that it may call.
  Uses findUses(ptx::FuncOp kernel) const;
  /// The numbers of the variables that `kernel` lays out, in module order.
  llvm::SmallVector<unsigned> find(ptx::FuncOp kernel, const Uses &uses) const;

  llvm::SmallVector<ptx::VarOp> list; ///< in module order
  llvm::StringMap<unsigned> numbers;  ///< in `list`
  llvm::SmallVector<unsigned> constants;
  /// Shared variables of each kernel.
  llvm::StringMap<llvm::SmallVector<unsigned>> owned;
  llvm::MapVector<llvm::StringRef, Uses> functions; ///< that are no kernels
};

/// Where the variables that one kernel can see lie.
///  - `.global`, `.const`: an index in the context's table of addresses, which
///    has those that the kernel uses, in module order.
///  - `.shared`: an offset in the shared window, from PTXJIT_SHARED_BASE on, of
///    the kernel's own variables and those that it or its functions use.
///    Dynamic shared memory lies behind all static data.
///  - `.local`: an offset in the thread's frame.
class KernelLayout {
public:
  KernelLayout(const ModuleVariables &variables, ptx::FuncOp kernel);
  KernelLayout(mlir::ModuleOp module, ptx::FuncOp kernel)
      : KernelLayout(ModuleVariables(module), kernel) {}

  /// The place of a variable: a table index, or an offset in its window.
  /// Nothing if the name is not a variable of this kernel.
  std::optional<int64_t> find(llvm::StringRef symbol) const;
  /// The variable of that name; null as above.
  ptx::VarOp findVariable(llvm::StringRef symbol) const {
    return places.lookup(symbol).var;
  }

  /// May the kernel call the function, or have its address?
  bool mayCall(llvm::StringRef function) const {
    return functions.contains(function);
  }

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
  /// The used variables in `.global` and `.const`, in table order.
  llvm::SmallVector<ptx::VarOp> globals;

private:
  void place(ptx::VarOp var);

  struct Place {
    ptx::VarOp var;
    int64_t at = 0;
  };
  llvm::StringMap<Place> places;
  llvm::DenseSet<llvm::StringRef> functions;
  llvm::SmallVector<ptx::VarOp> dynamicShared;
};

} // namespace ptxjit

#endif
