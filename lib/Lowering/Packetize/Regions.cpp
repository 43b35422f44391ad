//===- Regions.cpp - the walk over a kernel -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Regions.h"
#include "../Linearize.h"
#include "AssumedPatterns.h"
#include "Conditions.h"
#include "Dispatch.h"
#include "LaneLoops.h"
#include "MatrixHomes.h"

#include "ptxjit/Analysis/ShapeText.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Debug.h"
#include "llvm/Support/SaveAndRestore.h"

#define DEBUG_TYPE "packetize"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

void ptxjit::enterRegion(WarpBuilder &warp, scf::IfOp made, unsigned side) {
  Block &block = made->getRegion(side).front();
  if (!block.empty())
    block.back().erase(); // the implicit yield
  warp.b.setInsertionPointToEnd(&block);
}

/// Emits the ops of a block, but for those in front of it.
static LogicalResult
emitBlockAfter(WarpBuilder &warp, const AssumedPatterns &front, Block &block) {
  warp.enterBlock();
  auto leave = llvm::make_scope_exit([&] { warp.leaveBlock(); });
  for (Operation &op : block.without_terminator())
    if (!front.contains(&op) && failed(emitOp(warp, op)))
      return failure();
  return success();
}

static LogicalResult emitIf(WarpBuilder &warp, scf::IfOp op) {
  if (!warp.shapeOf(op.getCondition()).isUniform())
    return op.emitError("a divergent conditional is not masked");
  AssumedPatterns assumed;
  Value condition = warp.base(op.getCondition());
  if (op->hasAttr(kForAllAttr)) {
    FailureOr<Value> holds = assumed.emitTests(warp, *op.thenBlock());
    if (failed(holds))
      return failure();
    condition = warp.both(condition, *holds);
    // Most warps are inside, so that nothing is made for the edges in advance
    // (JIT/RareVectors.cpp). Wider vectors are so few that it makes code
    // longer.
    ChunkBuilder s = warp.scalar();
    if (warp.target.chunk == 4)
      condition = s.intrinsic("llvm.expect", warp.b.getI1Type(),
                              {condition, s.intConstant(1, 1)});
  }
  SmallVector<Type> types;
  for (Value result : op.getResults())
    warp.values.flattenTypes(result, types);
  bool hasElse = !op.getElseRegion().empty();
  auto out =
      warp.create<scf::IfOp>(types, condition,
                             /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  for (unsigned side = 0; side < (hasElse ? 2u : 1u); ++side) {
    OpBuilder::InsertionGuard guard(warp.b);
    Region &from = op->getRegion(side);
    enterRegion(warp, out, side);
    if (!side)
      assumed.enter(warp);
    auto leave = llvm::make_scope_exit([&] {
      if (!side)
        assumed.leave(warp);
    });
    if (failed(emitBlockAfter(warp, assumed, from.front())))
      return failure();
    SmallVector<Value> yields;
    auto yield = cast<scf::YieldOp>(from.front().getTerminator());
    for (auto [value, result] : llvm::zip(yield.getOperands(), op.getResults()))
      warp.values.flatten(value, result, yields);
    warp.create<scf::YieldOp>(yields);
  }
  ValueRange flat = out.getResults();
  for (Value result : op.getResults())
    warp.values.unflatten(result, flat);
  return success();
}

static LogicalResult emitWhile(WarpBuilder &warp, scf::WhileOp op) {
  Block &before = op.getBefore().front(), &after = op.getAfter().front();
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  auto yield = cast<scf::YieldOp>(after.getTerminator());
  if (!warp.shapeOf(condition.getCondition()).isUniform())
    return op.emitError("a divergent loop is not masked");
  SmallVector<Type> argTypes, resultTypes;
  SmallVector<Value> inits;
  CarriedTiles carried = enterLoop(warp, op);
  auto isCarried = [&](Value v) { return carried.values.contains(v); };
  for (auto [arg, init] : llvm::zip(before.getArguments(), op.getInits())) {
    if (isCarried(arg))
      continue;
    warp.values.flattenTypes(arg, argTypes);
    warp.values.flatten(init, arg, inits);
  }
  // After-arguments and results both take the values that the condition
  // forwards. Each has its own shape (a result may vary where the value in the
  // loop does not), so the values are forwarded once for each.
  for (Value v : after.getArguments())
    if (!isCarried(v))
      warp.values.flattenTypes(v, resultTypes);
  unsigned numAfter = resultTypes.size();
  for (Value v : op.getResults())
    if (!isCarried(v))
      warp.values.flattenTypes(v, resultTypes);
  auto out = warp.create<scf::WhileOp>(resultTypes, inits);
  {
    OpBuilder::InsertionGuard guard(warp.b);
    SmallVector<Location> locs(argTypes.size(), warp.loc);
    Block *block = warp.b.createBlock(&out.getBefore(), {}, argTypes, locs);
    ValueRange flat = block->getArguments();
    for (Value arg : before.getArguments())
      if (!isCarried(arg))
        warp.values.unflatten(arg, flat);
    keepArguments(warp, carried, before.getArguments(), /*ofCondition=*/false);
    if (failed(emitBlock(warp, before)))
      return failure();
    SmallVector<Value> forwarded;
    for (auto [value, arg] :
         llvm::zip(condition.getArgs(), after.getArguments()))
      if (!isCarried(arg))
        warp.values.flatten(value, arg, forwarded);
    for (auto [value, result] : llvm::zip(condition.getArgs(), op.getResults()))
      if (!isCarried(result))
        warp.values.flatten(value, result, forwarded);
    warp.create<scf::ConditionOp>(warp.base(condition.getCondition()),
                                  forwarded);
  }
  {
    OpBuilder::InsertionGuard guard(warp.b);
    SmallVector<Location> locs(resultTypes.size(), warp.loc);
    Block *block = warp.b.createBlock(&out.getAfter(), {}, resultTypes, locs);
    ValueRange flat = block->getArguments();
    for (Value arg : after.getArguments())
      if (!isCarried(arg))
        warp.values.unflatten(arg, flat);
    keepArguments(warp, carried, after.getArguments(), /*ofCondition=*/true);
    if (failed(emitBlock(warp, after)))
      return failure();
    SmallVector<Value> next;
    for (auto [value, arg] :
         llvm::zip(yield.getOperands(), before.getArguments()))
      if (!isCarried(arg))
        warp.values.flatten(value, arg, next);
    warp.create<scf::YieldOp>(next);
  }
  ValueRange flat = out.getResults().drop_front(numAfter);
  for (Value result : op.getResults())
    if (!isCarried(result))
      warp.values.unflatten(result, flat);
  keepResults(warp, carried, op.getResults());
  return success();
}

/// Forgets what the ops of a loop have made.
static void forgetInside(WarpBuilder &warp, scf::WhileOp op) {
  for (Region &region : op->getRegions()) {
    for (Value argument : region.getArguments())
      warp.values.forget(argument);
    for (Operation &inner : region.getOps())
      for (Value result : inner.getResults())
        warp.values.forget(result);
  }
}

/// Emits a loop, with a copy of it for the case that all addresses have the
/// patterns that they almost always have.
static LogicalResult emitLoop(WarpBuilder &warp, scf::WhileOp op) {
  AssumedPatterns assumed;
  Value holds = assumed.findTests(warp, op);
  if (!holds)
    return emitWhile(warp, op);
  SmallVector<Type> types;
  for (Value result : op.getResults())
    warp.values.flattenTypes(result, types);
  auto out = warp.create<scf::IfOp>(types, holds, /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
  for (unsigned side : {0, 1}) {
    OpBuilder::InsertionGuard guard(warp.b);
    enterRegion(warp, out, side);
    if (!side)
      assumed.enter(warp);
    llvm::SaveAndRestore repeated(warp.isRepeated, warp.isRepeated || !side);
    LogicalResult status = emitWhile(warp, op);
    if (!side)
      assumed.leave(warp);
    if (failed(status))
      return failure();
    SmallVector<Value> yields;
    for (Value result : op.getResults()) {
      warp.values.flatten(result, result, yields);
      warp.values.forget(result);
    }
    warp.create<scf::YieldOp>(yields);
    forgetInside(warp, op);
  }
  ValueRange flat = out.getResults();
  for (Value result : op.getResults())
    warp.values.unflatten(result, flat);
  return success();
}

static LogicalResult emitEachLane(WarpBuilder &warp, EachLaneOp op) {
  assert(!warp.perThread() && "nothing diverges in one thread");
  Block &body = op.getBody().front();
  LogicalResult status = success();
  auto emitLane = [&](LoopLane &lane) {
    for (auto [arg, input] : llvm::zip(body.getArguments(), op.getInputs()))
      warp.setBase(arg, lane.get(input));
    status = emitBlock(warp, body);
    SmallVector<Value> yields;
    for (Value value : body.getTerminator()->getOperands())
      yields.push_back(succeeded(status) ? warp.base(value)
                                         : warp.scalar().zero(value.getType()));
    return yields;
  };
  SmallVector<ChunkVectors, 2> lanes =
      forEachLane(warp, op.getMask(), op.getResultTypes(), emitLane);
  if (failed(status))
    return failure();
  for (auto [result, chunks] : llvm::zip(op.getD(), lanes))
    warp.setChunks(result, chunks);
  return success();
}

//===----------------------------------------------------------------------===//
// Ops without effects
//===----------------------------------------------------------------------===//

/// Emits an op without effects. If its results have a base it is emitted once
/// on scalars, else per chunk. If the shape is conditional it is emitted in
/// both ways.
static LogicalResult emitPlain(WarpBuilder &warp, Operation *op,
                               LaneEmitter emitter) {
  const Shape shape = warp.shapeOf(op->getResult(0));
  SmallVector<SmallVector<Value, 8>, 2> chunks(op->getNumResults());
  if (shape.hasBase()) {
    ChunkBuilder s = warp.scalar();
    Type type = op->getResult(0).getType();
    // The result may be known although the operands vary.
    if (op->getNumResults() == 1 && type.isInteger() &&
        shape.isKnown(type.getIntOrFloatBitWidth())) {
      warp.setBase(op->getResult(0),
                   s.intConstant(type.getIntOrFloatBitWidth(), shape.low));
      return success();
    }
    SmallVector<Value> operands, results;
    for (Value operand : op->getOperands()) {
      operands.push_back(warp.base(operand));
      if (warp.normals.contains(operand))
        s.normal.push_back(operands.back());
    }
    if (failed(emitter(s, op, operands, results)))
      return failure();
    for (auto [result, value] : llvm::zip(op->getResults(), results))
      warp.setBase(result, value);
    if (!shape.conditional)
      return success();
    warp.values.setCondition(op->getResult(0), conditionOf(warp, op));
  }
  for (unsigned c = 0; c < warp.numChunks(); ++c) {
    SmallVector<Value> operands, results;
    ChunkBuilder v = warp.lanes();
    for (Value operand : op->getOperands()) {
      operands.push_back(warp.chunk(operand, c));
      if (warp.normals.contains(operand))
        v.normal.push_back(operands.back());
    }
    if (failed(emitter(v, op, operands, results)))
      return failure();
    for (auto [list, value] : llvm::zip(chunks, results))
      list.push_back(value);
  }
  for (auto [result, list] : llvm::zip(op->getResults(), chunks))
    warp.setChunks(result, list);
  return success();
}

static LogicalResult emitConstant(WarpBuilder &warp, arith::ConstantOp op) {
  warp.setBase(op, warp.create<arith::ConstantOp>(op.getValue()));
  return success();
}

static LogicalResult emitSelect(WarpBuilder &warp, arith::SelectOp op) {
  // The choice does not matter if both values are the same, or if one of them
  // is undefined. ShapeAnalysis assumes the same.
  Value x = op.getTrueValue(), y = op.getFalseValue();
  Value known = x == y || y.getDefiningOp<UndefOp>() ? x
                : x.getDefiningOp<UndefOp>()         ? y
                                                     : Value();
  if (!known)
    return emitPlain(warp, op, warp.dispatch.findLaneEmitter(op));
  warp.values.setSame(op, known);
  return success();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

LogicalResult ptxjit::emitBlock(WarpBuilder &warp, Block &block) {
  warp.enterBlock();
  auto leave = llvm::make_scope_exit([&] { warp.leaveBlock(); });
  for (Operation &op : block.without_terminator())
    if (failed(emitOp(warp, op)))
      return failure();
  return success();
}

LogicalResult ptxjit::emitOp(WarpBuilder &warp, Operation &op) {
  llvm::SaveAndRestore<Location> place(warp.loc, op.getLoc());
  LLVM_DEBUG({
    llvm::dbgs() << op.getName() << " at " << op.getLoc();
    for (Value result : op.getResults())
      llvm::dbgs() << "; " << describeShape(warp.shapeOf(result));
    llvm::dbgs() << '\n';
  });
  if (WarpEmitter emit = warp.dispatch.findWarpEmitter(&op))
    return emit(warp, &op);
  if (LaneEmitter emit = warp.dispatch.findLaneEmitter(&op))
    return emitPlain(warp, &op, emit);
  auto forms = getFormsOfOp(op.getName().getStringRef());
  return op.emitError() << "'" << op.getName().stripDialect()
                        << "' cannot be executed yet; see "
                        << (forms.empty() ? "the ISA"
                                          : forms.front().isaAnchor);
}

LogicalResult ptxjit::emitOps(WarpBuilder &warp, ArrayRef<Operation *> ops) {
  for (Operation *op : ops)
    if (failed(emitOp(warp, *op)))
      return failure();
  return success();
}

LogicalResult ptxjit::emitScope(WarpBuilder &warp, ArrayRef<Operation *> ops) {
  warp.enterBlock();
  auto leave = llvm::make_scope_exit([&] { warp.leaveBlock(); });
  return emitOps(warp, ops);
}

void ptxjit::addRegionEmitters(Dispatch &dispatch) {
  dispatch.add<emitIf>();
  dispatch.add<emitLoop>();
  dispatch.add<emitEachLane>();
  dispatch.add<emitConstant>();
  dispatch.add<emitSelect>();
}
