//===- AddressFlow.cpp - the ops through which an address flows -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/AddressFlow.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

AddressRole ptxjit::getAddressRole(OpOperand &use) {
  unsigned number = use.getOperandNumber();
  return llvm::TypeSwitch<Operation *, AddressRole>(use.getOwner())
      .Case([&](AddressOpInterface op) { return op.getAddressRole(number); })
      .Case([](arith::AddIOp) { return AddressRole::Base; })
      .Case([&](arith::SelectOp) {
        return number > 0 ? AddressRole::Base : AddressRole::None;
      })
      .Case<arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp>(
          [](Operation *) { return AddressRole::Index; })
      .Default([](Operation *) { return AddressRole::None; });
}
