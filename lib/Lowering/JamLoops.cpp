//===- JamLoops.cpp - turns of an outer loop side by side -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that computes several sums, one after another, loads again for each
// what they share: one point for its distances from all centres, one column for
// its products with all others. Here, groups of turns of the outer loop are
// made side by side (unroll and jam). Their inner loops become one, which loads
// once for all. Then come the rests of the turns, turn after turn.
//
// That is done as long as all lanes of a warp have so many turns left, and only
// where no lane is masked off. The original loop makes the other turns.
//
// If the rests store where the inner loops have loaded, nothing has been stored
// yet when that is found out. The original loop then makes these turns, too,
// and all that follow.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Linearize.h"
#include "OuterLoop.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace ptxjit {
#define GEN_PASS_DEF_JAMLOOPSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

/// Turns in a group. The benchmark's kernels are no faster with eight.
static constexpr unsigned kTurns = 4;

namespace {

/// Addresses from the lowest to the highest; null if there are none.
struct Extent {
  Value low, high;
  explicit operator bool() const { return bool(low); }
};

/// What constant offsets and sizes add to an extent at its ends, in bytes.
struct Ends {
  int64_t front = 0, behind = 0;
  void add(int64_t offset, int64_t bytes) {
    front = std::min(front, offset);
    behind = std::max(behind, offset + bytes);
  }
};

/// Builds groups of turns of a loop.
class Jam {
public:
  Jam(const OuterLoop &outer, unsigned numTurns)
      : outer(outer), loop(outer.getLoop()), turns(numTurns) {}
  void build();

private:
  bool varies(Value value) const { return outer.varies(value); }
  SmallVector<Value> lookupAll(ValueRange values, ValueRange varied) const;
  SmallVector<Type> typesFor(ValueRange values) const;
  void map(ValueRange from, ValueRange to);
  SmallVector<Value> lookupNext(const IRMapping &turn);

  Extent emit(OpBuilder &b, Operation *op);
  Extent emitBlock(OpBuilder &b, Block &block);
  Extent emitIf(OpBuilder &b, scf::IfOp op);
  Extent emitWhile(OpBuilder &b, scf::WhileOp op);
  void addArguments(Block *block, ValueRange arguments);
  Extent extentOf(OpBuilder &b, ValueRange addresses);
  Extent extentOf(OpBuilder &b, scf::WhileOp op, const LoadPlace &place);
  SmallVector<LoadPlace> placesOf(scf::WhileOp op);

  Value areApart(OpBuilder &b, Extent loaded);
  void emitRest(OpBuilder &b, unsigned number);
  SmallVector<Value> emitRests(OpBuilder &b);
  void findLastStart(OpBuilder &b);
  Value isLess(OpBuilder &b, Value small, Value large, ScalarType type);
  Value hasGroup(OpBuilder &b, Value first);
  scf::WhileOp emitGroups(OpBuilder &b);

  Value number(OpBuilder &b, int64_t value) {
    return arith::ConstantIntOp::create(b, loop.getLoc(), value, 64);
  }
  Extent join(OpBuilder &b, Extent a, Extent other);

  const OuterLoop &outer;
  scf::WhileOp loop;
  SmallVector<IRMapping> turns; ///< the values of the turns of a group
  Value lastStart;              ///< a group may begin at what is less
  Ends loadEnds;
};

} // namespace

//===----------------------------------------------------------------------===//
// Values of all turns
//===----------------------------------------------------------------------===//

/// The values of all turns for what varies; else one for all of them.
SmallVector<Value> Jam::lookupAll(ValueRange values, ValueRange varied) const {
  SmallVector<Value> all;
  for (auto [value, decides] : llvm::zip_equal(values, varied))
    for (const IRMapping &turn : turns) {
      all.push_back(turn.lookupOrDefault(value));
      if (!varies(decides))
        break;
    }
  return all;
}

SmallVector<Type> Jam::typesFor(ValueRange values) const {
  SmallVector<Type> types;
  for (Value value : values)
    types.append(varies(value) ? turns.size() : 1, value.getType());
  return types;
}

/// Maps values to what lookupAll made of them, at the beginning of `to`.
void Jam::map(ValueRange from, ValueRange to) {
  for (Value value : from)
    for (auto [i, turn] : llvm::enumerate(turns)) {
      turn.map(value, to.front());
      if (varies(value) || i + 1 == turns.size())
        to = to.drop_front();
    }
}

/// What the turn passes on, in the order of the loop's arguments.
SmallVector<Value> Jam::lookupNext(const IRMapping &turn) {
  SmallVector<Value> next;
  for (Value yielded : loop.getYieldOp().getOperands())
    next.push_back(turn.lookupOrDefault(
        getPassedOn(loop, cast<BlockArgument>(yielded).getArgNumber())));
  return next;
}

Extent Jam::join(OpBuilder &b, Extent a, Extent other) {
  if (!a || !other)
    return a ? a : other;
  Location loc = loop.getLoc();
  Type i64 = b.getI64Type();
  return {MinIntOp::create(b, loc, i64, a.low, other.low, ScalarType::S64),
          MaxIntOp::create(b, loc, i64, a.high, other.high, ScalarType::S64)};
}

Value Jam::isLess(OpBuilder &b, Value small, Value large, ScalarType type) {
  return SetpOp::create(b, loop.getLoc(), b.getI1Type(), small, large, Value(),
                        type, Compare::LT, BoolOpAttr(), /*ftz=*/false)
      .getP()
      .front();
}

//===----------------------------------------------------------------------===//
// Fronts side by side
//===----------------------------------------------------------------------===//

/// Emits an op of the front for all turns. \returns the addresses that it
/// loads from, if the turns store.
Extent Jam::emit(OpBuilder &b, Operation *op) {
  if (outer.isJammed(op)) {
    OpBuilder::InsertionGuard guard(b);
    if (auto choice = dyn_cast<scf::IfOp>(op))
      return emitIf(b, choice);
    return emitWhile(b, cast<scf::WhileOp>(op));
  }
  if (outer.varies(op)) {
    for (IRMapping &turn : turns)
      b.clone(*op, turn);
  } else {
    Operation *copy = b.clone(*op, turns.front());
    map(op->getResults(), copy->getResults());
  }
  auto load = dyn_cast<LdOp>(op);
  if (!load || outer.getStores().empty())
    return {};
  loadEnds.add(load.getOffset(),
               bytesOf(elementOf(load)) * int64_t(load.getD().size()));
  if (op->getParentOfType<scf::WhileOp>() != loop)
    return {}; // emitWhile knows
  return extentOf(b, lookupAll(load.getA(), load.getA()));
}

Extent Jam::extentOf(OpBuilder &b, ValueRange addresses) {
  Extent all;
  for (Value address : addresses)
    all = join(b, all, {address, address});
  return all;
}

Extent Jam::emitBlock(OpBuilder &b, Block &block) {
  Extent all;
  for (Operation &op : block.without_terminator())
    all = join(b, all, emit(b, &op));
  return all;
}

Extent Jam::emitIf(OpBuilder &b, scf::IfOp op) {
  Location loc = op.getLoc();
  SmallVector<Type> types = typesFor(op.getResults());
  bool hasExtent = !outer.getStores().empty();
  if (hasExtent)
    types.append(2, b.getI64Type());
  auto choice = scf::IfOp::create(
      b, loc, types, turns.front().lookupOrDefault(op.getCondition()),
      /*addThenBlock=*/true, /*addElseBlock=*/true);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), choice->getRegions())) {
    b.setInsertionPointToStart(&to.front());
    SmallVector<Value> results;
    Extent extent;
    if (!from.empty()) {
      extent = emitBlock(b, from.front());
      results = lookupAll(from.front().getTerminator()->getOperands(),
                          op.getResults());
    }
    if (hasExtent && !extent)
      extent = {number(b, INT64_MAX), number(b, INT64_MIN)};
    if (hasExtent)
      results.append({extent.low, extent.high});
    scf::YieldOp::create(b, loc, results);
  }
  map(op.getResults(), choice.getResults());
  if (!hasExtent)
    return {};
  return {choice.getResults().end()[-2], choice.getResults().back()};
}

/// Appends the values of all turns as arguments of a block.
void Jam::addArguments(Block *block, ValueRange arguments) {
  SmallVector<Type> types = typesFor(arguments);
  block->addArguments(types,
                      SmallVector<Location>(types.size(), loop.getLoc()));
  map(arguments, block->getArguments());
}

/// Where the loads of an inner loop read, each place once, if turns store.
SmallVector<LoadPlace> Jam::placesOf(scf::WhileOp op) {
  SmallVector<LoadPlace> places;
  if (outer.getStores().empty())
    return places;
  for (LdOp load : op.getBeforeBody()->getOps<LdOp>()) {
    LoadPlace place = *findPlace(load, op);
    if (llvm::none_of(places, [&](const LoadPlace &other) {
          return other.isSame(place);
        }))
      places.push_back(std::move(place));
  }
  return places;
}

Extent Jam::emitWhile(OpBuilder &b, scf::WhileOp op) {
  Location loc = op.getLoc();
  // The pointers of loads as they are behind the loop are results, too.
  SmallVector<LoadPlace> places = placesOf(op);
  SmallVector<Value> moving;
  for (const LoadPlace &place : places)
    if (place.induction)
      moving.push_back(place.induction->getNext());
  SmallVector<Type> types = typesFor(op.getResults());
  llvm::append_range(types, typesFor(moving));
  auto jammed = scf::WhileOp::create(
      b, loc, types, lookupAll(op.getInits(), op.getBeforeArguments()));
  b.createBlock(&jammed.getBefore());
  addArguments(jammed.getBeforeBody(), op.getBeforeArguments());
  emitBlock(b, *op.getBeforeBody());
  scf::ConditionOp test = op.getConditionOp();
  SmallVector<Value> results = lookupAll(test.getArgs(), op.getResults());
  llvm::append_range(results, lookupAll(moving, moving));
  scf::ConditionOp::create(
      b, loc, turns.front().lookupOrDefault(test.getCondition()), results);
  b.createBlock(&jammed.getAfter());
  addArguments(jammed.getAfterBody(), op.getAfterArguments());
  for (Type type : typesFor(moving))
    jammed.getAfterBody()->addArgument(type, loc);
  scf::YieldOp::create(
      b, loc,
      lookupAll(op.getYieldOp().getOperands(), op.getBeforeArguments()));
  b.setInsertionPointAfter(jammed);
  map(op.getResults(), jammed.getResults());
  map(moving, jammed.getResults().drop_front(typesFor(op.getResults()).size()));
  Extent all;
  for (const LoadPlace &place : places)
    all = join(b, all, extentOf(b, op, place));
  return all;
}

/// The addresses of a place in all turns of the inner loop, which has ended.
Extent Jam::extentOf(OpBuilder &b, scf::WhileOp op, const LoadPlace &place) {
  if (!place.induction)
    return extentOf(b, lookupAll(place.address, place.address));
  SmallVector<Value> ends;
  for (const IRMapping &turn : turns) {
    for (Value end : {Value(op.getInits()[place.induction->argument]),
                      place.induction->getNext()}) {
      Value address = turn.lookupOrDefault(end);
      for (Value added : place.added)
        address =
            AddIntOp::create(b, op.getLoc(), b.getI64Type(), address,
                             turn.lookupOrDefault(added), ScalarType::S64);
      ends.push_back(address);
    }
    if (!varies(place.address))
      break;
  }
  return extentOf(b, ends);
}

//===----------------------------------------------------------------------===//
// Rests one after another
//===----------------------------------------------------------------------===//

/// Whether no store of the group changes what its fronts have loaded.
Value Jam::areApart(OpBuilder &b, Extent loaded) {
  Location loc = loop.getLoc();
  Extent stored;
  Ends storeEnds;
  for (StOp store : outer.getStores()) {
    storeEnds.add(store.getOffset(),
                  bytesOf(elementOf(store)) * int64_t(store.getB().size()));
    for (Value address : lookupAll(store.getA(), store.getA()))
      stored = join(b, stored, {address, address});
  }
  auto isBehind = [&](Extent extent, int64_t front, Extent other,
                      int64_t behind) {
    Value last =
        AddIntOp::create(b, loc, b.getI64Type(), other.high,
                         number(b, behind - front - 1), ScalarType::S64);
    return isLess(b, last, extent.low, ScalarType::S64);
  };
  Value either = arith::OrIOp::create(
      b, loc, isBehind(loaded, loadEnds.front, stored, storeEnds.behind),
      isBehind(stored, storeEnds.front, loaded, loadEnds.behind));
  return AllOp::create(b, loc, b.getI1Type(), either);
}

void Jam::emitRest(OpBuilder &b, unsigned number) {
  IRMapping &turn = turns[number];
  if (number)
    for (auto [argument, value] : llvm::zip_equal(
             loop.getBeforeArguments(), lookupNext(turns[number - 1])))
      if (!turn.contains(argument))
        turn.map(argument, value);
  for (Operation *op : outer.getRest())
    b.clone(*op, turn);
}

/// \returns what the loop does behind the group: the arguments of the next
/// turn, the loop's results, and whether there is a next turn.
SmallVector<Value> Jam::emitRests(OpBuilder &b) {
  for (unsigned i = 0; i < turns.size(); ++i)
    emitRest(b, i);
  scf::ConditionOp test = loop.getConditionOp();
  const IRMapping &last = turns.back();
  SmallVector<Value> handed = lookupNext(last);
  for (Value value : test.getArgs())
    handed.push_back(last.lookupOrDefault(value));
  handed.push_back(last.lookupOrDefault(test.getCondition()));
  return handed;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Sets what the counter of a group's first turn has to be less than, so that
/// the others are turns of the loop, too: the limit, less what the counter
/// grows by in the group.
void Jam::findLastStart(OpBuilder &b) {
  Location loc = loop.getLoc();
  const Bound &bound = outer.getBound();
  unsigned width = bound.width();
  APInt way = outer.getStep().zextOrTrunc(width) * (turns.size() - 1) -
              unsigned(bound.isInclusive);
  APInt least = bound.isSigned() ? APInt::getSignedMinValue(width)
                                 : APInt::getZero(width);
  auto constant = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(bound.limit.getType(), value));
  };
  Value isFar = arith::CmpIOp::create(
      b, loc, bound.isSigned() ? CmpIPredicate::sge : CmpIPredicate::uge,
      bound.limit, constant(least + way));
  lastStart = arith::SelectOp::create(
      b, loc, isFar, arith::SubIOp::create(b, loc, bound.limit, constant(way)),
      constant(least));
}

/// Whether a group may begin in all lanes.
Value Jam::hasGroup(OpBuilder &b, Value first) {
  return AllOp::create(b, loop.getLoc(), b.getI1Type(),
                       isLess(b, first, lastStart, outer.getBound().type));
}

/// What a loop hands on that has not made its turn.
static SmallVector<Value> handOnNothing(OpBuilder &b, scf::WhileOp loop,
                                        ValueRange arguments) {
  SmallVector<Value> handed(arguments);
  for (Type type : loop.getResultTypes())
    handed.push_back(UndefOp::create(b, loop.getLoc(), type));
  handed.push_back(arith::ConstantIntOp::create(b, loop.getLoc(), 1, 1));
  return handed;
}

/// Emits the loop over groups. It hands on what emitRests returns.
scf::WhileOp Jam::emitGroups(OpBuilder &b) {
  OpBuilder::InsertionGuard guard(b);
  Location loc = loop.getLoc();
  SmallVector<Type> types(loop.getInits().getTypes());
  SmallVector<Type> results = types;
  llvm::append_range(results, loop.getResultTypes());
  results.push_back(b.getI1Type());
  auto groups = scf::WhileOp::create(b, loc, results, loop.getInits());
  SmallVector<Location> locs(results.size(), loc);
  Block *before = b.createBlock(&groups.getBefore(), {}, types,
                                ArrayRef(locs).take_front(types.size()));

  turns.front().map(loop.getBeforeArguments(), before->getArguments());
  for (unsigned i = 1; i < turns.size(); ++i)
    for (const Induction &induction : outer.getInductions()) {
      for (AddIntOp addition : induction.additions)
        b.clone(*addition, turns[i - 1]);
      turns[i].map(loop.getBeforeArguments()[induction.argument],
                   turns[i - 1].lookup(induction.getNext()));
    }
  Extent loaded;
  for (Operation *op : outer.getFront())
    loaded = join(b, loaded, emit(b, op));
  SmallVector<Value> handed;
  Value isApart;
  if (loaded) {
    isApart = areApart(b, loaded);
    auto choice = scf::IfOp::create(b, loc, results, isApart,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    b.setInsertionPointToEnd(choice.elseBlock());
    scf::YieldOp::create(b, loc,
                         handOnNothing(b, loop, before->getArguments()));
    b.setInsertionPointToEnd(choice.thenBlock());
    scf::YieldOp::create(b, loc, emitRests(b));
    b.setInsertionPointAfter(choice);
    llvm::append_range(handed, choice.getResults());
  } else {
    handed = emitRests(b);
  }
  Value isNext = hasGroup(b, handed[outer.getCounter().argument]);
  if (isApart)
    isNext = arith::AndIOp::create(b, loc, isApart, isNext);
  scf::ConditionOp::create(b, loc, isNext, handed);

  Block *after = b.createBlock(&groups.getAfter(), {}, results, locs);
  scf::YieldOp::create(b, loc, after->getArguments().take_front(types.size()));
  return groups;
}

void Jam::build() {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  findLastStart(b);
  Value begins = hasGroup(b, loop.getInits()[outer.getCounter().argument]);
  scf::WhileOp groups = emitGroups(b);
  auto first = scf::IfOp::create(b, loc, groups.getResultTypes(), begins,
                                 /*addThenBlock=*/true, /*addElseBlock=*/true);
  first->setAttr(kUnmaskedAttr, b.getUnitAttr());
  groups->moveBefore(first.thenBlock(), first.thenBlock()->end());
  b.setInsertionPointToEnd(first.thenBlock());
  scf::YieldOp::create(b, loc, groups.getResults());
  b.setInsertionPointToEnd(first.elseBlock());
  scf::YieldOp::create(b, loc, handOnNothing(b, loop, loop.getInits()));

  // The original makes the turns that are left.
  b.setInsertionPointAfter(first);
  size_t numArguments = loop.getInits().size();
  auto left = scf::IfOp::create(b, loc, loop.getResultTypes(),
                                first.getResults().back(),
                                /*addThenBlock=*/true, /*addElseBlock=*/true);
  loop->replaceAllUsesWith(left);
  loop->moveBefore(left.thenBlock(), left.thenBlock()->end());
  loop.getInitsMutable().assign(first.getResults().take_front(numArguments));
  b.setInsertionPointToEnd(left.thenBlock());
  scf::YieldOp::create(b, loc, loop.getResults());
  b.setInsertionPointToEnd(left.elseBlock());
  scf::YieldOp::create(b, loc,
                       first.getResults().drop_front(numArguments).drop_back());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct JamLoopsPass : public ptxjit::impl::JamLoopsPassBase<JamLoopsPass> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    auto target = requireTarget();
    if (failed(target))
      return signalPassFailure();
    if (!func.isStructured() || target->perThread || target->chunk == 1)
      return;
    SmallVector<OuterLoop, 0> found;
    func.walk([&](scf::WhileOp loop) {
      if (auto outer = OuterLoop::find(loop))
        found.push_back(std::move(*outer));
    });
    if (found.empty())
      return;
    // Shapes are those of the ops that are there now.
    SmallVector<scf::WhileOp> loops;
    ShapeAnalysis shapes(func, target->getShapeContext());
    for (const OuterLoop &outer : found)
      if (outer.sharesLoads(shapes))
        loops.push_back(outer.getLoop());
    SmallVector<Operation *> jammed;
    for (scf::WhileOp loop : loops) {
      // Inner loops come first, and those around them are left alone.
      if (llvm::any_of(jammed, [&](Operation *inner) {
            return loop->isProperAncestor(inner);
          }))
        continue;
      // The loops before have handed on other values since.
      std::optional<OuterLoop> outer = OuterLoop::find(loop);
      assert(outer && "other values do not change the form of a loop");
      Jam(*outer, kTurns).build();
      jammed.push_back(loop);
    }
    remarkCounts(func, "ptx-jam-loops", {{"loops jammed", jammed.size()}});
  }
};
} // namespace
