//===- ThreadForm.h - addresses as functions of the thread ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shape says how a value varies over the lanes of a warp. A thread form says
// how it varies over all threads of the CTA. So it can tell whether two warps
// access the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_ANALYSIS_THREADFORM_H
#define PTXJIT_LIB_ANALYSIS_THREADFORM_H

#include "ptxjit/Analysis/Shape.h"
#include "ptxjit/Analysis/VariableTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <memory>
#include <vector>

namespace ptxjit {

/// A set of numbers of which only a divisor and bounds are known.
struct Remainder {
  /// All the numbers are multiples of it. 0: the only number is 0.
  uint64_t divisor = 0;
  int64_t min = 0, max = 0;

  static Remainder any() { return {1, INT64_MIN, INT64_MAX}; }
  bool operator==(const Remainder &o) const {
    return divisor == o.divisor && min == o.min && max == o.max;
  }
  Remainder plus(const Remainder &other) const;
  Remainder times(int64_t factor) const;
};

/// value(thread) = root + sum(coefficient * symbol) + offsets[thread] + rest.
struct ThreadForm {
  /// If the value is an address in a variable: the VarOp. Else null.
  mlir::Operation *root = nullptr;
  /// The coefficients of the symbols: unknown values that are the same in the
  /// whole CTA.
  llvm::SmallMapVector<mlir::Value, int64_t, 2> terms;
  /// One number for each thread, or a single one for all threads.
  std::vector<int64_t> offsets = {0};
  /// The unknown part of the value, which may differ from thread to thread.
  Remainder rest;
  /// Does `rest` come from a thread's data? (Else it comes from the number of
  /// iterations of a loop.)
  bool isScattered = false;

  int64_t offsetOf(unsigned thread) const {
    return offsets.size() == 1 ? offsets[0] : offsets[thread];
  }
  bool operator==(const ThreadForm &o) const {
    return root == o.root && rest == o.rest && isScattered == o.isScattered &&
           offsets == o.offsets &&
           std::equal(terms.begin(), terms.end(), o.terms.begin(),
                      o.terms.end());
  }
  /// Is the value a known number in each thread?
  bool isExact() const { return !root && terms.empty() && !rest.divisor; }
  /// Is the value the same known number in all threads?
  bool isConstant() const { return isExact() && offsets.size() == 1; }
};

/// The thread forms of the values of a structured kernel, made on demand.
class ThreadForms {
public:
  explicit ThreadForms(const ShapeAnalysis &shapes)
      : shapes(shapes), threads(shapes.getContext().threads()) {}

  /// The result lives as long as this object.
  const ThreadForm &get(mlir::Value value);
  /// Has the limit of forms been reached, which bounds compile time? If so, all
  /// further forms are unknown.
  bool isExhausted() const { return numMade >= kMostForms; }
  /// Is the predicate known to be false in this thread (or, if `negated`, known
  /// to be true)? \param levels  the number of nested logic ops to look into.
  bool isFalse(mlir::Value predicate, unsigned thread, bool negated = false,
               unsigned levels = 6);

  /// Moves the symbols that are defined inside of `inside` to the rest: outside
  /// of it, or in another iteration, they have other values.
  void forget(ThreadForm &form, mlir::Operation *inside) const;
  /// Rewrites a form from one iteration of `loop` to the symbols of the next
  /// iteration.
  void renew(ThreadForm &form, mlir::Operation *loop);
  /// The known divisor and bounds of a symbol.
  Remainder boundsOf(mlir::Value symbol) const;

private:
  ThreadForm make(mlir::Value value);
  ThreadForm makeOf(mlir::Operation *op, mlir::Value value);
  ThreadForm makeOfArgument(mlir::BlockArgument argument);
  ThreadForm makeOfCarried(mlir::BlockArgument argument);
  std::optional<int64_t> findStep(mlir::BlockArgument argument);
  void keep(mlir::Value value, ThreadForm form);
  ThreadForm makeOfRegister(ptx::SRegOp op);
  ThreadForm makeOfAddress(ptx::AddressOfOp op);
  ThreadForm makeOfBits(mlir::Operation *op, unsigned width);
  ThreadForm choose(mlir::Value condition, mlir::Value a, mlir::Value b);
  ThreadForm product(const ThreadForm &a, const ThreadForm &b);
  ThreadForm leaf(mlir::Value value) const;
  bool isSameInCta(mlir::Value value) const;

  VariableTable variables;
  const ShapeAnalysis &shapes;
  unsigned threads;
  static constexpr size_t kMostForms = 5000;
  llvm::DenseMap<mlir::Value, std::unique_ptr<ThreadForm>> forms;
  std::vector<mlir::Value> made; ///< the keys of `forms`, in order
  size_t numMade = 0;            ///< includes forms that were dropped again
  /// The loops in which findStep takes an argument for a symbol.
  llvm::SmallPtrSet<mlir::Operation *, 4> tried;
  /// The number that each iteration of a loop adds to a carried argument.
  llvm::DenseMap<mlir::Value, int64_t> steps;
  unsigned depth = 0;
};

/// a + factor * b. Nothing if that is neither a number nor an address in one
/// variable, such as the sum of two addresses.
std::optional<ThreadForm> addForms(const ThreadForm &a, const ThreadForm &b,
                                   int64_t factor);

} // namespace ptxjit

#endif
