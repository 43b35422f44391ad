//===- PrefetchTurns.cpp - what a tiled loop loads in its next turn -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "ptxjit/Analysis/Shape.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace ptxjit {
#define GEN_PASS_DEF_PREFETCHTURNSPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// CPUs follow rows that are nearer than half a page by themselves.
static constexpr int64_t kNear = 2048;
/// Prefetches cost time, too, and CPUs have few loads under way at once.
static constexpr size_t kMostLoads = 4;

/// What the loop adds to an address in each turn; null if it does something
/// else, or if `value` is no argument of the loop.
static Value findStep(scf::WhileOp loop, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != loop.getBeforeBody() ||
      !argument.getType().isInteger(64))
    return {};
  std::optional<Induction> induction =
      findInduction(loop, argument.getArgNumber());
  return induction ? induction->steps.front() : Value();
}

/// By what an address moves in each turn: an argument of the loop, or the sum
/// of one and of something that does not change.
static Value findStepOfAddress(scf::WhileOp loop, Value address) {
  if (Value step = findStep(loop, address))
    return step;
  std::optional<FixedAddition> sum = findFixedAddition(loop, address);
  return sum ? findStep(loop, sum->other) : Value();
}

/// Does each turn of the loop wait for the CTA, whatever branches it takes?
static bool hasBarrier(scf::WhileOp loop) {
  return llvm::any_of(loop.getBeforeBody()->getOperations(),
                      llvm::IsaPred<CtaBarrierOpInterface>);
}

namespace {

/// A load whose next address is known.
struct TurnLoad {
  LdOp load;
  Value step;
};

struct PrefetchTurnsPass
    : public ptxjit::impl::PrefetchTurnsPassBase<PrefetchTurnsPass> {
  using Base::Base;

  void runOnOperation() override {
    FuncOp func = getOperation();
    auto target = requireTarget();
    if (failed(target))
      return signalPassFailure();
    if (!func.isStructured())
      return;
    SmallVector<scf::WhileOp> loops;
    func.walk([&](scf::WhileOp loop) {
      if (testsLast(loop) && hasBarrier(loop))
        loops.push_back(loop);
    });
    if (loops.empty())
      return;
    ShapeAnalysis shapes(func, target->getShapeContext());
    unsigned numLoads = 0;
    for (scf::WhileOp loop : loops)
      numLoads += visit(loop, shapes);
    remarkCounts(func, "ptx-prefetch-turns",
                 {{"loads of tiles made early", numLoads}});
  }

private:
  /// Adds prefetches in front of the first barrier. \returns how many.
  unsigned visit(scf::WhileOp loop, const ShapeAnalysis &shapes) {
    SmallVector<TurnLoad> loads;
    for (Operation &op : loop.getBeforeBody()->without_terminator()) {
      if (isa<CtaBarrierOpInterface>(op)) {
        if (loads.empty() || loads.size() > kMostLoads)
          return 0;
        OpBuilder builder(&op);
        for (TurnLoad load : loads)
          prefetch(builder, load);
        return loads.size();
      }
      if (auto load = dyn_cast<LdOp>(op))
        if (Value step = stepOf(loop, load, shapes))
          loads.push_back({load, step});
    }
    return 0;
  }

  /// The step of a load of global memory whose rows the CPU cannot foresee;
  /// else null.
  static Value stepOf(scf::WhileOp loop, LdOp load,
                      const ShapeAnalysis &shapes) {
    if (load.getSpace() != Space::Global || !isWeak(load.getOrder()))
      return {};
    Value step = findStepOfAddress(loop, load.getA());
    IntegerAttr number;
    if (!step || !shapes.get(load.getA()).hasBase() ||
        !shapes.get(step).isUniform() ||
        (matchPattern(step, m_Constant(&number)) &&
         number.getValue().abs().ult(kNear)))
      return {};
    return step;
  }

  static void prefetch(OpBuilder &builder, TurnLoad turn) {
    Location loc = turn.load.getLoc();
    Value next = AddIntOp::create(builder, loc, turn.load.getA().getType(),
                                  turn.load.getA(), turn.step, ScalarType::U64);
    PrefetchRowOp::create(builder, loc, next, turn.load.getOffset());
  }
};
} // namespace
