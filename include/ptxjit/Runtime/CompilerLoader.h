//===- CompilerLoader.h - open the compiler library -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_COMPILERLOADER_H
#define PTXJIT_RUNTIME_COMPILERLOADER_H

#include "ptxjit/Runtime/CompilerABI.h"
#include <string>

namespace ptxjit {

/// The compiler, opened at the first call (about 50 ms: it brings LLVM along).
/// Looked for in `PTXJIT_COMPILER`, then beside this code, then by the system.
/// Null, with `error` set, if it cannot be opened or speaks another version.
/// Thread-safe.
const PtxjitCompiler *loadCompiler(std::string &error);

/// Tells the build of the compiler that loadCompiler would open from others,
/// without opening it. Empty if it is not to be found.
std::string identifyCompiler();

} // namespace ptxjit

#endif
