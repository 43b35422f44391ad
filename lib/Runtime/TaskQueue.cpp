//===- TaskQueue.cpp - a queue of host tasks that run in order ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/TaskQueue.h"

using namespace ptxjit;

bool Progress::isDone(uint64_t ticket) {
  std::lock_guard<std::mutex> lock(mutex);
  return finished >= ticket;
}

void Progress::wait(uint64_t ticket) {
  std::unique_lock<std::mutex> lock(mutex);
  idle.wait(lock, [&] { return finished >= ticket; });
}

TaskQueue::~TaskQueue() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  wake.notify_one();
  if (thread.joinable())
    thread.join();
}

uint64_t TaskQueue::submit(std::function<void()> task) {
  uint64_t ticket;
  {
    std::lock_guard<std::mutex> lock(mutex);
    tasks.push(std::move(task));
    ticket = ++submitted;
    if (!thread.joinable())
      thread = std::thread([this] { work(); });
  }
  wake.notify_one();
  return ticket;
}

/// Counts the task that has run.
void TaskQueue::finish(std::unique_lock<std::mutex> &lock) {
  {
    std::lock_guard<std::mutex> done(progress->mutex);
    ++progress->finished;
  }
  progress->idle.notify_all();
  lock.lock();
  running = false;
}

uint64_t TaskQueue::runOrSubmit(std::function<void()> task) {
  std::unique_lock<std::mutex> lock(mutex);
  if (running || !tasks.empty()) {
    lock.unlock();
    return submit(std::move(task));
  }
  running = true;
  uint64_t ticket = ++submitted;
  lock.unlock();
  task();
  finish(lock);
  bool more = !tasks.empty();
  lock.unlock();
  if (more)
    wake.notify_one();
  return ticket;
}

void TaskQueue::synchronize() { progress->wait(lastTicket()); }

uint64_t TaskQueue::lastTicket() {
  std::lock_guard<std::mutex> lock(mutex);
  return submitted;
}

void TaskQueue::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    wake.wait(lock,
              [this] { return !running && (stopping || !tasks.empty()); });
    if (tasks.empty())
      return;
    std::function<void()> task = std::move(tasks.front());
    tasks.pop();
    running = true;
    lock.unlock();
    task();
    task = nullptr;
    finish(lock);
  }
}
