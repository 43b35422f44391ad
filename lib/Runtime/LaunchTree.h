//===- LaunchTree.h - a grid and all that it launches -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_LAUNCHTREE_H
#define PTXJIT_LIB_RUNTIME_LAUNCHTREE_H

#include "DeviceStreams.h"
#include "Helpers.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ptxjit {

/// Runs what grids have launched, beside each other where streams allow it, and
/// what these launch, and so on. A grid has ended when all that has, so its
/// tasks begin when it has run itself: CUDA lets no thread wait for them.
class LaunchTree {
public:
  /// Runs one grid of a kernel, without what it launches, which comes into
  /// `streams`. `diagnostics` describes a failure.
  using RunGrid = std::function<LaunchStatus(const ChildLaunch &launch,
                                             DeviceStreams &streams,
                                             std::string &diagnostics)>;

  /// \param threads  the most threads that run tasks, the calling one included.
  LaunchTree(RunGrid runGrid, unsigned threads)
      : runGrid(std::move(runGrid)), threads(threads) {}

  /// Runs what the grid with these streams has launched. After a failure,
  /// nothing more begins. \returns the first failure.
  LaunchStatus run(DeviceStreams &streams, std::string &diagnostics);

private:
  /// A grid that has run, and not ended.
  struct Node {
    Node *parent;    ///< null: the first grid
    bool isTail;     ///< of the parent
    uint32_t number; ///< of the parent's task, unless it is a tail
    std::vector<DeviceTask> tasks;
    std::vector<uint32_t> missing; ///< by task: those before it that go on
    std::vector<std::vector<uint32_t>> next; ///< by task: those after it
    size_t left;                             ///< tasks that have not ended
    std::deque<DeviceTask> tails;
    std::list<Node>::iterator self;
  };
  /// A task that may begin.
  struct Ready {
    Node *node;
    std::optional<DeviceTask> tail; ///< else the task with this number:
    uint32_t number = 0;
  };

  // With the lock:
  void begin(DeviceStreams &streams, Node *parent, bool isTail,
             uint32_t number);
  void end(Node *node);
  bool endTask(Node &node, uint32_t number);
  bool isDone() const { return isFinished || (hasFailed() && !running); }
  bool hasFailed() const { return status != LaunchStatus::Ok; }
  void inviteHelpers();

  void work(bool isHelper);
  void runTask(Ready &task, std::unique_lock<std::mutex> &lock);
  LaunchStatus runWork(const DeviceTask &task, DeviceStreams &streams,
                       std::string &text);

  const RunGrid runGrid;
  const unsigned threads;

  std::mutex mutex; ///< for all below
  std::condition_variable changed;
  std::list<Node> nodes;
  std::deque<Ready> ready;
  unsigned running = 0; ///< tasks
  unsigned invited = 0; ///< helpers that have not come
  unsigned inside = 0;  ///< helpers that have
  bool isFinished = false;
  LaunchStatus status = LaunchStatus::Ok;
  std::string report;
  /// Destroyed first, since they use all of the above.
  std::vector<std::unique_ptr<Helpers>> helpers;
};

} // namespace ptxjit

#endif
