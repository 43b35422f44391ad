//===- OrderShared.cpp - keep warps together ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "ptxjit/Analysis/SharedOrder.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "order-shared"

namespace ptxjit {
#define GEN_PASS_DEF_ORDERSHAREDPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
struct OrderSharedPass
    : public ptxjit::impl::OrderSharedPassBase<OrderSharedPass> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    auto target = requireTarget();
    if (failed(target))
      return signalPassFailure();
    // Called functions run thread by thread.
    if (freeOrder || !func.getEntry() || !func.isStructured())
      return;
    unsigned numPlaces = 0;
    for (const OrderPoint &point :
         findSharedOrder(func, target->getShapeContext())) {
      LDBG() << point.why << ": order in front of " << *point.before;
      OpBuilder builder(point.before);
      OrderSharedOp::create(builder, point.before->getLoc(), point.why);
      remarkDecision(point.before,
                     {kOrderRemark, "warps are kept together", "", point.why});
      ++numPlaces;
    }
    remarkCounts(func, "ptx-order-shared",
                 {{"places where warps are kept together", numPlaces}});
  }
};
} // namespace
