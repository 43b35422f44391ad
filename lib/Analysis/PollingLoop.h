//===- PollingLoop.h - ops that a loop polls --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the ops on which a loop may wait: the loop's condition depends on their
// result, and they may read the same value again until another thread does
// something.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_ANALYSIS_POLLINGLOOP_H
#define PTXJIT_LIB_ANALYSIS_POLLINGLOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "ptxjit/Dialect/PtxOps.h"
#include <optional>

namespace ptxjit {

/// Is `op` a barrier for threads of the CTA or of the cluster?
bool isAnyBarrier(mlir::Operation *op);
/// The member mask of a warp operation; null for other ops, and for the forms
/// without a mask.
mlir::Value memberMaskOf(mlir::Operation *op);

class PollingLoop {
public:
  explicit PollingLoop(mlir::scf::WhileOp loop) : loop(loop) {}

  /// Calls visit(op) for each op that the loop may poll, until a call returns
  /// true. \returns whether one did.
  bool anyPoll(llvm::function_ref<bool(mlir::Operation *)> visit);

private:
  using Visit = llvm::function_ref<bool(mlir::Value)>;
  bool anySource(mlir::Value value, bool acrossTurns, Visit visit);
  void collectSources(mlir::Value value, bool acrossTurns,
                      mlir::SmallVectorImpl<mlir::Value> &sources);
  bool dependsOn(mlir::Value value, mlir::Value on, bool acrossTurns);
  bool mayPoll(mlir::Operation *op);
  bool readsAnew();
  bool isChained(mlir::Operation *op);
  bool ordersMemory();
  bool mayRepeat();
  bool mayKeep(mlir::BlockArgument carried);

  mlir::scf::WhileOp loop;
  std::optional<bool> anew; ///< the result of readsAnew, once computed
};

} // namespace ptxjit

#endif
