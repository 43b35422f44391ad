//===- LaneByLane.cpp - regions that lanes run in turn --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneByLane.h"
#include "ptxjit/Dialect/FormTable.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// A gather is worth so many other vector ops of a loop. On Zen 4 one of 16
/// lanes takes 32 cycles, and any other op saves about 3 beside scalar code;
/// the rest is for what it costs to begin with each lane.
static constexpr unsigned kOpsOfGather = 4;
/// Fewer gathers in a turn do not outweigh that the end of each lane's loop is
/// mispredicted.
static constexpr unsigned kLeastGathers = 2;

/// Has each lane a place of 64 bits for such a value?
static bool hasPlace(Type type) { return type.getIntOrFloatBitWidth() <= 64; }

/// May scalar code for one lane do what the op does, before other lanes have
/// begun? Lanes that store could hand each other values. Local variables and
/// special registers have places and values that only the warp knows.
static bool mayRunInLane(Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), hasPlace) ||
      !llvm::all_of(op->getResultTypes(), hasPlace))
    return false;
  if (isa<scf::IfOp, scf::WhileOp>(op) || op->hasTrait<OpTrait::IsTerminator>())
    return true;
  if (auto load = dyn_cast<LdOp>(op))
    return isWeak(load.getOrder()) && !load.getGranule() &&
           load.getSpace() != Space::Local;
  return isMemoryEffectFree(op) && !op->getNumRegions() &&
         !isa<AnyOp, AllOp, EntryMaskOp, WarpDependentOpInterface>(op) &&
         !op->hasTrait<VariesByLane>();
}

namespace {
/// What a turn of the innermost loops does.
struct TurnCost {
  unsigned gathers = 0, vectorOps = 0;
};
} // namespace

/// Adds up the ops of a loop, without those of loops in it, and without choices
/// that control flow has become: scalar code has branches.
static void count(Region &region, ShapeOfFn shapeOf, TurnCost &cost) {
  for (Operation &op : region.getOps()) {
    if (isa<scf::WhileOp>(op))
      continue;
    for (Region &inner : op.getRegions())
      count(inner, shapeOf, cost);
    auto load = dyn_cast<LdOp>(op);
    auto varies = [&](Value v) { return !shapeOf(v).hasBase(); };
    if (load && varies(load.getA()) && !shapeOf(load.getA()).hasGroups())
      cost.gathers += load.getD().size();
    else if (isa<PtxDialect>(op.getDialect()))
      cost.vectorOps += llvm::any_of(op.getResults(), varies);
  }
}

/// Is it a loop that lanes leave in different turns?
static bool isDivergent(scf::WhileOp loop, ShapeOfFn shapeOf) {
  return !shapeOf(loop.getConditionOp().getCondition()).isUniform();
}

static bool holdsLoop(scf::WhileOp loop) {
  auto isLoop = [](scf::WhileOp) { return WalkResult::interrupt(); };
  return llvm::any_of(loop->getRegions(), [&](Region &region) {
    return region.walk(isLoop).wasInterrupted();
  });
}

bool ptxjit::paysLaneByLane(llvm::iterator_range<Block::iterator> ops,
                            ShapeOfFn shapeOf) {
  unsigned numLoops = 0;
  auto visit = [&](Operation *op) {
    if (!mayRunInLane(op))
      return WalkResult::interrupt();
    auto loop = dyn_cast<scf::WhileOp>(op);
    if (!loop || holdsLoop(loop))
      return WalkResult::advance();
    ++numLoops;
    TurnCost cost;
    for (Region &region : loop->getRegions())
      count(region, shapeOf, cost);
    bool pays = isDivergent(loop, shapeOf) && cost.gathers >= kLeastGathers &&
                cost.vectorOps <= kOpsOfGather * cost.gathers;
    return pays ? WalkResult::advance() : WalkResult::interrupt();
  };
  bool all = llvm::all_of(ops, [&](Operation &op) {
    return !op.walk<WalkOrder::PreOrder>(visit).wasInterrupted();
  });
  return all && numLoops;
}

/// The values that ops of `body` use but do not make, apart from those that
/// mean the same wherever they are.
static llvm::SetVector<Value> findInputs(Block &body) {
  llvm::SetVector<Value> inputs;
  body.walk([&](Operation *op) {
    for (Value v : op->getOperands()) {
      Operation *made = v.getDefiningOp();
      bool isKnown = made && (made->hasTrait<OpTrait::ConstantLike>() ||
                              isa<UndefOp>(made));
      if (!isKnown && !body.getParent()->isAncestor(v.getParentRegion()))
        inputs.insert(v);
    }
  });
  return inputs;
}

ResultRange ptxjit::runLaneByLane(OpBuilder &b, Location loc,
                                  llvm::iterator_range<Block::iterator> ops,
                                  Value mask, ValueRange values) {
  auto each = EachLaneOp::create(b, loc, values.getTypes(), mask, ValueRange());
  Block &body = each.getBody().emplaceBlock();
  body.getOperations().splice(body.end(),
                              ops.begin()->getBlock()->getOperations(),
                              ops.begin(), ops.end());
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToEnd(&body);
  LaneYieldOp::create(b, loc, values);
  auto isInside = [&](OpOperand &use) {
    return each.getBody().isAncestor(use.getOwner()->getParentRegion());
  };
  for (auto [result, value] : llvm::zip(each.getD(), values))
    if (value.getParentBlock() == &body)
      value.replaceUsesWithIf(result,
                              [&](OpOperand &use) { return !isInside(use); });
  llvm::SetVector<Value> inputs = findInputs(body);
  each.getInputsMutable().assign(inputs.getArrayRef());
  for (Value input : inputs) {
    Value own = body.addArgument(input.getType(), loc);
    input.replaceUsesWithIf(own, isInside);
  }
  return each.getD();
}
