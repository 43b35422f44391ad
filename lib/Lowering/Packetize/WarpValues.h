//===- WarpValues.h - what a thread's values have become --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The map from each value of one thread to its form for the 32 threads of a
// warp: a base with a pattern, or chunks of lanes (Shape.h says which).
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_WARPVALUES_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_WARPVALUES_H

#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace ptxjit {

class WarpBuilder;

class WarpValues {
public:
  explicit WarpValues(WarpBuilder &warp) : warp(warp) {}

  /// Is there code for `v` here? (Not if only another part of a kernel that is
  /// split at barriers makes it.)
  bool isMade(mlir::Value v) const;
  /// The scalar that all lanes of `v` share, to which the pattern of its shape
  /// is added. `v` must be made, and its shape have a base.
  mlir::Value base(mlir::Value v) const;
  /// Scalar i1: the pattern holds (Shape::conditional). Null if always.
  mlir::Value condition(mlir::Value v) const;
  /// The lanes of chunk `c`. Those of a value with a base are made at its first
  /// use, behind the base; inside a RareCode, where the builder is.
  mlir::Value chunk(mlir::Value v, unsigned c);

  /// An emitter's result. What it sets is what the shape of `v` says: a base
  /// where that has one, else chunks; and both where it may fail to hold.
  void setBase(mlir::Value v, mlir::Value base);
  void setCondition(mlir::Value v, mlir::Value condition);
  void setChunks(mlir::Value v, llvm::ArrayRef<mlir::Value> chunks);
  /// `v` is what `other` is.
  void setSame(mlir::Value v, mlir::Value other);
  /// Takes back that `v` is made.
  void forget(mlir::Value v) { values.erase(v); }

  // Values that cross a block boundary do it as their shape says.
  /// Types of the values that `v` is.
  void flattenTypes(mlir::Value v, llvm::SmallVectorImpl<mlir::Type> &types);
  /// `v` in the form that the shape of `as` asks for.
  void flatten(mlir::Value v, mlir::Value as,
               llvm::SmallVectorImpl<mlir::Value> &flat);
  /// Takes the values of `v` from the front of `flat`.
  void unflatten(mlir::Value v, mlir::ValueRange &flat);

private:
  friend class RareCode;
  /// Uniform values have a base alone; those with a lane pattern a base, to
  /// which chunks are made on demand; others only chunks.
  struct Packed {
    mlir::Value base;
    mlir::Value condition;
    llvm::SmallVector<mlir::Value, 8> chunks;
  };
  const Packed &get(mlir::Value v) const;
  llvm::SmallVector<mlir::Value, 8> makeChunks(mlir::Value v, mlir::Value base);
  mlir::Value remakeChunk(mlir::Value v, unsigned c, unsigned depth);

  WarpBuilder &warp;
  llvm::DenseMap<mlir::Value, Packed> values;
  bool inRareCode = false;
};

/// While one lives, chunks are made anew where the builder is: so that what
/// runs often neither makes them nor keeps them in registers.
class RareCode {
public:
  explicit RareCode(WarpBuilder &warp);
  ~RareCode();
  RareCode(const RareCode &) = delete;

private:
  WarpValues &values;
  bool before;
};

} // namespace ptxjit

#endif
