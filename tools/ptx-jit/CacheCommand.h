//===- CacheCommand.h - the command `cache` ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXJIT_CACHECOMMAND_H
#define PTXJIT_TOOLS_PTXJIT_CACHECOMMAND_H

#include "llvm/Support/CommandLine.h"

namespace ptxjit {

/// `ptx-jit cache`, and its options.
llvm::cl::SubCommand &getCacheCommand();
llvm::cl::OptionCategory &getCacheCategory();

/// Does what the command line says. \returns the exit status.
int runCache();

} // namespace ptxjit

#endif
