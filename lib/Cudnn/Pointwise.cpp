//===- Pointwise.cpp - operations of graphs on single elements ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include <cmath>
#include <limits>

using namespace ptxjit;
using namespace ptxjit::cudnn;

namespace {
/// What the descriptor of an operation says.
struct PointwiseSettings {
  cudnnPointwiseMode_t mode;
  double lowerClip, upperClip, lowerSlope, eluAlpha, softplusBeta, swishBeta;
  int64_t axis; ///< -1: none
};
} // namespace

static PointwiseSettings readSettings(const BackendNode &node) {
  PTXJIT_REQUIRE(node.type == CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  PointwiseSettings settings;
  settings.mode = node.value<cudnnPointwiseMode_t>(CUDNN_ATTR_POINTWISE_MODE);
  settings.lowerClip = node.number(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP, 0);
  settings.upperClip = node.number(CUDNN_ATTR_POINTWISE_RELU_UPPER_CLIP,
                                   std::numeric_limits<double>::infinity());
  settings.lowerSlope =
      node.number(CUDNN_ATTR_POINTWISE_RELU_LOWER_CLIP_SLOPE, 0);
  settings.eluAlpha = node.number(CUDNN_ATTR_POINTWISE_ELU_ALPHA, 1);
  settings.softplusBeta = node.number(CUDNN_ATTR_POINTWISE_SOFTPLUS_BETA, 1);
  settings.swishBeta = node.number(CUDNN_ATTR_POINTWISE_SWISH_BETA, 1);
  settings.axis = node.value<int64_t>(CUDNN_ATTR_POINTWISE_AXIS, -1);
  return settings;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static constexpr double kInvSqrt2 = 0.70710678118654752440;
static constexpr double kInvSqrt2Pi = 0.39894228040143267794;
static constexpr double kSqrt2OverPi = 0.79788456080286535588;
static constexpr double kGeluCubic = 0.044715;

template <typename T> static T sigmoid(T x) { return 1 / (1 + std::exp(-x)); }
template <typename T> static T gelu(T x) {
  return x * T(0.5) * (1 + std::erf(x * T(kInvSqrt2)));
}
template <typename T> static T geluSlope(T x) {
  return T(0.5) * (1 + std::erf(x * T(kInvSqrt2))) +
         x * T(kInvSqrt2Pi) * std::exp(x * x * T(-0.5));
}
template <typename T> static T geluTanh(T x) {
  T inner = T(kSqrt2OverPi) * (x + T(kGeluCubic) * x * x * x);
  return x * T(0.5) * (1 + std::tanh(inner));
}
template <typename T> static T geluTanhSlope(T x) {
  T inner = T(kSqrt2OverPi) * (x + T(kGeluCubic) * x * x * x);
  T slope = T(kSqrt2OverPi) * (1 + 3 * T(kGeluCubic) * x * x);
  T tanh = std::tanh(inner);
  return T(0.5) * (1 + tanh) + T(0.5) * x * (1 - tanh * tanh) * slope;
}
template <typename T> static T softplus(T x, T beta) {
  T scaled = beta * x; // without overflow
  return (std::max(scaled, T(0)) + std::log1p(std::exp(-std::abs(scaled)))) /
         beta;
}
/// NaNs win.
template <typename T> static T maximum(T a, T b) {
  return a >= b || a != a ? a : b;
}
template <typename T> static T minimum(T a, T b) {
  return a <= b || a != a ? a : b;
}

/// Calls use(function) with a function of one element. \returns false if the
/// mode is none.
template <typename T, typename F>
static bool withUnary(const PointwiseSettings &s, F use) {
  T lower = T(s.lowerClip), upper = T(s.upperClip), slope = T(s.lowerSlope);
  T elu = T(s.eluAlpha), softBeta = T(s.softplusBeta), swish = T(s.swishBeta);
  switch (s.mode) {
#define UNARY(mode, expression)                                                \
  case CUDNN_POINTWISE_##mode:                                                 \
    use([=](T x) -> T { return expression; });                                 \
    return true;
    UNARY(ABS, std::abs(x))
    UNARY(CEIL, std::ceil(x))
    UNARY(COS, std::cos(x))
    UNARY(EXP, std::exp(x))
    UNARY(FLOOR, std::floor(x))
    UNARY(LOG, std::log(x))
    UNARY(NEG, -x)
    UNARY(RSQRT, 1 / std::sqrt(x))
    UNARY(SIN, std::sin(x))
    UNARY(SQRT, std::sqrt(x))
    UNARY(TAN, std::tan(x))
    UNARY(ERF, std::erf(x))
    UNARY(IDENTITY, x)
    UNARY(RECIPROCAL, 1 / x)
    UNARY(RELU_FWD, x > upper   ? upper
                    : x < lower ? lower + slope * (x - lower)
                                : x)
    UNARY(TANH_FWD, std::tanh(x))
    UNARY(SIGMOID_FWD, sigmoid(x))
    UNARY(ELU_FWD, x > 0 ? x : elu * std::expm1(x))
    UNARY(GELU_FWD, gelu(x))
    UNARY(GELU_APPROX_TANH_FWD, geluTanh(x))
    UNARY(SOFTPLUS_FWD, softplus(x, softBeta))
    UNARY(SWISH_FWD, x * sigmoid(swish * x))
    UNARY(LOGICAL_NOT, x == 0)
#undef UNARY
  default:
    return false;
  }
}

template <typename T, typename F>
static bool withBinary(const PointwiseSettings &s, F use) {
  switch (s.mode) {
#define BINARY(mode, expression)                                               \
  case CUDNN_POINTWISE_##mode:                                                 \
    use([=](T x, T b) -> T { return expression; });                            \
    return true;
    BINARY(ADD, x + b)
    BINARY(ADD_SQUARE, x + b * b)
    BINARY(SUB, x - b)
    BINARY(MUL, x * b)
    BINARY(DIV, x / b)
    BINARY(MAX, maximum(x, b))
    BINARY(MIN, minimum(x, b))
    BINARY(MOD, std::fmod(x, b))
    BINARY(FLOOR_MOD, x - b * std::floor(x / b))
    BINARY(POW, std::pow(x, b))
    BINARY(ATAN2, std::atan2(x, b))
    BINARY(CMP_EQ, x == b)
    BINARY(CMP_NEQ, x != b)
    BINARY(CMP_GT, x > b)
    BINARY(CMP_GE, x >= b)
    BINARY(CMP_LT, x < b)
    BINARY(CMP_LE, x <= b)
    BINARY(LOGICAL_AND, x != 0 && b != 0)
    BINARY(LOGICAL_OR, x != 0 || b != 0)
#undef BINARY
  default:
    return false;
  }
}

/// Functions of the gradient `d` and of what the forward function had: its
/// operand, or its result for tanh and sigmoid.
template <typename T, typename F>
static bool withBackward(const PointwiseSettings &s, F use) {
  T lower = T(s.lowerClip), upper = T(s.upperClip), slope = T(s.lowerSlope);
  T elu = T(s.eluAlpha), softBeta = T(s.softplusBeta), swish = T(s.swishBeta);
  auto swishSlope = [=](T x) {
    T gate = sigmoid(swish * x);
    return gate + swish * x * gate * (1 - gate);
  };
  switch (s.mode) {
#define BACKWARD(mode, expression)                                             \
  case CUDNN_POINTWISE_##mode##_BWD:                                           \
    use([=](T d, T x) -> T { return d * (expression); });                      \
    return true;
    BACKWARD(RELU, x > upper ? T(0) : x > lower ? T(1) : slope)
    BACKWARD(TANH, 1 - x * x)
    BACKWARD(SIGMOID, x * (1 - x))
    BACKWARD(ELU, x > 0 ? T(1) : elu * std::exp(x))
    BACKWARD(GELU, geluSlope(x))
    BACKWARD(GELU_APPROX_TANH, geluTanhSlope(x))
    BACKWARD(SOFTPLUS, sigmoid(softBeta * x))
    BACKWARD(SWISH, swishSlope(x))
#undef BACKWARD
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

template <typename T, typename F>
static void mapOne(const View<T> &x, const View<T> &y, T alpha, F function) {
  Walk<2>(y.dims(), {y.strides(), broadcastStrides(x.layout, y.dims())})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i)
          y.data[offsets[0] + i * steps[0]] =
              function(alpha * x.data[offsets[1] + i * steps[1]]);
      });
}

template <typename T, typename F>
static void mapTwo(const View<T> &x, const View<T> &b, const View<T> &y,
                   T alpha1, T alpha2, F function) {
  Walk<3>(y.dims(), {y.strides(), broadcastStrides(x.layout, y.dims()),
                     broadcastStrides(b.layout, y.dims())})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i)
          y.data[offsets[0] + i * steps[0]] =
              function(alpha1 * x.data[offsets[1] + i * steps[1]],
                       alpha2 * b.data[offsets[2] + i * steps[2]]);
      });
}

/// y = t ? x : b.
template <typename T>
static void select(const View<T> &x, const View<T> &b, const View<T> &t,
                   const View<T> &y) {
  Walk<4>(y.dims(), {y.strides(), broadcastStrides(x.layout, y.dims()),
                     broadcastStrides(b.layout, y.dims()),
                     broadcastStrides(t.layout, y.dims())})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i)
          y.data[offsets[0] + i * steps[0]] =
              t.data[offsets[3] + i * steps[3]] != 0
                  ? x.data[offsets[1] + i * steps[1]]
                  : b.data[offsets[2] + i * steps[2]];
      });
}

/// Each element of `y` is its own place along an axis.
template <typename T> static void fillIndex(const View<T> &y, int64_t axis) {
  std::vector<T> places(size_t(y.dims()[size_t(axis)]));
  std::iota(places.begin(), places.end(), T(0));
  std::vector<int64_t> strides(y.dims().size(), 0);
  strides[size_t(axis)] = 1;
  Walk<2>(y.dims(), {y.strides(), strides})
      .run([&](auto offsets, int64_t count, auto steps) {
        for (int64_t i = 0; i < count; ++i)
          y.data[offsets[0] + i * steps[0]] =
              places[size_t(offsets[1] + i * steps[1])];
      });
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Fails if operands cannot be broadcast to the result.
static void checkOperands(const GraphTensor &result,
                          std::initializer_list<const GraphTensor *> operands) {
  for (const GraphTensor *operand : operands)
    broadcastStrides(*operand, result.dims);
}

static void addBackward(GraphBuilder &builder, const BackendNode &operation,
                        const PointwiseSettings &settings) {
  // The forward function's result is given for those that follow from it.
  bool isOfResult = !operation.has(CUDNN_ATTR_OPERATION_POINTWISE_XDESC) ||
                    ((settings.mode == CUDNN_POINTWISE_TANH_BWD ||
                      settings.mode == CUDNN_POINTWISE_SIGMOID_BWD) &&
                     operation.has(CUDNN_ATTR_OPERATION_POINTWISE_YDESC));
  if (!isOfResult && (settings.mode == CUDNN_POINTWISE_TANH_BWD ||
                      settings.mode == CUDNN_POINTWISE_SIGMOID_BWD))
    throw Failure{CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN,
                  "gradients of tanh and sigmoid without their results"};
  if (isOfResult && settings.mode != CUDNN_POINTWISE_TANH_BWD &&
      settings.mode != CUDNN_POINTWISE_SIGMOID_BWD &&
      settings.mode != CUDNN_POINTWISE_RELU_BWD)
    throw Failure{CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN,
                  "gradients without the operand of the function"};
  GraphTensor x = builder.operand(
      operation, isOfResult ? CUDNN_ATTR_OPERATION_POINTWISE_YDESC
                            : CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
  GraphTensor dy =
      builder.operand(operation, CUDNN_ATTR_OPERATION_POINTWISE_DYDESC);
  GraphTensor dx =
      builder.result(operation, CUDNN_ATTR_OPERATION_POINTWISE_DXDESC);
  checkOperands(dx, {&x, &dy});
  double alpha1 = operation.number(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 1);
  double alpha2 = operation.number(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, 1);
  builder.add(makeStep([=](auto &values) {
    auto view = values.make(dx.uid);
    using T = std::remove_reference_t<decltype(*view.data)>;
    withBackward<T>(settings, [&](auto function) {
      mapTwo(values.read(dy.uid), values.read(x.uid), view, T(alpha2),
             T(alpha1), function);
    });
    values.finish(dx.uid);
  }));
}

static void addSelect(GraphBuilder &builder, const BackendNode &operation) {
  GraphTensor x =
      builder.operand(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
  GraphTensor b =
      builder.operand(operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
  GraphTensor t =
      builder.operand(operation, CUDNN_ATTR_OPERATION_POINTWISE_TDESC);
  GraphTensor y =
      builder.result(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  checkOperands(y, {&x, &b, &t});
  builder.add(makeStep([=](auto &values) {
    select(values.read(x.uid), values.read(b.uid), values.read(t.uid),
           values.make(y.uid));
    values.finish(y.uid);
  }));
}

static void addIndex(GraphBuilder &builder, const BackendNode &operation,
                     int64_t axis) {
  GraphTensor y =
      builder.result(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  PTXJIT_REQUIRE(axis >= 0 && axis < int64_t(y.dims.size()));
  builder.add(makeStep([=](auto &values) {
    fillIndex(values.make(y.uid), axis);
    values.finish(y.uid);
  }));
}

static void addUnary(GraphBuilder &builder, const BackendNode &operation,
                     const PointwiseSettings &settings) {
  GraphTensor x =
      builder.operand(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
  GraphTensor y =
      builder.result(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  checkOperands(y, {&x});
  double alpha = operation.number(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 1);
  builder.add(makeStep([=](auto &values) {
    auto view = values.make(y.uid);
    using T = std::remove_reference_t<decltype(*view.data)>;
    withUnary<T>(settings, [&](auto function) {
      mapOne(values.read(x.uid), view, T(alpha), function);
    });
    values.finish(y.uid);
  }));
}

static void addBinary(GraphBuilder &builder, const BackendNode &operation,
                      const PointwiseSettings &settings) {
  double alpha1 = operation.number(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 1);
  double alpha2 = operation.number(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, 1);
  GraphTensor x =
      builder.operand(operation, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
  // TensorFlow has no memory for an operand whose factor is 0.
  bool isRead = alpha2 != 0;
  GraphTensor b =
      isRead ? builder.operand(operation, CUDNN_ATTR_OPERATION_POINTWISE_BDESC)
             : readTensor(operation.need(CUDNN_ATTR_OPERATION_POINTWISE_BDESC));
  GraphTensor y =
      builder.result(operation, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
  checkOperands(y, {&x, &b});
  builder.add(makeStep([=](auto &values) {
    auto view = values.make(y.uid);
    using T = std::remove_reference_t<decltype(*view.data)>;
    T zero = 0;
    View<T> second{{{1}, {1}}, &zero, nullptr};
    if (isRead)
      second = values.read(b.uid);
    withBinary<T>(settings, [&](auto function) {
      mapTwo(values.read(x.uid), second, view, T(alpha1), T(alpha2), function);
    });
    values.finish(y.uid);
  }));
}

void cudnn::addPointwise(GraphBuilder &builder, const BackendNode &operation) {
  PointwiseSettings settings = readSettings(
      operation.need(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR));
  auto nothing = [](auto) {};
  if (settings.mode == CUDNN_POINTWISE_BINARY_SELECT)
    return addSelect(builder, operation);
  if (settings.mode == CUDNN_POINTWISE_GEN_INDEX)
    return addIndex(builder, operation, settings.axis);
  if (withBackward<float>(settings, nothing))
    return addBackward(builder, operation, settings);
  if (withBinary<float>(settings, nothing))
    return addBinary(builder, operation, settings);
  if (withUnary<float>(settings, nothing))
    return addUnary(builder, operation, settings);
  throw Failure{CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN,
                "pointwise operation " + std::to_string(int(settings.mode))};
}
