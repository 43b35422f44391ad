//===- Rnn.h - recurrent layers ---------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A layer has one or two directions; each is a cell with weights of its own.
// All sequences are as long as the longest one here: steps behind the end of a
// sequence change nothing.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_RNN_H
#define PTXJIT_LIB_CUDNN_RNN_H

#include "Descriptors.h"
#include "ptxjit/Cudnn/CudnnAdvABI.h"

namespace ptxjit::cudnn {

struct RnnSettings {
  cudnnRNNAlgo_t algo = CUDNN_RNN_ALGO_STANDARD;
  cudnnRNNMode_t cell = CUDNN_RNN_RELU;
  cudnnRNNBiasMode_t bias = CUDNN_RNN_DOUBLE_BIAS;
  cudnnDirectionMode_t direction = CUDNN_UNIDIRECTIONAL;
  cudnnRNNInputMode_t input = CUDNN_LINEAR_INPUT;
  cudnnDataType_t type = CUDNN_DATA_FLOAT, compute = CUDNN_DATA_FLOAT;
  cudnnMathType_t math = CUDNN_DEFAULT_MATH;
  int64_t inputSize = 0, hiddenSize = 0, projectedSize = 0, layers = 0;
  cudnnDropoutDescriptor_t dropoutHandle = nullptr;
  Dropout dropout;
  uint32_t flags = 0;
  cudnnRNNClipMode_t clip = CUDNN_RNN_CLIP_NONE;
  double clipLow = 0, clipHigh = 0;

  int64_t directions() const {
    return direction == CUDNN_BIDIRECTIONAL ? 2 : 1;
  }
  /// Matrices of the input, as many as of the state.
  int64_t gates() const {
    return cell == CUDNN_LSTM ? 4 : cell == CUDNN_GRU ? 3 : 1;
  }
  bool isProjected() const { return projectedSize != hiddenSize; }
  bool isDouble() const { return type == CUDNN_DATA_DOUBLE; }
  /// Elements of what comes into a layer.
  int64_t inputOf(int64_t layer) const {
    return layer == 0 ? inputSize : directions() * projectedSize;
  }
  bool skipsInput(int64_t layer) const {
    return layer == 0 && input == CUDNN_SKIP_INPUT;
  }
  bool hasInputBias() const {
    return bias == CUDNN_RNN_SINGLE_INP_BIAS || bias == CUDNN_RNN_DOUBLE_BIAS;
  }
  bool hasStateBias() const {
    return bias == CUDNN_RNN_SINGLE_REC_BIAS || bias == CUDNN_RNN_DOUBLE_BIAS;
  }
};

/// Where the weights of a cell begin, in elements; -1: there are none. First
/// all matrices, cell by cell, then all biases.
struct CellWeights {
  int64_t input = -1, state = -1, projection = -1;
  int64_t inputBias = -1, stateBias = -1;
};
CellWeights weightsOf(const RnnSettings &settings, int64_t cell);
/// The elements of all weights.
int64_t countWeights(const RnnSettings &settings);

/// Sequences, as a program describes them.
struct Sequences {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  cudnnRNNDataLayout_t layout = CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED;
  int64_t maxLength = 0, batch = 0, size = 0;
  std::vector<int> lengths;
  bool hasPadding = false;
  double padding = 0; ///< what is behind the ends of results
};

/// Elements that training keeps for the gradients.
int64_t countReserve(const RnnSettings &settings, int64_t steps, int64_t batch);

/// The memory of a run, all of one type. Sequences are (step, sequence,
/// element); states (cell, sequence, element), null for zeros, or for results
/// that nobody wants.
template <typename T> struct RnnMemory {
  const T *weights = nullptr;
  T *reserve = nullptr; ///< null in inference
  const T *x = nullptr, *hx = nullptr, *cx = nullptr;
  T *y = nullptr, *hy = nullptr, *cy = nullptr;
  const T *dy = nullptr, *dhy = nullptr, *dcy = nullptr;
  T *dx = nullptr, *dhx = nullptr, *dcx = nullptr;
  T *dWeights = nullptr; ///< is added to
};

/// \param lengths  of the sequences. `steps` is at least the longest.
template <typename T>
void runForward(const RnnSettings &settings, const std::vector<int> &lengths,
                int64_t steps, const RnnMemory<T> &memory);
/// Reads what runForward() has kept, and keeps gradients of the gates.
template <typename T>
void runBackwardData(const RnnSettings &settings,
                     const std::vector<int> &lengths, int64_t steps,
                     const RnnMemory<T> &memory);
/// Reads what both have kept.
template <typename T>
void runBackwardWeights(const RnnSettings &settings,
                        const std::vector<int> &lengths, int64_t steps,
                        const RnnMemory<T> &memory);

template <> struct Described<cudnnRNNDescriptor_t> {
  using Type = RnnSettings;
};
template <> struct Described<cudnnRNNDataDescriptor_t> {
  using Type = Sequences;
};

} // namespace ptxjit::cudnn

#endif
