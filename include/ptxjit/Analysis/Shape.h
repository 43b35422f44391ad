//===- Shape.h - how values vary over the lanes of a warp -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shape of a value says how it varies over the lanes of a warp. Shapes
// decide which values become scalars and which accesses become vector loads or
// gathers. The analysis reads structured or masked `ptx` and changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_SHAPE_H
#define PTXJIT_ANALYSIS_SHAPE_H

#include "ptxjit/Dialect/PtxOps.h"
#include "llvm/ADT/bit.h"
#include <array>
#include <memory>

namespace ptxjit {

/// Threads of a warp of the ISA.
inline constexpr unsigned kWarpLanes = 32;

/// An offset for each lane of a warp. Lane 0's is 0 if all lanes have one base.
using LanePattern = std::array<int64_t, kWarpLanes>;

/// The largest set of threads that all see the same value; Lane if a value may
/// differ from lane to lane.
enum class Uniformity : uint8_t { Grid, Cta, Warp, Lane };

/// How a value varies: value(lane) = base + pattern(lane), modulo 2^width,
/// where the base is the same in all lanes. Affine values have a linear
/// pattern, values that are periodic in tid.x a sawtooth.
///
/// If a value has no common base, groups of lanes may still have one each. An
/// example is row * pitch + column, where a warp covers several rows.
struct Shape {
  /// The uniformity of the base. Lane: the lanes have no common base; the value
  /// varies.
  Uniformity uniformity = Uniformity::Lane;
  /// Null if all offsets are 0. Without groups, the value itself is uniform
  /// then.
  const LanePattern *pattern = nullptr;
  /// For a value that varies: the first lane of each lane's group. Null:
  /// nothing is known.
  const LanePattern *groups = nullptr;
  /// The pattern may not hold: a 32-bit value may wrap around between lanes
  /// before it is widened, or lanes that took different paths may come with
  /// different bases (see `parted`). Compiled code must test it.
  bool conditional = false;
  /// The shape is conditional because lanes may take different paths, which is
  /// not as rare as wrapping around.
  bool parted = false;
  /// For a value that varies only because lanes may take different paths: the
  /// pattern that it has on each path. The pattern holds if all lanes took the
  /// same path.
  const LanePattern *likely = nullptr;
  /// Bounds of the value in all lanes, as a signed integer.
  int64_t min = INT64_MIN, max = INT64_MAX;
  /// The low `knownBits` bits of the base, or of the bases of all groups, equal
  /// those of `low`.
  unsigned knownBits = 0;
  uint64_t low = 0;

  bool isVarying() const { return uniformity == Uniformity::Lane; }
  bool isUniform() const { return !isVarying() && !pattern; }
  /// Is the value the same in all threads of the CTA, on all paths?
  bool isSameInCta() const {
    return isUniform() && !conditional && uniformity <= Uniformity::Cta;
  }
  /// Has each lane the same value in all warps of the CTA? True for values that
  /// are the same in the CTA, and for patterns on such a base.
  bool isSameInWarps() const {
    return hasBase() && !conditional && uniformity <= Uniformity::Cta;
  }
  /// Do all lanes have one base? Then the value is uniform or has a pattern.
  bool hasBase() const { return !isVarying(); }
  bool hasGroups() const { return isVarying() && groups; }
  /// The base is a multiple of 2^baseAlign().
  unsigned baseAlign() const {
    return low ? std::min<unsigned>(knownBits, llvm::countr_zero(low))
               : knownBits;
  }
  /// Is the value a known number in each lane? Always false for 64 bits.
  bool isKnown(unsigned width) const {
    return hasBase() && !conditional && width < 64 && knownBits >= width;
  }
  void setKnown(unsigned bits, uint64_t value);

  /// One value within bounds, the same for all threads of level `at`.
  static Shape uniform(Uniformity at, int64_t min = INT64_MIN,
                       int64_t max = INT64_MAX);
  /// A constant.
  static Shape known(int64_t value) {
    return uniform(Uniformity::Grid, value, value);
  }
  /// A value of which only bounds are known.
  static Shape varying(int64_t min, int64_t max);
  bool operator==(const Shape &o) const {
    return uniformity == o.uniformity && pattern == o.pattern &&
           groups == o.groups && conditional == o.conditional &&
           parted == o.parted && likely == o.likely && min == o.min &&
           max == o.max && knownBits == o.knownBits && low == o.low;
  }
};

/// The facts about a launch that shapes may rely on.
struct ShapeContext {
  std::array<unsigned, 3> block = {32, 1, 1};
  /// Those are the largest extents, and the launch has any up to them. With
  /// more than one row, threads run one by one.
  bool anyBlock = false;
  /// See PTXJIT_PASS_OPTIONS in Specialization.h.
  bool smallGrid = true;
  /// The number of threads that run together: 32; fewer in narrow warps, whose
  /// patterns repeat themselves up to lane 31 (NarrowWarps.h); or 1 where
  /// threads run one by one and nothing varies.
  unsigned lanes = kWarpLanes;
  /// How many such warps the CTA has.
  unsigned warps() const { return (threads() + lanes - 1) / lanes; }
  /// If the block may be any: the most that there may be.
  unsigned threads() const {
    return anyBlock ? 1024 : block[0] * block[1] * block[2];
  }
  bool partialWarp() const {
    return anyBlock ? lanes > 1 : threads() % lanes != 0;
  }
};

/// tid.x, tid.y or tid.z (`dim` 0, 1 or 2) of thread number `linear` of the
/// CTA.
unsigned getTid(const ShapeContext &context, unsigned dim, unsigned linear);

class ShapeInference;

/// The shapes of all values of a function. Ops infer the shapes of their
/// results by InferShapeInterface (InferShape.h); the analysis follows control
/// flow.
class ShapeAnalysis {
public:
  /// \pre registerShapeRules was called for the function's context.
  ShapeAnalysis(ptx::FuncOp func, const ShapeContext &context);
  ~ShapeAnalysis();

  const Shape &get(mlir::Value value) const;
  bool isUniform(mlir::Value value) const { return get(value).isUniform(); }
  const ShapeContext &getContext() const;

  /// May a lane wrap around, so that the pattern survives widening from `width`
  /// bits only if a run-time test succeeds?
  static bool mayWrap(const Shape &shape, unsigned width, bool isSigned);

private:
  void visitBlock(mlir::Block &block);
  void visit(mlir::Operation &op);
  void setInputs(ptx::EachLaneOp op);
  void visitIf(mlir::Operation &op);
  void visitWhile(mlir::Operation &op);
  void updateResult(mlir::Value result, Shape shape);

  std::unique_ptr<ShapeInference> shapes;
};

} // namespace ptxjit

#endif
