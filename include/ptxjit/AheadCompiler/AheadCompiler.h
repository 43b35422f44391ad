//===- AheadCompiler.h - compiles modules ahead of time ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the object file and the header of a module, for programs that link
// libptxjit-runtime (ptxjit-runtime.h).
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_AHEADCOMPILER_AHEADCOMPILER_H
#define PTXJIT_AHEADCOMPILER_AHEADCOMPILER_H

#include "ptxjit/Runtime/LoadedModule.h"

#include <string>
#include <vector>

namespace ptxjit {

/// A block that a kernel is compiled for.
struct AheadBlock {
  std::string kernel; ///< empty: all kernels
  uint32_t block[3];
};

struct AheadRequest {
  std::string name;     ///< an identifier of C, with which names begin
  std::string producer; ///< "ptx-jit 0.2.0"
  /// Empty: the system of `cpu`, or this machine's.
  std::string target;
  /// LLVM's name; empty: the least that ptx-jit supports of `target`.
  std::string cpu;
  /// Kernels without one are compiled for what they require (`.reqntid`), or
  /// else for any block.
  std::vector<AheadBlock> blocks;
  bool keepsText = false;     ///< so that faults quote it
  bool hasLargeGrids = false; ///< more than 2^31 threads in a dimension
};

/// What is made of a module.
struct CompiledFiles {
  std::string object; ///< relocatable ELF
  std::string header; ///< for C and C++
};

/// Who is to blame.
enum class AheadFailure {
  None,
  Request, ///< it names something that there is not
  Kernel,  ///< a kernel cannot be compiled (so)
};

/// Compiles all kernels of a module. `diagnostics` gets errors and warnings.
AheadFailure compileAhead(LoadedModule &module, const AheadRequest &request,
                          CompiledFiles &files, std::string &diagnostics);

} // namespace ptxjit

#endif
