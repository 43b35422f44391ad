//===- Waiting.cpp - lanes that may wait for lanes of their warp ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/Waiting.h"

#include "LoopMask.h"
#include "PollingLoop.h"
#include "ptxjit/Analysis/CtaLevel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// The ops that other lanes execute meanwhile
//===----------------------------------------------------------------------===//

namespace {

/// Does `op` wait for all lanes of the warp? (Programs compute other member
/// masks from the lanes that are there, so that they name no lane that is
/// elsewhere.)
bool namesAllLanes(Operation *op) {
  APInt mask;
  Value value = memberMaskOf(op);
  return value && matchPattern(value, m_ConstantInt(&mask)) && mask.isAllOnes();
}

/// Walks the ops that lanes which are not at `where` may execute, until these
/// lanes wait, too. Looks for an op that satisfies `found`.
class OtherLanes {
public:
  OtherLanes(Operation *where, const ShapeAnalysis &shapes,
             llvm::function_ref<bool(Operation *)> found)
      : where(where), shapes(shapes), found(found) {}

  /// \param behind  lanes also execute the ops after `where` (a loop that they
  ///   have left).
  /// \returns whether an op was found.
  bool search(bool behind) {
    if (behind)
      follow(where->getNextNode(), where->getBlock());
    // For each divergent region around `where`, some lanes are not in it.
    for (Operation *op = where; !hit && !isa<FuncOp>(op->getParentOp());
         op = op->getParentOp()) {
      Operation *parent = op->getParentOp();
      if (auto ifOp = dyn_cast<scf::IfOp>(parent)) {
        if (shapes.isUniform(ifOp.getCondition()))
          continue;
        bool inThen = op->getParentRegion() == &ifOp.getThenRegion();
        Region &other = inThen ? ifOp.getElseRegion() : ifOp.getThenRegion();
        if (!other.empty() && walk(other.front()))
          continue;
        follow(parent->getNextNode(), parent->getBlock());
      } else if (auto loop = dyn_cast<scf::WhileOp>(parent)) {
        if (!shapes.isUniform(loop.getConditionOp().getCondition()))
          follow(parent->getNextNode(), parent->getBlock());
      }
    }
    return hit;
  }

private:
  /// Walks from `op` (null: the end of `block`) to the end of the kernel.
  void follow(Operation *op, Block *block) {
    if (hit || walkFrom(op))
      return;
    Operation *parent = block->getParentOp();
    if (isa<FuncOp>(parent) || !ascended.insert(block).second)
      return;
    // The next iteration.
    if (auto loop = dyn_cast<scf::WhileOp>(parent))
      if (walk(*loop.getBeforeBody()) || walk(*loop.getAfterBody()))
        return;
    follow(parent->getNextNode(), parent->getBlock());
  }
  bool walk(Block &block) {
    return walkFrom(block.empty() ? nullptr : &block.front());
  }
  /// The region of `ifOp` that lanes enter which are not at `where`, if a
  /// branch around `where` has the same condition, which never changes. Else
  /// null.
  Region *regionOfOthers(scf::IfOp ifOp) {
    Value condition = ifOp.getCondition();
    Operation *owner = condition.getParentBlock()->getParentOp();
    if (isa<scf::WhileOp>(owner) || owner->getParentOfType<scf::WhileOp>())
      return nullptr;
    for (Operation *op = where; !isa<FuncOp>(op->getParentOp());
         op = op->getParentOp()) {
      auto around = dyn_cast<scf::IfOp>(op->getParentOp());
      if (around && around.getCondition() == condition)
        return op->getParentRegion() == &around.getThenRegion()
                   ? &ifOp.getElseRegion()
                   : &ifOp.getThenRegion();
    }
    return nullptr;
  }
  /// \returns whether the lanes wait before the end of the block.
  bool walkFrom(Operation *op) {
    for (; op && !hit; op = op->getNextNode()) {
      if (op == where) {
        // They come here in a later iteration of a loop around it. What they
        // would do here comes too late for the lanes that are here now.
        for (Region &region : op->getRegions())
          walk(region.front());
        return true;
      }
      if (found(op))
        return hit = true;
      // The lanes execute the op together with the lanes at `where`.
      if (isAnyBarrier(op) || namesAllLanes(op) ||
          namesLanesOfLoop(op, where) || op->hasTrait<WholeWarp>())
        return true;
      if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
        if (Region *taken = regionOfOthers(ifOp)) {
          if (!taken->empty() && walk(taken->front()))
            return true;
          continue;
        }
        bool waits = walk(ifOp.getThenRegion().front());
        waits &=
            !ifOp.getElseRegion().empty() && walk(ifOp.getElseRegion().front());
        if (waits)
          return true;
      } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        if (walk(*loop.getBeforeBody()))
          return true;
        walk(*loop.getAfterBody());
      }
    }
    return hit;
  }

  Operation *where;
  const ShapeAnalysis &shapes;
  llvm::function_ref<bool(Operation *)> found;
  llvm::SmallPtrSet<Block *, 8> ascended;
  bool hit = false;
};

//===----------------------------------------------------------------------===//
// Regions for one lane
//===----------------------------------------------------------------------===//

bool isInjective(const LanePattern *pattern) {
  if (!pattern)
    return false;
  for (unsigned i = 0; i < 32; ++i)
    for (unsigned j = 0; j < i; ++j)
      if ((*pattern)[i] == (*pattern)[j])
        return false;
  return true;
}

/// A predicate that `setp` compares, as the number 0 or 1, with one of these.
struct PredicateTest {
  Value predicate; ///< null: it compares something else
  bool other = false;
};
PredicateTest readPredicateTest(SetpOp setp) {
  auto number = setp.getA().getDefiningOp<arith::ExtUIOp>();
  if (!number || !number.getIn().getType().isInteger(1) || setp.getBoolop())
    return {};
  bool isZero = matchPattern(setp.getB(), m_Zero());
  if (!isZero && !matchPattern(setp.getB(), m_One()))
    return {};
  return {number.getIn(), !isZero};
}

/// Does `condition` have the value `wanted` in at most one lane of a warp?
bool holdsInOneLane(Value condition, bool wanted, const ShapeAnalysis &shapes) {
  Operation *op = condition.getDefiningOp();
  if (!op)
    return false;
  if (auto flip = dyn_cast<arith::XOrIOp>(op))
    return matchPattern(flip.getRhs(), m_One()) &&
           holdsInOneLane(flip.getLhs(), !wanted, shapes);
  if (auto flip = dyn_cast<NotOp>(op))
    return holdsInOneLane(flip.getA(), !wanted, shapes);
  if (auto both = dyn_cast<AndOp>(op))
    return wanted && (holdsInOneLane(both.getA(), true, shapes) ||
                      holdsInOneLane(both.getB(), true, shapes));
  if (auto either = dyn_cast<OrOp>(op))
    return !wanted && (holdsInOneLane(either.getA(), false, shapes) ||
                       holdsInOneLane(either.getB(), false, shapes));
  if (auto elect = dyn_cast<ElectOp>(op))
    return wanted && namesAllLanes(elect) && elect.getD().size() > 1 &&
           condition == elect.getD()[1];
  auto setp = dyn_cast<SetpOp>(op);
  if (!setp || condition != setp.getP().front())
    return false;
  bool isAnd = setp.getBoolop() == BoolOp::And,
       isOr = setp.getBoolop() == BoolOp::Or;
  if ((isAnd && wanted) || (isOr && !wanted))
    if (holdsInOneLane(setp.getC(), wanted, shapes))
      return true;
  if (setp.getBoolop() && !(isAnd && wanted) && !(isOr && !wanted))
    return false;
  bool isEqual = setp.getCmp() == Compare::EQ;
  if (!isEqual && setp.getCmp() != Compare::NE)
    return false;
  if (PredicateTest test = readPredicateTest(setp); test.predicate)
    return holdsInOneLane(test.predicate, wanted == (isEqual == test.other),
                          shapes);
  if (isEqual != wanted)
    return false;
  const Shape &a = shapes.get(setp.getA()), &b = shapes.get(setp.getB());
  auto distinct = [](const Shape &x, const Shape &y) {
    return x.hasBase() && !x.conditional && isInjective(x.pattern) &&
           y.isUniform();
  };
  return distinct(a, b) || distinct(b, a);
}

bool isReachedByOneLane(Operation *op, const ShapeAnalysis &shapes) {
  for (; !isa<FuncOp>(op->getParentOp()); op = op->getParentOp())
    if (auto ifOp = dyn_cast<scf::IfOp>(op->getParentOp()))
      if (holdsInOneLane(ifOp.getCondition(),
                         op->getParentRegion() == &ifOp.getThenRegion(),
                         shapes))
        return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Lanes that wait for lanes
//===----------------------------------------------------------------------===//

/// The space in which threads communicate by `op`. Shared memory of any CTA is
/// Space::Shared.
std::optional<Space> spaceOf(CommunicatingOpInterface op) {
  std::optional<Space> space = op.getMeetingSpace();
  bool shared = space == Space::SharedCta || space == Space::SharedCluster;
  return shared ? Space::Shared : space;
}

/// The only space that a loop polls; nothing if that is not known.
std::optional<Space> polledSpace(scf::WhileOp loop) {
  std::optional<Space> space;
  bool known = true;
  PollingLoop(loop).anyPoll([&](Operation *op) {
    auto other = spaceOf(cast<CommunicatingOpInterface>(op));
    known &= other && (!space || space == other);
    space = other;
    return false;
  });
  return known ? space : std::nullopt;
}

/// Is an mbarrier all that the loop waits for?
bool waitsForMbarrier(scf::WhileOp loop) {
  return !PollingLoop(loop).anyPoll(
      [](Operation *op) { return !isa<MbarrierWaitOp>(op); });
}

/// Do all lanes of the warp execute `op` together?
bool isReachedByWarp(Operation *op, const ShapeAnalysis &shapes) {
  for (; !isa<FuncOp>(op->getParentOp()); op = op->getParentOp()) {
    Operation *parent = op->getParentOp();
    if (auto ifOp = dyn_cast<scf::IfOp>(parent);
        ifOp && !shapes.isUniform(ifOp.getCondition()))
      return false;
    if (auto loop = dyn_cast<scf::WhileOp>(parent);
        loop && !shapes.isUniform(loop.getConditionOp().getCondition()))
      return false;
  }
  return true;
}

/// May `op` end the wait for an mbarrier of lanes of the same warp that are
/// elsewhere? If all lanes arrive together, those that wait have to arrive,
/// too, and cannot wait for it. Accesses of bytes change no mbarrier.
bool mayEndPhase(Operation *op, const ShapeAnalysis &shapes) {
  return !isa<AccessOpInterface>(op) && !isReachedByWarp(op, shapes);
}

/// The ops that may end the wait of a loop.
class Releases {
public:
  Releases(scf::WhileOp loop, const ShapeAnalysis &shapes)
      : shapes(shapes), polled(polledSpace(loop)),
        isMbarrier(waitsForMbarrier(loop)) {}

  bool contains(Operation *op) const {
    auto release = dyn_cast<CommunicatingOpInterface>(op);
    if (!release || !release.mayRelease() ||
        (isMbarrier && !mayEndPhase(op, shapes)))
      return false;
    auto space = spaceOf(release);
    return space != Space::Local && (!space || !polled || space == polled);
  }

private:
  const ShapeAnalysis &shapes;
  std::optional<Space> polled;
  bool isMbarrier;
};

/// May lanes in `loop` wait for an op that other lanes execute outside of it?
bool waitsForLanes(scf::WhileOp loop, const ShapeAnalysis &shapes) {
  Releases releases(loop, shapes);
  auto isRelease = [&](Operation *op) { return releases.contains(op); };
  bool divergent = !shapes.isUniform(loop.getConditionOp().getCondition());
  return OtherLanes(loop, shapes, isRelease)
      .search(/*behind=*/divergent && !isReachedByOneLane(loop, shapes));
}

/// May lanes meet at `op`, which all lanes of a warp have to execute, and at
/// `other`? Operations meet if they are of one kind and have one mask.
bool mayMeetAt(Operation *op, Operation *other, const ShapeAnalysis &shapes) {
  Value mask = memberMaskOf(other);
  if (!mask || op->getName() != other->getName())
    return false;
  const Shape &shape = shapes.get(mask);
  APInt number;
  if (matchPattern(mask, m_ConstantInt(&number)))
    return number.isAllOnes();
  return shape.min <= -1 && shape.max >= -1;
}

} // namespace

bool ptxjit::waitsForCluster(scf::WhileOp loop) {
  return polledSpace(loop) == Space::Shared;
}

bool ptxjit::mayEndWait(scf::WhileOp loop, Operation *op,
                        const ShapeAnalysis &shapes) {
  Releases releases(loop, shapes);
  return op
      ->walk([&](Operation *inner) {
        return releases.contains(inner) ? WalkResult::interrupt()
                                        : WalkResult::advance();
      })
      .wasInterrupted();
}

bool ptxjit::meetsLanes(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        bool meets = isAnyBarrier(inner) || inner->hasTrait<WholeWarp>() ||
                     isa<WarpCollectiveOpInterface, CallOp>(inner);
        return meets ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LaneWait ptxjit::findLaneWait(FuncOp func, const ShapeAnalysis &shapes) {
  LaneWait wait;
  func.walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::WhileOp>(op);
        loop && waitsOnMemory(loop) && waitsForLanes(loop, shapes))
      wait = {op, "lanes of a warp may wait for each other in the loop"};
    else if (isAnyBarrier(op) &&
             OtherLanes(op, shapes, isAnyBarrier).search(/*behind=*/false))
      wait = {op, "part of a warp may be at the barrier"};
    else if (namesAllLanes(op) && OtherLanes(op, shapes, [&](Operation *other) {
                                    return mayMeetAt(op, other, shapes);
                                  }).search(/*behind=*/false))
      wait = {op, "part of a warp may be at the warp operation"};
    return wait.op ? WalkResult::interrupt() : WalkResult::advance();
  });
  return wait;
}
