//===- Dependencies.h - what a program loads when it starts -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXJIT_DEPENDENCIES_H
#define PTXJIT_TOOLS_PTXJIT_DEPENDENCIES_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace ptxjit {

/// How a file is loaded.
enum class FileKind {
  NoElf,   ///< neither a program nor a library
  Foreign, ///< of another machine, or damaged
  Static,  ///< a program that needs no dynamic linker
  Dynamic  ///< a program or a library
};
FileKind kindOfFile(llvm::StringRef file);

/// A library that a program or another library needs.
struct Dependency {
  std::string name; ///< "libcudart.so.13"
  std::string path; ///< empty: it is not found
};

/// Asks the dynamic linker what it would load for `program`, of kind Dynamic,
/// in the environment of this process. Runs no code of the program. \param
/// problems
///   what the linker complains about, but for libraries that are missing.
std::vector<Dependency> findDependencies(const std::string &program,
                                         std::vector<std::string> &problems);

} // namespace ptxjit

#endif
