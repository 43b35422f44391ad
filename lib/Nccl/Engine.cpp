//===- Engine.cpp - the threads that run operations -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engine.h"
#include "Report.h"

#include <algorithm>
#include <thread>

using namespace ptxjit::nccl;
using Clock = std::chrono::steady_clock;

/// How often a worker looks for news before it sleeps.
static constexpr unsigned kYields = 32;

Engine::Engine()
    : mostWorkers(std::max(1u, std::thread::hardware_concurrency())) {}

Engine &Engine::get() {
  // Never destroyed, since streams may outlive static objects.
  static Engine &engine = *new Engine;
  return engine;
}

void Engine::arrive(const std::shared_ptr<Communicator> &rank,
                    std::shared_ptr<Execution> execution, uint64_t ticket) {
  rank->arrive(std::move(execution), ticket);
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (std::find(busy.begin(), busy.end(), rank) == busy.end())
      busy.push_back(rank);
  }
  ring();
}

void Engine::finish(Execution &execution) {
  std::lock_guard<std::mutex> lock(mutex);
  execution.isDone = true;
  seats.notify_all();
}

void Engine::ring() {
  ++news;
  if (sleepers == 0)
    return;
  std::lock_guard<std::mutex> lock(bellMutex);
  bell.notify_all();
}

void Engine::await(Communicator &rank, Execution &execution) {
  std::unique_lock<std::mutex> lock(mutex);
  while (!execution.isDone) {
    if (workers == mostWorkers) {
      seats.wait(lock);
      continue;
    }
    ++workers;
    lock.unlock();
    work(rank, execution);
    lock.lock();
    --workers;
    seats.notify_all();
  }
}

std::vector<std::shared_ptr<Communicator>> Engine::getBusy() {
  std::lock_guard<std::mutex> lock(mutex);
  busy.erase(std::remove_if(busy.begin(), busy.end(),
                            [](auto &rank) { return !rank->hasWork(); }),
             busy.end());
  return busy;
}

/// \param isRemote  set if one of them waits for another process
bool Engine::advanceOthers(bool &isRemote) {
  bool progress = false;
  for (auto &rank : getBusy()) {
    progress |= rank->advance();
    isRemote |= rank->isRemote();
  }
  return progress;
}

void Engine::work(Communicator &rank, Execution &execution) {
  Clock::time_point last = Clock::now(), checked = last;
  for (unsigned idle = 0; !execution.isDone; ++idle) {
    uint64_t seen = news;
    bool isRemote = rank.isRemote();
    if (rank.advance() || advanceOthers(isRemote)) {
      ring();
      idle = 0;
      last = checked = Clock::time_point();
      continue;
    }
    if (execution.isDone)
      return;
    pause(seen, isRemote, idle);
    // Only who waits for longer looks at the clock.
    if (idle < kYields)
      continue;
    Clock::time_point now = Clock::now();
    if (last == Clock::time_point())
      last = checked = now;
    if (now - checked < std::chrono::milliseconds(100))
      continue;
    checked = now;
    for (auto &each : getBusy()) {
      each->checkPeers();
      if (now - last > kPatience)
        each->reportWait();
    }
  }
}

/// Waits for news, or a little for those of other processes.
/// \param idle  how many times in vain so far
void Engine::pause(uint64_t seen, bool isRemote, unsigned idle) {
  if (idle < kYields) {
    std::this_thread::yield();
    return;
  }
  std::chrono::microseconds most(100000);
  if (isRemote)
    most = std::chrono::microseconds(std::min(20 + idle / 4, 1000u));
  std::unique_lock<std::mutex> lock(bellMutex);
  ++sleepers;
  bell.wait_for(lock, most, [&] { return news != seen; });
  --sleepers;
}
