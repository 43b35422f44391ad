//===- ExecutionMode.cpp - how the warps of a CTA are run -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

/// Why threads need stacks of their own; nothing if they do not.
static std::optional<std::string>
findThreadReason(FuncOp kernel, const ShapeAnalysis &shapes) {
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
  if (why)
    return why;
  if (LaneWait lanes = findLaneWait(kernel, shapes); lanes.op)
    return lanes.why + placeOf(lanes.op);
  return std::nullopt;
}

bool ptxjit::needsThreads(FuncOp kernel, const ShapeAnalysis &shapes) {
  return findThreadReason(kernel, shapes).has_value();
}

/// For kernels whose warps meet somewhere, which may be where they need order.
static ModeChoice chooseForBorders(FuncOp kernel, const ShapeAnalysis &shapes,
                                   Operation *barrier, Operation *order) {
  CtaLevel levels(kernel, shapes);
  if (!levels.whyNot().empty())
    return {ExecutionMode::Fibers, false, levels.whyNot().str()};
  std::string what = barrier ? "barriers" : "places where warps share memory";
  std::string first = ", the first" + placeOf(barrier ? barrier : order);
  uint64_t bytes = levels.countLiveBytes(kernel);
  std::string live = std::to_string(bytes) + " bytes a warp live across";
  if (bytes > kMostLiveBytes)
    return {ExecutionMode::Fibers, false, what + " with " + live + first};
  return {ExecutionMode::Fission, false,
          "all warps reach the " + what + " together, with " + live + first};
}

ModeChoice ptxjit::chooseExecutionMode(FuncOp kernel,
                                       const ShapeContext &context) {
  Operation *barrier = nullptr, *wait = nullptr, *cluster = nullptr,
            *order = nullptr;
  kernel.walk([&](Operation *op) {
    if (CtaLevel::isBarrier(op) && !barrier)
      barrier = op;
    if (op->hasTrait<ClusterWideBarrier>() && !cluster)
      cluster = op;
    if (isa<OrderSharedOp>(op) && !order)
      order = op;
    if (op->hasTrait<GivesWay>() && !wait)
      wait = op;
  });
  ShapeAnalysis shapes(kernel, context);
  if (auto why = findThreadReason(kernel, shapes))
    return {ExecutionMode::Threads, wait != nullptr, *why};
  if (wait)
    return {ExecutionMode::Fibers, true,
            "a loop waits on memory" + placeOf(wait)};
  if (cluster)
    return {ExecutionMode::Fibers, false,
            "the CTAs of a cluster wait for each other" + placeOf(cluster)};
  if (barrier || order)
    return chooseForBorders(kernel, shapes, barrier, order);
  return {ExecutionMode::WarpLoop, false,
          context.threads() <= 32 ? "one warp, no barrier"
                                  : "no warp waits for another"};
}
