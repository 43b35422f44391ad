//===- KernelLayout.cpp - where a kernel's variables lie ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/KernelLayout.h"

#include "ptxjit/Runtime/KernelABI.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// The names of the variables that a kernel, or a function that it may call,
/// uses.
static llvm::StringSet<> findUsed(ModuleOp module, FuncOp kernel) {
  llvm::StringSet<> used;
  for (FuncOp func : module.getOps<FuncOp>())
    if (func == kernel || !func.getEntry())
      func.walk([&](AddressOfOp op) { used.insert(op.getSymbol()); });
  return used;
}

/// Does `op` depend on the cluster, or access the shared memory of its CTAs?
static bool needsCluster(Operation *op) {
  if (auto cluster = dyn_cast<ClusterOpInterface>(op))
    if (cluster.dependsOnCluster())
      return true;
  auto access = dyn_cast<SpaceOpInterface>(op);
  return access && access.getAddressSpace() == Space::SharedCluster;
}

static bool needsCluster(ModuleOp module, FuncOp kernel) {
  bool found = false;
  for (FuncOp func : module.getOps<FuncOp>())
    if (func == kernel || !func.getEntry())
      func.walk([&](Operation *op) { found |= needsCluster(op); });
  return found;
}

KernelLayout::KernelLayout(ModuleOp module, FuncOp kernel)
    : paramBytes(kernel.getParamBytes()),
      usesCluster(needsCluster(module, kernel)) {
  int64_t shared = PTXJIT_SHARED_BASE, dynamicAlign = 16;
  llvm::SmallVector<VarOp> dynamic;
  llvm::StringSet<> used = findUsed(module, kernel);
  for (VarOp var : module.getOps<VarOp>()) {
    bool mine = !var.getOwner() || *var.getOwner() == kernel.getSymName() ||
                used.contains(var.getSymName());
    switch (var.getSpace()) {
    case Space::Global:
    case Space::Const:
      places[var.getSymName()] = globals.size();
      globals.push_back(var);
      break;
    case Space::Shared:
      if (!mine)
        break;
      if (var.getBytes() == 0) {
        dynamic.push_back(var);
        dynamicAlign = std::max<int64_t>(dynamicAlign, var.getAlign());
        break;
      }
      shared = llvm::alignTo(shared, var.getAlign());
      places[var.getSymName()] = shared;
      shared += var.getBytes();
      break;
    case Space::Local:
    case Space::Param:
      if (!used.contains(var.getSymName()))
        break;
      localBytes = llvm::alignTo(localBytes, var.getAlign());
      places[var.getSymName()] = localBytes;
      localBytes += var.getBytes();
      break;
    default:
      break;
    }
  }
  sharedEnd = llvm::alignTo(shared, dynamicAlign);
  for (VarOp var : dynamic)
    places[var.getSymName()] = sharedEnd;
  localBytes = llvm::alignTo(localBytes, 16);
}

std::optional<int64_t> KernelLayout::find(StringRef symbol) const {
  auto it = places.find(symbol);
  if (it == places.end())
    return std::nullopt;
  return it->second;
}
