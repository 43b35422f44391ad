//===- ParsedModule.h - what the library knows of a module ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_JIT_PARSEDMODULE_H
#define PTXJIT_LIB_JIT_PARSEDMODULE_H

#include "Session.h"
#include "ptxjit/Dialect/PtxOps.h"

#include <deque>
#include <string>
#include <vector>

namespace ptxjit {

/// Variables in the form of the C interface, with the memory they point to.
class VariableList {
public:
  void add(ptx::VarOp var);
  /// Keeps a text as long as the list.
  const char *keep(llvm::StringRef text) {
    return strings.emplace_back(text.str()).c_str();
  }
  std::vector<PtxjitVariable> variables;

private:
  const PtxjitReloc *addRelocs(mlir::ArrayAttr list);

  std::deque<std::string> strings;
  std::deque<std::vector<int8_t>> bytes;
  std::deque<std::vector<PtxjitReloc>> relocs;
};

} // namespace ptxjit

/// A module of the C interface (CompilerABI.h): its text and what it declares.
/// Kernels are parsed again when they are compiled.
struct PtxjitModule {
  llvm::StringRef text; ///< the caller's
  std::string fileName;
  ptxjit::BodyEnds bodyEnds; ///< of skipped bodies
  ptxjit::VariableList variables;
  std::deque<std::vector<PtxjitParam>> params;
  std::vector<PtxjitKernelInfo> kernels;
  std::vector<const char *> functions;
  PtxjitModuleInfo info{};
};

namespace ptxjit {

/// Parses a module.
/// \param source       must outlive the result.
/// \param checkBodies  also parse the bodies of functions, and verify them.
/// \param numErrors    is set, if not null.
/// \returns null after errors, which `diagnostics` has got.
std::unique_ptr<PtxjitModule> readModule(llvm::StringRef source,
                                         const char *fileName, bool checkBodies,
                                         PtxjitSink diagnostics,
                                         uint32_t *numErrors);

/// How to parse a module once more for one of its kernels.
ParseOptions optionsFor(const PtxjitModule &module, llvm::StringRef kernel);

} // namespace ptxjit

#endif
