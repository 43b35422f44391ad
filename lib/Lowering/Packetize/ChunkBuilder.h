//===- ChunkBuilder.h - build vector code for one chunk ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only code that knows the width of a chunk. Emitters use it to build
// vectors of lanes and, where a value is uniform, scalars.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_LOWERING_PACKETIZE_CHUNKBUILDER_H
#define PTXJIT_LIB_LOWERING_PACKETIZE_CHUNKBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "ptxjit/Device/Functions.h"
#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Lowering/Pipelines.h"

namespace ptxjit {

class ChunkBuilder {
public:
  ChunkBuilder(mlir::OpBuilder &builder, mlir::Location loc,
               const KernelTarget &target, unsigned lanes)
      : b(builder), loc(loc), target(target), lanes(lanes) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  const KernelTarget &target;
  /// Number of lanes in each value; 0 means scalars.
  unsigned lanes;
  /// Emitted operands that are never subnormal (NormalFloats.h).
  llvm::SmallVector<mlir::Value, 4> normal;

  // -- Types
  mlir::Type vec(mlir::Type element) const;
  mlir::Type ints(unsigned width) const { return vec(b.getIntegerType(width)); }
  static mlir::Type elementOf(mlir::Value value);
  static unsigned widthOf(mlir::Value value);

  // -- Constants and scalars
  mlir::Value intConstant(unsigned width, uint64_t value) const;
  mlir::Value floatConstant(mlir::Type element, double value) const;
  mlir::Value zero(mlir::Type element) const;
  mlir::Value splat(mlir::Value scalar) const;

  // -- Integers
  template <typename OpTy, typename... Args>
  mlir::Value make(Args &&...args) const {
    return OpTy::create(b, loc, std::forward<Args>(args)...);
  }
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value sub(mlir::Value x, mlir::Value y) const;
  mlir::Value mul(mlir::Value x, mlir::Value y) const;
  mlir::Value bitAnd(mlir::Value x, mlir::Value y) const;
  mlir::Value bitOr(mlir::Value x, mlir::Value y) const;
  mlir::Value bitXor(mlir::Value x, mlir::Value y) const;
  mlir::Value bitNot(mlir::Value x) const;
  /// Shifts. The amount must be less than the width.
  mlir::Value shl(mlir::Value x, mlir::Value y) const;
  mlir::Value shr(mlir::Value x, mlir::Value y, bool isSigned) const;
  mlir::Value shlBy(mlir::Value x, unsigned amount) const;
  mlir::Value shrBy(mlir::Value x, unsigned amount, bool isSigned) const;
  mlir::Value cmp(mlir::arith::CmpIPredicate predicate, mlir::Value x,
                  mlir::Value y) const;
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y) const;
  /// Truncates or extends to `width` bits.
  mlir::Value resize(mlir::Value x, unsigned width, bool isSigned) const;
  mlir::Value umin(mlir::Value x, mlir::Value y) const;
  mlir::Value bitcast(mlir::Value x, mlir::Type element) const;
  /// The bits of a float, as an integer.
  mlir::Value bitsOf(mlir::Value x) const;

  // -- Floats
  mlir::Value cmpf(mlir::arith::CmpFPredicate predicate, mlir::Value x,
                   mlir::Value y) const;
  /// Replaces subnormal f32 values by zero of the same sign, if `wanted`, and
  /// if there may be some.
  mlir::Value flush(mlir::Value x, bool wanted) const;
  /// Clamps to [0, 1], if `wanted`; NaN becomes +0.
  mlir::Value saturate(mlir::Value x, bool wanted) const;

  // -- Calls
  /// Calls an LLVM intrinsic.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result,
                        mlir::ValueRange operands) const;
  /// Calls a function of the device library, whose operands and result are
  /// passed by reference.
  mlir::Value callDevice(const device::LaneFunction &function,
                         mlir::Type resultElement,
                         mlir::ValueRange operands) const;
  /// \param rnd  a directed rounding mode.
  mlir::Value callDevice(const device::DirectedFunction &function,
                         ptx::Rounding rnd, mlir::Type resultElement,
                         mlir::ValueRange operands) const;
};

} // namespace ptxjit

#endif
