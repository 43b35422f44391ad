//===- NvidiaLibrary.h - NVIDIA's library behind one of ours ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some of our libraries hand work on to the library of NVIDIA's that they stand
// in front of. It has the same name, so it cannot be opened by that.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_NVIDIALIBRARY_H
#define PTXJIT_RUNTIME_NVIDIALIBRARY_H

#include <string>
#include <vector>

namespace ptxjit {

/// Returns the files that may be NVIDIA's library `name` ("libnvrtc.so.13"),
/// best first: wheels of Python packages beside what the process has loaded and
/// beside its program, the CUDA toolkit (CUDA_HOME, CUDA_PATH),
/// LD_LIBRARY_PATH, and the usual folders. Only files that exist.
std::vector<std::string> findLibraryFiles(const std::string &name);

/// Opens NVIDIA's library: the file that the environment variable `variable`
/// names, or else the first that can be opened, of the first of `names` that
/// there is.
/// \param ours  an address in the calling library, which is not taken.
/// \param error  gets the reason if there is none.
/// \returns a handle of dlopen(), or null.
void *openNvidiaLibrary(const std::vector<std::string> &names,
                        const char *variable, const void *ours,
                        std::string &error);

} // namespace ptxjit

#endif
