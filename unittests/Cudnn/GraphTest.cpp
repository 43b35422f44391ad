//===- GraphTest.cpp - the graph interface of cuDNN -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

#include <map>

using namespace cudnntest;

namespace {
using Longs = std::vector<int64_t>;

/// A descriptor of the graph interface.
class Node {
public:
  explicit Node(cudnnBackendDescriptorType_t type) {
    EXPECT_OK(cudnnBackendCreateDescriptor(type, &handle));
  }
  ~Node() { EXPECT_OK(cudnnBackendDestroyDescriptor(handle)); }
  Node(const Node &) = delete;
  Node &operator=(const Node &) = delete;

  Node &set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
            int64_t count, const void *elements) {
    EXPECT_OK(cudnnBackendSetAttribute(handle, name, type, count, elements));
    return *this;
  }
  Node &set(cudnnBackendAttributeName_t name, const Node &other) {
    return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &other.handle);
  }
  Node &set(cudnnBackendAttributeName_t name, const Longs &values) {
    return set(name, CUDNN_TYPE_INT64, int64_t(values.size()), values.data());
  }
  Node &setEnum(cudnnBackendAttributeName_t name,
                cudnnBackendAttributeType_t type, int value) {
    return set(name, type, 1, &value);
  }
  Node &setNumber(cudnnBackendAttributeName_t name, double value) {
    return set(name, CUDNN_TYPE_DOUBLE, 1, &value);
  }
  cudnnStatus_t finish() const { return cudnnBackendFinalize(handle); }

  cudnnBackendDescriptor_t handle = nullptr;
};

class CudnnGraph : public Cudnn {
protected:
  using Kind = cudnnBackendDescriptorType_t;

  /// A tensor of the graph. Those that are virtual have no memory.
  const Node &tensor(int64_t uid, const Ints &dims, const Ints &strides,
                     cudnnDataType_t type, bool isVirtual,
                     bool isByValue = false) {
    auto node = std::make_unique<Node>(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
    node->setEnum(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type);
    node->set(CUDNN_ATTR_TENSOR_DIMENSIONS, Longs(dims.begin(), dims.end()));
    node->set(CUDNN_ATTR_TENSOR_STRIDES, Longs(strides.begin(), strides.end()));
    node->set(CUDNN_ATTR_TENSOR_UNIQUE_ID, Longs{uid});
    node->set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, Longs{16});
    node->set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, 1, &isVirtual);
    node->set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, 1, &isByValue);
    EXPECT_OK(node->finish());
    nodes.push_back(std::move(node));
    return *nodes.back();
  }
  const Node &real(int64_t uid, const TensorOf &tensor) {
    pointers[uid] = tensor.data();
    return this->tensor(uid, tensor.dims, tensor.strides, tensor.type, false);
  }
  const Node &temporary(int64_t uid, const Ints &dims) {
    return tensor(uid, dims, stridesOf(dims), CUDNN_DATA_FLOAT, true);
  }
  Node &make(Kind type) {
    nodes.push_back(std::make_unique<Node>(type));
    return *nodes.back();
  }
  Node &operation(Kind type) {
    Node &node = make(type);
    operations.push_back(node.handle);
    return node;
  }
  void pointwise(cudnnPointwiseMode_t mode, const Node &x, const Node *b,
                 const Node &y, const Node *t = nullptr) {
    Node &settings = make(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    settings.setEnum(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE,
                     mode);
    EXPECT_OK(settings.finish());
    Node &node = operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    node.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, settings);
    node.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
    if (b)
      node.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, *b);
    if (t)
      node.set(CUDNN_ATTR_OPERATION_POINTWISE_TDESC, *t);
    node.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
    EXPECT_OK(node.finish());
  }
  void matmul(const Node &a, const Node &b, const Node &c) {
    Node &settings = make(CUDNN_BACKEND_MATMUL_DESCRIPTOR);
    settings.setEnum(CUDNN_ATTR_MATMUL_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
                     CUDNN_DATA_FLOAT);
    EXPECT_OK(settings.finish());
    Node &node = operation(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
    node.set(CUDNN_ATTR_OPERATION_MATMUL_DESC, settings);
    node.set(CUDNN_ATTR_OPERATION_MATMUL_ADESC, a);
    node.set(CUDNN_ATTR_OPERATION_MATMUL_BDESC, b);
    node.set(CUDNN_ATTR_OPERATION_MATMUL_CDESC, c);
    EXPECT_OK(node.finish());
  }
  void reduction(cudnnReduceTensorOp_t op, const Node &x, const Node &y) {
    Node &settings = make(CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
    settings.setEnum(CUDNN_ATTR_REDUCTION_OPERATOR,
                     CUDNN_TYPE_REDUCTION_OPERATOR_TYPE, op);
    EXPECT_OK(settings.finish());
    Node &node = operation(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
    node.set(CUDNN_ATTR_OPERATION_REDUCTION_DESC, settings);
    node.set(CUDNN_ATTR_OPERATION_REDUCTION_XDESC, x);
    node.set(CUDNN_ATTR_OPERATION_REDUCTION_YDESC, y);
    EXPECT_OK(node.finish());
  }
  cudnnStatus_t finishGraph() {
    graph = std::make_unique<Node>(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
    graph->set(CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR,
               int64_t(operations.size()), operations.data());
    graph->set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, &handle);
    return graph->finish();
  }
  /// Asks for an engine as frameworks do, makes a plan, keeps it as a text, and
  /// runs the plan of that text.
  void run() {
    ASSERT_OK(finishGraph());
    Node heuristics(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
    heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, *graph);
    heuristics.setEnum(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE,
                       CUDNN_HEUR_MODE_A);
    ASSERT_OK(heuristics.finish());
    int64_t count = 0;
    ASSERT_OK(cudnnBackendGetAttribute(
        heuristics.handle, CUDNN_ATTR_ENGINEHEUR_RESULTS,
        CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &count, nullptr));
    ASSERT_EQ(count, 1);
    Node config(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
    ASSERT_OK(cudnnBackendGetAttribute(
        heuristics.handle, CUDNN_ATTR_ENGINEHEUR_RESULTS,
        CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &config.handle));
    Node engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    ASSERT_OK(cudnnBackendGetAttribute(
        config.handle, CUDNN_ATTR_ENGINECFG_ENGINE,
        CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &count, &engine.handle));
    int64_t index = -1;
    ASSERT_OK(cudnnBackendGetAttribute(engine.handle,
                                       CUDNN_ATTR_ENGINE_GLOBAL_INDEX,
                                       CUDNN_TYPE_INT64, 1, &count, &index));
    EXPECT_EQ(index, 0);
    Node plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
    ASSERT_OK(plan.finish());
    int64_t bytes = -1;
    ASSERT_OK(cudnnBackendGetAttribute(plan.handle,
                                       CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                       CUDNN_TYPE_INT64, 1, &count, &bytes));
    EXPECT_EQ(bytes, 0);
    std::string text = textOf(plan);
    lastText = text;
    Node kept(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    kept.set(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
             int64_t(text.size()), text.data());
    ASSERT_OK(kept.finish());
    EXPECT_EQ(textOf(kept), text);
    runPlan(kept);
  }
  static std::string textOf(const Node &plan) {
    int64_t size = 0;
    EXPECT_OK(cudnnBackendGetAttribute(
        plan.handle, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
        CUDNN_TYPE_CHAR, 0, &size, nullptr));
    std::string text(size_t(size), ' ');
    EXPECT_OK(cudnnBackendGetAttribute(
        plan.handle, CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION,
        CUDNN_TYPE_CHAR, size, &size, text.data()));
    return text;
  }
  void runPlan(const Node &plan) {
    Node pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    Longs uids;
    std::vector<void *> places;
    for (auto [uid, pointer] : pointers) {
      uids.push_back(uid);
      places.push_back(pointer);
    }
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, uids);
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
             int64_t(places.size()), places.data());
    ASSERT_OK(pack.finish());
    ASSERT_OK(cudnnBackendExecute(handle, plan.handle, pack.handle));
    wait();
  }

  std::map<int64_t, void *> pointers;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<cudnnBackendDescriptor_t> operations;
  std::unique_ptr<Node> graph;
  std::string lastText; ///< of the last plan
};
} // namespace

TEST_F(CudnnGraph, ConvolutionWithBiasAndRelu) {
  TensorOf x({1, 2, 3, 3}), w({2, 2, 1, 1}), bias({1, 2, 1, 1});
  TensorOf y({1, 2, 3, 3}, CUDNN_DATA_HALF, /*isChannelsLast=*/true);
  auto xs = x.setRandom(1), ws = w.setRandom(2), biases = bias.setRandom(3);
  Node &settings = make(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  settings.setEnum(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
                   CUDNN_DATA_FLOAT);
  settings.setEnum(CUDNN_ATTR_CONVOLUTION_CONV_MODE,
                   CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION);
  settings.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, Longs{0, 0});
  settings.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, Longs{0, 0});
  settings.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, Longs{1, 1});
  settings.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, Longs{1, 1});
  ASSERT_OK(settings.finish());
  const Node &sum = temporary(10, y.dims), &biased = temporary(11, y.dims);
  // Operations need not be in order.
  pointwise(CUDNN_POINTWISE_RELU_FWD, biased, nullptr, real(4, y));
  const Node &b = real(3, bias);
  pointwise(CUDNN_POINTWISE_ADD, sum, &b, biased);
  Node &node =
      operation(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
  node.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, settings);
  node.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, real(1, x));
  node.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, real(2, w));
  node.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, sum);
  node.setNumber(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 2);
  node.setNumber(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0);
  ASSERT_OK(node.finish());
  run();
  std::vector<double> expected(18);
  forEach(y.dims, [&](const Ints &place, size_t i) {
    size_t k = size_t(place[1]), pixel = i % 9;
    double value = 2 * (xs[pixel] * ws[k * 2] + xs[9 + pixel] * ws[k * 2 + 1]);
    expected[i] = std::max(0.0, value + biases[k]);
  });
  y.expect(expected);
}

/// softmax(scale * Q K^T, with what is behind the diagonal masked) V, as
/// frameworks take it apart.
TEST_F(CudnnGraph, CausalAttentionFromItsParts) {
  const int batch = 2, heads = 4, groups = 2, rows = 5, size = 3;
  TensorOf q({batch, heads, rows, size}, CUDNN_DATA_BFLOAT16);
  TensorOf k({batch, groups, rows, size}, CUDNN_DATA_BFLOAT16);
  TensorOf v({batch, groups, rows, size}, CUDNN_DATA_BFLOAT16);
  TensorOf o({batch, heads, rows, size}, CUDNN_DATA_FLOAT);
  auto qs = q.setRandom(1), ks = k.setRandom(2), vs = v.setRandom(3);
  Ints scores{batch, heads, rows, rows}, sums{batch, heads, rows, 1};
  // K is read as its transpose.
  pointers[2] = k.data();
  const Node &kt = tensor(2, {batch, groups, size, rows},
                          {k.strides[0], k.strides[1], 1, size}, k.type, false);
  float scale = 0.5f, lowest = -1e30f;
  pointers[5] = &scale;
  pointers[6] = &lowest;
  const Node &factor =
      tensor(5, {1, 1, 1, 1}, {1, 1, 1, 1}, CUDNN_DATA_FLOAT, false, true);
  const Node &masked =
      tensor(6, {1, 1, 1, 1}, {1, 1, 1, 1}, CUDNN_DATA_FLOAT, false, true);
  std::vector<const Node *> t;
  for (int i = 0; i < 9; ++i)
    t.push_back(&temporary(20 + i, scores));
  const Node &largest = temporary(40, sums), &total = temporary(41, sums);
  matmul(real(1, q), kt, *t[0]);
  pointwise(CUDNN_POINTWISE_MUL, *t[0], &factor, *t[1]);
  auto index = [&](int64_t axis, const Node &y) {
    Node &settings = make(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    settings.setEnum(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE,
                     CUDNN_POINTWISE_GEN_INDEX);
    settings.set(CUDNN_ATTR_POINTWISE_AXIS, Longs{axis});
    EXPECT_OK(settings.finish());
    Node &node = operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
    node.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, settings);
    node.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, *t[1]);
    node.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
    EXPECT_OK(node.finish());
  };
  index(2, *t[2]);
  index(3, *t[3]);
  pointwise(CUDNN_POINTWISE_CMP_GE, *t[2], t[3], *t[4]);
  pointwise(CUDNN_POINTWISE_BINARY_SELECT, *t[1], &masked, *t[5], t[4]);
  reduction(CUDNN_REDUCE_TENSOR_MAX, *t[5], largest);
  pointwise(CUDNN_POINTWISE_SUB, *t[5], &largest, *t[6]);
  pointwise(CUDNN_POINTWISE_EXP, *t[6], nullptr, *t[7]);
  reduction(CUDNN_REDUCE_TENSOR_ADD, *t[7], total);
  pointwise(CUDNN_POINTWISE_DIV, *t[7], &total, *t[8]);
  matmul(*t[8], real(3, v), real(4, o));
  run();

  std::vector<double> expected;
  for (int b = 0; b < batch; ++b)
    for (int h = 0; h < heads; ++h)
      for (int i = 0; i < rows; ++i) {
        auto at = [&](int row, int column) {
          return size_t(((b * groups + h / 2) * rows + row) * size + column);
        };
        std::vector<double> weights, sum(size);
        double all = 0;
        for (int j = 0; j <= i; ++j) {
          double dot = 0;
          for (int c = 0; c < size; ++c)
            dot += qs[size_t(((b * heads + h) * rows + i) * size + c)] *
                   ks[at(j, c)];
          weights.push_back(std::exp(0.5 * dot));
          all += weights.back();
        }
        for (int j = 0; j <= i; ++j)
          for (int c = 0; c < size; ++c)
            sum[size_t(c)] += weights[size_t(j)] / all * vs[at(j, c)];
        expected.insert(expected.end(), sum.begin(), sum.end());
      }
  o.expect(expected);
}

TEST_F(CudnnGraph, GradientsOfActivations) {
  TensorOf x({1, 1, 1, 4}), dy({1, 1, 1, 4}), dx({1, 1, 1, 4});
  auto xs = x.setRandom(1), dys = dy.setRandom(2);
  Node &settings = make(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  settings.setEnum(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE,
                   CUDNN_POINTWISE_GELU_BWD);
  ASSERT_OK(settings.finish());
  Node &node = operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  node.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, settings);
  node.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, real(1, x));
  node.set(CUDNN_ATTR_OPERATION_POINTWISE_DYDESC, real(2, dy));
  node.set(CUDNN_ATTR_OPERATION_POINTWISE_DXDESC, real(3, dx));
  ASSERT_OK(node.finish());
  run();
  std::vector<double> expected;
  auto gelu = [](double v) { return v / 2 * (1 + std::erf(v / std::sqrt(2))); };
  for (size_t i = 0; i < 4; ++i) // by differences
    expected.push_back(dys[i] * (gelu(xs[i] + 1e-5) - gelu(xs[i] - 1e-5)) /
                       2e-5);
  dx.expect(expected, 2);
}

TEST_F(CudnnGraph, OperandsWithoutAFactorNeedNoMemory) {
  TensorOf x({1, 1, 1, 4}), z({1, 1, 1, 4}), y({1, 1, 1, 4});
  auto xs = x.setRandom(1);
  Node &settings = make(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
  settings.setEnum(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE,
                   CUDNN_POINTWISE_ADD);
  ASSERT_OK(settings.finish());
  Node &node = operation(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
  node.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, settings);
  node.set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, real(1, x));
  node.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, real(2, z));
  node.set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, real(3, y));
  node.setNumber(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA1, 3);
  node.setNumber(CUDNN_ATTR_OPERATION_POINTWISE_ALPHA2, 0);
  ASSERT_OK(node.finish());
  pointers.erase(2);
  run();
  for (double &value : xs)
    value *= 3;
  y.expect(xs);
}

TEST_F(CudnnGraph, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(finishGraph(), CUDNN_STATUS_BAD_PARAM); // no operations
  Node &node = operation(CUDNN_BACKEND_OPERATION_SIGNAL_DESCRIPTOR);
  Node graphOfOther(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
  EXPECT_EQ(cudnnBackendSetAttribute(
                graphOfOther.handle, CUDNN_ATTR_OPERATIONGRAPH_OPS,
                CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, operations.data()),
            CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
  ASSERT_OK(node.finish());
  EXPECT_EQ(finishGraph(), CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN);
  Node tensor(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  EXPECT_EQ(tensor.finish(), CUDNN_STATUS_BAD_PARAM);
  int64_t count;
  EXPECT_EQ(cudnnBackendGetAttribute(tensor.handle, CUDNN_ATTR_TENSOR_UNIQUE_ID,
                                     CUDNN_TYPE_INT64, 1, &count, &count),
            CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED);
  EXPECT_EQ(cudnnBackendSetAttribute(tensor.handle, CUDNN_ATTR_TENSOR_UNIQUE_ID,
                                     CUDNN_TYPE_INT64, 1, nullptr),
            CUDNN_STATUS_BAD_PARAM);
  EXPECT_EQ(cudnnBackendFinalize(&count), CUDNN_STATUS_BAD_PARAM);
}

TEST_F(CudnnGraph, DamagedPlansAreErrors) {
  TensorOf x({1, 1, 1, 4}), y({1, 1, 1, 4});
  const Node &from = real(1, x), &to = real(2, y);
  pointwise(CUDNN_POINTWISE_EXP, from, nullptr, to);
  x.set({0, 0, 0, 0});
  run();
  y.expect({1, 1, 1, 1});
  auto load = [](const std::string &text) {
    Node plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
    plan.set(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
             int64_t(text.size()), text.data());
    return plan.finish();
  };
  std::string text = lastText;
  EXPECT_OK(load(text));
  EXPECT_NE(load("{}"), CUDNN_STATUS_SUCCESS);
  // Cut anywhere, or with another character anywhere, it may still be a plan,
  // but then it is a whole one.
  for (size_t i = 0; i < text.size(); ++i) {
    load(text.substr(0, i));
    std::string other = text;
    other[i] = other[i] == '9' ? ' ' : '9';
    load(other);
  }
  EXPECT_NE(load(text.substr(0, text.size() / 2)), CUDNN_STATUS_SUCCESS);
}

TEST_F(CudnnGraph, TensorsWithoutMemoryAreErrors) {
  TensorOf x({1, 1, 1, 4}), y({1, 1, 1, 4});
  const Node &from = real(1, x), &to = real(2, y);
  pointwise(CUDNN_POINTWISE_EXP, from, nullptr, to);
  ASSERT_OK(finishGraph());
  Node engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  engine.set(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, *graph);
  engine.set(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, Longs{0});
  ASSERT_OK(engine.finish());
  Node config(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  config.set(CUDNN_ATTR_ENGINECFG_ENGINE, engine);
  ASSERT_OK(config.finish());
  Node plan(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, config);
  ASSERT_OK(plan.finish());
  Node pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
  ASSERT_OK(pack.finish());
  EXPECT_EQ(cudnnBackendExecute(handle, plan.handle, pack.handle),
            CUDNN_STATUS_BAD_PARAM);
}
