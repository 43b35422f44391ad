//===- OuterLoop.cpp - loops whose turns may run side by side -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OuterLoop.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Ops in a loop whose turns are jammed, those of its inner loops included.
static constexpr unsigned kMostOps = 128;

/// Is the op an `OpT`, or has it one in its regions?
template <typename OpT> static bool holds(Operation *op) {
  return op->walk([](OpT) { return WalkResult::interrupt(); }).wasInterrupted();
}

//===----------------------------------------------------------------------===//
// The parts of a turn
//===----------------------------------------------------------------------===//

/// Finds what the loop counts: a number that grows up to a limit.
bool OuterLoop::findCounter() {
  for (unsigned i = 0, e = loop.getBeforeArguments().size(); i < e; ++i)
    if (auto induction = findInduction(loop, i, kMostSteps))
      inductions.push_back(std::move(*induction));
  auto next = findBound(loop.getConditionOp().getCondition());
  if (!next || !loop.isDefinedOutsideOfLoop(next->limit))
    return false;
  auto *counted = llvm::find_if(inductions, [&](const Induction &induction) {
    return induction.steps.size() == 1 && induction.getNext() == next->index;
  });
  counter = unsigned(counted - inductions.begin());
  bound = *next;
  return counted != inductions.end() &&
         matchPattern(counted->steps.front(), m_ConstantInt(&step)) &&
         step.isStrictlyPositive() && step.ult(1 << 16);
}

/// May the op be part of a turn? Other threads cannot tell when weak accesses
/// are made.
static bool mayMove(Operation *op) {
  if (auto load = dyn_cast<LdOp>(op))
    return isWeak(load.getOrder());
  if (auto store = dyn_cast<StOp>(op))
    return isWeak(store.getOrder());
  return isMemoryEffectFree(op) || isa<scf::IfOp, scf::WhileOp>(op);
}

/// Adds what defines the value, unless that is outside of the loop. \returns
/// false if the value comes from the turn before.
bool OuterLoop::addToFront(Value value) {
  Block *body = loop.getBeforeBody();
  if (auto argument = dyn_cast<BlockArgument>(value);
      argument && argument.getOwner() == body)
    return llvm::any_of(inductions, [&](const Induction &induction) {
      return induction.argument == argument.getArgNumber();
    });
  Operation *def = value.getDefiningOp();
  if (!def)
    def = value.getParentBlock()->getParentOp();
  Operation *op = body->findAncestorOpInBlock(*def);
  return !op || addToFront(op);
}

bool OuterLoop::addToFront(Operation *op) {
  if (!inFront.insert(op).second)
    return true;
  auto visit = [&](Operation *inner) {
    bool does = !isa<StOp>(inner) &&
                llvm::all_of(inner->getOperands(), [&](Value operand) {
                  return addToFront(operand);
                });
    return does ? WalkResult::advance() : WalkResult::interrupt();
  };
  return !op->walk(visit).wasInterrupted();
}

bool OuterLoop::splitTurn() {
  Block *body = loop.getBeforeBody();
  unsigned numOps = 0;
  auto visit = [&](Operation *op) {
    if (auto store = dyn_cast<StOp>(op))
      stores.push_back(store);
    return ++numOps <= kMostOps && mayMove(op) ? WalkResult::advance()
                                               : WalkResult::interrupt();
  };
  for (Operation &op : body->without_terminator())
    if (op.walk(visit).wasInterrupted() ||
        (holds<scf::WhileOp>(&op) && !addToFront(&op)))
      return false;
  // Where the turns store is known in front of all of them.
  for (StOp store : stores)
    if (store->getBlock() != body || !addToFront(store.getA()))
      return false;
  // Conditionals are one for all turns, too, as where nvcc makes the last turns
  // of the inner loop, unless they depend on the turn before.
  for (auto op : body->getOps<scf::IfOp>()) {
    llvm::DenseSet<Operation *> before = inFront;
    if (holds<LdOp>(op) && !addToFront(op))
      inFront = std::move(before);
  }
  for (Operation &op : body->without_terminator())
    (inFront.contains(&op) ? front : rest).push_back(&op);
  return llvm::any_of(front, holds<scf::WhileOp>);
}

std::optional<OuterLoop> OuterLoop::find(scf::WhileOp loop) {
  OuterLoop found(loop);
  if (!testsLast(loop) || !found.findCounter() || !found.splitTurn())
    return std::nullopt;
  for (const Induction &induction : found.inductions)
    found.varying.insert(loop.getBeforeArguments()[induction.argument]);
  for (Operation *op : found.front)
    if (!found.markVarying(op))
      return std::nullopt;
  if (!found.placeLoads())
    return std::nullopt;
  return found;
}

//===----------------------------------------------------------------------===//
// What the front loads
//===----------------------------------------------------------------------===//

/// The induction of the loop between whose values in this turn and in the next
/// one `value` lies. On the way it does so if all steps go in one direction.
static std::optional<Induction> findInductionOf(scf::WhileOp loop,
                                                Value value) {
  for (unsigned i = 0, e = loop.getBeforeArguments().size(); i < e; ++i) {
    auto induction = findInduction(loop, i, kMostSteps);
    if (!induction)
      continue;
    bool isOnTheWay = llvm::all_equal(induction->steps) &&
                      llvm::is_contained(induction->additions,
                                         value.getDefiningOp<AddIntOp>());
    if (value == loop.getBeforeArguments()[i] || isOnTheWay)
      return induction;
  }
  return std::nullopt;
}

std::optional<LoadPlace> ptxjit::findPlace(LdOp load, scf::WhileOp loop) {
  LoadPlace place{load.getA(), {}, {}};
  if (loop.isDefinedOutsideOfLoop(place.address))
    return place;
  for (Value value = load.getA();;) {
    place.induction = findInductionOf(loop, value);
    if (place.induction)
      return place;
    std::optional<FixedAddition> sum = findFixedAddition(loop, value);
    if (!sum)
      return std::nullopt;
    place.added.push_back(sum->fixed);
    value = sum->other;
  }
}

/// If turns store, it has to be known what the fronts of later turns load.
bool OuterLoop::placeLoads() {
  if (stores.empty())
    return true;
  auto isGlobal = [](std::optional<Space> space, Value address) {
    return (!space || *space == Space::Global || *space == Space::Generic) &&
           address.getType().isInteger(64);
  };
  auto isPlaced = [&](LdOp load) {
    auto inner = load->getParentOfType<scf::WhileOp>();
    if (inner != loop)
      return load->getBlock() == inner.getBeforeBody() &&
             inner->getParentOfType<scf::WhileOp>() == loop &&
             findPlace(load, inner).has_value();
    Operation *around = load->getParentOp();
    while (around != loop && isJammed(around))
      around = around->getParentOp();
    return around == loop;
  };
  auto visit = [&](LdOp load) {
    return isGlobal(load.getSpace(), load.getA()) && isPlaced(load)
               ? WalkResult::advance()
               : WalkResult::interrupt();
  };
  return llvm::all_of(stores,
                      [&](StOp store) {
                        return isGlobal(store.getSpace(), store.getA());
                      }) &&
         llvm::none_of(front, [&](Operation *op) {
           return op->walk(visit).wasInterrupted();
         });
}

bool OuterLoop::sharesLoads(const ShapeAnalysis &shapes) const {
  auto visit = [&](LdOp load) {
    return load->getParentOfType<scf::WhileOp>() != loop &&
                   !varies(load.getA()) && !shapes.get(load.getA()).isUniform()
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return llvm::any_of(
      front, [&](Operation *op) { return op->walk(visit).wasInterrupted(); });
}

//===----------------------------------------------------------------------===//
// What differs from turn to turn
//===----------------------------------------------------------------------===//

bool OuterLoop::mark(Value value, bool does) {
  return does && varying.insert(value).second;
}

bool OuterLoop::varies(Operation *op) const {
  auto visit = [&](Operation *inner) {
    return llvm::any_of(inner->getOperands(),
                        [&](Value operand) { return varies(operand); })
               ? WalkResult::interrupt()
               : WalkResult::advance();
  };
  return op->walk(visit).wasInterrupted();
}

bool OuterLoop::isJammed(Operation *op) const {
  auto choice = dyn_cast<scf::IfOp>(op);
  return choice ? !varies(choice.getCondition()) : isa<scf::WhileOp>(op);
}

/// Marks results that vary, and what varies inside of loops. \returns false if
/// turns may differ in which loops they run, and how often.
bool OuterLoop::markVarying(Operation *op) {
  if (auto inner = dyn_cast<scf::WhileOp>(op))
    return markVarying(inner);
  if (isJammed(op))
    return markVarying(cast<scf::IfOp>(op));
  if (holds<scf::WhileOp>(op))
    return false;
  if (varies(op))
    varying.insert_range(op->getResults());
  return true;
}

bool OuterLoop::markVarying(Block &block) {
  return llvm::all_of(block.without_terminator(),
                      [&](Operation &op) { return markVarying(&op); });
}

bool OuterLoop::markVarying(scf::IfOp op) {
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    if (!markVarying(region.front()))
      return false;
    for (auto [result, value] : llvm::zip_equal(
             op.getResults(), region.front().getTerminator()->getOperands()))
      mark(result, varies(value));
  }
  return true;
}

bool OuterLoop::markVarying(scf::WhileOp op) {
  if (!testsLast(op))
    return false;
  for (auto [argument, init] :
       llvm::zip_equal(op.getBeforeArguments(), op.getInits()))
    mark(argument, varies(init));
  for (bool again = true; again;) {
    again = false;
    if (!markVarying(*op.getBeforeBody()))
      return false;
    for (auto [i, value] : llvm::enumerate(op.getConditionOp().getArgs())) {
      mark(op.getResult(i), varies(value));
      mark(op.getAfterArguments()[i], varies(value));
    }
    for (auto [argument, value] : llvm::zip_equal(
             op.getBeforeArguments(), op.getYieldOp().getOperands()))
      again |= mark(argument, varies(value));
  }
  return !varies(op.getConditionOp().getCondition());
}
