//===- GraphPlan.h - runs the operations of a graph -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_GRAPHPLAN_H
#define PTXJIT_LIB_CUDADRIVER_GRAPHPLAN_H

#include "Graph.h"

#include <condition_variable>

namespace ptxjit::cuda {

/// The enabled operations of a graph, and which of them wait for which. A plan
/// never changes, so launches that have begun keep theirs. Branches of the
/// graph run at the same time if their operations may take long.
class GraphPlan : public Operation {
public:
  struct Step {
    OperationRef operation;     ///< null: only keeps others in order
    std::vector<unsigned> next; ///< steps that wait for this one
    unsigned before = 0;        ///< number of steps that this one waits for
    int priority = 0;           ///< of steps that may begin the lowest is first
    /// Begins only while no other step runs or may begin, except for late ones.
    /// So it is with conditional nodes: a GPU takes long to begin one, and
    /// programs (NVIDIA's sample graphConditionalNodes) omit the edge from the
    /// kernel that sets its value.
    bool isLate = false;
  };

  /// \pre The edges of the graph, and of graphs inside of it, form no cycle.
  /// \param usesPriorities  whether priorities of kernels count.
  GraphPlan(const Graph &graph, bool usesPriorities);
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_GRAPH; }
  void run(Context &context) const override;

private:
  std::vector<Step> steps; ///< each waits for earlier ones only
  bool isChain = true;     ///< each waits for the one in front of it
  UserReferences users;
};

/// Whose launch of an instance it is: one runs at a time.
class Turn {
public:
  bool tryTake();
  /// Waits until the turn is free.
  void take();
  void release();

private:
  std::mutex mutex;
  std::condition_variable released;
  bool isTaken = false;
};

/// What the launches of an instance run, until the instance is changed.
struct InstancePlan {
  explicit InstancePlan(const GraphExec &exec);
  /// Sets the nodes that kernels update to what the host has said, once.
  void load() const;
  void run(Context &context) const;

  uint64_t deviceHandle; ///< `%current_graph_exec`
  bool usesPriorities;   ///< of the kernels, instead of that of the stream
  LaunchMemory memory;
  std::shared_ptr<Turn> turn;

private:
  GraphPlan graph;
  std::vector<std::shared_ptr<Condition>> conditions;
  struct Updatable {
    OperationRef launch;
    bool isEnabled;
  };
  std::vector<Updatable> updatable;
  mutable std::once_flag isLoaded;
};

/// Runs an instance, and what its kernels launch.
void runInstance(const std::shared_ptr<const InstancePlan> &plan,
                 Context &context);
/// What a launch of an instance by a kernel runs; null if kernels must not
/// launch it, or it has been neither uploaded nor launched.
std::shared_ptr<const InstancePlan> findDevicePlan(uint64_t handle);

/// A thread that has run a task waits for the next one. They are never
/// destroyed: programs may end while graphs run.
void runOnSpareThread(std::function<void()> task);

} // namespace ptxjit::cuda

#endif
