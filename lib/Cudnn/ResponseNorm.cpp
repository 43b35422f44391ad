//===- ResponseNorm.cpp - local response normalization --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = x * s^-beta, where s = k + alpha / window * the sum of the squares of the
// channels around.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Descriptors.h"

#include <cmath>

using namespace ptxjit;
using namespace ptxjit::cudnn;

PTXJIT_CUDNN_CREATE_DESTROY(LRN)

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnSetLRNDescriptor(cudnnLRNDescriptor_t handle, unsigned window,
                      double alpha, double beta, double k) {
  return run(__func__, [&] {
    PTXJIT_REQUIRE(window >= 1 && window <= 16 && k >= 1e-5 && beta >= 0.01);
    get(handle) = {window, alpha, beta, k};
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnGetLRNDescriptor(cudnnLRNDescriptor_t handle, unsigned *window,
                      double *alpha, double *beta, double *k) {
  return run(__func__, [&] {
    const ResponseNorm &norm = get(handle);
    give(window, norm.window);
    give(alpha, norm.alpha);
    give(beta, norm.beta);
    give(k, norm.k);
  });
}

/// Calls f(offset in `a`, in `b`) for each place of batch and space: that of
/// its first channel.
template <typename F>
static void forEachPlace(const Layout &a, const Layout &b, F f) {
  std::vector<int64_t> dims = a.dims;
  dims[1] = 1;
  Walk<2>(dims, {a.strides, b.strides})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i)
          f(offsets[0] + i * steps[0], offsets[1] + i * steps[1]);
      });
}

/// Calls f(channel) for those around another one.
template <typename F>
static void forEachAround(const ResponseNorm &norm, int64_t channel,
                          int64_t channels, F f) {
  int64_t before = (int64_t(norm.window) - 1) / 2;
  int64_t first = std::max<int64_t>(0, channel - before);
  int64_t end = std::min(channels, channel - before + int64_t(norm.window));
  for (int64_t c = first; c < end; ++c)
    f(c);
}

/// The s of a channel.
template <typename T>
static T sumAround(const ResponseNorm &norm, const T *x, int64_t step,
                   int64_t channel, int64_t channels) {
  T sum = 0;
  forEachAround(norm, channel, channels,
                [&](int64_t c) { sum += x[c * step] * x[c * step]; });
  return T(norm.k) + T(norm.alpha) / T(norm.window) * sum;
}

template <typename T>
static void respond(const ResponseNorm &norm, const View<T> &x,
                    const View<T> &y) {
  int64_t channels = x.dims()[1];
  int64_t inStep = x.strides()[1], outStep = y.strides()[1];
  forEachPlace(x.layout, y.layout, [&](int64_t from, int64_t to) {
    const T *in = x.data + from;
    for (int64_t c = 0; c < channels; ++c)
      y.data[to + c * outStep] =
          in[c * inStep] *
          std::pow(sumAround(norm, in, inStep, c, channels), T(-norm.beta));
  });
}

/// dx = dy * s^-beta - 2 * alpha * beta / window * x * the sum of dy * y / s of
/// the channels that have this one around. `dx` holds `dy` before.
template <typename T>
static void respondBackward(const ResponseNorm &norm, const View<T> &x,
                            const View<T> &dx) {
  int64_t channels = x.dims()[1];
  int64_t step = x.strides()[1], outStep = dx.strides()[1];
  T factor = T(2 * norm.alpha * norm.beta / norm.window);
  forEachPlace(x.layout, dx.layout, [&](int64_t from, int64_t to) {
    const T *in = x.data + from;
    T *out = dx.data + to;
    std::vector<T> shares(size_t(channels), T(0));
    for (int64_t c = 0; c < channels; ++c) {
      T s = sumAround(norm, in, step, c, channels);
      T power = std::pow(s, T(-norm.beta));
      T share = out[c * outStep] * in[c * step] * power / s;
      forEachAround(norm, c, channels,
                    [&](int64_t other) { shares[size_t(other)] += share; });
      out[c * outStep] *= power;
    }
    for (int64_t c = 0; c < channels; ++c)
      out[c * outStep] -= factor * in[c * step] * shares[size_t(c)];
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnLRNCrossChannelForward(
    cudnnHandle_t handle, cudnnLRNDescriptor_t descriptor, cudnnLRNMode_t mode,
    const void *alpha, cudnnTensorDescriptor_t xDesc, const void *x,
    const void *beta, cudnnTensorDescriptor_t yDesc, void *y) {
  return run(__func__, [&] {
    ResponseNorm norm = get(descriptor);
    Shape from = getTensor(xDesc), to = getTensor(yDesc);
    PTXJIT_REQUIRE(mode == CUDNN_LRN_CROSS_CHANNEL_DIM1);
    PTXJIT_REQUIRE(x && y && from.dims == to.dims);
    double factor = readFactor(alpha, to.type);
    double old = readFactor(beta, to.type);
    enqueue(handle, [=] {
      inType(needsDouble(from.type), [&](auto zero) {
        using T = decltype(zero);
        View<T> result = makeView<T>(to);
        respond(norm, readView<T>(from, x), result);
        writeView<T>(result, to, y, T(factor), T(old));
      });
    });
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnLRNCrossChannelBackward(
    cudnnHandle_t handle, cudnnLRNDescriptor_t descriptor, cudnnLRNMode_t mode,
    const void *alpha, cudnnTensorDescriptor_t, const void *,
    cudnnTensorDescriptor_t dyDesc, const void *dy,
    cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
    cudnnTensorDescriptor_t dxDesc, void *dx) {
  return run(__func__, [&] {
    ResponseNorm norm = get(descriptor);
    Shape xShape = getTensor(xDesc), dyShape = getTensor(dyDesc);
    Shape to = getTensor(dxDesc);
    PTXJIT_REQUIRE(mode == CUDNN_LRN_CROSS_CHANNEL_DIM1);
    PTXJIT_REQUIRE(x && dy && dx);
    PTXJIT_REQUIRE(xShape.dims == to.dims && dyShape.dims == to.dims);
    double factor = readFactor(alpha, to.type);
    double old = readFactor(beta, to.type);
    enqueue(handle, [=] {
      inType(needsDouble(to.type), [&](auto zero) {
        using T = decltype(zero);
        View<T> result = makeView<T>(to);
        copyView(readView<T>(dyShape, dy), result);
        respondBackward(norm, readView<T>(xShape, x), result);
        writeView<T>(result, to, dx, T(factor), T(old));
      });
    });
  });
}
