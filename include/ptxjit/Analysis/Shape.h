//===- Shape.h - how a value varies over the lanes of a warp ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides what becomes a scalar, a vector load or a gather. Reads structured
// or masked `ptx`; never rewrites.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_SHAPE_H
#define PTXJIT_ANALYSIS_SHAPE_H

#include "ptxjit/Dialect/PtxOps.h"
#include "llvm/ADT/bit.h"
#include <array>
#include <memory>

namespace ptxjit {

/// For lane i of a warp, an offset. Lane 0's is 0.
using LanePattern = std::array<int64_t, 32>;

/// Who sees the same value.
enum class Uniformity : uint8_t { Grid, Cta, Warp, Lane };

/// What is known of a value: value(lane) = base + pattern(lane), modulo its
/// width, where the base is the same in all lanes. Affine values have a linear
/// pattern, values periodic in tid.x a sawtooth.
///
/// Of a value that varies more, the same may be known of groups of lanes, each
/// with a base of its own: row * pitch + column, where a warp has several rows.
struct Shape {
  /// Of the base; Lane: there is not one for all lanes.
  Uniformity uniformity = Uniformity::Lane;
  /// Null for zero: the value itself is uniform.
  const LanePattern *pattern = nullptr;
  /// If it varies: the first lane of each lane's group. Null: nothing is known.
  const LanePattern *groups = nullptr;
  /// The pattern holds only if a 32-bit value did not wrap between lanes where
  /// it was widened, or if lanes that went different ways came to values of one
  /// pattern (see `likely`); compiled code must test that.
  bool conditional = false;
  /// Conditional because lanes may be parted, which is not as rare as numbers
  /// that wrap around.
  bool parted = false;
  /// If it varies because control flow may part the lanes: the pattern on each
  /// of the ways. It holds if they were not parted.
  const LanePattern *likely = nullptr;
  /// Bounds of the value in every lane, as signed integer.
  int64_t min = INT64_MIN, max = INT64_MAX;
  /// The low `knownBits` bits of the base (of all groups) are those of `low`.
  unsigned knownBits = 0;
  uint64_t low = 0;

  bool isVarying() const { return uniformity == Uniformity::Lane; }
  bool isUniform() const { return !isVarying() && !pattern; }
  /// Uniform or with a pattern.
  bool hasBase() const { return !isVarying(); }
  bool hasGroups() const { return isVarying() && groups; }
  /// The base is a multiple of 2 to the power of this.
  unsigned baseAlign() const {
    return low ? std::min<unsigned>(knownBits, llvm::countr_zero(low))
               : knownBits;
  }
  /// Is the value known in every lane? (Of 64 bits it never is.)
  bool isKnown(unsigned width) const {
    return hasBase() && !conditional && width < 64 && knownBits >= width;
  }
  void setKnown(unsigned bits, uint64_t value);

  /// One value within bounds, which all threads at that level see.
  static Shape uniform(Uniformity at, int64_t min = INT64_MIN,
                       int64_t max = INT64_MAX);
  /// A constant.
  static Shape known(int64_t value) {
    return uniform(Uniformity::Grid, value, value);
  }
  /// Nothing but bounds is known.
  static Shape varying(int64_t min, int64_t max);
  bool operator==(const Shape &o) const {
    return uniformity == o.uniformity && pattern == o.pattern &&
           groups == o.groups && conditional == o.conditional &&
           parted == o.parted && likely == o.likely && min == o.min &&
           max == o.max && knownBits == o.knownBits && low == o.low;
  }
};

/// Facts about the launch that shapes may rely on.
struct ShapeContext {
  std::array<unsigned, 3> block = {32, 1, 1};
  /// See PTXJIT_PASS_OPTIONS in Specialization.h.
  bool smallGrid = true;
  /// Threads that are run together: a warp, or 1, where nothing varies.
  unsigned lanes = 32;
  unsigned threads() const { return block[0] * block[1] * block[2]; }
  bool partialWarp() const { return threads() % lanes != 0; }
};

/// Coordinates of thread `linear` of the CTA, in dimension 0, 1 or 2.
unsigned getTid(const ShapeContext &context, unsigned dim, unsigned linear);

class ShapeInference;

/// The shapes of all values of a function. What a result's shape is, ops say by
/// InferShapeInterface (InferShape.h); control flow is followed here.
class ShapeAnalysis {
public:
  /// \pre registerShapeRules was called for the function's context.
  ShapeAnalysis(ptx::FuncOp func, const ShapeContext &context);
  ~ShapeAnalysis();

  const Shape &get(mlir::Value value) const;
  bool isUniform(mlir::Value value) const { return get(value).isUniform(); }
  const ShapeContext &getContext() const;

  /// Does a pattern survive widening from `width` bits only if a run-time test
  /// finds that no lane wraps?
  static bool mayWrap(const Shape &shape, unsigned width, bool isSigned);

private:
  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation &op);
  void visitIf(mlir::Operation &op);
  void visitWhile(mlir::Operation &op);
  void updateResult(mlir::Value result, Shape shape);

  std::unique_ptr<ShapeInference> shapes;
};

} // namespace ptxjit

#endif
