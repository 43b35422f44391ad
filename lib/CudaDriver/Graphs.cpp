//===- Graphs.cpp - graphs: structure, instances, launches ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include <algorithm>
#include <set>
#include <unordered_map>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

std::vector<GraphNode *> cuda::allBefore(std::vector<GraphNode *> nodes) {
  std::unordered_set<GraphNode *> seen(nodes.begin(), nodes.end());
  for (size_t i = 0; i < nodes.size(); ++i) {
    GraphNode *node = nodes[i];
    for (GraphNode *earlier : node->dependencies)
      if (seen.insert(earlier).second)
        nodes.push_back(earlier);
  }
  return nodes;
}

GraphNode *Graph::add(OperationRef operation,
                      std::vector<GraphNode *> dependencies) {
  auto node = std::make_unique<GraphNode>();
  node->graph = this;
  node->operation = std::move(operation);
  node->dependencies = std::move(dependencies);
  node->id = getState().nextId++;
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

bool Graph::contains(const GraphNode *node) const {
  return getState().graphNodes.contains(node) && node->graph == this;
}

std::unique_ptr<Graph> Graph::clone() const {
  auto copy = std::make_unique<Graph>(users);
  std::unordered_map<const GraphNode *, GraphNode *> twins;
  for (auto &node : nodes) {
    GraphNode *twin = copy->add(node->operation, {});
    twin->id = node->id;
    twins[node.get()] = twin;
  }
  for (auto &node : nodes)
    for (GraphNode *before : node->dependencies)
      twins[node.get()]->dependencies.push_back(twins[before]);
  return copy;
}

bool Graph::sort(std::vector<GraphNode *> &order) const {
  std::unordered_map<GraphNode *, size_t> missing;
  std::unordered_map<GraphNode *, std::vector<GraphNode *>> after;
  for (auto &node : nodes) {
    missing[node.get()] = node->dependencies.size();
    for (GraphNode *before : node->dependencies)
      after[before].push_back(node.get());
    if (node->dependencies.empty())
      order.push_back(node.get());
  }
  for (size_t i = 0; i < order.size(); ++i)
    for (GraphNode *next : after[order[i]])
      if (--missing[next] == 0)
        order.push_back(next);
  return order.size() == nodes.size();
}

GraphNode *GraphExec::find(uint64_t id) {
  for (auto &node : graph->nodes)
    if (node->id == id)
      return node.get();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

CUresult cuda::enterGraph(CUgraph handle, Graph *&graph) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  graph = reinterpret_cast<Graph *>(handle);
  return getState().graphs.contains(graph) ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuda::enterExec(CUgraphExec handle, GraphExec *&exec) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  exec = reinterpret_cast<GraphExec *>(handle);
  return getState().graphExecs.contains(exec) ? CUDA_SUCCESS
                                              : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuda::findNode(CUgraphNode handle, GraphNode *&node) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  node = reinterpret_cast<GraphNode *>(handle);
  return getState().graphNodes.contains(node) ? CUDA_SUCCESS
                                              : CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuGraphCreate, (CUgraph * out, unsigned flags), out, flags) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!out || flags)
    return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUgraph>(
      getState().graphs.add(std::make_unique<Graph>()));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuGraphDestroy, (CUgraph handle), handle) {
  Graph *graph;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  if (graph->isOwned)
    return CUDA_ERROR_INVALID_VALUE;
  getState().graphs.remove(graph);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuGraphClone, (CUgraph * out, CUgraph handle), out, handle) {
  Graph *graph;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUgraph>(getState().graphs.add(graph->clone()));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuGraphNodeFindInClone,
                (CUgraphNode * out, CUgraphNode original, CUgraph handle), out,
                original, handle) {
  Graph *graph;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  auto *node = reinterpret_cast<GraphNode *>(original);
  if (!out || !getState().graphNodes.contains(node))
    return CUDA_ERROR_INVALID_VALUE;
  for (auto &twin : graph->nodes)
    if (twin->id == node->id) {
      *out = reinterpret_cast<CUgraphNode>(twin.get());
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuGraphDestroyNode, (CUgraphNode handle), handle) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  auto *node = reinterpret_cast<GraphNode *>(handle);
  if (!getState().graphNodes.contains(node))
    return CUDA_ERROR_INVALID_VALUE;
  auto &nodes = node->graph->nodes;
  for (auto &other : nodes) {
    auto &before = other->dependencies;
    before.erase(std::remove(before.begin(), before.end(), node), before.end());
  }
  nodes.erase(std::find_if(nodes.begin(), nodes.end(),
                           [&](auto &owner) { return owner.get() == node; }));
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// A caller asks for a list twice: for its length, then for its contents.
/// Entries of `out` behind the end of the list become null.
static CUresult giveList(const std::vector<GraphNode *> &list, CUgraphNode *out,
                         size_t *count) {
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  if (out)
    for (size_t i = 0; i < *count; ++i)
      out[i] =
          reinterpret_cast<CUgraphNode>(i < list.size() ? list[i] : nullptr);
  *count = out ? std::min(*count, list.size()) : list.size();
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuGraphGetNodes,
                (CUgraph handle, CUgraphNode *out, size_t *count), handle, out,
                count) {
  Graph *graph;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  std::vector<GraphNode *> list;
  list.reserve(graph->nodes.size());
  for (auto &node : graph->nodes)
    list.push_back(node.get());
  return giveList(list, out, count);
}

PTXJIT_CUDA_API(cuGraphGetRootNodes,
                (CUgraph handle, CUgraphNode *out, size_t *count), handle, out,
                count) {
  Graph *graph;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  std::vector<GraphNode *> list;
  for (auto &node : graph->nodes)
    if (node->dependencies.empty())
      list.push_back(node.get());
  return giveList(list, out, count);
}

PTXJIT_CUDA_API(cuGraphGetEdges_v2,
                (CUgraph handle, CUgraphNode *from, CUgraphNode *to,
                 CUgraphEdgeData *edges, size_t *count),
                handle, from, to, edges, count) {
  Graph *graph;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  if (!count || !from != !to)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphNode *> begins, ends;
  for (auto &node : graph->nodes)
    for (GraphNode *before : node->dependencies) {
      begins.push_back(before);
      ends.push_back(node.get());
    }
  if (edges && from)
    std::fill(edges, edges + std::min(*count, begins.size()),
              CUgraphEdgeData{});
  size_t room = *count;
  giveList(begins, from, &room);
  return giveList(ends, to, count);
}
PTXJIT_CUDA_API(cuGraphGetEdges,
                (CUgraph handle, CUgraphNode *from, CUgraphNode *to,
                 size_t *count),
                handle, from, to, count) {
  return cuGraphGetEdges_v2(handle, from, to, nullptr, count);
}

PTXJIT_CUDA_API(cuGraphNodeGetDependencies_v2,
                (CUgraphNode handle, CUgraphNode *out, CUgraphEdgeData *edges,
                 size_t *count),
                handle, out, edges, count) {
  GraphNode *node;
  if (CUresult error = findNode(handle, node))
    return error;
  if (edges && out && count)
    std::fill(edges, edges + std::min(*count, node->dependencies.size()),
              CUgraphEdgeData{});
  return giveList(node->dependencies, out, count);
}
PTXJIT_CUDA_API(cuGraphNodeGetDependencies,
                (CUgraphNode handle, CUgraphNode *out, size_t *count), handle,
                out, count) {
  return cuGraphNodeGetDependencies_v2(handle, out, nullptr, count);
}

PTXJIT_CUDA_API(cuGraphNodeGetDependentNodes_v2,
                (CUgraphNode handle, CUgraphNode *out, CUgraphEdgeData *edges,
                 size_t *count),
                handle, out, edges, count) {
  GraphNode *node;
  if (CUresult error = findNode(handle, node))
    return error;
  std::vector<GraphNode *> list;
  for (auto &other : node->graph->nodes)
    if (std::find(other->dependencies.begin(), other->dependencies.end(),
                  node) != other->dependencies.end())
      list.push_back(other.get());
  if (edges && out && count)
    std::fill(edges, edges + std::min(*count, list.size()), CUgraphEdgeData{});
  return giveList(list, out, count);
}
PTXJIT_CUDA_API(cuGraphNodeGetDependentNodes,
                (CUgraphNode handle, CUgraphNode *out, size_t *count), handle,
                out, count) {
  return cuGraphNodeGetDependentNodes_v2(handle, out, nullptr, count);
}

PTXJIT_CUDA_API(cuGraphNodeGetType, (CUgraphNode handle, CUgraphNodeType *type),
                handle, type) {
  GraphNode *node;
  if (CUresult error = findNode(handle, node))
    return error;
  if (!type)
    return CUDA_ERROR_INVALID_VALUE;
  *type = node->operation->type();
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuGraphAddDependencies_v2,
                (CUgraph handle, const CUgraphNode *from, const CUgraphNode *to,
                 const CUgraphEdgeData *edges, size_t count),
                handle, from, to, edges, count) {
  Graph *graph;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  if (count && (!from || !to))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    auto *before = reinterpret_cast<GraphNode *>(from[i]);
    auto *after = reinterpret_cast<GraphNode *>(to[i]);
    if (!graph->contains(before) || !graph->contains(after) || before == after)
      return CUDA_ERROR_INVALID_VALUE;
    auto &list = after->dependencies;
    if (std::find(list.begin(), list.end(), before) != list.end())
      return CUDA_ERROR_INVALID_VALUE;
    list.push_back(before);
  }
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuGraphAddDependencies,
                (CUgraph handle, const CUgraphNode *from, const CUgraphNode *to,
                 size_t count),
                handle, from, to, count) {
  return cuGraphAddDependencies_v2(handle, from, to, nullptr, count);
}

PTXJIT_CUDA_API(cuGraphRemoveDependencies_v2,
                (CUgraph handle, const CUgraphNode *from, const CUgraphNode *to,
                 const CUgraphEdgeData *edges, size_t count),
                handle, from, to, edges, count) {
  Graph *graph;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  if (count && (!from || !to))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    auto *before = reinterpret_cast<GraphNode *>(from[i]);
    auto *after = reinterpret_cast<GraphNode *>(to[i]);
    if (!graph->contains(before) || !graph->contains(after))
      return CUDA_ERROR_INVALID_VALUE;
    auto &list = after->dependencies;
    auto it = std::find(list.begin(), list.end(), before);
    if (it == list.end())
      return CUDA_ERROR_INVALID_VALUE;
    list.erase(it);
  }
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuGraphRemoveDependencies,
                (CUgraph handle, const CUgraphNode *from, const CUgraphNode *to,
                 size_t count),
                handle, from, to, count) {
  return cuGraphRemoveDependencies_v2(handle, from, to, nullptr, count);
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuGraphInstantiateWithFlags,
                (CUgraphExec * out, CUgraph handle, unsigned long long flags),
                out, handle, flags) {
  Context *context;
  Graph *graph;
  if (CUresult error = enter(context))
    return error;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  if (!out || flags > 15)
    return CUDA_ERROR_INVALID_VALUE;
  auto exec = std::make_unique<GraphExec>();
  exec->graph = graph->clone();
  exec->flags = flags;
  if (!exec->graph->sort(exec->order))
    return CUDA_ERROR_INVALID_VALUE; // it has a cycle
  *out =
      reinterpret_cast<CUgraphExec>(getState().graphExecs.add(std::move(exec)));
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuGraphInstantiate_v2,
                (CUgraphExec * out, CUgraph graph, CUgraphNode *errorNode,
                 char *text, size_t bytes),
                out, graph, errorNode, text, bytes) {
  if (errorNode)
    *errorNode = nullptr;
  if (text && bytes)
    *text = 0;
  return cuGraphInstantiateWithFlags(out, graph, 0);
}
PTXJIT_CUDA_API(cuGraphInstantiate,
                (CUgraphExec * out, CUgraph graph, CUgraphNode *errorNode,
                 char *text, size_t bytes),
                out, graph, errorNode, text, bytes) {
  return cuGraphInstantiate_v2(out, graph, errorNode, text, bytes);
}
PTXJIT_CUDA_API(cuGraphInstantiateWithParams,
                (CUgraphExec * out, CUgraph graph,
                 CUDA_GRAPH_INSTANTIATE_PARAMS *params),
                out, graph, params) {
  if (!params)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult error = cuGraphInstantiateWithFlags(out, graph, params->flags);
  params->hErrNode_out = nullptr;
  params->result_out = error ? 1 : 0;
  return error;
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

namespace {
/// An instance as one step of a stream.
struct GraphOperation : Operation {
  std::vector<OperationRef> operations;
  std::unique_ptr<UserReferences> users;
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_GRAPH; }
  void run(Context &context) const override {
    for (const OperationRef &operation : operations)
      if (!context.stickyError)
        operation->run(context);
  }
};
} // namespace

static OperationRef snapshot(GraphExec &exec) {
  auto whole = std::make_shared<GraphOperation>();
  std::lock_guard<std::mutex> lock(exec.mutex);
  whole->users = std::make_unique<UserReferences>(exec.graph->users);
  for (GraphNode *node : exec.order)
    if (node->isEnabled)
      whole->operations.push_back(node->operation);
  return whole;
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
  if (stream->capture) {
    // A child node, so that programs can find it in the graph.
    return enqueue(*context, *stream, makeChild(*exec->graph));
  }
  return enqueue(*context, *stream, snapshot(*exec));
}
PTXJIT_CUDA_STREAM_API(cuGraphUpload, _ptsz,
                       (CUgraphExec handle, CUstream streamHandle), handle,
                       streamHandle) {
  Context *context;
  StreamObject *stream;
  GraphExec *exec;
  // Nothing to upload: graphs are in host memory.
  return enterLaunch(handle, streamHandle, exec, context, stream);
}

/// Finds an instance and its node that corresponds to the node `handle`.
static CUresult enterTwin(CUgraphExec execHandle, CUgraphNode handle,
                          GraphExec *&exec, GraphNode *&twin) {
  GraphNode *node;
  if (CUresult error = enterExec(execHandle, exec))
    return error;
  if (CUresult error = findNode(handle, node))
    return error;
  twin = exec->find(node->id);
  return twin ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuGraphNodeSetEnabled,
                (CUgraphExec execHandle, CUgraphNode handle, unsigned enabled),
                execHandle, handle, enabled) {
  GraphExec *exec;
  GraphNode *twin;
  if (CUresult error = enterTwin(execHandle, handle, exec, twin))
    return error;
  if (twin->operation->type() > CU_GRAPH_NODE_TYPE_MEMSET)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(exec->mutex);
  twin->isEnabled = enabled;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuGraphNodeGetEnabled,
                (CUgraphExec execHandle, CUgraphNode handle, unsigned *enabled),
                execHandle, handle, enabled) {
  GraphExec *exec;
  GraphNode *twin;
  if (CUresult error = enterTwin(execHandle, handle, exec, twin))
    return error;
  if (!enabled)
    return CUDA_ERROR_INVALID_VALUE;
  *enabled = twin->isEnabled;
  return CUDA_SUCCESS;
}

/// Do the graphs have the same shape? If so node i of one is node i of the
/// other.
static CUgraphExecUpdateResult compare(const Graph &a, const Graph &b,
                                       GraphNode *&culprit) {
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
    culprit = b.nodes[i].get();
    if (a.nodes[i]->operation->type() != culprit->operation->type())
      return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
    std::set<size_t> beforeA, beforeB;
    for (GraphNode *node : a.nodes[i]->dependencies)
      beforeA.insert(placeA[node]);
    for (GraphNode *node : culprit->dependencies)
      beforeB.insert(placeB[node]);
    if (beforeA != beforeB)
      return CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  }
  culprit = nullptr;
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
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
  GraphNode *culprit = nullptr;
  info->result = compare(*exec->graph, *graph, culprit);
  info->errorNode = reinterpret_cast<CUgraphNode>(culprit);
  info->errorFromNode = nullptr;
  if (info->result)
    return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  std::lock_guard<std::mutex> lock(exec->mutex);
  for (size_t i = 0; i < graph->nodes.size(); ++i)
    exec->graph->nodes[i]->operation = graph->nodes[i]->operation;
  exec->graph->users.share(graph->users);
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
