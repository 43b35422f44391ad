//===- Graph.h - graphs, captures and events --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_GRAPH_H
#define PTXJIT_LIB_CUDADRIVER_GRAPH_H

#include "IpcEvents.h"
#include "State.h"
#include "UserObjects.h"

#include <algorithm>
#include <optional>
#include <thread>

namespace ptxjit::cuda {

/// A node of a graph: an operation and the nodes that it depends on.
struct GraphNode {
  GraphNode() { getState().graphNodes.insert(this); }
  ~GraphNode() { getState().graphNodes.erase(this); }
  GraphNode(const GraphNode &) = delete;
  GraphNode &operator=(const GraphNode &) = delete;

  Graph *graph = nullptr;
  OperationRef operation;
  std::vector<GraphNode *> dependencies;
  uint64_t id = 0;       ///< the same in clones and instances
  bool isEnabled = true; ///< only instances disable nodes
};

/// The variable of a conditional handle.
struct Condition {
  Context &context;
  const uint64_t handle;
  const std::optional<unsigned> initial; ///< at the start of each launch
  std::atomic<unsigned> value{0};

  Condition(Context &context, std::optional<unsigned> initial);
  ~Condition();
  Condition(const Condition &) = delete;
  Condition &operator=(const Condition &) = delete;
};

/// A graph owns its nodes. They are in the order in which they were added.
struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  bool isOwned = false; ///< by a capture or a node: not to be destroyed
  UserReferences users;
  Graph *parent = nullptr; ///< whose node runs this graph
  bool isBody = false;     ///< of a conditional node
  /// Made for conditional nodes of this graph, and of graphs inside of it.
  std::vector<std::shared_ptr<Condition>> conditions;
  /// Set while there is an instance. Some graphs may have only one at a time.
  std::weak_ptr<void> instance;

  Graph() = default;
  explicit Graph(const UserReferences &users) : users(users) {}
  GraphNode *add(OperationRef operation, std::vector<GraphNode *> dependencies);
  bool contains(const GraphNode *node) const;
  /// Copies the graph, and the graphs that its nodes run. \param newIds whether
  /// the copies of nodes count as new nodes, which the copied ones do not find.
  std::unique_ptr<Graph> clone(bool newIds = false) const;
  /// Sorts the nodes topologically. False if their dependencies form a cycle.
  bool sort(std::vector<GraphNode *> &order) const;
  /// Finds a node here, or in a graph that a node runs; null: there is none.
  GraphNode *find(uint64_t id) const;
};

/// The work of a node that runs graphs of its own.
class NestedOperation : public Operation {
public:
  ~NestedOperation() override;
  NestedOperation(const NestedOperation &) = delete;
  NestedOperation &operator=(const NestedOperation &) = delete;
  /// The handles of the graphs, valid as long as this lives.
  const std::vector<Graph *> &getGraphs() const { return graphs; }
  /// The same with copies of the graphs, for a copy of the node.
  virtual OperationRef clone(bool newIds) const = 0;
  /// What an instance runs. Later changes of the graphs do not matter to it.
  virtual OperationRef plan(bool usesPriorities) const = 0;
  void run(Context &context) const override { plan(false)->run(context); }

protected:
  explicit NestedOperation(std::vector<std::unique_ptr<Graph>> owned);
  std::vector<std::unique_ptr<Graph>> cloneGraphs(bool newIds) const;

private:
  std::vector<Graph *> graphs;
};
/// The operation of a node, if it runs graphs; else null.
const NestedOperation *nestedIn(const Operation &operation);

/// Does matches(node) hold for a node of the graph, or of a graph inside of it?
template <typename Matches>
bool anyNode(const Graph &graph, const Matches &matches) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](auto &node) {
    if (matches(*node))
      return true;
    const NestedOperation *nested = nestedIn(*node->operation);
    return nested &&
           std::any_of(
               nested->getGraphs().begin(), nested->getGraphs().end(),
               [&](const Graph *inside) { return anyNode(*inside, matches); });
  });
}

struct InstancePlan;
class Turn;

/// An instance of a graph, ready to be launched. It has a copy of the graph, so
/// that later changes of the graph do not matter.
struct GraphExec {
  std::mutex mutex;
  std::unique_ptr<Graph> graph;
  uint64_t flags = 0;
  std::shared_ptr<void> instance = std::make_shared<char>(); ///< see Graph
  /// What launches run; null: to be made anew, after a change.
  std::shared_ptr<const InstancePlan> plan;
  std::shared_ptr<Turn> turn;
  /// The last launch or upload, which the next one waits for.
  std::shared_ptr<Progress> progress;
  uint64_t ticket = 0;
};

/// A recording: the streams that record into one graph.
struct Capture {
  uint64_t id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;
  StreamObject *origin = nullptr;
  std::unique_ptr<Graph> graph;
  Graph *target = nullptr;            ///< graph.get(), or the program's graph
  std::atomic<bool> isInvalid{false}; ///< other threads may set it
  std::vector<GraphNode *> orphans;   ///< last nodes of destroyed streams
  /// The streams that take part. A list of its own, since the streams of other
  /// captures belong to other threads.
  std::vector<StreamObject *> streams;

  Capture() = default;
  ~Capture();
  Capture(const Capture &) = delete;
  Capture &operator=(const Capture &) = delete;
  /// Is the graph still there? A program may destroy one that it has named.
  bool isAlive() const;
  /// Is it, and may the operation become a node of it?
  bool canRecord(const Operation &operation) const;
  /// Takes nodes out of the list that the program has destroyed. \pre isAlive()
  void prune(std::vector<GraphNode *> &list) const;
};
/// Makes the stream record into `capture` from now on.
void enterCapture(StreamObject &stream, std::shared_ptr<Capture> capture);
/// Takes the stream out of its capture.
void leaveCapture(StreamObject &stream);
/// Invalidates the captures of a context's streams, which may be those of other
/// threads. \returns whether there are any.
bool invalidateCaptures(Context &context);

/// A point in a stream, and the time when the stream reached it. Or one in a
/// stream of any process: then `shared` is set.
struct EventRecord {
  std::atomic<int64_t> nanoseconds{0};
  uint64_t ticket = 0;
  std::shared_ptr<Progress> progress;
  std::shared_ptr<IpcEvent> shared;

  bool isDone() const;
  void wait() const;
};

struct Event {
  Context *context = nullptr;
  CUdevice device = 0;
  unsigned flags = 0;
  std::mutex mutex;
  std::shared_ptr<EventRecord> record; ///< the latest; null: none
  std::shared_ptr<IpcEvent> shared;    ///< null: not of several processes
  std::shared_ptr<Capture> capture;    ///< if it was recorded in one
  std::vector<GraphNode *> captureTips;
};

/// The latest record of an event; null: there is none. Needs the event's mutex.
std::shared_ptr<EventRecord> latestRecord(const Event &event);
CUresult findEvent(CUevent handle, Event *&event);
OperationRef makeRecord(Event *event);
OperationRef makeWait(Event *event);
/// The event of a node that records or waits for one; null for other nodes.
Event *eventOf(const Operation &operation);

// These call enter(), then look up the handle.
CUresult enterGraph(CUgraph handle, Graph *&graph);
CUresult enterExec(CUgraphExec handle, GraphExec *&exec);
CUresult findNode(CUgraphNode handle, GraphNode *&node);

/// `nodes`, and all nodes that they depend on.
std::vector<GraphNode *> allBefore(std::vector<GraphNode *> nodes);

/// A node that runs a copy of a graph. Nodes of `graph` do not find those of
/// the copy.
OperationRef makeChild(const Graph &graph);

// The parameters that a node of that kind was made from.
CUDA_KERNEL_NODE_PARAMS launchParams(const Operation &operation);
LaunchAttributes launchAttributes(const Operation &operation);
CUDA_MEMCPY3D copyParams(const Operation &operation);
CUDA_MEMSET_NODE_PARAMS setParams(const Operation &operation);
CUDA_HOST_NODE_PARAMS hostParams(const Operation &operation);

// -- Building (GraphNodes.cpp)
/// Calls enter() and finds the node of that type behind a handle.
CUresult enterNode(CUgraphNode handle, CUgraphNodeType type, GraphNode *&node);
/// Finds the nodes behind handles; all must be of `graph`, and different.
CUresult findNodes(Graph &graph, const CUgraphNode *handles, size_t count,
                   std::vector<GraphNode *> &nodes);
CUresult addNode(CUgraphNode *out, CUgraph handle,
                 const CUgraphNode *dependencies, size_t count,
                 OperationRef operation);
/// Can one operation replace another in an instance? Both are of one type.
/// Graphs inside must have the same shape.
bool canReplace(const Operation &old, const Operation &operation);
/// Replaces the operation of a node of an instance. Nodes inside keep their
/// identity. \pre canReplace()
void replaceOperation(GraphNode &twin, OperationRef operation);
/// Replaces the operation of a node, in a graph or in an instance. The new one
/// must be of the node's type.
CUresult setOperation(CUgraphNode handle, OperationRef operation);
CUresult setOperation(CUgraphExec exec, CUgraphNode handle,
                      OperationRef operation);

// -- Conditional nodes (GraphConditions.cpp)
/// Sets the variable of a handle. False if there is none.
bool setCondition(uint64_t handle, unsigned value);
/// Can neither the graph nor its instance exist more than once? So it is with
/// conditional nodes, and with nodes that kernels update, since kernels know
/// these by handles, and with memory, which has one address.
bool isUnique(const Graph &graph);
/// Is it a kernel node that kernels may update?
bool isUpdatable(const GraphNode &node);
/// Appends the variables of the graph and of the graphs inside of it.
void collectConditions(const Graph &graph,
                       std::vector<std::shared_ptr<Condition>> &all);
/// Is each of these variables tested by a node?
bool testsAllConditions(const Graph &graph);
/// Adds a conditional node. `params` receives the handles of its bodies.
CUresult addConditionalNode(CUgraphNode *out, CUgraph graph,
                            const CUgraphNode *dependencies, size_t count,
                            CUDA_CONDITIONAL_NODE_PARAMS &params);
/// May the operation become a node of the graph? Bodies of conditional nodes
/// hold work of the device only.
bool mayHold(const Graph &graph, const Operation &operation);
/// The same for a child node with the graph `child`.
bool mayHold(const Graph &graph, const Graph &child);
/// Do two conditional nodes choose in the same way among as many bodies?
bool isSameKind(const Operation &a, const Operation &b);
CUDA_CONDITIONAL_NODE_PARAMS conditionalParams(const Operation &operation);

// -- Graphs that kernels reach (GraphDevice.cpp)
/// What the operations of a graph share while it runs.
struct RunningGraph {
  GraphCalls *calls = nullptr; ///< null: there is no graph
  /// That of all kernels; none: each has its own.
  std::optional<int> priority;
};
/// The graph whose operations the calling thread runs.
const RunningGraph &runningGraph();
/// While this lives, it is this one.
class RunningGraphScope {
public:
  explicit RunningGraphScope(const RunningGraph &graph);
  ~RunningGraphScope();
  RunningGraphScope(const RunningGraphScope &) = delete;
  RunningGraphScope &operator=(const RunningGraphScope &) = delete;

private:
  RunningGraph outer;
};
/// The graphs, as the kernels see them that the calling thread launches.
GraphCalls &graphCalls();

// -- Memory of graphs (GraphMemory.cpp)
/// Has the graph nodes that allocate or free? Then it exists once, and keeps
/// its nodes and edges.
bool hasMemoryNodes(const Graph &graph);
/// Adds a node that allocates to the graph that a stream records.
CUresult captureAllocation(Context &context, StreamObject &stream,
                           CUDA_MEM_ALLOC_NODE_PARAMS &params);
/// The same for one that frees what a graph has allocated.
CUresult captureFree(Context &context, StreamObject &stream,
                     CUdeviceptr pointer);

/// The memory that a launch of a graph allocates and does not free, and the
/// addresses that it frees of other graphs' memory.
struct LaunchMemory {
  std::vector<std::pair<CUdeviceptr, std::shared_ptr<void>>> left;
  std::vector<CUdeviceptr> freed;
  bool isEmpty() const { return left.empty() && freed.empty(); }
};
LaunchMemory memoryOfLaunch(const Graph &graph);
/// May such a launch begin? Not if an earlier one has left memory that is not
/// freed, unless the launch frees that, and not if it frees what is not there.
CUresult checkLaunch(const LaunchMemory &memory, bool freesLeft);
/// Counts a launch. What it returns is freed, and must stay until the launch
/// has run.
std::vector<std::shared_ptr<void>> commitLaunch(const LaunchMemory &memory);
/// Keeps `memory` until the work before it in a stream has run.
OperationRef makeRelease(std::shared_ptr<void> memory);
/// Frees what a launch has allocated; null: there is nothing there. The memory
/// goes with the result, unless its graph keeps it.
std::shared_ptr<void> takeGraphMemory(CUdeviceptr pointer);

} // namespace ptxjit::cuda

#endif
