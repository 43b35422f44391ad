//===- Fission.cpp - split a kernel at its barriers -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that hold barriers stay outside the loops over warps, with the values
// that they depend on (see CtaLevel.h). The ops between two barriers are a
// part, which becomes a loop over the warps. Values of a warp that live from
// one part to another are kept in the CTA's frame, or computed again.
//
//===----------------------------------------------------------------------===//

#include "Fission.h"
#include "LaneLoops.h"
#include "Regions.h"
#include "WarpTeams.h"

#include "ptxjit/Analysis/PartValues.h"

#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {

/// The frame in which a CTA keeps values of its warps from one part to another.
class WarpFrame {
public:
  WarpFrame(WarpBuilder &warp, const CtaLevel &levels)
      : warp(warp), levels(levels) {}

  /// Keeps `v` in the slot of `owner` from now on. Does nothing if their types
  /// in the frame differ, or if one of them is the same for the whole CTA.
  void share(Value v, Value owner);
  /// The value in whose slot `v` is kept; `v` if it has a slot of its own.
  Value ownerOf(Value v) const;
  /// Stores `flat` as the value `v` of this warp.
  void store(Value v, ArrayRef<Value> flat);
  /// Sets `v` from the slot of this warp.
  void load(Value v);

  Value pointer; ///< to the CTA's frame
  /// Size of the frame so far.
  int64_t bytes = 0;

private:
  struct Slot {
    int64_t offset = 0; ///< of the first warp's value, in the frame
    int64_t bytes = 0;  ///< of one warp's value
  };
  const Slot &slotOf(Value v);
  Value placeOf(const Slot &slot, int64_t offset);

  WarpBuilder &warp;
  const CtaLevel &levels;
  DenseMap<Value, Slot> slots;
  DenseMap<Value, Value> owners; ///< of values that share a slot
};

/// A value that is copied to the slot of another one.
struct FrameCopy {
  Value from, to;
};
/// Copies at the end of a part, for the operands of `user`: a loop, or the
/// terminator of a block. `user` needs no other copies of its operands.
struct FrameCopies {
  Operation *user = nullptr;
  SmallVector<FrameCopy> list;
};

class SplitKernel {
public:
  SplitKernel(WarpBuilder &warp, const CtaLevel &levels)
      : warp(warp), levels(levels), values(warp.func, levels, warp.shapes),
        frame(warp, levels) {
    if (mayFormTeams(warp.shapes.getContext(), warp.target))
      teams.emplace(warp.func, warp.shapes, warp.target);
  }
  /// \returns the bytes of the frame.
  FailureOr<int64_t> emit(Block &body);

private:
  LogicalResult emitSplitBlock(Block &block, const FrameCopies &copies);
  LogicalResult emitForFirst(Value v, SmallVectorImpl<Value> &made);
  LogicalResult emitAtLevel(Operation &op);
  LogicalResult emitSplitIf(scf::IfOp op);
  LogicalResult emitSplitWhile(scf::WhileOp op);
  Block *createSplitBlock(Region &region, ArrayRef<Type> types,
                          ValueRange like);
  LogicalResult emitPart(ArrayRef<Operation *> ops, const FrameCopies &copies);
  LogicalResult emitWarp(scf::ForOp loop, ArrayRef<Operation *> ops,
                         const FrameCopies &copies,
                         SmallVectorImpl<Value> &made);
  LogicalResult makeLiveIns(ArrayRef<Operation *> users,
                            ArrayRef<FrameCopy> copies,
                            SmallVectorImpl<Value> &made);
  void keepForLater(ArrayRef<Operation *> ops,
                    const DenseSet<Operation *> &inside,
                    const FrameCopies &copies);
  bool isNeededElsewhere(Value v, const DenseSet<Operation *> &part,
                         Operation *served) const;
  LogicalResult materialize(Value v, SmallVectorImpl<Value> &made);
  void shareSlots(scf::WhileOp op);
  void addCopy(Value from, Value to, FrameCopies &copies);
  void flattenLevel(Value v, Value as, SmallVectorImpl<Value> &flat);

  WarpBuilder &warp;
  const CtaLevel &levels;
  PartValues values;
  WarpFrame frame;
  std::optional<TeamPlanner> teams; ///< only if there may be teams
};

} // namespace

//===----------------------------------------------------------------------===//
// The frame
//===----------------------------------------------------------------------===//

/// The frame begins at a line of the caches, and so does each slot.
static constexpr int64_t kFrameAlign = kMostStoredAlign;

Value WarpFrame::ownerOf(Value v) const {
  auto it = owners.find(v);
  return it == owners.end() ? v : ownerOf(it->second);
}

void WarpFrame::share(Value v, Value owner) {
  SmallVector<Type> types, ownerTypes;
  if (levels.contains(v) || levels.contains(owner))
    return;
  warp.values.flattenTypes(v, types);
  warp.values.flattenTypes(owner, ownerTypes);
  if (types == ownerTypes)
    owners[v] = owner;
}

/// Lets a loop-carried value keep one slot: its argument in the before region,
/// its argument in the after region, and its result. They are never live at
/// once, since the value of the next iteration is written after the present one
/// has been read.
void SplitKernel::shareSlots(scf::WhileOp op) {
  DenseSet<Value> taken;
  for (auto [arg, next] :
       llvm::zip(op.getBeforeArguments(), op.getYieldOp().getOperands()))
    if (next.getParentBlock() == op.getAfterBody() &&
        isa<BlockArgument>(next) && taken.insert(next).second)
      frame.share(next, arg);
  for (auto [arg, result] : llvm::zip(op.getAfterArguments(), op.getResults()))
    frame.share(result, arg);
}

/// The slot of `v`, made at its first use. The values of all warps lie side by
/// side.
const WarpFrame::Slot &WarpFrame::slotOf(Value v) {
  v = ownerOf(v);
  auto [it, fresh] = slots.try_emplace(v);
  if (!fresh)
    return it->second;
  SmallVector<Type> types;
  warp.values.flattenTypes(v, types);
  Slot &slot = it->second;
  unsigned align = 1;
  for (Type type : types) {
    slot.bytes = llvm::alignTo(slot.bytes, storedAlign(warp, type)) +
                 storedBytes(warp, type);
    align = std::max(align, storedAlign(warp, type));
  }
  slot.bytes = llvm::alignTo(slot.bytes, align);
  slot.offset = bytes;
  bytes = llvm::alignTo(bytes + slot.bytes * warp.shapes.getContext().warps(),
                        kFrameAlign);
  return it->second;
}

/// A pointer to byte `offset` of this warp's value in a slot.
Value WarpFrame::placeOf(const Slot &slot, int64_t offset) {
  auto ptr = LLVM::LLVMPointerType::get(warp.b.getContext());
  ChunkBuilder s = warp.scalar();
  Value first = s.mul(s.resize(warp.kernel.strand, 64, false),
                      s.intConstant(64, uint64_t(slot.bytes)));
  Value byte = s.add(first, s.intConstant(64, uint64_t(slot.offset + offset)));
  return warp.create<LLVM::GEPOp>(ptr, warp.b.getI8Type(), pointer,
                                  LLVM::GEPArg(byte));
}

void WarpFrame::store(Value v, ArrayRef<Value> flat) {
  const Slot &slot = slotOf(v);
  int64_t offset = 0;
  for (Value value : flat) {
    Type type = value.getType();
    offset = llvm::alignTo(offset, storedAlign(warp, type));
    storeWhole(warp, value, placeOf(slot, offset));
    offset += storedBytes(warp, type);
  }
  assert(offset <= slot.bytes && "the value fits its slot");
}

void WarpFrame::load(Value v) {
  assert(slots.contains(ownerOf(v)) && "an earlier part keeps the value");
  SmallVector<Type> types;
  warp.values.flattenTypes(v, types);
  SmallVector<Value> flat;
  const Slot &slot = slotOf(v);
  int64_t offset = 0;
  for (Type type : types) {
    offset = llvm::alignTo(offset, storedAlign(warp, type));
    flat.push_back(loadWhole(warp, type, placeOf(slot, offset)));
    offset += storedBytes(warp, type);
  }
  ValueRange range = flat;
  warp.values.unflatten(v, range);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Makes a value of an earlier part available in this one, from the frame or by
/// emitting its op again. Adds the values that have got a form to `made`.
LogicalResult SplitKernel::materialize(Value v, SmallVectorImpl<Value> &made) {
  if (levels.contains(v) || llvm::is_contained(made, v))
    return success();
  if (!values.isRecomputed(v)) {
    frame.load(v);
    made.push_back(v);
    return success();
  }
  Operation *op = v.getDefiningOp();
  for (Value operand : op->getOperands())
    if (failed(materialize(operand, made)))
      return failure();
  llvm::append_range(made, op->getResults());
  return emitOp(warp, *op);
}

/// The values that `ops` and `copies` use and other parts have made.
static SmallVector<Value> findLiveIns(ArrayRef<Operation *> ops,
                                      ArrayRef<FrameCopy> copies) {
  DenseSet<Value> inside;
  llvm::SetVector<Value> used;
  for (Operation *op : ops)
    op->walk([&](Operation *inner) {
      inside.insert(inner->result_begin(), inner->result_end());
      for (Region &region : inner->getRegions())
        for (Block &block : region)
          inside.insert(block.args_begin(), block.args_end());
      used.insert(inner->operand_begin(), inner->operand_end());
    });
  for (const FrameCopy &copy : copies)
    used.insert(copy.from);
  used.remove_if([&](Value v) { return inside.contains(v); });
  return used.takeVector();
}

/// Makes what `users`, ops of this part, and `copies` need of other parts.
LogicalResult SplitKernel::makeLiveIns(ArrayRef<Operation *> users,
                                       ArrayRef<FrameCopy> copies,
                                       SmallVectorImpl<Value> &made) {
  for (Value v : findLiveIns(users, copies)) {
    Operation *op = v.getDefiningOp();
    bool isMadeHere = op && warp.part->contains(op);
    if (!isMadeHere && failed(materialize(v, made)))
      return failure();
  }
  return success();
}

/// Is `v`, which one of `part` makes, needed by an op other than `served`, and
/// than the ops of `part` and all that is nested in them?
bool SplitKernel::isNeededElsewhere(Value v, const DenseSet<Operation *> &part,
                                    Operation *served) const {
  Block *home = v.getParentBlock();
  return values.isNeeded(v, [&](Operation *user) {
    Operation *top = home->findAncestorOpInBlock(*user);
    return user != served && (!top || !part.contains(top));
  });
}

/// Stores what later parts read of this one.
void SplitKernel::keepForLater(ArrayRef<Operation *> ops,
                               const DenseSet<Operation *> &inside,
                               const FrameCopies &copies) {
  // Read all copied values before any slot is overwritten.
  SmallVector<SmallVector<Value>> flats;
  for (const FrameCopy &copy : copies.list)
    warp.values.flatten(copy.from, copy.to, flats.emplace_back());
  for (auto [copy, flat] : llvm::zip(copies.list, flats))
    frame.store(copy.to, flat);
  for (Operation *op : ops)
    for (Value result : op->getResults())
      if (!values.isRecomputed(result) &&
          isNeededElsewhere(result, inside, copies.user)) {
        SmallVector<Value> flat;
        warp.values.flatten(result, result, flat);
        frame.store(result, flat);
      }
}

/// Is the value a number that is known for each warp, by few ops on the numbers
/// of its threads?
static bool isKnownInWarp(Value v) {
  constexpr unsigned kMostValues = 32;
  llvm::SmallSetVector<Value, kMostValues> sources;
  sources.insert(v);
  for (unsigned i = 0; i < sources.size(); ++i) {
    Operation *op = sources[i].getDefiningOp();
    if (!op || op->getNumRegions() || !isMemoryEffectFree(op))
      return false;
    auto sreg = dyn_cast<SRegOp>(op);
    bool isTid = sreg && llvm::is_contained({SpecialRegister::TidX,
                                             SpecialRegister::TidY,
                                             SpecialRegister::TidZ},
                                            sreg.getReg());
    if (!op->getNumOperands() && !isTid && !matchPattern(op, m_Constant()))
      return false;
    sources.insert(op->operand_begin(), op->operand_end());
    if (sources.size() > kMostValues)
      return false;
  }
  return true;
}

/// Is it known which warps have something to do, and is that little? So it is
/// where a tree of sums takes every second row, then every fourth. Written out,
/// the others have no code.
static bool leavesOutWarps(ArrayRef<Operation *> ops) {
  constexpr unsigned kMostOps = 32;
  unsigned count = 0;
  for (Operation *op : ops)
    op->walk([&](Operation *) { ++count; });
  return count <= kMostOps && llvm::any_of(ops, [](Operation *op) {
           auto ifOp = dyn_cast<scf::IfOp>(op);
           return ifOp && isKnownInWarp(ifOp.getCondition());
         });
}

/// for (warp = 0; warp < warps; ++warp) { ops; copies; }
LogicalResult SplitKernel::emitPart(ArrayRef<Operation *> ops,
                                    const FrameCopies &copies) {
  if (ops.empty() && copies.list.empty())
    return success();
  DenseSet<Operation *> inside(ops.begin(), ops.end());
  llvm::SaveAndRestore<const DenseSet<Operation *> *> current(warp.part,
                                                              &inside);
  SmallVector<Value> made;
  auto before = [&] {
    made.clear();
    return makeLiveIns(ops, copies.list, made);
  };
  auto after = [&] {
    keepForLater(ops, inside, copies);
    return success();
  };
  TeamPlan plan;
  if (teams)
    plan = teams->plan(ops);
  if (plan.warps > 1)
    return emitTeams(warp, plan, ops, {before, after});
  scf::ForOp loop = buildWarpLoop(warp);
  if (failed(emitWarp(loop, ops, copies, made)))
    return failure();
  // The next part makes its own forms of these values.
  for (Value v : made)
    warp.values.forget(v);
  for (Operation *op : ops)
    for (Value result : op->getResults())
      warp.values.forget(result);
  // A single warp needs no loop.
  IRRewriter rewriter(warp.b.getContext());
  if (failed(loop.promoteIfSingleIteration(rewriter)) && leavesOutWarps(ops) &&
      !warp.shapes.getContext().anyBlock)
    return loopUnrollFull(loop);
  return success();
}

/// Emits the ops for the warp of a turn of `loop`.
LogicalResult SplitKernel::emitWarp(scf::ForOp loop, ArrayRef<Operation *> ops,
                                    const FrameCopies &copies,
                                    SmallVectorImpl<Value> &made) {
  OpBuilder::InsertionGuard guard(warp.b);
  warp.b.setInsertionPoint(loop.getBody()->getTerminator());
  warp.enterStrand(loop.getInductionVar());
  warp.enterBlock();
  auto leave = llvm::make_scope_exit([&] { warp.leaveBlock(); });
  // Each value comes where it is first used, so that few are in registers.
  for (Operation *op : ops)
    if (failed(makeLiveIns(op, {}, made)) || failed(emitOp(warp, *op)))
      return failure();
  if (failed(makeLiveIns({}, copies.list, made)))
    return failure();
  keepForLater(ops, *warp.part, copies);
  return success();
}

//===----------------------------------------------------------------------===//
// Control around the parts
//===----------------------------------------------------------------------===//

/// Are all ops from `it` to the end of the block free of effects and regions?
static bool isPure(Block::iterator it) {
  auto end = it->getBlock()->without_terminator().end();
  return std::all_of(it, end, [](Operation &op) {
    return isMemoryEffectFree(&op) && !op.getNumRegions();
  });
}

void SplitKernel::addCopy(Value from, Value to, FrameCopies &copies) {
  if (levels.contains(to) || to.use_empty())
    return;
  Value place = frame.ownerOf(to);
  bool isThere = place == frame.ownerOf(from) ||
                 llvm::any_of(copies.list, [&](FrameCopy c) {
                   return frame.ownerOf(c.to) == place;
                 });
  if (!isThere)
    copies.list.push_back({from, to});
}

/// Emits ops without effects, for the first warp, that a value is made from.
LogicalResult SplitKernel::emitForFirst(Value v, SmallVectorImpl<Value> &made) {
  if (levels.contains(v) || llvm::is_contained(made, v))
    return success();
  Operation *op = v.getDefiningOp();
  for (Value operand : op->getOperands())
    if (failed(emitForFirst(operand, made)))
      return failure();
  llvm::append_range(made, op->getResults());
  return emitOp(warp, *op);
}

/// Emits an op once for the CTA. A fault is that of the first warp.
LogicalResult SplitKernel::emitAtLevel(Operation &op) {
  SmallVector<Value> ofFirst;
  op.walk([&](Operation *inner) {
    for (Value v : inner->getOperands()) {
      Operation *maker = v.getDefiningOp();
      if (!levels.contains(v) && !(maker && op.isAncestor(maker)))
        ofFirst.push_back(v);
    }
  });
  if (!ofFirst.empty() || !isMemoryEffectFree(&op))
    warp.enterStrand(warp.scalar().intConstant(32, 0));
  SmallVector<Value> made;
  for (Value v : ofFirst)
    if (failed(emitForFirst(v, made)))
      return failure();
  if (failed(emitOp(warp, op)))
    return failure();
  for (Value v : made)
    warp.values.forget(v);
  return success();
}

/// Emits a block that holds barriers. `copies` are made at the end of its last
/// part.
LogicalResult SplitKernel::emitSplitBlock(Block &block,
                                          const FrameCopies &copies) {
  SmallVector<Operation *> part;
  auto finishPart = [&](const FrameCopies &last) {
    LogicalResult result = emitPart(part, last);
    part.clear();
    return result;
  };
  for (Operation &op : block.without_terminator()) {
    if (CtaLevel::isBorder(&op)) {
      // A border divides only if ops with effects stand on both sides.
      // Otherwise the pure ops of one side join the part of the other side.
      bool divides = !llvm::all_of(part, isMemoryEffectFree) &&
                     !isPure(std::next(op.getIterator()));
      if (divides && failed(finishPart({})))
        return failure();
    } else if (auto ifOp = dyn_cast<scf::IfOp>(op);
               ifOp && levels.isSplit(ifOp)) {
      if (failed(finishPart({})) || failed(emitSplitIf(ifOp)))
        return failure();
    } else if (auto loop = dyn_cast<scf::WhileOp>(op);
               loop && levels.isSplit(loop)) {
      shareSlots(loop);
      FrameCopies inits{loop, {}};
      for (auto [init, arg] :
           llvm::zip(loop.getInits(), loop.getBeforeArguments()))
        addCopy(init, arg, inits);
      if (failed(finishPart(inits)) || failed(emitSplitWhile(loop)))
        return failure();
    } else if (levels.contains(&op)) {
      if (failed(emitAtLevel(op)))
        return failure();
    } else {
      part.push_back(&op);
    }
  }
  return finishPart(copies);
}

LogicalResult SplitKernel::emitSplitIf(scf::IfOp op) {
  SmallVector<Type> types;
  for (Value result : op.getResults())
    if (levels.contains(result))
      warp.values.flattenTypes(result, types);
  bool hasElse = !op.getElseRegion().empty();
  auto out =
      warp.create<scf::IfOp>(types, warp.base(op.getCondition()),
                             /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  for (unsigned side = 0; side < (hasElse ? 2u : 1u); ++side) {
    OpBuilder::InsertionGuard guard(warp.b);
    Block &from = op->getRegion(side).front();
    enterRegion(warp, out, side);
    auto yield = cast<scf::YieldOp>(from.getTerminator());
    FrameCopies copies{yield, {}};
    for (auto [value, result] : llvm::zip(yield.getOperands(), op.getResults()))
      addCopy(value, result, copies);
    if (failed(emitSplitBlock(from, copies)))
      return failure();
    SmallVector<Value> flat;
    for (auto [value, result] : llvm::zip(yield.getOperands(), op.getResults()))
      flattenLevel(value, result, flat);
    warp.create<scf::YieldOp>(flat);
  }
  ValueRange flat = out.getResults();
  for (Value result : op.getResults())
    if (levels.contains(result))
      warp.values.unflatten(result, flat);
  return success();
}

void SplitKernel::flattenLevel(Value v, Value as,
                               SmallVectorImpl<Value> &flat) {
  if (levels.contains(as))
    warp.values.flatten(v, as, flat);
}

/// Creates a block of the new loop. Its first arguments become those values of
/// `like` that are the same for the whole CTA.
Block *SplitKernel::createSplitBlock(Region &region, ArrayRef<Type> types,
                                     ValueRange like) {
  SmallVector<Location> locs(types.size(), warp.loc);
  Block *block = warp.b.createBlock(&region, {}, types, locs);
  ValueRange flat = block->getArguments();
  for (Value v : like)
    if (levels.contains(v))
      warp.values.unflatten(v, flat);
  return block;
}

LogicalResult SplitKernel::emitSplitWhile(scf::WhileOp op) {
  auto condition = op.getConditionOp();
  auto yield = op.getYieldOp();
  SmallVector<Type> argTypes, resultTypes;
  SmallVector<Value> inits;
  for (auto [arg, init] : llvm::zip(op.getBeforeArguments(), op.getInits()))
    if (levels.contains(arg)) {
      warp.values.flattenTypes(arg, argTypes);
      warp.values.flatten(init, arg, inits);
    }
  for (Value v : op.getAfterArguments())
    if (levels.contains(v))
      warp.values.flattenTypes(v, resultTypes);
  unsigned numAfter = resultTypes.size();
  for (Value v : op.getResults())
    if (levels.contains(v))
      warp.values.flattenTypes(v, resultTypes);
  auto out = warp.create<scf::WhileOp>(resultTypes, inits);
  {
    OpBuilder::InsertionGuard guard(warp.b);
    createSplitBlock(out.getBefore(), argTypes, op.getBeforeArguments());
    FrameCopies copies{condition, {}};
    for (auto [from, arg, result] : llvm::zip(
             condition.getArgs(), op.getAfterArguments(), op.getResults())) {
      addCopy(from, arg, copies);
      addCopy(from, result, copies);
    }
    if (failed(emitSplitBlock(*op.getBeforeBody(), copies)))
      return failure();
    SmallVector<Value> flat;
    for (auto [from, arg] :
         llvm::zip(condition.getArgs(), op.getAfterArguments()))
      flattenLevel(from, arg, flat);
    for (auto [from, result] : llvm::zip(condition.getArgs(), op.getResults()))
      flattenLevel(from, result, flat);
    warp.create<scf::ConditionOp>(warp.base(condition.getCondition()), flat);
  }
  {
    OpBuilder::InsertionGuard guard(warp.b);
    createSplitBlock(out.getAfter(), resultTypes, op.getAfterArguments());
    FrameCopies copies{yield, {}};
    for (auto [from, arg] :
         llvm::zip(yield.getOperands(), op.getBeforeArguments()))
      addCopy(from, arg, copies);
    if (failed(emitSplitBlock(*op.getAfterBody(), copies)))
      return failure();
    SmallVector<Value> flat;
    for (auto [from, arg] :
         llvm::zip(yield.getOperands(), op.getBeforeArguments()))
      flattenLevel(from, arg, flat);
    warp.create<scf::YieldOp>(flat);
  }
  ValueRange flat = out.getResults().drop_front(numAfter);
  for (Value result : op.getResults())
    if (levels.contains(result))
      warp.values.unflatten(result, flat);
  return success();
}

FailureOr<int64_t> SplitKernel::emit(Block &body) {
  frame.pointer =
      warp.loadContext(offsetof(PtxjitKernelContext, frame),
                       LLVM::LLVMPointerType::get(warp.b.getContext()));
  warp.enterBlock();
  auto leave = llvm::make_scope_exit([&] { warp.leaveBlock(); });
  if (failed(emitSplitBlock(body, {})))
    return failure();
  return frame.bytes;
}

FailureOr<int64_t> ptxjit::emitSplitKernel(WarpBuilder &warp,
                                           const CtaLevel &levels,
                                           Block &body) {
  return SplitKernel(warp, levels).emit(body);
}
