//===- LlvmPasses.cpp - run single passes of the JIT on LLVM IR -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// These passes are functions of a module and a target machine. What they do
// depends on the CPU, so the CPU is an option here.
//
//===----------------------------------------------------------------------===//

#include "LlvmPasses.h"

#include "ptxjit/JIT/Compiler.h"
#include "ptxjit/JIT/LanePasses.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

namespace {
enum class LlvmPass {
  Optimize,
  NarrowIndices,
  NarrowLanes,
  SinkRareVectors,
  ShareBases,
  GroupSums,
  ExpandMaskedMemory,
  WidenMasks,
  MakeTransposes,
  StepThroughLanes,
  TabulateWarps
};
} // namespace

static cl::OptionCategory category("Passes on LLVM IR (.ll)");
static cl::list<LlvmPass> passes(
    cl::desc("Passes on LLVM IR (.ll):"),
    cl::values(clEnumValN(LlvmPass::Optimize, "llvm-optimize",
                          "our list of LLVM's passes"),
               clEnumValN(LlvmPass::NarrowIndices, "llvm-narrow-indices",
                          "let gathers and scatters extend their indices"),
               clEnumValN(LlvmPass::NarrowLanes, "llvm-narrow-lanes",
                          "integers that need fewer bits than they have"),
               clEnumValN(LlvmPass::SinkRareVectors, "llvm-sink-rare-vectors",
                          "vectors that only some ways need"),
               clEnumValN(LlvmPass::ShareBases, "llvm-share-bases",
                          "indices at known distances"),
               clEnumValN(LlvmPass::GroupSums, "llvm-group-sums",
                          "sums for which there are no registers"),
               clEnumValN(LlvmPass::ExpandMaskedMemory,
                          "llvm-expand-masked-memory",
                          "masked accesses that the CPU does not have"),
               clEnumValN(LlvmPass::WidenMasks, "llvm-widen-masks",
                          "masks of CPUs without mask registers"),
               clEnumValN(LlvmPass::MakeTransposes, "llvm-make-transposes",
                          "vectors of four elements for each lane"),
               clEnumValN(LlvmPass::StepThroughLanes, "llvm-step-through-lanes",
                          "lanes at equal distances in memory"),
               clEnumValN(LlvmPass::TabulateWarps, "llvm-tabulate-warps",
                          "vectors that the number of a warp decides")),
    cl::cat(category));
static cl::opt<std::string>
    cpuName("cpu",
            cl::desc("LLVM CPU name that code is made for (default: "
                     "this machine)"),
            cl::cat(category));

static Error runPass(LlvmPass pass, Module &module, TargetMachine &machine) {
  switch (pass) {
  case LlvmPass::Optimize:
    return ptxjit::optimize(module, machine, ptxjit::Effort::Full);
  case LlvmPass::NarrowIndices:
    ptxjit::narrowIndices(module);
    break;
  case LlvmPass::NarrowLanes:
    ptxjit::narrowLanes(module);
    break;
  case LlvmPass::SinkRareVectors:
    ptxjit::sinkRareVectors(module, machine);
    break;
  case LlvmPass::ShareBases:
    ptxjit::shareBases(module, machine);
    break;
  case LlvmPass::GroupSums:
    ptxjit::groupSums(module, machine);
    break;
  case LlvmPass::ExpandMaskedMemory:
    ptxjit::expandMaskedMemory(module, machine);
    break;
  case LlvmPass::WidenMasks:
    ptxjit::widenMasks(module, machine);
    break;
  case LlvmPass::MakeTransposes:
    ptxjit::makeTransposes(module, machine);
    break;
  case LlvmPass::StepThroughLanes:
    ptxjit::stepThroughLanes(module, machine);
    break;
  case LlvmPass::TabulateWarps:
    ptxjit::tabulateWarps(module, machine);
    break;
  }
  return Error::success();
}

static Error runAll(Module &module) {
  auto cpu = ptxjit::selectCpu(cpuName, 0);
  if (!cpu)
    return cpu.takeError();
  auto machine = ptxjit::createTargetMachine(*cpu, ptxjit::Effort::Full);
  module.setDataLayout(machine->createDataLayout());
  module.setTargetTriple(machine->getTargetTriple());
  for (LlvmPass pass : passes) {
    if (Error error = runPass(pass, module, *machine))
      return error;
    std::string problem;
    raw_string_ostream os(problem);
    if (verifyModule(module, &os))
      return createStringError("a pass made invalid LLVM IR: " + problem);
  }
  return Error::success();
}

bool ptxjit::wantsLlvmPasses() { return !passes.empty(); }

bool ptxjit::runLlvmPasses(const MemoryBuffer &input, raw_ostream &output) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module =
      parseAssembly(input.getMemBufferRef(), diagnostic, context);
  if (!module) {
    diagnostic.print("ptx-opt", errs());
    return false;
  }
  if (Error error = runAll(*module)) {
    errs() << "ptx-opt: " << toString(std::move(error)) << '\n';
    return false;
  }
  module->print(output, nullptr);
  return true;
}
