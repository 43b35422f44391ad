//===- PtxInteger.cpp - op definitions of PtxInteger.td -------------------===//
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
#include "ptxjit/Dialect/PtxInteger.cpp.inc"

AddressRole AddIntOp::getAddressRole(unsigned) { return AddressRole::Base; }
AddressRole SubIntOp::getAddressRole(unsigned number) {
  return number == 0 ? AddressRole::Base : AddressRole::Index;
}
AddressRole MulIntOp::getAddressRole(unsigned) { return AddressRole::Index; }
AddressRole MadIntOp::getAddressRole(unsigned number) {
  return number == 2 ? AddressRole::Base : AddressRole::Index;
}

/// `.wide` extends both factors before it multiplies them; `.lo` and `.hi`
/// extend nothing.
template <typename Product>
static SmallVector<Widening, 2> getFactorWidenings(Product op) {
  if (op.getPart() != Part::Wide)
    return {};
  bool isSigned = isSignedInt(op.getTy());
  return {{0, isSigned}, {1, isSigned}};
}
SmallVector<Widening, 2> MulIntOp::getWidenings() {
  return getFactorWidenings(*this);
}
SmallVector<Widening, 2> MadIntOp::getWidenings() {
  return getFactorWidenings(*this);
}
