//===- Reduce.cpp - reductions of the data of several ranks ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops for each type and reduction, which the compiler vectorizes.
//
//===----------------------------------------------------------------------===//

#include "Reduce.h"
#include "ptxjit/Runtime/NarrowFloats.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <type_traits>

using namespace ptxjit;
using namespace ptxjit::nccl;

size_t nccl::sizeOf(ncclDataType_t type) {
  switch (type) {
  case ncclInt8:
  case ncclUint8:
  case ncclFloat8e4m3:
  case ncclFloat8e5m2:
    return 1;
  case ncclFloat16:
  case ncclBfloat16:
    return 2;
  case ncclInt32:
  case ncclUint32:
  case ncclFloat32:
    return 4;
  case ncclInt64:
  case ncclUint64:
  case ncclFloat64:
    return 8;
  default:
    return 0;
  }
}

//===----------------------------------------------------------------------===//
// Formats: how elements are stored, and computed with
//===----------------------------------------------------------------------===//

namespace {
template <typename T> struct Plain {
  using Stored = T;
  using Value = T;
  static T load(T stored) { return stored; }
  static T store(T value) { return value; }
};
template <typename T, float toFloat(T), T fromFloat(float)> struct Narrow {
  using Stored = T;
  using Value = float;
  static float load(T stored) { return toFloat(stored); }
  static T store(float value) { return fromFloat(value); }
};
using Half = Narrow<uint16_t, halfToFloat, floatToHalf>;
using Bfloat = Narrow<uint16_t, bfloatToFloat, floatToBfloat>;
using E4m3 = Narrow<uint8_t, e4m3ToFloat, floatToE4m3>;
using E5m2 = Narrow<uint8_t, e5m2ToFloat, floatToE5m2>;

template <typename T> T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T(std::make_unsigned_t<T>(a) + std::make_unsigned_t<T>(b));
  else
    return a + b;
}
template <typename T> T multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>) // in 64 bits nothing is promoted to int
    return T(uint64_t(a) * uint64_t(b));
  else
    return a * b;
}
template <typename T> bool isNan(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(value);
  else
    return false;
}
/// Like fmax() and fmin(): a number wins over a NaN.
template <typename T> T larger(T a, T b) { return a >= b || isNan(b) ? a : b; }
template <typename T> T smaller(T a, T b) { return a <= b || isNan(b) ? a : b; }

/// A reduction: what is done with each operand, with two values, and at the
/// end.
template <ReduceKind kind> struct Rule {
  template <typename T> static T prepare(T value, T scalar) {
    return kind == ReduceKind::PreMulSum ? multiply(value, scalar) : value;
  }
  template <typename T> static T combine(T a, T b) {
    switch (kind) {
    case ReduceKind::Prod:
      return multiply(a, b);
    case ReduceKind::Max:
      return larger(a, b);
    case ReduceKind::Min:
      return smaller(a, b);
    default:
      return add(a, b);
    }
  }
  template <typename T> static T finish(T value, uint64_t count) {
    using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
    if constexpr (kind != ReduceKind::Avg)
      return value;
    else if constexpr (std::is_integral_v<T>)
      return T(Wide(value) / Wide(count));
    else
      return value / T(count);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Calls body(i) for all i < count. The calls may run side by side: where their
/// data overlap, they are equal elements.
template <typename Body> static void forAll(size_t count, Body body) {
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    body(i);
}

namespace {
template <typename Format, ReduceKind kind> class Reducer {
  using Stored [[gnu::aligned(1)]] = typename Format::Stored;
  using Value = typename Format::Value;
  using R = Rule<kind>;

public:
  explicit Reducer(const std::vector<Operand> &operands) : operands(operands) {}

  void run(void *out, size_t count) const {
    // What is computed between two operands stays in the nearest cache.
    constexpr size_t tile = 2048;
    Value values[tile];
    for (size_t begin = 0; begin < count; begin += tile)
      runTile(static_cast<Stored *>(out) + begin, begin,
              std::min(tile, count - begin), values);
  }

private:
  /// The elements of an operand from one on.
  struct Elements {
    const Stored *data;
    Value scalar;
    Value operator[](size_t i) const {
      return R::prepare(Format::load(data[i]), scalar);
    }
  };
  Elements elements(size_t operand, size_t begin) const {
    typename Format::Stored scalar;
    std::memcpy(&scalar, &operands[operand].scalar, sizeof(scalar));
    return {static_cast<const Stored *>(operands[operand].data) + begin,
            Format::load(scalar)};
  }

  void runTile(Stored *out, size_t begin, size_t count, Value *values) const {
    uint64_t ranks = operands.size();
    Elements first = elements(0, begin), last = elements(ranks - 1, begin);
    if (ranks == 1)
      return forAll(count, [=](size_t i) {
        out[i] = Format::store(R::finish(first[i], ranks));
      });
    if (ranks == 2)
      return forAll(count, [=](size_t i) {
        out[i] = Format::store(R::finish(R::combine(first[i], last[i]), ranks));
      });
    Elements second = elements(1, begin);
    forAll(count,
           [=](size_t i) { values[i] = R::combine(first[i], second[i]); });
    for (size_t operand = 2; operand + 1 < ranks; ++operand) {
      Elements next = elements(operand, begin);
      forAll(count,
             [=](size_t i) { values[i] = R::combine(values[i], next[i]); });
    }
    forAll(count, [=](size_t i) {
      out[i] = Format::store(R::finish(R::combine(values[i], last[i]), ranks));
    });
  }

  const std::vector<Operand> &operands;
};

template <typename Format>
void reduceFormat(ReduceKind kind, const std::vector<Operand> &operands,
                  void *out, size_t count) {
  switch (kind) {
  case ReduceKind::Sum:
    return Reducer<Format, ReduceKind::Sum>(operands).run(out, count);
  case ReduceKind::Prod:
    return Reducer<Format, ReduceKind::Prod>(operands).run(out, count);
  case ReduceKind::Max:
    return Reducer<Format, ReduceKind::Max>(operands).run(out, count);
  case ReduceKind::Min:
    return Reducer<Format, ReduceKind::Min>(operands).run(out, count);
  case ReduceKind::Avg:
    return Reducer<Format, ReduceKind::Avg>(operands).run(out, count);
  case ReduceKind::PreMulSum:
    return Reducer<Format, ReduceKind::PreMulSum>(operands).run(out, count);
  }
}
} // namespace

void nccl::reduce(ncclDataType_t type, ReduceKind kind,
                  const std::vector<Operand> &operands, void *out,
                  size_t count) {
  assert(!operands.empty() && sizeOf(type));
  switch (type) {
  case ncclInt8:
    return reduceFormat<Plain<int8_t>>(kind, operands, out, count);
  case ncclUint8:
    return reduceFormat<Plain<uint8_t>>(kind, operands, out, count);
  case ncclInt32:
    return reduceFormat<Plain<int32_t>>(kind, operands, out, count);
  case ncclUint32:
    return reduceFormat<Plain<uint32_t>>(kind, operands, out, count);
  case ncclInt64:
    return reduceFormat<Plain<int64_t>>(kind, operands, out, count);
  case ncclUint64:
    return reduceFormat<Plain<uint64_t>>(kind, operands, out, count);
  case ncclFloat16:
    return reduceFormat<Half>(kind, operands, out, count);
  case ncclFloat32:
    return reduceFormat<Plain<float>>(kind, operands, out, count);
  case ncclFloat64:
    return reduceFormat<Plain<double>>(kind, operands, out, count);
  case ncclBfloat16:
    return reduceFormat<Bfloat>(kind, operands, out, count);
  case ncclFloat8e4m3:
    return reduceFormat<E4m3>(kind, operands, out, count);
  case ncclFloat8e5m2:
    return reduceFormat<E5m2>(kind, operands, out, count);
  default:
    return;
  }
}
