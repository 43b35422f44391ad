//===- Exec.h - run programs with our libraries in front --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXJIT_EXEC_H
#define PTXJIT_TOOLS_PTXJIT_EXEC_H

#include <string>

namespace ptxjit {

/// Sets the variables by which programs that this process starts find our
/// libraries and tools. \returns the folder of the libraries; empty if they are
/// missing, which stderr says.
std::string prepareEnvironment();

/// `ptx-jit exec [--] PROGRAM ARGS...`: replaces this process by PROGRAM, which
/// finds our libcuda, libcudart, libnvidia-ml, libnccl, libcublas, libcudnn,
/// libnvrtc, libnvJitLink and libgpuocelot before all others. It also finds our
/// build tools and nvidia-smi, unless the user named another ptxas for Triton.
/// `argv` holds the arguments behind `exec`.
/// \returns only if PROGRAM cannot be started: 127 if it is not found and 126
/// otherwise, as shells do; 1 if there is no PROGRAM or our libraries are
/// missing.
int execProgram(int argc, char **argv);

} // namespace ptxjit

#endif
