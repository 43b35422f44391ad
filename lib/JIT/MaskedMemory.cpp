//===- MaskedMemory.cpp - expands masked accesses that cost less apart ----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Those that a CPU lacks, and those of few lanes, as of one that stores a sum.
// LLVM's own pass for the former scans the whole function again for each
// access that it expands: 34 of 55 seconds for a kernel with 10,000 of them.
// This one works from the end of each block, so that the part that is split off
// is short.
//
//===----------------------------------------------------------------------===//

#include "IndexedPointers.h"
#include "ptxjit/JIT/Compiler.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;
using namespace ptxjit;

namespace {

/// A call of llvm.masked.load, .store, .gather or .scatter.
struct MaskedAccess {
  IntrinsicInst *call;
  Value *pointer; ///< one pointer, or a vector
  Value *mask;
  Value *value; ///< stored value, or result of inactive lanes
  Align align;  ///< of the one pointer, or of each
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
  // Loads have (pointer, mask, value), stores (value, pointer, mask).
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

/// Can the elements of the mask be read? Those of constant expressions cannot.
bool isKnown(const Value *mask) {
  return isa<ConstantDataVector, ConstantVector, ConstantAggregateZero>(mask);
}

/// Are there fewer active lanes, known ones, than a gather or a scatter has
/// steps?
bool hasFewLanes(const MaskedAccess &access) {
  if (!access.hasPointers() || !isKnown(access.mask))
    return false;
  auto *mask = cast<Constant>(access.mask);
  unsigned active = 0;
  for (unsigned lane = 0; lane < access.type->getNumElements(); ++lane)
    active += !mask->getAggregateElement(lane)->isNullValue();
  return active <= 2;
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

/// Expands one access. Inactive lanes access a slot on the stack, since
/// branches on the bits of a mask would be mispredicted half of the time.
class Expansion {
public:
  Expansion(const MaskedAccess &access, AllocaInst *slot)
      : access(access), slot(slot), builder(access.call) {}

  void run() {
    Value *result = isKnown(access.mask) ? accessKnown() : accessIfAny();
    if (access.isLoad())
      access.call->replaceAllUsesWith(result);
    access.call->eraseFromParent();
  }

private:
  unsigned lanes() const { return access.type->getNumElements(); }

  Value *accessKnown() {
    Value *result = access.value;
    for (unsigned lane = 0; lane < lanes(); ++lane) {
      Constant *bit = cast<Constant>(access.mask)->getAggregateElement(lane);
      if (bit->isOneValue())
        result = accessLane(lanePointer(lane), lane, result);
    }
    return result;
  }

  Value *accessIfAny() {
    Value *any = builder.CreateIsNotNull(
        builder.CreateBitCast(access.mask, builder.getIntNTy(lanes())));
    BasicBlock *before = access.call->getParent();
    Instruction *then =
        SplitBlockAndInsertIfThen(any, access.call, /*Unreachable=*/false);
    builder.SetInsertPoint(then);
    Value *loaded = accessAll();
    BasicBlock *thenBlock = then->getParent();
    builder.SetInsertPoint(access.call);
    if (!access.isLoad())
      return nullptr;
    IRBuilder<> atStart(access.call->getParent(),
                        access.call->getParent()->begin());
    atStart.SetCurrentDebugLocation(access.call->getDebugLoc());
    PHINode *phi = atStart.CreatePHI(access.type, 2);
    phi->addIncoming(access.value, before);
    phi->addIncoming(loaded, thenBlock);
    return phi;
  }

  Value *accessAll() {
    Value *pointers = builder.CreateSelect(
        access.mask, lanePointers(), builder.CreateVectorSplat(lanes(), slot));
    Value *result = PoisonValue::get(access.type);
    for (unsigned lane = 0; lane < lanes(); ++lane)
      result = accessLane(builder.CreateExtractElement(pointers, lane), lane,
                          result);
    return access.isLoad()
               ? builder.CreateSelect(access.mask, result, access.value)
               : nullptr;
  }

  Value *lanePointer(unsigned lane) {
    if (Value *place = lanePlace(lane))
      return place;
    return access.hasPointers()
               ? builder.CreateExtractElement(access.pointer, lane)
               : builder.CreateConstInBoundsGEP1_32(
                     access.type->getElementType(), access.pointer, lane);
  }
  /// The pointer of a lane that is an index behind one base. CPUs add a narrow
  /// index to a base as they access. Null for other pointers.
  Value *lanePlace(unsigned lane) {
    std::optional<IndexedPointers> found = asIndexedPointers(access.pointer);
    if (!found)
      return nullptr;
    auto [places, extension] = *found;
    Value *index = builder.CreateExtractElement(extension->getOperand(0), lane);
    return builder.CreateGEP(
        places->getSourceElementType(), places->getPointerOperand(),
        builder.CreateSExt(index, extension->getDestTy()->getScalarType()));
  }
  Value *lanePointers() {
    if (access.hasPointers())
      return access.pointer;
    Value *pointers = PoisonValue::get(
        FixedVectorType::get(access.pointer->getType(), lanes()));
    for (unsigned lane = 0; lane < lanes(); ++lane)
      pointers = builder.CreateInsertElement(pointers, lanePointer(lane), lane);
    return pointers;
  }

  /// Loads or stores one lane. \returns `result` with the loaded element.
  Value *accessLane(Value *pointer, unsigned lane, Value *result) {
    Align align =
        access.elementAlign(access.call->getModule()->getDataLayout());
    if (access.isLoad())
      return builder.CreateInsertElement(
          result,
          builder.CreateAlignedLoad(access.type->getElementType(), pointer,
                                    align),
          lane);
    builder.CreateAlignedStore(builder.CreateExtractElement(access.value, lane),
                               pointer, align);
    return result;
  }

  MaskedAccess access;
  AllocaInst *slot; ///< fits the largest element
  IRBuilder<> builder;
};

/// Gathers of a function for x86-64 from which on the CPU's instruction is used
/// where LLVM takes it for slow. On Zen 3 it is about as fast as a load for
/// each lane, and those are 40 instructions: a fifth to a third of the code of
/// kernels with many gathers.
constexpr int kManyGathers = 16;

/// Lets LLVM use the CPU's gathers in a function with many of them.
void useGathers(Function &function) {
  auto isGather = [](const Instruction &instruction) {
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    return call && call->getIntrinsicID() == Intrinsic::masked_gather;
  };
  if (count_if(instructions(function), isGather) < kManyGathers)
    return;
  SubtargetFeatures features(
      function.getFnAttribute("target-features").getValueAsString());
  features.AddFeature("fast-gather");
  function.addFnAttr("target-features", features.getString());
}

/// Makes the slot that inactive lanes access.
AllocaInst *makeSlot(Function &function) {
  IRBuilder<> atEntry(&function.getEntryBlock(),
                      function.getEntryBlock().begin());
  AllocaInst *slot = atEntry.CreateAlloca(atEntry.getInt128Ty());
  slot->setAlignment(Align(16));
  return slot;
}

} // namespace

void ptxjit::expandMaskedMemory(Module &module, TargetMachine &machine) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (machine.getOptLevel() != CodeGenOptLevel::None &&
        machine.getTargetTriple().isX86())
      useGathers(function);
    TargetTransformInfo target = machine.getTargetTransformInfo(function);
    // The operands of a call change when an earlier one is expanded, so they
    // are read late.
    SmallVector<Instruction *> found;
    for (BasicBlock &block : function)
      for (Instruction &instruction : reverse(block))
        if (auto access = asMaskedAccess(instruction);
            access && (!isLegal(*access, target) || hasFewLanes(*access)))
          found.push_back(&instruction);
    if (found.empty())
      continue;
    AllocaInst *slot = makeSlot(function);
    for (Instruction *call : found)
      Expansion(*asMaskedAccess(*call), slot).run();
  }
}
