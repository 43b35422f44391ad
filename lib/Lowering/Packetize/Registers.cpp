//===- Registers.cpp - intrinsics of whole registers ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registers.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace ptxjit;

/// Takes `count` elements of a vector from `first` on, and wraps around at its
/// end. A scalar is repeated.
static Value takeElements(ChunkBuilder &c, Value v, unsigned first,
                          unsigned count) {
  if (!isa<VectorType>(v.getType()))
    return c.make<vector::BroadcastOp>(VectorType::get(count, v.getType()), v);
  int64_t size = cast<VectorType>(v.getType()).getNumElements();
  SmallVector<int64_t> from;
  for (unsigned i = 0; i < count; ++i)
    from.push_back((first + i) % size);
  return c.make<vector::ShuffleOp>(v, v, from);
}

Value ptxjit::onRegisters(ChunkBuilder &c, ValueRange in,
                          llvm::function_ref<Value(ValueRange)> emit) {
  unsigned per = 512 / c.elementOf(in[0]).getIntOrFloatBitWidth();
  auto vectorType = dyn_cast<VectorType>(in[0].getType());
  unsigned size = vectorType ? unsigned(vectorType.getNumElements()) : 1;
  if (size == per)
    return emit(in);
  Value whole;
  for (unsigned first = 0; first < size; first += per) {
    SmallVector<Value> parts;
    for (Value v : in)
      parts.push_back(takeElements(c, v, first, per));
    Value part = emit(parts);
    if (!vectorType)
      return c.make<vector::ExtractOp>(part, int64_t(0));
    if (size < per)
      return takeElements(c, part, 0, size);
    SmallVector<int64_t> all(first + per);
    std::iota(all.begin(), all.end(), 0);
    whole = whole ? c.make<vector::ShuffleOp>(whole, part, all) : part;
  }
  return whole;
}
