//===- WarpValues.h - the values of a warp ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps each value of one thread to its form for the 32 threads of a warp: a
// base with a pattern, or chunks of lanes. Shape.h says which.
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

  /// Does `v` have a form here? It has none if only another part of a split
  /// kernel makes it.
  bool isMade(mlir::Value v) const;
  /// The scalar base of `v`, to which the pattern of its shape is added in each
  /// lane. \pre `v` is made, and its shape has a base.
  mlir::Value base(mlir::Value v) const;
  /// Scalar i1: does the pattern hold (Shape::conditional)? Null if it always
  /// does.
  mlir::Value condition(mlir::Value v) const;
  /// The vector of chunk `c`. For a value with a base all chunks are made at
  /// the first use, behind the base. Inside a RareCode the chunk is made where
  /// the builder is.
  mlir::Value chunk(mlir::Value v, unsigned c);

  /// Sets the result of an emitter. It must set what the shape of `v` says: a
  /// base if the shape has one, else chunks. A conditional shape needs both.
  void setBase(mlir::Value v, mlir::Value base);
  void setCondition(mlir::Value v, mlir::Value condition);
  void setChunks(mlir::Value v, llvm::ArrayRef<mlir::Value> chunks);
  /// Gives `v` the form of `other`.
  void setSame(mlir::Value v, mlir::Value other);
  /// Removes the form of `v`.
  void forget(mlir::Value v) { values.erase(v); }

  /// The form of one value. A uniform value has only a base. A value with a
  /// lane pattern has a base, and chunks once they are needed. A varying value
  /// has only chunks.
  struct Packed {
    mlir::Value base;
    mlir::Value condition;
    llvm::SmallVector<mlir::Value, 8> chunks;
  };
  /// The forms of all values of a warp.
  using Forms = llvm::DenseMap<mlir::Value, Packed>;
  const Forms &getForms() const { return values; }
  void swapForms(Forms &other) { values.swap(other); }

  // Values that cross a block boundary are lists of values, in the form that
  // their shape asks for.
  /// Appends the types of the values that represent `v`.
  void flattenTypes(mlir::Value v, llvm::SmallVectorImpl<mlir::Type> &types);
  /// Appends the values of `v`, in the form that the shape of `as` asks for.
  void flatten(mlir::Value v, mlir::Value as,
               llvm::SmallVectorImpl<mlir::Value> &flat);
  /// Sets `v` from the front of `flat`, and drops them there.
  void unflatten(mlir::Value v, mlir::ValueRange &flat);

private:
  friend class RareCode;
  const Packed &get(mlir::Value v) const;
  llvm::SmallVector<mlir::Value, 8> makeChunks(mlir::Value v, mlir::Value base);
  mlir::Value remakeChunk(mlir::Value v, unsigned c, unsigned depth);

  WarpBuilder &warp;
  Forms values;
  bool inRareCode = false;
};

/// While a RareCode lives, chunks are made anew where the builder is. So code
/// that runs often neither makes them nor keeps them in registers.
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
