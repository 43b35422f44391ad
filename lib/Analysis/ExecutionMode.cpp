//===- ExecutionMode.cpp - how the warps of a CTA are run -----------------===//

#include "ptxjit/Analysis/ExecutionMode.h"

#include "Place.h"
#include "mlir/IR/BuiltinOps.h"
#include "ptxjit/Analysis/CtaLevel.h"
#include "ptxjit/Analysis/Waiting.h"

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

/// Functions without one are the system's: the runtime does them for a lane.
static bool hasBody(CallOp call) {
  auto callee = call->getParentOfType<ModuleOp>().lookupSymbol<FuncOp>(
      call.getCalleeAttr().getAttr());
  return callee && !callee.isBodiless();
}

/// What it costs to store and load more than this at each barrier is more than
/// to switch stacks (measured: docs/Performance.md).
static constexpr uint64_t kMostLiveBytes = 8 << 10;

ModeChoice ptxjit::chooseExecutionMode(FuncOp kernel,
                                       const ShapeContext &context) {
  Operation *barrier = nullptr, *wait = nullptr, *call = nullptr,
            *alloca = nullptr, *cluster = nullptr;
  kernel.walk([&](Operation *op) {
    if (auto found = dyn_cast<CallOp>(op); found && !call && hasBody(found))
      call = op;
    if (op->hasTrait<UsesStack>() && !alloca)
      alloca = op;
    if (CtaLevel::isBarrier(op) && !barrier)
      barrier = op;
    if (op->hasTrait<ClusterWideBarrier>() && !cluster)
      cluster = op;
    if (op->hasTrait<GivesWay>() && !wait)
      wait = op;
  });
  if (call)
    return {ExecutionMode::Threads, wait != nullptr,
            "a function is called that is not inlined" + placeOf(call)};
  if (alloca)
    return {ExecutionMode::Threads, wait != nullptr,
            "the stack is used" + placeOf(alloca)};
  ShapeAnalysis shapes(kernel, context);
  if (LaneWait lanes = findLaneWait(kernel, shapes); lanes.op)
    return {ExecutionMode::Threads, wait != nullptr,
            lanes.why + placeOf(lanes.op)};
  if (wait)
    return {ExecutionMode::Fibers, true,
            "a loop waits on memory" + placeOf(wait)};
  if (cluster)
    return {ExecutionMode::Fibers, false,
            "the CTAs of a cluster wait for each other" + placeOf(cluster)};
  if (barrier) {
    CtaLevel levels(kernel, shapes);
    if (levels.whyNot().empty()) {
      uint64_t bytes = levels.countLiveBytes(kernel);
      std::string live = std::to_string(bytes) + " bytes a warp live across";
      if (bytes > kMostLiveBytes)
        return {ExecutionMode::Fibers, false,
                "barriers with " + live + ", the first" + placeOf(barrier)};
      return {ExecutionMode::Fission, false,
              "all warps reach the barriers together, with " + live +
                  ", the first" + placeOf(barrier)};
    }
    return {ExecutionMode::Fibers, false, levels.whyNot().str()};
  }
  return {ExecutionMode::WarpLoop, false,
          context.threads() <= 32 ? "one warp, no barrier"
                                  : "no warp waits for another"};
}
