//===- SplitAtVectors.cpp - blocks for LLVM's fast selection --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FastISel selects a block from its end to its start. At an instruction that it
// does not know it leaves the rest of the block to SelectionDAG, which takes
// five times as long, and more than that for long blocks. Of the code for one
// thread these are the few instructions on vectors that the device library has.
// So they get blocks of their own here.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace ptxjit;

/// Instructions between two on vectors that do not separate them: a block more
/// would cost more than selecting so few the slow way.
static constexpr unsigned kMostBetween = 8;

static bool usesVectors(const Instruction &instruction) {
  return instruction.getType()->isVectorTy() ||
         any_of(instruction.operands(), [](const Use &operand) {
           return operand->getType()->isVectorTy();
         });
}

/// The instructions of a block before which it is to be split, in their order.
static SmallVector<Instruction *> findBorders(BasicBlock &block) {
  SmallVector<Instruction *> borders;
  Instruction *behind = nullptr; // the first one behind the last vectors
  unsigned since = kMostBetween + 1;
  for (Instruction &instruction :
       make_range(block.getFirstNonPHIOrDbgOrAlloca(), block.end())) {
    if (!usesVectors(instruction)) {
      if (!since++)
        behind = &instruction;
      continue;
    }
    if (since > kMostBetween) {
      if (behind)
        borders.push_back(behind);
      borders.push_back(&instruction);
    }
    behind = nullptr;
    since = 0;
  }
  if (behind && !behind->isTerminator())
    borders.push_back(behind);
  return borders;
}

/// Puts the variables on the stack in front of all else in the entry block.
/// In a later block each would be allocated when it is reached, by a loop that
/// touches the stack.
static void gatherVariables(BasicBlock &entry) {
  auto front = entry.getFirstNonPHIOrDbgOrAlloca();
  for (Instruction &instruction :
       make_early_inc_range(make_range(front, entry.end())))
    if (auto *variable = dyn_cast<AllocaInst>(&instruction);
        variable && variable->isStaticAlloca())
      variable->moveBefore(entry, front);
}

void ptxjit::splitAtVectors(Module &module) {
  for (Function &function : module) {
    if (!function.isDeclaration())
      gatherVariables(function.getEntryBlock());
    for (BasicBlock &block : make_early_inc_range(function)) {
      SmallVector<Instruction *> borders = findBorders(block);
      // The last one first, since all that is behind a border moves.
      for (Instruction *border : reverse(borders))
        if (border != &block.front())
          block.splitBasicBlock(border);
    }
  }
}
