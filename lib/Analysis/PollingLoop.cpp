//===- PollingLoop.cpp - what a loop reads until it changes ---------------===//
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
  return CtaLevel::isBarrier(op) || op->hasTrait<ClusterWideBarrier>();
}

Value ptxjit::memberMaskOf(Operation *op) {
  auto collective = dyn_cast<WarpCollectiveOpInterface>(op);
  return collective ? collective.getMemberMask() : Value();
}

//===----------------------------------------------------------------------===//
// What values are made of
//===----------------------------------------------------------------------===//

/// The values that `value` is made of, one step back, inside the loop. With
/// `acrossTurns` what the loop carries is made of the turn before.
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

/// Calls visit(value) for what `value` is made of inside the loop, itself too,
/// until that says true. \returns whether it did.
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

/// Does each turn pass a barrier or a fence, after which memory is read anew?
bool PollingLoop::ordersMemory() {
  return loop
      .walk([](Operation *op) {
        return isAnyBarrier(op) || op->hasTrait<OrdersMemory>()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// May the loop carry `carried` into the next turn as it is, or as something
/// that does not grow out of it?
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

/// May all that the condition is made of, but for what memory holds, be in the
/// next turn as it was in this one? (Loops that count end by themselves.)
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

/// Is what a compare-and-swap compares with made of what it read last? If it
/// fails then, another thread has got on.
bool PollingLoop::isChained(Operation *op) {
  auto swap = cast<AtomOp>(op);
  return dependsOn(swap.getB(), swap.getD(), /*acrossTurns=*/true);
}

//===----------------------------------------------------------------------===//
// Polls
//===----------------------------------------------------------------------===//

/// May it read the same as before until another thread does something?
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
