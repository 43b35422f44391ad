//===- Pooling.cpp - largest elements and averages of windows -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pooling.h"
#include "Call.h"
#include "Descriptors.h"

#include <limits>

using namespace ptxjit;
using namespace ptxjit::cudnn;

using Space = std::array<int64_t, 3>;

void cudnn::checkPooling(const Pooling &pooling, const Layout &x,
                         const Layout &y) {
  size_t rank = pooling.window.size();
  if (x.dims.size() != rank + 2 || y.dims.size() != rank + 2)
    failBadParam("expected tensors with " + std::to_string(rank) +
                 " spatial dimensions");
  if (rank < 1 || rank > 3)
    failUnsupported("pooling with other than 1 to 3 spatial dimensions");
  if (x.dims[0] != y.dims[0] || x.dims[1] != y.dims[1])
    failBadParam("expected a result with the batch and channels of the input");
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// The spatial part of a layout. Missing dimensions are of extent 1.
struct Place {
  explicit Place(const Layout &layout) {
    size_t rank = layout.dims.size();
    for (size_t i = 2; i < rank; ++i) {
      extents[i + 3 - rank] = layout.dims[i];
      steps[i + 3 - rank] = layout.strides[i];
    }
  }
  int64_t offset(const Space &place) const {
    return place[0] * steps[0] + place[1] * steps[1] + place[2] * steps[2];
  }
  Space extents = {1, 1, 1}, steps = {0, 0, 0};
};

/// The window of an element of the result: the part that is inside of the
/// input, and its size.
struct Window {
  Window(const Pooling &pooling, const Space &out, const Space &extents) {
    size_t missing = 3 - pooling.window.size();
    for (size_t i = 0; i < 3; ++i) {
      int64_t size = 1, from = 0;
      if (i >= missing) {
        size = pooling.window[i - missing];
        from = out[i] * pooling.strides[i - missing] -
               pooling.prePads[i - missing];
      }
      begin[i] = std::max<int64_t>(0, from);
      end[i] = std::min(extents[i], from + size);
      whole *= size;
      inside *= std::max<int64_t>(0, end[i] - begin[i]);
    }
  }
  /// What an average divides by.
  int64_t divisor(PoolingKind kind) const {
    int64_t count = kind == PoolingKind::AverageWithPadding ? whole : inside;
    return std::max<int64_t>(1, count);
  }
  template <typename F> void forEach(const Place &place, F f) const {
    Space at;
    for (at[0] = begin[0]; at[0] < end[0]; ++at[0])
      for (at[1] = begin[1]; at[1] < end[1]; ++at[1])
        for (at[2] = begin[2]; at[2] < end[2]; ++at[2])
          f(place.offset(at));
  }
  Space begin, end;
  int64_t whole = 1, inside = 1;
};
} // namespace

/// Calls f(offset in input, offset in result, window) for all elements of the
/// result of a channel, channels side by side.
template <typename F>
static void forEachWindow(const Pooling &pooling, const Layout &x,
                          const Layout &y, F f) {
  Place in(x), out(y);
  int64_t channels = y.dims[1];
  tbb::parallel_for(int64_t(0), y.dims[0] * channels, [&](int64_t index) {
    int64_t n = index / channels, c = index % channels;
    int64_t from = n * x.strides[0] + c * x.strides[1];
    int64_t to = n * y.strides[0] + c * y.strides[1];
    Space at;
    for (at[0] = 0; at[0] < out.extents[0]; ++at[0])
      for (at[1] = 0; at[1] < out.extents[1]; ++at[1])
        for (at[2] = 0; at[2] < out.extents[2]; ++at[2])
          f(from, to + out.offset(at), Window(pooling, at, in.extents));
  });
}

/// The place of the largest element; -1 if the window is in the padding.
template <typename T>
static int64_t findLargest(const Pooling &pooling, const Window &window,
                           const Place &place, const T *in) {
  int64_t best = -1;
  window.forEach(place, [&](int64_t offset) {
    bool isNan = in[offset] != in[offset];
    bool isFirst = best < 0 || (!pooling.keepsNan && in[best] != in[best]);
    if (isFirst || in[offset] > in[best] ||
        (pooling.keepsNan && isNan && in[best] == in[best]))
      best = offset;
  });
  return best;
}

template <typename T>
void cudnn::pool(const Pooling &pooling, const View<T> &x, const View<T> &y) {
  Place place(x.layout);
  forEachWindow(pooling, x.layout, y.layout,
                [&](int64_t from, int64_t to, const Window &window) {
                  const T *in = x.data + from;
                  if (pooling.kind == PoolingKind::Max) {
                    int64_t best = findLargest(pooling, window, place, in);
                    y.data[to] = best < 0 ? -std::numeric_limits<T>::infinity()
                                          : in[best];
                    return;
                  }
                  T sum = 0;
                  window.forEach(place,
                                 [&](int64_t offset) { sum += in[offset]; });
                  y.data[to] = sum / T(window.divisor(pooling.kind));
                });
}

template <typename T>
void cudnn::poolBackward(const Pooling &pooling, const View<T> &x,
                         const View<T> &dy, const View<T> &dx) {
  // Without the holes of `x`, so that offsets in both are the same.
  View<T> values = makeView<T>(dx.layout);
  copyView(x, values);
  View<T> sums = makeView<T>(dx.layout);
  std::fill_n(sums.data, countOf(dx.dims()), T(0));
  Place place(values.layout);
  forEachWindow(pooling, values.layout, dy.layout,
                [&](int64_t from, int64_t to, const Window &window) {
                  T *out = sums.data + from;
                  if (pooling.kind == PoolingKind::Max) {
                    int64_t best =
                        findLargest(pooling, window, place, values.data + from);
                    if (best >= 0)
                      out[best] += dy.data[to];
                    return;
                  }
                  T share = dy.data[to] / T(window.divisor(pooling.kind));
                  window.forEach(place,
                                 [&](int64_t offset) { out[offset] += share; });
                });
  copyView(sums, dx);
}

#define INSTANTIATE(T)                                                         \
  template void cudnn::pool(const Pooling &, const View<T> &,                  \
                            const View<T> &);                                  \
  template void cudnn::poolBackward(const Pooling &, const View<T> &,          \
                                    const View<T> &, const View<T> &);
INSTANTIATE(float)
INSTANTIATE(double)

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

PTXJIT_CUDNN_CREATE_DESTROY(Pooling)

static void setPooling(cudnnPoolingDescriptor_t handle, cudnnPoolingMode_t mode,
                       cudnnNanPropagation_t nan, int rank, const int *window,
                       const int *pads, const int *strides) {
  PoolingSettings &settings = get(handle);
  PTXJIT_REQUIRE(window && pads && strides);
  PTXJIT_REQUIRE(rank >= 1 && rank <= kMaxRank - 2);
  PTXJIT_REQUIRE(mode >= CUDNN_POOLING_MAX &&
                 mode <= CUDNN_POOLING_MAX_DETERMINISTIC);
  for (int i = 0; i < rank; ++i)
    PTXJIT_REQUIRE(window[i] > 0 && pads[i] >= 0 && strides[i] > 0);
  settings = {mode,
              nan,
              {window, window + rank},
              {pads, pads + rank},
              {strides, strides + rank}};
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetPooling2dDescriptor(
    cudnnPoolingDescriptor_t handle, cudnnPoolingMode_t mode,
    cudnnNanPropagation_t nan, int windowHeight, int windowWidth,
    int verticalPad, int horizontalPad, int verticalStride,
    int horizontalStride) {
  return run(__func__, [&] {
    int window[] = {windowHeight, windowWidth};
    int pads[] = {verticalPad, horizontalPad};
    int strides[] = {verticalStride, horizontalStride};
    setPooling(handle, mode, nan, 2, window, pads, strides);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetPoolingNdDescriptor(
    cudnnPoolingDescriptor_t handle, cudnnPoolingMode_t mode,
    cudnnNanPropagation_t nan, int rank, const int *window, const int *pads,
    const int *strides) {
  return run(__func__, [&] {
    setPooling(handle, mode, nan, rank, window, pads, strides);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetPooling2dDescriptor(
    cudnnPoolingDescriptor_t handle, cudnnPoolingMode_t *mode,
    cudnnNanPropagation_t *nan, int *windowHeight, int *windowWidth,
    int *verticalPad, int *horizontalPad, int *verticalStride,
    int *horizontalStride) {
  return run(__func__, [&] {
    const PoolingSettings &settings = get(handle);
    PTXJIT_REQUIRE(settings.window.size() == 2);
    give(mode, settings.mode);
    give(nan, settings.nan);
    give(windowHeight, settings.window[0]);
    give(windowWidth, settings.window[1]);
    give(verticalPad, settings.pads[0]);
    give(horizontalPad, settings.pads[1]);
    give(verticalStride, settings.strides[0]);
    give(horizontalStride, settings.strides[1]);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetPoolingNdDescriptor(
    cudnnPoolingDescriptor_t handle, int requested, cudnnPoolingMode_t *mode,
    cudnnNanPropagation_t *nan, int *rank, int *window, int *pads,
    int *strides) {
  return run(__func__, [&] {
    const PoolingSettings &settings = get(handle);
    give(mode, settings.mode);
    give(nan, settings.nan);
    give(rank, settings.window.size());
    giveAll(window, settings.window, requested);
    giveAll(pads, settings.pads, requested);
    giveAll(strides, settings.strides, requested);
  });
}

/// What the settings mean.
static Pooling poolingOf(const PoolingSettings &settings) {
  if (settings.window.empty())
    failBadParam("a descriptor of pooling was not set");
  PoolingKind kind =
      settings.mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
          ? PoolingKind::AverageWithPadding
      : settings.mode == CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING
          ? PoolingKind::AverageWithoutPadding
          : PoolingKind::Max;
  return {kind,
          settings.nan == CUDNN_PROPAGATE_NAN,
          {settings.window.begin(), settings.window.end()},
          {settings.pads.begin(), settings.pads.end()},
          {settings.strides.begin(), settings.strides.end()}};
}

static std::vector<int64_t> pooledDims(const Pooling &pooling,
                                       const Layout &x) {
  size_t rank = pooling.window.size();
  PTXJIT_REQUIRE(x.dims.size() == rank + 2);
  std::vector<int64_t> dims = {x.dims[0], x.dims[1]};
  for (size_t i = 0; i < rank; ++i) {
    int64_t padded = x.dims[i + 2] + 2 * pooling.prePads[i] - pooling.window[i];
    if (padded < 0)
      failBadParam("expected an input that is as large as the window");
    dims.push_back(padded / pooling.strides[i] + 1);
  }
  return dims;
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetPooling2dForwardOutputDim(
    cudnnPoolingDescriptor_t handle, cudnnTensorDescriptor_t xDesc, int *n,
    int *c, int *h, int *w) {
  return run(__func__, [&] {
    auto dims = pooledDims(poolingOf(get(handle)), getTensor(xDesc));
    PTXJIT_REQUIRE(dims.size() == 4);
    give(n, dims[0]);
    give(c, dims[1]);
    give(h, dims[2]);
    give(w, dims[3]);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetPoolingNdForwardOutputDim(
    cudnnPoolingDescriptor_t handle, cudnnTensorDescriptor_t xDesc, int rank,
    int *dims) {
  return run(__func__, [&] {
    giveAll(dims, pooledDims(poolingOf(get(handle)), getTensor(xDesc)), rank);
  });
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnPoolingForward(
    cudnnHandle_t handle, cudnnPoolingDescriptor_t descriptor,
    const void *alpha, cudnnTensorDescriptor_t xDesc, const void *x,
    const void *beta, cudnnTensorDescriptor_t yDesc, void *y) {
  return run(__func__, [&] {
    Pooling pooling = poolingOf(get(descriptor));
    Shape from = getTensor(xDesc), to = getTensor(yDesc);
    PTXJIT_REQUIRE(x && y);
    checkPooling(pooling, from, to);
    enqueueMap(
        handle, alpha, from, x, beta, to, y,
        [=](const auto &in, const auto &out) { pool(pooling, in, out); });
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnPoolingBackward(
    cudnnHandle_t handle, cudnnPoolingDescriptor_t descriptor,
    const void *alpha, cudnnTensorDescriptor_t, const void *,
    cudnnTensorDescriptor_t dyDesc, const void *dy,
    cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
    cudnnTensorDescriptor_t dxDesc, void *dx) {
  return run(__func__, [&] {
    Pooling pooling = poolingOf(get(descriptor));
    Shape dyShape = getTensor(dyDesc), to = getTensor(dxDesc);
    bool readsInput = pooling.kind == PoolingKind::Max;
    // Gradients of averages do not read it; any memory will do.
    Shape xShape = readsInput ? Shape(getTensor(xDesc)) : to;
    const void *input = readsInput ? x : dx;
    PTXJIT_REQUIRE(input && dy && dx && xShape.dims == to.dims);
    checkPooling(pooling, to, dyShape);
    double factor = readFactor(alpha, to.type);
    double old = readFactor(beta, to.type);
    enqueue(handle, [=] {
      inType(needsDouble(to.type), [&](auto zero) {
        using T = decltype(zero);
        View<T> gradient = makeView<T>(to);
        poolBackward(pooling, readView<T>(xShape, input),
                     readView<T>(dyShape, dy), gradient);
        writeView<T>(gradient, to, dx, T(factor), T(old));
      });
    });
  });
}
