//===- Impl.h - what the handles of the interface refer to ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handle shares its Impl with its copies. A kernel keeps its module alive. A
// launch in a stream keeps its kernel alive.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_INTERFACE_IMPL_H
#define PTXJIT_LIB_INTERFACE_IMPL_H

#include "ptxjit/Runtime/LaunchShape.h"
#include "ptxjit/Runtime/LoadedModule.h"
#include "ptxjit/ptxjit.h"

/// Members of exported classes would be exported, too.
#define PTXJIT_LOCAL __attribute__((visibility("hidden")))

namespace ptxjit {

struct PTXJIT_LOCAL Module::Impl {
  std::unique_ptr<LoadedModule> loaded;
  std::string warnings;
};

/// The bytes of a launch's arguments, as `.param` space has them.
using ParamBlock = std::vector<uint64_t>;

struct PTXJIT_LOCAL Kernel::Impl {
  std::shared_ptr<Module::Impl> module;
  const PtxjitKernelInfo *info; ///< the module's
  std::string name;
  CompileOptions options;

  /// Lays out the arguments. Errors: InvalidArgument.
  Error layOut(const std::vector<Argument> &arguments, ParamBlock &block) const;
  Error run(const LaunchConfig &config, const ParamBlock &block) const;
  /// The compiler's options. They refer to texts of this object.
  KernelOptions getOptions() const;
  /// Sets `shape` to the extents of `config`, where these leave them open to
  /// those that the kernel declares. Errors: InvalidArgument.
  Error complete(const LaunchConfig &config, LaunchShape &shape) const;
  /// Completes the shape, and compiles for its block. The result is the
  /// module's. \param how  getOptions(), maybe with another tier.
  Result<const CompiledKernel *> compile(const LaunchConfig &config,
                                         const KernelOptions &how,
                                         LaunchShape &shape) const;
};

/// Returns the error of a launch that ended with `status`. `text` has the
/// diagnostics of the runtime; if it is empty, the status describes itself.
Error makeError(LaunchStatus status, const std::string &text);
/// Drops "error: " in front of `text`, and newlines at its end.
Error makeError(ErrorCode code, std::string text);

} // namespace ptxjit

#endif
