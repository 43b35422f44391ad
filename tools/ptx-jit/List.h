//===- List.h - the command `list` ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXJIT_LIST_H
#define PTXJIT_TOOLS_PTXJIT_LIST_H

#include <string>
#include <vector>

namespace ptxjit {

/// `ptx-jit list FILE...`: prints the device code in programs, libraries,
/// object files, archives and fat binaries, image by image, and what of it the
/// device can run. Of PTX files it also prints the parameters of the kernels;
/// with `withKernels` it prints the names of all others.
/// \returns the exit status: 1 if a file cannot be read, is damaged or has no
///   device code.
int listFiles(const std::vector<std::string> &files, bool withKernels);

} // namespace ptxjit

#endif
