//===- PollingLoop.cpp - ops that a loop polls ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PollingLoop.h"
#include "ptxjit/Analysis/CtaLevel.h"
#include "ptxjit/Analysis/Waiting.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

bool ptxjit::isAnyBarrier(Operation *op) {
  return CtaLevel::isBarrier(op) || op->hasTrait<ClusterWideBarrier>() ||
         op->hasTrait<WarpgroupBarrier>();
}

Value ptxjit::memberMaskOf(Operation *op) {
  auto collective = dyn_cast<WarpCollectiveOpInterface>(op);
  return collective ? collective.getMemberMask() : Value();
}

//===----------------------------------------------------------------------===//
// The values that a value depends on
//===----------------------------------------------------------------------===//

/// Adds the values inside the loop that `value` directly depends on. Only with
/// `acrossTurns` does an argument that the loop carries depend on the value
/// that the previous iteration yields.
void PollingLoop::collectSources(Value value, bool acrossTurns,
                                 SmallVectorImpl<Value> &sources) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned n = argument.getArgNumber();
    auto owner = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
    if (!owner)
      return;
    if (argument.getOwner() == owner.getAfterBody()) {
      sources.push_back(owner.getConditionOp().getArgs()[n]);
      return;
    }
    if (owner != loop || acrossTurns)
      sources.push_back(owner.getYieldOp().getOperand(n));
    if (owner != loop)
      sources.push_back(owner.getInits()[n]);
    return;
  }
  auto result = cast<OpResult>(value);
  Operation *op = result.getOwner();
  llvm::append_range(sources, op->getOperands());
  if (auto inner = dyn_cast<scf::WhileOp>(op)) {
    sources.push_back(inner.getConditionOp().getCondition());
    sources.push_back(
        inner.getConditionOp().getArgs()[result.getResultNumber()]);
  } else if (isa<scf::IfOp>(op)) {
    for (Region &region : op->getRegions())
      if (!region.empty())
        sources.push_back(region.front().getTerminator()->getOperand(
            result.getResultNumber()));
  }
}

/// Calls visit(source) for `value` and each value inside the loop that it
/// depends on, until a call returns true. \returns whether one did.
bool PollingLoop::anySource(Value value, bool acrossTurns, Visit visit) {
  llvm::SmallPtrSet<Value, 32> seen;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Value source = work.pop_back_val();
    Operation *op = source.getDefiningOp();
    Operation *home = op ? op : source.getParentBlock()->getParentOp();
    bool inside = home == loop || loop->isProperAncestor(home);
    if (!inside || !seen.insert(source).second)
      continue;
    if (visit(source))
      return true;
    collectSources(source, acrossTurns, work);
  }
  return false;
}

bool PollingLoop::dependsOn(Value value, Value on, bool acrossTurns) {
  return anySource(value, acrossTurns,
                   [&](Value source) { return source == on; });
}

//===----------------------------------------------------------------------===//
// Weak loads
//===----------------------------------------------------------------------===//

/// Does the loop contain a barrier or fence, after which loads read memory
/// again?
bool PollingLoop::ordersMemory() {
  return loop
      .walk([](Operation *op) {
        return isAnyBarrier(op) || op->hasTrait<OrdersMemory>()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// May `carried` have the same value in the next iteration? True if the value
/// that the loop yields for it may be `carried` itself, or may not depend on
/// it. (False for a counter, whose next value is always computed from it.)
bool PollingLoop::mayKeep(BlockArgument carried) {
  llvm::SmallPtrSet<Value, 8> seen;
  SmallVector<Value> work = {
      loop.getYieldOp().getOperand(carried.getArgNumber())};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (value == carried || !dependsOn(value, carried, /*acrossTurns=*/false))
      return true;
    if (!seen.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (isa_and_present<scf::IfOp, scf::WhileOp>(op) ||
        isa<BlockArgument>(value))
      collectSources(value, /*acrossTurns=*/false, work);
    else if (isa_and_present<SelectLikeOpInterface>(op))
      llvm::append_range(work, op->getOperands());
  }
  return false;
}

/// May everything that the condition depends on, except for the contents of
/// memory, be the same in the next iteration? (Loops that count end by
/// themselves.)
bool PollingLoop::mayRepeat() {
  Value condition = loop.getConditionOp().getCondition();
  return !anySource(condition, /*acrossTurns=*/true, [&](Value source) {
    auto carried = dyn_cast<BlockArgument>(source);
    return carried && carried.getOwner() == loop.getBeforeBody() &&
           !mayKeep(carried);
  });
}

bool PollingLoop::readsAnew() {
  if (!anew)
    anew = ordersMemory() && mayRepeat();
  return *anew;
}

/// Does a compare-and-swap compare with a value computed from what it read
/// last? If so, its failure means that another thread has made progress.
bool PollingLoop::isChained(Operation *op) {
  auto swap = cast<AtomOp>(op);
  return dependsOn(swap.getB(), swap.getD(), /*acrossTurns=*/true);
}

//===----------------------------------------------------------------------===//
// Polls
//===----------------------------------------------------------------------===//

/// May `op` read the same value again until another thread does something?
bool PollingLoop::mayPoll(Operation *op) {
  auto communicating = dyn_cast<CommunicatingOpInterface>(op);
  if (!communicating)
    return false;
  switch (communicating.getPolling()) {
  case Polling::Never:
    return false;
  case Polling::Same:
    return true;
  case Polling::SameIfReadAnew:
    return readsAnew();
  case Polling::SameUnlessChained:
    return !isChained(op);
  }
  llvm_unreachable("no way of polling");
}

bool PollingLoop::anyPoll(llvm::function_ref<bool(Operation *)> visit) {
  return anySource(loop.getConditionOp().getCondition(), /*acrossTurns=*/true,
                   [&](Value source) {
                     Operation *op = source.getDefiningOp();
                     return op && mayPoll(op) && visit(op);
                   });
}

bool ptxjit::waitsOnMemory(scf::WhileOp loop) {
  return PollingLoop(loop).anyPoll([](Operation *) { return true; });
}

bool ptxjit::meetsOthers(scf::WhileOp loop) {
  return loop
      .walk([](Operation *op) {
        return isAnyBarrier(op) || memberMaskOf(op) || isa<CallOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}
