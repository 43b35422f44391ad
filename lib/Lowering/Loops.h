//===- Loops.h - the form of structured loops -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_LOOPS_H
#define PTXJIT_LIB_LOWERING_LOOPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "ptxjit/Dialect/PtxOps.h"

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

/// What the loop passes on to its next turn as its result `number`, where there
/// is a next turn. Behind the last one it may be anything.
inline mlir::Value getPassedOn(mlir::scf::WhileOp loop, unsigned number) {
  mlir::scf::ConditionOp test = loop.getConditionOp();
  mlir::Value value = test.getArgs()[number];
  auto choice = value.getDefiningOp<mlir::arith::SelectOp>();
  return choice && choice.getCondition() == test.getCondition() &&
                 choice.getFalseValue().getDefiningOp<ptx::UndefOp>()
             ? choice.getTrueValue()
             : value;
}

/// A value that each turn of a loop adds something to that the loop does not
/// change.
struct Induction {
  unsigned argument;      ///< of the loop's "before" region
  unsigned result;        ///< of the loop
  ptx::AddIntOp addition; ///< of one turn, of single integers modulo 2^n
  mlir::Value step;
};

/// Is argument number `argument` of the "before" region an induction?
/// \pre testsLast(loop)
std::optional<Induction> findInduction(mlir::scf::WhileOp loop,
                                       unsigned argument);

} // namespace ptxjit

#endif
