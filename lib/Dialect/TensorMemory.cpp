//===- TensorMemory.cpp - decodes accesses of tensor memory ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The op definitions of PtxTensorMemoryOps.td, and the descriptions of
// TensorMemory.h.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/TensorMemory.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace ptxjit::ptx;

#define GET_OP_CLASSES
#include "ptxjit/Dialect/PtxTensorMemoryOps.cpp.inc"

static CellAccess decode(CellShape shape, CellCount count, bool isPacked,
                         ValueRange inputs) {
  CellAccess access;
  access.shape = shape;
  access.count = unsigned(count);
  access.isPacked = isPacked;
  access.address = inputs.front();
  inputs = inputs.drop_front();
  if (shape == CellShape::R16B32x2) {
    access.split = inputs.front();
    inputs = inputs.drop_front();
  }
  access.registers = inputs;
  return access;
}

CellAccess Tcgen05LdOp::getAccess() {
  return decode(getShape(), getCount(), getPack(), getInputs());
}
CellAccess Tcgen05LdRedOp::getAccess() {
  return decode(getShape(), getCount(), /*isPacked=*/false, getInputs());
}
CellAccess Tcgen05StOp::getAccess() {
  return decode(getShape(), getCount(), getUnpack(), getInputs());
}
