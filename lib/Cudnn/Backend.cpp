//===- Backend.cpp - cudnnBackend* ----------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each graph that can be run has one engine, with one configuration and without
// a workspace.
//
//===----------------------------------------------------------------------===//

#include "BackendNode.h"
#include "Call.h"
#include "Graph.h"
#include "PlanText.h"
#include "ptxjit/Runtime/HandleTable.h"

#include <algorithm>

using namespace ptxjit;
using namespace ptxjit::cudnn;

static HandleTable<BackendNode, cudnnBackendDescriptor_t> &nodes() {
  static auto &table = *new HandleTable<BackendNode, cudnnBackendDescriptor_t>;
  return table;
}

static std::shared_ptr<BackendNode> find(cudnnBackendDescriptor_t handle) {
  std::shared_ptr<BackendNode> found = nodes().find(handle);
  if (!found)
    failBadParam("one of the arguments is not a descriptor");
  return found;
}

double BackendNode::number(cudnnBackendAttributeName_t name,
                           double otherwise) const {
  auto it = attributes.find(name);
  if (it == attributes.end())
    return otherwise;
  return it->second.type == CUDNN_TYPE_FLOAT ? double(value<float>(name))
                                             : value<double>(name);
}

NodePtr BackendNode::node(cudnnBackendAttributeName_t name) const {
  auto it = attributes.find(name);
  return it == attributes.end() || it->second.nodes.empty()
             ? nullptr
             : it->second.nodes[0];
}
const BackendNode &BackendNode::need(cudnnBackendAttributeName_t name) const {
  auto it = attributes.find(name);
  if (it == attributes.end() || it->second.nodes.size() != 1)
    failBadParam("attribute " + std::to_string(int(name)) + " was not set");
  return *it->second.nodes[0];
}

//===----------------------------------------------------------------------===//
// Setting attributes
//===----------------------------------------------------------------------===//

/// Bytes of an element; 0 for descriptors and unknown types.
static size_t sizeOfElement(cudnnBackendAttributeType_t type) {
  switch (type) {
  case CUDNN_TYPE_BACKEND_DESCRIPTOR:
    return 0;
  case CUDNN_TYPE_BOOLEAN:
  case CUDNN_TYPE_CHAR:
    return 1;
  case CUDNN_TYPE_HANDLE:
  case CUDNN_TYPE_INT64:
  case CUDNN_TYPE_DOUBLE:
  case CUDNN_TYPE_VOID_PTR:
    return 8;
  case CUDNN_TYPE_FRACTION:
    return sizeof(cudnnFraction_t);
  default: // enumerations
    return type > 0 && type < 64 ? 4 : 0;
  }
}

static Attribute readAttribute(cudnnBackendAttributeType_t type, int64_t count,
                               const void *elements) {
  PTXJIT_REQUIRE(count >= 0 && count < (int64_t(1) << 24));
  PTXJIT_REQUIRE(elements || count == 0);
  Attribute attribute{type, count, {}, {}};
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    auto *handles = static_cast<const cudnnBackendDescriptor_t *>(elements);
    for (int64_t i = 0; i < count; ++i) {
      std::shared_ptr<BackendNode> node = find(handles[i]);
      if (!node->isFinal)
        throw Failure{CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
                      "a descriptor is not final"};
      attribute.nodes.push_back(std::move(node));
    }
    return attribute;
  }
  size_t size = sizeOfElement(type);
  if (!size)
    throw Failure{CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE,
                  "an unknown type of attributes"};
  auto *bytes = static_cast<const char *>(elements);
  attribute.bytes.assign(bytes, bytes + size_t(count) * size);
  return attribute;
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnBackendSetAttribute(
    cudnnBackendDescriptor_t handle, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t count, const void *elements) {
  return run(__func__, [&] {
    std::shared_ptr<BackendNode> node = find(handle);
    if (node->isFinal)
      failBadParam("the descriptor is final");
    node->attributes[name] = readAttribute(type, count, elements);
  });
}

//===----------------------------------------------------------------------===//
// Telling attributes
//===----------------------------------------------------------------------===//

/// A descriptor that the library makes, with one attribute.
static BackendNode makeNode(cudnnBackendDescriptorType_t type,
                            cudnnBackendAttributeName_t name, NodePtr value) {
  BackendNode node;
  node.type = type;
  node.isFinal = true;
  node.attributes[name] = {
      CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, {}, {std::move(value)}};
  return node;
}

/// The configuration of the only engine of a graph.
static NodePtr makeConfig(NodePtr graph) {
  auto engine = std::make_shared<BackendNode>(
      makeNode(CUDNN_BACKEND_ENGINE_DESCRIPTOR,
               CUDNN_ATTR_ENGINE_OPERATION_GRAPH, std::move(graph)));
  int64_t first = 0;
  engine->attributes[CUDNN_ATTR_ENGINE_GLOBAL_INDEX] =
      readAttribute(CUDNN_TYPE_INT64, 1, &first);
  return std::make_shared<BackendNode>(makeNode(
      CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, CUDNN_ATTR_ENGINECFG_ENGINE, engine));
}

/// The graph that a plan runs.
static const BackendNode &graphOfPlan(const BackendNode &plan) {
  PTXJIT_REQUIRE(plan.type == CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  return plan.need(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG)
      .need(CUDNN_ATTR_ENGINECFG_ENGINE)
      .need(CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
}

/// What follows from a descriptor, and was not set.
static Attribute deriveAttribute(const BackendNode &node,
                                 cudnnBackendAttributeName_t name) {
  auto number = [](int64_t value) {
    return readAttribute(CUDNN_TYPE_INT64, 1, &value);
  };
  switch (name) {
  case CUDNN_ATTR_ENGINEHEUR_RESULTS:
    return {CUDNN_TYPE_BACKEND_DESCRIPTOR,
            1,
            {},
            {makeConfig(node.node(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH))}};
  case CUDNN_ATTR_OPERATIONGRAPH_ENGINE_GLOBAL_COUNT:
    return number(1);
  case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
  case CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE:
    return number(0);
  case CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED: {
    int32_t none = 0;
    return readAttribute(CUDNN_TYPE_INT32, 1, &none);
  }
  // Nothing is to be chosen, or to be known about engines.
  case CUDNN_ATTR_ENGINECFG_KNOB_CHOICES:
  case CUDNN_ATTR_ENGINE_KNOB_INFO:
  case CUDNN_ATTR_ENGINE_LAYOUT_INFO:
    return {CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, {}, {}};
  case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
    return {CUDNN_TYPE_NUMERICAL_NOTE, 0, {}, {}};
  case CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE:
    return {CUDNN_TYPE_BEHAVIOR_NOTE, 0, {}, {}};
  case CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION: {
    std::string text = writeText(graphOfPlan(node));
    return readAttribute(CUDNN_TYPE_CHAR, int64_t(text.size()), text.data());
  }
  default:
    failBadParam("attribute " + std::to_string(int(name)) + " is not set");
  }
}

/// Writes elements to where the program wants them, as many as fit.
static void tell(const Attribute &attribute, int64_t requested,
                 void *elements) {
  int64_t count = std::min(requested, attribute.count);
  if (!elements || count <= 0)
    return;
  if (attribute.type != CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    std::memcpy(elements, attribute.bytes.data(),
                size_t(count) * sizeOfElement(attribute.type));
    return;
  }
  auto *handles = static_cast<cudnnBackendDescriptor_t *>(elements);
  for (int64_t i = 0; i < count; ++i) {
    std::shared_ptr<BackendNode> to = find(handles[i]);
    if (to->type != attribute.nodes[size_t(i)]->type)
      throw Failure{CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE,
                    "a descriptor of another type is expected"};
    *to = *attribute.nodes[size_t(i)];
  }
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnBackendGetAttribute(
    cudnnBackendDescriptor_t handle, cudnnBackendAttributeName_t name,
    cudnnBackendAttributeType_t type, int64_t requested, int64_t *count,
    void *elements) {
  return run(__func__, [&] {
    std::shared_ptr<BackendNode> node = find(handle);
    if (!node->isFinal)
      throw Failure{CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
                    "the descriptor is not final"};
    auto it = node->attributes.find(name);
    Attribute attribute = it != node->attributes.end()
                              ? it->second
                              : deriveAttribute(*node, name);
    if (attribute.type != type)
      throw Failure{CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE,
                    "the attribute has another type"};
    if (count)
      *count = attribute.count;
    tell(attribute, requested, elements);
  });
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnBackendCreateDescriptor(
    cudnnBackendDescriptorType_t type, cudnnBackendDescriptor_t *handle) {
  return run(__func__, [&] {
    PTXJIT_REQUIRE(handle != nullptr);
    PTXJIT_REQUIRE(type >= CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
    auto node = std::make_shared<BackendNode>();
    node->type = type;
    *handle = nodes().add(std::move(node));
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t handle) {
  return run(__func__, [&] {
    if (handle && !nodes().remove(handle))
      failBadParam("the argument is not a descriptor");
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnBackendInitialize(cudnnBackendDescriptor_t handle) {
  return run(__func__, [&] {
    std::shared_ptr<BackendNode> node = find(handle);
    node->attributes.clear();
    node->isFinal = false;
  });
}

/// A plan has a configuration, or the text of one that was kept.
static void finishPlan(BackendNode &plan) {
  auto text = plan.list<char>(CUDNN_ATTR_EXECUTION_PLAN_JSON_REPRESENTATION);
  if (text.empty()) {
    plan.need(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
    return;
  }
  std::shared_ptr<BackendNode> graph =
      readText(std::string(text.begin(), text.end()));
  graph->graph = makeGraph(*graph);
  plan.attributes[CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG] = {
      CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, {}, {makeConfig(graph)}};
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnBackendFinalize(cudnnBackendDescriptor_t handle) {
  return run(__func__, [&] {
    std::shared_ptr<BackendNode> node = find(handle);
    switch (node->type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      readTensor(*node); // checks
      break;
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      node->graph = makeGraph(*node);
      break;
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      node->need(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
      break;
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
      node->need(CUDNN_ATTR_ENGINE_OPERATION_GRAPH);
      if (node->value<int64_t>(CUDNN_ATTR_ENGINE_GLOBAL_INDEX) != 0)
        failBadParam("there is only engine 0");
      break;
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
      node->need(CUDNN_ATTR_ENGINECFG_ENGINE);
      break;
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      finishPlan(*node);
      break;
    default:
      break; // is checked where it is used
    }
    node->isFinal = true;
  });
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetExecutionPlanWorkspaceSize(
    cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
    cudnnBackendDescriptor_t, size_t *bytes) {
  return run(__func__, [&] {
    checkHandle(handle);
    graphOfPlan(*find(plan)); // checks
    PTXJIT_REQUIRE(bytes != nullptr);
    *bytes = 0;
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t planHandle,
                    cudnnBackendDescriptor_t packHandle) {
  return run(__func__, [&] {
    std::shared_ptr<BackendNode> plan = find(planHandle);
    std::shared_ptr<BackendNode> pack = find(packHandle);
    if (!plan->isFinal || !pack->isFinal)
      throw Failure{CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED,
                    "a descriptor is not final"};
    std::shared_ptr<const Graph> graph = graphOfPlan(*plan).graph;
    PTXJIT_REQUIRE(graph != nullptr);
    auto uids = pack->list<int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
    auto pointers = pack->list<void *>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
    if (uids.size() != pointers.size())
      failBadParam("expected as many pointers as numbers of tensors");
    std::map<int64_t, void *> byUid;
    for (size_t i = 0; i < uids.size(); ++i)
      byUid[uids[i]] = pointers[i];
    Arguments arguments = graph->bind(byUid);
    enqueue(handle, [=] { graph->run(arguments); });
  });
}
