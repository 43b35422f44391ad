//===- Program.h - programs that are compiled -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NVRTC_PROGRAM_H
#define PTXJIT_LIB_NVRTC_PROGRAM_H

#include "RealNvrtc.h"

#include <memory>
#include <string>

namespace ptxjit::nvrtc {

/// What a handle stands for: a program of NVIDIA's library, or one that cannot
/// be compiled, if there is none.
struct Program {
  Program() = default;
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;
  ~Program();

  const RealNvrtc *library = nullptr;
  nvrtcProgram real = nullptr;
  bool wantsCubin = false;
  std::string log; ///< takes the place of the library's; empty: none
};

/// Makes a handle.
nvrtcProgram addProgram(std::shared_ptr<Program> program);
/// Null for what is no handle. The program lives on while it is used.
std::shared_ptr<Program> findProgram(nvrtcProgram handle);
/// \returns false for what is no handle.
bool removeProgram(nvrtcProgram handle);

} // namespace ptxjit::nvrtc

#endif
