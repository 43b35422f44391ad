//===- InferShape.h - rules for the shapes of results -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of ops with a shape rule (InferShape.td), and ShapeInference,
// which is passed to a rule: the shapes found so far, and arithmetic on shapes.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_INFERSHAPE_H
#define PTXJIT_ANALYSIS_INFERSHAPE_H

#include "ptxjit/Analysis/Shape.h"
#include "ptxjit/Analysis/VariableTable.h"

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <set>

namespace ptxjit {

/// The shapes that have been found so far, and arithmetic on shapes. A
/// parameter `width` is the width of the result in bits.
class ShapeInference {
public:
  explicit ShapeInference(const ShapeContext &context);

  const ShapeContext &getContext() const { return context; }
  const Shape &get(mlir::Value value) const;
  /// \returns whether the shape of `value` is new or changed.
  /// By value, since the reference that get() returns is invalid once the table
  /// has grown.
  bool set(mlir::Value value, Shape shape);

  /// The mask of the lanes where a predicate holds; nothing unless known for
  /// all lanes.
  std::optional<uint32_t> getLanes(mlir::Value predicate) const;
  void setLanes(mlir::Value predicate, std::optional<uint32_t> lanes);

  /// Makes a pattern unique: equal patterns get the same pointer, which lives
  /// as long as this object. Null if all offsets are zero.
  const LanePattern *intern(const LanePattern &pattern);

  VariableTable variables; ///< of the function's module

  //===--------------------------------------------------------------------===//
  // Arithmetic
  //===--------------------------------------------------------------------===//

  /// The shape of a lane-wise op about which nothing else is known: lanes that
  /// have equal operands have equal results.
  Shape merge(mlir::ValueRange operands);
  /// The shape of a value that has shape `a` on one path and `b` on another.
  /// \param at  the level (lane, warp ...) at which all take the same path.
  Shape join(const Shape &a, const Shape &b, Uniformity at);
  /// \param sign  1: a + b; -1: a - b.
  Shape add(const Shape &a, const Shape &b, unsigned width, int sign = 1);
  Shape scale(const Shape &a, int64_t factor, unsigned width);
  Shape multiply(const Shape &a, const Shape &b, unsigned width);
  /// The shape of operand number `operand` after `op` has extended it. If the
  /// pattern holds only when no lane wraps around, the shape is conditional;
  /// the packetizer emits the test for each widening that the op states.
  Shape widen(ptx::WideningOpInterface op, unsigned operand);
  Shape truncate(const Shape &a, unsigned width);
  Shape shiftRight(const Shape &a, unsigned amount, unsigned width,
                   bool isSigned);
  Shape bitAnd(const Shape &a, const Shape &b, unsigned width);
  /// A bitwise operation: each bit of the result is `compute` of the same bits
  /// of `in`.
  Shape bitwise(llvm::ArrayRef<Shape> in, unsigned width,
                llvm::function_ref<uint64_t(llvm::ArrayRef<uint64_t>)> compute);

private:
  Shape bitwiseOfGroups(
      llvm::ArrayRef<Shape> in, unsigned width,
      llvm::function_ref<uint64_t(llvm::ArrayRef<uint64_t>)> compute);
  /// The same value in another form: groups of lanes whose patterns are below
  /// 2^bits, with bases whose low `bits` bits are 0. (If fewer bits of the base
  /// are known, only as many.)
  Shape regroup(const Shape &a, unsigned bits);
  const LanePattern *jointGroups(llvm::ArrayRef<Shape> in);
  /// Sets the uniformity and groups of a value that depends on all of `in`.
  void setJoint(Shape &shape, llvm::ArrayRef<Shape> in);
  Shape ungroup(const Shape &a, unsigned width);

  ShapeContext context;
  llvm::DenseMap<mlir::Value, Shape> shapes;
  llvm::DenseMap<mlir::Value, uint32_t> predicates; ///< see getLanes
  std::set<LanePattern> patterns;
  Shape unknown; ///< the shape of values that were not visited
};

/// Registers the shape rules of ptx and arith ops. Contexts that use `registry`
/// attach them when they have loaded both dialects.
void registerShapeRules(mlir::DialectRegistry &registry);

} // namespace ptxjit

#include "ptxjit/Analysis/InferShape.h.inc"

#endif
