//===- Activations.cpp - functions of neurons -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Activations.h"
#include "Call.h"

#include <cmath>

using namespace ptxjit;
using namespace ptxjit::cudnn;

template <typename T, typename F>
static void map(const View<T> &x, const View<T> &y, F function) {
  Walk<2>(y.dims(), {y.strides(), x.strides()})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i)
          y.data[offsets[0] + i * steps[0]] =
              function(x.data[offsets[1] + i * steps[1]]);
      });
}

/// dx = dy * derivative(v), where v is an element of x or y.
template <typename T, typename F>
static void mapBackward(const View<T> &v, const View<T> &dy, const View<T> &dx,
                        F derivative) {
  Walk<3>(dx.dims(), {dx.strides(), v.strides(), dy.strides()})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i)
          dx.data[offsets[0] + i * steps[0]] =
              dy.data[offsets[2] + i * steps[2]] *
              derivative(v.data[offsets[1] + i * steps[1]]);
      });
}

template <typename T> static T sigmoid(T x) { return 1 / (1 + std::exp(-x)); }

template <typename T>
void cudnn::activate(const Activation &activation, const View<T> &x,
                     const View<T> &y) {
  T coefficient = T(activation.coefficient), beta = T(activation.swishBeta);
  bool keepsNan = activation.nan == CUDNN_PROPAGATE_NAN;
  auto relu = [=](T v) { return v > 0 || (keepsNan && v != v) ? v : T(0); };
  switch (activation.mode) {
  case CUDNN_ACTIVATION_SIGMOID:
    return map(x, y, [](T v) { return sigmoid(v); });
  case CUDNN_ACTIVATION_RELU:
    return map(x, y, relu);
  case CUDNN_ACTIVATION_TANH:
    return map(x, y, [](T v) { return std::tanh(v); });
  case CUDNN_ACTIVATION_CLIPPED_RELU:
    return map(x, y, [=](T v) {
      v = relu(v);
      return v > coefficient ? coefficient : v;
    });
  case CUDNN_ACTIVATION_ELU:
    return map(x, y,
               [=](T v) { return v > 0 ? v : coefficient * std::expm1(v); });
  case CUDNN_ACTIVATION_IDENTITY:
    return map(x, y, [](T v) { return v; });
  case CUDNN_ACTIVATION_SWISH:
    return map(x, y, [=](T v) { return v * sigmoid(beta * v); });
  }
}

template <typename T>
void cudnn::activateBackward(const Activation &activation, const View<T> &y,
                             const View<T> &dy, const View<T> &x,
                             const View<T> &dx) {
  T coefficient = T(activation.coefficient), beta = T(activation.swishBeta);
  switch (activation.mode) {
  case CUDNN_ACTIVATION_SIGMOID:
    return mapBackward(y, dy, dx, [](T v) { return v * (1 - v); });
  case CUDNN_ACTIVATION_RELU: // both are positive at the same time
    return mapBackward(y, dy, dx, [](T v) { return v > 0 ? T(1) : T(0); });
  case CUDNN_ACTIVATION_TANH:
    return mapBackward(y, dy, dx, [](T v) { return 1 - v * v; });
  case CUDNN_ACTIVATION_CLIPPED_RELU:
    return mapBackward(x, dy, dx, [=](T v) {
      return v > 0 && v <= coefficient ? T(1) : T(0);
    });
  case CUDNN_ACTIVATION_ELU:
    return mapBackward(x, dy, dx, [=](T v) {
      return v > 0 ? T(1) : coefficient * std::exp(v);
    });
  case CUDNN_ACTIVATION_IDENTITY:
    return mapBackward(y, dy, dx, [](T) { return T(1); });
  case CUDNN_ACTIVATION_SWISH:
    return mapBackward(x, dy, dx, [=](T v) {
      T gate = sigmoid(beta * v);
      return gate + beta * v * gate * (1 - gate);
    });
  }
}

#define INSTANTIATE(T)                                                         \
  template void cudnn::activate(const Activation &, const View<T> &,           \
                                const View<T> &);                              \
  template void cudnn::activateBackward(const Activation &, const View<T> &,   \
                                        const View<T> &, const View<T> &,      \
                                        const View<T> &);
INSTANTIATE(float)
INSTANTIATE(double)

void cudnn::checkActivation(const Activation &activation) {
  PTXJIT_REQUIRE(activation.mode >= CUDNN_ACTIVATION_SIGMOID &&
                 activation.mode <= CUDNN_ACTIVATION_SWISH);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

PTXJIT_CUDNN_CREATE_DESTROY(Activation)

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetActivationDescriptor(
    cudnnActivationDescriptor_t handle, cudnnActivationMode_t mode,
    cudnnNanPropagation_t nan, double coefficient) {
  return run(__func__, [&] {
    Activation activation{mode, nan, coefficient, get(handle).swishBeta};
    checkActivation(activation);
    get(handle) = activation;
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetActivationDescriptor(
    cudnnActivationDescriptor_t handle, cudnnActivationMode_t *mode,
    cudnnNanPropagation_t *nan, double *coefficient) {
  return run(__func__, [&] {
    const Activation &activation = get(handle);
    give(mode, activation.mode);
    give(nan, activation.nan);
    give(coefficient, activation.coefficient);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetActivationDescriptorSwishBeta(
    cudnnActivationDescriptor_t handle, double beta) {
  return run(__func__, [&] { get(handle).swishBeta = beta; });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetActivationDescriptorSwishBeta(
    cudnnActivationDescriptor_t handle, double *beta) {
  return run(__func__, [&] { give(beta, get(handle).swishBeta); });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnActivationForward(
    cudnnHandle_t handle, cudnnActivationDescriptor_t descriptor,
    const void *alpha, cudnnTensorDescriptor_t xDesc, const void *x,
    const void *beta, cudnnTensorDescriptor_t yDesc, void *y) {
  return run(__func__, [&] {
    Activation activation = get(descriptor);
    Shape from = getTensor(xDesc), to = getTensor(yDesc);
    PTXJIT_REQUIRE(x && y && from.dims == to.dims);
    enqueueMap(handle, alpha, from, x, beta, to, y,
               [=](const auto &in, const auto &out) {
                 activate(activation, in, out);
               });
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnActivationBackward(
    cudnnHandle_t handle, cudnnActivationDescriptor_t descriptor,
    const void *alpha, cudnnTensorDescriptor_t yDesc, const void *y,
    cudnnTensorDescriptor_t dyDesc, const void *dy,
    cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
    cudnnTensorDescriptor_t dxDesc, void *dx) {
  return run(__func__, [&] {
    Activation activation = get(descriptor);
    Shape xShape = getTensor(xDesc), yShape = getTensor(yDesc);
    Shape dyShape = getTensor(dyDesc), to = getTensor(dxDesc);
    PTXJIT_REQUIRE(x && y && dy && dx);
    PTXJIT_REQUIRE(yShape.dims == to.dims && dyShape.dims == to.dims &&
                   xShape.dims == to.dims);
    double factor = readFactor(alpha, to.type);
    double old = readFactor(beta, to.type);
    enqueue(handle, [=] {
      inType(needsDouble(to.type), [&](auto zero) {
        using T = decltype(zero);
        Output<T> out(to, dx, T(factor), T(old));
        activateBackward(activation, readView<T>(yShape, y),
                         readView<T>(dyShape, dy), readView<T>(xShape, x),
                         out.view());
        out.finish();
      });
    });
  });
}
