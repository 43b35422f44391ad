//===- RelocationsX86.cpp - relocations of x86-64 code --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Relocations.h"

#include <elf.h>

using namespace ptxjit;

bool ptxjit::relocateX86(const Relocation &relocation) {
  auto distance = int64_t(relocation.to - relocation.at);
  switch (relocation.type) {
  case R_X86_64_PC32:
  case R_X86_64_PLT32:
    return writeDistance<int32_t>(relocation, distance);
  case R_X86_64_PC64:
    return writeDistance<int64_t>(relocation, distance);
  }
  return false;
}
