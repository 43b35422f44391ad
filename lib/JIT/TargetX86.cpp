//===- TargetX86.cpp - which x86-64 CPUs code is made for -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Architecture.h"

#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

using namespace llvm;
using namespace ptxjit;

// LLVM lacks headers for these in part.
extern "C" {
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
void LLVMInitializeX86AsmParser();
}

static void initialize() {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMInitializeX86AsmParser(); // for the device library's statements
}

namespace {
/// The bits of CpuTarget::extensions: places in kGroups.
enum Extension : uint32_t {
  Avx2 = 1,
  Avx512 = 2,
  Dot = 4,
  Tiles = 8,
  Vnni512 = 16,
  Vnni = 32,
  Vbmi = 64
};
} // namespace
static constexpr StringLiteral kGroups[] = {
    "+avx2,+fma",
    "+avx512f,+avx512vl,+avx512bw,+avx512dq",
    "+avx512vnni,+avx512bf16",
    "+amx-tile,+amx-bf16,+amx-int8",
    "+avx512vnni",
    "+avxvnni",
    "+avx512vbmi"};

static void describeHost(CpuTarget &cpu) {
  SubtargetFeatures features;
  for (const auto &feature : sys::getHostCPUFeatures())
    features.AddFeature(feature.first(), feature.second);
  cpu.name = sys::getHostCPUName().str();
  cpu.features = features.getString();
}

static Error describe(CpuTarget &cpu, const MCSubtargetInfo &info) {
  uint32_t has = extensionsOf(info, kGroups);
  if (!(has & Avx2))
    return createStringError("CPU '" + cpu.name +
                             "' is not supported: AVX2 and FMA are needed");
  // Each of these counts only with those before it.
  for (uint32_t bit : {Avx512, Dot, Tiles})
    if (!(has & bit >> 1))
      has &= ~bit;
  bool avx512 = has & Avx512;
  cpu.extensions = has;
  cpu.vectorBits = avx512 ? 512 : 256;
  cpu.embeddedRounding = cpu.scatters = cpu.compresses = avx512;
  // Zen 4 takes 2 cycles for each lane, in vectors of 256 bits, too. CPUs that
  // have AVX2 alone are taken to be no faster, which was not measured.
  cpu.slowGathers = !avx512 || StringRef(cpu.name).starts_with("znver");
  // Not measured on other CPUs.
  cpu.fetchesAhead = StringRef(cpu.name) == "znver5";
  cpu.pairSums = true;
  cpu.permutedLanes = avx512 ? 16 : 8;
  // One lists VNNI for vectors of 512 bits, and for shorter ones with AVX-512.
  cpu.byteSums = avx512 ? has & Vnni512 : has & Vnni;
  cpu.bytePermutes = avx512 && has & Vbmi;
  cpu.dotProducts = cpu.fastProducts = has & Dot;
  cpu.tiles = has & Tiles;
  cpu.device = cpu.dotProducts ? DeviceLevel::V4Dot
               : avx512        ? DeviceLevel::V4
                               : DeviceLevel::V3;
  return Error::success();
}

static constexpr StringLiteral kTestable[] = {
#define X86_FEATURE(name, ...) name,
#include "ptxjit/Runtime/CpuFeatures.def"
};

const Architecture ptxjit::kX86 = {"x86_64-unknown-linux-gnu", initialize,
                                   describeHost, describe, kTestable};
