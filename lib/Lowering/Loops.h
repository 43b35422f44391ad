//===- Loops.h - the form of structured loops -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_LOOPS_H
#define PTXJIT_LIB_LOWERING_LOOPS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "ptxjit/Dialect/FormTable.h"
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

/// A sum, of single integers modulo 2^n, of something that a loop does not
/// change and of something else.
struct FixedAddition {
  ptx::AddIntOp addition;
  mlir::Value fixed, other;
};

/// Nothing if the value is no such sum.
std::optional<FixedAddition> findFixedAddition(mlir::scf::WhileOp loop,
                                               mlir::Value value);

/// The most additions to a value in a turn that nvcc has unrolled.
constexpr unsigned kMostSteps = 16;

/// A value that each turn of a loop adds something to that the loop does not
/// change. Where nvcc has unrolled the loop, a turn does so several times.
struct Induction {
  unsigned argument; ///< of the loop's "before" region
  unsigned result;   ///< of the loop
  /// Of one turn, the first one of the argument; of single integers modulo 2^n.
  llvm::SmallVector<ptx::AddIntOp, 1> additions;
  llvm::SmallVector<mlir::Value, 1> steps; ///< what each of them adds

  /// The value that the loop passes on.
  mlir::Value getNext() const { return ptx::AddIntOp(additions.back()).getD(); }
};

/// Is argument number `argument` of the "before" region an induction?
/// \param mostSteps  additions in a turn.
/// \pre testsLast(loop)
std::optional<Induction> findInduction(mlir::scf::WhileOp loop,
                                       unsigned argument,
                                       unsigned mostSteps = 1);

/// The condition `index < limit`, or `<=`, of integers.
struct Bound {
  mlir::Value index, limit;
  ptx::ScalarType type = ptx::ScalarType::S32;
  bool isInclusive = false;

  bool isSigned() const { return ptx::isSignedInt(type); }
  unsigned width() const { return limit.getType().getIntOrFloatBitWidth(); }
};

/// The bound that a condition is; nothing if it is none.
std::optional<Bound> findBound(mlir::Value condition);

} // namespace ptxjit

#endif
