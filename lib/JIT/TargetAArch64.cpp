//===- TargetAArch64.cpp - which AArch64 CPUs code is made for ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Architecture.h"

using namespace llvm;
using namespace ptxjit;

// LLVM lacks headers for these in part.
extern "C" {
void LLVMInitializeAArch64TargetInfo();
void LLVMInitializeAArch64Target();
void LLVMInitializeAArch64TargetMC();
void LLVMInitializeAArch64AsmPrinter();
void LLVMInitializeAArch64AsmParser();
}

static void initialize() {
  LLVMInitializeAArch64TargetInfo();
  LLVMInitializeAArch64Target();
  LLVMInitializeAArch64TargetMC();
  LLVMInitializeAArch64AsmPrinter();
  LLVMInitializeAArch64AsmParser(); // for the device library's statements
}

/// What LLVM may use of a CPU beyond ARMv8.0, by the bits of
/// CpuTarget::extensions. Groups that imply each other may both be there.
static constexpr StringLiteral kGroups[] = {
    "+lse",     "+rdm",    "+crc",       "+rcpc",     "+rcpc-immo",
    "+rcpc3",   "+jsconv", "+complxnum", "+fullfp16", "+fp16fml",
    "+dotprod", "+flagm",  "+fptoint",   "+bf16",     "+i8mm",
    "+sve",     "+sve2",   "+lse128",    "+pauth",    "+cssc",
    "+mops",    "+lse2",   "+altnzcv",   "+sha3",     "+wfxt"};

static Error describe(CpuTarget &cpu, const MCSubtargetInfo &info) {
  if (!info.checkFeatures("+neon"))
    return createStringError("CPU '" + cpu.name +
                             "' is not supported: NEON is needed");
  cpu.extensions = extensionsOf(info, kGroups);
  cpu.vectorBits = 128;
  cpu.device = DeviceLevel::Neon;
  return Error::success();
}

const Architecture ptxjit::kAArch64 = {"aarch64-unknown-linux-gnu", initialize,
                                       describe};
