//===- GraphInstances.cpp - instances of graphs, and their launches -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceNode.h"
#include "GraphPlan.h"

#include <algorithm>
#include <set>
#include <unordered_map>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Instantiation
//===----------------------------------------------------------------------===//

namespace {
/// Why a graph has no instance. The node may be null.
struct Refusal {
  CUgraphInstantiateResult why = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  const GraphNode *node = nullptr;
  CUresult error = CUDA_SUCCESS;
};
} // namespace

/// A node that is in a cycle, or behind one; null if there is none.
static const GraphNode *findCycle(const Graph &graph) {
  std::vector<GraphNode *> order;
  if (!graph.sort(order))
    for (auto &node : graph.nodes)
      if (std::find(order.begin(), order.end(), node.get()) == order.end())
        return node.get();
  for (auto &node : graph.nodes)
    if (const NestedOperation *nested = nestedIn(*node->operation))
      for (const Graph *inside : nested->getGraphs())
        if (const GraphNode *found = findCycle(*inside))
          return found;
  return nullptr;
}

static bool isOnDevice(const CUDA_MEMCPY3D &copy) {
  return copy.srcMemoryType != CU_MEMORYTYPE_ARRAY &&
         copy.dstMemoryType != CU_MEMORYTYPE_ARRAY;
}

/// Is the node something that a graph for launches by kernels may hold?
static bool mayRunFromDevice(const GraphNode &node) {
  const Operation &operation = *node.operation;
  switch (operation.type()) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
  case CU_GRAPH_NODE_TYPE_MEMSET:
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return true;
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return isOnDevice(copyParams(operation));
  default:
    return false;
  }
}

/// Checks a graph that kernels are to launch.
static Refusal checkForDevice(const Graph &graph) {
  const GraphNode *bad = nullptr;
  bool isEmpty = true;
  anyNode(graph, [&](const GraphNode &node) {
    if (!mayRunFromDevice(node))
      bad = &node;
    isEmpty &= node.operation->type() == CU_GRAPH_NODE_TYPE_GRAPH;
    return bad != nullptr;
  });
  if (bad)
    return {CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, bad,
            CUDA_ERROR_NOT_SUPPORTED};
  if (isEmpty)
    return {CUDA_GRAPH_INSTANTIATE_ERROR, nullptr, CUDA_ERROR_INVALID_VALUE};
  return {};
}

static Refusal check(const Graph &graph, uint64_t flags) {
  constexpr uint64_t kAll = 15,
                     kNotTogether =
                         CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH |
                         CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
  if (flags & ~kAll || (flags & kNotTogether) == kNotTogether)
    return {CUDA_GRAPH_INSTANTIATE_ERROR, nullptr, CUDA_ERROR_INVALID_VALUE};
  if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH &&
      hasMemoryNodes(graph))
    return {CUDA_GRAPH_INSTANTIATE_ERROR, nullptr, CUDA_ERROR_INVALID_VALUE};
  if (const GraphNode *node = findCycle(graph))
    return {CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, node,
            CUDA_ERROR_INVALID_VALUE};
  if (!testsAllConditions(graph))
    return {CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED, nullptr,
            CUDA_ERROR_INVALID_VALUE};
  if (!graph.instance.expired() && isUnique(graph))
    return {CUDA_GRAPH_INSTANTIATE_ERROR, nullptr,
            hasMemoryNodes(graph) ? CUDA_ERROR_NOT_SUPPORTED
                                  : CUDA_ERROR_INVALID_VALUE};
  return flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH
             ? checkForDevice(graph)
             : Refusal();
}

/// Makes an instance. The caller has called enter().
static Refusal instantiate(CUgraphExec *out, CUgraph handle, uint64_t flags) {
  Graph *graph;
  if (CUresult error = enterGraph(handle, graph))
    return {CUDA_GRAPH_INSTANTIATE_ERROR, nullptr, error};
  if (!out)
    return {CUDA_GRAPH_INSTANTIATE_ERROR, nullptr, CUDA_ERROR_INVALID_VALUE};
  Refusal refusal = check(*graph, flags);
  if (refusal.error)
    return refusal;
  auto exec = std::make_unique<GraphExec>();
  exec->graph = graph->clone();
  exec->flags = flags;
  exec->turn = std::make_shared<Turn>();
  graph->instance = exec->instance;
  *out =
      reinterpret_cast<CUgraphExec>(getState().graphExecs.add(std::move(exec)));
  return {};
}

PTXJIT_CUDA_API(cuGraphInstantiateWithFlags,
                (CUgraphExec * out, CUgraph graph, unsigned long long flags),
                out, graph, flags) {
  return instantiate(out, graph, flags).error;
}
PTXJIT_CUDA_API(cuGraphInstantiate_v2,
                (CUgraphExec * out, CUgraph graph, CUgraphNode *errorNode,
                 char *text, size_t bytes),
                out, graph, errorNode, text, bytes) {
  Refusal refusal = instantiate(out, graph, 0);
  if (errorNode)
    *errorNode =
        reinterpret_cast<CUgraphNode>(const_cast<GraphNode *>(refusal.node));
  if (text && bytes)
    *text = 0;
  return refusal.error;
}
PTXJIT_CUDA_API(cuGraphInstantiate,
                (CUgraphExec * out, CUgraph graph, CUgraphNode *errorNode,
                 char *text, size_t bytes),
                out, graph, errorNode, text, bytes) {
  return cuGraphInstantiate_v2(out, graph, errorNode, text, bytes);
}
PTXJIT_CUDA_STREAM_API(cuGraphInstantiateWithParams, _ptsz,
                       (CUgraphExec * out, CUgraph graph,
                        CUDA_GRAPH_INSTANTIATE_PARAMS *params),
                       out, graph, params) {
  Context *context;
  StreamObject *stream;
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  Refusal refusal{CUDA_GRAPH_INSTANTIATE_ERROR, nullptr, CUDA_SUCCESS};
  if (params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD)
    refusal.error = enterStream(params->hUploadStream, context, stream);
  if (!refusal.error)
    refusal = instantiate(out, graph, params->flags);
  if (!refusal.error && params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD)
    cuGraphUpload(*out, params->hUploadStream);
  params->hErrNode_out =
      reinterpret_cast<CUgraphNode>(const_cast<GraphNode *>(refusal.node));
  params->result_out = refusal.why;
  return refusal.error;
}

PTXJIT_CUDA_API(cuGraphExecDestroy, (CUgraphExec handle), handle) {
  GraphExec *exec;
  if (CUresult error = enterExec(handle, exec))
    return error;
  getState().graphExecs.remove(exec);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuGraphExecGetFlags, (CUgraphExec handle, uint64_t *flags),
                handle, flags) {
  GraphExec *exec;
  if (CUresult error = enterExec(handle, exec))
    return error;
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = exec->flags;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

InstancePlan::InstancePlan(const GraphExec &exec)
    : deviceHandle(exec.flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH
                       ? reinterpret_cast<uint64_t>(&exec)
                       : 0),
      usesPriorities(exec.flags &
                     CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY),
      memory(memoryOfLaunch(*exec.graph)), turn(exec.turn),
      graph(*exec.graph, usesPriorities) {
  collectConditions(*exec.graph, conditions);
  anyNode(*exec.graph, [&](const GraphNode &node) {
    if (isUpdatable(node))
      updatable.push_back({node.operation, node.isEnabled});
    return false;
  });
}

void InstancePlan::load() const {
  std::call_once(isLoaded, [this] {
    for (const Updatable &node : updatable)
      loadDeviceNode(*node.launch, node.isEnabled);
  });
}

void InstancePlan::run(Context &context) const {
  load();
  for (auto &condition : conditions)
    if (condition->initial)
      condition->value = *condition->initial;
  graph.run(context);
}

std::shared_ptr<const InstancePlan> cuda::findDevicePlan(uint64_t handle) {
  auto *exec = reinterpret_cast<GraphExec *>(handle);
  if (!getState().graphExecs.contains(exec) ||
      !(exec->flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH))
    return nullptr;
  std::lock_guard<std::mutex> lock(exec->mutex);
  return exec->plan;
}

namespace {
/// A launch or an upload of an instance, as one step of a stream. It begins
/// when the one before it has ended.
struct GraphLaunch : Operation {
  std::shared_ptr<const InstancePlan> plan;
  /// The one before, if it is in another stream.
  std::shared_ptr<Progress> before;
  uint64_t ticket = 0;

  bool uploads = false;        ///< instead of running
  std::optional<int> priority; ///< RunningGraph::priority

  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_GRAPH; }
  void run(Context &context) const override {
    if (before)
      before->wait(ticket);
    if (uploads)
      return plan->load();
    RunningGraphScope scope({nullptr, priority});
    runInstance(plan, context);
  }
};
} // namespace

/// Submits a launch or an upload. The lock keeps the order of launches that of
/// the streams.
static CUresult submit(GraphExec &exec, Context &context, StreamObject &stream,
                       bool uploads) {
  auto launch = std::make_shared<GraphLaunch>();
  launch->uploads = uploads;
  std::lock_guard<std::mutex> lock(exec.mutex);
  if (!exec.plan)
    exec.plan = std::make_shared<InstancePlan>(exec);
  launch->plan = exec.plan;
  if (!exec.plan->usesPriorities)
    launch->priority = stream.priority;
  const LaunchMemory &memory = exec.plan->memory;
  if (!uploads)
    if (CUresult error = checkLaunch(
            memory,
            exec.flags & CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH))
      return error;
  const std::shared_ptr<Progress> &progress = stream.work->getProgress();
  if (exec.progress != progress)
    launch->before = exec.progress;
  launch->ticket = exec.ticket;
  uint64_t ticket;
  if (CUresult error = enqueue(context, stream, std::move(launch),
                               /*wait=*/false, &ticket))
    return error;
  exec.progress = progress;
  exec.ticket = ticket;
  if (!uploads)
    for (std::shared_ptr<void> &freed : commitLaunch(memory))
      if (CUresult error =
              enqueue(context, stream, makeRelease(std::move(freed))))
        return error;
  return CUDA_SUCCESS;
}

/// Calls enterStream() for the stream of a launch and finds the instance, which
/// belongs to no context.
static CUresult enterLaunch(CUgraphExec handle, CUstream streamHandle,
                            GraphExec *&exec, Context *&context,
                            StreamObject *&stream) {
  if (CUresult error = enterStream(streamHandle, context, stream))
    return error;
  exec = reinterpret_cast<GraphExec *>(handle);
  return getState().graphExecs.contains(exec) ? CUDA_SUCCESS
                                              : CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_STREAM_API(cuGraphLaunch, _ptsz,
                       (CUgraphExec handle, CUstream streamHandle), handle,
                       streamHandle) {
  Context *context;
  StreamObject *stream;
  GraphExec *exec;
  if (CUresult error = enterLaunch(handle, streamHandle, exec, context, stream))
    return error;
  if (!stream->capture)
    return submit(*exec, *context, *stream, /*uploads=*/false);
  std::lock_guard<std::mutex> lock(exec->mutex);
  if (hasMemoryNodes(*exec->graph)) {
    stream->capture->isInvalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  if (isUnique(*exec->graph))
    return CUDA_ERROR_NOT_SUPPORTED; // see ChildNode::make
  // A child node, so that programs can find it in the graph.
  return enqueue(*context, *stream, makeChild(*exec->graph));
}
PTXJIT_CUDA_STREAM_API(cuGraphUpload, _ptsz,
                       (CUgraphExec handle, CUstream streamHandle), handle,
                       streamHandle) {
  Context *context;
  StreamObject *stream;
  GraphExec *exec;
  if (CUresult error = enterLaunch(handle, streamHandle, exec, context, stream))
    return error;
  if (stream->capture)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return submit(*exec, *context, *stream, /*uploads=*/true);
}

/// Finds an instance and its node that corresponds to the node `handle`. Locks
/// the instance, so that the node stays.
static CUresult enterTwin(CUgraphExec execHandle, CUgraphNode handle,
                          GraphExec *&exec, GraphNode *&twin,
                          std::unique_lock<std::mutex> &lock) {
  GraphNode *node;
  if (CUresult error = enterExec(execHandle, exec))
    return error;
  if (CUresult error = findNode(handle, node))
    return error;
  lock = std::unique_lock<std::mutex>(exec->mutex);
  twin = exec->graph->find(node->id);
  return twin ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuGraphNodeSetEnabled,
                (CUgraphExec execHandle, CUgraphNode handle, unsigned enabled),
                execHandle, handle, enabled) {
  GraphExec *exec;
  GraphNode *twin;
  std::unique_lock<std::mutex> lock;
  if (CUresult error = enterTwin(execHandle, handle, exec, twin, lock))
    return error;
  if (twin->operation->type() > CU_GRAPH_NODE_TYPE_MEMSET)
    return CUDA_ERROR_INVALID_VALUE;
  twin->isEnabled = enabled;
  exec->plan = nullptr;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuGraphNodeGetEnabled,
                (CUgraphExec execHandle, CUgraphNode handle, unsigned *enabled),
                execHandle, handle, enabled) {
  GraphExec *exec;
  GraphNode *twin;
  std::unique_lock<std::mutex> lock;
  if (CUresult error = enterTwin(execHandle, handle, exec, twin, lock))
    return error;
  if (!enabled)
    return CUDA_ERROR_INVALID_VALUE;
  *enabled = twin->isEnabled;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

static CUgraphExecUpdateResult compare(const Graph &a, const Graph &b,
                                       const GraphNode *&culprit);

/// Can the work of one node replace that of the other?
static CUgraphExecUpdateResult compare(const Operation &a, const Operation &b,
                                       const GraphNode *&culprit) {
  if (a.type() != b.type())
    return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
  if (a.type() == CU_GRAPH_NODE_TYPE_CONDITIONAL && !isSameKind(a, b))
    return CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  const NestedOperation *from = nestedIn(a), *to = nestedIn(b);
  for (size_t i = 0; from && i < from->getGraphs().size(); ++i)
    if (CUgraphExecUpdateResult result =
            compare(*from->getGraphs()[i], *to->getGraphs()[i], culprit))
      return result;
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

/// Do the graphs have the same shape? If so node i of one is node i of the
/// other. If not `culprit` is a node of `b`, or null.
static CUgraphExecUpdateResult compare(const Graph &a, const Graph &b,
                                       const GraphNode *&culprit) {
  culprit = nullptr;
  if (a.nodes.size() != b.nodes.size())
    return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  auto places = [](const Graph &graph) {
    std::unordered_map<const GraphNode *, size_t> place;
    for (size_t i = 0; i < graph.nodes.size(); ++i)
      place[graph.nodes[i].get()] = i;
    return place;
  };
  auto placeA = places(a), placeB = places(b);
  for (size_t i = 0; i < a.nodes.size(); ++i) {
    const GraphNode &from = *a.nodes[i], &to = *b.nodes[i];
    culprit = &to;
    if (CUgraphExecUpdateResult result =
            compare(*from.operation, *to.operation, culprit))
      return result;
    std::set<size_t> beforeA, beforeB;
    for (GraphNode *node : from.dependencies)
      beforeA.insert(placeA[node]);
    for (GraphNode *node : to.dependencies)
      beforeB.insert(placeB[node]);
    culprit = &to;
    if (beforeA != beforeB)
      return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  }
  culprit = nullptr;
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

/// Makes the nodes of one graph those that the nodes of the other were. \pre
/// The graphs have the same shape.
static void copyIdentity(Graph &to, const Graph &from) {
  for (size_t i = 0; i < to.nodes.size(); ++i) {
    to.nodes[i]->id = from.nodes[i]->id;
    const NestedOperation *source = nestedIn(*from.nodes[i]->operation);
    const NestedOperation *target = nestedIn(*to.nodes[i]->operation);
    for (size_t j = 0; source && j < source->getGraphs().size(); ++j)
      copyIdentity(*target->getGraphs()[j], *source->getGraphs()[j]);
  }
}

bool cuda::canReplace(const Operation &old, const Operation &operation) {
  const GraphNode *culprit;
  return compare(old, operation, culprit) == CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

void cuda::replaceOperation(GraphNode &twin, OperationRef operation) {
  const NestedOperation *from = nestedIn(*twin.operation);
  const NestedOperation *to = nestedIn(*operation);
  for (size_t i = 0; from && i < from->getGraphs().size(); ++i)
    copyIdentity(*to->getGraphs()[i], *from->getGraphs()[i]);
  twin.operation = std::move(operation);
}

PTXJIT_CUDA_API(cuGraphExecUpdate_v2,
                (CUgraphExec execHandle, CUgraph handle,
                 CUgraphExecUpdateResultInfo *info),
                execHandle, handle, info) {
  GraphExec *exec;
  Graph *graph;
  if (CUresult error = enterExec(execHandle, exec))
    return error;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  if (!info)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(exec->mutex);
  const GraphNode *culprit = nullptr;
  info->result =
      anyNode(*graph, isUpdatable) || anyNode(*exec->graph, isUpdatable)
          ? CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED
          : compare(*exec->graph, *graph, culprit);
  info->errorNode =
      reinterpret_cast<CUgraphNode>(const_cast<GraphNode *>(culprit));
  info->errorFromNode = nullptr;
  if (info->result)
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    const OperationRef &operation = graph->nodes[i]->operation;
    const NestedOperation *nested = nestedIn(*operation);
    replaceOperation(*exec->graph->nodes[i],
                     nested ? nested->clone(/*newIds=*/false) : operation);
  }
  exec->graph->conditions = graph->conditions;
  exec->graph->users.share(graph->users);
  exec->plan = nullptr;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuGraphExecUpdate,
                (CUgraphExec exec, CUgraph graph, CUgraphNode *errorNode,
                 CUgraphExecUpdateResult *result),
                exec, graph, errorNode, result) {
  CUgraphExecUpdateResultInfo info{};
  CUresult error = cuGraphExecUpdate_v2(exec, graph, &info);
  if (errorNode)
    *errorNode = info.errorNode;
  if (result)
    *result = info.result;
  return error;
}
