//===- TaskQueue.cpp - a queue of host tasks that run in order ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/TaskQueue.h"

#include <algorithm>
#include <cassert>

using namespace ptxjit;

void WaitingHabit::submitted(uint64_t ticket, bool here) {
  assert(ticket && "tickets begin at 1");
  if (pending)
    count(false);
  pending = ticket;
  ranHere = here;
  since = Clock::now();
  submitter = std::this_thread::get_id();
}

void WaitingHabit::awaited(uint64_t ticket) {
  if (!pending || ticket < pending)
    return;
  // What the thread does in less time than waking two threads takes, it may do
  // after the task instead of beside it. Beside a task that keeps all cores
  // busy, the same takes longer.
  auto atOnce = std::chrono::microseconds(ranHere ? 30 : 200);
  count(submitter == std::this_thread::get_id() &&
        Clock::now() - since < atOnce);
  pending = 0;
}

/// After each task that ran here although the thread did not wait for it at
/// once, more tasks have to be awaited until the next one runs here.
void WaitingHabit::count(bool waited) {
  if (waited) {
    streak = std::min(streak + 1, kMostNeeded);
    needed = std::max(needed - ranHere, kLeastNeeded);
    return;
  }
  streak = 0;
  if (ranHere)
    needed = std::min(2 * needed, kMostNeeded);
}

bool Progress::isDone(uint64_t ticket) {
  std::lock_guard<std::mutex> lock(mutex);
  return finished >= ticket;
}

void Progress::wait(uint64_t ticket) {
  std::unique_lock<std::mutex> lock(mutex);
  habit.awaited(ticket);
  while (finished < ticket) {
    awaited = std::min(awaited, ticket);
    idle.wait(lock);
  }
}

void Progress::advance() {
  bool isAwaited;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isAwaited = ++finished >= awaited;
    // Threads that wait for later tasks say so again.
    if (isAwaited)
      awaited = kNever;
  }
  if (isAwaited)
    idle.notify_all();
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

/// Counts the task that has run. The queue is free before a thread that waits
/// for the task goes on, so that the next short task of that thread runs at
/// once. \returns whether tasks are left.
bool TaskQueue::finish() {
  bool more;
  {
    std::lock_guard<std::mutex> lock(mutex);
    running = false;
    more = !tasks.empty();
  }
  progress->advance();
  return more;
}

/// Runs a task here if no earlier one is left. \returns its ticket; nothing if
/// it has not run.
std::optional<uint64_t> TaskQueue::tryToRun(const std::function<void()> &task) {
  uint64_t ticket;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (running || !tasks.empty())
      return std::nullopt;
    running = true;
    ticket = ++submitted;
  }
  task();
  if (finish())
    wake.notify_one();
  return ticket;
}

uint64_t TaskQueue::runOrSubmit(std::function<void()> task) {
  std::optional<uint64_t> ticket = tryToRun(task);
  return ticket ? *ticket : submit(std::move(task));
}

uint64_t TaskQueue::runIfAwaited(std::function<void()> task) {
  bool isAwaited;
  {
    std::lock_guard<std::mutex> lock(progress->mutex);
    isAwaited = progress->habit.isStrong();
  }
  std::optional<uint64_t> ticket;
  if (isAwaited)
    ticket = tryToRun(task);
  bool ranHere = ticket.has_value();
  if (!ranHere)
    ticket = submit(std::move(task));
  std::lock_guard<std::mutex> lock(progress->mutex);
  progress->habit.submitted(*ticket, ranHere);
  return *ticket;
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
    finish();
    lock.lock();
  }
}
