//===- ExecutionMode.h - how the warps of a CTA are run ---------*- C++ -*-===//

#ifndef PTXJIT_ANALYSIS_EXECUTIONMODE_H
#define PTXJIT_ANALYSIS_EXECUTIONMODE_H

#include "ptxjit/Dialect/PtxOps.h"
#include <string>

namespace ptxjit {

enum class ExecutionMode {
  WarpLoop, ///< warps one after another, in compiled code: none waits
  Fibers,   ///< each warp on a stack of its own
};

struct ModeChoice {
  ExecutionMode mode = ExecutionMode::WarpLoop;
  /// May wait for other CTAs, so a CTA may have to make room for the next.
  bool waitsOnMemory = false;
  std::string reason; ///< one line for people
};

/// Decides for a kernel, structured or masked, whose CTAs have `warps` warps.
ModeChoice chooseExecutionMode(ptx::FuncOp kernel, unsigned warps);

} // namespace ptxjit

#endif
