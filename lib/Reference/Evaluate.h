//===- Evaluate.h - evaluates one instruction of one thread -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_REFERENCE_EVALUATE_H
#define PTXJIT_LIB_REFERENCE_EVALUATE_H

#include "mlir/IR/Operation.h"
#include "ptxjit/Dialect/PtxOps.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace ptxjit::reference {

/// A value of up to 64 bits, in the low bits.
using Bits = uint64_t;

/// Each computes the results of an op without effects; false if the op is not
/// of its chapter.
bool evaluateInteger(mlir::Operation *op, llvm::ArrayRef<Bits> in,
                     llvm::SmallVectorImpl<Bits> &out);
bool evaluateLogic(mlir::Operation *op, llvm::ArrayRef<Bits> in,
                   llvm::SmallVectorImpl<Bits> &out);
bool evaluateFloat(mlir::Operation *op, llvm::ArrayRef<Bits> in,
                   llvm::SmallVectorImpl<Bits> &out);
bool evaluateConvert(mlir::Operation *op, llvm::ArrayRef<Bits> in,
                     llvm::SmallVectorImpl<Bits> &out);
bool evaluateVideo(mlir::Operation *op, llvm::ArrayRef<Bits> in,
                   llvm::SmallVectorImpl<Bits> &out);
bool evaluateMove(mlir::Operation *op, llvm::ArrayRef<Bits> in,
                  llvm::SmallVectorImpl<Bits> &out);

/// Compares two values of `type`; `ftz` flushes f32 subnormals first.
bool compare(ptx::Compare cmp, ptx::ScalarType type, bool ftz, Bits a, Bits b);

/// The APFloat semantics of a floating-point type.
const llvm::fltSemantics &semanticsOf(ptx::ScalarType type);
/// Converts bits of floating-point type `type` to a number, and back.
llvm::APFloat makeFloat(ptx::ScalarType type, Bits bits);
Bits bitsOf(const llvm::APFloat &value);
/// The APFloat mode of a rounding modifier; to nearest even without one.
llvm::RoundingMode modeOf(std::optional<ptx::Rounding> rnd);
/// `.ftz`: turns a subnormal into zero of its sign.
Bits flush(ptx::ScalarType type, Bits bits);
/// `.sat`: clamps to [0, 1]; NaN and -0 become +0.
Bits saturate(ptx::ScalarType type, Bits bits);

} // namespace ptxjit::reference

#endif
