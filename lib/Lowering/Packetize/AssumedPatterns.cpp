//===- AssumedPatterns.cpp - tests in front of a conditional --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AssumedPatterns.h"
#include "Dispatch.h"
#include "Regions.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// May the pattern fail to hold, though hardly ever?
static bool mayFail(const Shape &shape) {
  return shape.hasBase() && shape.conditional && !shape.parted;
}

/// Collects the ops of `block` that `v` is computed from. \returns false if one
/// of them cannot run in front of the block.
static bool collect(const WarpBuilder &warp, Value v, Block &block,
                    llvm::SmallSetVector<Operation *, 16> &ops) {
  Operation *op = v.getDefiningOp();
  if (!op || op->getBlock() != &block)
    return warp.isMade(v);
  if (ops.contains(op))
    return true;
  bool isPlain =
      warp.dispatch.findLaneEmitter(op) || isa<arith::ConstantOp, CvtaOp>(op);
  if (!isPlain || op->getNumRegions() || op->getNumResults() != 1 ||
      !isMemoryEffectFree(op) || !warp.shapeOf(v).hasBase() ||
      warp.shapeOf(v).parted)
    return false;
  for (Value operand : op->getOperands())
    if (!collect(warp, operand, block, ops))
      return false;
  ops.insert(op);
  return true;
}

FailureOr<Value> AssumedPatterns::emitTests(WarpBuilder &warp, Block &block) {
  Value all;
  for (Operation &access : block) {
    if (!isa<LdOp, StOp>(access))
      continue;
    Value address = access.getOperand(0);
    llvm::SmallSetVector<Operation *, 16> ops;
    if (!mayFail(warp.shapeOf(address)) || !collect(warp, address, block, ops))
      continue;
    for (Operation *op : ops)
      if (emitted.insert(op).second && failed(emitOp(warp, *op)))
        return failure();
    all = warp.both(all, warp.values.condition(address));
    tested.emplace_back(address, Value());
    // Where the pattern of the address holds, so do those that it comes from.
    for (Operation *op : ops)
      if (warp.shapeOf(op->getResult(0)).conditional)
        tested.emplace_back(op->getResult(0), Value());
  }
  for (auto &[value, condition] : tested)
    condition = warp.values.condition(value);
  return all;
}

/// Collects what an address in the loop is computed from in front of it, and
/// whose pattern may fail to hold. \returns whether there is anything.
static bool collectFailing(const WarpBuilder &warp, scf::WhileOp loop,
                           Value address,
                           llvm::SmallSetVector<Value, 8> &failing) {
  llvm::SmallSetVector<Value, 16> sources;
  sources.insert(address);
  bool any = false;
  for (unsigned i = 0; i < sources.size(); ++i) {
    Value source = sources[i];
    if (!loop.isDefinedOutsideOfLoop(source)) {
      if (Operation *op = source.getDefiningOp())
        sources.insert(op->operand_begin(), op->operand_end());
      continue;
    }
    if (!mayFail(warp.shapeOf(source)) || !warp.isMade(source) ||
        !warp.values.condition(source))
      continue;
    failing.insert(source);
    any = true;
  }
  return any;
}

Value AssumedPatterns::findTests(WarpBuilder &warp, scf::WhileOp loop) {
  constexpr unsigned kMostOps = 96;
  // The code of one access is straight but for its own test.
  constexpr unsigned kFewestAccesses = 2;
  unsigned numOps = 0, numAccesses = 0;
  llvm::SmallSetVector<Value, 8> failing;
  for (Operation &op : loop.getBeforeBody()->without_terminator()) {
    bool isAccess = isa<LdOp, StOp>(op);
    bool isPlain = isAccess || (isMemoryEffectFree(&op) && !op.getNumRegions());
    if (!isPlain || ++numOps > kMostOps)
      return {};
    numAccesses += isAccess && mayFail(warp.shapeOf(op.getOperand(0))) &&
                   collectFailing(warp, loop, op.getOperand(0), failing);
  }
  if (numAccesses < kFewestAccesses)
    return {};
  Value all;
  for (Value value : failing) {
    Value condition = warp.values.condition(value);
    tested.emplace_back(value, condition);
    all = warp.both(all, condition);
  }
  return all;
}

void AssumedPatterns::enter(WarpBuilder &warp) const {
  for (auto [value, condition] : tested)
    warp.values.setCondition(value, Value());
}

void AssumedPatterns::leave(WarpBuilder &warp) const {
  for (auto [value, condition] : tested)
    warp.values.setCondition(value, condition);
}
