//===- TeamPlan.cpp - which warps run side by side ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/TeamPlan.h"
#include "CtaOrder.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {

/// What a team would gain and need in one block. A team pays where warps load
/// the same, where sums wait for each other, in loops over the grid, and where
/// code is straight.
struct BlockCost {
  unsigned vectorOps = 0;   ///< ops that differ from lane to lane
  unsigned casts = 0;       ///< those of them that change the type of integers
  unsigned sharedLoads = 0; ///< loads of vectors that serve all warps
  unsigned gathers = 0;     ///< other loads, from places far apart
  unsigned carried = 0;     ///< vectors that each warp carries round the loop
  unsigned bytes = 0;       ///< the most that a lane loads or stores at once
  bool isLoop = false;
  bool isLead = false; ///< a loop over the grid
  uint64_t weight = 0;
};

class TeamCost {
public:
  TeamCost(const ShapeAnalysis &shapes, const SameInWarps &same,
           const KernelTarget &target)
      : shapes(shapes), same(same), target(target) {}
  /// \param stride  of the warps that `same` compares.
  TeamPlan plan(ArrayRef<Operation *> ops, unsigned stride);
  /// After plan(): loads that serve all warps, in the block that runs most.
  unsigned countSharedLoads() const { return hot.sharedLoads; }

private:
  void findAssumed(ArrayRef<Operation *> ops);
  Operation *findLead(ArrayRef<Operation *> ops) const;
  void visit(Operation *op, BlockCost &cost, uint64_t weight);
  void visitAlone(Operation *op);
  void visitBlock(Block &block, BlockCost cost);
  void settle(const BlockCost &cost);
  bool isVector(Value v) const { return !shapes.get(v).isUniform(); }
  bool isVectorOp(Operation *op) const;
  bool shares(const BlockCost &cost) const;
  bool waits(const BlockCost &cost) const;
  bool isStraight(ArrayRef<Operation *> ops) const;
  bool fits(unsigned warps, const BlockCost &cost) const;
  unsigned chunks() const { return shapes.getContext().lanes / target.chunk; }

  const ShapeAnalysis &shapes;
  const SameInWarps &same;
  const KernelTarget &target;
  TeamPlan result;
  BlockCost hot;       ///< of the block that runs most
  unsigned numOps = 0; ///< vector ops of all blocks that a team runs
};

} // namespace

//===----------------------------------------------------------------------===//
// Gain and need
//===----------------------------------------------------------------------===//

/// An iteration counts as much as so many ops outside of loops.
static constexpr uint64_t kLoopWeight = 16;
/// The most vector ops that a team's code may have in its hottest block, if
/// that is a loop and if it is not, and in all. Straight code needs no more
/// sums under way than the CPU finds by itself in the code of two warps.
static constexpr unsigned kMostLoopOps = 512, kMostStraightOps = 256,
                          kMostOps = 2048;
/// How far the accesses of a team of straight code may reach, in bytes: AArch64
/// loads and stores pairs of vectors up to 1008 bytes behind an address.
static constexpr unsigned kMostReach = 512;

/// The bytes that a lane loads or stores; 0 for other ops.
static unsigned bytesOfLane(Operation *op) {
  ValueRange values;
  if (auto load = dyn_cast<LdOp>(op))
    values = load.getD();
  else if (auto store = dyn_cast<StOp>(op))
    values = store.getB();
  unsigned bits = 0;
  for (Value v : values)
    bits += v.getType().getIntOrFloatBitWidth();
  return bits / 8;
}

void TeamCost::settle(const BlockCost &cost) {
  numOps += cost.vectorOps;
  if (cost.weight * cost.vectorOps > hot.weight * hot.vectorOps)
    hot = cost;
}

bool TeamCost::isVectorOp(Operation *op) const {
  return llvm::any_of(op->getResults(),
                      [&](Value v) {
                        return isVector(v) && !shapes.get(v).hasBase();
                      }) ||
         (!op->getNumResults() && isa<MaskedOpInterface>(op));
}

/// Where warps may part, the code is there once for each of them.
void TeamCost::visitAlone(Operation *op) {
  op->walk([&](Operation *inner) { numOps += isVectorOp(inner); });
}

void TeamCost::visit(Operation *op, BlockCost &cost, uint64_t weight) {
  if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
    BlockCost inner;
    inner.weight = weight;
    if (ifOp == result.assumed)
      return visitBlock(ifOp->getRegion(result.side).front(), inner);
    if (!same.contains(ifOp.getCondition()))
      return visitAlone(op);
    for (Region &region : op->getRegions())
      if (!region.empty())
        visitBlock(region.front(), inner);
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    if (!isJointLoop(loop, same))
      return visitAlone(op);
    BlockCost inner;
    inner.weight = weight * kLoopWeight;
    inner.isLoop = true;
    inner.isLead = loop->hasAttr(kLeadAttr);
    for (Value arg : loop.getBeforeArguments())
      inner.carried +=
          isVector(arg) && !shapes.get(arg).hasBase() && !same.contains(arg);
    visitBlock(*loop.getBeforeBody(), inner);
    visitBlock(*loop.getAfterBody(), inner);
    return;
  }
  if (!isVectorOp(op))
    return;
  ++cost.vectorOps;
  cost.casts += isa<arith::ExtUIOp, arith::ExtSIOp, arith::TruncIOp, CvtOp>(op);
  cost.bytes = std::max(cost.bytes, bytesOfLane(op));
  auto load = dyn_cast<LdOp>(op);
  if (!load)
    return;
  if (same.contains(op))
    ++cost.sharedLoads;
  else if (!shapes.get(load.getA()).hasBase())
    ++cost.gathers;
}

void TeamCost::visitBlock(Block &block, BlockCost cost) {
  for (Operation &op : block.without_terminator())
    visit(&op, cost, cost.weight);
  settle(cost);
}

/// Do warps load the same?
bool TeamCost::shares(const BlockCost &cost) const {
  return cost.sharedLoads && cost.sharedLoads * 8 >= cost.vectorOps;
}

/// Do sums wait for each other, and not for memory? Where each lane walks along
/// a row of its own, the lines of one warp are as many as the caches can keep
/// until the lanes get to their ends: rows are often a power of two apart.
bool TeamCost::waits(const BlockCost &cost) const {
  return cost.isLoop && cost.carried && !cost.gathers && cost.vectorOps <= 8;
}

/// Is all of it one pass over the data, at most inside of a bound? With short
/// vectors that has as many instructions as the CPU can take, and those for the
/// bound, the addresses and the loop over the warps add a third.
bool TeamCost::isStraight(ArrayRef<Operation *> ops) const {
  if (!target.shortVectors)
    return false;
  scf::IfOp bound = result.assumed;
  auto isPlain = [](Operation &op) { return !op.getNumRegions(); };
  return llvm::all_of(
             ops, [&](Operation *op) { return op == bound || isPlain(*op); }) &&
         (!bound ||
          llvm::all_of(bound->getRegion(result.side).front(), isPlain));
}

/// Do the sums of a team, what it shares and some operands fit the registers,
/// and is its code small enough?
bool TeamCost::fits(unsigned warps, const BlockCost &cost) const {
  unsigned most = cost.isLoop ? kMostLoopOps : kMostStraightOps;
  unsigned registers = target.chunk == 16 ? 32 : 16;
  unsigned needed = warps * chunks() * cost.carried +
                    chunks() * std::min(cost.sharedLoads, 2u) + 2;
  bool isNear = !result.straight ||
                warps * shapes.getContext().lanes * cost.bytes <= kMostReach;
  // Bytes mostly stay bytes (JIT/NarrowLanes.cpp).
  unsigned vectorOps = cost.vectorOps - (result.straight ? cost.casts : 0);
  return isNear && (!cost.carried || needed <= registers) &&
         warps * chunks() * vectorOps <= most &&
         warps * chunks() * numOps <= kMostOps;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

static unsigned countOps(Region &region) {
  unsigned n = 0;
  region.walk([&](Operation *op) { n += isa<scf::WhileOp>(op) ? 100 : 1; });
  return n;
}

/// Finds the first conditional in which warps may part, if the ops in front of
/// it may run before that is known.
void TeamCost::findAssumed(ArrayRef<Operation *> ops) {
  for (Operation *op : ops) {
    if (runsAnyTime(op))
      continue;
    auto ifOp = dyn_cast<scf::IfOp>(op);
    if (!ifOp || same.contains(ifOp.getCondition()))
      return;
    result.assumed = ifOp;
    result.side =
        !ifOp.getElseRegion().empty() &&
        countOps(ifOp.getElseRegion()) > countOps(ifOp.getThenRegion()) &&
        !ifOp.getCondition().getDefiningOp<AllOp>();
    return;
  }
}

/// Finds the only loop over the grid, if the ops in front of it may run again.
Operation *TeamCost::findLead(ArrayRef<Operation *> ops) const {
  auto isLead = [](Operation *op) { return op->hasAttr(kLeadAttr); };
  auto *lead = llvm::find_if_not(ops, runsAnyTime);
  if (lead == ops.end() || !isLead(*lead))
    return nullptr;
  auto loop = dyn_cast<scf::WhileOp>(*lead);
  if (loop ? !isJointLoop(loop, same) : *lead != result.assumed)
    return nullptr;
  bool others = std::any_of(std::next(lead), ops.end(), [&](Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          return isLead(inner) ? WalkResult::interrupt()
                               : WalkResult::advance();
        })
        .wasInterrupted();
  });
  return others ? nullptr : *lead;
}

/// Ops that keep state for one warp while its code is emitted, or that wait.
static bool runsAlone(Operation *op) {
  return op->hasTrait<WholeWarp>() || op->hasTrait<GivesWay>() ||
         isa<CtaBarrierOpInterface, EachLaneOp>(op);
}

TeamPlan TeamCost::plan(ArrayRef<Operation *> ops, unsigned stride) {
  for (Operation *op : ops)
    if (op->walk([](Operation *inner) {
            return runsAlone(inner) ? WalkResult::interrupt()
                                    : WalkResult::advance();
          }).wasInterrupted())
      return {};
  findAssumed(ops);
  BlockCost top;
  top.weight = 1;
  Operation *lead = findLead(ops);
  unsigned opsUpToLead = 0;
  for (Operation *op : ops) {
    visit(op, top, 1);
    if (op == lead)
      opsUpToLead = top.vectorOps + numOps;
  }
  settle(top);
  result.inTurn = !shares(hot) && !waits(hot);
  result.straight = result.inTurn && !hot.isLead && isStraight(ops);
  if (result.inTurn && !hot.isLead && !result.straight)
    return {};
  if (hot.isLead && lead) {
    result.lead = lead;
    numOps = opsUpToLead;
  }
  unsigned all = shapes.getContext().warps();
  for (unsigned warps = 8; warps > 1; --warps)
    if (all % (warps * stride) == 0 && fits(warps, hot)) {
      result.warps = warps;
      result.stride = stride;
      result.same = &same;
      return result;
    }
  return {};
}

bool ptxjit::mayFormTeams(const ShapeContext &context,
                          const KernelTarget &target) {
  return target.wholeCta && context.lanes > 1 && context.warps() > 1 &&
         !context.partialWarp();
}

TeamPlanner::TeamPlanner(FuncOp kernel, const ShapeAnalysis &shapes,
                         const KernelTarget &target)
    : shapes(shapes), target(target), same(kernel, shapes) {
  assert(mayFormTeams(shapes.getContext(), target) && "see SameInWarps");
  unsigned perRow = warpsOfRow(shapes.getContext());
  if (perRow > 1 && perRow < shapes.getContext().warps())
    sameInColumn.emplace(kernel, shapes, perRow);
}

TeamPlan TeamPlanner::plan(ArrayRef<Operation *> ops) const {
  TeamCost ofNeighbours(shapes, same, target);
  TeamPlan plan = ofNeighbours.plan(ops, /*stride=*/1);
  if (!sameInColumn)
    return plan;
  TeamCost ofColumn(shapes, *sameInColumn, target);
  TeamPlan inColumn = ofColumn.plan(ops, warpsOfRow(shapes.getContext()));
  bool sharesMore =
      ofColumn.countSharedLoads() > ofNeighbours.countSharedLoads();
  return inColumn.warps > 1 && sharesMore ? inColumn : plan;
}
