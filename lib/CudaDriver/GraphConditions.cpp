//===- GraphConditions.cpp - conditional nodes ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A conditional node runs one of its graphs, its bodies, by the value of a
// variable that kernels set. A graph with such nodes has one instance at a time
// and is never copied by programs, so instances use the graph's variables.
//
//===----------------------------------------------------------------------===//

#include "GraphNodeKinds.h"
#include "GraphPlan.h"

#include <algorithm>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

namespace {
/// The variables by handle, for kernels. Handles are never used again.
struct LiveConditions {
  std::mutex mutex;
  std::map<uint64_t, Condition *> all;
};
} // namespace

static LiveConditions &liveConditions() {
  static auto *conditions = new LiveConditions; // graphs outlive statics
  return *conditions;
}

Condition::Condition(Context &context, std::optional<unsigned> initial)
    : context(context), handle(getState().nextId++), initial(initial) {
  LiveConditions &live = liveConditions();
  std::lock_guard<std::mutex> lock(live.mutex);
  live.all[handle] = this;
}
Condition::~Condition() {
  LiveConditions &live = liveConditions();
  std::lock_guard<std::mutex> lock(live.mutex);
  live.all.erase(handle);
}

bool cuda::setCondition(uint64_t handle, unsigned value) {
  LiveConditions &live = liveConditions();
  std::lock_guard<std::mutex> lock(live.mutex);
  auto it = live.all.find(handle);
  if (it == live.all.end())
    return false;
  it->second->value = value;
  return true;
}

/// The context behind a handle, which may be null: the current one.
static CUresult findContext(CUcontext handle, Context *&context) {
  if (CUresult error = enter(context))
    return error;
  if (!handle)
    return CUDA_SUCCESS;
  if (!getState().contexts.contains(handle))
    return CUDA_ERROR_INVALID_VALUE;
  context = reinterpret_cast<Context *>(handle);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuGraphConditionalHandleCreate,
                (CUgraphConditionalHandle * out, CUgraph handle,
                 CUcontext contextHandle, unsigned value, unsigned flags),
                out, handle, contextHandle, value, flags) {
  Graph *graph;
  Context *context;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  if (CUresult error = findContext(contextHandle, context))
    return error;
  if (!out || flags > CU_GRAPH_COND_ASSIGN_DEFAULT)
    return CUDA_ERROR_INVALID_VALUE;
  auto condition = std::make_shared<Condition>(
      *context, flags ? std::optional(value) : std::nullopt);
  *out = condition->handle;
  graph->conditions.push_back(std::move(condition));
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

namespace {
/// What an instance runs for a conditional node.
struct ConditionalPlan : Operation {
  std::shared_ptr<const Condition> condition;
  CUgraphConditionalNodeType kind;
  std::vector<GraphPlan> bodies;

  CUgraphNodeType type() const override {
    return CU_GRAPH_NODE_TYPE_CONDITIONAL;
  }
  void run(Context &context) const override {
    unsigned value = condition->value;
    switch (kind) {
    case CU_GRAPH_COND_TYPE_IF:
      runBody(value ? 0 : 1, context);
      break;
    case CU_GRAPH_COND_TYPE_WHILE:
      while (condition->value && !context.stickyError)
        runBody(0, context);
      break;
    case CU_GRAPH_COND_TYPE_SWITCH:
      runBody(value, context);
      break;
    }
  }

private:
  void runBody(unsigned index, Context &context) const {
    if (index < bodies.size())
      bodies[index].run(context);
  }
};

struct ConditionalOperation : NestedOperation {
  std::shared_ptr<Condition> condition;
  CUgraphConditionalNodeType kind;
  std::vector<CUgraph> handles; ///< of the bodies

  ConditionalOperation(std::shared_ptr<Condition> condition,
                       CUgraphConditionalNodeType kind,
                       std::vector<std::unique_ptr<Graph>> bodies)
      : NestedOperation(std::move(bodies)), condition(std::move(condition)),
        kind(kind) {
    for (Graph *body : getGraphs()) {
      body->isBody = true;
      handles.push_back(reinterpret_cast<CUgraph>(body));
    }
  }
  CUgraphNodeType type() const override {
    return CU_GRAPH_NODE_TYPE_CONDITIONAL;
  }
  OperationRef clone(bool newIds) const override {
    return std::make_shared<ConditionalOperation>(condition, kind,
                                                  cloneGraphs(newIds));
  }
  OperationRef plan(bool usesPriorities) const override {
    auto plan = std::make_shared<ConditionalPlan>();
    plan->condition = condition;
    plan->kind = kind;
    for (const Graph *body : getGraphs())
      plan->bodies.emplace_back(*body, usesPriorities);
    return plan;
  }
};
} // namespace

static const ConditionalOperation *conditionalIn(const GraphNode &node) {
  return node.operation->type() == CU_GRAPH_NODE_TYPE_CONDITIONAL
             ? static_cast<const ConditionalOperation *>(node.operation.get())
             : nullptr;
}

bool cuda::isUpdatable(const GraphNode &node) {
  return node.operation->type() == CU_GRAPH_NODE_TYPE_KERNEL &&
         launchAttributes(*node.operation).deviceNode;
}

bool cuda::isUnique(const Graph &graph) {
  return hasMemoryNodes(graph) || anyNode(graph, [](const GraphNode &node) {
           return conditionalIn(node) || isUpdatable(node);
         });
}

/// Does a node of the graph, or of one inside of it, test the variable?
static bool isTested(const Graph &graph, const Condition &condition) {
  return anyNode(graph, [&](const GraphNode &node) {
    const ConditionalOperation *conditional = conditionalIn(node);
    return conditional && conditional->condition.get() == &condition;
  });
}

void cuda::collectConditions(const Graph &graph,
                             std::vector<std::shared_ptr<Condition>> &all) {
  all.insert(all.end(), graph.conditions.begin(), graph.conditions.end());
  for (auto &node : graph.nodes)
    if (const NestedOperation *nested = nestedIn(*node->operation))
      for (const Graph *inside : nested->getGraphs())
        collectConditions(*inside, all);
}

bool cuda::testsAllConditions(const Graph &graph) {
  std::vector<std::shared_ptr<Condition>> all;
  collectConditions(graph, all);
  return std::all_of(all.begin(), all.end(), [&](auto &condition) {
    return isTested(graph, *condition);
  });
}

/// Finds the variable of a handle that belongs to the graph, or to a graph
/// around it, if no node tests it yet.
static std::shared_ptr<Condition> findUntested(const Graph &graph,
                                               uint64_t handle) {
  std::shared_ptr<Condition> found;
  const Graph *outermost = nullptr;
  for (const Graph *around = &graph; around; around = around->parent) {
    for (auto &condition : around->conditions)
      if (condition->handle == handle)
        found = condition;
    outermost = around;
  }
  return found && !isTested(*outermost, *found) ? found : nullptr;
}

static bool isValidSize(CUgraphConditionalNodeType kind, unsigned size) {
  // A program may have thousands of cases, but a wrong number must not take all
  // memory.
  constexpr unsigned kMostBodies = 1 << 16;
  switch (kind) {
  case CU_GRAPH_COND_TYPE_IF:
    return size == 1 || size == 2;
  case CU_GRAPH_COND_TYPE_WHILE:
    return size == 1;
  case CU_GRAPH_COND_TYPE_SWITCH:
    return size > 0 && size <= kMostBodies;
  }
  return false;
}

CUresult cuda::addConditionalNode(CUgraphNode *out, CUgraph handle,
                                  const CUgraphNode *dependencies, size_t count,
                                  CUDA_CONDITIONAL_NODE_PARAMS &params) {
  Graph *graph;
  Context *context;
  if (CUresult error = enterGraph(handle, graph))
    return error;
  if (CUresult error = findContext(params.ctx, context))
    return error;
  if (!isValidSize(params.type, params.size))
    return CUDA_ERROR_INVALID_VALUE;
  auto condition = findUntested(*graph, params.handle);
  if (!condition || &condition->context != context)
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<std::unique_ptr<Graph>> bodies(params.size);
  for (auto &body : bodies)
    body = std::make_unique<Graph>();
  auto operation = std::make_shared<ConditionalOperation>(
      std::move(condition), params.type, std::move(bodies));
  CUgraph *handles = operation->handles.data();
  if (CUresult error =
          addNode(out, handle, dependencies, count, std::move(operation)))
    return error;
  params.phGraph_out = handles;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// What bodies may hold
//===----------------------------------------------------------------------===//

static bool mayBeInBody(const Operation &operation);

static bool mayBeInBody(const Graph &child) {
  return std::all_of(
      child.nodes.begin(), child.nodes.end(),
      [](const auto &node) { return mayBeInBody(*node->operation); });
}

static bool mayBeInBody(const Operation &operation) {
  switch (operation.type()) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
  case CU_GRAPH_NODE_TYPE_MEMCPY:
  case CU_GRAPH_NODE_TYPE_MEMSET:
  case CU_GRAPH_NODE_TYPE_EMPTY:
  case CU_GRAPH_NODE_TYPE_CONDITIONAL:
    return true;
  case CU_GRAPH_NODE_TYPE_GRAPH:
    return mayBeInBody(
        *static_cast<const NestedOperation &>(operation).getGraphs().front());
  default:
    return false;
  }
}

static bool isInBody(const Graph &graph) {
  for (const Graph *around = &graph; around; around = around->parent)
    if (around->isBody)
      return true;
  return false;
}

bool cuda::mayHold(const Graph &graph, const Operation &operation) {
  return !isInBody(graph) || mayBeInBody(operation);
}
bool cuda::mayHold(const Graph &graph, const Graph &child) {
  return !isInBody(graph) || mayBeInBody(child);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool cuda::isSameKind(const Operation &a, const Operation &b) {
  auto &first = static_cast<const ConditionalOperation &>(a);
  auto &second = static_cast<const ConditionalOperation &>(b);
  return first.kind == second.kind &&
         first.getGraphs().size() == second.getGraphs().size();
}

CUDA_CONDITIONAL_NODE_PARAMS
cuda::conditionalParams(const Operation &operation) {
  auto &conditional = static_cast<const ConditionalOperation &>(operation);
  return {conditional.condition->handle, conditional.kind,
          unsigned(conditional.handles.size()),
          const_cast<CUgraph *>(conditional.handles.data()),
          reinterpret_cast<CUcontext>(&conditional.condition->context)};
}
