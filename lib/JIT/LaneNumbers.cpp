//===- LaneNumbers.cpp - vectors that only some ways need -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of a warp's threads are made once, in front of all code that
// needs them. Often that is the code for the edges of a grid, which few warps
// get to. They take one addition for each vector, and where vectors are short a
// warp has many, so this pass makes them where they are used. It runs behind
// the optimizer, which would move them back.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/LanePasses.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

/// Does the instruction add a constant for each lane to a vector?
static bool isLaneNumber(const Instruction &instruction) {
  return isa<FixedVectorType>(instruction.getType()) &&
         (instruction.getOpcode() == Instruction::Add ||
          instruction.getOpcode() == Instruction::Or) &&
         isa<Constant>(instruction.getOperand(1));
}

/// May the users compute it themselves? They must not run more often.
static bool maySink(const Instruction &number, const LoopInfo &loops) {
  const BasicBlock *home = number.getParent();
  return all_of(number.users(), [&](const User *user) {
    const BasicBlock *block = cast<Instruction>(user)->getParent();
    return !isa<PHINode>(user) && block != home &&
           loops.getLoopFor(block) == loops.getLoopFor(home);
  });
}

static void sink(Instruction &number) {
  DenseMap<BasicBlock *, Instruction *> copies;
  for (Use &use : make_early_inc_range(number.uses())) {
    BasicBlock *block = cast<Instruction>(use.getUser())->getParent();
    Instruction *&copy = copies[block];
    if (!copy) {
      copy = number.clone();
      copy->insertBefore(block->getFirstInsertionPt());
    }
    use.set(copy);
  }
  number.eraseFromParent();
}

void ptxjit::sinkLaneNumbers(Module &module, TargetMachine &machine) {
  if (!machine.getTargetTriple().isAArch64())
    return;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    DominatorTree dominators(function);
    LoopInfo loops(dominators);
    SmallVector<Instruction *> numbers;
    for (Instruction &instruction : instructions(function))
      if (isLaneNumber(instruction) && maySink(instruction, loops))
        numbers.push_back(&instruction);
    for (Instruction *number : numbers)
      if (!number->use_empty())
        sink(*number);
  }
}
