//===- ConvolutionTest.cpp - convolutions and their gradients -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

using namespace cudnntest;

namespace {
struct Case {
  Ints x, w; ///< extents
  Ints pads, strides, dilations;
  int groups = 1;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  bool isChannelsLast = false;
  cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
  double alpha = 1, beta = 0;
};

/// All that belongs together: calls f(place in x, in w, in y).
void forEachProduct(
    const Case &c, const Ints &y,
    const std::function<void(const Ints &, const Ints &, const Ints &)> &f) {
  int inGroup = c.w[0] / c.groups;
  forEach(y, [&](const Ints &out, size_t) {
    Ints taps = c.w;
    taps[0] = 1;
    forEach(taps, [&](const Ints &tap, size_t) {
      Ints filter = tap, in = out;
      filter[0] = out[1];
      in[1] = out[1] / inGroup * c.w[1] + tap[1];
      for (size_t i = 2; i < c.x.size(); ++i) {
        in[i] = out[i] * c.strides[i - 2] + tap[i] * c.dilations[i - 2] -
                c.pads[i - 2];
        if (in[i] < 0 || in[i] >= c.x[i])
          return;
        if (c.mode == CUDNN_CONVOLUTION)
          filter[i] = c.w[i] - 1 - tap[i];
      }
      f(in, filter, out);
    });
  });
}

size_t rowIndex(const Ints &dims, const Ints &place) {
  size_t index = 0;
  for (size_t i = 0; i < dims.size(); ++i)
    index = index * size_t(dims[i]) + size_t(place[i]);
  return index;
}

class CudnnConvolution : public Cudnn {
protected:
  void check(const Case &c) {
    SCOPED_TRACE(testing::Message()
                 << "type " << c.type << ", groups " << c.groups
                 << ", channels last " << c.isChannelsLast << ", x "
                 << testing::PrintToString(c.x) << ", w "
                 << testing::PrintToString(c.w));
    DESCRIPTOR(Convolution, convolution);
    DESCRIPTOR(Filter, filter);
    int rank = int(c.pads.size());
    auto compute =
        c.type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
    ASSERT_OK(cudnnSetConvolutionNdDescriptor(
        convolution, rank, c.pads.data(), c.strides.data(), c.dilations.data(),
        c.mode, compute));
    ASSERT_OK(cudnnSetConvolutionGroupCount(convolution, c.groups));
    auto format = c.isChannelsLast ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
    ASSERT_OK(cudnnSetFilterNdDescriptor(filter, c.type, format, rank + 2,
                                         c.w.data()));
    TensorOf x(c.x, c.type, c.isChannelsLast), w(c.w, c.type, c.isChannelsLast);
    Ints yDims(c.x.size());
    ASSERT_OK(cudnnGetConvolutionNdForwardOutputDim(
        convolution, x.descriptor, filter, rank + 2, yDims.data()));
    TensorOf y(yDims, c.type, c.isChannelsLast);
    Factor alpha(c.alpha, c.type), beta(c.beta, c.type);
    auto xs = x.setRandom(1), ws = w.setRandom(2), ys = y.setRandom(3);

    auto blend = [&](std::vector<double> sums, const std::vector<double> &old) {
      for (size_t i = 0; i < sums.size(); ++i)
        sums[i] = c.alpha * sums[i] + (c.beta != 0 ? c.beta * old[i] : 0);
      return sums;
    };
    std::vector<double> sumsY(ys.size()), sumsX(xs.size()), sumsW(ws.size());
    forEachProduct(c, yDims,
                   [&](const Ints &in, const Ints &tap, const Ints &out) {
                     size_t i = rowIndex(c.x, in), k = rowIndex(c.w, tap);
                     size_t o = rowIndex(yDims, out);
                     sumsY[o] += xs[i] * ws[k];
                     sumsX[i] += ys[o] * ws[k];
                     sumsW[k] += ys[o] * xs[i];
                   });

    // Gradients first: they read y as it is.
    TensorOf dx(c.x, c.type, c.isChannelsLast);
    TensorOf dw(c.w, c.type, c.isChannelsLast);
    auto oldX = dx.setRandom(4), oldW = dw.setRandom(5);
    size_t bytes = 1;
    ASSERT_OK(cudnnGetConvolutionForwardWorkspaceSize(
        handle, x.descriptor, filter, convolution, y.descriptor,
        CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, &bytes));
    EXPECT_EQ(bytes, 0u);
    ASSERT_OK(cudnnConvolutionBackwardData(
        handle, alpha, filter, w.data(), y.descriptor, y.data(), convolution,
        CUDNN_CONVOLUTION_BWD_DATA_ALGO_1, nullptr, 0, beta, dx.descriptor,
        dx.data()));
    ASSERT_OK(cudnnConvolutionBackwardFilter(
        handle, alpha, x.descriptor, x.data(), y.descriptor, y.data(),
        convolution, CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1, nullptr, 0, beta,
        filter, dw.data()));
    ASSERT_OK(cudnnConvolutionForward(
        handle, alpha, x.descriptor, x.data(), filter, w.data(), convolution,
        CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0, beta,
        y.descriptor, y.data()));
    wait();
    y.expect(blend(sumsY, ys), 4);
    dx.expect(blend(sumsX, oldX), 4);
    dw.expect(blend(sumsW, oldW), 4);
  }
};
} // namespace

TEST_F(CudnnConvolution, ServesPaddingStrideAndDilation) {
  check({{2, 3, 7, 8}, {4, 3, 3, 3}, {0, 0}, {1, 1}, {1, 1}});
  check({{2, 3, 7, 8}, {4, 3, 3, 2}, {1, 2}, {2, 3}, {1, 1}});
  check({{1, 2, 9, 9}, {3, 2, 3, 3}, {2, 1}, {1, 2}, {2, 3}});
  check({{1, 1, 1, 1}, {1, 1, 1, 1}, {0, 0}, {1, 1}, {1, 1}});
  check({{2, 5, 1, 6}, {1, 5, 1, 6}, {0, 0}, {1, 1}, {1, 1}});
  // The last elements of the input are in no window.
  check({{1, 2, 8, 8}, {2, 2, 3, 3}, {0, 0}, {3, 3}, {1, 1}});
}

TEST_F(CudnnConvolution, ServesGroups) {
  check({{2, 4, 5, 5}, {6, 2, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 2});
  check({{2, 4, 5, 5}, {4, 1, 3, 3}, {1, 1}, {2, 2}, {1, 1}, 4}); // depthwise
  check({{1, 3, 5, 5}, {6, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, 3});
}

TEST_F(CudnnConvolution, ServesAllTypesAndOrders) {
  for (auto type : {CUDNN_DATA_FLOAT, CUDNN_DATA_DOUBLE, CUDNN_DATA_HALF,
                    CUDNN_DATA_BFLOAT16})
    for (bool isChannelsLast : {false, true}) {
      check({{2, 4, 6, 5},
             {6, 2, 3, 2},
             {1, 0},
             {2, 1},
             {1, 2},
             2,
             type,
             isChannelsLast});
      check({{2, 3, 6, 5},
             {4, 3, 3, 2},
             {1, 0},
             {2, 1},
             {1, 2},
             1,
             type,
             isChannelsLast,
             CUDNN_CONVOLUTION,
             0.5,
             -2});
    }
}

TEST_F(CudnnConvolution, ServesOtherRanks) {
  for (auto type : {CUDNN_DATA_FLOAT, CUDNN_DATA_DOUBLE}) {
    check({{2, 3, 9}, {4, 3, 3}, {1}, {2}, {1}, 1, type});
    check({{1, 2, 4, 5, 6},
           {3, 2, 2, 3, 2},
           {1, 0, 1},
           {1, 2, 1},
           {1, 1, 2},
           1,
           type,
           false,
           CUDNN_CONVOLUTION,
           1,
           1});
  }
}

TEST_F(CudnnConvolution, RefusesWhatDoesNotFit) {
  DESCRIPTOR(Convolution, convolution);
  DESCRIPTOR(Filter, filter);
  TensorOf x({1, 3, 4, 4}), y({1, 2, 4, 4});
  int count;
  cudnnConvolutionFwdAlgoPerf_t found;
  auto ask = [&] {
    return cudnnGetConvolutionForwardAlgorithm_v7(handle, x.descriptor, filter,
                                                  convolution, y.descriptor, 1,
                                                  &count, &found);
  };
  EXPECT_EQ(ask(), CUDNN_STATUS_BAD_PARAM); // nothing is set
  ASSERT_OK(cudnnSetConvolution2dDescriptor(convolution, 1, 1, 1, 1, 1, 1,
                                            CUDNN_CROSS_CORRELATION,
                                            CUDNN_DATA_FLOAT));
  ASSERT_OK(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT,
                                       CUDNN_TENSOR_NCHW, 2, 2, 3, 3));
  EXPECT_EQ(ask(), CUDNN_STATUS_BAD_PARAM); // 2 channels do not divide 3
  ASSERT_OK(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT,
                                       CUDNN_TENSOR_NCHW, 2, 3, 3, 3));
  EXPECT_OK(ask());
  EXPECT_EQ(count, 1);
  EXPECT_EQ(found.status, CUDNN_STATUS_SUCCESS);
  EXPECT_EQ(cudnnSetConvolution2dDescriptor(convolution, 1, 1, 0, 1, 1, 1,
                                            CUDNN_CROSS_CORRELATION,
                                            CUDNN_DATA_FLOAT),
            CUDNN_STATUS_BAD_PARAM);
}

TEST_F(CudnnConvolution, BytesAreExact) {
  DESCRIPTOR(Convolution, convolution);
  DESCRIPTOR(Filter, filter);
  Case c{{1, 64, 5, 5}, {3, 64, 5, 5}, {0, 0}, {1, 1}, {1, 1}};
  ASSERT_OK(cudnnSetConvolution2dDescriptor(convolution, 0, 0, 1, 1, 1, 1,
                                            CUDNN_CROSS_CORRELATION,
                                            CUDNN_DATA_INT32));
  ASSERT_OK(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_INT8,
                                       CUDNN_TENSOR_NCHW, 3, 64, 5, 5));
  TensorOf x(c.x, CUDNN_DATA_INT8), w(c.w, CUDNN_DATA_INT8);
  TensorOf y({1, 3, 1, 1}, CUDNN_DATA_INT32);
  // Sums above 2^24, odd.
  std::vector<double> xs(1600, 127), ws(4800, 127);
  ws[0] = 126;
  x.set(xs);
  w.set(ws);
  float one = 1, none = 0;
  ASSERT_OK(cudnnConvolutionForward(handle, &one, x.descriptor, x.data(),
                                    filter, w.data(), convolution,
                                    CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM,
                                    nullptr, 0, &none, y.descriptor, y.data()));
  wait();
  y.expect({1600 * 127 * 127 - 127, 1600 * 127 * 127, 1600 * 127 * 127});
}

TEST_F(CudnnConvolution, FusesBiasAndActivation) {
  DESCRIPTOR(Convolution, convolution);
  DESCRIPTOR(Filter, filter);
  DESCRIPTOR(Activation, activation);
  Case c{{2, 3, 5, 5}, {4, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}};
  ASSERT_OK(cudnnSetConvolution2dDescriptor(convolution, 1, 1, 1, 1, 1, 1,
                                            c.mode, CUDNN_DATA_FLOAT));
  ASSERT_OK(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT,
                                       CUDNN_TENSOR_NCHW, 4, 3, 3, 3));
  ASSERT_OK(cudnnSetActivationDescriptor(activation, CUDNN_ACTIVATION_RELU,
                                         CUDNN_NOT_PROPAGATE_NAN, 0));
  TensorOf x(c.x), w(c.w), y({2, 4, 5, 5}), z(y.dims), bias({1, 4, 1, 1});
  auto xs = x.setRandom(1), ws = w.setRandom(2), zs = z.setRandom(3);
  auto biases = bias.setRandom(4);
  std::vector<double> expected(countOf(y.dims));
  forEachProduct(c, y.dims,
                 [&](const Ints &in, const Ints &tap, const Ints &out) {
                   expected[rowIndex(y.dims, out)] +=
                       xs[rowIndex(c.x, in)] * ws[rowIndex(c.w, tap)];
                 });
  forEach(y.dims, [&](const Ints &place, size_t i) {
    expected[i] =
        std::max(0.0, 2 * expected[i] + 0.5 * zs[i] + biases[size_t(place[1])]);
  });
  float two = 2, half = 0.5;
  ASSERT_OK(cudnnConvolutionBiasActivationForward(
      handle, &two, x.descriptor, x.data(), filter, w.data(), convolution,
      CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0, &half, z.descriptor,
      z.data(), bias.descriptor, bias.data(), activation, y.descriptor,
      y.data()));
  wait();
  y.expect(expected, 4);

  // The gradient of the bias, with what was there.
  TensorOf db(bias.dims);
  auto old = db.setRandom(5);
  std::vector<double> sums(4);
  forEach(y.dims, [&](const Ints &place, size_t i) {
    sums[size_t(place[1])] += zs[i];
  });
  for (size_t i = 0; i < 4; ++i)
    sums[i] = 2 * sums[i] + 0.5 * old[i];
  ASSERT_OK(cudnnConvolutionBackwardBias(handle, &two, z.descriptor, z.data(),
                                         &half, db.descriptor, db.data()));
  wait();
  db.expect(sums, 4);
}

TEST_F(CudnnConvolution, CapturesRepeatIt) {
  DESCRIPTOR(Convolution, convolution);
  DESCRIPTOR(Filter, filter);
  ASSERT_OK(cudnnSetConvolution2dDescriptor(convolution, 0, 0, 1, 1, 1, 1,
                                            CUDNN_CROSS_CORRELATION,
                                            CUDNN_DATA_FLOAT));
  ASSERT_OK(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT,
                                       CUDNN_TENSOR_NCHW, 1, 1, 1, 1));
  TensorOf x({1, 1, 2, 2}), w({1, 1, 1, 1}), y({1, 1, 2, 2});
  x.set({1, 2, 3, 4});
  w.set({10});
  y.set({0, 0, 0, 0});
  float one = 1;
  replay(
      [&] {
        ASSERT_OK(cudnnConvolutionForward(
            handle, &one, x.descriptor, x.data(), filter, w.data(), convolution,
            CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, nullptr, 0, &one,
            y.descriptor, y.data()));
        y.expect({0, 0, 0, 0}); // it is only recorded
      },
      3);
  y.expect({30, 60, 90, 120});
}

TEST_F(CudnnConvolution, FindsMeasureTheAlgorithm) {
  DESCRIPTOR(Convolution, convolution);
  DESCRIPTOR(Filter, filter);
  ASSERT_OK(cudnnSetConvolution2dDescriptor(convolution, 1, 1, 1, 1, 1, 1,
                                            CUDNN_CROSS_CORRELATION,
                                            CUDNN_DATA_FLOAT));
  ASSERT_OK(cudnnSetFilter4dDescriptor(filter, CUDNN_DATA_FLOAT,
                                       CUDNN_TENSOR_NCHW, 4, 3, 3, 3));
  TensorOf x({1, 3, 8, 8}), y({1, 4, 8, 8});
  int count = 0;
  cudnnConvolutionBwdFilterAlgoPerf_t found;
  ASSERT_OK(cudnnFindConvolutionBackwardFilterAlgorithm(
      handle, x.descriptor, y.descriptor, convolution, filter, 1, &count,
      &found));
  EXPECT_EQ(count, 1);
  EXPECT_GT(found.time, 0);
  EXPECT_EQ(found.memory, 0u);
}
