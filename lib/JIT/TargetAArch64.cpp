//===- TargetAArch64.cpp - which AArch64 CPUs code is made for ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Architecture.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

#if defined(__aarch64__)
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

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

#if defined(__aarch64__)
namespace {
/// A feature of LLVM's, and the bits of the system's that say that it is there.
struct SystemFeature {
  const char *name;
  uint64_t first, second; ///< bits of AT_HWCAP and AT_HWCAP2
};
} // namespace
static constexpr SystemFeature kSystemFeatures[] = {
#define AARCH64_FEATURE(name, first, second) {name, first, second},
#include "ptxjit/Runtime/CpuFeatures.def"
};

static void describeHost(CpuTarget &cpu) {
  uint64_t first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
  SubtargetFeatures features;
  for (const SystemFeature &feature : kSystemFeatures)
    if (!(feature.first & ~first) && !(feature.second & ~second))
      features.AddFeature(feature.name);
  cpu.name = sys::getHostCPUName().str();
  cpu.features = features.getString();
  int length = prctl(PR_SVE_GET_VL);
  cpu.sveBits = length < 0 ? 0 : unsigned(length & PR_SVE_VL_LEN_MASK) * 8;
}
#else
static void describeHost(CpuTarget &) {
  llvm_unreachable("this machine is of another architecture");
}
#endif

/// The registers of SVE of a CPU that is not this machine, in bits.
static unsigned sveBitsOf(StringRef cpu) {
  return StringSwitch<unsigned>(cpu)
      .Case("neoverse-v1", 256)
      .Case("a64fx", 512)
      .Default(128);
}

static Error describe(CpuTarget &cpu, const MCSubtargetInfo &info) {
  if (!info.checkFeatures("+neon"))
    return createStringError("CPU '" + cpu.name +
                             "' is not supported: NEON is needed");
  cpu.extensions = extensionsOf(info, kGroups);
  if (!info.checkFeatures("+sve"))
    cpu.sveBits = 0;
  else if (!cpu.sveBits)
    cpu.sveBits = sveBitsOf(cpu.name);
  // NEON does as well with 128 bits, and a vector has at most 16 lanes.
  if (cpu.sveBits != 256 && cpu.sveBits != 512)
    cpu.sveBits = 0;
  cpu.vectorBits = std::max(cpu.sveBits, 128u);
  cpu.scatters = cpu.sveBits;
  cpu.slowGathers = true; // SVE's take a cycle or two for each lane
  cpu.neonDots = cpu.dotProducts = info.checkFeatures("+dotprod");
  cpu.neonMixedDots = info.checkFeatures("+i8mm");
  cpu.halfProducts = cpu.fastProducts =
      info.checkFeatures("+dotprod,+i8mm,+bf16,+fp16fml");
  // Arm's cores see by themselves that stores fill lines one after the other.
  cpu.plainStores = true;
  cpu.device = cpu.halfProducts  ? DeviceLevel::NeonMatrix
               : cpu.dotProducts ? DeviceLevel::NeonDot
                                 : DeviceLevel::Neon;
  return Error::success();
}

static constexpr StringLiteral kTestable[] = {
#define AARCH64_FEATURE(name, ...) name,
#include "ptxjit/Runtime/CpuFeatures.def"
};

const Architecture ptxjit::kAArch64 = {"aarch64-unknown-linux-gnu", initialize,
                                       describeHost, describe, kTestable};
