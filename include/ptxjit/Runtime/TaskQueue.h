//===- TaskQueue.h - work in order ------------------------------*- C++ -*-===//
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

/// How far a stream has come, in tickets: its tasks are numbered from 1 on.
/// Outlives the stream. Thread-safe.
class Progress {
public:
  /// Have the tasks up to that number finished?
  bool isDone(uint64_t ticket);
  /// Blocks until they have.
  void wait(uint64_t ticket);

private:
  friend class TaskQueue;
  std::mutex mutex;
  std::condition_variable idle;
  uint64_t finished = 0;
};

/// Runs tasks one after another on a thread of its own, which takes part in the
/// launches it makes; it starts with the first task. Thread-safe.
class TaskQueue {
public:
  TaskQueue() = default;
  /// Finishes what was submitted. Not from one of its own tasks.
  ~TaskQueue();
  TaskQueue(const TaskQueue &) = delete;
  TaskQueue &operator=(const TaskQueue &) = delete;

  /// Never blocks. Tasks must not throw.
  /// \returns the task's ticket.
  uint64_t submit(std::function<void()> task);
  /// Blocks until all that was submitted before has finished.
  void synchronize();
  /// Number of the task submitted last; 0 if none was.
  uint64_t lastTicket();
  bool isDone(uint64_t ticket) { return progress->isDone(ticket); }
  const std::shared_ptr<Progress> &getProgress() const { return progress; }

private:
  void work();

  std::shared_ptr<Progress> progress = std::make_shared<Progress>();
  std::mutex mutex;
  std::condition_variable wake;
  std::queue<std::function<void()>> tasks;
  bool stopping = false;
  uint64_t submitted = 0;
  std::thread thread;
};

} // namespace ptxjit

#endif
