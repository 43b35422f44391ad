//===- TaskQueue.h - a queue of host tasks that run in order ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_TASKQUEUE_H
#define PTXJIT_RUNTIME_TASKQUEUE_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <thread>

namespace ptxjit {

/// Learns whether the thread that submits a task waits for it at once, before
/// it submits another one. Such a thread may as well run tasks itself, which
/// saves waking two threads. Not thread-safe.
class WaitingHabit {
public:
  /// The calling thread has submitted a task, or `ranHere`: has just run it.
  void submitted(uint64_t ticket, bool ranHere);
  /// The calling thread waits for the tasks up to `ticket`.
  void awaited(uint64_t ticket);
  /// Whether it has waited at once for the last few tasks.
  bool isStrong() const { return streak >= needed; }

private:
  using Clock = std::chrono::steady_clock;
  static constexpr unsigned kLeastNeeded = 3, kMostNeeded = 4096;

  void count(bool waited);

  uint64_t pending = 0; ///< a task that nobody has waited for; 0: none
  bool ranHere = false;
  Clock::time_point since;
  std::thread::id submitter;
  unsigned streak = 0, needed = kLeastNeeded;
};

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
  static constexpr uint64_t kNever = ~uint64_t(0);

  /// Counts a task that has finished.
  void advance();

  std::mutex mutex;
  std::condition_variable idle;
  uint64_t finished = 0;
  /// The first task that a thread waits for. Those in front of it wake nobody,
  /// since a thread that is woken takes a core from the tasks.
  uint64_t awaited = kNever;
  WaitingHabit habit; ///< of who submits those of runIfAwaited()
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
  /// Does so if the calling thread has waited for the last tasks of this kind
  /// as soon as it had submitted them; else submits the task. The task must not
  /// take long, nor wait for what that thread does next, nor submit to this
  /// queue.
  /// \returns the task's ticket.
  uint64_t runIfAwaited(std::function<void()> task);
  /// Blocks until all tasks that were submitted before this call have finished.
  void synchronize();
  /// Ticket of the task that was submitted last; 0 if there is none.
  uint64_t lastTicket();
  bool isDone(uint64_t ticket) { return progress->isDone(ticket); }
  const std::shared_ptr<Progress> &getProgress() const { return progress; }

private:
  void work();
  bool finish();
  std::optional<uint64_t> tryToRun(const std::function<void()> &task);

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
