//===- Rnn.cpp - recurrent layers -----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The products with inputs are made for all steps at once; those with states,
// step by step.
//
//===----------------------------------------------------------------------===//

#include "Rnn.h"
#include "Matmul.h"
#include "RandomBits.h"

#include <cmath>

using namespace ptxjit;
using namespace ptxjit::cudnn;

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

CellWeights cudnn::weightsOf(const RnnSettings &s, int64_t cell) {
  CellWeights weights, found;
  int64_t cells = s.layers * s.directions(), place = 0;
  auto take = [&](bool isThere, int64_t count) {
    int64_t at = isThere ? place : -1;
    place += isThere ? count : 0;
    return at;
  };
  int64_t rows = s.gates() * s.hiddenSize;
  for (int64_t i = 0; i < cells; ++i) {
    int64_t layer = i / s.directions();
    weights.input = take(!s.skipsInput(layer), rows * s.inputOf(layer));
    weights.state = take(true, rows * s.projectedSize);
    weights.projection = take(s.isProjected(), s.projectedSize * s.hiddenSize);
    if (i == cell)
      found = weights;
  }
  for (int64_t i = 0; i < cells; ++i) {
    weights.inputBias = take(s.hasInputBias(), rows);
    weights.stateBias = take(s.hasStateBias(), rows);
    if (i == cell) {
      found.inputBias = weights.inputBias;
      found.stateBias = weights.stateBias;
    }
  }
  if (cell == cells) // behind the last one
    found.input = place;
  return found;
}

int64_t cudnn::countWeights(const RnnSettings &s) {
  return weightsOf(s, s.layers * s.directions()).input;
}

//===----------------------------------------------------------------------===//
// What is kept
//===----------------------------------------------------------------------===//

namespace {
/// Places in the reserve, in elements. The parts of a cell are for all steps.
struct ReserveLayout {
  ReserveLayout(const RnnSettings &s, int64_t steps, int64_t batch) {
    int64_t rows = steps * batch, cells = s.layers * s.directions();
    gates = (s.gates() + 1) * s.hiddenSize; // LSTM: and c; GRU: and R * h
    outputs = gates * rows;
    gateGradients = outputs + s.projectedSize * rows;
    stateGradients = gateGradients + s.gates() * s.hiddenSize * rows;
    outputGradients = stateGradients + s.gates() * s.hiddenSize * rows;
    cell = outputGradients + s.projectedSize * rows;
    inputs = cell * cells;
    int64_t place = inputs;
    for (int64_t layer = 0; layer < s.layers; ++layer) {
      inputOf.push_back(place);
      place += s.inputOf(layer) * rows;
      maskOf.push_back(place);
      place += layer > 0 ? s.inputOf(layer) * rows : 0;
    }
    total = place;
  }
  int64_t gates; ///< elements for each row
  int64_t outputs, gateGradients, stateGradients, outputGradients;
  int64_t cell; ///< elements of a cell
  int64_t inputs, total;
  std::vector<int64_t> inputOf; ///< what comes into each layer
  std::vector<int64_t> maskOf;  ///< dropout's factors for it
};
} // namespace

int64_t cudnn::countReserve(const RnnSettings &s, int64_t steps,
                            int64_t batch) {
  return ReserveLayout(s, steps, batch).total;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
/// A matrix of rows, or its transpose.
template <typename T> struct Rows {
  const T *data;
  int64_t rows, columns;
  int64_t stride; ///< from row to row
  bool isTransposed = false;
  View<T> view() const {
    auto *place = const_cast<T *>(data);
    if (isTransposed)
      return {{{columns, rows}, {1, stride}}, place, nullptr};
    return {{{rows, columns}, {stride, 1}}, place, nullptr};
  }
};
} // namespace

template <typename T>
static Rows<T> rowsOf(const T *data, int64_t rows, int64_t columns) {
  return {data, rows, columns, columns};
}
template <typename T> static Rows<T> transposed(Rows<T> matrix) {
  matrix.isTransposed = true;
  return matrix;
}
/// out = a * b, or out += a * b.
template <typename T>
static void product(const Rows<T> &a, const Rows<T> &b, T *out, bool adds) {
  View<T> left = a.view(), right = b.view();
  int64_t rows = left.dims()[0], columns = right.dims()[1];
  if (!adds)
    return multiply(left, right, rowsOf(out, rows, columns).view());
  std::vector<T> sums(size_t(rows * columns));
  multiply(left, right, rowsOf(sums.data(), rows, columns).view());
  for (size_t i = 0; i < sums.size(); ++i)
    out[i] += sums[i];
}

template <typename T>
static void addBias(T *rows, int64_t count, int64_t size, const T *bias) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t j = 0; j < size; ++j)
      rows[i * size + j] += bias[j];
}

template <typename T> static T sigmoid(T x) { return 1 / (1 + std::exp(-x)); }

//===----------------------------------------------------------------------===//
// Cells
//===----------------------------------------------------------------------===//

namespace {
/// The cells of a network in a run.
template <typename T> class Network {
public:
  Network(const RnnSettings &settings, const std::vector<int> &lengths,
          int64_t steps, const RnnMemory<T> &memory)
      : s(settings), lengths(lengths), steps(steps),
        batch(int64_t(lengths.size())), memory(memory),
        layout(settings, steps, batch), hidden(s.hiddenSize),
        out(s.projectedSize), gates(s.gates() * s.hiddenSize) {
    if (!memory.reserve)
      storage.resize(size_t(layout.total));
    reserve = memory.reserve ? memory.reserve : storage.data();
  }
  void forward();
  void backwardData();
  void backwardWeights();

private:
  /// The first step of a cell is the last one if it goes backwards.
  int64_t stepAt(int64_t cell, int64_t i) const {
    return isBackward(cell) ? steps - 1 - i : i;
  }
  bool isBackward(int64_t cell) const { return cell % s.directions() == 1; }
  bool isInside(int64_t step, int64_t b) const {
    return step < lengths[size_t(b)];
  }
  T *cellReserve(int64_t cell, int64_t part) const {
    return reserve + cell * layout.cell + part;
  }
  T *gatesAt(int64_t cell, int64_t row) const {
    return cellReserve(cell, 0) + row * layout.gates;
  }
  T *outputAt(int64_t cell, int64_t row) const {
    return cellReserve(cell, layout.outputs) + row * out;
  }
  T *inputOf(int64_t layer) const {
    return reserve + layout.inputOf[size_t(layer)];
  }
  const T *weight(int64_t at) const { return memory.weights + at; }

  /// The step before; -1 for the first one of a sequence.
  int64_t lastStep(int64_t cell, int64_t now, int64_t b) const {
    int64_t last = isBackward(cell) ? now + 1 : now - 1;
    return last >= 0 && last < steps && isInside(last, b) ? last : -1;
  }

  void dropInput(int64_t layer, uint64_t seed);
  std::vector<T> sumInputs(int64_t cell, const CellWeights &weights) const;
  std::vector<T> firstState(const T *from, int64_t cell, int64_t size) const;
  void step(T *row, const T *state, const T *recurrent, T *cellState,
            T *result) const;
  void stepAll(int64_t cell, const CellWeights &weights, int64_t now,
               const std::vector<T> &sums, std::vector<T> &state,
               std::vector<T> &cellState);
  void runCell(int64_t cell);

  void differentiateStep(const T *row, const T *before, const T *cellBefore,
                         const T *dHidden, T *dCell, T *dGates, T *dStates,
                         T *direct) const;
  void differentiateRow(int64_t cell, int64_t now, int64_t b,
                        const std::vector<T> &before, const T *dHidden,
                        T *dCell, T *direct);
  void differentiateAll(int64_t cell, const CellWeights &weights, int64_t now,
                        const T *dOut, const std::vector<T> &before,
                        std::vector<T> &dState, std::vector<T> &dCell);
  void differentiateCell(int64_t cell, const T *dOut, T *dIn);
  std::vector<T> previousOutputs(int64_t cell) const;
  void addWeights(int64_t cell);

  const RnnSettings &s;
  const std::vector<int> &lengths;
  const int64_t steps, batch;
  const RnnMemory<T> &memory;
  const ReserveLayout layout;
  const int64_t hidden, out, gates;
  std::vector<T> storage;
  T *reserve;
};
} // namespace

/// One step of one sequence. `row` has the gates' sums with the input, and gets
/// what gradients need.
template <typename T>
void Network<T>::step(T *row, const T *state, const T *recurrent, T *cellState,
                      T *result) const {
  for (int64_t j = 0; j < hidden; ++j) {
    auto sum = [&](int64_t gate) {
      return row[gate * hidden + j] + recurrent[gate * hidden + j];
    };
    switch (s.cell) {
    case CUDNN_RNN_RELU:
      result[j] = std::max(sum(0), T(0));
      break;
    case CUDNN_RNN_TANH:
      result[j] = std::tanh(sum(0));
      break;
    case CUDNN_LSTM: {
      T in = sigmoid(sum(0)), forget = sigmoid(sum(1));
      T fresh = std::tanh(sum(2)), open = sigmoid(sum(3));
      T c = forget * cellState[j] + in * fresh;
      if (s.clip == CUDNN_RNN_CLIP_MINMAX)
        c = std::min(std::max(c, T(s.clipLow)), T(s.clipHigh));
      row[j] = in;
      row[hidden + j] = forget;
      row[2 * hidden + j] = fresh;
      row[3 * hidden + j] = open;
      row[4 * hidden + j] = cellState[j] = c;
      result[j] = open * std::tanh(c);
      break;
    }
    case CUDNN_GRU: {
      T reset = sigmoid(sum(0)), keep = sigmoid(sum(1));
      T past = recurrent[2 * hidden + j];
      T fresh = std::tanh(row[2 * hidden + j] + reset * past);
      row[j] = reset;
      row[hidden + j] = keep;
      row[2 * hidden + j] = fresh;
      row[3 * hidden + j] = past;
      result[j] = (1 - keep) * fresh + keep * state[j];
      break;
    }
    }
  }
}

/// The gates' sums with the input, for all steps.
template <typename T>
std::vector<T> Network<T>::sumInputs(int64_t cell,
                                     const CellWeights &weights) const {
  int64_t layer = cell / s.directions(), rows = steps * batch;
  int64_t inputSize = s.inputOf(layer);
  const T *input = inputOf(layer);
  std::vector<T> sums(size_t(rows * gates));
  if (weights.input >= 0)
    product(rowsOf(input, rows, inputSize),
            transposed(rowsOf(weight(weights.input), gates, inputSize)),
            sums.data(), false);
  else // each gate adds the input itself
    for (int64_t i = 0; i < rows * gates; ++i)
      sums[size_t(i)] = input[i / gates * inputSize + i % hidden];
  if (weights.inputBias >= 0)
    addBias(sums.data(), rows, gates, weight(weights.inputBias));
  return sums;
}

/// The state before the first step; zeros if there is none.
template <typename T>
std::vector<T> Network<T>::firstState(const T *from, int64_t cell,
                                      int64_t size) const {
  std::vector<T> state(size_t(batch * size), T(0));
  if (from)
    std::copy_n(from + cell * batch * size, state.size(), state.data());
  return state;
}

/// One step of all sequences. `state` and `cellState` become those behind it.
template <typename T>
void Network<T>::stepAll(int64_t cell, const CellWeights &weights, int64_t now,
                         const std::vector<T> &sums, std::vector<T> &state,
                         std::vector<T> &cellState) {
  std::vector<T> recurrent(size_t(batch * gates));
  std::vector<T> results(size_t(batch * hidden));
  product(rowsOf<T>(state.data(), batch, out),
          transposed(rowsOf(weight(weights.state), gates, out)),
          recurrent.data(), false);
  if (weights.stateBias >= 0)
    addBias(recurrent.data(), batch, gates, weight(weights.stateBias));
  for (int64_t b = 0; b < batch; ++b) {
    int64_t row = now * batch + b;
    T *kept = gatesAt(cell, row), *result = &results[size_t(b * hidden)];
    std::copy_n(&sums[size_t(row * gates)], gates, kept);
    if (isInside(now, b))
      step(kept, &state[size_t(b * out)], &recurrent[size_t(b * gates)],
           &cellState[size_t(b * hidden)], result);
    else
      std::fill_n(result, hidden, T(0));
  }
  T *outputs = outputAt(cell, now * batch);
  if (weights.projection >= 0)
    product(rowsOf<T>(results.data(), batch, hidden),
            transposed(rowsOf(weight(weights.projection), out, hidden)),
            outputs, false);
  else
    std::copy(results.begin(), results.end(), outputs);
  for (int64_t b = 0; b < batch; ++b)
    if (isInside(now, b))
      std::copy_n(outputs + b * out, out, &state[size_t(b * out)]);
}

template <typename T> void Network<T>::runCell(int64_t cell) {
  CellWeights weights = weightsOf(s, cell);
  bool isLstm = s.cell == CUDNN_LSTM;
  std::vector<T> sums = sumInputs(cell, weights);
  std::vector<T> state = firstState(memory.hx, cell, out);
  std::vector<T> cellState =
      firstState(isLstm ? memory.cx : nullptr, cell, hidden);
  for (int64_t i = 0; i < steps; ++i)
    stepAll(cell, weights, stepAt(cell, i), sums, state, cellState);
  if (memory.hy)
    std::copy(state.begin(), state.end(), memory.hy + cell * batch * out);
  if (memory.cy && isLstm)
    std::copy(cellState.begin(), cellState.end(),
              memory.cy + cell * batch * hidden);
}

/// Dropout between layers, in training only.
template <typename T> void Network<T>::dropInput(int64_t layer, uint64_t seed) {
  T *input = inputOf(layer), *mask = reserve + layout.maskOf[size_t(layer)];
  double probability = double(s.dropout.probability);
  T factor = probability < 1 ? T(1 / (1 - probability)) : T(0);
  int64_t count = steps * batch * s.inputOf(layer);
  for (int64_t i = 0; i < count; ++i) {
    bool isKept = randomNumber(seed + uint64_t(i)) >= probability;
    mask[i] = isKept ? factor : T(0);
    input[i] *= mask[i];
  }
}

template <typename T> void Network<T>::forward() {
  int64_t rows = steps * batch;
  std::copy_n(memory.x, rows * s.inputSize, inputOf(0));
  bool drops = memory.reserve && s.dropout.probability > 0;
  uint64_t seed = randomBits(s.dropout.seed);
  if (drops && s.dropout.states) { // each run has other numbers
    auto *states = static_cast<RandomStates *>(s.dropout.states);
    seed = randomBits(states->seed ^ randomBits(states->counter++));
  }
  for (int64_t layer = 0; layer < s.layers; ++layer) {
    if (layer > 0 && drops)
      dropInput(layer, seed + (uint64_t(layer) << 48));
    for (int64_t d = 0; d < s.directions(); ++d)
      runCell(layer * s.directions() + d);
    int64_t size = s.directions() * out;
    T *next = layer + 1 < s.layers ? inputOf(layer + 1) : memory.y;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t d = 0; d < s.directions(); ++d)
        std::copy_n(outputAt(layer * s.directions() + d, row), out,
                    next + row * size + d * out);
  }
}

//===----------------------------------------------------------------------===//
// Gradients of the data
//===----------------------------------------------------------------------===//

/// Gradients of one step of one sequence: of the gates' sums with the input and
/// with the state, of the cell before, and of the state before, as far as it
/// does not come by the gates.
template <typename T>
void Network<T>::differentiateStep(const T *row, const T *before,
                                   const T *cellBefore, const T *dHidden,
                                   T *dCell, T *dGates, T *dStates,
                                   T *direct) const {
  for (int64_t j = 0; j < hidden; ++j) {
    T d = dHidden[j];
    if (s.cell == CUDNN_LSTM) {
      T in = row[j], forget = row[hidden + j], fresh = row[2 * hidden + j];
      T open = row[3 * hidden + j], c = row[4 * hidden + j],
        tanh = std::tanh(c);
      T dc = dCell[j] + d * open * (1 - tanh * tanh);
      bool isClipped = s.clip == CUDNN_RNN_CLIP_MINMAX &&
                       (c <= T(s.clipLow) || c >= T(s.clipHigh));
      dc = isClipped ? T(0) : dc;
      dGates[j] = dc * fresh * in * (1 - in);
      dGates[hidden + j] = dc * cellBefore[j] * forget * (1 - forget);
      dGates[2 * hidden + j] = dc * in * (1 - fresh * fresh);
      dGates[3 * hidden + j] = d * tanh * open * (1 - open);
      dCell[j] = dc * forget;
    } else if (s.cell == CUDNN_GRU) {
      T reset = row[j], keep = row[hidden + j], fresh = row[2 * hidden + j];
      T past = row[3 * hidden + j];
      T dFresh = d * (1 - keep) * (1 - fresh * fresh);
      dGates[j] = dFresh * past * reset * (1 - reset);
      dGates[hidden + j] = d * (before[j] - fresh) * keep * (1 - keep);
      dGates[2 * hidden + j] = dFresh;
      direct[j] = d * keep;
    } else {
      T h = row[j]; // the result
      dGates[j] = d * (s.cell == CUDNN_RNN_TANH ? 1 - h * h : T(h > 0));
    }
  }
  std::copy_n(dGates, gates, dStates);
  if (s.cell == CUDNN_GRU)
    for (int64_t j = 0; j < hidden; ++j)
      dStates[2 * hidden + j] *= row[j];
}

/// What the step kept, and its sequence had before it.
template <typename T>
void Network<T>::differentiateRow(int64_t cell, int64_t now, int64_t b,
                                  const std::vector<T> &before,
                                  const T *dHidden, T *dCell, T *direct) {
  int64_t row = now * batch + b, last = lastStep(cell, now, b);
  T *dGates = cellReserve(cell, layout.gateGradients) + row * gates;
  T *dStates = cellReserve(cell, layout.stateGradients) + row * gates;
  std::fill_n(dGates, gates, T(0));
  std::fill_n(dStates, gates, T(0));
  if (!isInside(now, b))
    return;
  std::vector<T> none;
  const T *cellBefore = nullptr;
  if (last >= 0) {
    cellBefore = gatesAt(cell, last * batch + b) + 4 * hidden;
  } else if (memory.cx) {
    cellBefore = memory.cx + (cell * batch + b) * hidden;
  } else {
    none.resize(size_t(hidden), T(0));
    cellBefore = none.data();
  }
  // A plain cell keeps nothing but its result.
  bool isPlain = s.cell != CUDNN_LSTM && s.cell != CUDNN_GRU;
  differentiateStep(isPlain ? outputAt(cell, row) : gatesAt(cell, row),
                    &before[size_t(row * out)], cellBefore, dHidden, dCell,
                    dGates, dStates, direct);
}

/// One step of all sequences: `dState` and `dCell` are the gradients of the
/// states behind it, and become those of the states before.
template <typename T>
void Network<T>::differentiateAll(int64_t cell, const CellWeights &weights,
                                  int64_t now, const T *dOut,
                                  const std::vector<T> &before,
                                  std::vector<T> &dState,
                                  std::vector<T> &dCell) {
  int64_t first = now * batch;
  T *total = cellReserve(cell, layout.outputGradients) + first * out;
  for (int64_t i = 0; i < batch * out; ++i)
    total[i] = isInside(now, i / out)
                   ? dOut[first * out + i] + dState[size_t(i)]
                   : T(0);
  std::vector<T> dHidden(total, total + batch * out);
  if (weights.projection >= 0) {
    dHidden.resize(size_t(batch * hidden));
    product(rowsOf<T>(total, batch, out),
            rowsOf(weight(weights.projection), out, hidden), dHidden.data(),
            false);
  }
  std::vector<T> direct(size_t(batch * out), T(0));
  for (int64_t b = 0; b < batch; ++b)
    differentiateRow(cell, now, b, before, &dHidden[size_t(b * hidden)],
                     &dCell[size_t(b * hidden)], &direct[size_t(b * out)]);
  std::vector<T> moved(size_t(batch * out));
  const T *dStates = cellReserve(cell, layout.stateGradients) + first * gates;
  product(rowsOf(dStates, batch, gates),
          rowsOf(weight(weights.state), gates, out), moved.data(), false);
  for (int64_t i = 0; i < batch * out; ++i)
    if (isInside(now, i / out))
      dState[size_t(i)] = moved[size_t(i)] + direct[size_t(i)];
}

/// `dOut` is the gradient of the cell's outputs; `dIn`, that of its inputs, is
/// added to.
template <typename T>
void Network<T>::differentiateCell(int64_t cell, const T *dOut, T *dIn) {
  int64_t layer = cell / s.directions(), rows = steps * batch;
  CellWeights weights = weightsOf(s, cell);
  bool isLstm = s.cell == CUDNN_LSTM;
  std::vector<T> dState = firstState(memory.dhy, cell, out);
  std::vector<T> dCell =
      firstState(isLstm ? memory.dcy : nullptr, cell, hidden);
  std::vector<T> before = previousOutputs(cell);
  for (int64_t i = steps; i-- > 0;)
    differentiateAll(cell, weights, stepAt(cell, i), dOut, before, dState,
                     dCell);
  const T *dGates = cellReserve(cell, layout.gateGradients);
  if (weights.input >= 0)
    product(rowsOf(dGates, rows, gates),
            rowsOf(weight(weights.input), gates, s.inputOf(layer)), dIn, true);
  else
    for (int64_t i = 0; i < rows * gates; ++i)
      dIn[i / gates * s.inputOf(layer) + i % hidden] += dGates[i];
  if (memory.dhx)
    std::copy(dState.begin(), dState.end(), memory.dhx + cell * batch * out);
  if (memory.dcx && isLstm)
    std::copy(dCell.begin(), dCell.end(), memory.dcx + cell * batch * hidden);
}

template <typename T> void Network<T>::backwardData() {
  int64_t rows = steps * batch, size = s.directions() * out;
  std::vector<T> gradient(memory.dy, memory.dy + rows * size);
  for (int64_t layer = s.layers; layer-- > 0;) {
    int64_t inputSize = s.inputOf(layer);
    std::vector<T> next(size_t(rows * inputSize), T(0));
    for (int64_t d = 0; d < s.directions(); ++d) {
      std::vector<T> part(size_t(rows * out));
      for (int64_t row = 0; row < rows; ++row)
        std::copy_n(&gradient[size_t(row * size + d * out)], out,
                    &part[size_t(row * out)]);
      differentiateCell(layer * s.directions() + d, part.data(), next.data());
    }
    if (layer > 0 && s.dropout.probability > 0)
      for (size_t i = 0; i < next.size(); ++i)
        next[i] *= reserve[layout.maskOf[size_t(layer)] + int64_t(i)];
    gradient = std::move(next);
  }
  if (memory.dx)
    std::copy(gradient.begin(), gradient.end(), memory.dx);
}

//===----------------------------------------------------------------------===//
// Gradients of the weights
//===----------------------------------------------------------------------===//

/// The state before each step.
template <typename T>
std::vector<T> Network<T>::previousOutputs(int64_t cell) const {
  std::vector<T> before(size_t(steps * batch * out), T(0));
  for (int64_t now = 0; now < steps; ++now)
    for (int64_t b = 0; b < batch; ++b) {
      int64_t last = lastStep(cell, now, b);
      const T *from = last >= 0   ? outputAt(cell, last * batch + b)
                      : memory.hx ? memory.hx + (cell * batch + b) * out
                                  : nullptr;
      if (from)
        std::copy_n(from, out, &before[size_t((now * batch + b) * out)]);
    }
  return before;
}

template <typename T> void Network<T>::addWeights(int64_t cell) {
  int64_t layer = cell / s.directions(), rows = steps * batch;
  CellWeights weights = weightsOf(s, cell);
  const T *dGates = cellReserve(cell, layout.gateGradients);
  const T *dStates = cellReserve(cell, layout.stateGradients);
  auto sumRows = [&](const T *from, int64_t to) {
    for (int64_t i = 0; i < rows * gates; ++i)
      memory.dWeights[to + i % gates] += from[i];
  };
  if (weights.input >= 0)
    product(transposed(rowsOf(dGates, rows, gates)),
            rowsOf<T>(inputOf(layer), rows, s.inputOf(layer)),
            memory.dWeights + weights.input, true);
  std::vector<T> before = previousOutputs(cell);
  product(transposed(rowsOf(dStates, rows, gates)),
          rowsOf<T>(before.data(), rows, out), memory.dWeights + weights.state,
          true);
  if (weights.inputBias >= 0)
    sumRows(dGates, weights.inputBias);
  if (weights.stateBias >= 0)
    sumRows(dStates, weights.stateBias);
  if (weights.projection < 0)
    return;
  // What was projected: the output gate times tanh of the cell.
  std::vector<T> results(size_t(rows * hidden), T(0));
  for (int64_t row = 0; row < rows; ++row)
    if (isInside(row / batch, row % batch))
      for (int64_t j = 0; j < hidden; ++j)
        results[size_t(row * hidden + j)] =
            gatesAt(cell, row)[3 * hidden + j] *
            std::tanh(gatesAt(cell, row)[4 * hidden + j]);
  product(transposed(
              rowsOf<T>(cellReserve(cell, layout.outputGradients), rows, out)),
          rowsOf<T>(results.data(), rows, hidden),
          memory.dWeights + weights.projection, true);
}

template <typename T> void Network<T>::backwardWeights() {
  for (int64_t cell = 0; cell < s.layers * s.directions(); ++cell)
    addWeights(cell);
}

template <typename T>
void cudnn::runForward(const RnnSettings &settings,
                       const std::vector<int> &lengths, int64_t steps,
                       const RnnMemory<T> &memory) {
  Network<T>(settings, lengths, steps, memory).forward();
}
template <typename T>
void cudnn::runBackwardData(const RnnSettings &settings,
                            const std::vector<int> &lengths, int64_t steps,
                            const RnnMemory<T> &memory) {
  Network<T>(settings, lengths, steps, memory).backwardData();
}
template <typename T>
void cudnn::runBackwardWeights(const RnnSettings &settings,
                               const std::vector<int> &lengths, int64_t steps,
                               const RnnMemory<T> &memory) {
  Network<T>(settings, lengths, steps, memory).backwardWeights();
}

#define INSTANTIATE(T)                                                         \
  template void cudnn::runForward(const RnnSettings &,                         \
                                  const std::vector<int> &, int64_t,           \
                                  const RnnMemory<T> &);                       \
  template void cudnn::runBackwardData(const RnnSettings &,                    \
                                       const std::vector<int> &, int64_t,      \
                                       const RnnMemory<T> &);                  \
  template void cudnn::runBackwardWeights(const RnnSettings &,                 \
                                          const std::vector<int> &, int64_t,   \
                                          const RnnMemory<T> &);
INSTANTIATE(float)
INSTANTIATE(double)
