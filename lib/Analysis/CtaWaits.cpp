//===- CtaWaits.cpp - a warp that waits for other CTAs --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CtaWaits.h"
#include "ThreadForm.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// May other warps learn by this op, or by one inside of it, what a warp has
/// done?
static bool mayTellWarps(Operation *op) {
  auto visit = [](Operation *inner) {
    bool isSilent =
        inner->getNumRegions() || inner->hasTrait<OpTrait::IsTerminator>() ||
        isMemoryEffectFree(inner) ||
        isa<LdOp, WarpCollectiveOpInterface, BarWarpOp, PrefetchRowOp>(inner);
    return isSilent ? WalkResult::advance() : WalkResult::interrupt();
  };
  return op->walk(visit).wasInterrupted();
}

/// Does at most one warp of the CTA take the side `then` of a conditional?
static bool isForOneWarp(scf::IfOp op, bool then, ThreadForms &forms,
                         const ShapeContext &context) {
  unsigned warps = 0;
  for (unsigned first = 0; first < context.threads(); first += context.lanes) {
    unsigned end = std::min(first + context.lanes, context.threads());
    for (unsigned thread = first; thread < end; ++thread)
      if (!forms.isFalse(op.getCondition(), thread, /*negated=*/!then)) {
        ++warps;
        break;
      }
    if (warps > 1)
      return false;
  }
  return true;
}

/// The op around `op`, or `op` itself, that stands in a block between barriers.
static Operation *findInPart(Operation *op, const CtaLevel &levels) {
  Operation *parent = op->getParentOp();
  for (; !isa<FuncOp>(parent) && !levels.isSplit(parent);
       parent = op->getParentOp())
    op = parent;
  return op;
}

/// Does a warp wait at `wait` alone, so that no other one may end that?
static bool waitsAlone(Operation *wait, const CtaLevel &levels,
                       ThreadForms &forms, const ShapeContext &context) {
  auto around = dyn_cast<scf::IfOp>(findInPart(wait, levels));
  if (!isa<YieldWarpOp, NanosleepOp>(wait) || !around)
    return false;
  Region &side = around.getThenRegion().isAncestor(wait->getParentRegion())
                     ? around.getThenRegion()
                     : around.getElseRegion();
  auto isSilent = [](Operation &op) { return !mayTellWarps(&op); };
  bool others = llvm::all_of(around->getRegions(), [&](Region &region) {
    return &region == &side || llvm::all_of(region.getOps(), isSilent);
  });
  return others &&
         isForOneWarp(around, &side == &around.getThenRegion(), forms,
                      context) &&
         llvm::all_of(*around->getBlock(), [&](Operation &op) {
           return &op == around || !levels.isInSamePart(&op, around) ||
                  isSilent(op);
         });
}

bool ptxjit::waitsForOtherCtas(FuncOp kernel, const CtaLevel &levels,
                               const ShapeAnalysis &shapes) {
  assert(levels.whyNot().empty() && "the kernel has parts");
  if (shapes.getContext().anyBlock)
    return false;
  ThreadForms forms(shapes);
  auto visit = [&](Operation *op) {
    bool isApart = !op->hasTrait<GivesWay>() ||
                   waitsAlone(op, levels, forms, shapes.getContext());
    return isApart ? WalkResult::advance() : WalkResult::interrupt();
  };
  return !kernel.walk(visit).wasInterrupted();
}
