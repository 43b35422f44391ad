//===- Softmax.cpp - softmax and its gradient -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Descriptors.h"
#include "Reduction.h"

#include <cmath>

using namespace ptxjit;
using namespace ptxjit::cudnn;

/// The tensor of sums: over channels, or over all but the batch.
static Layout sumsOf(const Layout &layout, cudnnSoftmaxMode_t mode) {
  Layout sums = layout;
  size_t end = mode == CUDNN_SOFTMAX_MODE_CHANNEL ? 2 : sums.dims.size();
  for (size_t i = 1; i < end; ++i)
    sums.dims[i] = 1;
  return sums;
}

/// out = function(x, sum), where `sums` are broadcast.
template <typename T, typename F>
static void mapWithSums(const View<T> &x, const View<T> &sums,
                        const View<T> &out, F function) {
  Walk<3>(out.dims(), {out.strides(), x.strides(),
                       broadcastStrides(sums.layout, out.dims())})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i)
          out.data[offsets[0] + i * steps[0]] =
              function(x.data[offsets[1] + i * steps[1]],
                       sums.data[offsets[2] + i * steps[2]]);
      });
}

template <typename T>
static void softmax(cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode,
                    const View<T> &x, const View<T> &y) {
  Layout layout = sumsOf(x.layout, mode);
  View<T> largest = makeView<T>(layout), sums = makeView<T>(layout);
  View<T> powers = makeView<T>(x.layout);
  reduce(CUDNN_REDUCE_TENSOR_MAX, x, largest);
  mapWithSums(x, largest, powers, [](T v, T max) { return std::exp(v - max); });
  reduce(CUDNN_REDUCE_TENSOR_ADD, powers, sums);
  if (algorithm != CUDNN_SOFTMAX_LOG)
    return mapWithSums(powers, sums, y, [](T v, T sum) { return v / sum; });
  for (int64_t i = 0; i < countOf(sums.dims()); ++i) // they have one layout
    sums.data[i] = largest.data[i] + std::log(sums.data[i]);
  mapWithSums(x, sums, y, [](T v, T sum) { return v - sum; });
}

template <typename T>
static void softmaxBackward(cudnnSoftmaxAlgorithm_t algorithm,
                            cudnnSoftmaxMode_t mode, const View<T> &y,
                            const View<T> &dy, const View<T> &dx) {
  View<T> sums = makeView<T>(sumsOf(y.layout, mode));
  bool isLog = algorithm == CUDNN_SOFTMAX_LOG;
  View<T> products = makeView<T>(y.layout);
  auto combine = [&](const View<T> &out, auto function) {
    Walk<4>(out.dims(), {out.strides(), y.strides(), dy.strides(),
                         broadcastStrides(sums.layout, out.dims())})
        .run([&](auto offsets, int64_t count, auto steps) {
          for (int64_t i = 0; i < count; ++i)
            out.data[offsets[0] + i * steps[0]] =
                function(y.data[offsets[1] + i * steps[1]],
                         dy.data[offsets[2] + i * steps[2]],
                         sums.data[offsets[3] + i * steps[3]]);
        });
  };
  combine(products, [=](T v, T d, T) { return isLog ? d : d * v; });
  reduce(CUDNN_REDUCE_TENSOR_ADD, products, sums);
  combine(dx, [=](T v, T d, T sum) {
    return isLog ? d - std::exp(v) * sum : v * (d - sum);
  });
}

static void check(cudnnSoftmaxAlgorithm_t algorithm, cudnnSoftmaxMode_t mode) {
  PTXJIT_REQUIRE(algorithm >= CUDNN_SOFTMAX_FAST &&
                 algorithm <= CUDNN_SOFTMAX_LOG);
  PTXJIT_REQUIRE(mode == CUDNN_SOFTMAX_MODE_INSTANCE ||
                 mode == CUDNN_SOFTMAX_MODE_CHANNEL);
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSoftmaxForward(
    cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algorithm,
    cudnnSoftmaxMode_t mode, const void *alpha, cudnnTensorDescriptor_t xDesc,
    const void *x, const void *beta, cudnnTensorDescriptor_t yDesc, void *y) {
  return run(__func__, [&] {
    Shape from = getTensor(xDesc), to = getTensor(yDesc);
    check(algorithm, mode);
    PTXJIT_REQUIRE(x && y && from.dims == to.dims);
    enqueueMap(handle, alpha, from, x, beta, to, y,
               [=](const auto &in, const auto &out) {
                 softmax(algorithm, mode, in, out);
               });
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSoftmaxBackward(
    cudnnHandle_t handle, cudnnSoftmaxAlgorithm_t algorithm,
    cudnnSoftmaxMode_t mode, const void *alpha, cudnnTensorDescriptor_t yDesc,
    const void *y, cudnnTensorDescriptor_t dyDesc, const void *dy,
    const void *beta, cudnnTensorDescriptor_t dxDesc, void *dx) {
  return run(__func__, [&] {
    Shape yShape = getTensor(yDesc), dyShape = getTensor(dyDesc);
    Shape to = getTensor(dxDesc);
    check(algorithm, mode);
    PTXJIT_REQUIRE(y && dy && dx);
    PTXJIT_REQUIRE(yShape.dims == to.dims && dyShape.dims == to.dims);
    double factor = readFactor(alpha, to.type);
    double old = readFactor(beta, to.type);
    enqueue(handle, [=] {
      inType(needsDouble(to.type), [&](auto zero) {
        using T = decltype(zero);
        Output<T> out(to, dx, T(factor), T(old));
        softmaxBackward(algorithm, mode, readView<T>(yShape, y),
                        readView<T>(dyShape, dy), out.view());
        out.finish();
      });
    });
  });
}
