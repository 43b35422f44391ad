//===- Program.h - the device code in programs ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXJIT_PROGRAM_H
#define PTXJIT_TOOLS_PTXJIT_PROGRAM_H

#include "ptxjit/ptxjit.h"
#include "llvm/ADT/StringRef.h"

namespace ptxjit {

/// The fat binaries of a module: one, or those that are linked (see
/// Module::loadFatBinaries).
using FatBinaries = std::vector<std::string_view>;

/// Is it an executable or a shared library (ELF)?
bool isProgram(llvm::StringRef file);

/// Finds the modules that nvcc has embedded in an executable or a shared
/// library, in the order in which the program registers them. `name` is for
/// messages; the result refers to `file`, which must be aligned to 8 bytes.
/// Errors: NotFound, if the program is damaged, of another machine or has none.
Result<std::vector<FatBinaries>> findModules(llvm::StringRef file,
                                             const std::string &name);

} // namespace ptxjit

#endif
