//===- ReadFile.h - a file's bytes ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_READFILE_H
#define PTXJIT_RUNTIME_READFILE_H

#include <string>

namespace ptxjit {

/// Reads the file `path` to its end. Unlike iostreams, it does not throw if
/// `path` is a directory.
/// \returns 0, or the errno of what failed; `bytes` is empty then.
int readFile(const std::string &path, std::string &bytes);

} // namespace ptxjit

#endif
