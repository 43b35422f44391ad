//===- CompilerLoader.h - opens the compiler library ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_COMPILERLOADER_H
#define PTXJIT_RUNTIME_COMPILERLOADER_H

#include "ptxjit/Runtime/CompilerABI.h"
#include <string>

namespace ptxjit {

/// Opens the compiler at the first call (about 50 ms, since it contains LLVM).
/// Searches `PTXJIT_COMPILER`, then folders beside this code, then the system's
/// path. Null, with `error` set, if the library cannot be opened or has another
/// version. Thread-safe.
const PtxjitCompiler *loadCompiler(std::string &error);

/// Returns a string that identifies the build of the compiler which
/// loadCompiler would open, without opening it. Empty if there is none.
std::string identifyCompiler();

} // namespace ptxjit

#endif
