//===- RnnTest.cpp - recurrent layers -------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plain model, sequence by sequence, gives the expected results; gradients
// are its differences.
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"
#include "ptxjit/Cudnn/CudnnAdvABI.h"

using namespace cudnntest;

namespace {
using Doubles = std::vector<double>;

struct Case {
  cudnnRNNMode_t cell = CUDNN_LSTM;
  cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
  cudnnDirectionMode_t direction = CUDNN_UNIDIRECTIONAL;
  cudnnRNNInputMode_t input = CUDNN_LINEAR_INPUT;
  int inputSize = 3, hidden = 4, projected = 4, layers = 1;
  cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
  Ints lengths = {3, 3};
  bool isClipped = false;

  int directions() const { return direction == CUDNN_BIDIRECTIONAL ? 2 : 1; }
  int gates() const {
    return cell == CUDNN_LSTM ? 4 : cell == CUDNN_GRU ? 3 : 1;
  }
  int outSize() const { return directions() * projected; }
};

/// Where a cell's matrices and biases are, in elements; -1: nowhere.
struct Places {
  std::vector<long> matrices, biases;
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// States of one sequence: h and c of each cell.
struct States {
  std::vector<Doubles> h, c;
};

/// Runs one sequence through a cell.
std::vector<Doubles> runCell(const Case &c, const Doubles &w,
                             const Places &places, int layer, bool isBackward,
                             const std::vector<Doubles> &x, Doubles &h,
                             Doubles &cell) {
  std::vector<Doubles> y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    size_t now = isBackward ? x.size() - 1 - i : i;
    auto sum = [&](int id, const Doubles &in, size_t row) {
      double total = 0;
      long matrix = places.matrices[size_t(id)];
      if (matrix < 0)
        total = in[row]; // the input itself
      for (size_t j = 0; matrix >= 0 && j < in.size(); ++j)
        total += w[size_t(matrix) + row * in.size() + j] * in[j];
      long bias = places.biases[size_t(id)];
      return total + (bias < 0 ? 0 : w[size_t(bias) + row]);
    };
    Doubles next(size_t(c.hidden));
    for (size_t j = 0; j < next.size(); ++j) {
      auto gate = [&](int id) {
        return sum(id, x[now], j) + sum(c.gates() + id, h, j);
      };
      if (c.cell == CUDNN_LSTM) {
        double fresh =
            sigmoid(gate(1)) * cell[j] + sigmoid(gate(0)) * std::tanh(gate(2));
        if (c.isClipped)
          fresh = std::min(std::max(fresh, -0.1), 0.2);
        cell[j] = fresh;
        next[j] = sigmoid(gate(3)) * std::tanh(fresh);
      } else if (c.cell == CUDNN_GRU) {
        double keep = sigmoid(gate(1));
        double fresh =
            std::tanh(sum(2, x[now], j) + sigmoid(gate(0)) * sum(5, h, j));
        next[j] = (1 - keep) * fresh + keep * h[j];
      } else {
        next[j] = c.cell == CUDNN_RNN_TANH ? std::tanh(gate(0))
                                           : std::max(0.0, gate(0));
      }
    }
    if (c.projected != c.hidden) {
      Doubles projected(size_t(c.projected), 0);
      for (size_t r = 0; r < projected.size(); ++r)
        for (size_t j = 0; j < next.size(); ++j)
          projected[r] +=
              w[size_t(places.matrices[8]) + r * next.size() + j] * next[j];
      next = projected;
    }
    h = next;
    y[now] = h;
  }
  (void)layer;
  return y;
}

class CudnnRnn : public Cudnn {
protected:
  void SetUp() override {
    ASSERT_OK(cudnnCreateRNNDescriptor(&rnn));
    ASSERT_OK(cudnnCreateRNNDataDescriptor(&xDesc));
    ASSERT_OK(cudnnCreateRNNDataDescriptor(&yDesc));
    ASSERT_OK(cudnnCreateDropoutDescriptor(&dropout));
    ASSERT_OK(cudnnSetDropoutDescriptor(dropout, handle, 0, nullptr, 0, 0));
  }
  void TearDown() override {
    EXPECT_OK(cudnnDestroyRNNDescriptor(rnn));
    EXPECT_OK(cudnnDestroyRNNDataDescriptor(xDesc));
    EXPECT_OK(cudnnDestroyRNNDataDescriptor(yDesc));
    EXPECT_OK(cudnnDestroyDropoutDescriptor(dropout));
    Cudnn::TearDown();
  }

  void describe(const Case &c, cudnnDataType_t type, int maxLength) {
    ASSERT_OK(cudnnSetRNNDescriptor_v8(
        rnn, CUDNN_RNN_ALGO_STANDARD, c.cell, c.bias, c.direction, c.input,
        type, type == CUDNN_DATA_DOUBLE ? type : CUDNN_DATA_FLOAT,
        CUDNN_DEFAULT_MATH, c.inputSize, c.hidden, c.projected, c.layers,
        dropout, 0));
    ASSERT_OK(cudnnRNNSetClip_v9(
        rnn, c.isClipped ? CUDNN_RNN_CLIP_MINMAX : CUDNN_RNN_CLIP_NONE, -0.1,
        0.2));
    double padding = 0.5;
    float narrow = 0.5f;
    uint16_t half = bitsOfHalf(0.5);
    void *fill = type == CUDNN_DATA_DOUBLE  ? static_cast<void *>(&padding)
                 : type == CUDNN_DATA_FLOAT ? static_cast<void *>(&narrow)
                                            : &half;
    ASSERT_OK(cudnnSetRNNDataDescriptor(xDesc, type, c.layout, maxLength,
                                        int(c.lengths.size()), c.inputSize,
                                        c.lengths.data(), nullptr));
    ASSERT_OK(cudnnSetRNNDataDescriptor(yDesc, type, c.layout, maxLength,
                                        int(c.lengths.size()), c.outSize(),
                                        c.lengths.data(), fill));
  }

  /// Asks where the weights are.
  std::vector<Places> find(const Case &c, const TensorOf &weights, size_t bytes,
                           size_t size) {
    std::vector<Places> all;
    for (int cell = 0; cell < c.layers * c.directions(); ++cell) {
      Places places;
      int ids = 2 * c.gates() + (c.projected != c.hidden);
      for (int id = 0; id < ids; ++id) {
        void *matrix = nullptr, *bias = nullptr;
        EXPECT_OK(cudnnGetRNNWeightParams(handle, rnn, cell, bytes,
                                          weights.data(), id, nullptr, &matrix,
                                          nullptr, &bias));
        auto place = [&](void *at) {
          return at ? long(size_t(static_cast<char *>(at) -
                                  static_cast<char *>(weights.data())) /
                           size)
                    : -1;
        };
        places.matrices.push_back(place(matrix));
        places.biases.push_back(place(bias));
      }
      all.push_back(places);
    }
    return all;
  }

  /// The place of an element, in any layout.
  static size_t index(const Case &c, int maxLength, int size, size_t b,
                      size_t step) {
    size_t batch = c.lengths.size(), place = 0;
    if (c.layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED)
      return (b * size_t(maxLength) + step) * size_t(size);
    if (c.layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED)
      return (step * batch + b) * size_t(size);
    for (size_t s = 0; s < step; ++s)
      for (int length : c.lengths)
        place += size_t(length) > s;
    return (place + b) * size_t(size);
  }

  /// The model: results in the layout of the call.
  struct Results {
    Doubles y, hy, cy;
  };
  static Results model(const Case &c, const std::vector<Places> &places,
                       const Doubles &w, const Doubles &x, const Doubles &hx,
                       const Doubles &cx, int maxLength) {
    size_t batch = c.lengths.size(), hSize = size_t(c.projected);
    size_t cSize = size_t(c.hidden);
    Results results;
    results.y.assign(batch * size_t(maxLength * c.outSize()), 0.5);
    results.hy = hx;
    results.cy = cx;
    for (size_t b = 0; b < batch; ++b) {
      std::vector<Doubles> in;
      for (size_t t = 0; t < size_t(c.lengths[b]); ++t) {
        size_t at = index(c, maxLength, c.inputSize, b, t);
        in.emplace_back(x.begin() + long(at),
                        x.begin() + long(at) + c.inputSize);
      }
      for (int layer = 0; layer < c.layers; ++layer) {
        std::vector<Doubles> out(in.size());
        for (int d = 0; d < c.directions(); ++d) {
          size_t cell = size_t(layer * c.directions() + d);
          size_t h = (cell * batch + b) * hSize, s = (cell * batch + b) * cSize;
          Doubles state(hx.begin() + long(h), hx.begin() + long(h + hSize));
          Doubles inner(cx.begin() + long(s), cx.begin() + long(s + cSize));
          auto part =
              runCell(c, w, places[cell], layer, d == 1, in, state, inner);
          std::copy(state.begin(), state.end(), results.hy.begin() + long(h));
          std::copy(inner.begin(), inner.end(), results.cy.begin() + long(s));
          for (size_t t = 0; t < in.size(); ++t)
            out[t].insert(out[t].end(), part[t].begin(), part[t].end());
        }
        in = out;
      }
      for (size_t t = 0; t < in.size(); ++t)
        std::copy(in[t].begin(), in[t].end(),
                  results.y.begin() +
                      long(index(c, maxLength, c.outSize(), b, t)));
    }
    return results;
  }

  void check(const Case &c, cudnnDataType_t type = CUDNN_DATA_DOUBLE) {
    SCOPED_TRACE(testing::Message()
                 << "cell " << c.cell << ", bias " << c.bias << ", layers "
                 << c.layers << ", layout " << c.layout << ", type " << type);
    const int maxLength = 4, batch = int(c.lengths.size());
    describe(c, type, maxLength);
    size_t bytes, workspace, reserveBytes;
    ASSERT_OK(cudnnGetRNNWeightSpaceSize(handle, rnn, &bytes));
    ASSERT_OK(cudnnGetRNNTempSpaceSizes(handle, rnn, CUDNN_FWD_MODE_TRAINING,
                                        xDesc, &workspace, &reserveBytes));
    std::vector<char> reserve(reserveBytes);
    size_t size = type == CUDNN_DATA_DOUBLE  ? 8
                  : type == CUDNN_DATA_FLOAT ? 4
                                             : 2;
    int count = int(bytes / size), cells = c.layers * c.directions();
    TensorOf w({1, 1, count}, type), dw({1, 1, count}, type);
    TensorOf x({maxLength, batch, c.inputSize}, type), dx(x.dims, type);
    TensorOf y({maxLength, batch, c.outSize()}, type), dy(y.dims, type);
    Ints hDims{cells, batch, c.projected}, cDims{cells, batch, c.hidden};
    TensorOf hx(hDims, type), hy(hDims, type), dhx(hDims, type),
        dhy(hDims, type);
    TensorOf cx(cDims, type), cy(cDims, type), dcx(cDims, type),
        dcy(cDims, type);
    auto ws = w.setRandom(1), xs = x.setRandom(2), hs = hx.setRandom(3);
    auto cs = cx.setRandom(4), dys = dy.setRandom(5), dhs = dhy.setRandom(6);
    auto dcs = dcy.setRandom(7), oldW = dw.setRandom(8);
    auto places = find(c, w, bytes, size);
    auto expected = model(c, places, ws, xs, hs, cs, maxLength);
    bool isLstm = c.cell == CUDNN_LSTM;

    auto forward = [&](cudnnForwardMode_t mode) {
      bool isTraining = mode == CUDNN_FWD_MODE_TRAINING;
      ASSERT_OK(cudnnRNNForward(
          handle, rnn, mode, nullptr, xDesc, x.data(), yDesc, y.data(),
          hx.descriptor, hx.data(), hy.data(), cx.descriptor, cx.data(),
          cy.data(), bytes, w.data(), 0, nullptr, isTraining ? reserveBytes : 0,
          isTraining ? reserve.data() : nullptr));
      wait();
      bool isPacked = c.layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
      if (!isPacked) {
        y.expect(expected.y, 4);
      } else {
        size_t used = 0;
        for (int length : c.lengths)
          used += size_t(length * c.outSize());
        auto found = y.get();
        for (size_t i = 0; i < used; ++i)
          ASSERT_NEAR(found[i], expected.y[i], 1e-4);
      }
      hy.expect(expected.hy, 4);
      if (isLstm)
        cy.expect(expected.cy, 4);
    };
    forward(CUDNN_FWD_MODE_INFERENCE);
    forward(CUDNN_FWD_MODE_TRAINING);
    if (type != CUDNN_DATA_DOUBLE && type != CUDNN_DATA_FLOAT)
      return;

    ASSERT_OK(cudnnRNNBackwardData_v8(
        handle, rnn, nullptr, yDesc, y.data(), dy.data(), xDesc, dx.data(),
        hx.descriptor, hx.data(), dhy.data(), dhx.data(), cx.descriptor,
        cx.data(), dcy.data(), dcx.data(), bytes, w.data(), 0, nullptr,
        reserveBytes, reserve.data()));
    ASSERT_OK(cudnnRNNBackwardWeights_v8(
        handle, rnn, CUDNN_WGRAD_MODE_ADD, nullptr, xDesc, x.data(),
        hx.descriptor, hx.data(), yDesc, y.data(), bytes, dw.data(), 0, nullptr,
        reserveBytes, reserve.data()));
    wait();
    auto loss = [&](const Doubles &weights, const Doubles &in, const Doubles &h,
                    const Doubles &cell) {
      auto results = model(c, places, weights, in, h, cell, maxLength);
      double sum = 0;
      for (size_t b = 0; b < size_t(batch); ++b)
        for (size_t t = 0; t < size_t(c.lengths[b]); ++t)
          for (size_t j = 0; j < size_t(c.outSize()); ++j) {
            size_t at = index(c, maxLength, c.outSize(), b, t) + j;
            sum += results.y[at] * dys[at];
          }
      for (size_t i = 0; i < dhs.size(); ++i)
        sum += results.hy[i] * dhs[i];
      for (size_t i = 0; isLstm && i < dcs.size(); ++i)
        sum += results.cy[i] * dcs[i];
      return sum;
    };
    auto slopes = [&](Doubles values, auto lossOf) {
      Doubles result(values.size());
      for (size_t i = 0; i < values.size(); ++i) {
        double value = values[i];
        values[i] = value + 1e-5;
        double more = lossOf(values);
        values[i] = value - 1e-5;
        result[i] = (more - lossOf(values)) / 2e-5;
        values[i] = value;
      }
      return result;
    };
    auto dws =
        slopes(ws, [&](const Doubles &v) { return loss(v, xs, hs, cs); });
    for (size_t i = 0; i < dws.size(); ++i)
      dws[i] += oldW[i];
    double digits = type == CUDNN_DATA_DOUBLE ? 1e4 : 10;
    dw.expect(dws, digits);
    dhx.expect(
        slopes(hs, [&](const Doubles &v) { return loss(ws, xs, v, cs); }),
        digits);
    if (isLstm)
      dcx.expect(
          slopes(cs, [&](const Doubles &v) { return loss(ws, xs, hs, v); }),
          digits);
    auto dxs =
        slopes(xs, [&](const Doubles &v) { return loss(ws, v, hs, cs); });
    auto found = dx.get();
    for (size_t b = 0; b < size_t(batch); ++b)
      for (size_t t = 0; t < size_t(c.lengths[b]); ++t)
        for (size_t j = 0; j < size_t(c.inputSize); ++j) {
          size_t at = index(c, maxLength, c.inputSize, b, t) + j;
          ASSERT_NEAR(found[at], dxs[at], digits * dx.tolerance());
        }
  }

  cudnnRNNDescriptor_t rnn = nullptr;
  cudnnRNNDataDescriptor_t xDesc = nullptr, yDesc = nullptr;
  cudnnDropoutDescriptor_t dropout = nullptr;
};
} // namespace

TEST_F(CudnnRnn, ServesAllCells) {
  for (auto cell : {CUDNN_RNN_RELU, CUDNN_RNN_TANH, CUDNN_LSTM, CUDNN_GRU}) {
    Case c;
    c.cell = cell;
    check(c);
    c.layers = 2;
    c.direction = CUDNN_BIDIRECTIONAL;
    check(c);
  }
}

TEST_F(CudnnRnn, ServesSequencesOfDifferentLengths) {
  for (auto layout : {CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED,
                      CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED,
                      CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED})
    for (auto cell : {CUDNN_LSTM, CUDNN_GRU}) {
      Case c;
      c.cell = cell;
      c.layout = layout;
      c.lengths = {4, 2, 1};
      c.layers = 2;
      c.direction = CUDNN_BIDIRECTIONAL;
      check(c);
    }
}

TEST_F(CudnnRnn, ServesBiasesInputsProjectionsAndClips) {
  for (auto bias : {CUDNN_RNN_NO_BIAS, CUDNN_RNN_SINGLE_INP_BIAS,
                    CUDNN_RNN_SINGLE_REC_BIAS}) {
    Case c;
    c.bias = bias;
    c.cell = CUDNN_GRU;
    check(c);
  }
  Case c;
  c.input = CUDNN_SKIP_INPUT;
  c.inputSize = c.hidden;
  check(c);
  c.projected = 2;
  c.layers = 2;
  check(c);
  c.isClipped = true;
  check(c);
}

TEST_F(CudnnRnn, ServesOtherTypes) {
  for (auto type : {CUDNN_DATA_FLOAT, CUDNN_DATA_HALF})
    for (auto cell : {CUDNN_LSTM, CUDNN_GRU}) {
      Case c;
      c.cell = cell;
      c.layers = 2;
      c.lengths = {4, 1};
      check(c, type);
    }
}

TEST_F(CudnnRnn, ServesCellsOfOneElement) {
  for (auto type : {CUDNN_DATA_FLOAT, CUDNN_DATA_DOUBLE})
    for (int hidden : {1, 6}) {
      Case c;
      c.inputSize = 7 - hidden;
      c.hidden = c.projected = hidden;
      c.lengths = {1};
      c.layers = 2;
      check(c, type);
    }
}

TEST_F(CudnnRnn, RefusesWhatDoesNotFit) {
  Case c;
  EXPECT_EQ(cudnnSetRNNDescriptor_v8(rnn, CUDNN_RNN_ALGO_STANDARD, CUDNN_GRU,
                                     CUDNN_RNN_NO_BIAS, CUDNN_UNIDIRECTIONAL,
                                     CUDNN_LINEAR_INPUT, CUDNN_DATA_FLOAT,
                                     CUDNN_DATA_FLOAT, CUDNN_DEFAULT_MATH, 3, 4,
                                     /*projected=*/2, 1, dropout, 0),
            CUDNN_STATUS_BAD_PARAM);
  size_t bytes;
  EXPECT_EQ(cudnnGetRNNWeightSpaceSize(handle, rnn, &bytes),
            CUDNN_STATUS_BAD_PARAM); // nothing is set
  describe(c, CUDNN_DATA_FLOAT, 4);
  ASSERT_OK(cudnnGetRNNWeightSpaceSize(handle, rnn, &bytes));
  float x[99] = {}, weights[999] = {};
  EXPECT_EQ(cudnnRNNForward(handle, rnn, CUDNN_FWD_MODE_INFERENCE, nullptr,
                            xDesc, x, yDesc, x, nullptr, nullptr, nullptr,
                            nullptr, nullptr, nullptr, bytes - 1, weights, 0,
                            nullptr, 0, nullptr),
            CUDNN_STATUS_BAD_PARAM);
}
