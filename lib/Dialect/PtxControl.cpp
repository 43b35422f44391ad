//===- PtxControl.cpp - op definitions of PtxControl.td -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace ptxjit::ptx;

#define GET_OP_CLASSES
#include "ptxjit/Dialect/PtxControl.cpp.inc"

SuccessorOperands BraOp::getSuccessorOperands(unsigned index) {
  return SuccessorOperands(MutableOperandRange(getOperation(), 0, 0));
}
