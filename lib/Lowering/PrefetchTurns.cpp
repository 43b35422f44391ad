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
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

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

/// The most ops that compute an address in a turn.
static constexpr size_t kMostOps = 16;

namespace {

/// The address of a load in the next turn of a loop: that of this turn,
/// computed from the next numbers of what the loop counts. It may be wrong
/// where the loop ends, or where a number wraps around.
class NextAddress {
public:
  /// \pre testsLast(loop)
  NextAddress(scf::WhileOp loop, Value address) : loop(loop), address(address) {
    isKnown = collect(address) && !steps.empty();
  }
  bool operator!() const { return !isKnown; }
  /// By how many bytes the address moves, if that is a constant.
  std::optional<int64_t> distance() const { return stepOf(address); }
  /// Do all lanes move by as much?
  bool movesTogether(const ShapeAnalysis &shapes) const {
    return llvm::all_of(steps, [&](const auto &step) {
      return shapes.get(step.second.fixed).isUniform();
    });
  }
  Value build(OpBuilder &builder) const;

private:
  bool isFixed(Value value) const {
    return scf::WhileOp(loop).isDefinedOutsideOfLoop(value);
  }
  bool collect(Value value);
  std::optional<int64_t> stepOf(Value value) const;

  scf::WhileOp loop;
  Value address;
  llvm::SmallSetVector<Operation *, kMostOps> ops; ///< operands come first
  /// Arguments of the loop, and the additions of each turn to them.
  llvm::SmallMapVector<Value, FixedAddition, 2> steps;
  bool isKnown;
};

} // namespace

/// Collects the ops of a turn that `value` is computed from. \returns false if
/// they are too many, have effects, or need something that the loop does not
/// count.
bool NextAddress::collect(Value value) {
  if (isFixed(value))
    return true;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != loop.getBeforeBody())
      return false;
    std::optional<Induction> induction =
        findInduction(loop, argument.getArgNumber());
    if (induction)
      steps[value] = {induction->additions.front(), induction->steps.front(),
                      value};
    return induction.has_value();
  }
  Operation *op = value.getDefiningOp();
  if (ops.contains(op))
    return true;
  if (op->getBlock() != loop.getBeforeBody() || op->getNumRegions() ||
      !isMemoryEffectFree(op) || op->getNumOperands() == 0 ||
      !llvm::all_of(op->getOperands(), [&](Value v) { return collect(v); }))
    return false;
  ops.insert(op);
  return ops.size() <= kMostOps;
}

static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) ||
      number.getSignificantBits() > 32)
    return std::nullopt;
  return number.getSExtValue();
}

/// Returns x * y, if both are known and it has 64 bits.
static std::optional<int64_t> product(std::optional<int64_t> x,
                                      std::optional<int64_t> y) {
  return x && y ? llvm::checkedMul(*x, *y) : std::nullopt;
}

/// Returns x + y, likewise.
static std::optional<int64_t> sum(std::optional<int64_t> x,
                                  std::optional<int64_t> y) {
  return x && y ? llvm::checkedAdd(*x, *y) : std::nullopt;
}

/// By how much `value` grows from turn to turn, if that is a constant and
/// nothing wraps around.
std::optional<int64_t> NextAddress::stepOf(Value value) const {
  if (isFixed(value))
    return 0;
  if (const auto *step = steps.find(value); step != steps.end())
    return constantOf(step->second.fixed);
  auto ofProduct = [&](Value a, Value b) {
    std::optional<int64_t> step = stepOf(a);
    return step == 0 && stepOf(b) == 0 ? step : product(step, constantOf(b));
  };
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(
             value.getDefiningOp())
      .Case<AddIntOp>([&](AddIntOp op) {
        return sum(stepOf(op.getA()), stepOf(op.getB()));
      })
      .Case<MulIntOp>(
          [&](MulIntOp op) { return ofProduct(op.getA(), op.getB()); })
      .Case<MadIntOp>([&](MadIntOp op) {
        return sum(ofProduct(op.getA(), op.getB()), stepOf(op.getC()));
      })
      .Case<ShlOp>([&](ShlOp op) -> std::optional<int64_t> {
        std::optional<int64_t> amount = constantOf(op.getB());
        if (!amount || *amount < 0 || *amount >= 16)
          return std::nullopt;
        return product(stepOf(op.getA()), int64_t(1) << *amount);
      })
      .Case<CvtOp, CvtaOp>([&](auto op) { return stepOf(op.getA()); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Computes it; the ops may stand anywhere in a turn behind those of the
/// address.
Value NextAddress::build(OpBuilder &builder) const {
  IRMapping next;
  for (auto &[argument, step] : steps)
    next.map(argument, builder.clone(*step.addition)->getResult(0));
  for (Operation *op : ops)
    builder.clone(*op, next);
  return next.lookup(address);
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
  NextAddress next;
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
    std::vector<TurnLoad> loads;
    for (Operation &op : loop.getBeforeBody()->without_terminator()) {
      if (isa<CtaBarrierOpInterface>(op)) {
        if (loads.empty() || loads.size() > kMostLoads)
          return 0;
        OpBuilder builder(&op);
        for (TurnLoad &turn : loads)
          PrefetchRowOp::create(builder, turn.load.getLoc(),
                                turn.next.build(builder),
                                turn.load.getOffset());
        return loads.size();
      }
      if (auto load = dyn_cast<LdOp>(op)) {
        NextAddress next(loop, load.getA());
        if (isFar(load, next, shapes))
          loads.push_back({load, std::move(next)});
      }
    }
    return 0;
  }

  /// Does a load of global memory go to a row that the CPU cannot foresee?
  static bool isFar(LdOp load, const NextAddress &next,
                    const ShapeAnalysis &shapes) {
    if (load.getSpace() != Space::Global || !isWeak(load.getOrder()) || !next ||
        !next.movesTogether(shapes) || !shapes.get(load.getA()).hasBase())
      return false;
    std::optional<int64_t> distance = next.distance();
    return !distance || std::abs(*distance) >= kNear;
  }
};
} // namespace
