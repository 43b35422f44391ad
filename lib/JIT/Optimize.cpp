//===- Optimize.cpp - LLVM passes and code generation ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"
#include "ptxjit/JIT/LanePasses.h"
#include "ptxjit/JIT/PassTimes.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassTimingInfo.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

using namespace llvm;
using namespace ptxjit;

// The order at the start matters: only right behind sroa and early-cse does
// jump-threading remove the exit flags that structuring leaves in uniform
// loops. Behind simplifycfg it fails, and tight loops run 4 times slower.
//
// InstCombine twice more, dse, and copies of loops for conditions that do not
// change in them took a fifth of LLVM's time, and made neither smaller nor
// faster code.
static constexpr StringLiteral kPasses =
    "always-inline,"
    "function(lower-expect,sroa,early-cse,jump-threading,simplifycfg,"
    "early-cse<memssa>,loop-mssa(loop-rotate,licm,simple-loop-unswitch),"
    "simplifycfg,instcombine<no-verify-fixpoint>,gvn,sroa,loop-mssa(licm),"
    "simplifycfg<sink-common-insts>,adce)";
static constexpr StringLiteral kLeanPasses =
    "always-inline,"
    "function(lower-expect,sroa,early-cse,jump-threading,simplifycfg,"
    "early-cse<memssa>,adce)";
static constexpr StringLiteral kQuickPasses =
    "always-inline,function(lower-expect,sroa)";

/// The size of code that takes LLVM some seconds with full effort, in
/// instructions. A block counts as several: live ranges are kept block by
/// block, so code of many blocks takes far longer than its instructions do.
static constexpr size_t kMostForFull = 100000, kSizeOfBlock = 8;
/// CodeGenPrepare turns selects of scalars into branches, and visits the block
/// again for each.
static constexpr size_t kMostScalarForFull = 40000;

Effort ptxjit::chooseEffort(const Module &module, bool perThread) {
  size_t size = 0;
  for (const Function &function : module)
    size += function.getInstructionCount() + kSizeOfBlock * function.size();
  size_t most = perThread ? kMostScalarForFull : kMostForFull;
  return size > most ? Effort::Lean : Effort::Full;
}

static StringRef passesFor(Effort effort) {
  switch (effort) {
  case Effort::Quick:
    return kQuickPasses;
  case Effort::Lean:
    return kLeanPasses;
  case Effort::Full:
    return kPasses;
  }
  llvm_unreachable("all efforts are listed");
}

/// Expands operations on blocks of memory to loops. Without optimization LLVM
/// would call libc for them, which compiled code cannot reach.
static void expandBlockOperations(Module &module, TargetMachine &machine) {
  SmallVector<MemIntrinsic *> found;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *block = dyn_cast<MemIntrinsic>(&instruction))
        found.push_back(block);
  for (MemIntrinsic *block : found) {
    TargetTransformInfo costs =
        machine.getTargetTransformInfo(*block->getFunction());
    if (auto *set = dyn_cast<MemSetInst>(block))
      expandMemSetAsLoop(set);
    else if (auto *copy = dyn_cast<MemCpyInst>(block))
      expandMemCpyAsLoop(copy, costs);
    else
      expandMemMoveAsLoop(cast<MemMoveInst>(block), costs);
    block->eraseFromParent();
  }
}

/// Ends blocks at traps, which stand behind calls of helpers that do not
/// return: nothing need be kept in registers across these. They are not merged,
/// since the place of each tells the line of a fault.
static void endAtTraps(Module &module) {
  auto isTrap = [](const Instruction &instruction) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    return call && call->getIntrinsicID() == Intrinsic::trap;
  };
  for (Function &function : module)
    for (BasicBlock &block : function) {
      auto trap = find_if(block, isTrap);
      if (trap == block.end())
        continue;
      auto *call = dyn_cast_or_null<CallInst>(trap->getPrevNode());
      if (call && call->isIndirectCall()) { // helpers are in a table
        call->addFnAttr(Attribute::Cold);
        call->addFnAttr(Attribute::NoMerge);
        call->addFnAttr(Attribute::NoReturn);
      }
      changeToUnreachable(trap->getNextNode()); // what follows is gone
    }
}

Error ptxjit::optimize(Module &module, TargetMachine &machine, Effort effort) {
  std::string message;
  raw_string_ostream os(message);
  if (verifyModule(module, &os))
    return createStringError("the compiler made invalid LLVM IR: " + message);
  endAtTraps(module);
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  TimePassesHandler times(measuresPasses());
  PassInstrumentationCallbacks callbacks;
  times.registerCallbacks(callbacks);
  PassBuilder builder(&machine, PipelineTuningOptions(), std::nullopt,
                      &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  ModulePassManager passes;
  if (Error error = builder.parsePassPipeline(passes, passesFor(effort)))
    return error;
  passes.run(module, modules);
  times.print();
  if (effort != Effort::Full)
    expandBlockOperations(module, machine);
  return Error::success();
}

/// LLVM tells what its pass is called by the pass alone.
static AnalysisID idOf(FunctionPass *pass) {
  return std::unique_ptr<FunctionPass>(pass)->getPassID();
}

/// Adds LLVM's code generation passes, without those that kernels do not need.
/// \param keepsOrder  the order of instructions was chosen with care.
static bool addCodePasses(legacy::PassManager &passes, TargetMachine &machine,
                          MachineModuleInfoWrapperPass *info, bool keepsOrder,
                          uint64_t &stackBytes) {
  TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  // Kernels have lines but no variables, so this pass would search for nothing.
  config->disablePass(&LiveDebugValuesID);
  // Scheduling once more behind the register allocator takes a tenth of the
  // time. CPUs reorder instructions themselves: of seven kernels of the
  // benchmark, none was faster with it beyond what varies.
  config->disablePass(&PostRASchedulerID);
  // The scheduler would take the sums of several groups together again.
  if (keepsOrder)
    config->disablePass(&MachineSchedulerID);
  config->insertPass(&PrologEpilogCodeInserterID, createRoundingSwitchesPass());
  if (machine.getOptLevel() != CodeGenOptLevel::None) {
    // The last pass in front of CodeGenPrepare. Earlier ones join blocks.
    if (machine.getTargetTriple().isAArch64())
      config->insertPass(idOf(createTypePromotionLegacyPass()),
                         createSplitLongBlocksPass());
    config->insertPass(idOf(createCodeGenPrepareLegacyPass()),
                       createSplitAtStoresPass());
  }
  passes.add(config);
  passes.add(info);
  if (config->addISelPasses())
    return false;
  config->addMachinePasses();
  passes.add(createLoadLinesPass());
  passes.add(createStackSizesPass(stackBytes));
  config->setInitialized();
  return true;
}

/// LLVM turns a half whose bits are a mask into that mask at once, which no CPU
/// without arithmetic on halves can. So the bits come between them again.
static void splitMasksOfHalves(Module &module) {
  SmallVector<BitCastInst *> casts;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *cast = dyn_cast<BitCastInst>(&instruction);
      auto *mask = cast ? dyn_cast<VectorType>(cast->getDestTy()) : nullptr;
      if (mask && mask->getElementType()->isIntegerTy(1) &&
          cast->getSrcTy()->is16bitFPTy())
        casts.push_back(cast);
    }
  for (BitCastInst *cast : casts) {
    IRBuilder<> builder(cast);
    Type *i16 = builder.getInt16Ty();
    // LLVM does not look into statements, and so keeps both casts.
    auto *keep = InlineAsm::get(FunctionType::get(i16, {i16}, false), "",
                                "=r,0", /*hasSideEffects=*/false);
    cast->setOperand(
        0, builder.CreateCall(keep,
                              builder.CreateBitCast(cast->getOperand(0), i16)));
  }
}

/// Lets functions with vectors align their stacks for the CPU's registers. Else
/// LLVM spills such vectors to where each lies in two lines of the caches,
/// unless another variable of the function needs the alignment.
static void alignStacks(Module &module, TargetMachine &machine) {
  MaybeAlign stack = module.getDataLayout().getStackAlignment();
  uint64_t stackBits = 8 * (stack ? stack->value() : 1);
  auto isLarge = [&](const Instruction &instruction) {
    auto *type = dyn_cast<FixedVectorType>(instruction.getType());
    return type && type->getPrimitiveSizeInBits() > stackBits;
  };
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    TypeSize registerBits =
        machine.getTargetTransformInfo(function).getRegisterBitWidth(
            TargetTransformInfo::RGK_FixedWidthVector);
    if (registerBits.getFixedValue() > stackBits &&
        any_of(instructions(function), isLarge))
      function.addFnAttr("stackrealign");
  }
}

Expected<uint64_t> ptxjit::generateCode(Module &module, TargetMachine &machine,
                                        bool assembly,
                                        SmallVectorImpl<char> &out) {
  narrowLanes(module);
  shareBases(module, machine);
  bool hasGroups = groupSums(module, machine);
  narrowIndices(module);
  expandMaskedMemory(module, machine);
  widenMasks(module, machine);
  sinkRareVectors(module, machine);
  tabulateWarps(module, machine);
  makeTransposes(module, machine);
  stepThroughLanes(module, machine);
  splitMasksOfHalves(module);
  alignStacks(module, machine);
  bool fastSelection = machine.getO0WantsFastISel();
  if (fastSelection)
    splitAtVectors(module);
  assert(!verifyModule(module, &errs()) && "passes made invalid LLVM IR");
  raw_svector_ostream os(out);
  legacy::PassManager passes;
  auto *info = new MachineModuleInfoWrapperPass(&machine);
  uint64_t stackBytes = 0;
  if (!addCodePasses(passes, machine, info, hasGroups, stackBytes) ||
      machine.addAsmPrinter(passes, os, nullptr,
                            assembly ? CodeGenFileType::AssemblyFile
                                     : CodeGenFileType::ObjectFile,
                            info->getMMI().getContext()))
    return createStringError("this CPU cannot emit code");
  passes.add(createFreeMachineFunctionPass());
  // LLVM chose for itself when it added its passes, which ask when they run.
  machine.setFastISel(fastSelection);
  passes.run(module);
  if (measuresPasses())
    reportAndResetTimings();
  return stackBytes;
}

Error ptxjit::checkSelfContained(StringRef bytes) {
  auto object =
      object::ObjectFile::createObjectFile(MemoryBufferRef(bytes, "kernel"));
  if (!object)
    return object.takeError();
  for (const object::SymbolRef &symbol : (*object)->symbols()) {
    Expected<uint32_t> flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    if (!(*flags & object::SymbolRef::SF_Undefined))
      continue;
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (!name->empty())
      return createStringError("compiled code refers to '" + *name +
                               "', which the device library does not have");
  }
  return Error::success();
}
