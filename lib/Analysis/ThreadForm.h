//===- ThreadForm.h - what an address is in each thread of a CTA *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shape says how a value varies over the lanes of a warp. A thread form says
// how it varies over all threads of the CTA, so that one can ask whether two
// warps touch the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_ANALYSIS_THREADFORM_H
#define PTXJIT_LIB_ANALYSIS_THREADFORM_H

#include "ptxjit/Analysis/Shape.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <memory>
#include <vector>

namespace ptxjit {

/// Numbers of which only a divisor and bounds are known.
struct Remainder {
  /// All are multiples of it. 0: the number is 0.
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
  /// The variable whose address it is, if it is one.
  mlir::Operation *root = nullptr;
  /// Values that are the same in the whole CTA, and that are not known.
  llvm::SmallMapVector<mlir::Value, int64_t, 2> terms;
  /// One number for each thread, or one for all.
  std::vector<int64_t> offsets = {0};
  /// What else there is; it may differ from thread to thread.
  Remainder rest;
  /// Does `rest` follow from a thread's data, rather than from where all
  /// threads are in a loop?
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
  /// Is the value known in every thread?
  bool isExact() const { return !root && terms.empty() && !rest.divisor; }
  /// Is it the same number in all threads?
  bool isConstant() const { return isExact() && offsets.size() == 1; }
};

/// Makes the forms of a structured kernel's values when they are asked for.
class ThreadForms {
public:
  ThreadForms(ptx::FuncOp func, const ShapeAnalysis &shapes)
      : func(func), shapes(shapes), threads(shapes.getContext().threads()) {}

  /// The result lives as long as this object.
  const ThreadForm &get(mlir::Value value);
  /// Has the kernel more values than one has time for? Then those that are
  /// asked for from now on are unknown.
  bool isExhausted() const { return numMade >= kMostForms; }
  /// Is the predicate known to be false in this thread (or true, if it is
  /// negated)? \param levels  so many operations of logic are looked into.
  bool isFalse(mlir::Value predicate, unsigned thread, bool negated = false,
               unsigned levels = 6);

  /// The symbols that `inside` holds become part of the rest: whoever is
  /// outside, or in another turn of a loop, does not see the same.
  void forget(ThreadForm &form, mlir::Operation *inside) const;
  /// `form`, made in one turn of `loop`, in the symbols of the next turn.
  void renew(ThreadForm &form, mlir::Operation *loop);
  /// What is known of a symbol.
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

  ptx::FuncOp func;
  const ShapeAnalysis &shapes;
  unsigned threads;
  static constexpr size_t kMostForms = 5000;
  llvm::DenseMap<mlir::Value, std::unique_ptr<ThreadForm>> forms;
  std::vector<mlir::Value> made; ///< the keys of `forms`, in order
  size_t numMade = 0;            ///< those that were dropped again, too
  /// Loops of which one argument is tried: see makeOfCarried.
  llvm::SmallPtrSet<mlir::Operation *, 4> tried;
  /// By how much an argument of a loop grows from turn to turn.
  llvm::DenseMap<mlir::Value, int64_t> steps;
  unsigned depth = 0;
};

/// a + factor * b, unless both have a root.
std::optional<ThreadForm> addForms(const ThreadForm &a, const ThreadForm &b,
                                   int64_t factor);

} // namespace ptxjit

#endif
