//===- ExecutionMode.cpp - how a kernel's warps are run -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Analysis/ExecutionMode.h"

#include "CtaWaits.h"
#include "Place.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/RegionGraphTraits.h"
#include "ptxjit/Analysis/PartValues.h"
#include "ptxjit/Analysis/Waiting.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SCCIterator.h"

#include <algorithm>

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

llvm::StringRef ptxjit::describe(ExecutionMode mode) {
  switch (mode) {
  case ExecutionMode::WarpLoop:
    return "warp loop";
  case ExecutionMode::Fission:
    return "fission";
  case ExecutionMode::Fibers:
    return "fibers";
  case ExecutionMode::Threads:
    return "threads";
  }
  llvm_unreachable("all modes are named");
}

/// Does the called function have a body? Functions without one belong to the
/// runtime, which executes them for each lane.
static bool hasBody(CallOp call) {
  auto callee = call->getParentOfType<ModuleOp>().lookupSymbol<FuncOp>(
      call.getCalleeAttr().getAttr());
  return callee && !callee.isBodiless();
}

/// If more bytes of a warp live across a barrier, storing and loading them
/// costs more than switching stacks (measured, see docs/Performance.md).
static constexpr uint64_t kMostLiveBytes = 12 << 10;
/// On a stack of its own, a warp leaves the sums of matrix instructions where
/// these have put them. In a frame they would be registers of threads.
static constexpr uint64_t kMostLiveBytesOfMatrices = 2 << 10;

/// Do so many bytes live across a barrier that each warp needs its own stack?
static bool livesOnStacks(FuncOp kernel, uint64_t bytes) {
  if (bytes <= kMostLiveBytesOfMatrices || bytes > kMostLiveBytes)
    return bytes > kMostLiveBytes;
  auto find = [](MmaOp) { return WalkResult::interrupt(); };
  return kernel.walk(find).wasInterrupted();
}

/// The reason why each thread needs a stack of its own; nothing if it does not.
static std::optional<std::string> findStackReason(FuncOp kernel) {
  std::optional<std::string> why;
  kernel.walk([&](CallOp call) {
    if (!why && hasBody(call))
      why = "a function is called that is not inlined" + placeOf(call);
  });
  if (why)
    return why;
  kernel.walk([&](Operation *op) {
    if (!why && op->hasTrait<UsesStack>())
      why = "the stack is used" + placeOf(op);
  });
  return why;
}

/// The reason why threads must run one by one on stacks of their own; nothing
/// if they need not.
static std::optional<std::string>
findThreadReason(FuncOp kernel, const ShapeAnalysis &shapes) {
  if (auto why = findStackReason(kernel))
    return why;
  if (LaneWait lanes = findLaneWait(kernel, shapes); lanes.op)
    return lanes.why + placeOf(lanes.op);
  return std::nullopt;
}

bool ptxjit::needsStacks(FuncOp kernel) {
  return findStackReason(kernel).has_value();
}

bool ptxjit::needsThreads(FuncOp kernel, const ShapeAnalysis &shapes) {
  return findThreadReason(kernel, shapes).has_value();
}

/// Is this a place where threads meet or give way to each other?
static bool isMeeting(Operation *op) {
  return CtaLevel::isBarrier(op) || op->hasTrait<ClusterWideBarrier>() ||
         op->hasTrait<WarpgroupBarrier>() || op->hasTrait<WholeWarp>() ||
         op->hasTrait<GivesWay>() ||
         isa<WarpCollectiveOpInterface, OrderSharedOp>(op);
}

bool ptxjit::areThreadsIndependent(FuncOp kernel) {
  return !kernel
              .walk([](Operation *op) {
                bool isBound = isMeeting(op) || isa<CallOp, AssertFailOp>(op) ||
                               op->hasTrait<UsesStack>();
                return isBound ? WalkResult::interrupt()
                               : WalkResult::advance();
              })
              .wasInterrupted();
}

bool ptxjit::reliesOnActiveLanes(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        auto collective = dyn_cast<WarpCollectiveOpInterface>(op);
        return isa<ActivemaskOp>(op) ||
                       (collective && !collective.getMemberMask())
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The space of an access by which lanes may hand each other values; nothing
/// for other ops.
static std::optional<Space> sharedSpaceOf(Operation *op) {
  Space space = Space::Generic;
  if (auto load = dyn_cast<LdOp>(op))
    space = load.getSpace().value_or(space);
  else if (auto store = dyn_cast<StOp>(op))
    space = store.getSpace().value_or(space);
  else
    return std::nullopt;
  if (space == Space::SharedCta)
    return Space::Shared;
  bool isShared = space == Space::Generic || space == Space::Global ||
                  space == Space::Shared;
  return isShared ? std::optional(space) : std::nullopt;
}

namespace {
/// The spaces that some loads and stores access, if threads share them.
struct ExchangeSpaces {
  llvm::SmallDenseSet<Space, 4> loaded, stored;

  void add(Operation *op) {
    if (std::optional<Space> space = sharedSpaceOf(op))
      (isa<LdOp>(op) ? loaded : stored).insert(*space);
  }
  /// Is one of them loaded from and stored to?
  bool areExchanged() const {
    return llvm::any_of(loaded, [&](Space s) { return stored.contains(s); });
  }
};
} // namespace

/// Is there a loop that loads from the space that it stores to?
static bool hasLoopThatLoadsWhatItStores(Region &body) {
  for (auto loop = llvm::scc_begin(&body); !loop.isAtEnd(); ++loop) {
    if (!loop.hasCycle())
      continue;
    ExchangeSpaces spaces;
    for (Block *block : *loop) // a guard has its op in a region
      block->walk([&](Operation *op) { spaces.add(op); });
    if (spaces.areExchanged())
      return true;
  }
  return false;
}

/// Is a load or store volatile?
static bool isVolatile(Operation *op) {
  if (auto load = dyn_cast<LdOp>(op))
    return load.getOrder() == Order::Volatile;
  auto store = dyn_cast<StOp>(op);
  return store && store.getOrder() == Order::Volatile;
}

/// Are there volatile loads and stores of shared memory? Programs from the time
/// when all lanes of a warp ran in step write the last turns of a reduction so,
/// without a barrier (`volatile` keeps the compiler from leaving out accesses).
static bool hasVolatileExchange(ModuleOp module) {
  ExchangeSpaces spaces;
  module.walk([&](Operation *op) {
    if (isVolatile(op) && sharedSpaceOf(op) != Space::Global)
      spaces.add(op);
  });
  return spaces.areExchanged();
}

bool ptxjit::mayExchangeInLockstep(ModuleOp module, unsigned threads) {
  if (hasVolatileExchange(module))
    return true;
  bool hasCollective = false, hasBarrier = false, hasLoop = false;
  module.walk([&](Operation *op) {
    bool isBarrier = CtaLevel::isBarrier(op) || isa<BarWarpOp>(op) ||
                     op->hasTrait<ClusterWideBarrier>();
    hasBarrier |= isBarrier;
    hasCollective |= !isBarrier && isa<WarpCollectiveOpInterface>(op);
  });
  if (hasBarrier || (!hasCollective && threads > kWarpLanes))
    return false;
  module.walk([&](FuncOp func) {
    hasLoop |=
        !func.isBodiless() && hasLoopThatLoadsWhatItStores(func.getBody());
  });
  return hasLoop;
}

/// Chooses fission or fibers for a kernel with barriers or places of order,
/// whose first ones are `barrier` and `order` (null: none).
static ModeChoice chooseForBorders(FuncOp kernel, const ShapeAnalysis &shapes,
                                   Operation *barrier, Operation *order) {
  CtaLevel levels(kernel, shapes);
  if (!levels.whyNot().empty())
    return {ExecutionMode::Fibers, Waits::Never, levels.whyNot().str()};
  std::string what = barrier ? "barriers" : "places where warps share memory";
  std::string first = ", the first" + placeOf(barrier ? barrier : order);
  uint64_t bytes = PartValues(kernel, levels, shapes).countLiveBytes(kernel);
  std::string live = std::to_string(bytes) + " bytes a warp live across";
  if (livesOnStacks(kernel, bytes))
    return {ExecutionMode::Fibers, Waits::Never,
            what + " with " + live + first};
  return {ExecutionMode::Fission, Waits::Never,
          "all warps reach the " + what + " together, with " + live + first};
}

/// Chooses fission or fibers for a kernel with loops that wait for any CTA, the
/// first one at `wait`.
static ModeChoice chooseForWaits(FuncOp kernel, const ShapeAnalysis &shapes,
                                 Operation *wait) {
  std::string what = "a loop waits on memory" + placeOf(wait);
  CtaLevel levels(kernel, shapes);
  if (!levels.whyNot().empty())
    return {ExecutionMode::Fibers, Waits::ForGrid,
            what + ", and " + levels.whyNot().str()};
  uint64_t bytes = PartValues(kernel, levels, shapes).countLiveBytes(kernel);
  std::string live =
      std::to_string(bytes) + " bytes a warp live across barriers";
  if (livesOnStacks(kernel, bytes))
    return {ExecutionMode::Fibers, Waits::ForGrid, what + ", and " + live};
  if (!waitsForOtherCtas(kernel, levels, shapes))
    return {ExecutionMode::Fibers, Waits::ForGrid, what};
  return {ExecutionMode::Fission, Waits::ForGrid,
          what + ", in one warp and for other CTAs; " + live};
}

/// Whom the loop of `op`, which gives way to others, waits for.
static Waits waitsAt(Operation *op) {
  auto loop = op->getParentOfType<scf::WhileOp>();
  return isa<YieldWarpOp>(op) && loop && waitsForCluster(loop)
             ? Waits::ForCluster
             : Waits::ForGrid;
}

ModeChoice ptxjit::chooseExecutionMode(FuncOp kernel,
                                       const ShapeContext &context) {
  Operation *barrier = nullptr, *wait = nullptr, *cluster = nullptr,
            *order = nullptr, *warpgroup = nullptr;
  Waits waits = Waits::Never;
  kernel.walk([&](Operation *op) {
    if (CtaLevel::isBarrier(op) && !barrier)
      barrier = op;
    if (op->hasTrait<ClusterWideBarrier>() && !cluster)
      cluster = op;
    if ((op->hasTrait<WarpgroupBarrier>() ||
         op->hasTrait<MayMeetWarpgroup>()) &&
        !warpgroup)
      warpgroup = op;
    if (isa<OrderSharedOp>(op) && !order)
      order = op;
    if (op->hasTrait<GivesWay>()) {
      wait = wait ? wait : op;
      waits = std::max(waits, waitsAt(op));
    }
  });
  ShapeAnalysis shapes(kernel, context);
  if (auto why = findThreadReason(kernel, shapes))
    return {ExecutionMode::Threads, waits, *why};
  if (wait && waits == Waits::ForGrid && !cluster && !warpgroup)
    return chooseForWaits(kernel, shapes, wait);
  if (wait)
    return {ExecutionMode::Fibers, waits,
            "a loop waits on memory" + placeOf(wait)};
  if (cluster)
    return {ExecutionMode::Fibers, Waits::Never,
            "the CTAs of a cluster wait for each other" + placeOf(cluster)};
  if (warpgroup)
    return {ExecutionMode::Fibers, Waits::Never,
            "the warps of a warpgroup wait for each other" +
                placeOf(warpgroup)};
  if (barrier || order)
    return chooseForBorders(kernel, shapes, barrier, order);
  return {ExecutionMode::WarpLoop, Waits::Never,
          context.threads() <= 32 ? "one warp, no barrier"
                                  : "no warp waits for another"};
}
