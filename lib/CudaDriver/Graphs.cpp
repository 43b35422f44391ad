//===- Graphs.cpp - the structure of graphs -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include <algorithm>
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
  if (const NestedOperation *nested = nestedIn(*node->operation))
    for (Graph *inside : nested->getGraphs())
      inside->parent = this;
  nodes.push_back(std::move(node));
  return nodes.back().get();
}

bool Graph::contains(const GraphNode *node) const {
  return getState().graphNodes.contains(node) && node->graph == this;
}

std::unique_ptr<Graph> Graph::clone(bool newIds) const {
  auto copy = std::make_unique<Graph>(users);
  copy->conditions = conditions;
  std::unordered_map<const GraphNode *, GraphNode *> twins;
  for (auto &node : nodes) {
    const NestedOperation *nested = nestedIn(*node->operation);
    GraphNode *twin =
        copy->add(nested ? nested->clone(newIds) : node->operation, {});
    if (!newIds)
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

GraphNode *Graph::find(uint64_t id) const {
  GraphNode *found = nullptr;
  anyNode(*this, [&](GraphNode &node) {
    if (node.id == id)
      found = &node;
    return found != nullptr;
  });
  return found;
}

NestedOperation::NestedOperation(std::vector<std::unique_ptr<Graph>> owned) {
  for (auto &graph : owned) {
    graph->isOwned = true;
    graphs.push_back(getState().graphs.add(std::move(graph)));
  }
}
NestedOperation::~NestedOperation() {
  for (Graph *graph : graphs)
    getState().graphs.remove(graph);
}

std::vector<std::unique_ptr<Graph>>
NestedOperation::cloneGraphs(bool newIds) const {
  std::vector<std::unique_ptr<Graph>> copies;
  copies.reserve(graphs.size());
  for (const Graph *graph : graphs)
    copies.push_back(graph->clone(newIds));
  return copies;
}

const NestedOperation *cuda::nestedIn(const Operation &operation) {
  CUgraphNodeType type = operation.type();
  return type == CU_GRAPH_NODE_TYPE_GRAPH ||
                 type == CU_GRAPH_NODE_TYPE_CONDITIONAL
             ? static_cast<const NestedOperation *>(&operation)
             : nullptr;
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
  if (isUnique(*graph))
    return CUDA_ERROR_NOT_SUPPORTED; // may be in one graph only
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
  if (isUpdatable(*node))
    return CUDA_ERROR_INVALID_VALUE; // kernels may have its handle
  if (hasMemoryNodes(*node->graph))
    return CUDA_ERROR_NOT_SUPPORTED;
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
  if (hasMemoryNodes(*graph))
    return CUDA_ERROR_NOT_SUPPORTED;
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
