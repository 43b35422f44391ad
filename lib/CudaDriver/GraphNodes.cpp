//===- GraphNodes.cpp - the steps of graphs, kind by kind ----------------===//

#include "Graph.h"

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
};

struct ChildOperation : Operation {
  Graph *graph; ///< a handle that lives as long as this
  explicit ChildOperation(std::unique_ptr<Graph> child) {
    child->isOwned = true;
    graph = getState().graphs.add(std::move(child));
  }
  ~ChildOperation() override { getState().graphs.remove(graph); }
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_GRAPH; }
  void run(Context &context) const override {
    std::vector<GraphNode *> order;
    graph->sort(order);
    for (GraphNode *node : order)
      node->operation->run(context);
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
  *out = reinterpret_cast<CUgraphNode>(
      graph->add(std::move(operation), std::move(nodes)));
  return CUDA_SUCCESS;
}

const Graph *cuda::childOf(const Operation &operation) {
  return operation.type() == CU_GRAPH_NODE_TYPE_GRAPH
             ? static_cast<const ChildOperation &>(operation).graph
             : nullptr;
}

/// Sets what a node does, in its graph or in an instance of that.
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
  GraphNode *twin = exec->find(node->id);
  if (!twin)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(exec->mutex);
  twin->operation = std::move(operation);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Nodes by kind
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuGraphAddEmptyNode,
                (CUgraphNode * out, CUgraph graph,
                 const CUgraphNode *dependencies, size_t count),
                out, graph, dependencies, count) {
  return addNode(out, graph, dependencies, count,
                 std::make_shared<EmptyOperation>());
}

/// The first version of the parameters has no `kern`.
static CUDA_KERNEL_NODE_PARAMS widen(const CUDA_KERNEL_NODE_PARAMS &params) {
  CUDA_KERNEL_NODE_PARAMS wide{};
  std::memcpy(&wide, &params, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
  return wide;
}

PTXJIT_CUDA_API(cuGraphAddKernelNode_v2,
                (CUgraphNode * out, CUgraph graph,
                 const CUgraphNode *dependencies, size_t count,
                 const CUDA_KERNEL_NODE_PARAMS *params),
                out, graph, dependencies, count, params) {
  OperationRef operation;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = makeLaunch(*params, LaunchOptions(), operation))
    return error;
  return addNode(out, graph, dependencies, count, std::move(operation));
}
PTXJIT_CUDA_API(cuGraphAddKernelNode,
                (CUgraphNode * out, CUgraph graph,
                 const CUgraphNode *dependencies, size_t count,
                 const CUDA_KERNEL_NODE_PARAMS *params),
                out, graph, dependencies, count, params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS wide = widen(*params);
  return cuGraphAddKernelNode_v2(out, graph, dependencies, count, &wide);
}

PTXJIT_CUDA_API(cuGraphKernelNodeGetParams_v2,
                (CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS *params), handle,
                params) {
  GraphNode *node;
  if (CUresult error = enterNode(handle, CU_GRAPH_NODE_TYPE_KERNEL, node))
    return error;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  *params = launchParams(*node->operation);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuGraphKernelNodeGetParams,
                (CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS *params), handle,
                params) {
  CUDA_KERNEL_NODE_PARAMS wide;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult error = cuGraphKernelNodeGetParams_v2(handle, &wide);
  if (!error)
    std::memcpy(params, &wide, offsetof(CUDA_KERNEL_NODE_PARAMS, kern));
  return error;
}
/// A launch with other parameters, and the attributes of `handle`.
static CUresult remakeLaunch(CUgraphNode handle,
                             const CUDA_KERNEL_NODE_PARAMS *params,
                             OperationRef &operation) {
  GraphNode *node;
  if (CUresult error = enterNode(handle, CU_GRAPH_NODE_TYPE_KERNEL, node))
    return error;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  return makeLaunch(*params, launchOptions(*node->operation), operation);
}

PTXJIT_CUDA_API(cuGraphKernelNodeSetParams_v2,
                (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params), node,
                params) {
  OperationRef operation;
  if (CUresult error = remakeLaunch(node, params, operation))
    return error;
  return setOperation(node, std::move(operation));
}
PTXJIT_CUDA_API(cuGraphKernelNodeSetParams,
                (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params), node,
                params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS wide = widen(*params);
  return cuGraphKernelNodeSetParams_v2(node, &wide);
}
PTXJIT_CUDA_API(cuGraphExecKernelNodeSetParams_v2,
                (CUgraphExec exec, CUgraphNode node,
                 const CUDA_KERNEL_NODE_PARAMS *params),
                exec, node, params) {
  OperationRef operation;
  if (CUresult error = remakeLaunch(node, params, operation))
    return error;
  return setOperation(exec, node, std::move(operation));
}
PTXJIT_CUDA_API(cuGraphExecKernelNodeSetParams,
                (CUgraphExec exec, CUgraphNode node,
                 const CUDA_KERNEL_NODE_PARAMS *params),
                exec, node, params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS wide = widen(*params);
  return cuGraphExecKernelNodeSetParams_v2(exec, node, &wide);
}

/// Gives a kernel's node other attributes.
static CUresult setOptions(CUgraphNode handle, const LaunchOptions &options) {
  GraphNode *node;
  OperationRef operation;
  if (CUresult error = enterNode(handle, CU_GRAPH_NODE_TYPE_KERNEL, node))
    return error;
  if (CUresult error =
          makeLaunch(launchParams(*node->operation), options, operation))
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
  LaunchOptions options = launchOptions(*node->operation);
  applyAttribute({attribute, {}, *value}, options);
  return setOptions(handle, options);
}
/// Attributes that are hints read 0.
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
  LaunchOptions options = launchOptions(*node->operation);
  if (attribute == CU_LAUNCH_ATTRIBUTE_COOPERATIVE)
    value->cooperative = options.cooperative;
  const Grid &cluster = options.cluster;
  if (attribute == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
    value->clusterDim = {cluster.x, cluster.y, cluster.z};
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuGraphKernelNodeCopyAttributes,
                (CUgraphNode to, CUgraphNode from), to, from) {
  GraphNode *source;
  if (CUresult error = enterNode(from, CU_GRAPH_NODE_TYPE_KERNEL, source))
    return error;
  return setOptions(to, launchOptions(*source->operation));
}

PTXJIT_CUDA_API(cuGraphAddMemcpyNode,
                (CUgraphNode * out, CUgraph graph,
                 const CUgraphNode *dependencies, size_t count,
                 const CUDA_MEMCPY3D *params, CUcontext context),
                out, graph, dependencies, count, params, context) {
  OperationRef operation;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = makeCopy(*params, operation))
    return error;
  return addNode(out, graph, dependencies, count, std::move(operation));
}
PTXJIT_CUDA_API(cuGraphMemcpyNodeGetParams,
                (CUgraphNode handle, CUDA_MEMCPY3D *params), handle, params) {
  GraphNode *node;
  if (CUresult error = enterNode(handle, CU_GRAPH_NODE_TYPE_MEMCPY, node))
    return error;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  *params = copyParams(*node->operation);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuGraphMemcpyNodeSetParams,
                (CUgraphNode node, const CUDA_MEMCPY3D *params), node, params) {
  OperationRef operation;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = makeCopy(*params, operation))
    return error;
  return setOperation(node, std::move(operation));
}
PTXJIT_CUDA_API(cuGraphExecMemcpyNodeSetParams,
                (CUgraphExec exec, CUgraphNode node,
                 const CUDA_MEMCPY3D *params, CUcontext context),
                exec, node, params, context) {
  OperationRef operation;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = makeCopy(*params, operation))
    return error;
  return setOperation(exec, node, std::move(operation));
}

PTXJIT_CUDA_API(cuGraphAddMemsetNode,
                (CUgraphNode * out, CUgraph graph,
                 const CUgraphNode *dependencies, size_t count,
                 const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context),
                out, graph, dependencies, count, params, context) {
  OperationRef operation;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = makeSet(*params, operation))
    return error;
  return addNode(out, graph, dependencies, count, std::move(operation));
}
PTXJIT_CUDA_API(cuGraphMemsetNodeGetParams,
                (CUgraphNode handle, CUDA_MEMSET_NODE_PARAMS *params), handle,
                params) {
  GraphNode *node;
  if (CUresult error = enterNode(handle, CU_GRAPH_NODE_TYPE_MEMSET, node))
    return error;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  *params = setParams(*node->operation);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuGraphMemsetNodeSetParams,
                (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params), node,
                params) {
  OperationRef operation;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = makeSet(*params, operation))
    return error;
  return setOperation(node, std::move(operation));
}
PTXJIT_CUDA_API(cuGraphExecMemsetNodeSetParams,
                (CUgraphExec exec, CUgraphNode node,
                 const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context),
                exec, node, params, context) {
  OperationRef operation;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = makeSet(*params, operation))
    return error;
  return setOperation(exec, node, std::move(operation));
}

PTXJIT_CUDA_API(cuGraphAddHostNode,
                (CUgraphNode * out, CUgraph graph,
                 const CUgraphNode *dependencies, size_t count,
                 const CUDA_HOST_NODE_PARAMS *params),
                out, graph, dependencies, count, params) {
  if (!params || !params->fn)
    return CUDA_ERROR_INVALID_VALUE;
  return addNode(out, graph, dependencies, count, makeHostCall(*params));
}
PTXJIT_CUDA_API(cuGraphHostNodeGetParams,
                (CUgraphNode handle, CUDA_HOST_NODE_PARAMS *params), handle,
                params) {
  GraphNode *node;
  if (CUresult error = enterNode(handle, CU_GRAPH_NODE_TYPE_HOST, node))
    return error;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  *params = hostParams(*node->operation);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuGraphHostNodeSetParams,
                (CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params), node,
                params) {
  if (!params || !params->fn)
    return CUDA_ERROR_INVALID_VALUE;
  return setOperation(node, makeHostCall(*params));
}
PTXJIT_CUDA_API(cuGraphExecHostNodeSetParams,
                (CUgraphExec exec, CUgraphNode node,
                 const CUDA_HOST_NODE_PARAMS *params),
                exec, node, params) {
  if (!params || !params->fn)
    return CUDA_ERROR_INVALID_VALUE;
  return setOperation(exec, node, makeHostCall(*params));
}

OperationRef cuda::makeChild(const Graph &graph) {
  return std::make_shared<ChildOperation>(graph.clone());
}
static CUresult makeChild(CUgraph handle, OperationRef &operation) {
  Graph *child;
  std::vector<GraphNode *> order;
  if (CUresult error = enterGraph(handle, child))
    return error;
  if (!child->sort(order))
    return CUDA_ERROR_INVALID_VALUE;
  operation = makeChild(*child);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuGraphAddChildGraphNode,
                (CUgraphNode * out, CUgraph graph,
                 const CUgraphNode *dependencies, size_t count, CUgraph child),
                out, graph, dependencies, count, child) {
  OperationRef operation;
  if (CUresult error = makeChild(child, operation))
    return error;
  return addNode(out, graph, dependencies, count, std::move(operation));
}
PTXJIT_CUDA_API(cuGraphChildGraphNodeGetGraph,
                (CUgraphNode handle, CUgraph *out), handle, out) {
  GraphNode *node;
  if (CUresult error = enterNode(handle, CU_GRAPH_NODE_TYPE_GRAPH, node))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUgraph>(
      static_cast<const ChildOperation &>(*node->operation).graph);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuGraphExecChildGraphNodeSetParams,
                (CUgraphExec exec, CUgraphNode node, CUgraph child), exec, node,
                child) {
  OperationRef operation;
  if (CUresult error = makeChild(child, operation))
    return error;
  return setOperation(exec, node, std::move(operation));
}

using MakeEvent = OperationRef (*)(Event *);

static CUresult makeEventOperation(CUevent handle, MakeEvent make,
                                   OperationRef &operation) {
  Event *event;
  if (CUresult error = findEvent(handle, event))
    return error;
  operation = make(event);
  return CUDA_SUCCESS;
}
static CUresult getEvent(CUgraphNode handle, CUgraphNodeType type,
                         CUevent *out) {
  GraphNode *node;
  if (CUresult error = enterNode(handle, type, node))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUevent>(eventOf(*node->operation));
  return CUDA_SUCCESS;
}

/// Four functions for each of the two kinds of event nodes.
#define PTXJIT_EVENT_NODE(Kind, TYPE, make)                                    \
  PTXJIT_CUDA_API(cuGraphAddEvent##Kind##Node,                                 \
                  (CUgraphNode * out, CUgraph graph,                           \
                   const CUgraphNode *dependencies, size_t count,              \
                   CUevent event),                                             \
                  out, graph, dependencies, count, event) {                    \
    OperationRef operation;                                                    \
    if (CUresult error = makeEventOperation(event, make, operation))           \
      return error;                                                            \
    return addNode(out, graph, dependencies, count, std::move(operation));     \
  }                                                                            \
  PTXJIT_CUDA_API(cuGraphEvent##Kind##NodeGetEvent,                            \
                  (CUgraphNode node, CUevent * out), node, out) {              \
    return getEvent(node, TYPE, out);                                          \
  }                                                                            \
  PTXJIT_CUDA_API(cuGraphEvent##Kind##NodeSetEvent,                            \
                  (CUgraphNode node, CUevent event), node, event) {            \
    OperationRef operation;                                                    \
    if (CUresult error = makeEventOperation(event, make, operation))           \
      return error;                                                            \
    return setOperation(node, std::move(operation));                           \
  }                                                                            \
  PTXJIT_CUDA_API(cuGraphExecEvent##Kind##NodeSetEvent,                        \
                  (CUgraphExec exec, CUgraphNode node, CUevent event), exec,   \
                  node, event) {                                               \
    OperationRef operation;                                                    \
    if (CUresult error = makeEventOperation(event, make, operation))           \
      return error;                                                            \
    return setOperation(exec, node, std::move(operation));                     \
  }
PTXJIT_EVENT_NODE(Record, CU_GRAPH_NODE_TYPE_EVENT_RECORD, makeRecord)
PTXJIT_EVENT_NODE(Wait, CU_GRAPH_NODE_TYPE_WAIT_EVENT, makeWait)

PTXJIT_CUDA_API(cuGraphAddNode_v2,
                (CUgraphNode * out, CUgraph graph,
                 const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
                 size_t count, CUgraphNodeParams *params),
                out, graph, dependencies, edges, count, params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  switch (params->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return cuGraphAddKernelNode_v2(out, graph, dependencies, count,
                                   &params->kernel);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return cuGraphAddMemcpyNode(out, graph, dependencies, count,
                                &params->memcpy.copyParams,
                                params->memcpy.copyCtx);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return cuGraphAddMemsetNode(out, graph, dependencies, count,
                                &params->memset, nullptr);
  case CU_GRAPH_NODE_TYPE_HOST:
    return cuGraphAddHostNode(out, graph, dependencies, count, &params->host);
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return cuGraphAddChildGraphNode(out, graph, dependencies, count,
                                    params->graph);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    return cuGraphAddEmptyNode(out, graph, dependencies, count);
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return cuGraphAddEventWaitNode(out, graph, dependencies, count,
                                   params->event);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return cuGraphAddEventRecordNode(out, graph, dependencies, count,
                                     params->event);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    return cuGraphAddMemAllocNode(out, graph, dependencies, count,
                                  &params->alloc);
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return cuGraphAddMemFreeNode(out, graph, dependencies, count, params->free);
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    return cuGraphAddBatchMemOpNode(out, graph, dependencies, count,
                                    &params->memOp);
  }
  return CUDA_ERROR_NOT_SUPPORTED;
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
  switch (params->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return cuGraphKernelNodeSetParams_v2(node, &params->kernel);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return cuGraphMemcpyNodeSetParams(node, &params->memcpy.copyParams);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return cuGraphMemsetNodeSetParams(node, &params->memset);
  case CU_GRAPH_NODE_TYPE_HOST:
    return cuGraphHostNodeSetParams(node, &params->host);
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return cuGraphEventWaitNodeSetEvent(node, params->event);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return cuGraphEventRecordNodeSetEvent(node, params->event);
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    return cuGraphBatchMemOpNodeSetParams(node, &params->memOp);
  default: // the others' parameters stay what they are
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}
PTXJIT_CUDA_API(cuGraphExecNodeSetParams,
                (CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params),
                exec, node, params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  switch (params->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return cuGraphExecKernelNodeSetParams_v2(exec, node, &params->kernel);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return cuGraphExecMemcpyNodeSetParams(
        exec, node, &params->memcpy.copyParams, params->memcpy.copyCtx);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return cuGraphExecMemsetNodeSetParams(exec, node, &params->memset, nullptr);
  case CU_GRAPH_NODE_TYPE_HOST:
    return cuGraphExecHostNodeSetParams(exec, node, &params->host);
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return cuGraphExecChildGraphNodeSetParams(exec, node, params->graph);
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return cuGraphExecEventWaitNodeSetEvent(exec, node, params->event);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return cuGraphExecEventRecordNodeSetEvent(exec, node, params->event);
  case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
    return cuGraphExecBatchMemOpNodeSetParams(exec, node, &params->memOp);
  default:
    return CUDA_ERROR_NOT_SUPPORTED;
  }
}
