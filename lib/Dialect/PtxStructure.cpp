//===- PtxStructure.cpp - functions, variables, registers -----------------===//
//
// Registers implement the memory slot interfaces, so that upstream mem2reg
// makes SSA of them.
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

/// Some form has these modifiers and as many values.
static LogicalResult verifyPlainInstruction(Operation *op,
                                            StringRef instruction,
                                            unsigned numOperands) {
  auto [opcode, rest] = instruction.split('.');
  SmallVector<StringRef, 12> tokens;
  if (!rest.empty())
    rest.split(tokens, '.');
  unsigned bad = 0;
  for (const FormSpec &form : getFormsOfOpcode(opcode)) {
    if (!form.plain || !matchForm(form, tokens, bad))
      continue;
    unsigned least = 0, most = 0, results = 0;
    for (const OperandSpec &operand : form.getOperands()) {
      unsigned size = operand.kind == OperandKind::Sink ? 0
                      : operand.kind == OperandKind::Vector
                          ? getVectorSize(operand, tokens)
                          : 1;
      if (operand.isResult)
        results += size;
      else
        most += size, least += operand.optional ? 0 : size;
    }
    if (numOperands >= least && numOperands <= most &&
        op->getNumResults() <= results)
      return success();
  }
  return op->emitOpError() << "'" << instruction
                           << "' is no form with as many operands";
}
template <typename TextOp> static LogicalResult verifyText(TextOp op) {
  return verifyPlainInstruction(op, op.getInstruction(), op->getNumOperands());
}
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
  // A write as well: two reads with nothing between them would be one.
  if (!ticks(getReg()))
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

/// They are made from the number of the warp, whatever their shape.
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

/// Which of the CTAs this is. How many there are the launch says.
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

template <typename MatrixOp> static LogicalResult verifyMatrix(MatrixOp op) {
  return verifyPlainInstruction(op, op.getInstruction(), op.getInputs().size());
}
LogicalResult UnloweredOp::verify() { return verifyText(*this); }
LogicalResult VideoOp::verify() { return verifyText(*this); }
LogicalResult AdviceOp::verify() { return verifyText(*this); }
LogicalResult MmaOp::verify() { return verifyMatrix(*this); }
LogicalResult LdMatrixOp::verify() { return verifyMatrix(*this); }
LogicalResult StMatrixOp::verify() { return verifyMatrix(*this); }
LogicalResult MovMatrixOp::verify() { return verifyMatrix(*this); }
LogicalResult WmmaLoadOp::verify() { return verifyMatrix(*this); }
LogicalResult WmmaStoreOp::verify() { return verifyMatrix(*this); }

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

/// A register that was never written reads 0: defined, so that nothing later
/// may turn it into poison.
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
