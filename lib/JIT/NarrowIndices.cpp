//===- NarrowIndices.cpp - gathers by indices of 32 bits ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers and scatters take indices of 32 bits and extend them by themselves.
// LLVM has an instruction for that, which it puts where the indices are made,
// as early as it can, and sees the index behind it only in the block of the
// access. The same goes for indices that are known numbers. So this pass makes
// the pointers of each access in front of it.
//
//===----------------------------------------------------------------------===//

#include "IndexedPointers.h"
#include "ptxjit/JIT/LanePasses.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace ptxjit;

/// The operand that holds the pointers of a gather or scatter; null for other
/// instructions.
static Use *pointersOf(Instruction &instruction) {
  if (match(&instruction, m_Intrinsic<Intrinsic::masked_gather>()))
    return &cast<CallInst>(instruction).getArgOperandUse(0);
  if (match(&instruction, m_Intrinsic<Intrinsic::masked_scatter>()))
    return &cast<CallInst>(instruction).getArgOperandUse(1);
  return nullptr;
}

/// Puts a copy of the operand of `use` in front of its user, if it is an
/// instruction elsewhere.
static Instruction *copyTo(Use &use, Instruction &user) {
  auto *old = cast<Instruction>(use.get());
  if (old->getParent() == user.getParent())
    return old;
  Instruction *copy = old->clone();
  copy->insertBefore(user.getIterator());
  use.set(copy);
  if (old->use_empty())
    old->eraseFromParent();
  return copy;
}

/// Indices of 32 bits, for one that is a known number in each lane; null if it
/// is not, or does not fit.
static Constant *narrowConstant(Value *index) {
  auto *numbers = dyn_cast<Constant>(index);
  auto *type = dyn_cast<FixedVectorType>(index->getType());
  if (!numbers || !type || !type->getElementType()->isIntegerTy(64))
    return nullptr;
  SmallVector<uint32_t, 16> narrow;
  for (unsigned i = 0; i < type->getNumElements(); ++i) {
    Constant *element = numbers->getAggregateElement(i);
    auto *number = dyn_cast_or_null<ConstantInt>(element);
    bool isAny = isa_and_nonnull<UndefValue>(element); // of lanes left out
    if (!isAny && !(number && number->getValue().isSignedIntN(32)))
      return nullptr;
    narrow.push_back(isAny ? 0 : uint32_t(number->getSExtValue()));
  }
  return ConstantDataVector::get(index->getContext(), narrow);
}

/// Makes pointers that are known numbers behind one base in front of `access`.
/// \returns false if they are not.
static bool makeKnownHere(Instruction &access, Use &pointers) {
  GetElementPtrInst *places = asPlacesBehindBase(pointers.get());
  if (!places)
    return false;
  Constant *narrow = narrowConstant(*places->idx_begin());
  if (!narrow)
    return false;
  copyTo(pointers, access);
  cast<GetElementPtrInst>(pointers.get())->idx_begin()->set(narrow);
  return true;
}

/// Makes pointers that are narrow indices behind one base in front of `access`.
static void makeHere(Instruction &access, Use &pointers) {
  if (makeKnownHere(access, pointers))
    return;
  std::optional<IndexedPointers> found = asIndexedPointers(pointers.get());
  if (!found || found->extension->getSrcTy()->getScalarSizeInBits() > 32)
    return;
  Instruction *own = copyTo(pointers, access);
  copyTo(*cast<GetElementPtrInst>(own)->idx_begin(), *own);
}

void ptxjit::narrowIndices(Module &module) {
  for (Function &function : module) {
    SmallVector<Instruction *> accesses;
    for (Instruction &instruction : instructions(function))
      if (pointersOf(instruction))
        accesses.push_back(&instruction);
    for (Instruction *access : accesses)
      makeHere(*access, *pointersOf(*access));
  }
}
