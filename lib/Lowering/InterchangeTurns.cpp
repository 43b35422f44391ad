//===- InterchangeTurns.cpp - loops over the grid, turn by turn -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CtaOrder.h"
#include "Linearize.h"
#include "Loops.h"
#include "ptxjit/Analysis/Shape.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace ptxjit {
#define GEN_PASS_DEF_INTERCHANGETURNSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;
using arith::CmpIPredicate;

namespace {

/// A kernel that is one loop over the grid, and what the pass knows of it.
class GridLoop {
public:
  /// Finds the loop of a kernel; nothing if it is of another form, or if its
  /// turns have an order.
  static std::optional<GridLoop> find(FuncOp kernel);
  /// Do its indices walk along over the grid, up to a limit?
  bool isOverGrid(const ShapeAnalysis &shapes) {
    return findInductions(shapes) && walksWholeGrids(shapes);
  }
  /// Makes all threads run one turn of it at a time. \pre isOverGrid
  void interchange();

  scf::WhileOp getLoop() const { return loop; }

private:
  bool findIn(scf::IfOp op);
  bool findInductions(const ShapeAnalysis &shapes);
  bool walksWholeGrids(const ShapeAnalysis &shapes);
  bool needsNoOrder();
  Value neverWraps(OpBuilder &b);
  void buildTurn(OpBuilder &b);
  Value advance(OpBuilder &b, const Induction &induction);

  scf::IfOp guard;      ///< around the loop, with the loop's own condition
  Block *main = {};     ///< its side with the loop
  scf::WhileOp loop;    ///< its results are not used
  Bound bound;          ///< of the first turn
  unsigned counter = 0; ///< number of the argument that the bound is of
  SmallVector<Induction> inductions; ///< all arguments of the loop
  /// What all turns so far have added, for each step.
  llvm::SmallDenseMap<Value, Value> travelled;
};

} // namespace

//===----------------------------------------------------------------------===//
// The form of the kernel
//===----------------------------------------------------------------------===//

/// The bound that holds where `bound` does not: b <= a instead of a < b.
static Bound negate(const Bound &bound) {
  return {bound.limit, bound.index, bound.type, !bound.isInclusive};
}

/// Finds the loop in a conditional that holds nothing else with effects.
bool GridLoop::findIn(scf::IfOp op) {
  if (op->getNumResults())
    return false;
  guard = op;
  for (Region &region : op->getRegions()) {
    if (region.empty() || region.front().without_terminator().empty())
      continue;
    if (main)
      return false;
    main = &region.front();
  }
  if (!main)
    return false;
  for (Operation &inner : main->without_terminator()) {
    if (auto found = dyn_cast<scf::WhileOp>(inner); found && !loop)
      loop = found;
    else if (!runsAnyTime(&inner))
      return false;
  }
  return loop && loop.use_empty() && testsLast(loop);
}

static bool isSameInGrid(const ShapeAnalysis &shapes, Value value) {
  const Shape &shape = shapes.get(value);
  return shape.isUniform() && !shape.conditional &&
         shape.uniformity == Uniformity::Grid;
}

/// Each argument has to move on by one step. One of them is what the loop and
/// the conditional around it compare with the same limit.
bool GridLoop::findInductions(const ShapeAnalysis &shapes) {
  for (unsigned i = 0, e = loop.getBeforeArguments().size(); i < e; ++i) {
    std::optional<Induction> induction = findInduction(loop, i);
    if (!induction || !isSameInGrid(shapes, induction->steps.front()))
      return false;
    inductions.push_back(*induction);
  }
  auto first = findBound(guard.getCondition());
  auto next = findBound(loop.getConditionOp().getCondition());
  if (first && main != guard.thenBlock())
    first = negate(*first);
  if (!first || !next || first->limit != next->limit ||
      first->type != next->type || first->isInclusive != next->isInclusive ||
      !isSameInGrid(shapes, first->limit))
    return false;
  auto *counted = llvm::find_if(inductions, [&](const Induction &induction) {
    return next->index == getPassedOn(loop, induction.result) &&
           first->index == loop.getInits()[induction.argument];
  });
  counter = unsigned(counted - inductions.begin());
  bound = *first;
  return counted != inductions.end();
}

/// Does a value depend on how many CTAs the grid has in x?
static bool dependsOnGridSize(Value value) {
  SmallVector<Value> open = {value};
  llvm::SmallDenseSet<Value> seen;
  while (!open.empty()) {
    Value v = open.pop_back_val();
    Operation *op = v.getDefiningOp();
    if (!op || !seen.insert(v).second)
      continue;
    if (auto reg = dyn_cast<SRegOp>(op))
      if (reg.getReg() == SpecialRegister::NctaidX)
        return true;
    llvm::append_range(open, op->getOperands());
  }
  return false;
}

/// Neighbours walk along together, by a step that grows with the grid. Where
/// each thread walks along a row of its own, its next turn finds its lines in
/// the caches only if it comes soon.
bool GridLoop::walksWholeGrids(const ShapeAnalysis &shapes) {
  const Induction &counted = inductions[counter];
  return dependsOnGridSize(counted.steps.front()) &&
         shapes.get(loop.getInits()[counted.argument]).hasBase();
}

bool GridLoop::needsNoOrder() {
  auto visit = [&](Operation *op) {
    bool isInner = isa<scf::WhileOp>(op) && op != loop;
    return needsNoCtaOrder(op) && !isInner ? WalkResult::advance()
                                           : WalkResult::interrupt();
  };
  return !loop->walk(visit).wasInterrupted();
}

std::optional<GridLoop> GridLoop::find(FuncOp kernel) {
  Block &body = kernel.getBody().front();
  GridLoop found;
  for (Operation &op : body.without_terminator()) {
    auto ifOp = dyn_cast<scf::IfOp>(op);
    if (ifOp ? found.guard || !found.findIn(ifOp) : !runsAnyTime(&op))
      return std::nullopt;
  }
  if (!found.loop || !found.needsNoOrder())
    return std::nullopt;
  return found;
}

//===----------------------------------------------------------------------===//
// Turn by turn
//===----------------------------------------------------------------------===//

static Value constant(OpBuilder &b, Location loc, Type type,
                      const APInt &value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

/// Whether the index gets past the limit by each step, before it wraps around:
/// step > 0 and limit <= MAX - step.
Value GridLoop::neverWraps(OpBuilder &b) {
  Location loc = loop.getLoc();
  Value step = inductions[counter].steps.front();
  unsigned width = bound.width();
  bool isSigned = bound.isSigned();
  Value zero = constant(b, loc, step.getType(), APInt::getZero(width));
  Value most = constant(b, loc, step.getType(),
                        isSigned ? APInt::getSignedMaxValue(width)
                                 : APInt::getMaxValue(width));
  Value walks = arith::CmpIOp::create(
      b, loc, isSigned ? CmpIPredicate::sgt : CmpIPredicate::ugt, step, zero);
  Value room = arith::CmpIOp::create(
      b, loc, isSigned ? CmpIPredicate::sle : CmpIPredicate::ule, bound.limit,
      arith::SubIOp::create(b, loc, most, step));
  return arith::AndIOp::create(b, loc, walks, room);
}

/// The value of an argument of the loop in this turn.
Value GridLoop::advance(OpBuilder &b, const Induction &induction) {
  AddIntOp addition = induction.additions.front();
  Value step = induction.steps.front();
  Location loc = addition.getLoc();
  Type type = step.getType();
  Value &added = travelled[step];
  if (!added)
    added = arith::MulIOp::create(b, loc, TurnOp::create(b, loc, type), step);
  return AddIntOp::create(b, loc, type, loop.getInits()[induction.argument],
                          added, addition.getTy());
}

/// Builds what a thread does in one turn. Its index has to be below the limit,
/// from which the way so far is taken rather than added to the index: the sum
/// may wrap around in threads that have left their loop. That way is less than
/// 2^n in all turns up to that in which no thread is in its loop.
void GridLoop::buildTurn(OpBuilder &b) {
  Location loc = guard.getLoc();
  const Induction &counted = inductions[counter];
  SmallVector<Value> arguments;
  for (const Induction &induction : inductions)
    arguments.push_back(advance(b, induction));
  Value way = travelled[counted.steps.front()];
  Type type = way.getType();
  Value least =
      constant(b, loc, type,
               bound.isSigned() ? APInt::getSignedMinValue(bound.width())
                                : APInt::getZero(bound.width()));
  Value limit = bound.limit;
  if (bound.isInclusive)
    limit = arith::AddIOp::create(
        b, loc, limit, constant(b, loc, type, APInt(bound.width(), 1)));
  Value left = arith::SubIOp::create(b, loc, limit, least);
  Value isReached =
      arith::CmpIOp::create(b, loc, CmpIPredicate::ule, way, left);
  limit = arith::SelectOp::create(
      b, loc, isReached, arith::SubIOp::create(b, loc, limit, way), least);
  Value active =
      SetpOp::create(b, loc, b.getI1Type(), loop.getInits()[counted.argument],
                     limit, Value(), bound.type, Compare::LT, BoolOpAttr(),
                     /*ftz=*/false)
          .getP()
          .front();
  auto inside = scf::IfOp::create(b, loc, active, /*withElseRegion=*/false);
  b.setInsertionPointToStart(inside.thenBlock());
  NextTurnOp::create(b, loc);
  IRMapping mapping;
  mapping.map(loop.getBeforeArguments(), arguments);
  for (Operation &op : loop.getBeforeBody()->without_terminator())
    b.clone(op, mapping);
}

void GridLoop::interchange() {
  for (Operation &op : llvm::make_early_inc_range(main->without_terminator()))
    if (&op != loop)
      op.moveBefore(guard);
  OpBuilder b(guard);
  auto choice = scf::IfOp::create(b, guard.getLoc(), neverWraps(b),
                                  /*withElseRegion=*/true);
  choice->setAttr(kInTurnsAttr, b.getUnitAttr());
  guard->moveBefore(choice.elseYield());
  b.setInsertionPoint(choice.thenYield());
  buildTurn(b);
}

namespace {
struct InterchangeTurnsPass
    : public ptxjit::impl::InterchangeTurnsPassBase<InterchangeTurnsPass> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    auto target = requireTarget();
    if (failed(target))
      return signalPassFailure();
    ShapeContext context = target->getShapeContext();
    // On AArch64 a turn takes a third more instructions than in the loop (an
    // address for each warp), and what the order gains there is not measured.
    if (target->shortVectors)
      return;
    if (!func.isStructured() || !func.getEntry() || !target->wholeCta ||
        target->fission || context.lanes == 1)
      return;
    std::optional<GridLoop> loop = GridLoop::find(func);
    if (!loop || !loop->isOverGrid(ShapeAnalysis(func, context)))
      return;
    remarkDecision(loop->getLoop(),
                   {kBranchRemark,
                    "loop over the grid: many CTAs make each turn "
                    "before the next one begins"});
    loop->interchange();
  }
};
} // namespace
