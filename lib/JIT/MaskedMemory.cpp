//===- MaskedMemory.cpp - masked accesses that a CPU does not have --------===//
//
// LLVM's own pass for this looks at the whole function again for each access
// that it takes apart: 34 of 55 seconds for a kernel with 10,000 of them. This
// one takes each block from its end, so that what is split off is short.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace {

/// A call of llvm.masked.load, .store, .gather or .scatter.
struct MaskedAccess {
  IntrinsicInst *call;
  Value *pointer; ///< one, or a vector of them
  Value *mask;
  Value *value; ///< what is stored, or stands for lanes not loaded
  Align align;  ///< of the first element, or of each
  FixedVectorType *type;

  bool isLoad() const { return !call->getType()->isVoidTy(); }
  bool hasPointers() const { return pointer->getType()->isVectorTy(); }
  Align elementAlign(const DataLayout &layout) const {
    return hasPointers() ? align
                         : commonAlignment(align, layout.getTypeStoreSize(
                                                      type->getElementType()));
  }
};

std::optional<MaskedAccess> asMaskedAccess(Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call)
    return std::nullopt;
  bool isLoad = true;
  switch (call->getIntrinsicID()) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_gather:
    break;
  case Intrinsic::masked_store:
  case Intrinsic::masked_scatter:
    isLoad = false;
    break;
  default:
    return std::nullopt;
  }
  // (pointer, mask, others) and (value, pointer, mask).
  unsigned pointer = isLoad ? 0 : 1;
  Value *value = call->getArgOperand(isLoad ? 2 : 0);
  auto *type = dyn_cast<FixedVectorType>(value->getType());
  if (!type)
    return std::nullopt;
  return MaskedAccess{call,
                      call->getArgOperand(pointer),
                      call->getArgOperand(pointer + 1),
                      value,
                      call->getParamAlign(pointer).valueOrOne(),
                      type};
}

bool isLegal(const MaskedAccess &access, const TargetTransformInfo &target) {
  unsigned space =
      access.pointer->getType()->getScalarType()->getPointerAddressSpace();
  switch (access.call->getIntrinsicID()) {
  case Intrinsic::masked_load:
    return target.isLegalMaskedLoad(access.type, access.align, space);
  case Intrinsic::masked_store:
    return target.isLegalMaskedStore(access.type, access.align, space);
  case Intrinsic::masked_gather:
    return target.isLegalMaskedGather(access.type, access.align) &&
           !target.forceScalarizeMaskedGather(access.type, access.align);
  default:
    return target.isLegalMaskedScatter(access.type, access.align) &&
           !target.forceScalarizeMaskedScatter(access.type, access.align);
  }
}

/// One access at a time, each behind a test of its lane's bit.
class Expansion {
public:
  Expansion(const MaskedAccess &access)
      : access(access), builder(access.call), result(access.value) {}

  void run() {
    unsigned lanes = access.type->getNumElements();
    // Vector constants have their bits at hand; expressions do not.
    if (!isa<ConstantDataVector, ConstantVector, ConstantAggregateZero>(
            access.mask))
      bits = builder.CreateBitCast(access.mask, builder.getIntNTy(lanes));
    for (unsigned lane = 0; lane < lanes; ++lane)
      expandLane(lane);
    if (access.isLoad())
      access.call->replaceAllUsesWith(result);
    access.call->eraseFromParent();
  }

private:
  void expandLane(unsigned lane) {
    if (!bits) {
      Constant *bit = cast<Constant>(access.mask)->getAggregateElement(lane);
      if (bit->isOneValue())
        result = accessLane(lane);
      return;
    }
    Value *test = builder.CreateIsNotNull(builder.CreateAnd(
        bits, ConstantInt::get(
                  bits->getType(),
                  APInt::getOneBitSet(access.type->getNumElements(), lane))));
    BasicBlock *before = access.call->getParent();
    Value *old = result;
    Instruction *then =
        SplitBlockAndInsertIfThen(test, access.call, /*Unreachable=*/false);
    builder.SetInsertPoint(then);
    Value *loaded = accessLane(lane);
    BasicBlock *thenBlock = then->getParent();
    builder.SetInsertPoint(access.call);
    if (!access.isLoad())
      return;
    IRBuilder<> atStart(access.call->getParent(),
                        access.call->getParent()->begin());
    atStart.SetCurrentDebugLocation(access.call->getDebugLoc());
    PHINode *phi = atStart.CreatePHI(access.type, 2);
    phi->addIncoming(old, before);
    phi->addIncoming(loaded, thenBlock);
    result = phi;
  }

  /// The load or store of a lane; what the vector is with what was loaded.
  Value *accessLane(unsigned lane) {
    Type *element = access.type->getElementType();
    Value *pointer =
        access.hasPointers()
            ? builder.CreateExtractElement(access.pointer, lane)
            : builder.CreateConstInBoundsGEP1_32(element, access.pointer, lane);
    Align align =
        access.elementAlign(access.call->getModule()->getDataLayout());
    if (access.isLoad())
      return builder.CreateInsertElement(
          result, builder.CreateAlignedLoad(element, pointer, align), lane);
    builder.CreateAlignedStore(builder.CreateExtractElement(access.value, lane),
                               pointer, align);
    return result;
  }

  MaskedAccess access;
  IRBuilder<> builder;
  Value *bits = nullptr;
  Value *result; ///< with the lanes so far
};

} // namespace

void ptxjit::expandMaskedMemory(Module &module, TargetMachine &machine) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    TargetTransformInfo target = machine.getTargetTransformInfo(function);
    // Expanding one changes operands of others.
    SmallVector<Instruction *> found;
    for (BasicBlock &block : function)
      for (Instruction &instruction : reverse(block))
        if (auto access = asMaskedAccess(instruction);
            access && !isLegal(*access, target))
          found.push_back(&instruction);
    for (Instruction *call : found)
      Expansion(*asMaskedAccess(*call)).run();
  }
}
