//===- TaskQueue.h - a queue of host tasks that run in order ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_TASKQUEUE_H
#define PTXJIT_RUNTIME_TASKQUEUE_H

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>

namespace ptxjit {

/// Counts the finished tasks of a stream, whose tickets are 1, 2, 3 ...
/// Outlives the stream. Thread-safe.
class Progress {
public:
  /// Whether the tasks up to `ticket` have finished.
  bool isDone(uint64_t ticket);
  /// Blocks until the tasks up to `ticket` have finished.
  void wait(uint64_t ticket);

private:
  friend class TaskQueue;
  std::mutex mutex;
  std::condition_variable idle;
  uint64_t finished = 0;
};

/// Runs tasks one after another on its own thread, which starts with the first
/// task that it is given. That thread also runs CTAs of the launches that the
/// tasks make. Thread-safe.
class TaskQueue {
public:
  TaskQueue() = default;
  /// Runs all submitted tasks first. Must not be called from one of them.
  ~TaskQueue();
  TaskQueue(const TaskQueue &) = delete;
  TaskQueue &operator=(const TaskQueue &) = delete;

  /// Never blocks. Tasks must not throw.
  /// \returns the task's ticket.
  uint64_t submit(std::function<void()> task);
  /// Runs a short task on the calling thread if all earlier ones have finished,
  /// which saves waking the queue's thread; else submits it. The task must not
  /// submit to this queue.
  /// \returns the task's ticket.
  uint64_t runOrSubmit(std::function<void()> task);
  /// Blocks until all tasks that were submitted before this call have finished.
  void synchronize();
  /// Ticket of the task that was submitted last; 0 if there is none.
  uint64_t lastTicket();
  bool isDone(uint64_t ticket) { return progress->isDone(ticket); }
  const std::shared_ptr<Progress> &getProgress() const { return progress; }

private:
  void work();
  void finish(std::unique_lock<std::mutex> &lock);

  std::shared_ptr<Progress> progress = std::make_shared<Progress>();
  std::mutex mutex;
  std::condition_variable wake;
  std::queue<std::function<void()>> tasks;
  bool stopping = false;
  bool running = false; ///< a task runs, on the queue's thread or a caller's
  uint64_t submitted = 0;
  std::thread thread;
};

} // namespace ptxjit

#endif
