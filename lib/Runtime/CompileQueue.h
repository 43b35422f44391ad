//===- CompileQueue.h - threads that compile beside a program ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_COMPILEQUEUE_H
#define PTXJIT_LIB_RUNTIME_COMPILEQUEUE_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <sys/types.h>
#include <thread>
#include <vector>

namespace ptxjit {

/// Threads beside the program, which begin jobs in their order, the urgent ones
/// first. They are started as jobs come. Thread-safe.
class CompileQueue {
public:
  /// The queue of the process, for compilations. Half of the cores are left to
  /// the program, which is running kernels meanwhile. Closed at exit.
  static CompileQueue &get();

  /// \param mostThreads  at least 1.
  explicit CompileQueue(unsigned mostThreads);
  ~CompileQueue() { close(); }
  CompileQueue(const CompileQueue &) = delete;

  /// Never blocks. Jobs must not throw. A job is dropped after close(), and in
  /// a forked process, which has no threads.
  void add(std::function<void()> job, bool isUrgent = true);
  /// Drops the jobs that have not begun, and waits for those that have: a
  /// compilation cannot be stopped, and the cache keeps its result. Must not be
  /// called from a job.
  void close();

private:
  bool isEmpty() const { return urgent.empty() && others.empty(); }
  void start();
  void work();
  bool isForked() const;

  const unsigned mostThreads;
  const pid_t owner;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> urgent, others;
  std::vector<std::thread> threads;
  size_t numIdle = 0; ///< threads that wait for a job
  bool isClosed = false;
};

} // namespace ptxjit

#endif
