//===- Linearize.cpp - divergent control flow to masks --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the region tree with the mask of active lanes (null: all threads of the
// CTA). Invariant: where an op with effects runs, its mask has at least one
// lane, because a region that holds such an op is entered only if a lane is
// active. So uniform loads may be scalar, and loops may run their body before
// the test.
//
// Masks are combined as select(outer, inner, false). In lanes that are off the
// inner condition may be poison, which `and` would let through.
//
//===----------------------------------------------------------------------===//

#include "Linearize.h"
#include "LaneByLane.h"
#include "Loops.h"
#include "ptxjit/Analysis/SameInWarps.h"
#include "ptxjit/Analysis/ShapeText.h"
#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/SaveAndRestore.h"

#define DEBUG_TYPE "linearize"

namespace ptxjit {
#define GEN_PASS_DEF_LINEARIZEPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
/// The most ops of a region without effects and loops that runs without a test.
constexpr unsigned kInlineLimit = 24;
/// Ops that clones may add to a small kernel. They may add twice as many as a
/// larger kernel has. Without a limit, nested loops would be cloned again and
/// again.
constexpr unsigned kCloneFloor = 400;
constexpr StringLiteral kInTurn = "lane by lane, since most of it is gathers";

struct LinearizePass : public ptxjit::impl::LinearizePassBase<LinearizePass> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    if (func.isBodiless())
      return;
    if (!func.getBody().hasOneBlock()) {
      func.emitOpError("control flow is not structured");
      return signalPassFailure();
    }
    auto target = requireTarget();
    if (failed(target))
      return signalPassFailure();
    ShapeAnalysis analysis(func, target->getShapeContext());
    shapes = &analysis;
    numDivergentIfs = numDivergentLoops = numLaneLoops = numClones = 0;
    hasManyMasks = target->chunk == 4;
    mayRunInTurn = target->slowGathers && hasLoopsOfGathers(func);
    cloneBudget = std::max(kCloneFloor, 2 * countOps(func.getBody()));
    visitBlock(func.getBody().front(), Value());
    shapes = nullptr;
    originals.clear();
    for (Operation *op : discarded)
      op->destroy();
    discarded.clear();
    remarkCounts(func, "ptx-linearize",
                 {{"conditionals masked", numDivergentIfs},
                  {"loops masked", numDivergentLoops},
                  {"regions lane by lane", numLaneLoops},
                  {"clones without masks", numClones}});
  }

  void visitBlock(Block &block, Value mask) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visitOp(op, mask);
  }
  void visitOp(Operation &op, Value mask) {
    if (auto masked = dyn_cast<MaskedOpInterface>(op)) {
      if (mask)
        masked.setLaneMask(mask);
    } else if (auto all = dyn_cast<AllOp>(op)) {
      if (mask)
        all.getMaskMutable().assign(inActive(all, mask));
    } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
      if (Value known =
              pickKnown(select.getTrueValue(), select.getFalseValue())) {
        select.replaceAllUsesWith(known);
        discard(select);
      }
    } else if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
      visitIf(ifOp, mask);
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      visitWhile(loop, mask);
    }
  }

  /// The shape of a value. A clone has that of what it was cloned from.
  const Shape &shapeOf(Value value) const {
    return shapes->get(originals.lookup_or(value, value));
  }
  bool isUniform(Value value) const { return shapeOf(value).isUniform(); }
  void noteClone(Value from, Value to) {
    originals[to] = originals.lookup_or(from, from);
  }

  /// Does a condition compare places in the grid, such as `i < n`? On those all
  /// lanes of most warps agree. On what lanes have loaded they mostly do not.
  bool comparesPlaces(Value condition) const {
    SmallVector<Value> open = {condition};
    while (!open.empty()) {
      Operation *op = open.pop_back_val().getDefiningOp();
      if (!op || op->getNumRegions() || !isMemoryEffectFree(op))
        return false;
      for (Value v : op->getOperands()) {
        const Shape &shape = shapeOf(v);
        if (shape.hasBase() || shape.hasGroups() || shape.likely)
          continue;
        if (!v.getType().isInteger(1))
          return false;
        open.push_back(v);
      }
    }
    return true;
  }

  /// Reports what a divergent branch becomes.
  void tell(Operation *branch, Value condition, StringRef code) {
    LDBG() << branch->getLoc() << ": " << code;
    if (wantsRemarks(branch) && !isRare)
      remarkDecision(branch,
                     {kBranchRemark, ("divergent branch: " + code).str(), "",
                      explainVarying(*shapes, condition), /*missed=*/true});
  }

  bool pays(llvm::iterator_range<Block::iterator> ops) const {
    return paysLaneByLane(ops,
                          [&](Value v) -> const Shape & { return shapeOf(v); });
  }
  static llvm::iterator_range<Block::iterator> alone(scf::WhileOp loop) {
    Block::iterator self(loop);
    return {self, std::next(self)};
  }
  bool hasLoopsOfGathers(FuncOp func) const {
    auto find = [&](scf::WhileOp loop) {
      return pays(alone(loop)) ? WalkResult::interrupt()
                               : WalkResult::advance();
    };
    return func->walk(find).wasInterrupted();
  }
  bool runsLaneByLane(Region &region) const {
    return mayRunInTurn && !region.empty() &&
           pays(region.front().without_terminator());
  }

  /// The other one of two values, if one of them is undefined; else null.
  static Value pickKnown(Value a, Value b) {
    if (a.getDefiningOp<UndefOp>())
      return b;
    return b.getDefiningOp<UndefOp>() ? a : Value();
  }
  static Value falseValue(OpBuilder &b, Location loc) {
    return arith::ConstantIntOp::create(b, loc, 0, 1);
  }
  static Value both(OpBuilder &b, Location loc, Value outer, Value inner) {
    return outer ? Value(arith::SelectOp::create(b, loc, outer, inner,
                                                 falseValue(b, loc)))
                 : inner;
  }
  /// The operand of `all`, and true in lanes that are off.
  static Value inActive(AllOp all, Value mask) {
    OpBuilder b(all);
    Location loc = all.getLoc();
    return arith::SelectOp::create(b, loc, mask, all.getMask(),
                                   arith::ConstantIntOp::create(b, loc, 1, 1));
  }
  static Value negate(OpBuilder &b, Location loc, Value v) {
    return arith::XOrIOp::create(b, loc, v,
                                 arith::ConstantIntOp::create(b, loc, 1, 1));
  }

  //===--------------------------------------------------------------------===//
  // Conditionals
  //===--------------------------------------------------------------------===//

  static unsigned countOps(Region &region) {
    unsigned n = 0;
    region.walk([&](Operation *) { ++n; });
    return n;
  }
  /// May a region be cloned? If so, its ops are taken from the budget.
  bool mayClone(Region &region) {
    unsigned ops = countOps(region);
    if (ops > cloneLimit || ops > cloneBudget)
      return false;
    cloneBudget -= ops;
    return true;
  }
  static bool hasEffects(Region &region) {
    WalkResult result = region.walk([](Operation *op) {
      bool effect = isa<MaskedOpInterface, scf::WhileOp>(op) ||
                    (!op->getNumRegions() && !isMemoryEffectFree(op));
      return effect ? WalkResult::interrupt() : WalkResult::advance();
    });
    return result.wasInterrupted();
  }

  static bool hasLoopsOrStores(Region &region) {
    return region
        .walk([](Operation *op) {
          auto load = dyn_cast<LdOp>(op);
          bool isOneValue = load && load.getD().size() == 1;
          bool stores =
              !op->getNumRegions() && !isMemoryEffectFree(op) && !isOneValue;
          return stores || isa<scf::WhileOp>(op) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Leaves the second side of a conditional only.
  void takeElse(scf::IfOp op, Value mask) {
    Block &side = *op.elseBlock();
    visitBlock(side, mask);
    auto yield = op.elseYield();
    op.replaceAllUsesWith(yield.getOperands());
    yield.erase();
    op->getBlock()->getOperations().splice(op->getIterator(),
                                           side.getOperations());
    discard(op);
  }

  void visitIf(scf::IfOp op, Value mask) {
    if (mask && op->hasAttr(kUnmaskedAttr)) {
      takeElse(op, mask);
      return;
    }
    if (isUniform(op.getCondition())) {
      for (Region &region : op->getRegions()) {
        if (region.empty())
          continue;
        // The second form of a kernel that runs turn by turn is rare.
        bool second = op->hasAttr(kInTurnsAttr) && region.getRegionNumber();
        llvm::SaveAndRestore rare(isRare, isRare || second);
        llvm::SaveAndRestore budget(cloneBudget, isRare ? 0 : cloneBudget);
        visitBlock(region.front(), mask);
      }
      return;
    }
    numDivergentIfs += !op->hasAttr(kClonedAttr);
    if (!mask && (freeGridLoop(op) || cloneForAll(op)))
      return;
    if (llvm::any_of(op->getRegions(),
                     [&](Region &region) { return runsLaneByLane(region); }))
      tell(op, op.getCondition(), kInTurn);
    else if (!op->hasAttr(kClonedAttr)) // reported with its clone
      tell(op, op.getCondition(), "masked");
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value cond = op.getCondition();
    SmallVector<Value> thens =
        linearizeRegion(b, loc, op.getThenRegion(), both(b, loc, mask, cond),
                        op.getResultTypes());
    SmallVector<Value> elses;
    if (!op.getElseRegion().empty())
      elses = linearizeRegion(b, loc, op.getElseRegion(),
                              both(b, loc, mask, negate(b, loc, cond)),
                              op.getResultTypes());
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      Value known = pickKnown(thens[i], elses[i]);
      result.replaceAllUsesWith(known ? known
                                      : Value(arith::SelectOp::create(
                                            b, loc, cond, thens[i], elses[i])));
    }
    discard(op);
  }

  /// Moves the ops of a region to the builder, under a mask. A small region
  /// without effects runs always, any other one only if a lane is active, by a
  /// uniform test. \returns the values that the region yields.
  SmallVector<Value> linearizeRegion(OpBuilder &b, Location loc, Region &region,
                                     Value mask, TypeRange types) {
    Block &body = region.front();
    auto yield = cast<scf::YieldOp>(body.getTerminator());
    SmallVector<Value> yielded(yield.getOperands());
    if (body.without_terminator().empty())
      return yielded;
    if (runsLaneByLane(region)) {
      ++numLaneLoops;
      return SmallVector<Value>(
          runLaneByLane(b, loc, body.without_terminator(), mask, yielded));
    }
    bool bare = !hasEffects(region) && countOps(region) <= kInlineLimit;
    if (bare) {
      visitBlock(body, mask);
      yielded.assign(yield.operand_begin(), yield.operand_end());
      yield.erase();
      b.getInsertionBlock()->getOperations().splice(b.getInsertionPoint(),
                                                    body.getOperations());
      return yielded;
    }
    Value any = AnyOp::create(b, loc, b.getI1Type(), mask);
    auto guarded = scf::IfOp::create(b, loc, types, any,
                                     /*addThenBlock=*/false,
                                     /*addElseBlock=*/false);
    guarded.getThenRegion().takeBody(region);
    if (!types.empty()) {
      OpBuilder::InsertionGuard insertion(b);
      b.setInsertionPointToEnd(&guarded.getElseRegion().emplaceBlock());
      SmallVector<Value> zeros;
      for (Type type : types)
        zeros.push_back(arith::ConstantOp::create(
            b, loc, cast<TypedAttr>(b.getZeroAttr(type))));
      scf::YieldOp::create(b, loc, zeros);
    }
    visitBlock(guarded.getThenRegion().front(), mask);
    return SmallVector<Value>(guarded.getResults());
  }

  /// The condition of `if (i < n) {...}` around a whole kernel is mostly true
  /// in all lanes, and the code inside is up to twice as fast without masks. So
  /// this makes a clone without masks for that case. Conditionals on data are
  /// not cloned: nested ones would multiply the code. Nor are those around a
  /// few loads, which cost the same with masks, unless a warp has many.
  bool cloneForAll(scf::IfOp op) {
    if (op->hasAttr(kClonedAttr) || !comparesPlaces(op.getCondition()))
      return false;
    bool thenSide = hasEffects(op.getThenRegion());
    bool elseSide =
        !op.getElseRegion().empty() && hasEffects(op.getElseRegion());
    if (!thenSide && !elseSide)
      return false;
    // Clone the larger side: the inside of a grid rather than its border.
    if (thenSide && elseSide)
      thenSide = countOps(op.getThenRegion()) >= countOps(op.getElseRegion());
    Region &main = thenSide ? op.getThenRegion() : op.getElseRegion();
    if (!(hasManyMasks || hasLoopsOrStores(main)) || !mayClone(main))
      return false;
    ++numClones;
    tell(op, op.getCondition(),
         "without masks where all lanes go one way, else masked");
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value cond = op.getCondition();
    Value wanted = thenSide ? cond : negate(b, loc, cond);
    Value all = AllOp::create(b, loc, b.getI1Type(), wanted);
    auto choice = scf::IfOp::create(b, loc, op.getResultTypes(), all,
                                    /*addThenBlock=*/false,
                                    /*addElseBlock=*/false);
    choice->setAttr(kForAllAttr, b.getUnitAttr());
    IRMapping mapping;
    main.cloneInto(&choice.getThenRegion(), mapping);
    // Shapes are known for the original values; those of the clone are equal.
    for (auto [from, to] : mapping.getValueMap())
      noteClone(from, to);
    Block &other = choice.getElseRegion().emplaceBlock();
    b.setInsertionPointToEnd(&other);
    auto masked = cast<scf::IfOp>(op->clone());
    for (auto [from, to] : llvm::zip(op.getResults(), masked.getResults()))
      noteClone(from, to);
    // Move the original body, so that its shapes stay known.
    for (auto [from, to] : llvm::zip(op->getRegions(), masked->getRegions())) {
      to.dropAllReferences();
      to.getBlocks().clear();
      to.takeBody(from);
    }
    b.insert(masked);
    scf::YieldOp::create(b, loc, masked.getResults());
    masked->setAttr(kClonedAttr, b.getUnitAttr());
    op->replaceAllUsesWith(choice.getResults());
    discard(op);
    visitBlock(choice.getThenRegion().front(), Value());
    visitBlock(other, Value());
    return true;
  }

  /// Turns `if (i < n) for (...; i < n; ...)` around a loop over the grid into
  /// the loop with the entry mask `i < n`, so that the code of the loop is
  /// there twice, not three times. The ops beside the loop have no effects, and
  /// may run in all lanes.
  bool freeGridLoop(scf::IfOp op) {
    if (!comparesPlaces(op.getCondition()))
      return false;
    bool thenSide = !op.thenBlock()->without_terminator().empty();
    Block *main = thenSide ? op.thenBlock() : op.elseBlock();
    Block *other = thenSide ? op.elseBlock() : op.thenBlock();
    if (!main || (other && !other->without_terminator().empty()))
      return false;
    scf::WhileOp loop = findOnlyLoop(*main);
    if (!loop || isUniform(loop.getConditionOp().getCondition()) ||
        !comparesPlaces(loop.getConditionOp().getCondition()) ||
        !yieldsEachResultOnce(loop) || !mayLead(loop))
      return false;
    tell(op, op.getCondition(), "the mask that its loop begins with");
    OpBuilder b(op);
    Location loc = op.getLoc();
    Value cond = op.getCondition();
    Value entry = thenSide ? cond : negate(b, loc, cond);
    SmallVector<Operation *> freed;
    for (Operation &inner : main->without_terminator())
      freed.push_back(&inner);
    for (Operation *inner : freed) {
      inner->moveBefore(op);
      if (inner != loop)
        visitOp(*inner, Value());
    }
    ++numDivergentLoops;
    leadWithAll(loop, entry);
    for (auto [i, result] : llvm::enumerate(op.getResults()))
      result.replaceAllUsesWith(
          arith::SelectOp::create(b, loc, cond, op.thenYield().getOperand(i),
                                  op.elseYield().getOperand(i)));
    discard(op);
    return true;
  }

  /// The loop of a block that holds few other ops, all without effects; else
  /// null.
  static scf::WhileOp findOnlyLoop(Block &block) {
    scf::WhileOp loop;
    unsigned others = 0;
    for (Operation &op : block.without_terminator()) {
      if (auto inner = dyn_cast<scf::WhileOp>(op); inner && !loop)
        loop = inner;
      else if (++others > kInlineLimit || op.getNumRegions() ||
               isa<AllOp, AnyOp>(op) || !isMemoryEffectFree(&op))
        return nullptr;
    }
    return loop;
  }

  /// Is each argument of the body at most one argument of the next turn?
  static bool yieldsEachResultOnce(scf::WhileOp op) {
    DenseSet<Value> seen;
    return llvm::all_of(op.getYieldOp().getOperands(), [&](Value v) {
      return isa<BlockArgument>(v) && seen.insert(v).second;
    });
  }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// Masks a loop that lanes leave one by one. It runs while any lane is
  /// active, and latches the results of each lane when that leaves.
  void visitWhile(scf::WhileOp op, Value mask) {
    Block &before = op.getBefore().front();
    Block &after = op.getAfter().front();
    auto condition = cast<scf::ConditionOp>(before.getTerminator());
    if (isUniform(condition.getCondition())) {
      visitBlock(before, mask);
      visitBlock(after, mask);
      return;
    }
    Value stays = condition.getCondition();
    if (mayRunInTurn && pays(alone(op))) {
      ++numLaneLoops;
      tell(op, stays, kInTurn);
      OpBuilder b(op);
      runLaneByLane(b, op.getLoc(), alone(op), mask, op.getResults());
      return;
    }
    ++numDivergentLoops;
    if (mask) {
      tell(op, stays, "loop, masked");
      maskLoop(op, mask, {});
      return;
    }
    if (mayLead(op)) {
      leadWithAll(op, Value());
      return;
    }
    tell(op, stays, "loop, masked");
    OpBuilder b(op);
    maskLoop(op, EntryMaskOp::create(b, op.getLoc(), b.getI1Type()), {});
  }

  static SmallVector<unsigned> liveResults(scf::WhileOp op) {
    SmallVector<unsigned> live;
    for (OpResult result : op.getResults())
      if (!result.use_empty())
        live.push_back(result.getResultNumber());
    return live;
  }

  /// Makes a clone without masks, which runs while all lanes stay. Its last
  /// result, which the original does not have, is the predicate of the lanes
  /// that still stay at its end.
  scf::WhileOp makeLead(scf::WhileOp op) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    SmallVector<Type> types(op.getResultTypes());
    types.push_back(b.getI1Type());
    auto lead = scf::WhileOp::create(b, loc, types, op.getInits());
    lead->setAttr(kLeadAttr, b.getUnitAttr());
    IRMapping mapping;
    op.getBefore().cloneInto(&lead.getBefore(), mapping);
    for (auto [from, to] : mapping.getValueMap())
      noteClone(from, to);
    scf::ConditionOp test = lead.getConditionOp();
    b.setInsertionPoint(test);
    Value stays = test.getCondition();
    SmallVector<Value> args(test.getArgs());
    args.push_back(stays);
    scf::ConditionOp::create(b, loc,
                             AllOp::create(b, loc, b.getI1Type(), stays), args);
    test.erase();
    op.getAfter().cloneInto(&lead.getAfter(), mapping);
    lead.getAfter().addArgument(b.getI1Type(), loc);
    visitBlock(lead.getBefore().front(), Value());
    return lead;
  }

  /// Lanes leave a loop `for (i = thread; i < n; i += threads)` together, or
  /// nearly so. It runs without masks while all lanes stay; then the loop with
  /// masks does the rest.
  bool mayLead(scf::WhileOp op) {
    return testsLast(op) && mayClone(op.getBefore());
  }
  /// \param entry  the lanes that take part; null: all.
  void leadWithAll(scf::WhileOp op, Value entry) {
    ++numClones;
    tell(op, op.getConditionOp().getCondition(),
         "loop, without masks while all lanes stay, then masked");
    scf::WhileOp lead = makeLead(op);
    OpBuilder b(op);
    Location loc = op.getLoc();
    ValueRange led = entry ? enterTogether(lead, op, entry) : lead.getResults();

    // The rest starts with the values of the last iteration of the lead.
    SmallVector<Value> inits;
    for (Value v : op.getYieldOp().getOperands())
      inits.push_back(led[cast<BlockArgument>(v).getArgNumber()]);
    SmallVector<unsigned> live = liveResults(op);
    SmallVector<Value> left;
    for (unsigned r : live)
      left.push_back(led[r]);
    Value still = led.back();
    auto rest = scf::IfOp::create(b, loc, ValueRange(left).getTypes(),
                                  AnyOp::create(b, loc, b.getI1Type(), still),
                                  /*addThenBlock=*/true,
                                  /*addElseBlock=*/!left.empty());
    for (auto [i, r] : llvm::enumerate(live))
      op.getResult(r).replaceAllUsesWith(rest.getResult(i));
    Block *then = rest.thenBlock();
    op->moveBefore(then, then->end());
    op.getInitsMutable().assign(inits);
    b.setInsertionPointToEnd(then);
    SmallVector<Value> results;
    for (unsigned r : live)
      results.push_back(op.getResult(r));
    scf::YieldOp::create(b, loc, results);
    if (!left.empty()) {
      b.setInsertionPointToEnd(rest.elseBlock());
      scf::YieldOp::create(b, loc, left);
    }
    maskLoop(op, still, left);
  }

  /// Lets a lead run only if all lanes take part in the loop `op` that it
  /// leads. \pre yieldsEachResultOnce(op)
  /// \returns the results of the lead, or what `op` begins with.
  static ValueRange enterTogether(scf::WhileOp lead, scf::WhileOp op,
                                  Value entry) {
    assert(yieldsEachResultOnce(op) && "a result has one beginning");
    OpBuilder b(lead);
    Location loc = op.getLoc();
    Value all = AllOp::create(b, loc, b.getI1Type(), entry);
    auto choice = scf::IfOp::create(b, loc, lead.getResultTypes(), all,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    choice->setAttr(kLeadAttr, b.getUnitAttr());
    lead->moveBefore(choice.thenBlock(), choice.thenBlock()->end());
    b.setInsertionPointToEnd(choice.thenBlock());
    scf::YieldOp::create(b, loc, lead.getResults());
    b.setInsertionPointToEnd(choice.elseBlock());
    SmallVector<Value> begin(lead.getNumResults());
    for (auto [init, v] :
         llvm::zip_equal(op.getInits(), op.getYieldOp().getOperands()))
      begin[cast<BlockArgument>(v).getArgNumber()] = init;
    begin.back() = entry;
    for (auto [value, type] : llvm::zip_equal(begin, lead.getResultTypes()))
      if (!value)
        value = arith::ConstantOp::create(b, loc,
                                          cast<TypedAttr>(b.getZeroAttr(type)));
    scf::YieldOp::create(b, loc, begin);
    return choice.getResults();
  }

  /// Masks a divergent loop, in which the lanes of `entry` take part. `left`
  /// holds the values of the live results in all other lanes; if it is empty,
  /// these do not matter.
  void maskLoop(scf::WhileOp op, Value entry, ArrayRef<Value> left) {
    Block &before = op.getBefore().front();
    Block &after = op.getAfter().front();
    auto condition = cast<scf::ConditionOp>(before.getTerminator());
    OpBuilder b(op);
    Location loc = op.getLoc();
    // Latch only results that have uses.
    SmallVector<unsigned> live = liveResults(op);
    SmallVector<Value> inits = {entry};
    llvm::append_range(inits, op.getInits());
    for (auto [i, r] : llvm::enumerate(live))
      inits.push_back(
          left.empty()
              ? Value(arith::ConstantOp::create(
                    b, loc,
                    cast<TypedAttr>(b.getZeroAttr(op.getResult(r).getType()))))
              : left[i]);
    SmallVector<Type> forwarded = {b.getI1Type()};
    llvm::append_range(forwarded, condition.getArgs().getTypes());
    for (unsigned r : live)
      forwarded.push_back(op.getResult(r).getType());
    auto loop = scf::WhileOp::create(b, loc, forwarded, inits);
    loop.getBefore().takeBody(op.getBefore());
    loop.getAfter().takeBody(op.getAfter());

    // Before region: mask, carried values, latched values.
    Value active = before.insertArgument(0u, b.getI1Type(), loc);
    SmallVector<Value> latched;
    for (unsigned r : live)
      latched.push_back(before.addArgument(op.getResult(r).getType(), loc));
    visitBlock(before, active);
    b.setInsertionPoint(condition);
    Value still = both(b, loc, active, condition.getCondition());
    SmallVector<Value> args = {still};
    llvm::append_range(args, condition.getArgs());
    for (auto [i, r] : llvm::enumerate(live))
      args.push_back(arith::SelectOp::create(
          b, loc, active, condition.getArgs()[r], latched[i]));
    Value any = AnyOp::create(b, loc, b.getI1Type(), still);
    scf::ConditionOp::create(b, loc, any, args);
    condition.erase();

    // After region: the same, forwarded.
    Value onward = after.insertArgument(0u, b.getI1Type(), loc);
    SmallVector<Value> kept;
    for (unsigned r : live)
      kept.push_back(after.addArgument(op.getResult(r).getType(), loc));
    visitBlock(after, onward);
    auto yield = cast<scf::YieldOp>(after.getTerminator());
    b.setInsertionPoint(yield);
    SmallVector<Value> next = {onward};
    llvm::append_range(next, yield.getOperands());
    llvm::append_range(next, kept);
    scf::YieldOp::create(b, loc, next);
    yield.erase();

    unsigned firstLatched = 1 + op.getNumResults();
    for (auto [i, r] : llvm::enumerate(live))
      op.getResult(r).replaceAllUsesWith(loop.getResult(firstLatched + i));
    discard(op);
  }

  /// Removes an op, but keeps its memory. Shapes are looked up by the addresses
  /// of values, and a new value at the same address would inherit them.
  void discard(Operation *op) {
    op->dropAllReferences();
    op->remove();
    discarded.push_back(op);
  }

  SmallVector<Operation *> discarded;
  ShapeAnalysis *shapes = nullptr;
  unsigned cloneBudget = 0; ///< ops that clones may still add
  bool isRare = false;      ///< the code is neither cloned nor reported
  /// Vectors of four lanes: a mask of a warp is eight vectors.
  bool hasManyMasks = false;
  /// Gathers are slow, and there are loops that do little else. Asked once,
  /// since nested regions are looked into again and again.
  bool mayRunInTurn = false;
  unsigned numDivergentIfs = 0, numDivergentLoops = 0, numLaneLoops = 0,
           numClones = 0;
  /// What values were cloned from. Those have shapes.
  DenseMap<Value, Value> originals;
};
} // namespace
