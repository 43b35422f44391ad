//===- GraphPlan.cpp - runs the operations of a graph ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphPlan.h"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <queue>
#include <unordered_map>

using namespace ptxjit;
using namespace ptxjit::cuda;

GraphPlan::GraphPlan(const Graph &graph, bool usesPriorities)
    : users(graph.users) {
  std::vector<GraphNode *> order;
  [[maybe_unused]] bool isSorted = graph.sort(order);
  assert(isSorted && "instances have no cycles");
  std::unordered_map<const GraphNode *, unsigned> places;
  for (GraphNode *node : order) {
    auto place = unsigned(steps.size());
    places[node] = place;
    Step &step = steps.emplace_back();
    // Kernels may enable their nodes later.
    if (node->isEnabled || isUpdatable(*node)) {
      const NestedOperation *nested = nestedIn(*node->operation);
      step.operation = nested ? nested->plan(usesPriorities) : node->operation;
    }
    if (usesPriorities && node->operation->type() == CU_GRAPH_NODE_TYPE_KERNEL)
      step.priority = launchAttributes(*node->operation).priority;
    step.isLate = node->operation->type() == CU_GRAPH_NODE_TYPE_CONDITIONAL;
    step.before = unsigned(node->dependencies.size());
    bool isBehindLast = false;
    for (const GraphNode *before : node->dependencies) {
      steps[places[before]].next.push_back(place);
      isBehindLast |= places[before] + 1 == place;
    }
    isChain &= isBehindLast || place == 0;
  }
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

namespace {
struct SpareThreads {
  std::mutex mutex;
  std::vector<TaskQueue *> idle;
};
} // namespace

void cuda::runOnSpareThread(std::function<void()> task) {
  static auto *threads = new SpareThreads;
  TaskQueue *queue = nullptr;
  {
    std::lock_guard<std::mutex> lock(threads->mutex);
    if (!threads->idle.empty()) {
      queue = threads->idle.back();
      threads->idle.pop_back();
    }
  }
  if (!queue)
    queue = new TaskQueue;
  queue->submit([queue, task = std::move(task)] {
    task();
    std::lock_guard<std::mutex> lock(threads->mutex);
    threads->idle.push_back(queue);
  });
}

/// How many threads may help with one graph. Host functions may wait for each
/// other, so there are some on small machines, too.
static unsigned mostHelpers() {
  static const unsigned most =
      std::max(4u, std::thread::hardware_concurrency()) - 1;
  return most;
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

namespace {
/// One run of a plan with branches. Short operations run one after another:
/// another thread would come too late for them. A thread that begins a long one
/// calls a helper for what else may begin.
class BranchRun : public std::enable_shared_from_this<BranchRun> {
public:
  BranchRun(const std::vector<GraphPlan::Step> &steps, Context &context)
      : steps(steps), context(context), left(steps.size()) {
    for (const GraphPlan::Step &step : steps) {
      before.push_back(step.before);
      if (!step.before)
        add(unsigned(before.size() - 1));
    }
  }

  /// Returns when all steps have ended. The calling thread runs some of them.
  void run() {
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      work(lock);
      isWaiting = true;
      changed.wait(lock, [this] { return mayBegin() || (!left && !helpers); });
      isWaiting = false;
      if (!mayBegin())
        return;
    }
  }

private:
  using Place = std::pair<int, unsigned>;
  using Queue = std::priority_queue<Place, std::vector<Place>, std::greater<>>;

  void add(unsigned step) {
    (steps[step].isLate ? late : ready).emplace(steps[step].priority, step);
  }
  bool mayBegin() const {
    return !ready.empty() || (!late.empty() && !running);
  }
  /// \pre mayBegin()
  const GraphPlan::Step &take() {
    Queue &queue = ready.empty() ? late : ready;
    const GraphPlan::Step &step = steps[queue.top().second];
    queue.pop();
    return step;
  }

  /// Runs steps until none may begin. `lock` is held before and after.
  void work(std::unique_lock<std::mutex> &lock) {
    while (mayBegin()) {
      const GraphPlan::Step &step = take();
      running += !step.isLate;
      const Operation *operation = step.operation.get();
      if (operation && mayBegin() && !operation->isShort())
        callHelper();
      lock.unlock();
      if (operation && !context.stickyError)
        operation->run(context);
      lock.lock();
      running -= !step.isLate;
      --left;
      for (unsigned next : step.next)
        if (--before[next] == 0)
          add(next);
    }
  }

  void callHelper() {
    if (isWaiting) {
      changed.notify_one(); // run() takes the step
      return;
    }
    if (helpers == mostHelpers())
      return;
    ++helpers;
    runOnSpareThread([self = shared_from_this(), graph = runningGraph()] {
      RunningGraphScope scope(graph);
      std::unique_lock<std::mutex> lock(self->mutex);
      self->work(lock);
      --self->helpers;
      self->changed.notify_one();
    });
  }

  const std::vector<GraphPlan::Step> &steps;
  Context &context;
  std::mutex mutex;
  std::condition_variable changed; ///< only run() waits for it
  Queue ready, late;               ///< steps that may begin, by priority
  std::vector<unsigned> before;    ///< for each step, how many it waits for
  size_t left;                     ///< steps that have not ended
  unsigned running = 0;            ///< steps, without late ones
  unsigned helpers = 0;            ///< that run, or are on their way
  bool isWaiting = false;          ///< run() waits for helpers
};
} // namespace

void GraphPlan::run(Context &context) const {
  // Branches of short operations are no reason to keep account of them.
  bool hasBranches =
      !isChain && std::any_of(steps.begin(), steps.end(), [](const Step &step) {
        return step.operation && !step.operation->isShort();
      });
  if (hasBranches) {
    std::make_shared<BranchRun>(steps, context)->run();
    return;
  }
  for (const Step &step : steps)
    if (step.operation && !context.stickyError)
      step.operation->run(context);
}
