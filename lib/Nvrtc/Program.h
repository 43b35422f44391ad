//===- Program.h - programs that are compiled -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NVRTC_PROGRAM_H
#define PTXJIT_LIB_NVRTC_PROGRAM_H

#include "RealNvrtc.h"
#include "ptxjit/Runtime/HandleTable.h"

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

HandleTable<Program, nvrtcProgram> &getPrograms();

} // namespace ptxjit::nvrtc

#endif
