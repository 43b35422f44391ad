//===- Graph.cpp - graphs of operations, ready to run ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

using namespace ptxjit;
using namespace ptxjit::cudnn;

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

GraphTensor cudnn::readTensor(const BackendNode &node) {
  PTXJIT_REQUIRE(node.type == CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  GraphTensor tensor;
  tensor.type = node.value<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE);
  tensor.dims = node.list<int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
  tensor.strides = node.list<int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
  tensor.uid = node.value<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID);
  tensor.isVirtual = node.value<char>(CUDNN_ATTR_TENSOR_IS_VIRTUAL, 0) != 0;
  tensor.isByValue = node.value<char>(CUDNN_ATTR_TENSOR_IS_BY_VALUE, 0) != 0;
  if (!sizeOf(tensor.type))
    throw Failure{CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE,
                  "tensors of type " + std::to_string(int(tensor.type))};
  if (tensor.dims.empty() || tensor.dims.size() > 8 ||
      tensor.dims.size() != tensor.strides.size())
    failBadParam("expected 1 to 8 dimensions, and as many strides");
  for (size_t i = 0; i < tensor.dims.size(); ++i)
    if (tensor.dims[i] < 1 || tensor.strides[i] < 0)
      failBadParam("expected extents above 0, and strides of 0 or more");
  if (node.value<int64_t>(CUDNN_ATTR_TENSOR_VECTOR_COUNT, 1) != 1)
    failUnsupported("vectors of channels");
  if (node.has(CUDNN_ATTR_TENSOR_RAGGED_OFFSET_DESC))
    failUnsupported("sequences of different lengths without padding");
  return tensor;
}

template <typename T> const void *Values<T>::placeOf(int64_t uid) const {
  auto value = arguments.values.find(uid);
  if (value != arguments.values.end())
    return value->second.data();
  auto pointer = arguments.pointers.find(uid);
  return pointer == arguments.pointers.end() ? nullptr : pointer->second;
}

template <typename T> View<T> Values<T>::read(int64_t uid) {
  auto it = views.find(uid);
  if (it != views.end())
    return it->second;
  const void *place = placeOf(uid);
  assert(place && "bind() has found all operands");
  return views[uid] = readView<T>(tensors.at(uid), place);
}

template <typename T> View<T> Values<T>::make(int64_t uid) {
  const GraphTensor &tensor = tensors.at(uid);
  View<T> view = makeView<T>(tensor);
  // Memory of a program is no place for tensors that are read afterwards, since
  // it may be that of an operand.
  return views[uid] = view;
}

template <typename T> View<T> Values<T>::readOld(int64_t uid) const {
  const void *place = placeOf(uid);
  if (!place) // nothing is there: it is virtual
    failBadParam("a beta for a virtual tensor");
  return readView<T>(tensors.at(uid), place);
}

template <typename T> void Values<T>::finish(int64_t uid) {
  const GraphTensor &tensor = tensors.at(uid);
  if (!tensor.isVirtual)
    writeView<T>(views.at(uid), tensor, const_cast<void *>(placeOf(uid)));
}

template class cudnn::Values<float>;
template class cudnn::Values<double>;

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

const GraphTensor &GraphBuilder::note(const BackendNode &node) {
  GraphTensor tensor = readTensor(node);
  isDouble |= tensor.type == CUDNN_DATA_DOUBLE;
  return tensors.insert({tensor.uid, tensor}).first->second;
}

GraphTensor GraphBuilder::operand(const BackendNode &operation,
                                  cudnnBackendAttributeName_t name) {
  const GraphTensor &tensor = note(operation.need(name));
  if (tensor.isVirtual && !results.count(tensor.uid))
    throw Failure{CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN,
                  "operations that are not in the order of their operands"};
  return tensor;
}

GraphTensor GraphBuilder::result(const BackendNode &operation,
                                 cudnnBackendAttributeName_t name) {
  const GraphTensor &tensor = note(operation.need(name));
  if (!results.insert(tensor.uid).second)
    failBadParam("a tensor is the result of two operations");
  return tensor;
}

static void addOperation(GraphBuilder &builder, const BackendNode &operation) {
  switch (operation.type) {
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
  case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
    return addConvolution(builder, operation);
  case CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR:
    return addPointwise(builder, operation);
  case CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR:
    return addMatmul(builder, operation);
  case CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR:
    return addReduction(builder, operation);
  case CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR:
    return addReshape(builder, operation);
  default:
    throw Failure{CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN,
                  "operations of type " + std::to_string(int(operation.type))};
  }
}

/// Which tensors an operation reads, and which it makes. Any descriptor of a
/// tensor counts.
static std::set<int64_t> tensorsOf(const BackendNode &operation) {
  std::set<int64_t> uids;
  for (const auto &[name, attribute] : operation.attributes)
    for (const NodePtr &node : attribute.nodes)
      if (node->type == CUDNN_BACKEND_TENSOR_DESCRIPTOR)
        uids.insert(node->value<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID));
  return uids;
}

/// Is an attribute the result of an operation?
static bool isResult(const BackendNode &operation, int name) {
  switch (name) {
  case CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y:
  case CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX:
  case CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW:
  case CUDNN_ATTR_OPERATION_POINTWISE_DXDESC:
  case CUDNN_ATTR_OPERATION_MATMUL_CDESC:
  case CUDNN_ATTR_OPERATION_REDUCTION_YDESC:
  case CUDNN_ATTR_OPERATION_RESHAPE_YDESC:
    return true;
  case CUDNN_ATTR_OPERATION_POINTWISE_YDESC: // gradients are given it
    return !operation.has(CUDNN_ATTR_OPERATION_POINTWISE_DXDESC);
  default:
    return false;
  }
}

static std::set<int64_t> resultsOf(const BackendNode &operation) {
  std::set<int64_t> uids;
  for (const auto &[name, attribute] : operation.attributes)
    if (isResult(operation, name))
      for (const NodePtr &node : attribute.nodes)
        uids.insert(node->value<int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID));
  return uids;
}

/// The operations in an order in which each comes after those that make its
/// operands.
static std::vector<NodePtr> sorted(std::vector<NodePtr> todo) {
  std::vector<NodePtr> order;
  std::set<int64_t> pending;
  for (const NodePtr &operation : todo)
    pending.merge(resultsOf(*operation));
  while (!todo.empty()) {
    size_t before = todo.size();
    for (size_t i = 0; i < todo.size();) {
      std::set<int64_t> own = resultsOf(*todo[i]);
      bool isReady = true;
      for (int64_t uid : tensorsOf(*todo[i]))
        isReady &= own.count(uid) || !pending.count(uid);
      if (!isReady) {
        ++i;
        continue;
      }
      for (int64_t uid : own)
        pending.erase(uid);
      order.push_back(todo[i]);
      todo.erase(todo.begin() + long(i));
    }
    if (todo.size() == before)
      failBadParam("operations need each other's results");
  }
  return order;
}

std::shared_ptr<const Graph> cudnn::makeGraph(const BackendNode &node) {
  auto it = node.attributes.find(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  if (it == node.attributes.end() || it->second.nodes.empty())
    failBadParam("a graph without operations");
  GraphBuilder builder;
  for (const NodePtr &operation : sorted(it->second.nodes))
    addOperation(builder, *operation);
  return std::make_shared<Graph>(std::move(builder));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Arguments Graph::bind(const std::map<int64_t, void *> &pointers) const {
  Arguments arguments;
  for (const auto &[uid, tensor] : content.tensors) {
    if (tensor.isVirtual)
      continue;
    auto it = pointers.find(uid);
    if (it == pointers.end() || !it->second)
      failBadParam("no memory for tensor " + std::to_string(uid));
    arguments.pointers[uid] = it->second;
    if (tensor.isByValue)
      std::memcpy(arguments.values[uid].data(), it->second,
                  sizeOf(tensor.type));
  }
  return arguments;
}

template <typename T>
void Graph::runIn(const Arguments &arguments,
                  std::function<void(Values<T> &)> Step::*way) const {
  Values<T> values(content.tensors, arguments);
  for (const Step &step : content.steps)
    (step.*way)(values);
}

void Graph::run(const Arguments &arguments) const {
  if (content.isDouble)
    runIn(arguments, &Step::inDoubles);
  else
    runIn(arguments, &Step::inFloats);
}
