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

/// Does `op` depend on the cluster, or access the shared memory of its CTAs?
static bool needsCluster(Operation *op) {
  if (auto cluster = dyn_cast<ClusterOpInterface>(op))
    if (cluster.dependsOnCluster())
      return true;
  auto access = dyn_cast<SpaceOpInterface>(op);
  return access && access.getAddressSpace() == Space::SharedCluster;
}

void ModuleVariables::Uses::add(FuncOp func) {
  func.walk([&](Operation *op) {
    if (auto address = dyn_cast<AddressOfOp>(op))
      names.insert(address.getSymbol());
    else if (auto call = dyn_cast<CallOp>(op); call && call.getCallee())
      names.insert(*call.getCallee());
    else if (call)
      callsByAddress = true;
    else if (auto test = dyn_cast<IsSpacepOp>(op)) // `.global`: not constant
      testsForConstants |=
          test.getSpace() == Space::Const || test.getSpace() == Space::Global;
    cluster |= needsCluster(op);
  });
}

void ModuleVariables::Uses::add(const Uses &other) {
  names.insert_range(other.names);
  callsByAddress |= other.callsByAddress;
  testsForConstants |= other.testsForConstants;
  cluster |= other.cluster;
}

ModuleVariables::ModuleVariables(ModuleOp module) {
  llvm::StringSet<> kernels;
  for (FuncOp func : module.getOps<FuncOp>())
    if (func.getEntry())
      kernels.insert(func.getSymName());
    else
      functions[func.getSymName()].add(func);
  for (VarOp var : module.getOps<VarOp>()) {
    unsigned number = list.size();
    list.push_back(var);
    numbers[var.getSymName()] = number;
    if (var.getSpace() == Space::Const)
      constants.push_back(number);
    if (var.getSpace() == Space::Shared && var.getOwner() &&
        kernels.contains(*var.getOwner()))
      owned[*var.getOwner()].push_back(number);
  }
}

ModuleVariables::Uses ModuleVariables::findUses(FuncOp kernel) const {
  Uses all;
  all.add(kernel);
  for (size_t i = 0; i < all.names.size(); ++i)
    if (const auto *it = functions.find(all.names[i]); it != functions.end())
      all.add(it->second);
  if (all.callsByAddress)
    for (const auto &[name, uses] : functions) {
      all.names.insert(name);
      all.add(uses);
    }
  return all;
}

llvm::SmallVector<unsigned> ModuleVariables::find(FuncOp kernel,
                                                  const Uses &uses) const {
  llvm::SmallSetVector<unsigned, 16> found;
  if (auto it = owned.find(kernel.getSymName()); it != owned.end())
    found.insert_range(it->second);
  if (uses.testsForConstants)
    found.insert_range(constants);
  auto add = [&](StringRef name) {
    if (auto it = numbers.find(name); it != numbers.end())
      found.insert(it->second);
  };
  llvm::for_each(uses.names, add);
  // Initial values hold addresses of more variables.
  for (size_t i = 0; i < found.size(); ++i) {
    VarOp var = list[found[i]];
    if (auto relocs = var.getRelocsAttr())
      for (Attribute reloc : relocs)
        add(cast<FlatSymbolRefAttr>(cast<ArrayAttr>(reloc)[2]).getValue());
  }
  llvm::SmallVector<unsigned> sorted(found.takeVector());
  llvm::sort(sorted);
  return sorted;
}

KernelLayout::KernelLayout(const ModuleVariables &variables, FuncOp kernel)
    : sharedEnd(PTXJIT_SHARED_BASE), paramBytes(kernel.getParamBytes()) {
  ModuleVariables::Uses uses = variables.findUses(kernel);
  usesCluster = uses.cluster;
  for (StringRef name : uses.names)
    if (variables.functions.contains(name))
      functions.insert(name);
  for (unsigned number : variables.find(kernel, uses))
    place(variables.list[number]);
  int64_t dynamicAlign = 16;
  for (VarOp var : dynamicShared)
    dynamicAlign = std::max<int64_t>(dynamicAlign, var.getAlign());
  sharedEnd = llvm::alignTo(sharedEnd, dynamicAlign);
  for (VarOp var : dynamicShared)
    places[var.getSymName()] = {var, sharedEnd};
  localBytes = llvm::alignTo(localBytes, 16);
}

void KernelLayout::place(VarOp var) {
  auto append = [&](int64_t &end) {
    int64_t at = llvm::alignTo(end, var.getAlign());
    end = at + var.getBytes();
    return at;
  };
  switch (var.getSpace()) {
  case Space::Global:
  case Space::Const:
    places[var.getSymName()] = {var, int64_t(globals.size())};
    globals.push_back(var);
    break;
  case Space::Shared:
    if (var.getBytes() == 0)
      dynamicShared.push_back(var);
    else
      places[var.getSymName()] = {var, append(sharedEnd)};
    break;
  case Space::Local:
  case Space::Param:
    places[var.getSymName()] = {var, append(localBytes)};
    break;
  default:
    break;
  }
}

std::optional<int64_t> KernelLayout::find(StringRef symbol) const {
  auto it = places.find(symbol);
  if (it == places.end())
    return std::nullopt;
  return it->second.at;
}
