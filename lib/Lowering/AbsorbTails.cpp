//===- AbsorbTails.cpp - go on at once behind a waiting loop --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each rewrite keeps what a single thread does, in the same order. Whether the
// lanes of the result may run in lockstep is for the analysis to say
// (Waiting.h). If they may not, the kernel runs thread by thread as before.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "ptxjit/Analysis/ExecutionMode.h"
#include "ptxjit/Analysis/Waiting.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/DebugLog.h"

#define DEBUG_TYPE "absorb-tails"

namespace ptxjit {
#define GEN_PASS_DEF_ABSORBTAILSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// The most loops of a kernel that are changed, which bounds compile time.
static constexpr unsigned kMostRounds = 16;

//===----------------------------------------------------------------------===//
// Rewrites of one loop
//===----------------------------------------------------------------------===//

static SmallVector<Value> makeUndefs(OpBuilder &b, Location loc,
                                     TypeRange types) {
  SmallVector<Value> values;
  for (Type type : types)
    values.push_back(UndefOp::create(b, loc, type));
  return values;
}

/// Moves the ops in front of `end` to the end of `to`.
static void moveOps(Block &from, Block::iterator begin, Block::iterator end,
                    Block &to) {
  to.getOperations().splice(to.end(), from.getOperations(), begin, end);
}

static SmallVector<Value> join(ValueRange a, ValueRange b, ValueRange c = {}) {
  SmallVector<Value> all(a);
  llvm::append_range(all, b);
  llvm::append_range(all, c);
  return all;
}

/// The results of ops from `begin` to `end` that have uses outside of them.
static SmallVector<Value> findLiveOut(Block::iterator begin,
                                      Block::iterator end) {
  Block *block = begin->getBlock();
  DenseSet<Operation *> inside;
  for (Operation &op : llvm::make_range(begin, end))
    inside.insert(&op);
  SmallVector<Value> live;
  for (Operation &op : llvm::make_range(begin, end))
    for (Value result : op.getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !inside.contains(block->findAncestorOpInBlock(*user));
          }))
        live.push_back(result);
  return live;
}

/// Replaces values outside of `owner` by those that it yields for them.
static void replaceOutside(ArrayRef<Value> from, ValueRange to,
                           Operation *owner) {
  for (auto [i, value] : llvm::enumerate(from))
    Value(value).replaceUsesWithIf(to[i], [&](OpOperand &use) {
      return !owner->isProperAncestor(use.getOwner());
    });
}

/// Lets `loop` yield `more` values, which are defined at the end of its
/// "before" region.
static scf::WhileOp addResults(scf::WhileOp loop, ValueRange more) {
  if (more.empty())
    return loop;
  OpBuilder b(loop);
  SmallVector<Type> types(loop.getResultTypes());
  llvm::append_range(types, more.getTypes());
  auto wider = scf::WhileOp::create(b, loop.getLoc(), types, loop.getInits());
  wider.getBefore().takeBody(loop.getBefore());
  wider.getAfter().takeBody(loop.getAfter());
  for (Value value : more)
    wider.getAfterBody()->addArgument(value.getType(), value.getLoc());
  wider.getConditionOp().getArgsMutable().append(more);
  loop->replaceAllUsesWith(wider.getResults().take_front(loop.getNumResults()));
  loop.erase();
  return wider;
}

/// May `op` be executed earlier? (The parameters of a kernel never change.)
static bool isTimeless(Operation *op) {
  auto load = dyn_cast<LdOp>(op);
  return isMemoryEffectFree(op) || (load && load.getSpace() == Space::Param);
}

/// Moves ops in front of `loop` that stand behind it, up to `last`, but do not
/// depend on it. Inside of it, their results would count as values that differ
/// from lane to lane.
static void hoist(scf::WhileOp loop, Operation *last) {
  DenseSet<Operation *> stays = {loop};
  auto dependsOnLoop = [&](Operation *op) {
    return op
        ->walk([&](Operation *inner) {
          for (Value operand : inner->getOperands())
            if (Operation *source = operand.getDefiningOp();
                source && stays.contains(source))
              return WalkResult::interrupt();
          return WalkResult::advance();
        })
        .wasInterrupted();
  };
  auto begin = std::next(Block::iterator(loop)),
       end = std::next(Block::iterator(last));
  for (Operation &op :
       llvm::make_early_inc_range(llvm::make_range(begin, end))) {
    if (isTimeless(&op) && !dependsOnLoop(&op))
      op.moveBefore(loop);
    else
      stays.insert(&op);
  }
}

/// Moves the ops behind `loop`, up to `last`, into its last iteration.
static scf::WhileOp absorb(scf::WhileOp loop, Operation *last) {
  Operation *behind = last->getNextNode();
  hoist(loop, last);
  auto begin = std::next(Block::iterator(loop)), end = Block::iterator(behind);
  if (begin == end)
    return loop;
  SmallVector<Value> live = findLiveOut(begin, end);
  scf::ConditionOp condition = loop.getConditionOp();
  OpBuilder b(condition);
  Location loc = loop.getLoc();
  Value leaves =
      arith::XOrIOp::create(b, loc, condition.getCondition(),
                            arith::ConstantIntOp::create(b, loc, 1, 1));
  auto tail = scf::IfOp::create(b, loc, ValueRange(live).getTypes(), leaves,
                                /*addThenBlock=*/true,
                                /*addElseBlock=*/!live.empty());
  moveOps(*loop->getBlock(), begin, end, *tail.thenBlock());
  for (auto [result, arg] : llvm::zip(loop.getResults(), condition.getArgs()))
    result.replaceUsesWithIf(arg, [&](OpOperand &use) {
      return tail->isProperAncestor(use.getOwner());
    });
  scf::WhileOp wider = addResults(loop, tail.getResults());
  replaceOutside(live, wider.getResults().take_back(live.size()), tail);
  b.setInsertionPointToEnd(tail.thenBlock());
  scf::YieldOp::create(b, loc, live);
  if (!live.empty()) {
    b.setInsertionPointToEnd(tail.elseBlock());
    scf::YieldOp::create(b, loc,
                         makeUndefs(b, loc, ValueRange(live).getTypes()));
  }
  return wider;
}

namespace {
/// Moves a loop out of the conditional whose last op it is:
///
///     if (c) { A; loop { body } } else { E }
///
/// becomes
///
///     if (c) { A } else { E }; loop { if (c) { body } else { leave } }
class LiftLoop {
public:
  LiftLoop(scf::IfOp ifOp, scf::WhileOp loop)
      : ifOp(ifOp), loop(loop), side(loop->getBlock()),
        inThen(side == ifOp.thenBlock()), loc(loop.getLoc()), b(ifOp) {}

  scf::WhileOp run() {
    numInits = loop.getInits().size();
    captured = findLiveOut(side->begin(), Block::iterator(loop));
    splitFront();
    guardBody();
    replaceResults();
    return loop;
  }

private:
  /// An `scf.if` with the condition, and its blocks for the lanes of the loop
  /// and for the others.
  struct Split {
    scf::IfOp op;
    Block *mine, *other;
  };
  Split makeSplit(TypeRange types) {
    auto op = scf::IfOp::create(b, loc, types, ifOp.getCondition(),
                                /*addThenBlock=*/true, /*addElseBlock=*/true);
    Block *then = op.thenBlock(), *otherwise = op.elseBlock();
    return {op, inThen ? then : otherwise, inThen ? otherwise : then};
  }

  /// What stands in front of the loop, and the other region.
  void splitFront() {
    SmallVector<Value> needed = join(loop.getInits(), captured);
    SmallVector<Type> types(ValueRange(needed).getTypes());
    llvm::append_range(types, ifOp.getResultTypes());
    front = makeSplit(types);
    Region &rest = inThen ? ifOp.getElseRegion() : ifOp.getThenRegion();
    SmallVector<Value> otherResults;
    if (!rest.empty()) {
      Operation *yield = rest.front().getTerminator();
      otherResults.assign(yield->operand_begin(), yield->operand_end());
      moveOps(rest.front(), rest.front().begin(), Block::iterator(yield),
              *front.other);
    }
    moveOps(*side, side->begin(), Block::iterator(loop), *front.mine);
    b.setInsertionPointToEnd(front.mine);
    scf::YieldOp::create(
        b, loc, join(needed, makeUndefs(b, loc, ifOp.getResultTypes())));
    b.setInsertionPointToEnd(front.other);
    scf::YieldOp::create(
        b, loc,
        join(makeUndefs(b, loc, ValueRange(needed).getTypes()), otherResults));
    replaceOutside(
        captured,
        front.op.getResults().drop_front(numInits).take_front(captured.size()),
        front.op);
  }

  /// Moves the loop, with its body under the condition.
  void guardBody() {
    loop->moveAfter(front.op);
    loop.getInitsMutable().assign(front.op.getResults().take_front(numInits));
    scf::ConditionOp condition = loop.getConditionOp();
    Block &before = *loop.getBeforeBody();
    SmallVector<Type> types = {b.getI1Type()};
    llvm::append_range(types, condition.getArgs().getTypes());
    b.setInsertionPoint(condition);
    Split body = makeSplit(types);
    moveOps(before, before.begin(), Block::iterator(body.op), *body.mine);
    b.setInsertionPointToEnd(body.mine);
    scf::YieldOp::create(b, loc,
                         join(condition.getCondition(), condition.getArgs()));
    b.setInsertionPointToEnd(body.other);
    Value leave = arith::ConstantIntOp::create(b, loc, 0, 1);
    scf::YieldOp::create(
        b, loc,
        join(leave, makeUndefs(b, loc, condition.getArgs().getTypes())));
    condition->setOperands(body.op.getResults());
  }

  void replaceResults() {
    b.setInsertionPointAfter(loop);
    Operation *yield = side->getTerminator();
    ValueRange others = front.op.getResults().take_back(ifOp.getNumResults());
    for (auto [i, result] : llvm::enumerate(ifOp.getResults())) {
      Value mine = yield->getOperand(i), other = others[i];
      result.replaceAllUsesWith(arith::SelectOp::create(
          b, loc, ifOp.getCondition(), inThen ? mine : other,
          inThen ? other : mine));
    }
    ifOp.erase();
  }

  scf::IfOp ifOp;
  scf::WhileOp loop;
  Block *side; ///< the region of `ifOp` that holds the loop
  bool inThen;
  Location loc;
  OpBuilder b;
  size_t numInits = 0;
  /// Values from in front of the loop that it or the results use.
  SmallVector<Value> captured;
  Split front = {};
};
} // namespace

namespace {
/// Makes one loop of two, so that a lane which leaves the inner one goes on
/// with the next iteration of the outer one while other lanes are still inside:
///
///     do { A; do { body } while (stay); B } while (more)
///
/// becomes
///
///     do { if (fresh) { A }; body; if (!stay) { B; fresh = true } ... }
///     while (stay || more)
class MergeLoops {
public:
  MergeLoops(scf::WhileOp outer, scf::WhileOp inner)
      : outer(outer), inner(inner), loc(inner.getLoc()), b(outer) {}

  scf::WhileOp run() {
    captured =
        findLiveOut(outer.getBeforeBody()->begin(), Block::iterator(inner));
    makeLoop();
    beginIteration();
    takeBody();
    endIteration();
    outer.replaceAllUsesWith(
        merged.getResults().take_back(outer.getNumResults()));
    outer.erase();
    return merged;
  }

private:
  // What the merged loop carries: whether an outer iteration begins, the
  // arguments of the outer loop, those of the inner loop, and `captured`.
  static SmallVector<Type> typesOf(ValueRange values) {
    return SmallVector<Type>(values.getTypes());
  }

  void makeLoop() {
    numOuter = outer.getInits().size();
    numInner = inner.getInits().size();
    SmallVector<Value> kept = join(inner.getInits(), captured);
    SmallVector<Value> inits = {arith::ConstantIntOp::create(b, loc, 1, 1)};
    llvm::append_range(inits, outer.getInits());
    llvm::append_range(inits, makeUndefs(b, loc, ValueRange(kept).getTypes()));
    SmallVector<Type> carried = typesOf(inits), results = carried;
    llvm::append_range(results, outer.getResultTypes());
    merged = scf::WhileOp::create(b, outer.getLoc(), results, inits);
    auto addBlock = [&](Region &region, TypeRange types) {
      Block &block = region.emplaceBlock();
      block.addArguments(types, SmallVector<Location>(types.size(), loc));
      return &block;
    };
    before = addBlock(merged.getBefore(), carried);
    Block *after = addBlock(merged.getAfter(), results);
    b.setInsertionPointToEnd(after);
    scf::YieldOp::create(
        b, loc, ValueRange(after->getArguments()).take_front(carried.size()));
    for (auto [from, to] : llvm::zip(outer.getBeforeArguments(),
                                     before->getArguments().slice(1, numOuter)))
      from.replaceAllUsesWith(to);
  }

  /// What stands in front of the inner loop, if an outer iteration begins.
  void beginIteration() {
    SmallVector<Value> kept = join(inner.getInits(), captured);
    b.setInsertionPointToEnd(before);
    start = scf::IfOp::create(b, loc, ValueRange(kept).getTypes(),
                              before->getArgument(0), /*addThenBlock=*/true,
                              /*addElseBlock=*/true);
    Block *old = outer.getBeforeBody();
    moveOps(*old, old->begin(), Block::iterator(inner), *start.thenBlock());
    b.setInsertionPointToEnd(start.thenBlock());
    scf::YieldOp::create(b, loc, kept);
    b.setInsertionPointToEnd(start.elseBlock());
    scf::YieldOp::create(
        b, loc, ValueRange(before->getArguments()).drop_front(1 + numOuter));
    replaceOutside(captured, start.getResults().drop_front(numInner), start);
  }

  /// One iteration of the inner loop.
  void takeBody() {
    for (auto [from, to] : llvm::zip(inner.getBeforeArguments(),
                                     start.getResults().take_front(numInner)))
      from.replaceAllUsesWith(to);
    Block *body = inner.getBeforeBody();
    moveOps(*body, body->begin(), std::prev(body->end()), *before);
  }

  /// The values that a loop carries on to its next iteration.
  static SmallVector<Value> nextOf(scf::WhileOp loop) {
    SmallVector<Value> next;
    for (Value value : loop.getYieldOp().getOperands())
      next.push_back(loop.getConditionOp()
                         .getArgs()[cast<BlockArgument>(value).getArgNumber()]);
    return next;
  }

  void endIteration() {
    scf::ConditionOp stays = inner.getConditionOp(),
                     more = outer.getConditionOp();
    SmallVector<Type> types = {b.getI1Type()};
    llvm::append_range(types, merged.getResultTypes());
    b.setInsertionPointToEnd(before);
    auto end = scf::IfOp::create(b, loc, types, stays.getCondition(),
                                 /*addThenBlock=*/true, /*addElseBlock=*/true);
    yieldStaying(end.thenBlock());
    for (auto [result, arg] : llvm::zip(inner.getResults(), stays.getArgs()))
      result.replaceAllUsesWith(arg);
    Block *old = outer.getBeforeBody();
    moveOps(*old, std::next(Block::iterator(inner)), Block::iterator(more),
            *end.elseBlock());
    b.setInsertionPointToEnd(end.elseBlock());
    SmallVector<Value> onward = {more.getCondition(),
                                 arith::ConstantIntOp::create(b, loc, 1, 1)};
    llvm::append_range(onward, nextOf(outer));
    llvm::append_range(onward, makeUndefs(b, loc, start.getResultTypes()));
    llvm::append_range(onward, more.getArgs());
    scf::YieldOp::create(b, loc, onward);
    b.setInsertionPointToEnd(before);
    scf::ConditionOp::create(b, loc, end.getResult(0),
                             end.getResults().drop_front());
  }

  /// Ends the iteration of a lane that stays in the inner loop.
  void yieldStaying(Block *block) {
    b.setInsertionPointToEnd(block);
    SmallVector<Value> onward = {arith::ConstantIntOp::create(b, loc, 1, 1),
                                 arith::ConstantIntOp::create(b, loc, 0, 1)};
    llvm::append_range(onward, before->getArguments().slice(1, numOuter));
    llvm::append_range(onward, nextOf(inner));
    llvm::append_range(onward, start.getResults().drop_front(numInner));
    llvm::append_range(onward, makeUndefs(b, loc, outer.getResultTypes()));
    scf::YieldOp::create(b, loc, onward);
  }

  scf::WhileOp outer, inner, merged;
  Location loc;
  OpBuilder b;
  size_t numOuter = 0, numInner = 0;
  /// Values from in front of the inner loop that are used in it or behind it.
  SmallVector<Value> captured;
  Block *before = nullptr; ///< of the merged loop
  scf::IfOp start;
};
} // namespace

//===----------------------------------------------------------------------===//
// What to move
//===----------------------------------------------------------------------===//

namespace {
/// What lanes do from an op on, to the end of its block.
struct Tail {
  Operation *last = nullptr; ///< the last op that may end a wait; null: none
  bool isMovable = true;     ///< all of it
};

struct AbsorbTailsPass
    : public ptxjit::impl::AbsorbTailsPassBase<AbsorbTailsPass> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    auto target = requireTarget();
    if (failed(target))
      return signalPassFailure();
    if (!func.getEntry() || !func.isStructured() || !waitsAnywhere(func) ||
        needsStacks(func)) // whose lanes never run in lockstep
      return;
    unsigned numLoops = 0;
    while (numLoops < kMostRounds && changeOne(func, target->getShapeContext()))
      ++numLoops;
    remarkCounts(func, "ptx-absorb-tails",
                 {{"loops whose tail moved into them", numLoops}});
  }

  static bool waitsAnywhere(FuncOp func) {
    return func
        .walk([](scf::WhileOp loop) {
          return waitsOnMemory(loop) ? WalkResult::interrupt()
                                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Changes one loop, if lanes may wait for each other in one, and it can be
  /// changed.
  static bool changeOne(FuncOp func, const ShapeContext &context) {
    ShapeAnalysis shapes(func, context);
    LaneWait wait = findLaneWait(func, shapes);
    auto inner = dyn_cast_if_present<scf::WhileOp>(wait.op);
    if (!inner)
      return false;
    // Lanes may have left any loop around the one in which the others wait.
    SmallVector<scf::WhileOp> loops = {inner};
    while (auto outer = loops.back()->getParentOfType<scf::WhileOp>())
      loops.push_back(outer);
    for (scf::WhileOp loop : llvm::reverse(loops)) {
      bool parts = !shapes.isUniform(loop.getConditionOp().getCondition());
      if ((parts || loop == inner) && absorbTail(loop, inner, shapes))
        return true;
    }
    return mergeWithOuter(inner);
  }

  /// Lanes that have left `inner` may release others in a later iteration of
  /// the loop around it.
  static bool mergeWithOuter(scf::WhileOp inner) {
    auto outer = inner->getParentOfType<scf::WhileOp>();
    if (!outer || meetsLanes(outer) || !testsLast(outer) || !testsLast(inner) ||
        !outer.getBefore().isAncestor(inner->getParentRegion()))
      return false;
    while (auto ifOp = dyn_cast<scf::IfOp>(inner->getParentOp())) {
      Operation *last = inner->getBlock()->getTerminator()->getPrevNode();
      if (last != inner)
        inner = absorb(inner, last);
      inner = LiftLoop(ifOp, inner).run();
    }
    LDBG() << "merged with the loop around it: the loop at " << inner.getLoc();
    MergeLoops(outer, inner).run();
    return true;
  }

  /// \param wait  the loop in which other lanes wait.
  static Tail findTail(Operation *op, scf::WhileOp wait,
                       const ShapeAnalysis &shapes) {
    Tail tail;
    for (; op && !op->hasTrait<OpTrait::IsTerminator>();
         op = op->getNextNode()) {
      tail.isMovable = !meetsLanes(op);
      if (!tail.isMovable)
        break;
      if (mayEndWait(wait, op, shapes))
        tail.last = op;
    }
    return tail;
  }

  /// May the other lanes at the conditional around `loop` do there what a lane
  /// in `wait` is waiting for? If the loop moves out, they do it before.
  static bool endsInOtherRegion(scf::IfOp ifOp, scf::WhileOp loop,
                                scf::WhileOp wait,
                                const ShapeAnalysis &shapes) {
    for (Region &region : ifOp->getRegions())
      if (!region.isAncestor(loop->getParentRegion()) && !region.empty())
        for (Operation &op : region.front())
          if (mayEndWait(wait, &op, shapes))
            return true;
    return false;
  }

  /// Moves what lanes do behind `loop` into it, as far as a lane in `wait` may
  /// be waiting for it. \returns whether anything changed.
  static bool absorbTail(scf::WhileOp loop, scf::WhileOp wait,
                         const ShapeAnalysis &shapes) {
    bool changed = false;
    while (true) {
      Tail tail = findTail(loop->getNextNode(), wait, shapes);
      auto ifOp = dyn_cast<scf::IfOp>(loop->getParentOp());
      bool lift = ifOp && tail.isMovable &&
                  (findTail(ifOp->getNextNode(), wait, shapes).last ||
                   endsInOtherRegion(ifOp, loop, wait, shapes));
      Operation *end = loop->getBlock()->getTerminator()->getPrevNode();
      Operation *last = lift ? end : tail.last;
      if (last && last != loop) {
        LDBG() << "goes on at once: the loop at " << loop.getLoc();
        bool isWait = loop == wait;
        loop = absorb(loop, last);
        wait = isWait ? loop : wait;
        changed = true;
      }
      if (!lift)
        return changed;
      loop = LiftLoop(ifOp, loop).run();
      changed = true;
    }
  }
};
} // namespace
