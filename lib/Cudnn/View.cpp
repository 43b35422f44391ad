//===- View.cpp - tensors in memory ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "View.h"
#include "Status.h"
#include "ptxjit/Runtime/NarrowFloats.h"

#include <cmath>
#include <limits>

using namespace ptxjit;
using namespace ptxjit::cudnn;

size_t cudnn::sizeOf(cudnnDataType_t type) {
  switch (type) {
  case CUDNN_DATA_INT8:
  case CUDNN_DATA_UINT8:
  case CUDNN_DATA_BOOLEAN:
  case CUDNN_DATA_FP8_E4M3:
  case CUDNN_DATA_FP8_E5M2:
    return 1;
  case CUDNN_DATA_HALF:
  case CUDNN_DATA_BFLOAT16:
    return 2;
  case CUDNN_DATA_FLOAT:
  case CUDNN_DATA_INT32:
    return 4;
  case CUDNN_DATA_DOUBLE:
  case CUDNN_DATA_INT64:
    return 8;
  default:
    return 0;
  }
}

size_t cudnn::bytesOf(const Shape &shape) {
  int64_t last = 0;
  for (size_t i = 0; i < shape.dims.size(); ++i) {
    if (shape.dims[i] == 0)
      return 0;
    last += (shape.dims[i] - 1) * shape.strides[i];
  }
  return size_t(last + 1) * sizeOf(shape.type);
}

double cudnn::readFactor(const void *factor, cudnnDataType_t type) {
  PTXJIT_REQUIRE(factor != nullptr);
  return type == CUDNN_DATA_DOUBLE
             ? *static_cast<const double *>(factor)
             : double(*static_cast<const float *>(factor));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {
/// How a type is stored.
template <typename Storage> struct Plain {
  using Type = Storage;
  template <typename T> static T load(Storage value) { return T(value); }
  template <typename T> static Storage store(T value) { return Storage(value); }
};
/// Integers: to the nearest even one, saturated.
template <typename Storage> struct Integer : Plain<Storage> {
  template <typename T> static Storage store(T value) {
    using Limits = std::numeric_limits<Storage>;
    T rounded = std::nearbyint(value);
    // The largest 64-bit number is no float, but the next power of two is.
    if (rounded >= T(Limits::max()))
      return Limits::max();
    return rounded > T(Limits::min()) ? Storage(rounded) : Limits::min();
  }
};
struct Boolean : Plain<uint8_t> {
  template <typename T> static T load(uint8_t value) { return value != 0; }
  template <typename T> static uint8_t store(T value) { return value != 0; }
};
struct Half {
  using Type = uint16_t;
  template <typename T> static T load(uint16_t bits) {
    return halfToFloat(bits);
  }
  template <typename T> static uint16_t store(T value) {
    auto half = _Float16(value);
    uint16_t bits;
    std::memcpy(&bits, &half, sizeof(bits));
    return bits;
  }
};
#define NARROW_FLOAT(name, storage, toFloat, fromFloat)                        \
  struct name {                                                                \
    using Type = storage;                                                      \
    template <typename T> static T load(storage bits) {                        \
      return toFloat(bits);                                                    \
    }                                                                          \
    template <typename T> static storage store(T value) {                      \
      return fromFloat(float(value));                                          \
    }                                                                          \
  };
NARROW_FLOAT(Bfloat16, uint16_t, bfloatToFloat, floatToBfloat)
NARROW_FLOAT(E4m3, uint8_t, e4m3ToFloat, floatToE4m3)
NARROW_FLOAT(E5m2, uint8_t, e5m2ToFloat, floatToE5m2)
#undef NARROW_FLOAT
} // namespace

template <typename F> static void withType(cudnnDataType_t type, F function) {
  switch (type) {
  case CUDNN_DATA_FLOAT:
    return function(Plain<float>());
  case CUDNN_DATA_DOUBLE:
    return function(Plain<double>());
  case CUDNN_DATA_HALF:
    return function(Half());
  case CUDNN_DATA_BFLOAT16:
    return function(Bfloat16());
  case CUDNN_DATA_FP8_E4M3:
    return function(E4m3());
  case CUDNN_DATA_FP8_E5M2:
    return function(E5m2());
  case CUDNN_DATA_INT8:
    return function(Integer<int8_t>());
  case CUDNN_DATA_UINT8:
    return function(Integer<uint8_t>());
  case CUDNN_DATA_INT32:
    return function(Integer<int32_t>());
  case CUDNN_DATA_INT64:
    return function(Integer<int64_t>());
  case CUDNN_DATA_BOOLEAN:
    return function(Boolean());
  default:
    failUnsupported("tensors of type " + std::to_string(int(type)));
  }
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

template <typename T>
static constexpr cudnnDataType_t kTypeOf =
    std::is_same_v<T, double> ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;

template <typename T> View<T> cudnn::makeView(const Layout &layout) {
  View<T> view;
  view.layout = {layout.dims, packedStrides(layout)};
  view.owner.reset(new T[size_t(std::max<int64_t>(1, countOf(layout.dims)))]);
  view.data = view.owner.get();
  return view;
}

template <typename T>
void cudnn::copyView(const View<T> &from, const View<T> &to) {
  Walk<2>(to.dims(), {to.strides(), broadcastStrides(from.layout, to.dims())})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i)
          to.data[offsets[0] + i * steps[0]] =
              from.data[offsets[1] + i * steps[1]];
      });
}

template <typename T>
View<T> cudnn::readView(const Shape &shape, const void *from) {
  if (shape.type == kTypeOf<T>) {
    // Nobody writes to what is read.
    return {shape, static_cast<T *>(const_cast<void *>(from)), nullptr};
  }
  View<T> view = makeView<T>(shape);
  Walk<2> walk(shape.dims, {view.strides(), shape.strides});
  withType(shape.type, [&](auto codec) {
    using Codec = decltype(codec);
    auto *values = static_cast<const typename Codec::Type *>(from);
    walk.run([&](auto offsets, int64_t count, auto steps) {
      for (int64_t i = 0; i < count; ++i)
        view.data[offsets[0] + i * steps[0]] =
            Codec::template load<T>(values[offsets[1] + i * steps[1]]);
    });
  });
  return view;
}

template <typename T>
void cudnn::writeView(const View<T> &values, const Shape &shape, void *to,
                      T alpha, T beta) {
  Walk<2> walk(shape.dims,
               {shape.strides, broadcastStrides(values.layout, shape.dims)});
  withType(shape.type, [&](auto codec) {
    using Codec = decltype(codec);
    auto *out = static_cast<typename Codec::Type *>(to);
    const T *in = values.data;
    walk.run([&](auto offsets, int64_t count, auto steps) {
      for (int64_t i = 0; i < count; ++i) {
        T value = alpha * in[offsets[1] + i * steps[1]];
        auto &place = out[offsets[0] + i * steps[0]];
        if (beta != 0)
          value += beta * Codec::template load<T>(place);
        place = Codec::template store<T>(value);
      }
    });
  });
}

template <typename T>
Output<T>::Output(const Shape &shape, void *to, T alpha, T beta)
    : shape(shape), to(to), alpha(alpha), beta(beta),
      isDirect(shape.type == kTypeOf<T> && alpha == 1 && beta == 0) {
  if (isDirect)
    result = {shape, static_cast<T *>(to), nullptr};
  else
    result = makeView<T>(shape);
}

template <typename T> void Output<T>::finish() const {
  if (!isDirect)
    writeView(result, shape, to, alpha, beta);
}

#define INSTANTIATE(T)                                                         \
  template View<T> cudnn::makeView(const Layout &);                            \
  template void cudnn::copyView(const View<T> &, const View<T> &);             \
  template View<T> cudnn::readView(const Shape &, const void *);               \
  template void cudnn::writeView(const View<T> &, const Shape &, void *, T,    \
                                 T);                                           \
  template class cudnn::Output<T>;
INSTANTIATE(float)
INSTANTIATE(double)
