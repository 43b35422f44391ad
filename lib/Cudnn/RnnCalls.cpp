//===- RnnCalls.cpp - recurrent layers in streams -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors, where weights are, and the calls, which bring sequences into the
// order of steps and back.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Rnn.h"

using namespace ptxjit;
using namespace ptxjit::cudnn;

PTXJIT_CUDNN_CREATE_DESTROY(RNN)
PTXJIT_CUDNN_CREATE_DESTROY(RNNData)

static const RnnSettings &getRnn(cudnnRNNDescriptor_t handle) {
  const RnnSettings &settings = get(handle);
  if (settings.layers == 0)
    failBadParam("a descriptor of recurrent layers was not set");
  return settings;
}
static const Sequences &getSequences(cudnnRNNDataDescriptor_t handle) {
  const Sequences &sequences = get(handle);
  if (sequences.batch == 0)
    failBadParam("a descriptor of sequences was not set");
  return sequences;
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetRNNDescriptor_v8(
    cudnnRNNDescriptor_t handle, cudnnRNNAlgo_t algo, cudnnRNNMode_t cell,
    cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
    cudnnRNNInputMode_t input, cudnnDataType_t type, cudnnDataType_t compute,
    cudnnMathType_t math, int32_t inputSize, int32_t hiddenSize,
    int32_t projectedSize, int32_t layers, cudnnDropoutDescriptor_t dropout,
    uint32_t flags) {
  return run(__func__, [&] {
    RnnSettings &settings = get(handle);
    PTXJIT_REQUIRE(cell >= CUDNN_RNN_RELU && cell <= CUDNN_GRU);
    PTXJIT_REQUIRE(bias >= CUDNN_RNN_NO_BIAS &&
                   bias <= CUDNN_RNN_SINGLE_REC_BIAS);
    PTXJIT_REQUIRE(direction == CUDNN_UNIDIRECTIONAL ||
                   direction == CUDNN_BIDIRECTIONAL);
    PTXJIT_REQUIRE(inputSize > 0 && hiddenSize > 0 && layers > 0);
    PTXJIT_REQUIRE(projectedSize == hiddenSize ||
                   (cell == CUDNN_LSTM && projectedSize > 0 &&
                    projectedSize < hiddenSize));
    PTXJIT_REQUIRE(input == CUDNN_LINEAR_INPUT || inputSize == hiddenSize);
    if (type != CUDNN_DATA_FLOAT && type != CUDNN_DATA_DOUBLE &&
        type != CUDNN_DATA_HALF && type != CUDNN_DATA_BFLOAT16)
      failUnsupported("recurrent layers of type " + std::to_string(int(type)));
    settings = {algo,
                cell,
                bias,
                direction,
                input,
                type,
                compute,
                math,
                inputSize,
                hiddenSize,
                projectedSize,
                layers,
                dropout,
                {},
                flags,
                settings.clip,
                settings.clipLow,
                settings.clipHigh};
    if (dropout)
      settings.dropout = get(dropout);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetRNNDescriptor_v8(
    cudnnRNNDescriptor_t handle, cudnnRNNAlgo_t *algo, cudnnRNNMode_t *cell,
    cudnnRNNBiasMode_t *bias, cudnnDirectionMode_t *direction,
    cudnnRNNInputMode_t *input, cudnnDataType_t *type, cudnnDataType_t *compute,
    cudnnMathType_t *math, int32_t *inputSize, int32_t *hiddenSize,
    int32_t *projectedSize, int32_t *layers, cudnnDropoutDescriptor_t *dropout,
    uint32_t *flags) {
  return run(__func__, [&] {
    const RnnSettings &settings = getRnn(handle);
    give(algo, settings.algo);
    give(cell, settings.cell);
    give(bias, settings.bias);
    give(direction, settings.direction);
    give(input, settings.input);
    give(type, settings.type);
    give(compute, settings.compute);
    give(math, settings.math);
    give(inputSize, settings.inputSize);
    give(hiddenSize, settings.hiddenSize);
    give(projectedSize, settings.projectedSize);
    give(layers, settings.layers);
    give(dropout, settings.dropoutHandle);
    give(flags, settings.flags);
  });
}

static void setClip(cudnnRNNDescriptor_t handle, cudnnRNNClipMode_t mode,
                    double low, double high) {
  PTXJIT_REQUIRE(mode == CUDNN_RNN_CLIP_NONE ||
                 (mode == CUDNN_RNN_CLIP_MINMAX && low <= high));
  RnnSettings &settings = get(handle);
  settings.clip = mode;
  settings.clipLow = low;
  settings.clipHigh = high;
}
static void giveClip(cudnnRNNDescriptor_t handle, cudnnRNNClipMode_t *mode,
                     double *low, double *high) {
  const RnnSettings &settings = get(handle);
  give(mode, settings.clip);
  give(low, settings.clipLow);
  give(high, settings.clipHigh);
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnRNNSetClip_v8(cudnnRNNDescriptor_t handle, cudnnRNNClipMode_t mode,
                   cudnnNanPropagation_t, double low, double high) {
  return run(__func__, [&] { setClip(handle, mode, low, high); });
}
PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnRNNSetClip_v9(cudnnRNNDescriptor_t handle, cudnnRNNClipMode_t mode,
                   double low, double high) {
  return run(__func__, [&] { setClip(handle, mode, low, high); });
}
PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnRNNGetClip_v8(cudnnRNNDescriptor_t handle, cudnnRNNClipMode_t *mode,
                   cudnnNanPropagation_t *nan, double *low, double *high) {
  return run(__func__, [&] {
    giveClip(handle, mode, low, high);
    give(nan, CUDNN_NOT_PROPAGATE_NAN);
  });
}
PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnRNNGetClip_v9(cudnnRNNDescriptor_t handle, cudnnRNNClipMode_t *mode,
                   double *low, double *high) {
  return run(__func__, [&] { giveClip(handle, mode, low, high); });
}

// Nothing is built before a run.
PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnBuildRNNDynamic(
    cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int batch) {
  return run(__func__, [&] {
    checkHandle(handle);
    getRnn(descriptor);
    PTXJIT_REQUIRE(batch > 0);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t handle, cudnnDataType_t type,
                          cudnnRNNDataLayout_t layout, int maxLength, int batch,
                          int size, const int *lengths, void *padding) {
  return run(__func__, [&] {
    Sequences &sequences = get(handle);
    PTXJIT_REQUIRE(maxLength > 0 && batch > 0 && size > 0 && lengths);
    PTXJIT_REQUIRE(layout >= CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED &&
                   layout <= CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED);
    for (int i = 0; i < batch; ++i) {
      PTXJIT_REQUIRE(lengths[i] >= 0 && lengths[i] <= maxLength);
      if (layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED && i > 0)
        PTXJIT_REQUIRE(lengths[i] <= lengths[i - 1]);
    }
    double value = 0;
    if (padding) {
      Shape element;
      element.dims = element.strides = {1};
      element.type = type;
      value = readView<double>(element, padding).data[0];
    }
    sequences = {type,
                 layout,
                 maxLength,
                 batch,
                 size,
                 {lengths, lengths + batch},
                 padding != nullptr,
                 value};
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetRNNDataDescriptor(
    cudnnRNNDataDescriptor_t handle, cudnnDataType_t *type,
    cudnnRNNDataLayout_t *layout, int *maxLength, int *batch, int *size,
    int requested, int *lengths, void *padding) {
  return run(__func__, [&] {
    const Sequences &sequences = getSequences(handle);
    give(type, sequences.type);
    give(layout, sequences.layout);
    give(maxLength, sequences.maxLength);
    give(batch, sequences.batch);
    give(size, sequences.size);
    giveAll(lengths, sequences.lengths, requested);
    if (padding && sequences.hasPadding) {
      Shape element;
      element.dims = element.strides = {1};
      element.type = sequences.type;
      View<double> value = makeView<double>(element);
      value.data[0] = sequences.padding;
      writeView<double>(value, element, padding);
    }
  });
}

//===----------------------------------------------------------------------===//
// Sizes, and where weights are
//===----------------------------------------------------------------------===//

static size_t sizeInside(const RnnSettings &settings) {
  return settings.isDouble() ? sizeof(double) : sizeof(float);
}

static size_t reserveBytesOf(const RnnSettings &settings,
                             const Sequences &sequences) {
  return size_t(countReserve(settings, sequences.maxLength, sequences.batch)) *
         sizeInside(settings);
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetRNNTempSpaceSizes(
    cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor,
    cudnnForwardMode_t mode, cudnnRNNDataDescriptor_t xDesc,
    size_t *workspaceBytes, size_t *reserveBytes) {
  return run(__func__, [&] {
    checkHandle(handle);
    const RnnSettings &settings = getRnn(descriptor);
    give(workspaceBytes, 0);
    give(reserveBytes, mode == CUDNN_FWD_MODE_TRAINING
                           ? reserveBytesOf(settings, getSequences(xDesc))
                           : 0);
  });
}

static size_t weightBytesOf(const RnnSettings &settings) {
  return size_t(countWeights(settings)) * sizeOf(settings.type);
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetRNNWeightSpaceSize(
    cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, size_t *bytes) {
  return run(__func__, [&] {
    checkHandle(handle);
    PTXJIT_REQUIRE(bytes != nullptr);
    *bytes = weightBytesOf(getRnn(descriptor));
  });
}

static void describeMatrix(cudnnTensorDescriptor_t handle, cudnnDataType_t type,
                           int64_t rows, int64_t columns) {
  if (!handle)
    return;
  Tensor &tensor = get(handle);
  tensor.type = type;
  tensor.dims = {1, rows, columns};
  tensor.strides = rowStrides(tensor.dims);
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetRNNWeightParams(
    cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int32_t cell,
    size_t weightBytes, const void *weights, int32_t id,
    cudnnTensorDescriptor_t matrixDesc, void **matrix,
    cudnnTensorDescriptor_t biasDesc, void **bias) {
  return run(__func__, [&] {
    checkHandle(handle);
    const RnnSettings &s = getRnn(descriptor);
    PTXJIT_REQUIRE(cell >= 0 && cell < s.layers * s.directions());
    PTXJIT_REQUIRE(weightBytes >= weightBytesOf(s));
    bool isProjection = s.isProjected() && id == 2 * s.gates();
    PTXJIT_REQUIRE(id >= 0 && (id < 2 * s.gates() || isProjection));
    PTXJIT_REQUIRE(matrix && bias);
    CellWeights places = weightsOf(s, cell);
    bool isInput = id < s.gates();
    int64_t gate = id % s.gates(), layer = cell / s.directions();
    int64_t rows = isProjection ? s.projectedSize : s.hiddenSize;
    int64_t columns = isProjection ? s.hiddenSize
                      : isInput    ? s.inputOf(layer)
                                   : s.projectedSize;
    int64_t first = isProjection ? places.projection
                    : isInput    ? places.input
                                 : places.state;
    int64_t firstBias = isProjection ? -1
                        : isInput    ? places.inputBias
                                     : places.stateBias;
    auto *bytes = static_cast<char *>(const_cast<void *>(weights));
    auto place = [&](int64_t at, int64_t size) -> void * {
      int64_t skipped = isProjection ? 0 : gate * size;
      return at < 0 ? nullptr
                    : bytes + (at + skipped) * int64_t(sizeOf(s.type));
    };
    *matrix = place(first, rows * columns);
    *bias = place(firstBias, rows);
    if (*matrix)
      describeMatrix(matrixDesc, s.type, rows, columns);
    if (*bias)
      describeMatrix(biasDesc, s.type, rows, 1);
  });
}

//===----------------------------------------------------------------------===//
// Sequences in the order of steps
//===----------------------------------------------------------------------===//

/// Calls f(step, sequence, place of its first element).
template <typename F>
static void forEachVector(const Sequences &sequences, bool withPadding, F f) {
  int64_t place = 0;
  bool isPacked = sequences.layout == CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED;
  bool isByBatch =
      sequences.layout == CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED;
  for (int64_t step = 0; step < sequences.maxLength; ++step)
    for (int64_t b = 0; b < sequences.batch; ++b) {
      bool isInside = step < sequences.lengths[size_t(b)];
      int64_t index = isPacked    ? place
                      : isByBatch ? b * sequences.maxLength + step
                                  : step * sequences.batch + b;
      if (isInside || (withPadding && !isPacked))
        f(step, b, index * sequences.size, isInside);
      place += isInside;
    }
}

static Shape vectorShape(cudnnDataType_t type, int64_t count) {
  Shape shape;
  shape.type = type;
  shape.dims = {count};
  shape.strides = {1};
  return shape;
}

template <typename T>
static std::vector<T> readSequences(const Sequences &sequences,
                                    const void *from) {
  int64_t size = sequences.size;
  std::vector<T> out(size_t(sequences.maxLength * sequences.batch * size));
  auto *bytes = static_cast<const char *>(from);
  Shape shape = vectorShape(sequences.type, size);
  forEachVector(
      sequences, false, [&](int64_t step, int64_t b, int64_t place, bool) {
        View<T> vector =
            readView<T>(shape, bytes + place * int64_t(sizeOf(sequences.type)));
        std::copy_n(vector.data, size,
                    &out[size_t((step * sequences.batch + b) * size)]);
      });
  return out;
}

template <typename T>
static void writeSequences(const Sequences &sequences,
                           const std::vector<T> &values, void *to) {
  int64_t size = sequences.size;
  auto *bytes = static_cast<char *>(to);
  Shape shape = vectorShape(sequences.type, size);
  View<T> vector = makeView<T>(shape);
  forEachVector(sequences, sequences.hasPadding,
                [&](int64_t step, int64_t b, int64_t place, bool isInside) {
                  if (isInside)
                    std::copy_n(
                        &values[size_t((step * sequences.batch + b) * size)],
                        size, vector.data);
                  else
                    std::fill_n(vector.data, size, T(sequences.padding));
                  writeView<T>(vector, shape,
                               bytes + place * int64_t(sizeOf(sequences.type)));
                });
}

/// A tensor as an array of rows; empty if there is none.
template <typename T>
static std::vector<T> readRows(const Shape &shape, const void *from) {
  if (!from)
    return {};
  std::vector<T> out(size_t(countOf(shape.dims)));
  copyView<T>(readView<T>(shape, from),
              {{shape.dims, rowStrides(shape.dims)}, out.data(), nullptr});
  return out;
}

template <typename T>
static void writeRows(std::vector<T> &values, const Shape &shape, void *to) {
  if (to)
    writeView<T>({{shape.dims, rowStrides(shape.dims)}, values.data(), nullptr},
                 shape, to);
}

template <typename T> static T *dataOf(std::vector<T> &values) {
  return values.empty() ? nullptr : values.data();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// What all calls have in common. Elements are (cell, sequence, element).
struct RnnCall {
  RnnCall(cudnnRNNDescriptor_t descriptor, cudnnRNNDataDescriptor_t xDesc,
          cudnnRNNDataDescriptor_t yDesc, cudnnTensorDescriptor_t hDesc,
          cudnnTensorDescriptor_t cDesc, size_t weightBytes)
      : settings(getRnn(descriptor)), x(getSequences(xDesc)),
        y(getSequences(yDesc)) {
    if (settings.dropoutHandle) // its states may have been set since
      settings.dropout = get(settings.dropoutHandle);
    PTXJIT_REQUIRE(x.size == settings.inputSize);
    PTXJIT_REQUIRE(y.size == settings.directions() * settings.projectedSize);
    PTXJIT_REQUIRE(x.lengths == y.lengths && x.maxLength == y.maxLength);
    PTXJIT_REQUIRE(weightBytes >= weightBytesOf(settings));
    int64_t cells = settings.layers * settings.directions();
    h = stateShape(hDesc, cells, settings.projectedSize);
    c = stateShape(cDesc, cells, settings.hiddenSize);
  }

  RnnSettings settings;
  Sequences x, y;
  Shape h, c;

private:
  /// That of the descriptor, if the program has one.
  Shape stateShape(cudnnTensorDescriptor_t handle, int64_t cells,
                   int64_t size) const {
    Shape shape;
    shape.type = settings.type;
    shape.dims = {cells, x.batch, size};
    shape.strides = rowStrides(shape.dims);
    if (!handle)
      return shape;
    const Tensor &given = getTensor(handle);
    if (given.dims != shape.dims)
      failBadParam("expected states of layers and directions, sequences, and "
                   "elements");
    return given;
  }
};
} // namespace

template <typename T>
static std::vector<T> readWeights(const RnnSettings &settings,
                                  const void *weights) {
  return readRows<T>(vectorShape(settings.type, countWeights(settings)),
                     weights);
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnRNNForward(
    cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor,
    cudnnForwardMode_t mode, const int32_t *, cudnnRNNDataDescriptor_t xDesc,
    const void *x, cudnnRNNDataDescriptor_t yDesc, void *y,
    cudnnTensorDescriptor_t hDesc, const void *hx, void *hy,
    cudnnTensorDescriptor_t cDesc, const void *cx, void *cy, size_t weightBytes,
    const void *weights, size_t, void *, size_t reserveBytes, void *reserve) {
  return run(__func__, [&] {
    RnnCall call(descriptor, xDesc, yDesc, hDesc, cDesc, weightBytes);
    PTXJIT_REQUIRE(x && y && weights);
    bool isTraining = mode == CUDNN_FWD_MODE_TRAINING;
    PTXJIT_REQUIRE(
        !isTraining ||
        (reserve && reserveBytes >= reserveBytesOf(call.settings, call.x)));
    enqueue(handle, [=] {
      inType(call.settings.isDouble(), [&](auto zero) {
        using T = decltype(zero);
        auto w = readWeights<T>(call.settings, weights);
        auto in = readSequences<T>(call.x, x);
        auto h = readRows<T>(call.h, hx), c = readRows<T>(call.c, cx);
        std::vector<T> out(
            size_t(call.y.maxLength * call.y.batch * call.y.size));
        std::vector<T> hOut(size_t(countOf(call.h.dims)));
        std::vector<T> cOut(size_t(countOf(call.c.dims)));
        RnnMemory<T> memory;
        memory.weights = w.data();
        memory.reserve = isTraining ? static_cast<T *>(reserve) : nullptr;
        memory.x = in.data();
        memory.hx = dataOf(h);
        memory.cx = dataOf(c);
        memory.y = out.data();
        memory.hy = hOut.data();
        memory.cy = cOut.data();
        runForward(call.settings, call.x.lengths, call.x.maxLength, memory);
        writeSequences(call.y, out, y);
        writeRows(hOut, call.h, hy);
        if (call.settings.cell == CUDNN_LSTM)
          writeRows(cOut, call.c, cy);
      });
    });
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnRNNBackwardData_v8(
    cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, const int32_t *,
    cudnnRNNDataDescriptor_t yDesc, const void *, const void *dy,
    cudnnRNNDataDescriptor_t xDesc, void *dx, cudnnTensorDescriptor_t hDesc,
    const void *hx, const void *dhy, void *dhx, cudnnTensorDescriptor_t cDesc,
    const void *cx, const void *dcy, void *dcx, size_t weightBytes,
    const void *weights, size_t, void *, size_t reserveBytes, void *reserve) {
  return run(__func__, [&] {
    RnnCall call(descriptor, xDesc, yDesc, hDesc, cDesc, weightBytes);
    PTXJIT_REQUIRE(dy && dx && weights && reserve);
    PTXJIT_REQUIRE(reserveBytes >= reserveBytesOf(call.settings, call.x));
    enqueue(handle, [=] {
      inType(call.settings.isDouble(), [&](auto zero) {
        using T = decltype(zero);
        auto w = readWeights<T>(call.settings, weights);
        auto dOut = readSequences<T>(call.y, dy);
        auto h = readRows<T>(call.h, hx), c = readRows<T>(call.c, cx);
        auto dh = readRows<T>(call.h, dhy), dc = readRows<T>(call.c, dcy);
        std::vector<T> dIn(
            size_t(call.x.maxLength * call.x.batch * call.x.size));
        std::vector<T> dhIn(size_t(countOf(call.h.dims)));
        std::vector<T> dcIn(size_t(countOf(call.c.dims)));
        RnnMemory<T> memory;
        memory.weights = w.data();
        memory.reserve = static_cast<T *>(reserve);
        memory.hx = dataOf(h);
        memory.cx = dataOf(c);
        memory.dy = dOut.data();
        memory.dhy = dataOf(dh);
        memory.dcy = dataOf(dc);
        memory.dx = dIn.data();
        memory.dhx = dhIn.data();
        memory.dcx = dcIn.data();
        runBackwardData(call.settings, call.x.lengths, call.x.maxLength,
                        memory);
        writeSequences(call.x, dIn, dx);
        writeRows(dhIn, call.h, dhx);
        if (call.settings.cell == CUDNN_LSTM)
          writeRows(dcIn, call.c, dcx);
      });
    });
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnRNNBackwardWeights_v8(
    cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor,
    cudnnWgradMode_t mode, const int32_t *, cudnnRNNDataDescriptor_t xDesc,
    const void *, cudnnTensorDescriptor_t hDesc, const void *hx,
    cudnnRNNDataDescriptor_t yDesc, const void *, size_t weightBytes,
    void *dWeights, size_t, void *, size_t reserveBytes, void *reserve) {
  return run(__func__, [&] {
    RnnCall call(descriptor, xDesc, yDesc, hDesc, nullptr, weightBytes);
    PTXJIT_REQUIRE(dWeights && reserve);
    PTXJIT_REQUIRE(reserveBytes >= reserveBytesOf(call.settings, call.x));
    bool adds = mode == CUDNN_WGRAD_MODE_ADD;
    enqueue(handle, [=] {
      inType(call.settings.isDouble(), [&](auto zero) {
        using T = decltype(zero);
        auto h = readRows<T>(call.h, hx);
        Shape shape =
            vectorShape(call.settings.type, countWeights(call.settings));
        std::vector<T> gradient(size_t(shape.dims[0]), T(0));
        if (adds)
          gradient = readRows<T>(shape, dWeights);
        RnnMemory<T> memory;
        memory.reserve = static_cast<T *>(reserve);
        memory.hx = dataOf(h);
        memory.dWeights = gradient.data();
        runBackwardWeights(call.settings, call.x.lengths, call.x.maxLength,
                           memory);
        writeRows(gradient, shape, dWeights);
      });
    });
  });
}
