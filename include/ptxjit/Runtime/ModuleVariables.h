//===- ModuleVariables.h - the variables of a module in memory --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_MODULEVARIABLES_H
#define PTXJIT_RUNTIME_MODULEVARIABLES_H

#include "ptxjit/Runtime/CompilerABI.h"
#include "ptxjit/Runtime/Memory.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ptxjit {

/// The range that must hold all memory which the kernels can address.
AddressRange rangeOf(const PtxjitModuleInfo &module);

/// The memory of a module's variables, and of those that only kernels know.
/// Thread-safe.
class ModuleVariables {
public:
  /// \param module  outlives this.
  explicit ModuleVariables(const PtxjitModuleInfo &module) : module(module) {}
  ModuleVariables(const ModuleVariables &) = delete;

  /// Gives memory to the variables that have none, with their initial values.
  /// Others see a variable only when these are complete.
  void define(const PtxjitVariable *list, uint32_t count);
  /// Takes over the memory of managed variables; before define().
  void shareManaged(ModuleVariables &other);
  /// Gives managed variables their initial values again. No kernel may run.
  void resetManaged();

  /// Host address of a variable; 0 if there is none, or was no memory for it.
  uint64_t resolve(const std::string &name);
  /// Defines what an image uses. \returns PtxjitKernelContext::globals.
  std::vector<uint64_t> resolveGlobals(const PtxjitImage &image);

private:
  uint64_t addressOf(const std::string &symbol) const;
  uint64_t find(const std::string &name) const;
  void allocate(const PtxjitVariable &variable);
  void relocate(const PtxjitVariable &variable);

  const PtxjitModuleInfo &module;
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<void>> memory;
};

} // namespace ptxjit

#endif
