//===- LoopMask.cpp - member masks that name the lanes of a loop ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopMask.h"

#include "PollingLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "ptxjit/Dialect/FormTable.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// What a predicate implies
//===----------------------------------------------------------------------===//

namespace {

/// The limit of the depth of predicates that are looked into.
constexpr unsigned kMostLevels = 12;

/// The values that `compared` has where `setp` is `wanted`; nothing if they are
/// no interval.
struct Interval {
  Value compared;
  bool isSigned;
  APInt least, most;
};

std::optional<Interval> intervalOf(SetpOp setp, bool wanted) {
  APInt number;
  Type type = setp.getA().getType();
  if (setp.getBoolop() || !type.isInteger() ||
      !matchPattern(setp.getB(), m_ConstantInt(&number)))
    return std::nullopt;
  bool isSigned = isSignedInt(setp.getTy());
  unsigned width = number.getBitWidth();
  APInt min = isSigned ? APInt::getSignedMinValue(width) : APInt(width, 0);
  APInt max =
      isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  auto upTo = [&](const APInt &most) {
    return Interval{setp.getA(), isSigned, min, most};
  };
  auto from = [&](const APInt &least) {
    return Interval{setp.getA(), isSigned, least, max};
  };
  bool isMin = number == min, isMax = number == max;
  switch (setp.getCmp()) {
  case Compare::LT:
    if (wanted && isMin)
      return std::nullopt;
    return wanted ? upTo(number - 1) : from(number);
  case Compare::GE:
    if (!wanted && isMin)
      return std::nullopt;
    return wanted ? from(number) : upTo(number - 1);
  case Compare::LE:
    if (!wanted && isMax)
      return std::nullopt;
    return wanted ? upTo(number) : from(number + 1);
  case Compare::GT:
    if (wanted && isMax)
      return std::nullopt;
    return wanted ? from(number + 1) : upTo(number);
  case Compare::EQ:
  case Compare::NE:
    if ((setp.getCmp() == Compare::EQ) != wanted)
      return std::nullopt;
    return Interval{setp.getA(), isSigned, number, number};
  default:
    return std::nullopt;
  }
}

/// Is the predicate `goal` true wherever the comparison `fact` is `wanted`?
bool comparisonImplies(Value fact, bool wanted, Value goal) {
  auto known = fact.getDefiningOp<SetpOp>(),
       asked = goal.getDefiningOp<SetpOp>();
  if (!known || !asked || known.getP().front() != fact ||
      asked.getP().front() != goal)
    return false;
  auto inside = intervalOf(known, wanted), outside = intervalOf(asked, true);
  if (!inside || !outside || inside->compared != outside->compared ||
      inside->isSigned != outside->isSigned)
    return false;
  return inside->isSigned ? inside->least.sge(outside->least) &&
                                inside->most.sle(outside->most)
                          : inside->least.uge(outside->least) &&
                                inside->most.ule(outside->most);
}

bool implies(Value fact, bool wanted, Value goal, unsigned levels);

/// The same for `fact` = `condition` ? `a` : `b`.
bool choiceImplies(Value condition, Value a, Value b, bool wanted, Value goal,
                   unsigned levels) {
  return (implies(a, wanted, goal, levels) ||
          implies(condition, true, goal, levels)) &&
         (implies(b, wanted, goal, levels) ||
          implies(condition, false, goal, levels));
}

/// Is the predicate `goal` true wherever the low bit of `fact` is `wanted`?
bool implies(Value fact, bool wanted, Value goal, unsigned levels) {
  APInt number;
  if (matchPattern(fact, m_ConstantInt(&number)))
    return number[0] != wanted;
  if (fact == goal && wanted)
    return true;
  Operation *op = fact.getDefiningOp();
  if (!op || !levels--)
    return false;
  auto in = [&](unsigned i, bool wanted) {
    return implies(op->getOperand(i), wanted, goal, levels);
  };
  if (isa<arith::TruncIOp, arith::ExtUIOp>(op))
    return in(0, wanted);
  if (isa<NotOp>(op))
    return in(0, !wanted);
  if (isa<XorOp, arith::XOrIOp>(op))
    return matchPattern(op->getOperand(1), m_One()) && in(0, !wanted);
  if (isa<AndOp, arith::AndIOp>(op))
    return wanted && (in(0, true) || in(1, true));
  if (isa<OrOp, arith::OrIOp>(op))
    return !wanted && (in(0, false) || in(1, false));
  if (isa<arith::SelectOp>(op))
    return choiceImplies(op->getOperand(0), op->getOperand(1),
                         op->getOperand(2), wanted, goal, levels);
  if (auto ifOp = dyn_cast<scf::IfOp>(op)) {
    unsigned i = cast<OpResult>(fact).getResultNumber();
    return choiceImplies(ifOp.getCondition(), ifOp.thenYield().getOperand(i),
                         ifOp.elseYield().getOperand(i), wanted, goal, levels);
  }
  return comparisonImplies(fact, wanted, goal);
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

/// The only value that `value` may have where it is defined, whichever branches
/// are taken. Null if there are several.
Value findOnlySource(Value value) {
  Value only;
  llvm::SmallPtrSet<Value, 8> seen;
  SmallVector<Value> work = {value};
  while (!work.empty()) {
    Value source = work.pop_back_val();
    Operation *op = source.getDefiningOp();
    if (isa_and_present<UndefOp>(op) || !seen.insert(source).second)
      continue;
    if (isa_and_present<arith::SelectOp>(op)) {
      work.append({op->getOperand(1), op->getOperand(2)});
    } else if (auto ifOp = dyn_cast_if_present<scf::IfOp>(op)) {
      unsigned i = cast<OpResult>(source).getResultNumber();
      work.append(
          {ifOp.thenYield().getOperand(i), ifOp.elseYield().getOperand(i)});
    } else if (only) {
      return {};
    } else {
      only = source;
    }
  }
  return only;
}

bool isAllLanes(Value mask) {
  APInt number;
  return mask && matchPattern(mask, m_ConstantInt(&number)) &&
         number.isAllOnes();
}

/// Does `mask`, which `loop` carries, name all lanes of each iteration?
bool namesLanes(BlockArgument mask, scf::WhileOp loop) {
  unsigned n = mask.getArgNumber();
  if (!isAllLanes(findOnlySource(loop.getInits()[n])))
    return false;
  auto onward = dyn_cast<BlockArgument>(loop.getYieldOp().getOperand(n));
  if (!onward || onward.getOwner() != loop.getAfterBody())
    return false;
  scf::ConditionOp condition = loop.getConditionOp();
  Value next = findOnlySource(condition.getArgs()[onward.getArgNumber()]);
  auto vote = next ? next.getDefiningOp<VoteOp>() : VoteOp();
  return vote && vote.getMode() == VoteMode::Ballot && vote.getM() == mask &&
         vote->getParentOfType<scf::WhileOp>() == loop &&
         implies(condition.getCondition(), true, vote.getA(), kMostLevels);
}

} // namespace

bool ptxjit::namesLanesOfLoop(Operation *op, Operation *where) {
  auto mask = dyn_cast_if_present<BlockArgument>(memberMaskOf(op));
  if (!mask)
    return false;
  auto loop = dyn_cast<scf::WhileOp>(mask.getOwner()->getParentOp());
  return loop && mask.getOwner() == loop.getBeforeBody() &&
         loop->isProperAncestor(where) &&
         op->getParentOfType<scf::WhileOp>() == loop && namesLanes(mask, loop);
}
