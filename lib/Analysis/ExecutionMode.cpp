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
  Operation *barrier = nullptr, *sleep = nullptr;
  kernel.walk([&](Operation *op) {
    if (isa<BarOp, BarrierOp>(op) && !barrier)
      barrier = op;
    if (isa<NanosleepOp>(op) && !sleep)
      sleep = op;
  });
  if (barrier)
    return {ExecutionMode::Fibers, "a barrier" + placeOf(barrier)};
  if (sleep)
    return {ExecutionMode::Fibers, "waits with nanosleep" + placeOf(sleep)};
  return {ExecutionMode::WarpLoop,
          warps == 1 ? "one warp, no barrier" : "no warp waits for another"};
}
