//===- TensorCore.cpp - decodes multiplications in tensor memory ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op definitions of PtxTensorCoreOps.td, and the description of
// TensorCore.h.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/TensorCore.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace ptxjit::ptx;

#define GET_OP_CLASSES
#include "ptxjit/Dialect/PtxTensorCoreOps.cpp.inc"

/// ISA: "tcgen05-mma-block-scaling". The scale factors of a vector divide the k
/// of a dense A, 32 or 64, into equal blocks.
static unsigned scaleBlockOf(std::optional<ScaleVec> vec) {
  switch (vec.value_or(ScaleVec::Block32)) {
  case ScaleVec::X4:
  case ScaleVec::Block16:
    return 16;
  case ScaleVec::X1:
  case ScaleVec::X2:
  case ScaleVec::Block32:
    return 32;
  }
  llvm_unreachable("not a vector of scale factors");
}

template <typename MultiplyOp> static TensorMultiply describe(MultiplyOp op) {
  TensorMultiply multiply;
  multiply.kind = op.getKind();
  multiply.isForPair = op.getGroup() == CtaGroup::Two;
  multiply.isWeightStationary = op.getWs();
  multiply.isSparse = op.getSparse().has_value();
  multiply.shiftsRows = op.getAshift();
  multiply.aIsInTensorMemory = std::is_same_v<MultiplyOp, Tcgen05MmaTmemOp>;
  if (op.getBlockScale())
    multiply.scaleBlock = scaleBlockOf(op.getScaleVec());

  ValueRange rest = op.getInputs();
  auto take = [&] {
    Value taken = rest.front();
    rest = rest.drop_front();
    return taken;
  };
  multiply.d = take();
  multiply.a = take();
  multiply.b = take();
  if (multiply.isSparse)
    multiply.metadata = take();
  multiply.instruction = take();
  if (multiply.scaleBlock) {
    multiply.scaleA = take();
    multiply.scaleB = take();
  }
  size_t lanes = 0;
  while (!rest[lanes].getType().isInteger(1))
    ++lanes;
  multiply.disabledLanes = rest.take_front(lanes);
  rest = rest.drop_front(lanes);
  multiply.accumulates = take();
  if (!rest.empty())
    (multiply.isWeightStationary ? multiply.zeroColumns : multiply.inputShift) =
        take();
  return multiply;
}

TensorMultiply Tcgen05MmaOp::getMultiply() { return describe(*this); }
TensorMultiply Tcgen05MmaTmemOp::getMultiply() { return describe(*this); }
