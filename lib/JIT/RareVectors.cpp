//===- RareVectors.cpp - vectors that only some ways need -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of a warp's threads, their addresses and masks are made once, in
// front of all code that needs them. Often that is the code for the edges of a
// grid, which few warps get to, as branch weights tell. Where vectors are
// short, a warp has many of them, so this pass makes them at the start of the
// ways that need them. It runs behind the optimizer, which would move them
// back.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/LanePasses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {

/// The most ways for which a vector is made apart.
constexpr size_t kMostWays = 64;
/// Together they must run this much less often than the code in front of them.
constexpr uint64_t kLeastGain = 4;

class VectorSinker {
public:
  explicit VectorSinker(Function &function)
      : function(function), dominators(function), loops(dominators),
        chances(function, loops), frequencies(function, chances, loops) {}

  /// What uses a vector is visited before the vector.
  void run() {
    for (BasicBlock *block : post_order(&function))
      for (Instruction &instruction : make_early_inc_range(reverse(*block)))
        if (isCheap(instruction))
          sink(instruction);
  }

private:
  static bool isCheap(const Instruction &instruction);
  BasicBlock *findWay(const Instruction &vector, const Use &use) const;
  void sink(Instruction &vector);

  Function &function;
  DominatorTree dominators;
  LoopInfo loops;
  BranchProbabilityInfo chances;
  BlockFrequencyInfo frequencies;
};

} // namespace

bool VectorSinker::isCheap(const Instruction &instruction) {
  auto *type = dyn_cast<FixedVectorType>(instruction.getType());
  if (!type || type->getElementType()->isFloatingPointTy() ||
      instruction.use_empty())
    return false;
  return (isa<BinaryOperator>(instruction) && !instruction.isIntDivRem() &&
          instruction.getOpcode() != Instruction::Mul) ||
         isa<CastInst, CmpInst, SelectInst, ShuffleVectorInst,
             InsertElementInst>(instruction);
}

/// The first block on the way to a use of `vector` among those that run least
/// often.
BasicBlock *VectorSinker::findWay(const Instruction &vector,
                                  const Use &use) const {
  auto *user = cast<Instruction>(use.getUser());
  auto *phi = dyn_cast<PHINode>(user);
  BasicBlock *way = phi ? phi->getIncomingBlock(use) : user->getParent();
  if (!dominators.isReachableFromEntry(way))
    return nullptr;
  for (BasicBlock *block = way; block != vector.getParent();) {
    block = dominators.getNode(block)->getIDom()->getBlock();
    if (frequencies.getBlockFreq(block) <= frequencies.getBlockFreq(way))
      way = block;
  }
  return way;
}

void VectorSinker::sink(Instruction &vector) {
  SmallMapVector<BasicBlock *, SmallVector<Use *>, kMostWays> ways;
  for (Use &use : vector.uses()) {
    BasicBlock *way = findWay(vector, use);
    if (!way || way == vector.getParent())
      return;
    ways[way].push_back(&use);
  }
  // A way that begins on another one has the vector from there.
  auto firstOf = [&](BasicBlock *way) {
    for (auto &[other, uses] : ways)
      if (dominators.dominates(other, way))
        way = other;
    return way;
  };
  BlockFrequency sum;
  for (auto &[way, uses] : ways)
    if (firstOf(way) == way)
      sum += frequencies.getBlockFreq(way);
  BlockFrequency home = frequencies.getBlockFreq(vector.getParent());
  if (ways.size() > kMostWays ||
      home.getFrequency() / kLeastGain < sum.getFrequency())
    return;
  SmallDenseMap<BasicBlock *, Instruction *> copies;
  for (auto &[way, uses] : ways) {
    Instruction *&copy = copies[firstOf(way)];
    if (!copy) {
      copy = vector.clone();
      copy->insertBefore(firstOf(way)->getFirstInsertionPt());
    }
    for (Use *use : uses)
      use->set(copy);
  }
  vector.eraseFromParent();
}

void ptxjit::sinkRareVectors(Module &module, TargetMachine &machine) {
  if (!machine.getTargetTriple().isAArch64())
    return;
  for (Function &function : module)
    if (!function.isDeclaration())
      VectorSinker(function).run();
}
