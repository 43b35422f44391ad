//===- CompileQueue.cpp - threads that compile beside a program -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileQueue.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace ptxjit;

CompileQueue &CompileQueue::get() {
  // Never destroyed, since programs compile in exit handlers, too.
  static CompileQueue *queue = [] {
    std::atexit([] { get().close(); });
    return new CompileQueue(
        std::max(1u, std::thread::hardware_concurrency() / 2));
  }();
  return *queue;
}

CompileQueue::CompileQueue(unsigned mostThreads)
    : mostThreads(mostThreads), owner(getpid()) {}

void CompileQueue::add(std::function<void()> job, bool isUrgent) {
  if (isForked())
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (isClosed)
    return;
  (isUrgent ? urgent : others).push_back(std::move(job));
  if (urgent.size() + others.size() > numIdle && threads.size() < mostThreads)
    start();
  changed.notify_one();
}

/// The program's signals are for its own threads. The signals of crashes are
/// not blocked, since the guard of the compiler handles them.
void CompileQueue::start() {
  sigset_t blocked, saved;
  sigfillset(&blocked);
  for (int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT})
    sigdelset(&blocked, crash);
  pthread_sigmask(SIG_SETMASK, &blocked, &saved);
  threads.emplace_back([this] { work(); });
  pthread_sigmask(SIG_SETMASK, &saved, nullptr);
}

void CompileQueue::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    ++numIdle;
    changed.wait(lock, [this] { return isClosed || !isEmpty(); });
    --numIdle;
    if (isEmpty())
      return;
    auto &jobs = urgent.empty() ? others : urgent;
    auto job = std::move(jobs.front());
    jobs.pop_front();
    lock.unlock();
    job();
    job = nullptr; // may own the last reference to images
    lock.lock();
  }
}

void CompileQueue::close() {
  if (isForked())
    return;
  std::vector<std::thread> ending;
  {
    std::deque<std::function<void()>> dropped[2]; // destroyed without the lock
    std::lock_guard<std::mutex> lock(mutex);
    isClosed = true;
    dropped[0].swap(urgent);
    dropped[1].swap(others);
    ending.swap(threads);
  }
  changed.notify_all();
  for (std::thread &thread : ending)
    thread.join();
}

/// A forked process has no threads, and maybe a locked mutex.
bool CompileQueue::isForked() const { return getpid() != owner; }
