//===- CtaLevel.cpp - values and control common to a whole CTA ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/CtaLevel.h"

#include "Place.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

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
  assume(func);
  while (retract(func))
    ;
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
// Values
//===----------------------------------------------------------------------===//

/// Can the op be executed once for the CTA, in front of the loop over the
/// warps?
static bool isMovable(Operation *op) {
  if (op->getNumRegions() || op->hasTrait<OpTrait::IsTerminator>() ||
      !op->getNumResults())
    return false;
  if (auto ld = dyn_cast<LdOp>(op))
    return ld.getSpace() == Space::Param && !ld.getOrder();
  if (!isMemoryEffectFree(op))
    return false;
  auto dependent = dyn_cast<WarpDependentOpInterface>(op);
  return !dependent || !dependent.dependsOnWarp();
}

bool CtaLevel::contains(Operation *op) const {
  return isMovable(op) &&
         llvm::all_of(op->getResults(), [&](Value v) { return contains(v); });
}

/// Starts with all values whose shape is the same in the CTA; retract then
/// removes those that cannot be computed at CTA level.
void CtaLevel::assume(FuncOp func) {
  func.walk([&](Operation *op) {
    if (isMovable(op) && llvm::all_of(op->getResults(), [&](Value v) {
          return shapes.get(v).isSameInWarps();
        }))
      values.insert(op->getResults().begin(), op->getResults().end());
    if (!isSplit(op))
      return;
    for (Value v : op->getResults())
      if (shapes.get(v).isSameInWarps())
        values.insert(v);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value v : block.getArguments())
          if (shapes.get(v).isSameInWarps())
            values.insert(v);
  });
}

bool CtaLevel::retractUnless(Value value, ValueRange sources) {
  if (!contains(value) ||
      llvm::all_of(sources, [&](Value v) { return contains(v); }))
    return false;
  values.erase(value);
  return true;
}

/// Removes values that depend on values not in the set. \returns whether any
/// was removed.
bool CtaLevel::retract(FuncOp func) {
  bool changed = false;
  func.walk([&](Operation *op) {
    if (isMovable(op))
      for (Value v : op->getResults())
        changed |= retractUnless(v, op->getOperands());
    if (!isSplit(op))
      return;
    if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
      for (OpResult v : ifOp.getResults()) {
        unsigned i = v.getResultNumber();
        changed |= retractUnless(v, {ifOp.getCondition(),
                                     ifOp.thenYield().getOperand(i),
                                     ifOp.elseYield().getOperand(i)});
      }
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
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
  });
  return changed;
}

//===----------------------------------------------------------------------===//
// From part to part
//===----------------------------------------------------------------------===//

bool CtaLevel::isRecomputed(Value v) const {
  Operation *op = v.getDefiningOp();
  if (!op || op->getNumRegions() || !isMemoryEffectFree(op))
    return false;
  if (op->getNumOperands() == 0) // thread numbers, constants
    return true;
  if (auto known = recomputed.find(v); known != recomputed.end())
    return known->second;
  // A predicate costs an op for each vector, and masks are packed in the frame.
  const Shape &shape = shapes.get(v);
  bool cheap =
      ((shape.hasBase() && !shape.conditional) || v.getType().isInteger(1)) &&
      llvm::all_of(op->getOperands(), [&](Value operand) {
        return contains(operand) || isRecomputed(operand);
      });
  recomputed[v] = cheap;
  return cheap;
}

uint64_t CtaLevel::countLiveBytes(FuncOp func) const {
  uint64_t bytes = 0, lanes = shapes.getContext().lanes;
  auto count = [&](Value v) {
    if (contains(v) || isRecomputed(v) || v.use_empty())
      return;
    unsigned width =
        v.getType().isIntOrFloat()
            ? llvm::divideCeil(v.getType().getIntOrFloatBitWidth(), 8)
            : 8;
    const Shape &shape = shapes.get(v);
    bytes += shape.hasBase() && !shape.conditional ? width : lanes * width;
  };
  // In each block that contains a border, count the arguments and the values
  // that live across a border.
  auto visit = [&](Block &block) {
    for (Value v : block.getArguments())
      count(v);
    DenseMap<Operation *, unsigned> parts;
    unsigned part = 0;
    for (Operation &op : block) {
      bool border = isBorder(&op) || isSplit(&op);
      parts[&op] = border ? ++part : part;
      part += border;
    }
    for (Operation &op : block)
      for (Value v : op.getResults())
        if (isSplit(&op) || llvm::any_of(v.getUsers(), [&](Operation *user) {
              Operation *top = block.findAncestorOpInBlock(*user);
              return !top || parts.lookup(top) != parts.lookup(&op);
            }))
          count(v);
  };
  for (Block &block : func.getBody())
    visit(block);
  for (Operation *op : split)
    for (Region &region : op->getRegions())
      for (Block &block : region)
        visit(block);
  return bytes;
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
