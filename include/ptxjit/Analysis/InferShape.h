//===- InferShape.h - rules for shapes of results ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op with a shape rule is asked, what a rule is handed, and the
// arithmetic of shapes.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_INFERSHAPE_H
#define PTXJIT_ANALYSIS_INFERSHAPE_H

#include "ptxjit/Analysis/Shape.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <set>

namespace ptxjit {

/// The shapes that have been found so far, and how to calculate with them.
/// `width` is always the result's, in bits.
class ShapeInference {
public:
  explicit ShapeInference(const ShapeContext &context);

  const ShapeContext &getContext() const { return context; }
  const Shape &get(mlir::Value value) const;
  /// \returns whether that is news.
  bool set(mlir::Value value, const Shape &shape);

  /// The lanes where a predicate holds, if that is known of every lane.
  std::optional<uint32_t> getLanes(mlir::Value predicate) const;
  void setLanes(mlir::Value predicate, std::optional<uint32_t> lanes);

  /// A pattern with the address that all equal ones have; null if it is zero.
  const LanePattern *intern(const LanePattern &pattern);

  //===--------------------------------------------------------------------===//
  // Arithmetic
  //===--------------------------------------------------------------------===//

  /// What a lane-wise op makes of its operands: the same where all of them are.
  Shape merge(mlir::ValueRange operands);
  /// What holds on either of two paths. `at`: who takes the same one.
  Shape join(const Shape &a, const Shape &b, Uniformity at);
  /// \param sign  1: a + b; -1: a - b.
  Shape add(const Shape &a, const Shape &b, unsigned width, int sign = 1);
  Shape scale(const Shape &a, int64_t factor, unsigned width);
  Shape multiply(const Shape &a, const Shape &b, unsigned width);
  /// What `op` makes of an operand that it extends. The pattern may hold only
  /// if a test finds that no lane wraps; the packetizer makes that test for
  /// each of the op's widenings.
  Shape widen(ptx::WideningOpInterface op, unsigned operand);
  Shape truncate(const Shape &a, unsigned width);
  Shape shiftRight(const Shape &a, unsigned amount, unsigned width,
                   bool isSigned);
  Shape bitAnd(const Shape &a, const Shape &b, unsigned width);
  /// Each bit of the result is what `compute` makes of the same bits of `in`.
  Shape bitwise(llvm::ArrayRef<Shape> in, unsigned width,
                llvm::function_ref<uint64_t(llvm::ArrayRef<uint64_t>)> compute);

private:
  Shape bitwiseOfGroups(
      llvm::ArrayRef<Shape> in, unsigned width,
      llvm::function_ref<uint64_t(llvm::ArrayRef<uint64_t>)> compute);
  /// The same value with groups whose patterns are less than 2^bits, above
  /// bases of which that many bits are 0.
  Shape regroup(const Shape &a, unsigned bits);
  const LanePattern *jointGroups(llvm::ArrayRef<Shape> in);
  /// Groups, or one base, of a value that varies as all of `in` together.
  void setJoint(Shape &shape, llvm::ArrayRef<Shape> in);
  Shape ungroup(const Shape &a, unsigned width);

  ShapeContext context;
  llvm::DenseMap<mlir::Value, Shape> shapes;
  llvm::DenseMap<mlir::Value, uint32_t> predicates; ///< those that are known
  std::set<LanePattern> patterns;
  Shape unknown; ///< of a value that was not visited
};

/// Has the contexts that are made with `registry` attach the shape rules of ptx
/// and arith ops when they load the dialects.
void registerShapeRules(mlir::DialectRegistry &registry);

} // namespace ptxjit

#include "ptxjit/Analysis/InferShape.h.inc"

#endif
