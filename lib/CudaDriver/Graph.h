//===- Graph.h - graphs, captures and events --------------------*- C++ -*-===//
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

/// A graph owns its nodes. They are in the order in which they were added.
struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  bool isOwned = false; ///< by a capture or a node: not to be destroyed
  UserReferences users;

  Graph() = default;
  explicit Graph(const UserReferences &users) : users(users) {}
  GraphNode *add(OperationRef operation, std::vector<GraphNode *> dependencies);
  bool contains(const GraphNode *node) const;
  std::unique_ptr<Graph> clone() const;
  /// Sorts the nodes topologically. False if their dependencies form a cycle.
  bool sort(std::vector<GraphNode *> &order) const;
};

/// An instance of a graph, ready to be launched. It has a copy of the graph, so
/// that later changes of the graph do not matter.
struct GraphExec {
  std::mutex mutex;
  std::unique_ptr<Graph> graph;
  std::vector<GraphNode *> order;
  uint64_t flags = 0;

  GraphNode *find(uint64_t id);
};

/// A recording: the streams that record into one graph.
struct Capture {
  uint64_t id = 0;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::thread::id thread;
  StreamObject *origin = nullptr;
  std::unique_ptr<Graph> graph;
  Graph *target = nullptr; ///< graph.get(), or the program's graph
  bool isInvalid = false;
  std::vector<GraphNode *> orphans; ///< last nodes of destroyed streams
  /// The streams that take part. A list of its own, since the streams of other
  /// captures belong to other threads.
  std::vector<StreamObject *> streams;

  ~Capture();
};
/// Makes the stream record into `capture` from now on.
void enterCapture(StreamObject &stream, std::shared_ptr<Capture> capture);
/// Takes the stream out of its capture.
void leaveCapture(StreamObject &stream);

/// A point in a stream, and the time when the stream reached it.
struct EventRecord {
  std::atomic<int64_t> nanoseconds{0};
  uint64_t ticket = 0;
  std::shared_ptr<Progress> progress;
};

struct Event {
  Context *context = nullptr;
  CUdevice device = 0;
  unsigned flags = 0;
  std::mutex mutex;
  std::shared_ptr<EventRecord> record; ///< the latest; null: none
  std::shared_ptr<Capture> capture;    ///< if it was recorded in one
  std::vector<GraphNode *> captureTips;
};

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

/// A node that runs a copy of a graph.
OperationRef makeChild(const Graph &graph);
/// The copy that such a node runs; null if the node does something else.
const Graph *childOf(const Operation &operation);

// The parameters that a node of that kind was made from.
CUDA_KERNEL_NODE_PARAMS launchParams(const Operation &operation);
LaunchOptions launchOptions(const Operation &operation);
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
/// Replaces the operation of a node, in a graph or in an instance. The new one
/// must be of the node's type.
CUresult setOperation(CUgraphNode handle, OperationRef operation);
CUresult setOperation(CUgraphExec exec, CUgraphNode handle,
                      OperationRef operation);

// -- Memory of graphs (GraphMemory.cpp)
/// Frees memory from a pool. Memory of a graph stays with the graph, where
/// later nodes may reuse it.
struct FreeOperation : Operation {
  CUdeviceptr pointer;
  mutable std::atomic<bool> isReused{false};
  explicit FreeOperation(CUdeviceptr pointer) : pointer(pointer) {}
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEM_FREE; }
  void run(Context &context) const override;
};
/// Adds a node that allocates to the graph that a stream records.
CUresult captureAllocation(Context &context, StreamObject &stream,
                           CUDA_MEM_ALLOC_NODE_PARAMS &params);

} // namespace ptxjit::cuda

#endif
