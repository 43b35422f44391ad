//===- LongBlocks.cpp - blocks that LLVM compiles in time -----------------===//
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
// On any CPU, instruction selection looks among all stores of a block for some
// to merge, whenever it visits one of them: a minute for 1,800 stores that fill
// arrays in local memory with constants. So blocks with many stores are split
// behind CodeGenPrepare, by branches, which nobody joins there.
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

/// Instructions of a block that write memory: no kernel of the benchmark has
/// more. A block that does is split into parts with fewer, since merging these
/// takes no longer than the rest of instruction selection.
static constexpr unsigned kMostWritesInBlock = 512, kMostWritesInPart = 128;

/// Lets a block end by a switch without cases, in place of a branch.
static void endBySwitch(BasicBlock &block) {
  Instruction *branch = block.getTerminator();
  auto *any = ConstantInt::get(Type::getInt32Ty(block.getContext()), 0);
  SwitchInst::Create(any, branch->getSuccessor(0), 0, branch->getIterator());
  branch->eraseFromParent();
}

/// Splits a block so that each part has at most `most` of the instructions that
/// count, and calls `end` for each block that ends at a border.
static bool splitBlock(BasicBlock &block, unsigned most,
                       function_ref<bool(const Instruction &)> counts,
                       function_ref<void(BasicBlock &)> end) {
  SmallVector<BasicBlock::iterator> borders;
  unsigned since = 0;
  for (auto at = block.getFirstNonPHIOrDbgOrAlloca(); at != block.end(); ++at) {
    if (!counts(*at) || since++ < most)
      continue;
    borders.push_back(at);
    since = 1;
  }
  // The last one first, since all that is behind a border moves.
  for (BasicBlock::iterator border : reverse(borders)) {
    block.splitBasicBlock(border);
    end(block);
  }
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
      isChanged |= splitBlock(
          block, kMostInBlock, [](const Instruction &) { return true; },
          endBySwitch);
    return isChanged;
  }
};
char SplitLongBlocks::ID = 0;

class SplitAtStores : public FunctionPass {
public:
  static char ID;
  SplitAtStores() : FunctionPass(ID) {}
  StringRef getPassName() const override { return "Split at stores"; }
  bool runOnFunction(Function &function) override {
    auto writes = [](const Instruction &i) { return i.mayWriteToMemory(); };
    bool isChanged = false;
    for (BasicBlock &block : make_early_inc_range(function))
      isChanged |=
          count_if(block, writes) > kMostWritesInBlock &&
          splitBlock(block, kMostWritesInPart, writes, [](BasicBlock &) {});
    return isChanged;
  }
};
char SplitAtStores::ID = 0;
} // namespace

FunctionPass *ptxjit::createSplitLongBlocksPass() {
  return new SplitLongBlocks();
}

FunctionPass *ptxjit::createSplitAtStoresPass() { return new SplitAtStores(); }
