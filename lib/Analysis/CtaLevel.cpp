//===- CtaLevel.cpp - values and control common to a whole CTA ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/CtaLevel.h"

#include "Place.h"
#include "ptxjit/Dialect/FormTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Vectors that a part's warps share. Each takes one register or two while all
/// warps run.
static constexpr unsigned kMostVectors = 4;
/// Vectors of loads that are shuffled once. They stay in memory, and should fit
/// the nearest cache together with what a warp keeps.
static constexpr size_t kMostShuffled = 128;

bool CtaLevel::isBarrier(Operation *op) {
  return isa<CtaBarrierOpInterface>(op);
}

bool CtaLevel::isBorder(Operation *op) {
  return isBarrier(op) || isa<OrderSharedOp>(op);
}

CtaLevel::CtaLevel(FuncOp func, const ShapeAnalysis &shapes,
                   ArrayRef<Operation *> points)
    : shapes(shapes) {
  findSplit(func, points);
  numberParts(func, points);
  func.walk<WalkOrder::PostOrder>([&](Operation *op) {
    if (canMove(op))
      movable.insert(op);
  });
  assume(func);
  settle(func);
  if (dropVectors(func))
    settle(func);
  check(func);
}

void CtaLevel::findSplit(FuncOp func, ArrayRef<Operation *> points) {
  auto splitAround = [&](Operation *op) {
    for (Operation *p = op->getParentOp(); p != func; p = p->getParentOp())
      split.insert(p);
  };
  func.walk([&](Operation *op) {
    if (isBorder(op))
      splitAround(op);
  });
  llvm::for_each(points, splitAround);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// May the op itself write shared memory, or learn that others have?
static bool mayChangeShared(Operation *op) {
  if (op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() ||
      isMemoryEffectFree(op) || isa<PrefetchRowOp>(op))
    return false;
  if (auto load = dyn_cast<LdOp>(op))
    return !isWeak(load.getOrder());
  auto store = dyn_cast<StOp>(op);
  auto space = store ? store.getSpace() : std::nullopt;
  return !space || *space == Space::Generic || *space == Space::Shared ||
         *space == Space::SharedCta;
}

void CtaLevel::forEachSplitBlock(
    FuncOp func, llvm::function_ref<void(Block &)> visit) const {
  for (Block &block : func.getBody())
    visit(block);
  for (Operation *op : split)
    for (Region &region : op->getRegions())
      for (Block &block : region)
        visit(block);
}

void CtaLevel::numberParts(FuncOp func, ArrayRef<Operation *> points) {
  auto changesShared = [](Operation &op) {
    auto visit = [](Operation *inner) {
      return mayChangeShared(inner) ? WalkResult::interrupt()
                                    : WalkResult::advance();
    };
    return op.walk(visit).wasInterrupted();
  };
  auto visit = [&](Block &block) {
    firstChanges.push_back(nullptr);
    for (Operation &op : block) {
      bool isAlone = isBorder(&op) || isSplit(&op);
      if (isAlone || llvm::is_contained(points, &op))
        firstChanges.push_back(nullptr);
      parts[&op] = unsigned(firstChanges.size() - 1);
      if (isAlone)
        firstChanges.push_back(nullptr);
      else if (!firstChanges.back() && changesShared(op))
        firstChanges.back() = &op;
    }
  };
  forEachSplitBlock(func, visit);
}

unsigned CtaLevel::partOf(Operation *op) const {
  for (;; op = op->getParentOp()) {
    assert(op && "the function's blocks have parts");
    if (auto found = parts.find(op); found != parts.end())
      return found->second;
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Does the load give the same in all warps that run its part, if their
/// addresses are the same? A GPU may run all warps up to the first change of
/// shared memory before any of them makes it.
bool CtaLevel::readsTheSame(LdOp load) const {
  if (load.getSpace() == Space::Param)
    return !load.getOrder();
  if (load.getSpace() != Space::Shared || load.getMask() ||
      !isWeak(load.getOrder()))
    return false;
  Operation *change = firstChanges[partOf(load)];
  if (!change)
    return true;
  Operation *top = change->getBlock()->findAncestorOpInBlock(*load);
  assert(top && "the part is of one block");
  return top->isBeforeInBlock(change);
}

/// Does each warp run the op as the others do, with all of its lanes?
bool CtaLevel::joinsWholeWarp(Operation *op) const {
  auto collective = dyn_cast<WarpCollectiveOpInterface>(op);
  Value members = collective ? collective.getMemberMask() : Value();
  APInt mask;
  return members && isa<ShflOp, VoteOp, ReduxOp>(op) &&
         !cast<MaskedOpInterface>(op).getLaneMask() &&
         matchPattern(members, m_ConstantInt(&mask)) && mask.isAllOnes() &&
         hasWholeWarps();
}

bool CtaLevel::hasWholeWarps() const {
  const ShapeContext &context = shapes.getContext();
  return !context.anyBlock && !context.partialWarp();
}

/// Can the op be executed once for the CTA, in front of the loop over the
/// warps?
bool CtaLevel::canMove(Operation *op) const {
  if (op->hasTrait<OpTrait::IsTerminator>() || !op->getNumResults())
    return false;
  if (isa<scf::IfOp, scf::WhileOp>(op))
    return !isSplit(op) && llvm::all_of(op->getRegions(), [&](Region &region) {
      return llvm::all_of(region.getOps(), [&](Operation &inner) {
        return inner.hasTrait<OpTrait::IsTerminator>() ||
               movable.contains(&inner);
      });
    });
  if (auto load = dyn_cast<LdOp>(op))
    return readsTheSame(load);
  if (joinsWholeWarp(op))
    return true;
  if (op->getNumRegions() || !isMemoryEffectFree(op))
    return false;
  auto dependent = dyn_cast<WarpDependentOpInterface>(op);
  return !dependent || !dependent.dependsOnWarp();
}

bool CtaLevel::contains(Operation *op) const {
  return movable.contains(op) &&
         llvm::all_of(op->getResults(), [&](Value v) { return contains(v); });
}

/// Is the value the same in the CTA if what it is made from is?
bool CtaLevel::isScalar(Value v) const {
  const Shape &shape = shapes.get(v);
  return shape.isSameInWarps() || (shape.isUniform() && !shape.conditional);
}

/// Starts with all values that may be the same in the CTA by their shape, or
/// that are if they are made from such values; retract then removes those that
/// cannot be computed at CTA level.
void CtaLevel::assume(FuncOp func) {
  auto mayBeSame = [&](Value v, bool isMade) {
    return isMade ? isScalar(v) : shapes.get(v).isSameInWarps();
  };
  func.walk([&](Operation *op) {
    if (!isSplit(op) && !movable.contains(op))
      return;
    bool isControl = op->getNumRegions(), isMade = op->getNumOperands();
    bool mayBeVectors = isMade && !isControl && hasWholeWarps();
    auto isCandidate = [&](Value v) {
      return mayBeVectors || mayBeSame(v, isMade);
    };
    if (isControl || llvm::all_of(op->getResults(), isCandidate))
      for (Value v : llvm::make_filter_range(op->getResults(), isCandidate))
        values.insert(v);
    for (Region &region : op->getRegions())
      for (Value v : region.getArguments())
        if (mayBeSame(v, true))
          values.insert(v);
  });
}

/// Is the value the same in all warps whatever their own numbers are, as
/// `tid.x & 12` with whole warps? Then those of the first warp do for all.
bool CtaLevel::isOfFirstWarp(Value value) const {
  constexpr unsigned kMostOps = 16;
  if (!hasWholeWarps() || !shapes.get(value).isSameInWarps())
    return false;
  llvm::SmallSetVector<Operation *, kMostOps> ops;
  ops.insert(value.getDefiningOp());
  for (unsigned i = 0; i < ops.size(); ++i) {
    if (!ops[i] || ops[i]->getNumRegions() || !isMemoryEffectFree(ops[i]) ||
        i == kMostOps)
      return false;
    for (Value operand : ops[i]->getOperands())
      if (!contains(operand))
        ops.insert(operand.getDefiningOp());
  }
  return true;
}

bool CtaLevel::retractUnless(Value value, ValueRange sources) {
  if (!contains(value) ||
      llvm::all_of(sources, [&](Value v) { return contains(v); }) ||
      isOfFirstWarp(value))
    return false;
  values.erase(value);
  return true;
}

bool CtaLevel::retractAll(ValueRange range) {
  bool changed = false;
  for (Value v : range)
    changed |= values.erase(v);
  return changed;
}

/// Are all values that the regions of `op` make in the set, and the conditions
/// of its control flow?
bool CtaLevel::isWhole(Operation *op) const {
  auto containsAll = [&](ValueRange range) {
    return llvm::all_of(range, [&](Value v) { return contains(v); });
  };
  auto result = op->walk([&](Operation *inner) {
    Value condition;
    if (auto ifOp = dyn_cast<scf::IfOp>(inner))
      condition = ifOp.getCondition();
    else if (auto end = dyn_cast<scf::ConditionOp>(inner))
      condition = end.getCondition();
    bool isInside = (!condition || contains(condition)) &&
                    containsAll(inner->getResults()) &&
                    llvm::all_of(inner->getRegions(), [&](Region &region) {
                      return containsAll(region.getArguments());
                    });
    return isInside ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// Removes values that depend on values not in the set. \returns whether any
/// was removed.
bool CtaLevel::retract(FuncOp func) {
  bool changed = false;
  func.walk([&](Operation *op) {
    bool moves = movable.contains(op);
    if (moves && !op->getNumRegions())
      for (Value v : op->getResults())
        changed |= retractUnless(v, op->getOperands());
    if (auto ifOp = dyn_cast<scf::IfOp>(op); ifOp && (moves || isSplit(op))) {
      for (OpResult v : ifOp.getResults()) {
        unsigned i = v.getResultNumber();
        changed |= retractUnless(v, {ifOp.getCondition(),
                                     ifOp.thenYield().getOperand(i),
                                     ifOp.elseYield().getOperand(i)});
      }
    } else if (auto loop = dyn_cast<scf::WhileOp>(op);
               loop && (moves || isSplit(op))) {
      for (auto [arg, init, next] :
           llvm::zip(loop.getBeforeArguments(), loop.getInits(),
                     loop.getYieldOp().getOperands()))
        changed |= retractUnless(arg, {init, next});
      for (auto [arg, result, from] :
           llvm::zip(loop.getAfterArguments(), loop.getResults(),
                     loop.getConditionOp().getArgs())) {
        changed |= retractUnless(arg, from);
        changed |= retractUnless(result, from);
      }
    }
    // Such an op moves as a whole or not at all.
    if (moves && op->getNumRegions() && !isWhole(op))
      changed |= retractAll(op->getResults());
  });
  return changed;
}

void CtaLevel::settle(FuncOp func) {
  while (retract(func))
    ;
}

/// Does the load take its lanes from places far apart, so that code shuffles
/// what it finds there? So do threads that own several neighbouring columns of
/// a tile each.
bool CtaLevel::isShuffled(Operation *op) const {
  auto load = dyn_cast<LdOp>(op);
  const Shape *address = load ? &shapes.get(load.getA()) : nullptr;
  if (!address || !address->hasBase() || !address->pattern)
    return false;
  int64_t bytes = getBitWidth(load.getTy()) / 8;
  unsigned lanes = shapes.getContext().lanes, jumps = 0;
  for (unsigned lane = 1; lane < lanes; ++lane) {
    int64_t distance =
        (*address->pattern)[lane] - (*address->pattern)[lane - 1];
    jumps += distance != 0 && distance != bytes;
  }
  return jumps > lanes / 2;
}

/// Drops the vectors of parts where computing them once would not pay. It does
/// where few of them are left behind what lanes do together, as where each warp
/// adds up the sums of all warps, and for loads that are shuffled.
/// \returns whether any was dropped.
bool CtaLevel::dropVectors(FuncOp func) {
  struct Vectors {
    SmallVector<Value> all;
    unsigned numUsed = 0; ///< by ops that each warp runs for itself
    bool hasCollective = false;
    SmallVector<Value> shuffled;
  };
  llvm::MapVector<unsigned, Vectors> ofParts;
  func.walk([&](Operation *op) {
    if (!contains(op))
      return;
    Vectors &vectors = ofParts[partOf(op)];
    vectors.hasCollective |= isa<WarpCollectiveOpInterface>(op);
    for (Value v : op->getResults()) {
      if (isScalar(v))
        continue;
      if (isShuffled(op)) {
        vectors.shuffled.push_back(v);
        continue;
      }
      vectors.all.push_back(v);
      vectors.numUsed += llvm::any_of(
          v.getUsers(), [&](Operation *user) { return !contains(user); });
    }
  });
  bool changed = false;
  for (auto &[part, vectors] : ofParts) {
    if (!vectors.hasCollective || vectors.numUsed > kMostVectors)
      changed |= retractAll(vectors.all);
    if (vectors.shuffled.size() > kMostShuffled)
      changed |= retractAll(vectors.shuffled);
  }
  return changed;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

/// Is `op` a plain barrier of all threads: `sync` of a constant barrier number
/// with no mask, and without a thread count or with all threads as count? ISA:
/// "bar, barrier".
bool CtaLevel::joinsWholeCta(Operation *op) const {
  auto barrier = cast<CtaBarrierOpInterface>(op);
  APInt number;
  if (barrier.getMode() != BarrierMode::Sync ||
      cast<MaskedOpInterface>(op).getLaneMask() ||
      !matchPattern(barrier.getBarrier(), m_ConstantInt(&number)) ||
      number.uge(16))
    return false;
  Value count = barrier.getThreadCount();
  return !count || (!shapes.getContext().anyBlock &&
                    matchPattern(count, m_ConstantInt(&number)) &&
                    number == llvm::alignTo(shapes.getContext().threads(), 32));
}

void CtaLevel::check(FuncOp func) {
  func.walk([&](Operation *op) {
    if (!reason.empty())
      return;
    if (isBarrier(op) && !joinsWholeCta(op))
      reason = "a barrier that is not a plain one of all threads" + placeOf(op);
    if (!isSplit(op))
      return;
    Value condition;
    if (auto ifOp = dyn_cast<scf::IfOp>(op))
      condition = ifOp.getCondition();
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      condition = loop.getConditionOp().getCondition();
    if (!condition || !contains(condition) ||
        !shapes.get(condition).isUniform())
      reason =
          "a barrier under control that may differ between warps" + placeOf(op);
  });
}
