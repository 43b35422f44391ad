//===- CompileCommand.h - the command `compile` -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXJIT_COMPILECOMMAND_H
#define PTXJIT_TOOLS_PTXJIT_COMPILECOMMAND_H

#include "llvm/Support/CommandLine.h"

namespace ptxjit {

/// `ptx-jit compile`, and its options.
llvm::cl::SubCommand &getCompileCommand();
llvm::cl::OptionCategory &getCompileCategory();

/// Does what the command line says. \returns the exit status.
int runCompile();

} // namespace ptxjit

#endif
