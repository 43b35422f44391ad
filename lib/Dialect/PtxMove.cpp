//===- PtxMove.cpp - op definitions of PtxMove.td -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

#define GET_OP_CLASSES
#include "ptxjit/Dialect/PtxMove.cpp.inc"

AddressRole CvtOp::getAddressRole(unsigned) { return AddressRole::Index; }
AddressRole CvtaOp::getAddressRole(unsigned) { return AddressRole::Converted; }

SmallVector<Widening, 2> CvtOp::getWidenings() {
  auto isInt = [](ScalarType type) {
    return isSignedInt(type) || isUnsignedInt(type);
  };
  if (!isInt(getTy()) || !isInt(getTy2()) ||
      getBitWidth(getTy()) <= getBitWidth(getTy2()))
    return {};
  return {{0, isSignedInt(getTy2())}};
}

/// The local memory of each thread has a window of its own.
bool CvtaOp::dependsOnWarp() { return getSpace() == Space::Local; }
