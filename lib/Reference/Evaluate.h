//===- Evaluate.h - one instruction on one thread's values ------*- C++ -*-===//

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

/// Computes the results of an op without effects. False if it is not one of
/// this file's chapter.
bool evaluateInteger(mlir::Operation *op, llvm::ArrayRef<Bits> in,
                     llvm::SmallVectorImpl<Bits> &out);
bool evaluateLogic(mlir::Operation *op, llvm::ArrayRef<Bits> in,
                   llvm::SmallVectorImpl<Bits> &out);
bool evaluateFloat(mlir::Operation *op, llvm::ArrayRef<Bits> in,
                   llvm::SmallVectorImpl<Bits> &out);
bool evaluateConvert(mlir::Operation *op, llvm::ArrayRef<Bits> in,
                     llvm::SmallVectorImpl<Bits> &out);
bool evaluateMove(mlir::Operation *op, llvm::ArrayRef<Bits> in,
                  llvm::SmallVectorImpl<Bits> &out);

/// Compares two values of `type`; `ftz` flushes f32 subnormals first.
bool compare(ptx::Compare cmp, ptx::ScalarType type, bool ftz, Bits a, Bits b);

/// f32 subnormal to zero of its sign.
Bits flushF32(Bits x);
/// f16 subnormal to zero of its sign.
Bits flushF16(Bits x);
/// APFloat's name of a floating-point type.
const llvm::fltSemantics &semanticsOf(ptx::ScalarType type);

} // namespace ptxjit::reference

#endif
