//===- PtxStructure.cpp - functions, variables, registers -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers implement the memory slot interfaces, so that upstream's mem2reg
// can promote them to SSA values.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

#define GET_OP_CLASSES
#include "ptxjit/Dialect/PtxStructure.cpp.inc"

static bool ticks(SpecialRegister reg) {
  switch (reg) {
  case SpecialRegister::Clock:
  case SpecialRegister::ClockHi:
  case SpecialRegister::Clock64:
  case SpecialRegister::GlobalTimer:
  case SpecialRegister::GlobalTimerLo:
  case SpecialRegister::GlobalTimerHi:
    return true;
  default:
    return false;
  }
}

void SRegOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  // The write keeps CSE from merging two reads with no op in between.
  if (!ticks(getReg()))
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

/// The code of these registers uses the warp number, whatever their shape is.
bool SRegOp::dependsOnWarp() {
  switch (getReg()) {
  case SpecialRegister::TidX:
  case SpecialRegister::TidY:
  case SpecialRegister::TidZ:
  case SpecialRegister::WarpId:
    return true;
  default:
    return false;
  }
}

/// Registers that tell which CTA of the cluster this is. (The number of CTAs
/// comes from the launch.)
bool SRegOp::dependsOnCluster() {
  switch (getReg()) {
  case SpecialRegister::ClusterCtarank:
  case SpecialRegister::ClusterCtaidX:
  case SpecialRegister::ClusterCtaidY:
  case SpecialRegister::ClusterCtaidZ:
    return true;
  default:
    return false;
  }
}

LogicalResult EachLaneOp::verify() {
  Block &body = getBody().front();
  if (body.getArgumentTypes() != getInputs().getTypes())
    return emitOpError("the body has an argument for each input");
  if (body.getTerminator()->getOperandTypes() != getD().getTypes())
    return emitOpError("the body yields a value for each result");
  return success();
}
void LaneYieldOp::build(OpBuilder &, OperationState &) {}

LogicalResult UnloweredOp::verify() {
  return verifyTextInstruction(*this, getInstruction());
}
LogicalResult AdviceOp::verify() {
  return verifyTextInstruction(*this, getInstruction());
}

int64_t FuncOp::getParamBytes() {
  int64_t bytes = 0;
  for (Attribute a : getParams()) {
    auto p = cast<ParamAttr>(a);
    bytes = std::max(bytes, p.getOffset() + p.getBytes());
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

SmallVector<MemorySlot> RegOp::getPromotableSlots() {
  return {MemorySlot{getSlot(), getSlot().getType().getElement()}};
}

/// A register that was never written reads as 0, a defined value, so that no
/// later pass may turn it into poison.
Value RegOp::getDefaultValue(const MemorySlot &slot, OpBuilder &builder) {
  return arith::ConstantOp::create(
      builder, getLoc(), cast<TypedAttr>(builder.getZeroAttr(slot.elemType)));
}

void RegOp::handleBlockArgument(const MemorySlot &, BlockArgument,
                                OpBuilder &) {}

std::optional<PromotableAllocationOpInterface>
RegOp::handlePromotionComplete(const MemorySlot &, Value defaultValue,
                               OpBuilder &) {
  if (defaultValue && defaultValue.use_empty())
    defaultValue.getDefiningOp()->erase();
  getOperation()->erase();
  return std::nullopt;
}

bool ReadOp::loadsFrom(const MemorySlot &slot) { return getSlot() == slot.ptr; }
bool ReadOp::storesTo(const MemorySlot &) { return false; }
Value ReadOp::getStored(const MemorySlot &, OpBuilder &, Value,
                        const DataLayout &) {
  llvm_unreachable("read does not store");
}
bool ReadOp::canUsesBeRemoved(const MemorySlot &slot,
                              const SmallPtrSetImpl<OpOperand *> &,
                              SmallVectorImpl<OpOperand *> &,
                              const DataLayout &) {
  return getSlot() == slot.ptr;
}
DeletionKind ReadOp::removeBlockingUses(const MemorySlot &,
                                        const SmallPtrSetImpl<OpOperand *> &,
                                        OpBuilder &, Value reachingDefinition,
                                        const DataLayout &) {
  getValue().replaceAllUsesWith(reachingDefinition);
  return DeletionKind::Delete;
}

bool WriteOp::loadsFrom(const MemorySlot &) { return false; }
bool WriteOp::storesTo(const MemorySlot &slot) { return getSlot() == slot.ptr; }
Value WriteOp::getStored(const MemorySlot &, OpBuilder &, Value,
                         const DataLayout &) {
  return getValue();
}
bool WriteOp::canUsesBeRemoved(const MemorySlot &slot,
                               const SmallPtrSetImpl<OpOperand *> &,
                               SmallVectorImpl<OpOperand *> &,
                               const DataLayout &) {
  return getSlot() == slot.ptr && getValue() != slot.ptr;
}
DeletionKind WriteOp::removeBlockingUses(const MemorySlot &,
                                         const SmallPtrSetImpl<OpOperand *> &,
                                         OpBuilder &, Value,
                                         const DataLayout &) {
  return DeletionKind::Delete;
}
