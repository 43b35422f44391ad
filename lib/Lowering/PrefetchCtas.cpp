//===- PrefetchCtas.cpp - what the next CTA loads -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CTA that loads a row, waits at a barrier and computes leaves the memory
// idle for as long as it computes. The CPU runs the next CTA behind it, so what
// that one will load is fetched meanwhile.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Loops.h"
#include "ptxjit/Analysis/Shape.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Lowering/Passes.h"
#include "ptxjit/Lowering/Remarks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"

namespace ptxjit {
#define GEN_PASS_DEF_PREFETCHCTASPASS
#include "ptxjit/Lowering/Passes.h.inc"
} // namespace ptxjit

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Prefetches cost time, too.
static constexpr unsigned kMostLoads = 16;
/// Values that an address may depend on, which bounds compile time.
static constexpr unsigned kMostValues = 64;

namespace {

/// What a value of a thread is in the next CTA of the grid's row.
enum class InNextCta : uint8_t { Same, Other, Unknown };

/// Where values come from.
class Sources {
public:
  InNextCta get(Value v);
  /// The parameters, by number, that `v` may depend on. Values that a loop
  /// carries are not told apart.
  llvm::SmallSetVector<int64_t, 2> paramsOf(Value v);

private:
  InNextCta find(Value v);
  InNextCta findOfOp(Operation *op);

  DenseMap<Value, InNextCta> known;
};

/// Computes the values of a later CTA in front of an op.
class NextCta {
public:
  /// \param distance  of the numbers of the CTAs.
  NextCta(Sources &sources, DominanceInfo &dominance, Operation *before,
          int distance)
      : sources(sources), dominance(dominance), before(before), b(before),
        distance(distance) {}
  Value get(Value v);

private:
  Value getNumber();

  Sources &sources;
  DominanceInfo &dominance;
  Operation *before;
  OpBuilder b;
  int distance;
  IRMapping mapped;
  Value number; ///< of the later CTA
};

} // namespace

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

static InNextCta ofRegister(SpecialRegister reg) {
  if (reg == SpecialRegister::CtaidX)
    return InNextCta::Other;
  bool isSame = reg <= SpecialRegister::NctaidZ ||
                reg == SpecialRegister::LaneId ||
                reg == SpecialRegister::WarpId;
  return isSame ? InNextCta::Same : InNextCta::Unknown;
}

static bool isParamLoad(Operation *op) {
  auto load = dyn_cast<LdOp>(op);
  return load && load.getSpace() == Space::Param;
}

InNextCta Sources::get(Value v) {
  if (auto it = known.find(v); it != known.end())
    return it->second;
  if (known.size() >= kMostValues * kMostLoads)
    return InNextCta::Unknown;
  known[v] = InNextCta::Unknown;
  return known[v] = find(v);
}

InNextCta Sources::find(Value v) {
  if (Operation *op = v.getDefiningOp())
    return findOfOp(op);
  auto argument = cast<BlockArgument>(v);
  auto loop = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
  if (!loop || argument.getOwner() != loop.getBeforeBody() || !testsLast(loop))
    return InNextCta::Unknown;
  auto induction = findInduction(loop, argument.getArgNumber());
  return induction && get(induction->steps.front()) == InNextCta::Same
             ? get(loop.getInits()[argument.getArgNumber()])
             : InNextCta::Unknown;
}

InNextCta Sources::findOfOp(Operation *op) {
  if (auto reg = dyn_cast<SRegOp>(op))
    return ofRegister(reg.getReg());
  if (op->getNumRegions() || !(isMemoryEffectFree(op) || isParamLoad(op)))
    return InNextCta::Unknown;
  InNextCta all = InNextCta::Same;
  for (Value operand : op->getOperands())
    all = std::max(all, get(operand));
  return all;
}

llvm::SmallSetVector<int64_t, 2> Sources::paramsOf(Value v) {
  llvm::SmallSetVector<int64_t, 2> params;
  SetVector<Value> values;
  values.insert(v);
  for (unsigned i = 0; i < values.size() && i < kMostValues; ++i) {
    Value value = values[i];
    Operation *op = value.getDefiningOp();
    if (!op)
      op = value.getParentBlock()->getParentOp();
    if (auto param = dyn_cast<ParamAddressOp>(op))
      params.insert(param.getIndex());
    values.insert(op->operand_begin(), op->operand_end());
  }
  return params;
}

//===----------------------------------------------------------------------===//
// The next CTA
//===----------------------------------------------------------------------===//

/// The last CTAs of a row take the number of the last one.
Value NextCta::getNumber() {
  if (number)
    return number;
  Location loc = before->getLoc();
  Type i32 = b.getI32Type();
  auto plus = [&](SpecialRegister reg, int amount) -> Value {
    Value own = SRegOp::create(b, loc, i32, reg);
    Value other = arith::ConstantIntOp::create(b, loc, amount, 32);
    return AddIntOp::create(b, loc, i32, own, other, ScalarType::U32);
  };
  Value next = plus(SpecialRegister::CtaidX, distance);
  Value last = plus(SpecialRegister::NctaidX, -1);
  return number = MinIntOp::create(b, loc, i32, next, last, ScalarType::U32);
}

Value NextCta::get(Value v) {
  InNextCta kind = sources.get(v);
  assert(kind != InNextCta::Unknown && "nobody asks for these");
  if (kind == InNextCta::Same && dominance.properlyDominates(v, before))
    return v;
  if (Value found = mapped.lookupOrNull(v))
    return found;
  Operation *op = v.getDefiningOp();
  if (isa_and_nonnull<SRegOp>(op) && kind == InNextCta::Other)
    return getNumber();
  if (op) {
    for (Value operand : op->getOperands())
      mapped.map(operand, get(operand));
    b.clone(*op, mapped);
    return mapped.lookup(v);
  }
  // A loop moves it by the same steps as that of this CTA.
  auto argument = cast<BlockArgument>(v);
  auto loop = cast<scf::WhileOp>(argument.getOwner()->getParentOp());
  Value init = loop.getInits()[argument.getArgNumber()], next = get(init);
  Location loc = before->getLoc();
  ScalarType type =
      v.getType().isInteger(64) ? ScalarType::U64 : ScalarType::U32;
  Value way = SubIntOp::create(b, loc, v.getType(), next, init, type);
  Value moved = AddIntOp::create(b, loc, v.getType(), v, way, type);
  mapped.map(v, moved);
  return moved;
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

namespace {
struct PrefetchCtasPass
    : public ptxjit::impl::PrefetchCtasPassBase<PrefetchCtasPass> {
  using Base::Base;

  void runOnOperation() override;

private:
  bool isCandidate(LdOp load);
  void prefetch(LdOp load, Operation *before);
  void visitFirstPart(Operation *barrier);
  void visitLoop(scf::WhileOp loop);

  std::optional<KernelTarget> target;
  Sources *sources = nullptr;
  const ShapeAnalysis *shapes = nullptr;
  DominanceInfo *dominance = nullptr;
  llvm::SmallSetVector<int64_t, 2>
      looped; ///< parameters read by the first loops
  unsigned numLoads = 0;
};
} // namespace

static bool isInLoop(Operation *op) {
  return op->getParentOfType<scf::WhileOp>() != nullptr;
}

static bool hasBarrier(Operation *op) {
  return op->walk([](CtaBarrierOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// How many CTAs ahead the CPU fetches. Narrow tiles have borders, with which a
/// CTA has loaded what the next one begins with.
static int distanceFor(LdOp load, const KernelTarget &target) {
  constexpr int64_t kNarrow = 128;
  int64_t bytes = bytesOf(elementOf(load)) * int64_t(load.getD().size());
  return target.block[1] > 1 && target.block[0] * bytes <= kNarrow ? 2 : 1;
}

/// `count` ops between a barrier and the next one, as far apart as possible: a
/// CPU that has too many loads under way waits.
static SmallVector<Operation *> placesBehind(Operation *barrier, size_t count) {
  SmallVector<Operation *> ops, places;
  for (Operation *op = barrier->getNextNode(); op; op = op->getNextNode()) {
    ops.push_back(op);
    if (isa<CtaBarrierOpInterface>(op))
      break;
  }
  for (size_t i = 0; i < count; ++i)
    places.push_back(ops[i * ops.size() / count]);
  return places;
}

void PrefetchCtasPass::prefetch(LdOp load, Operation *before) {
  NextCta next(*sources, *dominance, before, distanceFor(load, *target));
  OpBuilder b(before);
  Value at = next.get(load.getA());
  PrefetchRowOp::create(b, load.getLoc(), at, load.getOffset());
}

/// Does the next CTA load from elsewhere, by addresses that can be computed?
bool PrefetchCtasPass::isCandidate(LdOp load) {
  return load.getSpace() == Space::Global && isWeak(load.getOrder()) &&
         shapes->get(load.getA()).hasBase() &&
         sources->get(load.getA()) == InNextCta::Other;
}

/// Fetches behind the first barrier what the next CTA loads in front of it.
void PrefetchCtasPass::visitFirstPart(Operation *barrier) {
  SmallVector<LdOp> loads;
  for (Operation &op : *barrier->getBlock()) {
    if (&op == barrier)
      break;
    op.walk([&](LdOp load) {
      if (!isCandidate(load))
        return;
      if (!isInLoop(load))
        loads.push_back(load);
      else
        looped.insert_range(sources->paramsOf(load.getA()));
    });
  }
  if (loads.size() > kMostLoads)
    return;
  SmallVector<Operation *> places = placesBehind(barrier, loads.size());
  for (auto [load, place] : llvm::zip(loads, places))
    prefetch(load, place);
  numLoads += loads.size();
}

/// A loop that loads again what the first part has loaded in a loop fetches the
/// same for the next CTA.
void PrefetchCtasPass::visitLoop(scf::WhileOp loop) {
  SmallVector<LdOp> loads;
  loop.getBefore().walk([&](LdOp load) {
    if (load->getParentOp() == loop && isCandidate(load) &&
        llvm::any_of(sources->paramsOf(load.getA()),
                     [&](int64_t param) { return looped.contains(param); }))
      loads.push_back(load);
  });
  if (loads.size() > kMostLoads)
    return;
  for (LdOp load : loads) {
    prefetch(load, load);
    for (int64_t param : sources->paramsOf(load.getA()))
      looped.remove(param);
  }
  numLoads += loads.size();
}

void PrefetchCtasPass::runOnOperation() {
  FuncOp func = getOperation();
  auto found = requireTarget();
  if (failed(found))
    return signalPassFailure();
  target = *found;
  if (!func.isStructured() || !target->fission)
    return;
  Block &body = func.getBody().front();
  auto barrier = llvm::find_if(body, llvm::IsaPred<CtaBarrierOpInterface>);
  if (barrier == body.end())
    return;
  ShapeAnalysis shapesOfFunc(func, target->getShapeContext());
  Sources sourcesOfFunc;
  DominanceInfo dominanceOfFunc(func);
  shapes = &shapesOfFunc;
  sources = &sourcesOfFunc;
  dominance = &dominanceOfFunc;
  looped.clear();
  numLoads = 0;

  SmallVector<scf::WhileOp> loops;
  for (Operation &op : llvm::make_range(std::next(barrier), body.end()))
    op.walk([&](scf::WhileOp loop) {
      if (!isInLoop(loop) && testsLast(loop) && !hasBarrier(loop))
        loops.push_back(loop);
    });
  visitFirstPart(&*barrier);
  for (scf::WhileOp loop : loops)
    visitLoop(loop);
  remarkCounts(func, "ptx-prefetch-ctas",
               {{"loads of the next CTA made early", numLoads}});
}
