//===- TensorReduce.cpp - combines elements of tensors --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorReduce.h"

#include <atomic>
#include <cmath>
#include <cstring>

using namespace ptxjit;

namespace {
/// Types of elements. `Bits` is what memory holds, and `Value` what operations
/// have.
template <typename T> struct IntegerElement {
  using Bits = T;
  using Value = T;
  static Value decode(Bits bits) { return bits; }
  static Bits encode(Value value) { return value; }
};
/// Subnormal numbers become 0 if `flushes`.
template <bool flushes> struct F32Element {
  using Bits = uint32_t;
  using Value = float;
  static Value flush(Value x) {
    return flushes && std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.f, x)
                                                         : x;
  }
  static Value decode(Bits bits) {
    Value x;
    std::memcpy(&x, &bits, sizeof(x));
    return flush(x);
  }
  static Bits encode(Value x) {
    x = flush(x);
    Bits bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
  }
};
/// Operations on halves are done in f32, whose digits are more than twice as
/// many. So rounding twice gives the same result as rounding once.
constexpr uint16_t kHalfNaN = 0x7fff;
struct F16Element {
  using Bits = uint16_t;
  using Value = float;
  static Value decode(Bits bits) {
    _Float16 x;
    std::memcpy(&x, &bits, sizeof(x));
    return Value(x);
  }
  static Bits encode(Value x) {
    if (std::isnan(x))
      return kHalfNaN;
    auto half = _Float16(x);
    Bits bits;
    std::memcpy(&bits, &half, sizeof(bits));
    return bits;
  }
};
struct BF16Element {
  using Bits = uint16_t;
  using Value = float;
  static Value decode(Bits bits) {
    return F32Element<false>::decode(uint32_t(bits) << 16);
  }
  static Bits encode(Value x) {
    if (std::isnan(x))
      return kHalfNaN;
    uint32_t bits = F32Element<false>::encode(x);
    return Bits((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  }
};
} // namespace

/// The smaller of two numbers, of which a NaN is none, and -0 is below +0.
static float least(float x, float y) {
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? y : x;
  if (x == y)
    return std::signbit(x) ? x : y;
  return x < y ? x : y;
}

template <typename Value>
static Value combineNumbers(PtxjitTensorAction action, Value old, Value b) {
  constexpr bool isFloat = std::is_same_v<Value, float>;
  switch (action) {
  case PTXJIT_TENSOR_MIN:
    if constexpr (isFloat)
      return least(old, b);
    else
      return old < b ? old : b;
  case PTXJIT_TENSOR_MAX:
    if constexpr (isFloat)
      return -least(-old, -b);
    else
      return old > b ? old : b;
  case PTXJIT_TENSOR_INC:
    return old >= b ? Value(0) : Value(old + 1);
  case PTXJIT_TENSOR_DEC:
    return old == 0 || old > b ? b : Value(old - 1);
  default:
    if constexpr (isFloat)
      return old + b;
    else // signed addition wraps, too
      return Value(std::make_unsigned_t<Value>(old) +
                   std::make_unsigned_t<Value>(b));
  }
}

template <typename Element>
static typename Element::Bits combine(PtxjitTensorAction action,
                                      typename Element::Bits old,
                                      typename Element::Bits b) {
  switch (action) {
  case PTXJIT_TENSOR_AND:
    return old & b;
  case PTXJIT_TENSOR_OR:
    return old | b;
  case PTXJIT_TENSOR_XOR:
    return old ^ b;
  default:
    return Element::encode(
        combineNumbers(action, Element::decode(old), Element::decode(b)));
  }
}

template <typename Element>
static void reduceAs(PtxjitTensorAction action, char *elements, size_t stride,
                     const char *values, size_t count) {
  using Bits = typename Element::Bits;
  for (size_t i = 0; i < count; ++i) {
    Bits b;
    std::memcpy(&b, values + i * sizeof(b), sizeof(b));
    auto &element =
        *reinterpret_cast<std::atomic<Bits> *>(elements + i * stride);
    Bits old = element.load(std::memory_order_relaxed);
    while (!element.compare_exchange_weak(old, combine<Element>(action, old, b),
                                          std::memory_order_relaxed))
      ;
  }
}

void ptxjit::reduceElements(unsigned type, PtxjitTensorAction action,
                            char *elements, size_t stride, const char *values,
                            size_t count) {
  auto reduce = [&](auto element) {
    reduceAs<decltype(element)>(action, elements, stride, values, count);
  };
  switch (type) {
  case PTXJIT_TENSOR_F16:
    return reduce(F16Element());
  case PTXJIT_TENSOR_BF16:
    return reduce(BF16Element());
  case PTXJIT_TENSOR_F32:
    return reduce(F32Element<false>());
  case PTXJIT_TENSOR_F32_FTZ:
    return reduce(F32Element<true>());
  case PTXJIT_TENSOR_S32:
    return reduce(IntegerElement<int32_t>());
  case PTXJIT_TENSOR_S64:
    return reduce(IntegerElement<int64_t>());
  default: // bitwise operations ask for the size alone
    return ptxjitTensorElementBits(type) == 64
               ? reduce(IntegerElement<uint64_t>())
               : reduce(IntegerElement<uint32_t>());
  }
}
