//===- WarpTeams.cpp - warps that run side by side ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A team's code is that of its warps, op by op, or stretch by stretch where
// that gains nothing. What is the same in all of them (SameInWarps.h) is
// emitted for one. Regions whose condition is the same are entered together;
// each warp enters any other region alone.
//
//===----------------------------------------------------------------------===//

#include "WarpTeams.h"
#include "../Linearize.h"
#include "AssumedPatterns.h"
#include "LaneLoops.h"
#include "Regions.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {

class WarpTeam {
public:
  WarpTeam(WarpBuilder &warp, const TeamPlan &plan)
      : warp(warp), plan(plan), same(*plan.same), members(plan.warps),
        assumed(plan.warps) {}

  /// The code from here on is for the team whose first warp has the number
  /// `first` (i32).
  void enter(Value first);
  /// Emits `code` for each warp.
  LogicalResult forEach(function_ref<LogicalResult()> code);
  /// Scalar i1: do all warps take the assumed way?
  FailureOr<Value> allTakeAssumedWay();
  LogicalResult emitOps(ArrayRef<Operation *> ops);

private:
  /// What differs between the warps.
  struct Member {
    Value strand, linear, localBase;
    WarpValues::Forms forms;
  };
  void exchange(Member &member);
  void select(unsigned number);
  bool isJoint(Operation &op) const;
  LogicalResult emitJoint(Operation &op);
  LogicalResult emitBlock(Block &block);
  LogicalResult emitAssumed(scf::IfOp op);
  LogicalResult emitIf(scf::IfOp op);
  LogicalResult emitWhile(scf::WhileOp op);
  Value conditionOf(scf::WhileOp op);
  Block *createBlock(Region &region, TypeRange types, ValueRange like);

  // A value that is the same in all warps is one list of values at the border
  // of a block, any other value a list for each warp.
  void flattenTypes(ValueRange values, SmallVectorImpl<Type> &types);
  void flatten(ValueRange values, ValueRange as, SmallVectorImpl<Value> &flat);
  void unflatten(ValueRange values, ValueRange flat);
  void share(Value v);

  WarpBuilder &warp;
  const TeamPlan &plan;
  const SameInWarps &same;
  /// The forms of the selected member are in `warp`.
  SmallVector<Member> members;
  SmallVector<AssumedPatterns> assumed; ///< of each member
};

} // namespace

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

void WarpTeam::enter(Value first) {
  ChunkBuilder s = warp.scalar();
  for (auto [i, member] : llvm::enumerate(members)) {
    warp.enterStrand(i ? s.add(first, s.intConstant(32, i * plan.stride))
                       : first);
    member = {warp.kernel.strand, warp.kernel.linear, warp.kernel.localBase,
              warp.values.getForms()};
  }
  warp.member = 0;
  exchange(members[0]);
  // Code for warps that part reports the same accesses.
  warp.isRepeated = bool(plan.assumed);
}

void WarpTeam::exchange(Member &member) {
  std::swap(member.strand, warp.kernel.strand);
  std::swap(member.linear, warp.kernel.linear);
  std::swap(member.localBase, warp.kernel.localBase);
  warp.values.swapForms(member.forms);
}

void WarpTeam::select(unsigned number) {
  if (number == warp.member)
    return;
  exchange(members[warp.member]);
  exchange(members[number]);
  warp.member = number;
  warp.isRepeated = number || plan.assumed;
}

LogicalResult WarpTeam::forEach(function_ref<LogicalResult()> code) {
  for (unsigned i = 0; i < members.size(); ++i) {
    select(i);
    if (failed(code()))
      return failure();
  }
  return success();
}

/// Gives all warps the form that the first one has made of `v`.
void WarpTeam::share(Value v) {
  assert(warp.member == 0 && "the first warp has made the value");
  auto found = warp.values.getForms().find(v);
  if (found == warp.values.getForms().end())
    return;
  for (Member &member : llvm::drop_begin(members))
    member.forms[v] = found->second;
}

//===----------------------------------------------------------------------===//
// Block boundaries
//===----------------------------------------------------------------------===//

void WarpTeam::flattenTypes(ValueRange values, SmallVectorImpl<Type> &types) {
  for (Value v : values)
    for (unsigned i = 0; i < (same.contains(v) ? 1 : members.size()); ++i)
      warp.values.flattenTypes(v, types);
}

void WarpTeam::flatten(ValueRange values, ValueRange as,
                       SmallVectorImpl<Value> &flat) {
  for (auto [v, like] : llvm::zip_equal(values, as))
    for (unsigned i = 0; i < (same.contains(like) ? 1 : members.size()); ++i) {
      select(i);
      warp.values.flatten(v, like, flat);
    }
}

void WarpTeam::unflatten(ValueRange values, ValueRange flat) {
  for (Value v : values) {
    if (same.contains(v)) {
      select(0);
      warp.values.unflatten(v, flat);
      share(v);
      continue;
    }
    for (unsigned i = 0; i < members.size(); ++i) {
      select(i);
      warp.values.unflatten(v, flat);
    }
  }
}

/// Creates a block whose arguments become the values of `like`.
Block *WarpTeam::createBlock(Region &region, TypeRange types, ValueRange like) {
  SmallVector<Location> locs(types.size(), warp.loc);
  Block *block = warp.b.createBlock(&region, {}, types, locs);
  unflatten(like, block->getArguments());
  return block;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// All warps take the assumed way.
LogicalResult WarpTeam::emitAssumed(scf::IfOp op) {
  Block &block = op->getRegion(plan.side).front();
  auto eachMember = [&](auto code) {
    for (unsigned i = 0; i < members.size(); ++i) {
      select(i);
      code(assumed[i]);
    }
  };
  eachMember([&](AssumedPatterns &patterns) { patterns.enter(warp); });
  if (failed(emitBlock(block)))
    return failure();
  eachMember([&](AssumedPatterns &patterns) { patterns.leave(warp); });
  SmallVector<Value> flat;
  flatten(block.getTerminator()->getOperands(), op.getResults(), flat);
  unflatten(op.getResults(), flat);
  return success();
}

LogicalResult WarpTeam::emitIf(scf::IfOp op) {
  SmallVector<Type> types;
  flattenTypes(op.getResults(), types);
  select(0);
  bool hasElse = !op.getElseRegion().empty();
  auto out =
      warp.create<scf::IfOp>(types, warp.base(op.getCondition()),
                             /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  for (unsigned side = 0; side < (hasElse ? 2u : 1u); ++side) {
    OpBuilder::InsertionGuard guard(warp.b);
    Block &from = op->getRegion(side).front();
    enterRegion(warp, out, side);
    if (failed(emitBlock(from)))
      return failure();
    SmallVector<Value> flat;
    flatten(from.getTerminator()->getOperands(), op.getResults(), flat);
    warp.create<scf::YieldOp>(flat);
  }
  unflatten(op.getResults(), out.getResults());
  return success();
}

/// Does the loop go on? The warps leave a lead together, as soon as one has to.
Value WarpTeam::conditionOf(scf::WhileOp op) {
  Value condition = op.getConditionOp().getCondition(), all;
  unsigned asked = same.contains(condition) ? 1 : members.size();
  for (unsigned i = 0; i < asked; ++i) {
    select(i);
    all = warp.both(all, warp.base(condition));
  }
  return all;
}

LogicalResult WarpTeam::emitWhile(scf::WhileOp op) {
  auto condition = op.getConditionOp();
  SmallVector<Type> argTypes, resultTypes;
  SmallVector<Value> inits;
  flattenTypes(op.getBeforeArguments(), argTypes);
  flatten(op.getInits(), op.getBeforeArguments(), inits);
  // See emitWhile in Regions.cpp: results may have another form than the
  // arguments of the after region.
  flattenTypes(op.getAfterArguments(), resultTypes);
  unsigned numAfter = resultTypes.size();
  flattenTypes(op.getResults(), resultTypes);
  auto out = warp.create<scf::WhileOp>(resultTypes, inits);
  {
    OpBuilder::InsertionGuard guard(warp.b);
    createBlock(out.getBefore(), argTypes, op.getBeforeArguments());
    if (failed(emitBlock(*op.getBeforeBody())))
      return failure();
    SmallVector<Value> forwarded;
    flatten(condition.getArgs(), op.getAfterArguments(), forwarded);
    flatten(condition.getArgs(), op.getResults(), forwarded);
    warp.create<scf::ConditionOp>(conditionOf(op), forwarded);
  }
  {
    OpBuilder::InsertionGuard guard(warp.b);
    // The results are forwarded, too, but nobody reads them here.
    Block *block = createBlock(out.getAfter(), TypeRange(resultTypes), {});
    unflatten(op.getAfterArguments(), block->getArguments());
    if (failed(emitBlock(*op.getAfterBody())))
      return failure();
    SmallVector<Value> next;
    flatten(op.getYieldOp().getOperands(), op.getBeforeArguments(), next);
    warp.create<scf::YieldOp>(next);
  }
  unflatten(op.getResults(), out.getResults().drop_front(numAfter));
  return success();
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

/// Do the warps run the op together?
bool WarpTeam::isJoint(Operation &op) const {
  if (auto ifOp = dyn_cast<scf::IfOp>(op);
      ifOp && (ifOp == plan.assumed || same.contains(ifOp.getCondition())))
    return true;
  auto loop = dyn_cast<scf::WhileOp>(op);
  return (loop && isJointLoop(loop, same)) || same.contains(&op);
}

LogicalResult WarpTeam::emitJoint(Operation &op) {
  if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
    if (ifOp == plan.assumed)
      return emitAssumed(ifOp);
    if (same.contains(ifOp.getCondition()))
      return emitIf(ifOp);
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op); loop && isJointLoop(loop, same))
    return emitWhile(loop);
  select(0);
  if (failed(ptxjit::emitOp(warp, op)))
    return failure();
  llvm::for_each(op.getResults(), [&](Value v) { share(v); });
  return success();
}

static bool usesAny(Operation &op, ArrayRef<Operation *> sources) {
  return llvm::any_of(op.getOperands(), [&](Value operand) {
    return llvm::is_contained(sources, operand.getDefiningOp());
  });
}

LogicalResult WarpTeam::emitOps(ArrayRef<Operation *> ops) {
  SmallVector<Operation *> stretch;
  auto emitStretch = [&] {
    LogicalResult done =
        forEach([&] { return ptxjit::emitOps(warp, stretch); });
    stretch.clear();
    return done;
  };
  for (Operation *op : ops) {
    bool joint = isJoint(*op);
    // What is computed for all warps may come earlier; accesses may not.
    bool ends = joint ? op->getNumRegions() || !isMemoryEffectFree(op) ||
                            usesAny(*op, stretch)
                      : !plan.inTurn;
    if (!joint)
      stretch.push_back(op);
    if (ends && !stretch.empty() && failed(emitStretch()))
      return failure();
    if (joint && failed(emitJoint(*op)))
      return failure();
  }
  return stretch.empty() ? success() : emitStretch();
}

LogicalResult WarpTeam::emitBlock(Block &block) {
  warp.enterBlock();
  auto leave = llvm::make_scope_exit([&] { warp.leaveBlock(); });
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    if (!assumed.front().contains(&op))
      ops.push_back(&op);
  return emitOps(ops);
}

FailureOr<Value> WarpTeam::allTakeAssumedWay() {
  scf::IfOp op = plan.assumed;
  Value all;
  for (unsigned i = 0; i < members.size(); ++i) {
    select(i);
    Value way = warp.base(op.getCondition());
    if (plan.side)
      way = warp.scalar().bitNot(way);
    all = warp.both(all, way);
    if (!op->hasAttr(kForAllAttr))
      continue;
    FailureOr<Value> holds = assumed[i].emitTests(warp, *op.thenBlock());
    if (failed(holds))
      return failure();
    all = warp.both(all, *holds);
  }
  return all;
}

//===----------------------------------------------------------------------===//
// The CTA
//===----------------------------------------------------------------------===//

/// Emits a loop over the warps of a team. \param emit  emits the code of one
/// warp, of which it is told how far its number is from that of the first one.
static LogicalResult
emitOneByOne(WarpBuilder &warp, Value first, const TeamPlan &plan,
             function_ref<LogicalResult(Value offset)> emit) {
  scf::ForOp loop =
      buildCountedLoop(warp, plan.warps * plan.stride, {}, plan.stride);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPoint(loop.getBody()->getTerminator());
  warp.enterStrand(warp.scalar().add(first, loop.getInductionVar()));
  warp.enterBlock();
  auto leave = llvm::make_scope_exit([&] { warp.leaveBlock(); });
  // What was tested for one warp of the team says nothing about this one.
  warp.member = plan.warps;
  return emit(loop.getInductionVar());
}

/// The number, i32, of the first warp of a team. With a stride, `stride` teams
/// lie interleaved in as many warps as they have together.
static Value firstOfTeam(WarpBuilder &warp, const TeamPlan &plan, Value team) {
  ChunkBuilder s = warp.scalar();
  Value warps = s.intConstant(32, plan.warps);
  if (plan.stride == 1)
    return s.mul(team, warps);
  Value stride = s.intConstant(32, plan.stride);
  Value place = warp.create<arith::RemUIOp>(team, stride);
  return s.add(s.mul(s.sub(team, place), warps), place);
}

namespace {

/// Results of a team's lead, on the stack, from where the code for its warps
/// one by one takes them.
class LeadResults {
public:
  LeadResults(WarpBuilder &warp, const TeamPlan &plan);
  /// Stores or loads the results of the warp whose number is `offset` (i32)
  /// more than that of the team's first one.
  void store(Value offset);
  void load(Value offset);

private:
  struct Slot {
    Type type;
    Value array; ///< a pointer to an element for each warp
  };
  Value placeOf(const Slot &slot, Value offset);

  WarpBuilder &warp;
  SmallVector<Value> results; ///< those with uses
  SmallVector<Slot> slots;    ///< of the results' parts
};

/// Emits the code of a team, and of its warps one by one.
class TeamCode {
public:
  TeamCode(WarpBuilder &warp, const TeamPlan &plan, ArrayRef<Operation *> ops,
           WarpFrameCode code);
  /// Emits what the warps from number `first` on do.
  LogicalResult emit(Value first);

private:
  LogicalResult emitFront();
  LogicalResult emitAssuming(Value first,
                             function_ref<LogicalResult()> together,
                             function_ref<LogicalResult(Value)> apart);
  LogicalResult emitWithLead(Value first);
  void restore();

  WarpBuilder &warp;
  const TeamPlan &plan;
  WarpFrameCode code;
  ArrayRef<Operation *> front; ///< ops before what is assumed, or the lead
  ArrayRef<Operation *> back;  ///< all others
  WarpTeam team;
  const WarpValues::Forms outside;
};

} // namespace

LeadResults::LeadResults(WarpBuilder &warp, const TeamPlan &plan) : warp(warp) {
  for (Value v : plan.lead->getResults())
    if (!v.use_empty())
      results.push_back(v);
  for (Value v : results) {
    SmallVector<Type> types;
    warp.values.flattenTypes(v, types);
    for (Type type : types) {
      Type stored = storedType(warp, type);
      auto array = LLVM::LLVMArrayType::get(stored, plan.warps * plan.stride);
      slots.push_back({type, allocateOnStack(warp, array, kMostStoredAlign)});
    }
  }
}

Value LeadResults::placeOf(const Slot &slot, Value offset) {
  return warp.create<LLVM::GEPOp>(slot.array.getType(),
                                  storedType(warp, slot.type), slot.array,
                                  LLVM::GEPArg(offset));
}

void LeadResults::store(Value offset) {
  SmallVector<Value> flat;
  for (Value v : results)
    warp.values.flatten(v, v, flat);
  for (auto [slot, value] : llvm::zip_equal(slots, flat))
    storeWhole(warp, value, placeOf(slot, offset));
}

void LeadResults::load(Value offset) {
  SmallVector<Value> flat;
  for (const Slot &slot : slots)
    flat.push_back(loadWhole(warp, slot.type, placeOf(slot, offset)));
  ValueRange range = flat;
  for (Value v : results)
    warp.values.unflatten(v, range);
}

TeamCode::TeamCode(WarpBuilder &warp, const TeamPlan &plan,
                   ArrayRef<Operation *> ops, WarpFrameCode code)
    : warp(warp), plan(plan), code(code), team(warp, plan),
      outside(warp.values.getForms()) {
  scf::IfOp assumed = plan.assumed;
  Operation *border = plan.lead ? plan.lead : assumed.getOperation();
  auto *split = border ? llvm::find(ops, border) : ops.end();
  front = ops.take_front(size_t(split - ops.begin()));
  back = ops.drop_front(front.size());
}

/// Leaves the code of the team: values have the forms that they had before it.
void TeamCode::restore() {
  WarpValues::Forms forms = outside;
  warp.values.swapForms(forms);
  warp.member = 0;
  warp.isRepeated = false;
}

/// Emits, for a warp alone, what comes first.
LogicalResult TeamCode::emitFront() {
  if (failed(code.before()))
    return failure();
  return emitOps(warp, front);
}

/// Emits code for the team if all its warps take the assumed way, else for its
/// warps one by one. Afterwards no warp is selected.
LogicalResult TeamCode::emitAssuming(Value first,
                                     function_ref<LogicalResult()> together,
                                     function_ref<LogicalResult(Value)> apart) {
  if (!plan.assumed) {
    LogicalResult done = together();
    restore();
    return done;
  }
  FailureOr<Value> allTakeIt = team.allTakeAssumedWay();
  if (failed(allTakeIt))
    return failure();
  auto choice = warp.create<scf::IfOp>(*allTakeIt, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPointToStart(choice.thenBlock());
  if (failed(together()))
    return failure();
  restore();
  warp.b.setInsertionPointToStart(choice.elseBlock());
  LogicalResult done = emitOneByOne(warp, first, plan, apart);
  restore();
  return done;
}

/// Emits the lead for the team, and the rest for its warps one by one.
LogicalResult TeamCode::emitWithLead(Value first) {
  LeadResults results(warp, plan);
  auto together = [&]() -> LogicalResult {
    if (failed(team.emitOps(plan.lead)))
      return failure();
    unsigned number = 0;
    return team.forEach([&] {
      results.store(
          warp.scalar().intConstant(32, uint64_t(number++) * plan.stride));
      return success();
    });
  };
  auto apart = [&](Value offset) -> LogicalResult {
    if (failed(emitFront()) || failed(emitOp(warp, *plan.lead)))
      return failure();
    results.store(offset);
    return success();
  };
  if (failed(emitAssuming(first, together, apart)))
    return failure();
  auto rest = [&](Value offset) -> LogicalResult {
    warp.isRepeated = true;
    if (failed(emitFront()))
      return failure();
    warp.isRepeated = false;
    results.load(offset);
    if (failed(emitOps(warp, back.drop_front())))
      return failure();
    return code.after();
  };
  LogicalResult done = emitOneByOne(warp, first, plan, rest);
  restore();
  return done;
}

LogicalResult TeamCode::emit(Value first) {
  team.enter(first);
  if (failed(team.forEach(code.before)) || failed(team.emitOps(front)))
    return failure();
  if (plan.lead)
    return emitWithLead(first);
  auto together = [&] {
    return success(succeeded(team.emitOps(back)) &&
                   succeeded(team.forEach(code.after)));
  };
  auto apart = [&](Value) -> LogicalResult {
    if (failed(emitFront()) || failed(emitOps(warp, back)))
      return failure();
    return code.after();
  };
  return emitAssuming(first, together, apart);
}

LogicalResult ptxjit::emitTeams(WarpBuilder &warp, const TeamPlan &plan,
                                ArrayRef<Operation *> ops, WarpFrameCode code) {
  assert(plan.warps > 1 && plan.same && "a team has several warps");
  unsigned warps = warp.shapes.getContext().warps();
  scf::ForOp loop = buildCountedLoop(warp, warps / plan.warps, {});
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPoint(loop.getBody()->getTerminator());
  warp.enterBlock();
  auto leave = llvm::make_scope_exit([&] { warp.leaveBlock(); });
  return TeamCode(warp, plan, ops, code)
      .emit(firstOfTeam(warp, plan, loop.getInductionVar()));
}
