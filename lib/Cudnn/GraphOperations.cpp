//===- GraphOperations.cpp - operations of graphs -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions, products of matrices, reductions, other shapes. Those on single
// elements are in Pointwise.cpp.
//
//===----------------------------------------------------------------------===//

#include "Convolution.h"
#include "Graph.h"
#include "Matmul.h"
#include "Reduction.h"

using namespace ptxjit;
using namespace ptxjit::cudnn;

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
/// Where the descriptor of an operation has its parts.
struct ConvolutionNames {
  cudnnBackendAttributeName_t settings, x, w, y, alpha, beta;
};
} // namespace

#define NAMES(prefix, x, w, y)                                                 \
  {CUDNN_ATTR_OPERATION_CONVOLUTION_##prefix##_CONV_DESC,                      \
   CUDNN_ATTR_OPERATION_CONVOLUTION_##prefix##_##x,                            \
   CUDNN_ATTR_OPERATION_CONVOLUTION_##prefix##_##w,                            \
   CUDNN_ATTR_OPERATION_CONVOLUTION_##prefix##_##y,                            \
   CUDNN_ATTR_OPERATION_CONVOLUTION_##prefix##_ALPHA,                          \
   CUDNN_ATTR_OPERATION_CONVOLUTION_##prefix##_BETA}
static constexpr ConvolutionNames kForward = NAMES(FORWARD, X, W, Y);
static constexpr ConvolutionNames kBackwardData = NAMES(BWD_DATA, DX, W, DY);
static constexpr ConvolutionNames kBackwardFilter =
    NAMES(BWD_FILTER, X, DW, DY);
#undef NAMES

static Convolution readConvolution(const BackendNode &node) {
  PTXJIT_REQUIRE(node.type == CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  Convolution convolution;
  convolution.prePads = node.list<int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
  convolution.postPads =
      node.list<int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
  convolution.strides =
      node.list<int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
  convolution.dilations = node.list<int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS);
  // cudnnConvolutionMode_t
  convolution.isFlipped =
      node.value<int>(CUDNN_ATTR_CONVOLUTION_CONV_MODE, 1) == 0;
  size_t rank = convolution.strides.size();
  PTXJIT_REQUIRE(convolution.prePads.size() == rank &&
                 convolution.postPads.size() == rank &&
                 convolution.dilations.size() == rank);
  return convolution;
}

/// Adds a step that computes `result` by compute(values, view), and blends it
/// with what is there.
template <typename F>
static void addBlended(GraphBuilder &builder, int64_t result, double alpha,
                       double beta, F compute) {
  builder.add(makeStep([=](auto &values) {
    auto view = values.make(result);
    using T = std::remove_reference_t<decltype(*view.data)>;
    compute(values, view);
    if (alpha != 1)
      scale(view, T(alpha));
    if (beta != 0)
      addTo(view, values.readOld(result), T(beta));
    values.finish(result);
  }));
}

void cudnn::addConvolution(GraphBuilder &builder,
                           const BackendNode &operation) {
  bool isForward =
      operation.type == CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR;
  bool isData = operation.type ==
                CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR;
  const ConvolutionNames &names = isForward ? kForward
                                  : isData  ? kBackwardData
                                            : kBackwardFilter;
  Convolution convolution = readConvolution(operation.need(names.settings));
  auto tensor = [&](cudnnBackendAttributeName_t name, bool isResult) {
    return isResult ? builder.result(operation, name)
                    : builder.operand(operation, name);
  };
  GraphTensor x = tensor(names.x, isData);
  GraphTensor w = tensor(names.w, !isForward && !isData);
  GraphTensor y = tensor(names.y, isForward);
  checkConvolution(convolution, x, w, y);
  if (sizeOf(x.type) == 1 && x.type != CUDNN_DATA_FP8_E4M3 &&
      x.type != CUDNN_DATA_FP8_E5M2)
    builder.wantDoubles();
  double alpha = operation.number(names.alpha, 1);
  double beta = operation.number(names.beta, 0);
  if (isForward)
    addBlended(builder, y.uid, alpha, beta, [=](auto &values, auto &view) {
      convolve(convolution, values.read(x.uid), values.read(w.uid), view);
    });
  else if (isData)
    addBlended(builder, x.uid, alpha, beta, [=](auto &values, auto &view) {
      convolveBackwardData(convolution, values.read(w.uid), values.read(y.uid),
                           view);
    });
  else
    addBlended(builder, w.uid, alpha, beta, [=](auto &values, auto &view) {
      convolveBackwardFilter(convolution, values.read(x.uid),
                             values.read(y.uid), view);
    });
}

//===----------------------------------------------------------------------===//
// Others
//===----------------------------------------------------------------------===//

void cudnn::addMatmul(GraphBuilder &builder, const BackendNode &operation) {
  GraphTensor a = builder.operand(operation, CUDNN_ATTR_OPERATION_MATMUL_ADESC);
  GraphTensor b = builder.operand(operation, CUDNN_ATTR_OPERATION_MATMUL_BDESC);
  GraphTensor c = builder.result(operation, CUDNN_ATTR_OPERATION_MATMUL_CDESC);
  for (auto name : {CUDNN_ATTR_OPERATION_MATMUL_GEMM_M_OVERRIDE_DESC,
                    CUDNN_ATTR_OPERATION_MATMUL_GEMM_N_OVERRIDE_DESC,
                    CUDNN_ATTR_OPERATION_MATMUL_GEMM_K_OVERRIDE_DESC})
    if (operation.has(name))
      throw Failure{CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN,
                    "products whose extents are in memory of the device"};
  checkMatmul(a, b, c);
  if (a.type == CUDNN_DATA_INT8 || a.type == CUDNN_DATA_UINT8)
    builder.wantDoubles();
  builder.add(makeStep([=](auto &values) {
    multiply(values.read(a.uid), values.read(b.uid), values.make(c.uid));
    values.finish(c.uid);
  }));
}

void cudnn::addReduction(GraphBuilder &builder, const BackendNode &operation) {
  GraphTensor x =
      builder.operand(operation, CUDNN_ATTR_OPERATION_REDUCTION_XDESC);
  GraphTensor y =
      builder.result(operation, CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
  const BackendNode &settings =
      operation.need(CUDNN_ATTR_OPERATION_REDUCTION_DESC);
  auto op =
      settings.value<cudnnReduceTensorOp_t>(CUDNN_ATTR_REDUCTION_OPERATOR);
  PTXJIT_REQUIRE(op >= CUDNN_REDUCE_TENSOR_ADD &&
                 op <= CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS);
  PTXJIT_REQUIRE(x.dims.size() == y.dims.size());
  broadcastStrides(y, x.dims);
  builder.add(makeStep([=](auto &values) {
    reduce(op, values.read(x.uid), values.make(y.uid));
    values.finish(y.uid);
  }));
}

/// The result is the operand's memory with other extents and strides.
void cudnn::addReshape(GraphBuilder &builder, const BackendNode &operation) {
  GraphTensor x =
      builder.operand(operation, CUDNN_ATTR_OPERATION_RESHAPE_XDESC);
  GraphTensor y = builder.result(operation, CUDNN_ATTR_OPERATION_RESHAPE_YDESC);
  PTXJIT_REQUIRE(countOf(x.dims) == countOf(y.dims));
  if (!isPacked(x) || !isPacked(y))
    throw Failure{CUDNN_STATUS_NOT_SUPPORTED_LAYOUT,
                  "reshaping tensors with holes"};
  builder.add(makeStep([=](auto &values) {
    auto view = values.read(x.uid);
    view.layout = y;
    values.set(y.uid, view);
    values.finish(y.uid);
  }));
}
