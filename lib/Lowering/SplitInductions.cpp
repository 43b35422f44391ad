//===- SplitInductions.cpp - steps of pointers apart from lanes -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc gives each access of a loop a pointer of its own, which the loop moves
// on. Such a pointer differs from lane to lane, but all lanes move it by the
// same number of bytes. So it is the sum of the pointer before the loop and of
// what the loop has added so far, which is one scalar for the warp. Only the
// scalar has to go through the loop: neither a vector of addresses nor the
// answer to whether the addresses of the lanes are neighbours changes any more.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "ptxjit/Analysis/IndexedAddress.h"
#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace ptxjit {
#define GEN_PASS_DEF_SPLITINDUCTIONSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

namespace {

/// Splits the inductions of one loop.
class LoopInductions {
public:
  LoopInductions(scf::WhileOp loop, const ShapeAnalysis &shapes)
      : loop(loop), shapes(shapes) {}
  /// \returns how many were split.
  unsigned split();

private:
  void setPassedOn(unsigned number, Value value);
  bool pays(const Induction &induction);
  void split(const Induction &induction);
  void mergeResults();

  scf::WhileOp loop;
  const ShapeAnalysis &shapes;
  SmallVector<Induction> done;
};

} // namespace

void LoopInductions::setPassedOn(unsigned number, Value value) {
  OpOperand &operand = loop.getConditionOp().getArgsMutable()[number];
  auto choice = operand.get().getDefiningOp<arith::SelectOp>();
  operand.set(value);
  if (choice && choice.use_empty())
    choice.erase();
}

/// A scalar and known offsets are no vector as they are. Of a vector of
/// addresses, only the indices it was made from are left. Any other vector of
/// which nothing is known is added to in each turn in either form. What other
/// arguments get, too, has to stay as it is.
bool LoopInductions::pays(const Induction &induction) {
  if (!loop.getAfterArguments()[induction.result].hasOneUse())
    return false;
  Value init = loop.getInits()[induction.argument];
  const Shape &begin = shapes.get(init);
  bool hasLargeGroups = begin.hasGroups() && (*begin.groups)[1] == 0;
  bool isIndexed = begin.isVarying() && findIndex(init, shapes);
  return (begin.conditional || hasLargeGroups || isIndexed) &&
         llvm::all_of(induction.steps,
                      [&](Value step) { return shapes.get(step).isUniform(); });
}

void LoopInductions::split(const Induction &induction) {
  OpBuilder builder(loop);
  OpOperand &init = loop.getInitsMutable()[induction.argument];
  Value begin = init.get();
  Value added = loop.getBeforeArguments()[induction.argument];
  AddIntOp last = induction.additions.back();
  auto add = [&](Location loc, Value a, Value b) -> Value {
    auto sum = cast<AddIntOp>(builder.clone(*last));
    sum->setLoc(loc);
    sum.getAMutable().assign(a);
    sum.getBMutable().assign(b);
    return sum.getD();
  };
  init.set(arith::ConstantOp::create(
      builder, loop.getLoc(), builder.getIntegerAttr(begin.getType(), 0)));
  // Inductions with one step share the scalar. That of the later ones is dead.
  auto *same = llvm::find_if(done, [&](const Induction &other) {
    return other.steps == induction.steps;
  });
  Value shared = same == done.end()
                     ? added
                     : Value(loop.getBeforeArguments()[same->argument]);

  Value result = loop.getResult(induction.result);
  builder.setInsertionPointAfter(loop);
  if (!result.use_empty()) {
    Value end = add(last.getLoc(), begin, result);
    result.replaceAllUsesExcept(end, end.getDefiningOp());
  }
  builder.setInsertionPointToStart(loop.getBeforeBody());
  Value sum = add(last.getLoc(), begin, shared);
  added.replaceAllUsesExcept(sum, sum.getDefiningOp());
  builder.setInsertionPoint(last);
  Value next = added;
  for (Value step : induction.steps)
    next = add(last.getLoc(), next, step);
  setPassedOn(induction.result, next);
  for (AddIntOp addition : llvm::reverse(induction.additions))
    if (isOpTriviallyDead(addition))
      addition->erase();
}

/// Lets results be one that have the same value. The others stay, unused.
void LoopInductions::mergeResults() {
  OpBuilder builder(loop);
  llvm::SmallDenseMap<Value, unsigned> known;
  for (unsigned i = 0, e = loop.getNumResults(); i < e; ++i) {
    Value value = getPassedOn(loop, i);
    auto [it, isNew] = known.try_emplace(value, i);
    unsigned first = it->second;
    if (isNew)
      continue;
    setPassedOn(first, value);
    setPassedOn(i, UndefOp::create(builder, loop.getLoc(), value.getType()));
    loop.getResult(i).replaceAllUsesWith(loop.getResult(first));
    loop.getAfterArguments()[i].replaceAllUsesWith(
        loop.getAfterArguments()[first]);
  }
}

unsigned LoopInductions::split() {
  mergeResults();
  for (unsigned i = 0, e = loop.getBeforeArguments().size(); i < e; ++i) {
    std::optional<Induction> induction = findInduction(loop, i, kMostSteps);
    if (!induction || !pays(*induction))
      continue;
    split(*induction);
    done.push_back(*induction);
  }
  return done.size();
}

namespace {
struct SplitInductionsPass
    : public ptxjit::impl::SplitInductionsPassBase<SplitInductionsPass> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    auto target = requireTarget();
    if (failed(target))
      return signalPassFailure();
    if (!func.isStructured())
      return;
    // Inner loops come first: the shapes of what they begin with are known.
    SmallVector<scf::WhileOp> loops;
    func.walk([&](scf::WhileOp loop) {
      if (testsLast(loop))
        loops.push_back(loop);
    });
    if (loops.empty())
      return;
    ShapeAnalysis shapes(func, target->getShapeContext());
    unsigned numSplit = 0;
    for (scf::WhileOp loop : loops)
      numSplit += LoopInductions(loop, shapes).split();
    remarkCounts(func, "ptx-split-inductions",
                 {{"pointers that move by one step in all lanes", numSplit}});
  }
};
} // namespace
