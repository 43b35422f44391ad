//===- SettleSums.cpp - where the sums of wgmma may be read ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `ptx.wgmma` may not be done until a `ptx.wgmma.wait`. In SSA its results
// are values like any others, which do not name the wait. This pass follows the
// registers of D, as a *tuple*, through regions to the next wait, and puts a
// `ptx.settle` there, from which they are read.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "ptxjit/Dialect/PtxOps.h"

namespace ptxjit {
#define GEN_PASS_DEF_SETTLESUMSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {
/// The registers of D of a multiplication that may not be done.
struct Tuple {
  SmallVector<Value> values;
  MatrixType type;
  bool operator==(const Tuple &other) const { return values == other.values; }
};
using Pending = SmallVector<Tuple, 4>;

class Settling {
public:
  /// Inserts all `ptx.settle` of a function. \returns how many.
  unsigned run(FuncOp func) {
    for (Block &block : func.getBody()) {
      Pending pending;
      visit(block, pending, /*inserts=*/true);
    }
    return numSettled;
  }

private:
  void visit(Block &block, Pending &pending, bool inserts);
  void visit(scf::WhileOp loop, Pending &pending, bool inserts);
  void visit(scf::IfOp choice, Pending &pending, bool inserts);
  void settle(WgmmaWaitOp wait, const Pending &pending);

  unsigned numSettled = 0;
};
} // namespace

static void add(Pending &pending, Tuple tuple) {
  if (!llvm::is_contained(pending, tuple))
    pending.push_back(std::move(tuple));
}

/// Sees through a choice between a value and one that does not exist.
static Value skipUndef(Value value) {
  auto choice = value.getDefiningOp<arith::SelectOp>();
  if (!choice)
    return value;
  if (choice.getFalseValue().getDefiningOp<UndefOp>())
    return choice.getTrueValue();
  if (choice.getTrueValue().getDefiningOp<UndefOp>())
    return choice.getFalseValue();
  return value;
}

/// Adds the tuples of `targets` to which `operands` pass the pending ones on. A
/// tuple may be passed on several times.
static void passOn(const Pending &pending, ValueRange operands,
                   ValueRange targets, Pending &passed) {
  for (const Tuple &tuple : pending) {
    SmallVector<SmallVector<Value>, 2> copies;
    for (auto [number, value] : llvm::enumerate(tuple.values)) {
      unsigned copy = 0;
      for (auto [operand, target] : llvm::zip(operands, targets)) {
        if (skipUndef(operand) != value)
          continue;
        if (copy == copies.size())
          copies.emplace_back();
        if (copies[copy].size() == number)
          copies[copy].push_back(target);
        ++copy;
      }
    }
    for (SmallVector<Value> &copy : copies)
      if (copy.size() == tuple.values.size())
        add(passed, {std::move(copy), tuple.type});
  }
}

/// Lets whoever reads pending sums behind the wait read them from a
/// `ptx.settle`.
void Settling::settle(WgmmaWaitOp wait, const Pending &pending) {
  Block *block = wait->getBlock();
  for (const Tuple &tuple : pending) {
    SmallVector<OpOperand *> uses;
    for (Value value : tuple.values)
      for (OpOperand &use : value.getUses()) {
        Operation *user = block->findAncestorOpInBlock(*use.getOwner());
        if (user && wait->isBeforeInBlock(user))
          uses.push_back(&use);
      }
    if (uses.empty())
      continue;
    OpBuilder builder(wait->getContext());
    builder.setInsertionPointAfter(wait);
    auto settled = SettleOp::create(builder, wait.getLoc(),
                                    ValueRange(tuple.values).getTypes(),
                                    tuple.values, tuple.type);
    DenseMap<Value, Value> results;
    for (auto [value, result] : llvm::zip(tuple.values, settled.getSettled()))
      results[value] = result;
    for (OpOperand *use : uses)
      use->set(results.lookup(use->get()));
    ++numSettled;
  }
}

void Settling::visit(scf::WhileOp loop, Pending &pending, bool inserts) {
  Pending carried, forwarded;
  passOn(pending, loop.getInits(), loop.getBeforeArguments(), carried);
  // Visits the loop until its iterations pass on no further tuples. Only then
  // is it known what is pending at each wait.
  auto visitOnce = [&](bool inserting) {
    Pending before = pending, after = pending;
    for (const Tuple &tuple : carried)
      add(before, tuple);
    visit(*loop.getBeforeBody(), before, inserting);
    forwarded.clear();
    ValueRange arguments = loop.getConditionOp().getArgs();
    passOn(before, arguments, loop.getResults(), forwarded);
    passOn(before, arguments, loop.getAfterArguments(), after);
    visit(*loop.getAfterBody(), after, inserting);
    size_t known = carried.size();
    passOn(after, loop.getYieldOp().getOperands(), loop.getBeforeArguments(),
           carried);
    return carried.size() != known;
  };
  while (visitOnce(/*inserting=*/false))
    ;
  if (inserts)
    visitOnce(/*inserting=*/true);
  for (const Tuple &tuple : forwarded)
    add(pending, tuple);
}

void Settling::visit(scf::IfOp choice, Pending &pending, bool inserts) {
  Pending passed;
  for (Region &region : choice->getRegions()) {
    if (region.empty())
      continue;
    Pending inside = pending;
    visit(region.front(), inside, inserts);
    passOn(inside, region.front().getTerminator()->getOperands(),
           choice.getResults(), passed);
  }
  for (const Tuple &tuple : passed)
    add(pending, tuple);
}

/// Visits the ops of a block. `pending` are the sums that may be pending in
/// front of it, and then behind it.
void Settling::visit(Block &block, Pending &pending, bool inserts) {
  for (Operation &op : block) {
    if (auto multiply = dyn_cast<WgmmaOp>(op)) {
      Tuple before{SmallVector<Value>(multiply.getMultiply().c),
                   multiply.getTy()};
      llvm::erase(pending, before);
      pending.push_back(
          {SmallVector<Value>(multiply.getD()), multiply.getTy()});
    } else if (auto wait = dyn_cast<WgmmaWaitOp>(op)) {
      if (inserts)
        settle(wait, pending);
      pending.clear();
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      visit(loop, pending, inserts);
    } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
      visit(choice, pending, inserts);
    } else {
      for (Region &region : op.getRegions())
        for (Block &inner : region) {
          Pending inside = pending;
          visit(inner, inside, inserts);
        }
    }
  }
}

namespace {
struct SettleSumsPass
    : public ptxjit::impl::SettleSumsPassBase<SettleSumsPass> {
  using Base::Base;

  void runOnOperation() override {
    bool waits = getOperation()
                     .walk([](WgmmaWaitOp) { return WalkResult::interrupt(); })
                     .wasInterrupted();
    unsigned numSettled = waits ? Settling().run(getOperation()) : 0;
    remarkCounts(getOperation(), "ptx-settle-sums",
                 {{"sums of warpgroups that a wait completes", numSettled}});
  }
};
} // namespace
