//===- Plan.h - the steps of an operation -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operation is a sequence of phases. In a phase a rank sends, receives, and
// may reduce what it has received. All ranks of a collective have the same
// number of phases, and make the same choices.
//
// Reductions are split into a block for each rank, which reduces it: it gets
// the block from all others in one phase, and sends the result in the next one.
// So each rank sends and receives about twice its data, whatever the number of
// ranks, and results do not depend on how the ranks are connected.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_PLAN_H
#define PTXJIT_LIB_NCCL_PLAN_H

#include "Operation.h"

namespace ptxjit::nccl {

struct Phase {
  std::vector<Transfer> sends, receives;
  /// Each peer sends one message, which is reduced with `own` to `out`.
  bool reduces = false;
  const void *own = nullptr;
  void *out = nullptr;
  size_t count = 0; ///< elements to reduce
  /// Must the peers have read what was sent when the phase ends?
  bool drains = false;
};

class Plan {
public:
  virtual ~Plan() = default;
  /// Makes the next phase. False if there is none.
  virtual bool next(Phase &phase) = 0;
};

/// Where a rank stands.
struct Place {
  int rank = 0, ranks = 1;
  size_t largest = 0;  ///< message, in bytes; a multiple of 64
  bool isLocal = true; ///< all ranks are in this process
};

/// Makes the plan of an operation, which must stay as long as the plan.
std::unique_ptr<Plan> makePlan(const Operation &operation, const Place &place);

} // namespace ptxjit::nccl

#endif
