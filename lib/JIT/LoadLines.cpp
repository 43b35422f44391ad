//===- LoadLines.cpp - gives folded loads their own lines -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instruction selection folds a load into the instruction that uses it, and the
// result has the place of the user. So a fault of the load would be reported
// at, say, an addition. The memory operand still knows the load's pointer, and
// so the load.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineMemOperand.h"
#include "llvm/IR/Instruction.h"

using namespace llvm;

namespace {

/// Finds the load through `pointer` whose place an instruction of `block`
/// should have. Null if it already has the place of such a load.
const Instruction *findLoad(const Value *pointer, const BasicBlock *block,
                            const DebugLoc &has) {
  const Instruction *found = nullptr;
  for (const User *user : pointer->users()) {
    auto *load = dyn_cast<Instruction>(user);
    if (!load || !load->mayReadFromMemory() || !load->getDebugLoc())
      continue;
    if (load->getDebugLoc() == has)
      return nullptr;
    if (!found || load->getParent() == block)
      found = load;
  }
  return found;
}

class LoadLines : public MachineFunctionPass {
public:
  static char ID;
  LoadLines() : MachineFunctionPass(ID) {}
  StringRef getPassName() const override { return "Lines of folded loads"; }
  void getAnalysisUsage(AnalysisUsage &usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }
  bool runOnMachineFunction(MachineFunction &function) override {
    for (MachineBasicBlock &block : function)
      for (MachineInstr &instruction : block)
        if (instruction.mayLoad() && instruction.getDebugLoc())
          placeAtLoad(instruction, block.getBasicBlock());
    return true;
  }

private:
  void placeAtLoad(MachineInstr &instruction, const BasicBlock *block) {
    for (const MachineMemOperand *operand : instruction.memoperands()) {
      const Value *pointer = operand->isLoad() ? operand->getValue() : nullptr;
      if (!pointer || isa<Constant>(pointer))
        continue;
      if (auto *load = findLoad(pointer, block, instruction.getDebugLoc()))
        instruction.setDebugLoc(load->getDebugLoc());
      return;
    }
  }
};
char LoadLines::ID = 0;

} // namespace

MachineFunctionPass *ptxjit::createLoadLinesPass() { return new LoadLines(); }
