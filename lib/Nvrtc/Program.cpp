//===- Program.cpp - programs that are compiled ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

using namespace ptxjit;
using namespace ptxjit::nvrtc;

Program::~Program() {
  if (real)
    (void)library->nvrtcDestroyProgram(&real);
}

HandleTable<Program, nvrtcProgram> &nvrtc::getPrograms() {
  static auto &programs = *new HandleTable<Program, nvrtcProgram>;
  return programs;
}
