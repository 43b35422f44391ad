//===- PollingLoop.h - what a loop reads until it changes -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operations of a loop may read the same again and again until another
// thread does something, and so decide whether the loop goes on.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_ANALYSIS_POLLINGLOOP_H
#define PTXJIT_LIB_ANALYSIS_POLLINGLOOP_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "ptxjit/Dialect/PtxOps.h"
#include <optional>

namespace ptxjit {

/// Do all threads that are left of the CTA or cluster come here?
bool isAnyBarrier(mlir::Operation *op);
/// The membermask of an operation that waits for lanes; null for others.
mlir::Value memberMaskOf(mlir::Operation *op);

class PollingLoop {
public:
  explicit PollingLoop(mlir::scf::WhileOp loop) : loop(loop) {}

  /// Calls visit(op) for each op that may be polled, until that says true.
  /// \returns whether it did.
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
  std::optional<bool> anew; ///< see readsAnew; once it is known
};

} // namespace ptxjit

#endif
