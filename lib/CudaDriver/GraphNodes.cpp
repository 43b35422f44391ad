//===- GraphNodes.cpp - the nodes of graphs, kind by kind -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceNode.h"
#include "GraphNodeKinds.h"
#include "GraphPlan.h"

#include <algorithm>
#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Operations that only graphs have
//===----------------------------------------------------------------------===//

namespace {
struct EmptyOperation : Operation {
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_EMPTY; }
  void run(Context &) const override {}
  bool isShort() const override { return true; }
};

struct ChildOperation : NestedOperation {
  explicit ChildOperation(std::vector<std::unique_ptr<Graph>> child)
      : NestedOperation(std::move(child)) {}
  Graph &getGraph() const { return *getGraphs().front(); }
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_GRAPH; }
  OperationRef clone(bool newIds) const override {
    return std::make_shared<ChildOperation>(cloneGraphs(newIds));
  }
  OperationRef plan(bool usesPriorities) const override {
    return std::make_shared<GraphPlan>(getGraph(), usesPriorities);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

CUresult cuda::enterNode(CUgraphNode handle, CUgraphNodeType type,
                         GraphNode *&node) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  node = reinterpret_cast<GraphNode *>(handle);
  if (!getState().graphNodes.contains(node) || node->operation->type() != type)
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}

CUresult cuda::findNodes(Graph &graph, const CUgraphNode *handles, size_t count,
                         std::vector<GraphNode *> &nodes) {
  if (count && !handles)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    auto *node = reinterpret_cast<GraphNode *>(handles[i]);
    bool isNew = std::find(nodes.begin(), nodes.end(), node) == nodes.end();
    if (!graph.contains(node) || !isNew)
      return CUDA_ERROR_INVALID_VALUE;
    nodes.push_back(node);
  }
  return CUDA_SUCCESS;
}

CUresult cuda::addNode(CUgraphNode *out, CUgraph handle,
                       const CUgraphNode *dependencies, size_t count,
                       OperationRef operation) {
  Graph *graph;
  std::vector<GraphNode *> nodes;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = findNodes(*graph, dependencies, count, nodes))
    return error;
  if (!mayHold(*graph, *operation))
    return CUDA_ERROR_NOT_SUPPORTED;
  *out = reinterpret_cast<CUgraphNode>(
      graph->add(std::move(operation), std::move(nodes)));
  return CUDA_SUCCESS;
}

CUresult cuda::setOperation(CUgraphNode handle, OperationRef operation) {
  GraphNode *node;
  if (CUresult error = enterNode(handle, operation->type(), node))
    return error;
  node->operation = std::move(operation);
  return CUDA_SUCCESS;
}
CUresult cuda::setOperation(CUgraphExec execHandle, CUgraphNode handle,
                            OperationRef operation) {
  GraphExec *exec;
  GraphNode *node;
  if (CUresult error = enterExec(execHandle, exec))
    return error;
  if (CUresult error = enterNode(handle, operation->type(), node))
    return error;
  std::lock_guard<std::mutex> lock(exec->mutex);
  GraphNode *twin = exec->graph->find(node->id);
  if (!twin)
    return CUDA_ERROR_INVALID_VALUE;
  if (!canReplace(*twin->operation, *operation))
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  replaceOperation(*twin, std::move(operation));
  exec->plan = nullptr;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

CUresult KernelNode::make(const Value &value, OperationRef &operation) {
  return makeLaunch(value, LaunchAttributes(), operation);
}
CUresult KernelNode::remake(const Operation &old, const Value &value,
                            OperationRef &operation) {
  return makeLaunch(value, launchAttributes(old), operation);
}
void KernelNode::read(const Operation &operation, Value &value) {
  value = launchParams(operation);
}

/// Copies the members that both versions of the parameters have.
static void copyOldParams(CUDA_KERNEL_NODE_PARAMS &to,
                          const CUDA_KERNEL_NODE_PARAMS &from) {
  std::memcpy(&to, &from, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
}
CUresult OldKernelNode::make(const Value &value, OperationRef &operation) {
  Value wide{};
  copyOldParams(wide, value);
  return KernelNode::make(wide, operation);
}
CUresult OldKernelNode::remake(const Operation &old, const Value &value,
                               OperationRef &operation) {
  Value wide{};
  copyOldParams(wide, value);
  return KernelNode::remake(old, wide, operation);
}
void OldKernelNode::read(const Operation &operation, Value &value) {
  copyOldParams(value, launchParams(operation));
}

CUresult CopyNode::make(const Value &value, OperationRef &operation) {
  return makeCopy(value, operation);
}
void CopyNode::read(const Operation &operation, Value &value) {
  value = copyParams(operation);
}

CUresult FillNode::make(const Value &value, OperationRef &operation) {
  return makeSet(value, operation);
}
void FillNode::read(const Operation &operation, Value &value) {
  value = setParams(operation);
}

CUresult HostNode::make(const Value &value, OperationRef &operation) {
  if (!value.fn)
    return CUDA_ERROR_INVALID_VALUE;
  operation = makeHostCall(value);
  return CUDA_SUCCESS;
}
void HostNode::read(const Operation &operation, Value &value) {
  value = hostParams(operation);
}

OperationRef cuda::makeChild(const Graph &graph) {
  std::vector<std::unique_ptr<Graph>> child;
  child.push_back(graph.clone(/*newIds=*/true));
  return std::make_shared<ChildOperation>(std::move(child));
}
CUresult ChildNode::make(CUgraph handle, OperationRef &operation) {
  Graph *child;
  std::vector<GraphNode *> order;
  if (CUresult error = enterGraph(handle, child))
    return error;
  if (!child->sort(order))
    return CUDA_ERROR_INVALID_VALUE;
  if (isUnique(*child))
    return CUDA_ERROR_NOT_SUPPORTED; // may be in one graph only
  operation = makeChild(*child);
  return CUDA_SUCCESS;
}
/// Adds a child node that owns `child` itself, so that the graph may be one
/// that cannot be copied.
static CUresult addOwnedChild(CUgraphNode *out, CUgraph handle,
                              const CUgraphNode *dependencies, size_t count,
                              CUgraph childHandle) {
  Graph *graph, *child;
  std::vector<GraphNode *> nodes, order;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  if (CUresult error = enterGraph(childHandle, child))
    return error;
  if (!out || child->isOwned || !child->instance.expired() ||
      !child->sort(order))
    return CUDA_ERROR_INVALID_VALUE;
  for (const Graph *around = graph; around; around = around->parent)
    if (around == child)
      return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = findNodes(*graph, dependencies, count, nodes))
    return error;
  if (!mayHold(*graph, *child))
    return CUDA_ERROR_NOT_SUPPORTED;
  std::vector<std::unique_ptr<Graph>> owned;
  owned.push_back(getState().graphs.remove(childHandle));
  *out = reinterpret_cast<CUgraphNode>(graph->add(
      std::make_shared<ChildOperation>(std::move(owned)), std::move(nodes)));
  return CUDA_SUCCESS;
}

void ChildNode::read(const Operation &operation, CUgraph &graph) {
  graph = reinterpret_cast<CUgraph>(
      &static_cast<const ChildOperation &>(operation).getGraph());
}

CUresult RecordNode::make(CUevent handle, OperationRef &operation) {
  Event *event;
  if (CUresult error = findEvent(handle, event))
    return error;
  operation = makeRecord(event);
  return CUDA_SUCCESS;
}
void RecordNode::read(const Operation &operation, CUevent &event) {
  event = reinterpret_cast<CUevent>(eventOf(operation));
}

CUresult WaitNode::make(CUevent handle, OperationRef &operation) {
  Event *event;
  if (CUresult error = findEvent(handle, event))
    return error;
  operation = makeWait(event);
  return CUDA_SUCCESS;
}
void WaitNode::read(const Operation &operation, CUevent &event) {
  event = reinterpret_cast<CUevent>(eventOf(operation));
}

//===----------------------------------------------------------------------===//
// Functions for nodes of one kind
//===----------------------------------------------------------------------===//

// Each line defines a function of the interface. Those that end in `context`
// have one more parameter, a context, which we do not need.
#define PTXJIT_ADD_NODE(name, Kind, ...)                                       \
  PTXJIT_CUDA_API(                                                             \
      name,                                                                    \
      (CUgraphNode * out, CUgraph graph, const CUgraphNode *dependencies,      \
       size_t count, Kind::Argument from __VA_OPT__(, CUcontext) __VA_ARGS__), \
      out, graph, dependencies, count, from __VA_OPT__(, ) __VA_ARGS__) {      \
    return addNodeOf<Kind>(out, graph, dependencies, count, from);             \
  }
#define PTXJIT_READ_NODE(name, Kind)                                           \
  PTXJIT_CUDA_API(name, (CUgraphNode node, Kind::Value * value), node,         \
                  value) {                                                     \
    return readNode<Kind>(node, value);                                        \
  }
#define PTXJIT_CHANGE_NODE(name, Kind)                                         \
  PTXJIT_CUDA_API(name, (CUgraphNode node, Kind::Argument from), node, from) { \
    return changeNode<Kind>(node, from);                                       \
  }
#define PTXJIT_CHANGE_INSTANCE(name, Kind, ...)                                \
  PTXJIT_CUDA_API(name,                                                        \
                  (CUgraphExec exec, CUgraphNode node,                         \
                   Kind::Argument from __VA_OPT__(, CUcontext) __VA_ARGS__),   \
                  exec, node, from __VA_OPT__(, ) __VA_ARGS__) {               \
    return changeNode<Kind>(exec, node, from);                                 \
  }

// clang-format off
PTXJIT_ADD_NODE(cuGraphAddKernelNode_v2, KernelNode)
PTXJIT_ADD_NODE(cuGraphAddKernelNode, OldKernelNode)
PTXJIT_ADD_NODE(cuGraphAddMemcpyNode, CopyNode, context)
PTXJIT_ADD_NODE(cuGraphAddMemsetNode, FillNode, context)
PTXJIT_ADD_NODE(cuGraphAddHostNode, HostNode)
PTXJIT_ADD_NODE(cuGraphAddChildGraphNode, ChildNode)
PTXJIT_ADD_NODE(cuGraphAddEventRecordNode, RecordNode)
PTXJIT_ADD_NODE(cuGraphAddEventWaitNode, WaitNode)
PTXJIT_ADD_NODE(cuGraphAddBatchMemOpNode, BatchNode)
PTXJIT_ADD_NODE(cuGraphAddExternalSemaphoresSignalNode, SignalNode)
PTXJIT_ADD_NODE(cuGraphAddExternalSemaphoresWaitNode, SemaphoreWaitNode)

PTXJIT_READ_NODE(cuGraphKernelNodeGetParams_v2, KernelNode)
PTXJIT_READ_NODE(cuGraphKernelNodeGetParams, OldKernelNode)
PTXJIT_READ_NODE(cuGraphMemcpyNodeGetParams, CopyNode)
PTXJIT_READ_NODE(cuGraphMemsetNodeGetParams, FillNode)
PTXJIT_READ_NODE(cuGraphHostNodeGetParams, HostNode)
PTXJIT_READ_NODE(cuGraphChildGraphNodeGetGraph, ChildNode)
PTXJIT_READ_NODE(cuGraphEventRecordNodeGetEvent, RecordNode)
PTXJIT_READ_NODE(cuGraphEventWaitNodeGetEvent, WaitNode)
PTXJIT_READ_NODE(cuGraphMemAllocNodeGetParams, AllocNode)
PTXJIT_READ_NODE(cuGraphMemFreeNodeGetParams, FreeNode)
PTXJIT_READ_NODE(cuGraphBatchMemOpNodeGetParams, BatchNode)
PTXJIT_READ_NODE(cuGraphExternalSemaphoresSignalNodeGetParams, SignalNode)
PTXJIT_READ_NODE(cuGraphExternalSemaphoresWaitNodeGetParams, SemaphoreWaitNode)

PTXJIT_CHANGE_NODE(cuGraphKernelNodeSetParams_v2, KernelNode)
PTXJIT_CHANGE_NODE(cuGraphKernelNodeSetParams, OldKernelNode)
PTXJIT_CHANGE_NODE(cuGraphMemcpyNodeSetParams, CopyNode)
PTXJIT_CHANGE_NODE(cuGraphMemsetNodeSetParams, FillNode)
PTXJIT_CHANGE_NODE(cuGraphHostNodeSetParams, HostNode)
PTXJIT_CHANGE_NODE(cuGraphEventRecordNodeSetEvent, RecordNode)
PTXJIT_CHANGE_NODE(cuGraphEventWaitNodeSetEvent, WaitNode)
PTXJIT_CHANGE_NODE(cuGraphBatchMemOpNodeSetParams, BatchNode)
PTXJIT_CHANGE_NODE(cuGraphExternalSemaphoresSignalNodeSetParams, SignalNode)
PTXJIT_CHANGE_NODE(cuGraphExternalSemaphoresWaitNodeSetParams, SemaphoreWaitNode)

PTXJIT_CHANGE_INSTANCE(cuGraphExecKernelNodeSetParams_v2, KernelNode)
PTXJIT_CHANGE_INSTANCE(cuGraphExecKernelNodeSetParams, OldKernelNode)
PTXJIT_CHANGE_INSTANCE(cuGraphExecMemcpyNodeSetParams, CopyNode, context)
PTXJIT_CHANGE_INSTANCE(cuGraphExecMemsetNodeSetParams, FillNode, context)
PTXJIT_CHANGE_INSTANCE(cuGraphExecHostNodeSetParams, HostNode)
PTXJIT_CHANGE_INSTANCE(cuGraphExecChildGraphNodeSetParams, ChildNode)
PTXJIT_CHANGE_INSTANCE(cuGraphExecEventRecordNodeSetEvent, RecordNode)
PTXJIT_CHANGE_INSTANCE(cuGraphExecEventWaitNodeSetEvent, WaitNode)
PTXJIT_CHANGE_INSTANCE(cuGraphExecBatchMemOpNodeSetParams, BatchNode)
PTXJIT_CHANGE_INSTANCE(cuGraphExecExternalSemaphoresSignalNodeSetParams, SignalNode)
PTXJIT_CHANGE_INSTANCE(cuGraphExecExternalSemaphoresWaitNodeSetParams, SemaphoreWaitNode)
// clang-format on

PTXJIT_CUDA_API(cuGraphAddEmptyNode,
                (CUgraphNode * out, CUgraph graph,
                 const CUgraphNode *dependencies, size_t count),
                out, graph, dependencies, count) {
  return addNode(out, graph, dependencies, count,
                 std::make_shared<EmptyOperation>());
}

//===----------------------------------------------------------------------===//
// Functions for nodes of any kind
//===----------------------------------------------------------------------===//

/// Calls `visit` with the kind of a node and with what the node is made from.
/// Empty nodes and nodes of memory have no kind here; callers handle them.
template <typename Visitor>
static CUresult visitKind(const CUgraphNodeParams &params, Visitor visit) {
  switch (params.type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return visit(KernelNode(), &params.kernel);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return visit(CopyNode(), &params.memcpy.copyParams);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return visit(FillNode(), &params.memset);
  case CU_GRAPH_NODE_TYPE_HOST:
    return visit(HostNode(), &params.host);
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return visit(ChildNode(), params.graph);
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return visit(WaitNode(), params.event);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return visit(RecordNode(), params.event);
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    return visit(BatchNode(), &params.memOp);
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL:
    return visit(SignalNode(), &params.extSemaphores);
  case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT:
    return visit(SemaphoreWaitNode(), &params.extSemaphores);
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}

PTXJIT_CUDA_API(cuGraphAddNode_v2,
                (CUgraphNode * out, CUgraph graph,
                 const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
                 size_t count, CUgraphNodeParams *params),
                out, graph, dependencies, edges, count, params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  if (params->type == CU_GRAPH_NODE_TYPE_EMPTY)
    return cuGraphAddEmptyNode(out, graph, dependencies, count);
  if (params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    return cuGraphAddMemAllocNode(out, graph, dependencies, count,
                                  &params->alloc);
  if (params->type == CU_GRAPH_NODE_TYPE_MEM_FREE)
    return cuGraphAddMemFreeNode(out, graph, dependencies, count, params->free);
  if (params->type == CU_GRAPH_NODE_TYPE_GRAPH &&
      params->child.ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE)
    return params->child.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE
               ? addOwnedChild(out, graph, dependencies, count,
                               params->child.graph)
               : CUDA_ERROR_INVALID_VALUE;
  if (params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    return addConditionalNode(out, graph, dependencies, count,
                              params->conditional);
  return visitKind(*params, [&](auto kind, auto from) {
    return addNodeOf<decltype(kind)>(out, graph, dependencies, count, from);
  });
}
PTXJIT_CUDA_API(cuGraphAddNode,
                (CUgraphNode * out, CUgraph graph,
                 const CUgraphNode *dependencies, size_t count,
                 CUgraphNodeParams *params),
                out, graph, dependencies, count, params) {
  return cuGraphAddNode_v2(out, graph, dependencies, nullptr, count, params);
}

PTXJIT_CUDA_API(cuGraphNodeSetParams,
                (CUgraphNode node, CUgraphNodeParams *params), node, params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  return visitKind(*params, [&](auto kind, auto from) {
    return kind.kChanges == Changes::Everywhere
               ? changeNode<decltype(kind)>(node, from)
               : CUDA_ERROR_NOT_SUPPORTED;
  });
}
PTXJIT_CUDA_API(cuGraphExecNodeSetParams,
                (CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params),
                exec, node, params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  return visitKind(*params, [&](auto kind, auto from) {
    return kind.kChanges != Changes::Nowhere
               ? changeNode<decltype(kind)>(exec, node, from)
               : CUDA_ERROR_NOT_SUPPORTED;
  });
}

//===----------------------------------------------------------------------===//
// Attributes of kernels
//===----------------------------------------------------------------------===//

/// Replaces the attributes of a kernel node.
static CUresult setAttributes(CUgraphNode handle,
                              const LaunchAttributes &attributes) {
  GraphNode *node;
  OperationRef operation;
  if (CUresult error = enterNode(handle, CU_GRAPH_NODE_TYPE_KERNEL, node))
    return error;
  if (CUresult error =
          makeLaunch(launchParams(*node->operation), attributes, operation))
    return error;
  return setOperation(handle, std::move(operation));
}

PTXJIT_CUDA_API(cuGraphKernelNodeSetAttribute,
                (CUgraphNode handle, int attribute,
                 const CUlaunchAttributeValue *value),
                handle, attribute, value) {
  GraphNode *node;
  if (CUresult error = enterNode(handle, CU_GRAPH_NODE_TYPE_KERNEL, node))
    return error;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  LaunchAttributes attributes = launchAttributes(*node->operation);
  if (attribute == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE) {
    // CUDA returns the handle here, though the pointer is one to a constant.
    if (CUresult error = makeUpdatable(
            const_cast<CUlaunchAttributeValue &>(*value), attributes))
      return error;
  }
  applyAttribute({attribute, {}, *value}, attributes);
  return setAttributes(handle, attributes);
}
/// An attribute that is only a hint reads as 0.
PTXJIT_CUDA_API(cuGraphKernelNodeGetAttribute,
                (CUgraphNode handle, int attribute,
                 CUlaunchAttributeValue *value),
                handle, attribute, value) {
  GraphNode *node;
  if (CUresult error = enterNode(handle, CU_GRAPH_NODE_TYPE_KERNEL, node))
    return error;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  *value = {};
  LaunchAttributes attributes = launchAttributes(*node->operation);
  if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
    value->cooperative = attributes.cooperative;
  if (attribute == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE)
    describeUpdatable(attributes, *value);
  if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
    value->priority = attributes.priority;
  const Grid &cluster = attributes.cluster;
  if (attribute == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
    value->clusterDim = {cluster.x, cluster.y, cluster.z};
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuGraphKernelNodeCopyAttributes,
                (CUgraphNode to, CUgraphNode from), to, from) {
  GraphNode *source, *target;
  if (CUresult error = enterNode(from, CU_GRAPH_NODE_TYPE_KERNEL, source))
    return error;
  if (CUresult error = enterNode(to, CU_GRAPH_NODE_TYPE_KERNEL, target))
    return error;
  if (isUpdatable(*source) || isUpdatable(*target))
    return CUDA_ERROR_INVALID_VALUE; // kernels have the handle of one node
  return setAttributes(to, launchAttributes(*source->operation));
}
