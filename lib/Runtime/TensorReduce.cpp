//===- TensorReduce.cpp - combines elements of tensors --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorReduce.h"
#include "Numbers.h"

#include <atomic>
#include <cstring>

using namespace ptxjit;

template <typename Value>
static Value combineNumbers(PtxjitTensorAction action, Value old, Value b) {
  switch (action) {
  case PTXJIT_TENSOR_MIN:
    return least(old, b);
  case PTXJIT_TENSOR_MAX:
    return greatest(old, b);
  case PTXJIT_TENSOR_INC:
    return old >= b ? Value(0) : Value(old + 1);
  case PTXJIT_TENSOR_DEC:
    return old == 0 || old > b ? b : Value(old - 1);
  default:
    return sumOf(old, b);
  }
}

template <typename Number>
static typename Number::Bits combine(PtxjitTensorAction action,
                                     typename Number::Bits old,
                                     typename Number::Bits b) {
  switch (action) {
  case PTXJIT_TENSOR_AND:
    return old & b;
  case PTXJIT_TENSOR_OR:
    return old | b;
  case PTXJIT_TENSOR_XOR:
    return old ^ b;
  default:
    return Number::encode(
        combineNumbers(action, Number::decode(old), Number::decode(b)));
  }
}

template <typename Number>
static void reduceAs(PtxjitTensorAction action, char *elements, size_t stride,
                     const char *values, size_t count) {
  using Bits = typename Number::Bits;
  for (size_t i = 0; i < count; ++i) {
    Bits b;
    std::memcpy(&b, values + i * sizeof(b), sizeof(b));
    auto &element =
        *reinterpret_cast<std::atomic<Bits> *>(elements + i * stride);
    Bits old = element.load(std::memory_order_relaxed);
    while (!element.compare_exchange_weak(old, combine<Number>(action, old, b),
                                          std::memory_order_relaxed))
      ;
  }
}

void ptxjit::reduceElements(unsigned type, PtxjitTensorAction action,
                            char *elements, size_t stride, const char *values,
                            size_t count) {
  auto reduce = [&](auto number) {
    reduceAs<decltype(number)>(action, elements, stride, values, count);
  };
  switch (type) {
  case PTXJIT_TENSOR_F16:
    return reduce(F16Number());
  case PTXJIT_TENSOR_BF16:
    return reduce(BF16Number());
  case PTXJIT_TENSOR_F32:
    return reduce(F32Number());
  case PTXJIT_TENSOR_F32_FTZ:
    return reduce(FlushedNumber());
  case PTXJIT_TENSOR_S32:
    return reduce(IntegerNumber<int32_t>());
  case PTXJIT_TENSOR_S64:
    return reduce(IntegerNumber<int64_t>());
  default: // bitwise operations ask for the size alone
    return ptxjitTensorElementBits(type) == 64
               ? reduce(IntegerNumber<uint64_t>())
               : reduce(IntegerNumber<uint32_t>());
  }
}
