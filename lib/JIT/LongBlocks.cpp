//===- LongBlocks.cpp - blocks that LLVM prepares in time -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On AArch64, CodeGenPrepare looks for splats that the multiplications of a
// block could have in it. For each multiplication by a splat it numbers all
// instructions of the block anew, so it takes time by the square of the block's
// length: minutes for the products of two tiles of 64 x 64, which are 60,000
// instructions. So long blocks are split in front of it. It joins blocks
// between which there is a branch whenever it has changed something. It knows
// that a switch without cases is one, too, when it is done.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Pass.h"

using namespace llvm;

/// Instructions of a block. Few blocks have more, and numbering these takes no
/// longer than the rest of CodeGenPrepare.
static constexpr unsigned kMostInBlock = 512;

/// Ends a block in front of an instruction.
static void splitAt(BasicBlock &block, BasicBlock::iterator border) {
  BasicBlock *rest = block.splitBasicBlock(border);
  Instruction *branch = block.getTerminator();
  auto *any = ConstantInt::get(Type::getInt32Ty(block.getContext()), 0);
  SwitchInst::Create(any, rest, 0, branch->getIterator());
  branch->eraseFromParent();
}

static bool splitBlock(BasicBlock &block) {
  SmallVector<BasicBlock::iterator> borders;
  unsigned since = 0;
  for (auto at = block.getFirstNonPHIOrDbgOrAlloca(); at != block.end(); ++at) {
    if (since++ < kMostInBlock)
      continue;
    borders.push_back(at);
    since = 1;
  }
  // The last one first, since all that is behind a border moves.
  for (BasicBlock::iterator border : reverse(borders))
    splitAt(block, border);
  return !borders.empty();
}

namespace {
class SplitLongBlocks : public FunctionPass {
public:
  static char ID;
  SplitLongBlocks() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "Split long blocks"; }
  bool runOnFunction(Function &function) override {
    bool isChanged = false;
    for (BasicBlock &block : make_early_inc_range(function))
      isChanged |= splitBlock(block);
    return isChanged;
  }
};
char SplitLongBlocks::ID = 0;
} // namespace

FunctionPass *ptxjit::createSplitLongBlocksPass() {
  return new SplitLongBlocks();
}
