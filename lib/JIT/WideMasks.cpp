//===- WideMasks.cpp - masks on CPUs without mask registers ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM keeps a <8 x i1> that lives across blocks as <8 x i16>. It is packed
// after each comparison and unpacked for each select or masked access.
// Comparisons produce, and blends and masked accesses use, <8 x i32>, so this
// pass keeps masks in that form, and shuffles them in it where masked accesses
// have several elements for each lane. It runs behind the optimizer, which
// would turn them into i1 again.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/MC/MCSubtargetInfo.h"

using namespace llvm;

namespace {

bool isMask(const Value &value) {
  auto *type = dyn_cast<FixedVectorType>(value.getType());
  return type && type->getElementType()->isIntegerTy(1) &&
         type->getNumElements() > 1;
}

class MaskWidener {
public:
  void run(Function &function) {
    SmallVector<PHINode *> phis;
    SmallVector<Instruction *> others;
    SmallVector<ShuffleVectorInst *> shuffles;
    for (BasicBlock &block : function)
      for (Instruction &instruction : block)
        if (auto *phi = dyn_cast<PHINode>(&instruction); phi && isMask(*phi))
          phis.push_back(phi);
        else if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction);
                 shuffle && isMask(*shuffle) && isForAccesses(*shuffle))
          shuffles.push_back(shuffle);
        else if (isMask(instruction) && livesAcrossBlocks(instruction))
          others.push_back(&instruction);
    for (PHINode *phi : phis)
      wide[phi] = PHINode::Create(wideType(*phi), phi->getNumIncomingValues(),
                                  phi->getName(), phi->getIterator());
    for (PHINode *phi : phis)
      for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
        cast<PHINode>(wide[phi])->addIncoming(widen(phi->getIncomingValue(i)),
                                              phi->getIncomingBlock(i));
    for (PHINode *phi : phis)
      narrowUses(*phi);
    for (Instruction *instruction : others)
      narrowUses(*instruction);
    for (ShuffleVectorInst *shuffle : shuffles)
      shuffleWide(shuffle);
    // Phis may use each other, so drop all uses first.
    for (PHINode *phi : phis)
      phi->replaceAllUsesWith(PoisonValue::get(phi->getType()));
    for (PHINode *phi : phis)
      phi->eraseFromParent();
  }

private:
  static Type *wideType(const Value &mask) {
    return VectorType::get(Type::getInt32Ty(mask.getContext()),
                           cast<VectorType>(mask.getType()));
  }

  static bool livesAcrossBlocks(const Instruction &mask) {
    return any_of(mask.uses(), [&](const Use &use) {
      auto *user = cast<Instruction>(use.getUser());
      return user->getParent() != mask.getParent() && !isa<PHINode>(user);
    });
  }

  static bool isForAccesses(const ShuffleVectorInst &mask) {
    return all_of(mask.users(), [](const User *user) {
      auto *call = dyn_cast<IntrinsicInst>(user);
      return call && (call->getIntrinsicID() == Intrinsic::masked_load ||
                      call->getIntrinsicID() == Intrinsic::masked_store);
    });
  }

  void shuffleWide(ShuffleVectorInst *shuffle) {
    Value *first = widen(shuffle->getOperand(0));
    Value *second = widen(shuffle->getOperand(1));
    IRBuilder<> builder(shuffle);
    Value *wide =
        builder.CreateShuffleVector(first, second, shuffle->getShuffleMask());
    shuffle->replaceAllUsesWith(
        builder.CreateICmpSLT(wide, Constant::getNullValue(wide->getType())));
    shuffle->eraseFromParent();
  }

  /// \returns a vector with all ones where `mask` is true, made once, behind
  ///   the definition of `mask`.
  Value *widen(Value *mask) {
    Value *&known = wide[mask];
    if (known)
      return known;
    auto *instruction = dyn_cast<Instruction>(mask);
    if (auto *constant = dyn_cast<Constant>(mask)) {
      IRBuilder<> builder(mask->getContext());
      return known = builder.CreateSExt(constant, wideType(*mask));
    }
    BasicBlock::iterator at = instruction
                                  ? *instruction->getInsertionPointAfterDef()
                                  : cast<Argument>(mask)
                                        ->getParent()
                                        ->getEntryBlock()
                                        .getFirstInsertionPt();
    IRBuilder<> builder(at->getParent(), at);
    return known = builder.CreateSExt(mask, wideType(*mask));
  }

  /// Makes uses of `mask` in other blocks, and all uses of a phi but those by
  /// phis, test the wide mask.
  void narrowUses(Instruction &mask) {
    Value *from = widen(&mask);
    DenseMap<BasicBlock *, Value *> tests;
    for (Use &use : make_early_inc_range(mask.uses())) {
      auto *user = cast<Instruction>(use.getUser());
      BasicBlock *block = user->getParent();
      bool stays = isa<PHINode>(user) || user == from ||
                   (!isa<PHINode>(mask) && block == mask.getParent());
      if (stays)
        continue;
      Value *&test = tests[block];
      if (!test) {
        IRBuilder<> builder(block, block->getFirstInsertionPt());
        test = builder.CreateICmpSLT(from,
                                     Constant::getNullValue(from->getType()));
      }
      use.set(test);
    }
  }

  DenseMap<Value *, Value *> wide;
};

} // namespace

void ptxjit::widenMasks(Module &module, TargetMachine &machine) {
  const MCSubtargetInfo &cpu = *machine.getMCSubtargetInfo();
  if (machine.getTargetTriple().isX86() && cpu.checkFeatures("+avx512f"))
    return;
  for (Function &function : module)
    if (!function.isDeclaration())
      MaskWidener().run(function);
}
