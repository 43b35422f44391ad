//===- ExecutionMode.cpp - how the warps of a CTA are run -----------------===//

#include "ptxjit/Analysis/ExecutionMode.h"

#include "mlir/IR/Location.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

static std::string placeOf(Operation *op) {
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    return " at line " + std::to_string(place.getLine());
  return "";
}

ModeChoice ptxjit::chooseExecutionMode(FuncOp kernel, unsigned warps) {
  Operation *barrier = nullptr, *wait = nullptr;
  kernel.walk([&](Operation *op) {
    if (isa<BarOp, BarrierOp>(op) && !barrier)
      barrier = op;
    if (isa<YieldWarpOp, NanosleepOp>(op) && !wait)
      wait = op;
  });
  if (wait)
    return {ExecutionMode::Fibers, true,
            "a loop waits on memory" + placeOf(wait)};
  if (barrier)
    return {ExecutionMode::Fibers, false, "a barrier" + placeOf(barrier)};
  return {ExecutionMode::WarpLoop, false,
          warps == 1 ? "one warp, no barrier" : "no warp waits for another"};
}
