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

void AssumedPatterns::enter(WarpBuilder &warp) const {
  for (auto [value, condition] : tested)
    warp.values.setCondition(value, Value());
}

void AssumedPatterns::leave(WarpBuilder &warp) const {
  for (auto [value, condition] : tested)
    warp.values.setCondition(value, condition);
}
