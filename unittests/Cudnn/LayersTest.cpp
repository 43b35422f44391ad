//===- LayersTest.cpp - pooling, activations, softmax, normalization ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <limits>

using namespace cudnntest;

namespace {
const auto kTypes = {CUDNN_DATA_FLOAT, CUDNN_DATA_DOUBLE, CUDNN_DATA_HALF,
                     CUDNN_DATA_BFLOAT16};
using CudnnLayers = Cudnn;

size_t rowIndex(const Ints &dims, const Ints &place) {
  size_t index = 0;
  for (size_t i = 0; i < dims.size(); ++i)
    index = index * size_t(dims[i]) + size_t(place[i]);
  return index;
}
/// alpha * values + beta * old.
std::vector<double> blend(double alpha, std::vector<double> values, double beta,
                          const std::vector<double> &old) {
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = alpha * values[i] + beta * old[i];
  return values;
}
} // namespace

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

TEST_F(CudnnLayers, TensorsAreTransformedAddedScaledAndSet) {
  TensorOf x({2, 3, 2, 2}, CUDNN_DATA_HALF);
  TensorOf y({2, 3, 2, 2}, CUDNN_DATA_FLOAT, /*isChannelsLast=*/true);
  auto xs = x.setRandom(1), ys = y.setRandom(2);
  float two = 2, half = 0.5;
  ASSERT_OK(cudnnTransformTensor(handle, &two, x.descriptor, x.data(), &half,
                                 y.descriptor, y.data()));
  wait();
  y.expect(blend(2, xs, 0.5, ys));

  TensorOf bias({1, 3, 1, 1});
  auto biases = bias.setRandom(3), before = y.get();
  ASSERT_OK(cudnnAddTensor(handle, &two, bias.descriptor, bias.data(), &half,
                           y.descriptor, y.data()));
  wait();
  forEach(y.dims, [&](const Ints &place, size_t i) {
    before[i] = 0.5 * before[i] + 2 * biases[size_t(place[1])];
  });
  y.expect(before);
  ASSERT_OK(cudnnScaleTensor(handle, y.descriptor, y.data(), &two));
  wait();
  y.expect(blend(2, before, 0, before));
  ASSERT_OK(cudnnSetTensor(handle, y.descriptor, y.data(), &half));
  wait();
  y.expect(std::vector<double>(24, 0.5));
  EXPECT_EQ(cudnnAddTensor(handle, &two, y.descriptor, y.data(), &half,
                           bias.descriptor, bias.data()),
            CUDNN_STATUS_BAD_PARAM); // it is larger
}

TEST_F(CudnnLayers, TensorOperations) {
  DESCRIPTOR(OpTensor, op);
  for (auto type : kTypes) {
    TensorOf a({2, 3, 2, 2}, type), b({1, 3, 1, 1}, type), c(a.dims, type);
    auto as = a.setRandom(1), bs = b.setRandom(2), cs = c.setRandom(3);
    ASSERT_OK(cudnnSetOpTensorDescriptor(
        op, CUDNN_OP_TENSOR_MAX, CUDNN_DATA_FLOAT, CUDNN_NOT_PROPAGATE_NAN));
    Factor two(2, type), three(3, type), minus(-1, type);
    ASSERT_OK(cudnnOpTensor(handle, op, two, a.descriptor, a.data(), three,
                            b.descriptor, b.data(), minus, c.descriptor,
                            c.data()));
    wait();
    forEach(a.dims, [&](const Ints &place, size_t i) {
      cs[i] = std::max(2 * as[i], 3 * bs[size_t(place[1])]) - cs[i];
    });
    c.expect(cs, 2);
  }
}

TEST_F(CudnnLayers, Reductions) {
  DESCRIPTOR(ReduceTensor, reduction);
  for (auto type : kTypes)
    for (bool isChannelsLast : {false, true}) {
      TensorOf x({3, 4, 2, 5}, type, isChannelsLast);
      TensorOf y({1, 4, 1, 5}, type, isChannelsLast);
      auto xs = x.setRandom(1);
      std::vector<double> sums(20), squares(20), largest(20, -9);
      std::vector<uint32_t> where(20);
      forEach(x.dims, [&](const Ints &place, size_t i) {
        size_t to = size_t(place[1] * 5 + place[3]);
        sums[to] += xs[i];
        squares[to] += xs[i] * xs[i];
        if (xs[i] > largest[to]) {
          largest[to] = xs[i];
          where[to] = uint32_t(place[0] * 2 + place[2]);
        }
      });
      Factor one(1, type), none(0, type);
      auto reduce = [&](cudnnReduceTensorOp_t op, void *indices, size_t size) {
        ASSERT_OK(cudnnSetReduceTensorDescriptor(
            reduction, op, CUDNN_DATA_FLOAT, CUDNN_NOT_PROPAGATE_NAN,
            indices ? CUDNN_REDUCE_TENSOR_FLATTENED_INDICES
                    : CUDNN_REDUCE_TENSOR_NO_INDICES,
            CUDNN_32BIT_INDICES));
        ASSERT_OK(cudnnReduceTensor(handle, reduction, indices, size, nullptr,
                                    0, one, x.descriptor, x.data(), none,
                                    y.descriptor, y.data()));
        wait();
      };
      reduce(CUDNN_REDUCE_TENSOR_ADD, nullptr, 0);
      y.expect(sums, 2);
      reduce(CUDNN_REDUCE_TENSOR_NORM2, nullptr, 0);
      for (double &value : squares)
        value = std::sqrt(value);
      y.expect(squares, 2);
      std::vector<uint32_t> found(20, 99);
      reduce(CUDNN_REDUCE_TENSOR_MAX, found.data(), 80);
      y.expect(largest);
      EXPECT_EQ(found, where);
    }
}

//===----------------------------------------------------------------------===//
// Activations and softmax
//===----------------------------------------------------------------------===//

TEST_F(CudnnLayers, ActivationsAndTheirGradients) {
  DESCRIPTOR(Activation, activation);
  auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  struct {
    cudnnActivationMode_t mode;
    std::function<double(double)> function;
  } cases[] = {
      {CUDNN_ACTIVATION_SIGMOID, sigmoid},
      {CUDNN_ACTIVATION_RELU, [](double v) { return std::max(v, 0.0); }},
      {CUDNN_ACTIVATION_TANH, [](double v) { return std::tanh(v); }},
      {CUDNN_ACTIVATION_CLIPPED_RELU,
       [](double v) { return std::min(std::max(v, 0.0), 0.3); }},
      {CUDNN_ACTIVATION_ELU,
       [](double v) { return v > 0 ? v : 0.3 * (std::exp(v) - 1); }},
      {CUDNN_ACTIVATION_SWISH, [&](double v) { return v * sigmoid(v); }},
  };
  for (auto type : kTypes)
    for (const auto &c : cases) {
      SCOPED_TRACE(c.mode);
      TensorOf x({2, 3, 4, 5}, type), y(x.dims, type), dy(x.dims, type);
      TensorOf dx(x.dims, type, /*isChannelsLast=*/true);
      auto xs = x.setRandom(1), ys = y.setRandom(2), dys = dy.setRandom(3);
      ASSERT_OK(cudnnSetActivationDescriptor(activation, c.mode,
                                             CUDNN_NOT_PROPAGATE_NAN, 0.3));
      Factor two(2, type), half(0.5, type), one(1, type), none(0, type);
      ASSERT_OK(cudnnActivationForward(handle, activation, two, x.descriptor,
                                       x.data(), half, y.descriptor, y.data()));
      wait();
      std::vector<double> values(xs.size()), slopes(xs.size());
      for (size_t i = 0; i < xs.size(); ++i) {
        values[i] = c.function(xs[i]);
        slopes[i] = dys[i] *
                    (c.function(xs[i] + 1e-6) - c.function(xs[i] - 1e-6)) /
                    2e-6;
      }
      y.expect(blend(2, values, 0.5, ys), 2);
      y.set(values);
      ASSERT_OK(cudnnActivationBackward(
          handle, activation, one, y.descriptor, y.data(), dy.descriptor,
          dy.data(), x.descriptor, x.data(), none, dx.descriptor, dx.data()));
      wait();
      // Slopes from differences are exact to nine digits.
      dx.expect(slopes, type == CUDNN_DATA_DOUBLE ? 1e4 : 4);
    }
}

TEST_F(CudnnLayers, SoftmaxAndItsGradient) {
  for (auto type : kTypes)
    for (auto mode : {CUDNN_SOFTMAX_MODE_CHANNEL, CUDNN_SOFTMAX_MODE_INSTANCE})
      for (auto algorithm : {CUDNN_SOFTMAX_ACCURATE, CUDNN_SOFTMAX_LOG}) {
        bool isLog = algorithm == CUDNN_SOFTMAX_LOG;
        TensorOf x({2, 3, 2, 2}, type), y(x.dims, type, true);
        TensorOf dy(x.dims, type), dx(x.dims, type);
        auto xs = x.setRandom(1), dys = dy.setRandom(2);
        for (double &value : xs) // exp() of it overflows in f16
          value += 12;
        xs = x.set(xs);
        auto group = [&](const Ints &place) {
          return mode == CUDNN_SOFTMAX_MODE_INSTANCE
                     ? size_t(place[0])
                     : size_t((place[0] * 2 + place[2]) * 2 + place[3]);
        };
        std::vector<double> sums(8), products(8), values(xs.size()),
            expected(xs.size());
        forEach(x.dims, [&](const Ints &place, size_t i) {
          sums[group(place)] += std::exp(xs[i]);
        });
        forEach(x.dims, [&](const Ints &place, size_t i) {
          values[i] = std::exp(xs[i]) / sums[group(place)];
          products[group(place)] += isLog ? dys[i] : dys[i] * values[i];
        });
        forEach(x.dims, [&](const Ints &place, size_t i) {
          double sum = products[group(place)];
          expected[i] =
              isLog ? dys[i] - values[i] * sum : values[i] * (dys[i] - sum);
        });
        if (isLog)
          for (double &value : values)
            value = std::log(value);
        Factor one(1, type), none(0, type);
        ASSERT_OK(cudnnSoftmaxForward(handle, algorithm, mode, one,
                                      x.descriptor, x.data(), none,
                                      y.descriptor, y.data()));
        wait();
        y.expect(values, 2);
        ASSERT_OK(cudnnSoftmaxBackward(
            handle, algorithm, mode, one, y.descriptor, y.data(), dy.descriptor,
            dy.data(), none, dx.descriptor, dx.data()));
        wait();
        dx.expect(expected, 8); // y is rounded
      }
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

TEST_F(CudnnLayers, PoolingAndItsGradient) {
  DESCRIPTOR(Pooling, pooling);
  for (auto type : kTypes)
    for (auto mode :
         {CUDNN_POOLING_MAX, CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING,
          CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING}) {
      const int window[] = {3, 2}, pads[] = {1, 1}, strides[] = {2, 1};
      ASSERT_OK(cudnnSetPoolingNdDescriptor(
          pooling, mode, CUDNN_NOT_PROPAGATE_NAN, 2, window, pads, strides));
      TensorOf x({2, 3, 5, 4}, type, mode == CUDNN_POOLING_MAX);
      int n, channels, h, w;
      ASSERT_OK(cudnnGetPooling2dForwardOutputDim(pooling, x.descriptor, &n,
                                                  &channels, &h, &w));
      ASSERT_EQ(Ints({n, channels, h, w}), Ints({2, 3, 3, 5}));
      TensorOf y({n, channels, h, w}, type), dy(y.dims, type);
      TensorOf dx(x.dims, type);
      auto xs = x.setRandom(1), ys = y.setRandom(2), dys = dy.setRandom(3);
      auto old = dx.setRandom(4);
      std::vector<double> values(ys.size()), slopes(xs.size());
      forEach(y.dims, [&](const Ints &out, size_t o) {
        double sum = 0, best = -9;
        size_t bestAt = 0;
        std::vector<size_t> inside;
        for (int i = 0; i < 3; ++i)
          for (int j = 0; j < 2; ++j) {
            Ints in{out[0], out[1], out[2] * 2 + i - 1, out[3] + j - 1};
            if (in[2] < 0 || in[2] >= 5 || in[3] < 0 || in[3] >= 4)
              continue;
            size_t at = rowIndex(x.dims, in);
            inside.push_back(at);
            sum += xs[at];
            if (xs[at] > best) {
              best = xs[at];
              bestAt = at;
            }
          }
        if (mode == CUDNN_POOLING_MAX) {
          values[o] = best;
          slopes[bestAt] += dys[o];
          return;
        }
        double count = mode == CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING
                           ? 6
                           : double(inside.size());
        values[o] = sum / count;
        for (size_t at : inside)
          slopes[at] += dys[o] / count;
      });
      Factor two(2, type), half(0.5, type);
      ASSERT_OK(cudnnPoolingForward(handle, pooling, two, x.descriptor,
                                    x.data(), half, y.descriptor, y.data()));
      ASSERT_OK(cudnnPoolingBackward(
          handle, pooling, two, y.descriptor, y.data(), dy.descriptor,
          dy.data(), x.descriptor, x.data(), half, dx.descriptor, dx.data()));
      wait();
      y.expect(blend(2, values, 0.5, ys), 2);
      dx.expect(blend(2, slopes, 0.5, old), 2);
    }
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

TEST_F(CudnnLayers, BatchNormalizationAndItsGradients) {
  for (auto type : kTypes)
    for (auto mode :
         {CUDNN_BATCHNORM_SPATIAL, CUDNN_BATCHNORM_PER_ACTIVATION}) {
      bool isSpatial = mode == CUDNN_BATCHNORM_SPATIAL;
      auto parameterType =
          type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
      TensorOf x({4, 3, 2, 2}, type, isSpatial), y(x.dims, type);
      TensorOf dy(x.dims, type), dx(x.dims, type);
      Ints dims = isSpatial ? Ints{1, 3, 1, 1} : Ints{1, 3, 2, 2};
      TensorOf scale(dims, parameterType), bias(dims, parameterType);
      TensorOf mean(dims, parameterType), variance(dims, parameterType);
      TensorOf savedMean(dims, parameterType), saved(dims, parameterType);
      TensorOf dScale(dims, parameterType), dBias(dims, parameterType);
      ASSERT_OK(
          cudnnDeriveBNTensorDescriptor(mean.descriptor, x.descriptor, mode));
      auto xs = x.setRandom(1), scales = scale.setRandom(2);
      auto biases = bias.setRandom(3), dys = dy.setRandom(4);
      auto oldMean = mean.setRandom(5), oldVariance = variance.setRandom(6);
      size_t groups = countOf(dims);
      double count = double(xs.size()) / double(groups);
      auto group = [&](const Ints &place) {
        return isSpatial ? size_t(place[1])
                         : size_t((place[1] * 2 + place[2]) * 2 + place[3]);
      };
      std::vector<double> means(groups), variances(groups), deviations(groups);
      std::vector<double> sumD(groups), sumDx(groups);
      std::vector<double> values(xs.size()), slopes(xs.size());
      forEach(x.dims, [&](const Ints &place, size_t i) {
        means[group(place)] += xs[i] / count;
      });
      forEach(x.dims, [&](const Ints &place, size_t i) {
        double d = xs[i] - means[group(place)];
        variances[group(place)] += d * d / count;
      });
      for (size_t i = 0; i < groups; ++i)
        deviations[i] = 1 / std::sqrt(variances[i] + 1e-3);
      forEach(x.dims, [&](const Ints &place, size_t i) {
        size_t g = group(place);
        double normal = (xs[i] - means[g]) * deviations[g];
        values[i] = scales[g] * normal + biases[g];
        sumD[g] += dys[i];
        sumDx[g] += dys[i] * normal;
      });
      forEach(x.dims, [&](const Ints &place, size_t i) {
        size_t g = group(place);
        double normal = (xs[i] - means[g]) * deviations[g];
        slopes[i] = scales[g] * deviations[g] *
                    (dys[i] - sumD[g] / count - normal * sumDx[g] / count);
      });
      Factor one(1, type), none(0, type);
      ASSERT_OK(cudnnBatchNormalizationForwardTraining(
          handle, mode, one, none, x.descriptor, x.data(), y.descriptor,
          y.data(), mean.descriptor, scale.data(), bias.data(), 0.25,
          mean.data(), variance.data(), 1e-3, savedMean.data(), saved.data()));
      ASSERT_OK(cudnnBatchNormalizationBackward(
          handle, mode, one, none, one, none, x.descriptor, x.data(),
          dy.descriptor, dy.data(), dx.descriptor, dx.data(), mean.descriptor,
          scale.data(), dScale.data(), dBias.data(), 1e-3, savedMean.data(),
          saved.data()));
      wait();
      y.expect(values, 4);
      savedMean.expect(means);
      saved.expect(deviations, 2);
      mean.expect(blend(0.25, means, 0.75, oldMean));
      variance.expect(
          blend(0.25 * count / (count - 1), variances, 0.75, oldVariance), 2);
      dBias.expect(sumD, 4);
      dScale.expect(sumDx, 4);
      dx.expect(slopes, 8);

      // With the statistics that training has left.
      auto trained = mean.get(), spread = variance.get();
      for (double &value : spread) // some are below 0
        value = std::abs(value);
      spread = variance.set(spread);
      ASSERT_OK(cudnnBatchNormalizationForwardInference(
          handle, mode, one, none, x.descriptor, x.data(), y.descriptor,
          y.data(), mean.descriptor, scale.data(), bias.data(), mean.data(),
          variance.data(), 1e-3));
      wait();
      forEach(x.dims, [&](const Ints &place, size_t i) {
        size_t g = group(place);
        values[i] =
            scales[g] * (xs[i] - trained[g]) / std::sqrt(spread[g] + 1e-3) +
            biases[g];
      });
      y.expect(values, 4);
    }
}

TEST_F(CudnnLayers, BatchNormalizationWithAdditionAndRelu) {
  DESCRIPTOR(Activation, activation);
  ASSERT_OK(cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_RELU,
                                         CUDNN_NOT_PROPAGATE_NAN, 0));
  TensorOf x({4, 2, 1, 1}), y(x.dims), plain(x.dims), z(x.dims), dy(x.dims);
  TensorOf dx(x.dims), dz(x.dims), parameters({1, 2, 1, 1});
  TensorOf bias({1, 2, 1, 1}), dScale({1, 2, 1, 1}), dBias({1, 2, 1, 1});
  x.setRandom(1);
  auto zs = z.setRandom(2), dys = dy.setRandom(3);
  parameters.setRandom(4);
  bias.setRandom(5);
  float one = 1, none = 0;
  auto train = [&](cudnnBatchNormOps_t ops, const TensorOf &to) {
    ASSERT_OK(cudnnBatchNormalizationForwardTrainingEx(
        handle, CUDNN_BATCHNORM_SPATIAL, ops, &one, &none, x.descriptor,
        x.data(), z.descriptor, z.data(), to.descriptor, to.data(),
        parameters.descriptor, parameters.data(), bias.data(), 0, nullptr,
        nullptr, 1e-3, nullptr, nullptr, activation, nullptr, 0, nullptr, 0));
    wait();
  };
  train(CUDNN_BATCHNORM_OPS_BN, plain);
  train(CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION, y);
  std::vector<double> expected = plain.get();
  for (size_t i = 0; i < zs.size(); ++i)
    expected[i] = std::max(0.0, expected[i] + zs[i]);
  y.expect(expected);
  ASSERT_OK(cudnnBatchNormalizationBackwardEx(
      handle, CUDNN_BATCHNORM_SPATIAL, CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION,
      &one, &none, &one, &none, x.descriptor, x.data(), y.descriptor, y.data(),
      dy.descriptor, dy.data(), dz.descriptor, dz.data(), dx.descriptor,
      dx.data(), parameters.descriptor, parameters.data(), bias.data(),
      dScale.data(), dBias.data(), 1e-3, nullptr, nullptr, activation, nullptr,
      0, nullptr, 0));
  wait();
  std::vector<double> sums(2);
  for (size_t i = 0; i < zs.size(); ++i) {
    dys[i] = expected[i] > 0 ? dys[i] : 0;
    sums[i % 2] += dys[i];
  }
  dz.expect(dys);
  dBias.expect(sums);
}

TEST_F(CudnnLayers, ResponseNormalizationAndItsGradient) {
  DESCRIPTOR(LRN, norm);
  ASSERT_OK(cudnnSetLRNDescriptor(norm, 4, 0.5, 0.75, 1.5));
  TensorOf x({2, 6, 2, 1}, CUDNN_DATA_DOUBLE), y(x.dims, CUDNN_DATA_DOUBLE);
  TensorOf dy(x.dims, CUDNN_DATA_DOUBLE, true), dx(x.dims, CUDNN_DATA_DOUBLE);
  auto xs = x.setRandom(1), dys = dy.setRandom(2);
  auto respond = [&](const std::vector<double> &in) {
    std::vector<double> out(in.size());
    forEach(x.dims, [&](const Ints &place, size_t i) {
      double sum = 0;
      for (int c = std::max(0, place[1] - 1); c < std::min(6, place[1] + 3);
           ++c) {
        size_t at = i + size_t(c) * 2 - size_t(place[1]) * 2;
        sum += in[at] * in[at];
      }
      out[i] = in[i] * std::pow(1.5 + 0.5 / 4 * sum, -0.75);
    });
    return out;
  };
  double one = 1, none = 0;
  ASSERT_OK(cudnnLRNCrossChannelForward(
      handle, norm, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one, x.descriptor, x.data(),
      &none, y.descriptor, y.data()));
  ASSERT_OK(cudnnLRNCrossChannelBackward(
      handle, norm, CUDNN_LRN_CROSS_CHANNEL_DIM1, &one, y.descriptor, y.data(),
      dy.descriptor, dy.data(), x.descriptor, x.data(), &none, dx.descriptor,
      dx.data()));
  wait();
  y.expect(respond(xs));
  std::vector<double> slopes(xs.size()); // by differences
  for (size_t i = 0; i < xs.size(); ++i) {
    auto more = xs, less = xs;
    more[i] += 1e-6;
    less[i] -= 1e-6;
    more = respond(more);
    less = respond(less);
    for (size_t j = 0; j < xs.size(); ++j)
      slopes[i] += dys[j] * (more[j] - less[j]) / 2e-6;
  }
  dx.expect(slopes, 1e4);
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

TEST_F(CudnnLayers, DropoutDiffersInEachLaunchOfAGraph) {
  DESCRIPTOR(Dropout, dropout);
  TensorOf x({1, 1, 100, 100}), y(x.dims), dx(x.dims);
  x.set(std::vector<double>(10000, 3));
  size_t stateBytes, reserveBytes;
  ASSERT_OK(cudnnDropoutGetStatesSize(handle, &stateBytes));
  ASSERT_OK(cudnnDropoutGetReserveSpaceSize(x.descriptor, &reserveBytes));
  std::vector<char> states(stateBytes), reserve(reserveBytes);
  ASSERT_OK(cudnnSetDropoutDescriptor(dropout, handle, 0.25f, states.data(),
                                      stateBytes, 7));
  auto forward = [&] {
    ASSERT_OK(cudnnDropoutForward(handle, dropout, x.descriptor, x.data(),
                                  y.descriptor, y.data(), reserve.data(),
                                  reserveBytes));
  };
  replay(forward, 1);
  auto first = y.get();
  replay(forward, 1);
  auto second = y.get();
  EXPECT_NE(first, second);
  size_t kept = 0;
  for (double value : second) {
    EXPECT_TRUE(value == 0 || value == 4);
    kept += value != 0;
  }
  EXPECT_NEAR(double(kept), 7500, 200);
  // Gradients have the mask of the last forward pass.
  ASSERT_OK(cudnnDropoutBackward(handle, dropout, x.descriptor, x.data(),
                                 dx.descriptor, dx.data(), reserve.data(),
                                 reserveBytes));
  wait();
  dx.expect(second);
  // The same seed gives the same numbers.
  ASSERT_OK(cudnnSetDropoutDescriptor(dropout, handle, 0.25f, states.data(),
                                      stateBytes, 7));
  forward();
  wait();
  y.expect(first);
}
