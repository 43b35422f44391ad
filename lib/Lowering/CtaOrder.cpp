//===- CtaOrder.cpp - what may run in another order -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CtaOrder.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

bool ptxjit::runsAnyTime(Operation *op) {
  auto load = dyn_cast<LdOp>(op);
  return (isMemoryEffectFree(op) && !op->getNumRegions()) ||
         (load && load.getSpace() == Space::Param && !load.getOrder());
}

/// \param space  of an access; none: any.
static bool isOutsideCta(std::optional<Space> space) {
  return !space || space == Space::Param || space == Space::Global ||
         space == Space::Const || space == Space::Generic;
}

bool ptxjit::needsNoCtaOrder(Operation *op) {
  if (auto ld = dyn_cast<LdOp>(op))
    return isOutsideCta(ld.getSpace()) && !ld.getOrder();
  if (auto st = dyn_cast<StOp>(op))
    return isOutsideCta(st.getSpace()) && !st.getOrder();
  if (auto address = dyn_cast<AddressOfOp>(op)) {
    auto module = op->getParentOfType<ModuleOp>();
    auto var = module.lookupSymbol<VarOp>(address.getSymbol());
    return var && isOutsideCta(var.getSpace());
  }
  return isa<scf::IfOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp,
             NextTurnOp>(op) ||
         (isMemoryEffectFree(op) && !op->getNumRegions());
}
