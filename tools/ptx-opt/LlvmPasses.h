//===- LlvmPasses.h - run a pass of the JIT on LLVM IR ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What ptx-opt does with .ll: the stages behind the llvm dialect, each alone.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTX_OPT_LLVMPASSES_H
#define PTXJIT_TOOLS_PTX_OPT_LLVMPASSES_H

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxjit {

/// Whether the command line names a pass for LLVM IR.
bool wantsLlvmPasses();

/// Parses `input`, runs what the command line asks for, in its order, for the
/// CPU that it names, and prints the module. Errors go to stderr.
/// \returns whether all went well.
bool runLlvmPasses(const llvm::MemoryBuffer &input, llvm::raw_ostream &output);

} // namespace ptxjit

#endif
