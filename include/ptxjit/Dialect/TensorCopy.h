//===- TensorCopy.h - the meaning of tensor copies --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes what the ops of PtxTensorCopy.td do, decoded from their attributes,
// for the lowering and the reference interpreter.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_DIALECT_TENSORCOPY_H
#define PTXJIT_DIALECT_TENSORCOPY_H

#include "mlir/IR/ValueRange.h"
#include "ptxjit/Dialect/PtxDialect.h"

namespace ptxjit::ptx {

/// What `ptx.tensor.load`, `ptx.tensor.store` and `ptx.tensor.reduce` copy, and
/// their operands. ISA: "cp.async.bulk.tensor".
struct TensorCopy {
  TensorMode mode = TensorMode::Tile;
  unsigned dims = 1;  ///< of the tensor, 1 to 5
  mlir::Value shared; ///< the address of the box in shared memory
  mlir::Value map;    ///< the generic address of the tensor map
  /// The coordinates of the box, i32, innermost dimension first. For `gather4`
  /// and `scatter4`: the column, and four rows.
  mlir::ValueRange coordinates;
  mlir::Value mbarrier; ///< counts the bytes of a load; null for stores
  /// `im2col`: offsets in w, h and d, as many as there are. `im2col::w` and
  /// `im2col::w::128`: the halo, and the offset in w. i16.
  mlir::ValueRange offsets;
  mlir::Value ctas;       ///< i16, a bit for each CTA that receives; null: one
  bool isForPair = false; ///< `.cta_group::2`
};

} // namespace ptxjit::ptx

#endif
