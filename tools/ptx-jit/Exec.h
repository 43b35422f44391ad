//===- Exec.h - run programs with our libraries in front --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXJIT_EXEC_H
#define PTXJIT_TOOLS_PTXJIT_EXEC_H

namespace ptxjit {

/// `ptx-jit exec [--] PROGRAM ARGS...`: becomes that program, which finds our
/// libcuda, libcudart and libgpuocelot before all others, and our ptxas, unless
/// the user has named another for Triton. Returns only if it cannot be started:
/// 126 or 127, as shells do.
int execProgram(int argc, char **argv);

} // namespace ptxjit

#endif
