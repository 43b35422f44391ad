//===- Doctor.h - the command `doctor` --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_PTXJIT_DOCTOR_H
#define PTXJIT_TOOLS_PTXJIT_DOCTOR_H

namespace ptxjit {

/// `ptx-jit doctor [--] PROGRAM ARGS...`: prints what a program and the
/// libraries that it needs have of device code and of CUDA, and what keeps it
/// from running by `ptx-jit exec`. Runs nothing of it. `argv` holds the
/// arguments behind `doctor`; those of the program have no effect.
/// \returns the exit status: 0 if nothing is known to keep it from running.
int examineProgram(int argc, char **argv);

} // namespace ptxjit

#endif
