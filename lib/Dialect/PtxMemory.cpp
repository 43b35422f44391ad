//===- PtxMemory.cpp - op definitions of PtxMemory.td ---===//

#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace ptxjit::ptx;

#define GET_OP_CLASSES
#include "ptxjit/Dialect/PtxMemory.cpp.inc"

void LdOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  // A volatile or ordered load may not be dropped, merged or moved.
  if (getOrder() && *getOrder() != Order::Weak)
    effects.emplace_back(MemoryEffects::Write::get());
}
