//===- Target.cpp - selects the CPU ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Architecture.h"
#include "IdlePool.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TargetParser/Host.h"
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

/// The architectures that code can be made for, that of this process first.
static ArrayRef<const Architecture *> architectures() {
  static const bool isArm =
      Triple(sys::getProcessTriple()).getArch() == Triple::aarch64;
  static const Architecture *const all[] = {isArm ? &kAArch64 : &kX86,
                                            isArm ? &kX86 : &kAArch64};
  return all;
}

static void initializeLLVM() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (const Architecture *architecture : architectures())
      architecture->initialize();
    // LLVM merges the token factors of a block up to this number of operands,
    // in quadratic time. With its 2,048 that was half of the time of
    // `attention`, whose code is the same with 64.
    setOption("combiner-tokenfactor-inline-limit", "64");
  });
}

static const Target *lookUp(const Triple &triple) {
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  assert(target && "initializeLLVM made the target known");
  return target;
}

static std::unique_ptr<MCSubtargetInfo>
subtargetOf(const Triple &triple, StringRef cpu, StringRef features) {
  return std::unique_ptr<MCSubtargetInfo>(
      lookUp(triple)->createMCSubtargetInfo(triple, cpu, features));
}

/// Finds the architecture that has a CPU of that name; null if none does.
static const Architecture *architectureOf(StringRef cpu) {
  for (const Architecture *architecture : architectures())
    // Ask a subtarget without a CPU: making one with an unknown CPU prints to
    // stderr.
    if (subtargetOf(Triple(architecture->triple), "", "")
            ->isCPUStringValid(cpu))
      return architecture;
  return nullptr;
}

/// Lists the features that a program can find out whether a machine has them.
static std::string listTestable(const Architecture &architecture,
                                const MCSubtargetInfo &info) {
  std::string list;
  for (const SubtargetFeatureKV &feature : info.getAllProcessorFeatures())
    if (info.getFeatureBits()[feature.Value] &&
        is_contained(architecture.testable, StringRef(feature.Key)))
      list += (list.empty() ? "" : ",") + std::string(feature.Key);
  return list;
}

/// Fails if a list of features has one that LLVM does not know, which it would
/// only tell on stderr.
static Error checkFeatures(const Triple &triple, StringRef list) {
  auto info = subtargetOf(triple, "", "");
  for (StringRef feature : split(list, ',')) {
    StringRef name = feature.substr(feature.find_first_not_of("+-"));
    bool isKnown = name.size() + 1 == feature.size() &&
                   any_of(info->getAllProcessorFeatures(),
                          [&](const SubtargetFeatureKV &known) {
                            return name == known.Key;
                          });
    if (!isKnown)
      return createStringError("unknown CPU feature '" + feature +
                               "', expected +NAME or -NAME");
  }
  return Error::success();
}

/// Describes a CPU, or this machine.
static Expected<CpuTarget> describeCpu(StringRef given) {
  initializeLLVM();
  auto [name, changes] = given.split(',');
  CpuTarget cpu;
  cpu.name = name.str();
  bool isHost = name.empty() || name == "native";
  const Architecture *architecture =
      isHost ? architectures().front() : architectureOf(cpu.name);
  if (!architecture)
    return createStringError("unknown CPU '" + name + "'");
  cpu.triple = Triple(architecture->triple);
  if (isHost)
    architecture->describeHost(cpu);
  if (!changes.empty()) {
    if (Error error = checkFeatures(cpu.triple, changes))
      return std::move(error);
    cpu.features += (cpu.features.empty() ? "" : ",") + changes.str();
  }
  auto info = subtargetOf(cpu.triple, cpu.name, cpu.features);
  if (Error error = architecture->describe(cpu, *info))
    return std::move(error);
  cpu.testable = listTestable(*architecture, *info);
  cpu.chunk = cpu.vectorBits / 32;
  return cpu;
}

/// This machine, which every compilation asks for; null if it is unknown.
static const CpuTarget *findHost() {
  static const std::optional<CpuTarget> host =
      expectedToOptional(describeCpu(""));
  return host ? &*host : nullptr;
}

Expected<CpuTarget> ptxjit::selectCpu(StringRef given, unsigned chunk) {
  const CpuTarget *host = given.empty() ? findHost() : nullptr;
  Expected<CpuTarget> cpu =
      host ? Expected<CpuTarget>(*host) : describeCpu(given);
  if (cpu && chunk)
    cpu->chunk = chunk;
  // Such a gather is hardly more than its loads on any CPU.
  if (cpu && cpu->chunk <= 4)
    cpu->slowGathers = true;
  return cpu;
}

bool ptxjit::runsHere(const CpuTarget &cpu) {
  auto host = selectCpu("", 0);
  if (host)
    return cpu.runsOn(*host);
  consumeError(host.takeError());
  return false;
}

static CodeGenOptLevel levelOf(Effort effort) {
  return effort == Effort::Full ? CodeGenOptLevel::Default
                                : CodeGenOptLevel::None;
}

/// FastISel makes worse code, and gives up on most of vector code anyway. LLVM
/// forgets the choice when it adds its passes.
///
/// On AArch64 LLVM would take GlobalISel without optimisation. Its selector
/// belongs to the machine, and keeps a debug location of the last function,
/// whose context has ended when the machine is used again.
static void chooseSelection(TargetMachine &machine, Effort effort) {
  machine.setGlobalISel(false);
  machine.setO0WantsFastISel(effort == Effort::Quick &&
                             machine.getTargetTriple().isX86());
}

std::unique_ptr<TargetMachine> ptxjit::createTargetMachine(const CpuTarget &cpu,
                                                           Effort effort) {
  TargetOptions options;
  options.AllowFPOpFusion = FPOpFusion::Strict; // a*b+c rounds twice
  std::unique_ptr<TargetMachine> machine(
      lookUp(cpu.triple)
          ->createTargetMachine(cpu.triple, cpu.name, cpu.features, options,
                                Reloc::PIC_, CodeModel::Small, levelOf(effort),
                                /*JIT=*/true));
  chooseSelection(*machine, effort);
  return machine;
}

std::shared_ptr<TargetMachine> ptxjit::borrowTargetMachine(const CpuTarget &cpu,
                                                           Effort effort) {
  static auto *pool = new IdlePool<TargetMachine>;
  auto machine = pool->take([&](const TargetMachine &kept) {
    return kept.getTargetTriple() == cpu.triple &&
           kept.getTargetCPU() == cpu.name &&
           kept.getTargetFeatureString() == cpu.features &&
           kept.getOptLevel() == levelOf(effort);
  });
  if (!machine)
    machine = createTargetMachine(cpu, effort);
  chooseSelection(*machine, effort);
  return {machine.release(), [](TargetMachine *used) {
            pool->give(std::unique_ptr<TargetMachine>(used));
          }};
}
