//===- ConvolutionCalls.cpp - convolutions in streams ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of convolutions, the calls, and the only algorithm.
//
//===----------------------------------------------------------------------===//

#include "Activations.h"
#include "Call.h"
#include "Convolution.h"
#include "Descriptors.h"
#include "Reduction.h"

#include <chrono>

using namespace ptxjit;
using namespace ptxjit::cudnn;

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

PTXJIT_CUDNN_CREATE_DESTROY(Convolution)

static void setConvolution(cudnnConvolutionDescriptor_t handle, int rank,
                           const int *pads, const int *strides,
                           const int *dilations, cudnnConvolutionMode_t mode,
                           cudnnDataType_t compute) {
  ConvolutionSettings &settings = get(handle);
  PTXJIT_REQUIRE(pads && strides && dilations);
  PTXJIT_REQUIRE(rank >= 1 && rank <= kMaxRank - 2);
  PTXJIT_REQUIRE(mode == CUDNN_CONVOLUTION || mode == CUDNN_CROSS_CORRELATION);
  for (int i = 0; i < rank; ++i)
    PTXJIT_REQUIRE(pads[i] >= 0 && strides[i] > 0 && dilations[i] > 0);
  settings.pads.assign(pads, pads + rank);
  settings.strides.assign(strides, strides + rank);
  settings.dilations.assign(dilations, dilations + rank);
  settings.mode = mode;
  settings.compute = compute;
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetConvolution2dDescriptor(
    cudnnConvolutionDescriptor_t handle, int padH, int padW, int strideH,
    int strideW, int dilationH, int dilationW, cudnnConvolutionMode_t mode,
    cudnnDataType_t compute) {
  return run(__func__, [&] {
    int pads[] = {padH, padW}, strides[] = {strideH, strideW};
    int dilations[] = {dilationH, dilationW};
    setConvolution(handle, 2, pads, strides, dilations, mode, compute);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetConvolutionNdDescriptor(
    cudnnConvolutionDescriptor_t handle, int rank, const int *pads,
    const int *strides, const int *dilations, cudnnConvolutionMode_t mode,
    cudnnDataType_t compute) {
  return run(__func__, [&] {
    setConvolution(handle, rank, pads, strides, dilations, mode, compute);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetConvolution2dDescriptor(
    cudnnConvolutionDescriptor_t handle, int *padH, int *padW, int *strideH,
    int *strideW, int *dilationH, int *dilationW, cudnnConvolutionMode_t *mode,
    cudnnDataType_t *compute) {
  return run(__func__, [&] {
    const ConvolutionSettings &settings = get(handle);
    PTXJIT_REQUIRE(settings.pads.size() == 2);
    give(padH, settings.pads[0]);
    give(padW, settings.pads[1]);
    give(strideH, settings.strides[0]);
    give(strideW, settings.strides[1]);
    give(dilationH, settings.dilations[0]);
    give(dilationW, settings.dilations[1]);
    give(mode, settings.mode);
    give(compute, settings.compute);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetConvolutionNdDescriptor(
    cudnnConvolutionDescriptor_t handle, int requested, int *rank, int *pads,
    int *strides, int *dilations, cudnnConvolutionMode_t *mode,
    cudnnDataType_t *compute) {
  return run(__func__, [&] {
    const ConvolutionSettings &settings = get(handle);
    give(rank, settings.pads.size());
    giveAll(pads, settings.pads, requested);
    giveAll(strides, settings.strides, requested);
    giveAll(dilations, settings.dilations, requested);
    give(mode, settings.mode);
    give(compute, settings.compute);
  });
}

#define SETTING(Name, type, field, isValid)                                    \
  PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetConvolution##Name(                 \
      cudnnConvolutionDescriptor_t handle, type value) {                       \
    return run(__func__, [&] {                                                 \
      ConvolutionSettings &settings = get(handle);                             \
      PTXJIT_REQUIRE(isValid);                                                 \
      settings.field = value;                                                  \
    });                                                                        \
  }                                                                            \
  PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetConvolution##Name(                 \
      cudnnConvolutionDescriptor_t handle, type *value) {                      \
    return run(__func__, [&] { give(value, get(handle).field); });             \
  }
SETTING(MathType, cudnnMathType_t, math,
        value >= CUDNN_DEFAULT_MATH && value <= CUDNN_FMA_MATH)
SETTING(GroupCount, int, groups, value > 0)
SETTING(ReorderType, cudnnReorderType_t, reorder,
        value == CUDNN_DEFAULT_REORDER || value == CUDNN_NO_REORDER)
#undef SETTING

/// What the settings mean.
static Convolution convolutionOf(const ConvolutionSettings &settings) {
  if (settings.pads.empty())
    failBadParam("a descriptor of a convolution was not set");
  Convolution convolution;
  convolution.prePads.assign(settings.pads.begin(), settings.pads.end());
  convolution.postPads = convolution.prePads;
  convolution.strides.assign(settings.strides.begin(), settings.strides.end());
  convolution.dilations.assign(settings.dilations.begin(),
                               settings.dilations.end());
  convolution.isFlipped = settings.mode == CUDNN_CONVOLUTION;
  return convolution;
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(
    cudnnConvolutionDescriptor_t handle, cudnnTensorDescriptor_t xDesc,
    cudnnFilterDescriptor_t wDesc, int *n, int *c, int *h, int *w) {
  return run(__func__, [&] {
    auto dims = outputDims(convolutionOf(get(handle)), getTensor(xDesc),
                           getFilter(wDesc));
    PTXJIT_REQUIRE(dims.size() == 4);
    give(n, dims[0]);
    give(c, dims[1]);
    give(h, dims[2]);
    give(w, dims[3]);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetConvolutionNdForwardOutputDim(
    cudnnConvolutionDescriptor_t handle, cudnnTensorDescriptor_t xDesc,
    cudnnFilterDescriptor_t wDesc, int rank, int *out) {
  return run(__func__, [&] {
    giveAll(out,
            outputDims(convolutionOf(get(handle)), getTensor(xDesc),
                       getFilter(wDesc)),
            rank);
  });
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// A call in any direction: which tensors it has, and what it computes in.
struct ConvolutionCall {
  ConvolutionCall(cudnnConvolutionDescriptor_t descriptor, const Shape &x,
                  const Shape &w, const Shape &y)
      : convolution(convolutionOf(get(descriptor))), x(x), w(w), y(y) {
    if (checkConvolution(convolution, x, w, y) != get(descriptor).groups)
      failBadParam("the channels of the filter are not those of a group");
    for (const Shape *shape : {&this->x, &this->w, &this->y})
      isDouble |= needsDouble(shape->type);
    // Sums of bytes are exact in doubles.
    isDouble |= x.type == CUDNN_DATA_INT8 || x.type == CUDNN_DATA_UINT8;
  }

  void forward(double alpha, const void *xData, const void *wData, double beta,
               void *yData) const {
    inType(isDouble, [&](auto zero) {
      using T = decltype(zero);
      Output<T> out(y, yData, T(alpha), T(beta));
      convolve(convolution, readView<T>(x, xData), readView<T>(w, wData),
               out.view());
      out.finish();
    });
  }
  void backwardData(double alpha, const void *wData, const void *yData,
                    double beta, void *xData) const {
    inType(isDouble, [&](auto zero) {
      using T = decltype(zero);
      Output<T> out(x, xData, T(alpha), T(beta));
      convolveBackwardData(convolution, readView<T>(w, wData),
                           readView<T>(y, yData), out.view());
      out.finish();
    });
  }
  void backwardFilter(double alpha, const void *xData, const void *yData,
                      double beta, void *wData) const {
    inType(isDouble, [&](auto zero) {
      using T = decltype(zero);
      Output<T> out(w, wData, T(alpha), T(beta));
      convolveBackwardFilter(convolution, readView<T>(x, xData),
                             readView<T>(y, yData), out.view());
      out.finish();
    });
  }

  Convolution convolution;
  Shape x, w, y;
  bool isDouble = false;
};
} // namespace

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnConvolutionForward(
    cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t xDesc,
    const void *x, cudnnFilterDescriptor_t wDesc, const void *w,
    cudnnConvolutionDescriptor_t descriptor, cudnnConvolutionFwdAlgo_t, void *,
    size_t, const void *beta, cudnnTensorDescriptor_t yDesc, void *y) {
  return run(__func__, [&] {
    ConvolutionCall call(descriptor, getTensor(xDesc), getFilter(wDesc),
                         getTensor(yDesc));
    PTXJIT_REQUIRE(x && w && y);
    double factor = readFactor(alpha, call.y.type);
    double old = readFactor(beta, call.y.type);
    enqueue(handle, [=] { call.forward(factor, x, w, old, y); });
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnConvolutionBackwardData(
    cudnnHandle_t handle, const void *alpha, cudnnFilterDescriptor_t wDesc,
    const void *w, cudnnTensorDescriptor_t dyDesc, const void *dy,
    cudnnConvolutionDescriptor_t descriptor, cudnnConvolutionBwdDataAlgo_t,
    void *, size_t, const void *beta, cudnnTensorDescriptor_t dxDesc,
    void *dx) {
  return run(__func__, [&] {
    ConvolutionCall call(descriptor, getTensor(dxDesc), getFilter(wDesc),
                         getTensor(dyDesc));
    PTXJIT_REQUIRE(w && dy && dx);
    double factor = readFactor(alpha, call.x.type);
    double old = readFactor(beta, call.x.type);
    enqueue(handle, [=] { call.backwardData(factor, w, dy, old, dx); });
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnConvolutionBackwardFilter(
    cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t xDesc,
    const void *x, cudnnTensorDescriptor_t dyDesc, const void *dy,
    cudnnConvolutionDescriptor_t descriptor, cudnnConvolutionBwdFilterAlgo_t,
    void *, size_t, const void *beta, cudnnFilterDescriptor_t dwDesc,
    void *dw) {
  return run(__func__, [&] {
    ConvolutionCall call(descriptor, getTensor(xDesc), getFilter(dwDesc),
                         getTensor(dyDesc));
    PTXJIT_REQUIRE(x && dy && dw);
    double factor = readFactor(alpha, call.w.type);
    double old = readFactor(beta, call.w.type);
    enqueue(handle, [=] { call.backwardFilter(factor, x, dy, old, dw); });
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void *alpha1, cudnnTensorDescriptor_t xDesc,
    const void *x, cudnnFilterDescriptor_t wDesc, const void *w,
    cudnnConvolutionDescriptor_t descriptor, cudnnConvolutionFwdAlgo_t, void *,
    size_t, const void *alpha2, cudnnTensorDescriptor_t zDesc, const void *z,
    cudnnTensorDescriptor_t biasDesc, const void *bias,
    cudnnActivationDescriptor_t activationDesc, cudnnTensorDescriptor_t yDesc,
    void *y) {
  return run(__func__, [&] {
    ConvolutionCall call(descriptor, getTensor(xDesc), getFilter(wDesc),
                         getTensor(yDesc));
    double factor = readFactor(alpha1, call.y.type);
    double zFactor = readFactor(alpha2, call.y.type);
    Shape zShape = zFactor != 0 ? getTensor(zDesc) : Tensor();
    Shape biasShape = getTensor(biasDesc);
    Activation activation = get(activationDesc);
    PTXJIT_REQUIRE(x && w && y && bias && (z || zFactor == 0));
    broadcastStrides(biasShape, call.y.dims);
    enqueue(handle, [=] {
      inType(call.isDouble, [&](auto zero) {
        using T = decltype(zero);
        View<T> sum = makeView<T>(call.y);
        convolve(call.convolution, readView<T>(call.x, x),
                 readView<T>(call.w, w), sum);
        if (factor != 1)
          scale(sum, T(factor));
        if (zFactor != 0)
          addTo(sum, readView<T>(zShape, z), T(zFactor));
        addTo(sum, readView<T>(biasShape, bias), T(1));
        activate(activation, sum, sum);
        writeView<T>(sum, call.y, y);
      });
    });
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnConvolutionBackwardBias(
    cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t dyDesc,
    const void *dy, const void *beta, cudnnTensorDescriptor_t dbDesc,
    void *db) {
  return run(__func__, [&] {
    Shape from = getTensor(dyDesc), to = getTensor(dbDesc);
    PTXJIT_REQUIRE(dy && db);
    broadcastStrides(to, from.dims);
    double factor = readFactor(alpha, to.type);
    double old = readFactor(beta, to.type);
    enqueue(handle, [=] {
      inType(needsDouble(from.type), [&](auto zero) {
        using T = decltype(zero);
        Output<T> out(to, db, T(factor), T(old));
        reduce(cudnnReduceTensorOp_t(CUDNN_REDUCE_TENSOR_ADD),
               readView<T>(from, dy), out.view());
        out.finish();
      });
    });
  });
}

//===----------------------------------------------------------------------===//
// Algorithms
//===----------------------------------------------------------------------===//

// There is one for each direction, and it needs no workspace.

template <typename Perf>
static void describeAlgorithm(int requested, int *count, Perf *found,
                              float milliseconds) {
  PTXJIT_REQUIRE(count && found && requested > 0);
  *count = 1;
  *found = {};
  found->algo = decltype(found->algo)(1);
  found->time = milliseconds;
  found->determinism = CUDNN_DETERMINISTIC;
  found->mathType = CUDNN_DEFAULT_MATH;
}

template <typename F> static float measure(F function) {
  auto begin = std::chrono::steady_clock::now();
  function();
  std::chrono::duration<float, std::milli> time =
      std::chrono::steady_clock::now() - begin;
  return time.count();
}

/// Memory for a tensor, as much as it needs.
static std::vector<char> zeros(const Shape &shape) {
  return std::vector<char>(bytesOf(shape));
}

static float measureForward(const ConvolutionCall &call, const void *x,
                            const void *w, void *y) {
  return measure([&] { call.forward(1, x, w, 0, y); });
}
static float measureBackwardData(const ConvolutionCall &call, const void *w,
                                 const void *dy, void *dx) {
  return measure([&] { call.backwardData(1, w, dy, 0, dx); });
}
static float measureBackwardFilter(const ConvolutionCall &call, const void *x,
                                   const void *dy, void *dw) {
  return measure([&] { call.backwardFilter(1, x, dy, 0, dw); });
}

static const Shape &shapeOf(cudnnTensorDescriptor_t handle) {
  return getTensor(handle);
}
static const Shape &shapeOf(cudnnFilterDescriptor_t handle) {
  return getFilter(handle);
}

/// The call for operands and a result of a direction.
static ConvolutionCall callForward(cudnnConvolutionDescriptor_t descriptor,
                                   const Shape &x, const Shape &w,
                                   const Shape &y) {
  return {descriptor, x, w, y};
}
static ConvolutionCall callBackwardData(cudnnConvolutionDescriptor_t descriptor,
                                        const Shape &w, const Shape &dy,
                                        const Shape &dx) {
  return {descriptor, dx, w, dy};
}
static ConvolutionCall
callBackwardFilter(cudnnConvolutionDescriptor_t descriptor, const Shape &x,
                   const Shape &dy, const Shape &dw) {
  return {descriptor, x, dw, dy};
}

#define ALGORITHMS(Name, Kind, First, Second, Result)                          \
  PTXJIT_CUDNN_EXPORT cudnnStatus_t                                            \
  cudnnGetConvolution##Name##AlgorithmMaxCount(cudnnHandle_t handle,           \
                                               int *count) {                   \
    return run(__func__, [&] {                                                 \
      checkHandle(handle);                                                     \
      PTXJIT_REQUIRE(count != nullptr);                                        \
      *count = 1;                                                              \
    });                                                                        \
  }                                                                            \
  PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetConvolution##Name##Algorithm_v7(   \
      cudnnHandle_t handle, First first, Second second,                        \
      cudnnConvolutionDescriptor_t descriptor, Result result, int requested,   \
      int *count, cudnnConvolution##Kind##AlgoPerf_t *found) {                 \
    return run(__func__, [&] {                                                 \
      checkHandle(handle);                                                     \
      call##Name(descriptor, shapeOf(first), shapeOf(second),                  \
                 shapeOf(result));                                             \
      describeAlgorithm(requested, count, found, -1);                          \
    });                                                                        \
  }                                                                            \
  PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnFindConvolution##Name##Algorithm(     \
      cudnnHandle_t handle, First first, Second second,                        \
      cudnnConvolutionDescriptor_t descriptor, Result result, int requested,   \
      int *count, cudnnConvolution##Kind##AlgoPerf_t *found) {                 \
    return run(__func__, [&] {                                                 \
      checkHandle(handle);                                                     \
      ConvolutionCall call = call##Name(descriptor, shapeOf(first),            \
                                        shapeOf(second), shapeOf(result));     \
      std::vector<char> a = zeros(shapeOf(first)), b = zeros(shapeOf(second)); \
      std::vector<char> c = zeros(shapeOf(result));                            \
      describeAlgorithm(requested, count, found,                               \
                        measure##Name(call, a.data(), b.data(), c.data()));    \
    });                                                                        \
  }                                                                            \
  PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnFindConvolution##Name##AlgorithmEx(   \
      cudnnHandle_t handle, First first, const void *a, Second second,         \
      const void *b, cudnnConvolutionDescriptor_t descriptor, Result result,   \
      void *c, int requested, int *count,                                      \
      cudnnConvolution##Kind##AlgoPerf_t *found, void *, size_t) {             \
    return run(__func__, [&] {                                                 \
      checkHandle(handle);                                                     \
      PTXJIT_REQUIRE(a && b && c);                                             \
      ConvolutionCall call = call##Name(descriptor, shapeOf(first),            \
                                        shapeOf(second), shapeOf(result));     \
      describeAlgorithm(requested, count, found,                               \
                        measure##Name(call, a, b, c));                         \
    });                                                                        \
  }                                                                            \
  PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetConvolution##Name##WorkspaceSize(  \
      cudnnHandle_t handle, First first, Second second,                        \
      cudnnConvolutionDescriptor_t descriptor, Result result,                  \
      cudnnConvolution##Kind##Algo_t, size_t *bytes) {                         \
    return run(__func__, [&] {                                                 \
      checkHandle(handle);                                                     \
      PTXJIT_REQUIRE(bytes != nullptr);                                        \
      call##Name(descriptor, shapeOf(first), shapeOf(second),                  \
                 shapeOf(result));                                             \
      *bytes = 0;                                                              \
    });                                                                        \
  }
PTXJIT_CUDNN_DIRECTIONS(ALGORITHMS)
