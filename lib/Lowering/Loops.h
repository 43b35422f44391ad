//===- Loops.h - the form of structured loops -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_LOOPS_H
#define PTXJIT_LIB_LOWERING_LOOPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ptxjit {

/// Does the loop test at its end, as structuring leaves it? Its "after" region
/// then only passes on what the test forwards.
inline bool testsLast(mlir::scf::WhileOp loop) {
  mlir::Block *after = loop.getAfterBody();
  return after->without_terminator().empty() &&
         llvm::all_of(loop.getYieldOp().getOperands(), [&](mlir::Value value) {
           return value.getParentBlock() == after;
         });
}

} // namespace ptxjit

#endif
