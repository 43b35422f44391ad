//===- ExecutionMode.h - how a kernel's warps are run -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_EXECUTIONMODE_H
#define PTXJIT_ANALYSIS_EXECUTIONMODE_H

#include "ptxjit/Analysis/Shape.h"
#include <string>

namespace ptxjit {

/// How the warps of a CTA are run; see docs/Architecture.md, "Warps together".
enum class ExecutionMode {
  WarpLoop, ///< a loop over the warps: none waits for another
  Fission,  ///< a loop over the warps for each part between barriers
  Fibers,   ///< each warp on a stack of its own
  Threads,  ///< each thread on a stack of its own, not in lockstep
};

/// Whom a loop of a kernel may wait for. Numbered as in PtxjitWaits.
enum class Waits {
  Never,
  ForCluster, ///< (without clusters: for the CTA)
  /// For any CTA, so that one may have to let the next one run.
  ForGrid,
};

/// The name of a mode for people: "warp loop", "fibers".
llvm::StringRef describe(ExecutionMode mode);

struct ModeChoice {
  ExecutionMode mode = ExecutionMode::WarpLoop;
  /// Whom warps may wait for other than at barriers.
  Waits waits = Waits::Never;
  std::string reason; ///< for people, one line
};

/// Does each thread need a stack of its own, because it calls a function or
/// uses `alloca`? Such a kernel needs threads, too.
bool needsStacks(ptx::FuncOp kernel);

/// Must the threads of a structured kernel be run one by one, because its lanes
/// cannot run in lockstep?
bool needsThreads(ptx::FuncOp kernel, const ShapeAnalysis &shapes);

/// May each thread run to its end before the next one begins? Else some wait
/// for others, use their stack, or meet them.
bool areThreadsIndependent(ptx::FuncOp kernel);

/// Do results depend on which lanes are active together, other than by the
/// member masks of the ISA?
bool reliesOnActiveLanes(mlir::ModuleOp module);

/// May the lanes of a warp hand each other values through memory, without an
/// instruction at which they meet? The ISA promises nothing to such programs,
/// but GPUs run them as lanes in lockstep do. They have volatile loads and
/// stores of shared or generic memory; or they have warp collectives or one
/// warp a CTA, no barrier of a CTA or warp, and a loop that loads from the
/// space that it stores to. \pre control flow is that of blocks.
/// \param threads  of a CTA.
bool mayExchangeInLockstep(mlir::ModuleOp module, unsigned threads);

/// Chooses the mode of a kernel in structured form.
ModeChoice chooseExecutionMode(ptx::FuncOp kernel, const ShapeContext &context);

} // namespace ptxjit

#endif
