//===- NormalFloats.h - values that are no subnormal floats -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `.ftz` replaces subnormal operands and results by zero, which costs two or
// three instructions for each. Operands that cannot be subnormal need none:
// results of other ops with `.ftz`, converted integers, or 1 + 2^x.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_ANALYSIS_NORMALFLOATS_H
#define PTXJIT_ANALYSIS_NORMALFLOATS_H

#include "ptxjit/Dialect/PtxOps.h"

#include "llvm/ADT/DenseSet.h"

namespace ptxjit {

/// Values of 32 bits that, taken as f32, are never subnormal.
class NormalFloats {
public:
  /// \param func  in structured or masked form.
  explicit NormalFloats(ptx::FuncOp func);

  /// Of a value that is not of 32 bits nothing is known.
  bool contains(mlir::Value value) const { return normal.contains(value); }

private:
  void assume(mlir::ValueRange values);
  bool visit(mlir::Operation *op);
  bool keepIf(mlir::Value value, bool isNormal);
  bool isNormalResult(mlir::Operation *op) const;

  llvm::DenseSet<mlir::Value> normal;
};

} // namespace ptxjit

#endif
