//===- Graph.h - graphs and what records them -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_GRAPH_H
#define PTXJIT_LIB_CUDADRIVER_GRAPH_H

#include "State.h"
#include "UserObjects.h"

#include <thread>

namespace ptxjit::cuda {

/// One step of a graph.
struct GraphNode {
  GraphNode() { getState().graphNodes.insert(this); }
  ~GraphNode() { getState().graphNodes.erase(this); }
  GraphNode(const GraphNode &) = delete;
  GraphNode &operator=(const GraphNode &) = delete;

  Graph *graph = nullptr;
  OperationRef operation;
  std::vector<GraphNode *> dependencies;
  uint64_t id = 0;       ///< the same in clones and instances
  bool isEnabled = true; ///< of an instance
};

/// Nodes in the order in which they were added; owns them.
struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  bool isOwned = false; ///< by a capture or a parent: its handle is lent
  UserReferences users;

  Graph() = default;
  explicit Graph(const UserReferences &users) : users(users) {}
  GraphNode *add(OperationRef operation, std::vector<GraphNode *> dependencies);
  bool contains(const GraphNode *node) const;
  std::unique_ptr<Graph> clone() const;
  /// Nodes, each behind what it depends on. False if they go in circles.
  bool sort(std::vector<GraphNode *> &order) const;
};

/// A graph made ready: a copy, so that what becomes of the graph is all one.
struct GraphExec {
  std::mutex mutex;
  std::unique_ptr<Graph> graph;
  std::vector<GraphNode *> order;
  uint64_t flags = 0;

  GraphNode *find(uint64_t id);
};

/// Streams that record into one graph.
struct Capture {
  uint64_t id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;
  StreamObject *origin = nullptr;
  std::unique_ptr<Graph> graph;
  Graph *target = nullptr; ///< graph.get(), or one that the program gave
  bool isInvalid = false;
  std::vector<GraphNode *> orphans; ///< last nodes of streams that are gone
  /// Those that take part. Streams of other captures belong to other threads.
  std::vector<StreamObject *> streams;
};
/// The stream records into `capture` from now on.
void enterCapture(StreamObject &stream, std::shared_ptr<Capture> capture);
/// The stream takes no part in its capture any more.
void leaveCapture(StreamObject &stream);

/// A point in a stream, and the time at which it was reached.
struct EventRecord {
  std::atomic<int64_t> nanoseconds{0};
  uint64_t ticket = 0;
  std::shared_ptr<Progress> progress;
};

struct Event {
  Context *context = nullptr;
  unsigned flags = 0;
  std::mutex mutex;
  std::shared_ptr<EventRecord> record; ///< the last; null: none
  std::shared_ptr<Capture> capture;    ///< if that was in a capture
  std::vector<GraphNode *> captureTips;
};

CUresult findEvent(CUevent handle, Event *&event);
OperationRef makeRecord(Event *event);
OperationRef makeWait(Event *event);
/// The event of a node of those two kinds.
Event *eventOf(const Operation &operation);

// Handles: enter() and a look into the tables.
CUresult enterGraph(CUgraph handle, Graph *&graph);
CUresult enterExec(CUgraphExec handle, GraphExec *&exec);
CUresult findNode(CUgraphNode handle, GraphNode *&node);

/// `nodes`, and all that they come after.
std::vector<GraphNode *> allBefore(std::vector<GraphNode *> nodes);

/// A node that runs a copy of a graph.
OperationRef makeChild(const Graph &graph);
/// That copy; null if the node does something else.
const Graph *childOf(const Operation &operation);

// What nodes were made from.
CUDA_KERNEL_NODE_PARAMS launchParams(const Operation &operation);
LaunchOptions launchOptions(const Operation &operation);
CUDA_MEMCPY3D copyParams(const Operation &operation);
CUDA_MEMSET_NODE_PARAMS setParams(const Operation &operation);
CUDA_HOST_NODE_PARAMS hostParams(const Operation &operation);

// -- Building (GraphNodes.cpp)
/// The node of that type behind a handle; enter() as well.
CUresult enterNode(CUgraphNode handle, CUgraphNodeType type, GraphNode *&node);
/// The nodes of a graph behind handles.
CUresult findNodes(Graph &graph, const CUgraphNode *handles, size_t count,
                   std::vector<GraphNode *> &nodes);
CUresult addNode(CUgraphNode *out, CUgraph handle,
                 const CUgraphNode *dependencies, size_t count,
                 OperationRef operation);
/// What a node does from now on, in graphs that will be instantiated; or in
/// one that is. It must be of the node's kind.
CUresult setOperation(CUgraphNode handle, OperationRef operation);
CUresult setOperation(CUgraphExec exec, CUgraphNode handle,
                      OperationRef operation);

// -- Memory of graphs (GraphMemory.cpp)
/// Frees memory of a pool. That of a graph stays the graph's, whose later nodes
/// may have it.
struct FreeOperation : Operation {
  CUdeviceptr pointer;
  mutable std::atomic<bool> isReused{false};
  explicit FreeOperation(CUdeviceptr pointer) : pointer(pointer) {}
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEM_FREE; }
  void run(Context &context) const override;
};
/// A node that allocates, in the graph that a stream records.
CUresult captureAllocation(Context &context, StreamObject &stream,
                           CUDA_MEM_ALLOC_NODE_PARAMS &params);

} // namespace ptxjit::cuda

#endif
