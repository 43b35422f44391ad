//===- JoinGuards.cpp - test the guards of neighbouring accesses together -===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compilers guard each element of a vector that need not be whole by itself
// (`i < n`, `i + 1 < n`, ...). Almost everywhere all guards hold in all lanes.
// There, one test is enough, and neighbouring accesses stand side by side.
//
//===----------------------------------------------------------------------===//

#include "JoinGuards.h"
#include "Linearize.h"
#include "ptxjit/Analysis/ShapeText.h"
#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

namespace ptxjit {
#define GEN_PASS_DEF_JOINGUARDSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

static constexpr char kPartial[] = "ptx.partial";

bool ptxjit::isPartial(Operation *access) { return access->hasAttr(kPartial); }

/// The most guards of one test. A vector of elements has no more.
static constexpr size_t kMostGuards = 8;
/// The most ops of a guarded region: accesses, and what converts their values.
static constexpr size_t kMostOps = 8;

/// A value as a sum of another one and a constant.
static std::pair<Value, int64_t> splitSum(Value value) {
  IntegerAttr constant;
  auto add = value.getDefiningOp<AddIntOp>();
  if (add && matchPattern(add.getB(), m_Constant(&constant)))
    return {add.getA(), constant.getValue().getSExtValue()};
  return {value, 0};
}

/// Is `b` the next integer behind `a`?
static bool isNext(Value a, Value b) {
  auto [baseA, constantA] = splitSum(a);
  auto [baseB, constantB] = splitSum(b);
  return baseA == baseB && constantB == constantA + 1;
}

/// Does guard `b` test the element behind the one that `a` tests, or the same?
static bool isGuardBehind(Value a, Value b) {
  if (a == b)
    return true;
  auto testA = a.getDefiningOp<SetpOp>(), testB = b.getDefiningOp<SetpOp>();
  if (!testA || !testB || testA.getC() || testB.getC() ||
      testA.getP().size() != 1 || testB.getP().size() != 1 ||
      testA.getProperties() != testB.getProperties())
    return false;
  return (testA.getB() == testB.getB() && isNext(testA.getA(), testB.getA())) ||
         (testA.getA() == testB.getA() && isNext(testA.getB(), testB.getB()));
}

/// Is this a conditional that does a few accesses, or else nothing?
static bool isGuarded(scf::IfOp op) {
  Block &then = *op.thenBlock();
  if (!op.getElseRegion().empty() &&
      !op.elseBlock()->without_terminator().empty())
    return false;
  auto ops = then.without_terminator();
  return !ops.empty() && llvm::hasNItemsOrLess(ops, kMostOps) &&
         llvm::all_of(ops, [](Operation &inner) {
           return isa<LdOp, StOp>(inner) ||
                  (isMemoryEffectFree(&inner) && !inner.getNumRegions());
         });
}

namespace {
struct JoinGuardsPass
    : public ptxjit::impl::JoinGuardsPassBase<JoinGuardsPass> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    auto target = requireTarget();
    if (failed(target))
      return signalPassFailure();
    if (!func.isStructured())
      return;
    ShapeAnalysis analysis(func, target->getShapeContext());
    shapes = &analysis;
    numJoined = 0;
    visit(func.getBody().front());
    shapes = nullptr;
    for (Operation *op : discarded)
      op->destroy();
    discarded.clear();
    remarkCounts(func, "ptx-join-guards",
                 {{"guards tested together with others", numJoined}});
  }

private:
  void visit(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto ifOp = dyn_cast<scf::IfOp>(op);
      if (ifOp && isGuarded(ifOp) && !shapes->isUniform(ifOp.getCondition())) {
        extendGroup(ifOp);
        continue;
      }
      // A group never reaches into a region.
      if (op.getNumRegions())
        closeGroup();
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          visit(inner);
      if (!group.empty() && !op.hasTrait<OpTrait::IsTerminator>())
        passBy(&op);
    }
    closeGroup();
  }

  /// Adds a conditional to the group, or begins a new one with it.
  void extendGroup(scf::IfOp op) {
    bool fits = !group.empty() && group.size() < kMostGuards &&
                isGuardBehind(group.back().getCondition(), op.getCondition());
    if (fits)
      op->walk([&](Operation *inner) { fits &= !dependsOnGroup(inner); });
    if (!fits)
      closeGroup();
    group.push_back(op);
  }

  /// Decides what becomes of an op behind the first conditional of the group.
  void passBy(Operation *op) {
    if (!isMemoryEffectFree(op) || op->getNumRegions())
      closeGroup();
    else if (dependsOnGroup(op))
      late.insert(op);
    else
      early.push_back(op);
  }

  /// Does the op use what the group, or an op behind it, makes?
  bool dependsOnGroup(Operation *op) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      Operation *source = operand.getDefiningOp();
      return source &&
             (late.contains(source) || llvm::is_contained(group, source));
    });
  }

  void closeGroup() {
    if (group.size() > 1)
      join();
    group.clear();
    early.clear();
    late.clear();
  }

  void join() {
    scf::IfOp first = group.front();
    for (Operation *op : early)
      op->moveBefore(first);
    tell();
    numJoined += group.size();
    OpBuilder b(first);
    SmallVector<Value> results;
    for (scf::IfOp op : group)
      llvm::append_range(results, op.getResults());
    scf::IfOp joined;
    if (llvm::all_of(group, [&](scf::IfOp op) {
          return op.getCondition() == first.getCondition();
        })) {
      joined = makeIf(b, first.getCondition(), results);
      addElseValues(*joined.elseBlock());
    } else {
      Value every = combine(b, /*every=*/true);
      joined = makeIf(b, AllOp::create(b, first.getLoc(), b.getI1Type(), every),
                      results);
      addPartial(*joined.elseBlock(), every, results);
    }
    addAccesses(*joined.thenBlock());
    for (auto [from, to] : llvm::zip(results, joined.getResults()))
      from.replaceAllUsesWith(to);
    for (scf::IfOp op : group)
      discard(op);
  }

  scf::IfOp makeIf(OpBuilder &b, Value condition, ValueRange results) {
    return scf::IfOp::create(b, group.front().getLoc(), results.getTypes(),
                             condition, /*addThenBlock=*/true,
                             /*addElseBlock=*/true);
  }

  /// Whether every guard holds, or any.
  Value combine(OpBuilder &b, bool every) {
    Location loc = group.front().getLoc();
    Value decided = arith::ConstantIntOp::create(b, loc, every ? 0 : 1, 1);
    Value value = group.front().getCondition();
    for (scf::IfOp op : ArrayRef(group).drop_front()) {
      Value next = op.getCondition();
      value = every ? arith::SelectOp::create(b, loc, value, next, decided)
                    : arith::SelectOp::create(b, loc, value, decided, next);
    }
    return value;
  }

  /// Does all accesses without guards.
  void addAccesses(Block &block, bool isPartial = false) {
    OpBuilder b = OpBuilder::atBlockEnd(&block);
    SmallVector<Value> values;
    for (scf::IfOp op : group) {
      IRMapping mapping;
      for (Operation &inner : op.thenBlock()->without_terminator())
        mark(b.clone(inner, mapping), isPartial);
      for (Value value : op.thenYield().getOperands())
        values.push_back(mapping.lookupOrDefault(value));
    }
    scf::YieldOp::create(b, group.front().getLoc(), values);
  }

  /// Yields what the conditionals yield where their guards do not hold.
  void addElseValues(Block &block) {
    OpBuilder b = OpBuilder::atBlockEnd(&block);
    SmallVector<Value> values;
    for (scf::IfOp op : group)
      if (op.getNumResults())
        llvm::append_range(values, op.elseYield().getOperands());
    scf::YieldOp::create(b, group.front().getLoc(), values);
  }

  /// Some lanes skip some accesses. If each skips all or none of them, as at
  /// the end of a row of whole vectors, one guard is enough.
  void addPartial(Block &block, Value every, ArrayRef<Value> results) {
    OpBuilder b = OpBuilder::atBlockEnd(&block);
    Location loc = group.front().getLoc();
    Value yes = arith::ConstantIntOp::create(b, loc, 1, 1);
    Value none =
        arith::XOrIOp::create(b, loc, combine(b, /*every=*/false), yes);
    Value agree =
        AllOp::create(b, loc, b.getI1Type(),
                      arith::SelectOp::create(b, loc, every, yes, none));
    scf::IfOp choice = makeIf(b, agree, results);
    scf::YieldOp::create(b, loc, choice.getResults());

    b.setInsertionPointToEnd(choice.thenBlock());
    scf::IfOp together = makeIf(b, every, results);
    together->setAttr(kClonedAttr, b.getUnitAttr());
    scf::YieldOp::create(b, loc, together.getResults());
    addAccesses(*together.thenBlock(), /*isPartial=*/true);
    addElseValues(*together.elseBlock());

    Block *apart = choice.elseBlock();
    b.setInsertionPointToEnd(apart);
    for (scf::IfOp op : group) {
      auto own = cast<scf::IfOp>(b.clone(*op));
      own->setAttr(kClonedAttr, b.getUnitAttr());
      for (Operation &inner : *own.thenBlock())
        mark(&inner, /*isPartial=*/true);
    }
    SmallVector<Value> values;
    for (Operation &op : *apart)
      llvm::append_range(values, op.getResults());
    scf::YieldOp::create(b, loc, values);
  }

  static void mark(Operation *op, bool isPartial) {
    if (isPartial && isa<LdOp, StOp>(op))
      op->setAttr(kPartial, UnitAttr::get(op->getContext()));
  }

  /// Removes an op, but keeps its memory: shapes are looked up by the addresses
  /// of values.
  void discard(Operation *op) {
    op->dropAllReferences();
    op->remove();
    discarded.push_back(op);
  }

  void tell() {
    if (!wantsRemarks(group.front()))
      return;
    std::string line = std::to_string(lineOf(group.front().getLoc()));
    for (scf::IfOp op : ArrayRef(group).drop_front())
      remarkDecision(op, {kBranchRemark,
                          "guard tested with that of line " + line, "", ""});
  }

  const ShapeAnalysis *shapes = nullptr;
  unsigned numJoined = 0;
  /// Conditionals in order. Nothing with effects stands between them.
  SmallVector<scf::IfOp> group;
  /// What stands between them, and may stand in front of or behind the group.
  SmallVector<Operation *> early;
  DenseSet<Operation *> late;
  SmallVector<Operation *> discarded;
};
} // namespace
