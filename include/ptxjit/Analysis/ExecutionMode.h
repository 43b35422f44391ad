//===- ExecutionMode.h - how the warps of a CTA are run ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_EXECUTIONMODE_H
#define PTXJIT_ANALYSIS_EXECUTIONMODE_H

#include "ptxjit/Analysis/Shape.h"
#include <string>

namespace ptxjit {

enum class ExecutionMode {
  WarpLoop, ///< warps one after another, in compiled code: none waits
  Fission,  ///< the same, in parts between barriers
  Fibers,   ///< each warp on a stack of its own
  Threads,  ///< each thread on a stack of its own, not in lockstep
};

/// One word or two: "warp loop", "fibers".
llvm::StringRef describe(ExecutionMode mode);

struct ModeChoice {
  ExecutionMode mode = ExecutionMode::WarpLoop;
  /// May wait for other CTAs, so a CTA may have to make room for the next.
  bool waitsOnMemory = false;
  std::string reason; ///< one line for people
};

/// Can lanes of a structured kernel not be run in lockstep?
bool needsThreads(ptx::FuncOp kernel, const ShapeAnalysis &shapes);

/// Decides for a kernel in structured form.
ModeChoice chooseExecutionMode(ptx::FuncOp kernel, const ShapeContext &context);

} // namespace ptxjit

#endif
