//===- Stream.h - work in order ---------------------------------*- C++ -*-===//

#ifndef PTXJIT_RUNTIME_STREAM_H
#define PTXJIT_RUNTIME_STREAM_H

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>

namespace ptxjit {

/// Runs tasks one after another on a thread of its own, which takes part in the
/// launches it makes. Thread-safe.
class Stream {
public:
  Stream();
  /// Finishes what was submitted.
  ~Stream();
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;

  /// Never blocks. Tasks must not throw.
  void submit(std::function<void()> task);
  /// Blocks until all that was submitted before has finished.
  void synchronize();
  /// Number of the task submitted last; 0 if none was.
  uint64_t lastTicket();
  /// Have the tasks up to that number finished?
  bool isDone(uint64_t ticket);
  /// Blocks until they have.
  void wait(uint64_t ticket);

private:
  void work();

  std::mutex mutex;
  std::condition_variable wake, idle;
  std::queue<std::function<void()>> tasks;
  bool busy = false, stopping = false;
  uint64_t submitted = 0, finished = 0;
  std::thread thread; ///< last: starts when the rest exists
};

} // namespace ptxjit

#endif
