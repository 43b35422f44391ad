//===- LlvmPasses.h - run single passes of the JIT on LLVM IR ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ptx-opt for .ll files: runs single stages that come after the llvm dialect.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTX_OPT_LLVMPASSES_H
#define PTXJIT_TOOLS_PTX_OPT_LLVMPASSES_H

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

namespace ptxjit {

/// Whether the command line names a pass for LLVM IR.
bool wantsLlvmPasses();

/// Parses `input`, runs the passes of the command line in their order, for the
/// CPU that it names, and prints the module. Errors go to stderr.
/// \returns whether there was no error.
bool runLlvmPasses(const llvm::MemoryBuffer &input, llvm::raw_ostream &output);

} // namespace ptxjit

#endif
