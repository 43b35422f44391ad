//===- PtxMemory.cpp - op definitions of PtxMemory.td ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
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
  if (!isWeak(getOrder()))
    effects.emplace_back(MemoryEffects::Write::get());
}

/// A loop may also poll a weak load if a barrier or fence makes it read again:
/// `while (flag[i] == 0) __syncthreads();`. Only global memory counts, because
/// other CTAs write there; threads of the same CTA meet at the barrier.
Polling LdOp::getPolling() {
  if (!isWeak(getOrder()))
    return Polling::Same;
  bool isGlobal = !getSpace() || *getSpace() == Space::Global;
  return isGlobal && !getNc() ? Polling::SameIfReadAnew : Polling::Never;
}

static bool isNonZero(Value value) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) && !constant.isZero();
}

Polling AtomOp::getPolling() {
  switch (getOp()) {
  case AtomicOp::Add:
    return isNonZero(getB()) ? Polling::Never : Polling::Same;
  case AtomicOp::Inc:
  case AtomicOp::Dec:
    return Polling::Never;
  case AtomicOp::Cas:
    return Polling::SameUnlessChained;
  default:
    return Polling::Same;
  }
}

/// The access to `count` contiguous elements. A value of 128 bits is one
/// element with a `count` of 2, its halves.
template <typename OpT>
static ByteAccess describe(OpT op, ByteAccess::Kind kind, size_t count) {
  uint64_t bits = getBitWidth(op.getTy());
  uint64_t bytes = std::max<uint64_t>(1, bits / 8) * (bits == 128 ? 1 : count);
  return {kind, op.getA(), int64_t(op.getOffset()), bytes, op.getSpace()};
}

ByteAccess LdOp::getByteAccess() {
  return describe(*this, ByteAccess::Read, getD().size());
}
ByteAccess StOp::getByteAccess() {
  return describe(*this, ByteAccess::Write, getB().size());
}
ByteAccess AtomOp::getByteAccess() {
  return describe(*this, ByteAccess::Atomic, 1);
}
ByteAccess RedOp::getByteAccess() {
  return describe(*this, ByteAccess::Atomic, 1);
}
ByteAccess AtomVectorOp::getByteAccess() {
  return describe(*this, ByteAccess::Atomic, getB().size());
}
ByteAccess RedVectorOp::getByteAccess() {
  return describe(*this, ByteAccess::Atomic, getB().size());
}
ByteAccess AtomWideOp::getByteAccess() {
  return {ByteAccess::Atomic, getA(), int64_t(getOffset()), 16, getSpace()};
}
ByteAccess CpAsyncOp::getByteAccess() {
  return {ByteAccess::AsyncWrite, getDst(), 0, uint64_t(getBytes()),
          getSpace()};
}
