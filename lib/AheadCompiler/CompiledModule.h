//===- CompiledModule.h - what becomes an object file -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_AHEADCOMPILER_COMPILEDMODULE_H
#define PTXJIT_LIB_AHEADCOMPILER_COMPILEDMODULE_H

#include "ptxjit/AheadCompiler/AheadCompiler.h"
#include "ptxjit/Cache/FlatCode.h"

#include <memory>

namespace ptxjit {

/// Code of a kernel.
struct CompiledVariant {
  uint32_t kernel = 0; ///< number in the module
  PtxjitSpecialization spec{};
  std::shared_ptr<const PtxjitImage> image;
  FlatCode code;
};

struct CompiledModule {
  const PtxjitModuleInfo &info;
  const AheadRequest &request;
  std::string cpu; ///< LLVM's name
  /// Those of a kernel follow each other, the ones for any block last.
  std::vector<CompiledVariant> variants;
};

/// Directives of an assembler that describe the module's object (AheadABI.h).
std::string writeAssembly(const CompiledModule &module);

/// A header that declares the object, and defines a typed function for each
/// kernel and variable.
std::string writeHeader(const CompiledModule &module);

/// "256 x 1 x 1 threads", or which blocks a variant for any block serves.
std::string describeBlock(const CompiledVariant &variant);

/// Names of PTX as identifiers of C, each different from the others: without
/// the parameters that C++ mangles into them where that is enough.
std::vector<std::string> toIdentifiers(const std::vector<std::string> &names);

/// An identifier of C that is like `name`, and no keyword.
std::string toIdentifier(const std::string &name);

} // namespace ptxjit

#endif
