//===- PtxCompare.cpp - op definitions of PtxCompare.td -------------------===//
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
#include "ptxjit/Dialect/PtxCompare.cpp.inc"

AddressRole SelpOp::getAddressRole(unsigned number) {
  return number < 2 ? AddressRole::Base : AddressRole::None;
}
AddressRole AndOp::getAddressRole(unsigned) { return AddressRole::Bits; }
AddressRole OrOp::getAddressRole(unsigned) { return AddressRole::Bits; }
AddressRole ShlOp::getAddressRole(unsigned number) {
  return number == 0 ? AddressRole::Index : AddressRole::None;
}
