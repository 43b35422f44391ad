//===- Normalization.cpp - batch normalization ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// y = scale * (x - mean) * inverse deviation + bias. Scale, bias and statistics
// are tensors with an extent of 1 where they are shared.
//
//===----------------------------------------------------------------------===//

#include "Activations.h"
#include "Call.h"
#include "Descriptors.h"
#include "Reduction.h"

#include <cmath>

using namespace ptxjit;
using namespace ptxjit::cudnn;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Sums of function(x, mean) over all that shares a mean, divided by its
/// number.
template <typename T, typename F>
static void average(const View<T> &x, const View<T> &mean, const View<T> &out,
                    F function) {
  T count = T(countOf(x.dims())) / T(countOf(out.dims()));
  // All of the statistics have one layout.
  forEachReduced(x.layout, out.layout,
                 [&](int64_t to, int64_t from, const Walk<1> &inner) {
                   double sum = 0;
                   T center = mean.data[to];
                   inner.runInOrder([&](auto offsets, int64_t n, auto steps) {
                     const T *in = x.data + from + offsets[0];
                     for (int64_t i = 0; i < n; ++i)
                       sum += double(function(in[i * steps[0]], center));
                   });
                   out.data[to] = T(sum / double(count));
                 });
}

/// Calls f(element of x, of y, index of its statistics) for all elements.
template <typename T, typename F>
static void forEachElement(const View<T> &x, const View<T> &y,
                           const Layout &statistics, F f) {
  Walk<3>(y.dims(),
          {y.strides(), x.strides(), broadcastStrides(statistics, y.dims())})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i)
          f(x.data[offsets[1] + i * steps[1]],
            y.data[offsets[0] + i * steps[0]], offsets[2] + i * steps[2]);
      });
}

namespace {
/// Scale, bias and statistics, of one layout.
template <typename T> struct Parameters {
  explicit Parameters(const Layout &layout)
      : scale(makeView<T>(layout)), bias(makeView<T>(layout)),
        mean(makeView<T>(layout)), deviation(makeView<T>(layout)) {}
  View<T> scale, bias, mean;
  View<T> deviation; ///< 1 / sqrt(variance + epsilon)
};
} // namespace

/// A copy of parameters, in the layout that all have here.
template <typename T>
static void load(const View<T> &to, const Shape &shape, const void *from) {
  copyView(readView<T>(shape, from), to);
}

template <typename T>
static void normalize(const View<T> &x, const Parameters<T> &p,
                      const View<T> &y) {
  forEachElement(x, y, p.mean.layout, [&](T in, T &out, int64_t i) {
    out = p.scale.data[i] * (in - p.mean.data[i]) * p.deviation.data[i] +
          p.bias.data[i];
  });
}

template <typename T>
static View<T> invert(const View<T> &variance, T epsilon) {
  View<T> out = makeView<T>(variance.layout);
  for (int64_t i = 0; i < countOf(out.dims()); ++i)
    out.data[i] = 1 / std::sqrt(variance.data[i] + epsilon);
  return out;
}

/// Sets mean and deviation to those of `x`. \returns the variance.
template <typename T>
static View<T> measure(const View<T> &x, Parameters<T> &p, T epsilon) {
  std::fill_n(p.mean.data, countOf(p.mean.dims()), T(0));
  View<T> mean = makeView<T>(p.mean.layout);
  View<T> variance = makeView<T>(p.mean.layout);
  average(x, p.mean, mean, [](T v, T) { return v; });
  p.mean = mean;
  average(x, p.mean, variance,
          [](T v, T center) { return (v - center) * (v - center); });
  p.deviation = invert(variance, epsilon);
  return variance;
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static bool isSpatial(cudnnBatchNormMode_t mode) {
  PTXJIT_REQUIRE(mode >= CUDNN_BATCHNORM_PER_ACTIVATION &&
                 mode <= CUDNN_BATCHNORM_SPATIAL_PERSISTENT);
  return mode != CUDNN_BATCHNORM_PER_ACTIVATION;
}

static std::vector<int64_t> parameterDims(const Layout &x,
                                          cudnnBatchNormMode_t mode) {
  std::vector<int64_t> dims = x.dims;
  dims[0] = 1;
  if (isSpatial(mode))
    std::fill(dims.begin() + 2, dims.end(), int64_t(1));
  return dims;
}

/// Fails if the descriptor of the parameters is not the derived one.
static void checkParameters(const Shape &parameters, const Layout &x,
                            cudnnBatchNormMode_t mode) {
  if (parameters.dims != parameterDims(x, mode))
    failBadParam("the parameters have other extents than "
                 "cudnnDeriveBNTensorDescriptor gives");
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnDeriveBNTensorDescriptor(
    cudnnTensorDescriptor_t derived, cudnnTensorDescriptor_t xDesc,
    cudnnBatchNormMode_t mode) {
  return run(__func__, [&] {
    const Tensor &x = getTensor(xDesc);
    std::vector<int64_t> dims = parameterDims(x, mode);
    Tensor &to = get(derived);
    to.type = x.type == CUDNN_DATA_DOUBLE ? x.type : CUDNN_DATA_FLOAT;
    to.dims = dims;
    to.strides = rowStrides(dims);
  });
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnBatchNormalizationForwardInference(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha,
    const void *beta, cudnnTensorDescriptor_t xDesc, const void *x,
    cudnnTensorDescriptor_t yDesc, void *y, cudnnTensorDescriptor_t bnDesc,
    const void *scale, const void *bias, const void *mean, const void *variance,
    double epsilon) {
  return run(__func__, [&] {
    Shape from = getTensor(xDesc), to = getTensor(yDesc);
    Shape parameters = getTensor(bnDesc);
    PTXJIT_REQUIRE(x && y && scale && bias && mean && variance);
    PTXJIT_REQUIRE(from.dims == to.dims);
    checkParameters(parameters, from, mode);
    double factor = readFactor(alpha, to.type);
    double old = readFactor(beta, to.type);
    enqueue(handle, [=] {
      inType(needsDouble(from.type), [&](auto zero) {
        using T = decltype(zero);
        Parameters<T> p(parameters);
        load(p.scale, parameters, scale);
        load(p.bias, parameters, bias);
        load(p.mean, parameters, mean);
        load(p.deviation, parameters, variance);
        p.deviation = invert(p.deviation, T(epsilon));
        Output<T> out(to, y, T(factor), T(old));
        normalize(readView<T>(from, x), p, out.view());
        out.finish();
      });
    });
  });
}

namespace {
/// A call in training, with what may follow the normalization.
struct Training {
  cudnnBatchNormOps_t ops = CUDNN_BATCHNORM_OPS_BN;
  double alpha, beta, factor, epsilon;
  Shape x, y, z, parameters;
  const void *xData, *zData = nullptr, *scale, *bias;
  void *yData, *runningMean, *runningVariance, *savedMean, *savedDeviation;
  Activation activation;
};
} // namespace

/// What is there moves by a part of the distance to the new value.
template <typename T>
static void move(const Shape &shape, void *place, const View<T> &value,
                 T part) {
  if (place)
    writeView<T>(value, shape, place, part, 1 - part);
}

template <typename T> static void train(const Training &call) {
  View<T> x = readView<T>(call.x, call.xData);
  Parameters<T> p(call.parameters);
  load(p.scale, call.parameters, call.scale);
  load(p.bias, call.parameters, call.bias);
  View<T> variance = measure(x, p, T(call.epsilon));
  if (call.savedMean)
    writeView<T>(p.mean, call.parameters, call.savedMean);
  if (call.savedDeviation)
    writeView<T>(p.deviation, call.parameters, call.savedDeviation);
  move(call.parameters, call.runningMean, p.mean, T(call.factor));
  // That of a sample, without bias.
  T count = T(countOf(x.dims())) / T(countOf(variance.dims()));
  scale(variance, count > 1 ? count / (count - 1) : T(1));
  move(call.parameters, call.runningVariance, variance, T(call.factor));
  View<T> y = makeView<T>(call.y);
  normalize(x, p, y);
  if (call.ops == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION)
    addTo(y, readView<T>(call.z, call.zData), T(1));
  if (call.ops != CUDNN_BATCHNORM_OPS_BN)
    activate(call.activation, y, y);
  writeView<T>(y, call.y, call.yData, T(call.alpha), T(call.beta));
}

static void enqueueTraining(cudnnHandle_t handle, const Training &call,
                            cudnnBatchNormMode_t mode) {
  PTXJIT_REQUIRE(call.xData && call.yData && call.scale && call.bias);
  PTXJIT_REQUIRE(call.x.dims == call.y.dims);
  PTXJIT_REQUIRE(!call.runningMean == !call.runningVariance);
  checkParameters(call.parameters, call.x, mode);
  enqueue(handle, [=] {
    if (needsDouble(call.x.type))
      train<double>(call);
    else
      train<float>(call);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnBatchNormalizationForwardTraining(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha,
    const void *beta, cudnnTensorDescriptor_t xDesc, const void *x,
    cudnnTensorDescriptor_t yDesc, void *y, cudnnTensorDescriptor_t bnDesc,
    const void *scale, const void *bias, double factor, void *runningMean,
    void *runningVariance, double epsilon, void *savedMean,
    void *savedDeviation) {
  return run(__func__, [&] {
    Training call;
    call.x = getTensor(xDesc);
    call.y = getTensor(yDesc);
    call.parameters = getTensor(bnDesc);
    call.alpha = readFactor(alpha, call.y.type);
    call.beta = readFactor(beta, call.y.type);
    call.factor = factor;
    call.epsilon = epsilon;
    call.xData = x;
    call.yData = y;
    call.scale = scale;
    call.bias = bias;
    call.runningMean = runningMean;
    call.runningVariance = runningVariance;
    call.savedMean = savedMean;
    call.savedDeviation = savedDeviation;
    enqueueTraining(handle, call, mode);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnBatchNormalizationForwardTrainingEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops,
    const void *alpha, const void *beta, cudnnTensorDescriptor_t xDesc,
    const void *x, cudnnTensorDescriptor_t zDesc, const void *z,
    cudnnTensorDescriptor_t yDesc, void *y, cudnnTensorDescriptor_t bnDesc,
    const void *scale, const void *bias, double factor, void *runningMean,
    void *runningVariance, double epsilon, void *savedMean,
    void *savedDeviation, cudnnActivationDescriptor_t activation, void *,
    size_t, void *, size_t) {
  return run(__func__, [&] {
    Training call;
    call.ops = ops;
    call.x = getTensor(xDesc);
    call.y = getTensor(yDesc);
    call.parameters = getTensor(bnDesc);
    if (ops == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION) {
      call.z = getTensor(zDesc);
      call.zData = z;
      PTXJIT_REQUIRE(z && call.z.dims == call.y.dims);
    }
    if (ops != CUDNN_BATCHNORM_OPS_BN)
      call.activation = get(activation);
    call.alpha = readFactor(alpha, call.y.type);
    call.beta = readFactor(beta, call.y.type);
    call.factor = factor;
    call.epsilon = epsilon;
    call.xData = x;
    call.yData = y;
    call.scale = scale;
    call.bias = bias;
    call.runningMean = runningMean;
    call.runningVariance = runningVariance;
    call.savedMean = savedMean;
    call.savedDeviation = savedDeviation;
    enqueueTraining(handle, call, mode);
  });
}

//===----------------------------------------------------------------------===//
// Backward
//===----------------------------------------------------------------------===//

namespace {
struct Gradients {
  cudnnBatchNormOps_t ops = CUDNN_BATCHNORM_OPS_BN;
  double alphaData, betaData, alphaParam, betaParam, epsilon;
  Shape x, y, dy, dz, dx, parameters;
  const void *xData, *yData = nullptr, *dyData, *scale, *savedMean,
                     *savedDeviation;
  void *dxData, *dzData = nullptr, *dScale, *dBias;
  Activation activation;
};
} // namespace

/// The gradients of scale and bias, then that of the input.
template <typename T>
static void differentiate(const Gradients &call, const View<T> &x,
                          const View<T> &dy) {
  Parameters<T> p(call.parameters);
  load(p.scale, call.parameters, call.scale);
  if (call.savedMean) {
    load(p.mean, call.parameters, call.savedMean);
    load(p.deviation, call.parameters, call.savedDeviation);
  } else {
    measure(x, p, T(call.epsilon));
  }
  View<T> dScale = makeView<T>(p.mean.layout), dBias = dScale;
  dBias = makeView<T>(p.mean.layout);
  reduce(CUDNN_REDUCE_TENSOR_ADD, dy, dBias);
  View<T> products = makeView<T>(x.layout);
  auto normal = [&](T in, int64_t i) {
    return (in - p.mean.data[i]) * p.deviation.data[i];
  };
  forEachElement(x, products, p.mean.layout,
                 [&](T in, T &out, int64_t i) { out = normal(in, i); });
  Walk<2>(dy.dims(), {products.strides(), dy.strides()})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i)
          products.data[offsets[0] + i * steps[0]] *=
              dy.data[offsets[1] + i * steps[1]];
      });
  reduce(CUDNN_REDUCE_TENSOR_ADD, products, dScale);

  T count = T(countOf(x.dims())) / T(countOf(dBias.dims()));
  View<T> dx = makeView<T>(call.dx);
  forEachElement(x, dx, p.mean.layout, [&](T in, T &out, int64_t i) {
    out = -(dBias.data[i] + normal(in, i) * dScale.data[i]) / count;
  });
  addTo(dx, dy, T(1));
  forEachElement(dx, dx, p.mean.layout, [&](T, T &out, int64_t i) {
    out *= p.scale.data[i] * p.deviation.data[i];
  });
  writeView<T>(dx, call.dx, call.dxData, T(call.alphaData), T(call.betaData));
  T alpha = T(call.alphaParam), beta = T(call.betaParam);
  writeView<T>(dScale, call.parameters, call.dScale, alpha, beta);
  writeView<T>(dBias, call.parameters, call.dBias, alpha, beta);
}

template <typename T> static void differentiate(const Gradients &call) {
  View<T> x = readView<T>(call.x, call.xData);
  View<T> dy = readView<T>(call.dy, call.dyData);
  if (call.ops != CUDNN_BATCHNORM_OPS_BN) {
    View<T> y = readView<T>(call.y, call.yData);
    View<T> gradient = makeView<T>(call.dy);
    activateBackward(call.activation, y, dy, y, gradient);
    dy = gradient;
  }
  if (call.ops == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION)
    writeView<T>(dy, call.dz, call.dzData);
  differentiate<T>(call, x, dy);
}

static void enqueueGradients(cudnnHandle_t handle, const Gradients &call,
                             cudnnBatchNormMode_t mode) {
  PTXJIT_REQUIRE(call.xData && call.dyData && call.dxData && call.scale &&
                 call.dScale && call.dBias);
  PTXJIT_REQUIRE(call.x.dims == call.dy.dims && call.x.dims == call.dx.dims);
  PTXJIT_REQUIRE(!call.savedMean == !call.savedDeviation);
  checkParameters(call.parameters, call.x, mode);
  enqueue(handle, [=] {
    if (needsDouble(call.x.type))
      differentiate<double>(call);
    else
      differentiate<float>(call);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnBatchNormalizationBackward(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alphaData,
    const void *betaData, const void *alphaParam, const void *betaParam,
    cudnnTensorDescriptor_t xDesc, const void *x,
    cudnnTensorDescriptor_t dyDesc, const void *dy,
    cudnnTensorDescriptor_t dxDesc, void *dx, cudnnTensorDescriptor_t bnDesc,
    const void *scale, void *dScale, void *dBias, double epsilon,
    const void *savedMean, const void *savedDeviation) {
  return cudnnBatchNormalizationBackwardEx(
      handle, mode, CUDNN_BATCHNORM_OPS_BN, alphaData, betaData, alphaParam,
      betaParam, xDesc, x, nullptr, nullptr, dyDesc, dy, nullptr, nullptr,
      dxDesc, dx, bnDesc, scale, nullptr, dScale, dBias, epsilon, savedMean,
      savedDeviation, nullptr, nullptr, 0, nullptr, 0);
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnBatchNormalizationBackwardEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops,
    const void *alphaData, const void *betaData, const void *alphaParam,
    const void *betaParam, cudnnTensorDescriptor_t xDesc, const void *x,
    cudnnTensorDescriptor_t yDesc, const void *y,
    cudnnTensorDescriptor_t dyDesc, const void *dy,
    cudnnTensorDescriptor_t dzDesc, void *dz, cudnnTensorDescriptor_t dxDesc,
    void *dx, cudnnTensorDescriptor_t bnDesc, const void *scale, const void *,
    void *dScale, void *dBias, double epsilon, const void *savedMean,
    const void *savedDeviation, cudnnActivationDescriptor_t activation, void *,
    size_t, void *, size_t) {
  return run(__func__, [&] {
    Gradients call;
    call.ops = ops;
    call.x = getTensor(xDesc);
    call.dy = getTensor(dyDesc);
    call.dx = getTensor(dxDesc);
    call.parameters = getTensor(bnDesc);
    if (ops != CUDNN_BATCHNORM_OPS_BN) {
      call.y = getTensor(yDesc);
      call.yData = y;
      call.activation = get(activation);
      PTXJIT_REQUIRE(y && call.y.dims == call.dy.dims);
      // Its gradient must follow from its result, which is all that is there.
      if (call.activation.mode != CUDNN_ACTIVATION_RELU &&
          call.activation.mode != CUDNN_ACTIVATION_IDENTITY)
        failUnsupported("normalization with activations other than ReLU");
    }
    if (ops == CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION) {
      call.dz = getTensor(dzDesc);
      call.dzData = dz;
      PTXJIT_REQUIRE(dz && call.dz.dims == call.dy.dims);
    }
    call.alphaData = readFactor(alphaData, call.dx.type);
    call.betaData = readFactor(betaData, call.dx.type);
    call.alphaParam = readFactor(alphaParam, call.dx.type);
    call.betaParam = readFactor(betaParam, call.dx.type);
    call.epsilon = epsilon;
    call.xData = x;
    call.dyData = dy;
    call.dxData = dx;
    call.scale = scale;
    call.dScale = dScale;
    call.dBias = dBias;
    call.savedMean = savedMean;
    call.savedDeviation = savedDeviation;
    enqueueGradients(handle, call, mode);
  });
}

//===----------------------------------------------------------------------===//
// Workspaces: none is needed
//===----------------------------------------------------------------------===//

static cudnnStatus_t tellNone(const char *function, cudnnHandle_t handle,
                              size_t *bytes) {
  return run(function, [&] {
    checkHandle(handle);
    PTXJIT_REQUIRE(bytes != nullptr);
    *bytes = 0;
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t, cudnnBatchNormOps_t,
    cudnnTensorDescriptor_t, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t,
    cudnnTensorDescriptor_t, cudnnActivationDescriptor_t, size_t *bytes) {
  return tellNone(__func__, handle, bytes);
}
PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t, cudnnBatchNormOps_t,
    cudnnTensorDescriptor_t, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t,
    cudnnTensorDescriptor_t, cudnnTensorDescriptor_t, cudnnTensorDescriptor_t,
    cudnnActivationDescriptor_t, size_t *bytes) {
  return tellNone(__func__, handle, bytes);
}
PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t, cudnnBatchNormOps_t,
    cudnnActivationDescriptor_t, cudnnTensorDescriptor_t, size_t *bytes) {
  return tellNone(__func__, handle, bytes);
}
