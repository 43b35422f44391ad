//===- Target.cpp - selects the CPU ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include <mutex>

using namespace llvm;
using namespace ptxjit;

/// Sets an option that LLVM has for its command line alone. It may be gone in
/// another version of LLVM, where it is not missed.
static void setOption(StringRef name, StringRef value) {
  auto &options = cl::getRegisteredOptions();
  if (auto found = options.find(name); found != options.end())
    found->second->addOccurrence(0, name, value);
}

static void initializeLLVM() {
  static std::once_flag once;
  std::call_once(once, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
    InitializeNativeTargetAsmParser();
    // LLVM merges the token factors of a block up to this number of operands,
    // in quadratic time. With its 2,048 that was half of the time of
    // `attention`, whose code is the same with 64.
    setOption("combiner-tokenfactor-inline-limit", "64");
  });
}

Expected<CpuTarget> ptxjit::selectCpu(StringRef name, unsigned chunk) {
  initializeLLVM();
  CpuTarget cpu;
  SubtargetFeatures features;
  if (name.empty() || name == "native") {
    cpu.name = sys::getHostCPUName().str();
    for (const auto &feature : sys::getHostCPUFeatures())
      features.AddFeature(feature.first(), feature.second);
    cpu.features = features.getString();
  } else {
    cpu.name = name.str();
  }
  std::string error;
  Triple triple(sys::getProcessTriple());
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return createStringError(error);
  // Ask a subtarget without a CPU: making one with an unknown CPU prints to
  // stderr.
  std::unique_ptr<MCSubtargetInfo> known(
      target->createMCSubtargetInfo(triple, "", ""));
  if (!known || !known->isCPUStringValid(cpu.name))
    return createStringError("unknown CPU '" + name + "'");
  std::unique_ptr<MCSubtargetInfo> info(
      target->createMCSubtargetInfo(triple, cpu.name, cpu.features));
  bool avx2 = info->checkFeatures("+avx2,+fma");
  cpu.avx512 = info->checkFeatures("+avx512f,+avx512vl,+avx512bw,+avx512dq");
  if (!avx2)
    return createStringError("CPU '" + cpu.name +
                             "' is not supported: AVX2 and FMA are needed");
  cpu.chunk = chunk ? chunk : cpu.avx512 ? 16 : 8;
  cpu.dotProducts =
      cpu.avx512 && info->checkFeatures("+avx512vnni,+avx512bf16");
  cpu.tiles =
      cpu.dotProducts && info->checkFeatures("+amx-tile,+amx-bf16,+amx-int8");
  return cpu;
}

std::unique_ptr<TargetMachine> ptxjit::createTargetMachine(const CpuTarget &cpu,
                                                           Effort effort) {
  std::string error;
  Triple triple(sys::getProcessTriple());
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict; // a*b+c rounds twice
  std::unique_ptr<TargetMachine> machine(target->createTargetMachine(
      triple, cpu.name, cpu.features, options, Reloc::PIC_, CodeModel::Small,
      effort == Effort::Full ? CodeGenOptLevel::Default : CodeGenOptLevel::None,
      /*JIT=*/true));
  // FastISel makes worse code, and gives up on most of vector code anyway.
  machine->setO0WantsFastISel(effort == Effort::Quick);
  return machine;
}
