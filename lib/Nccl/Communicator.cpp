//===- Communicator.cpp - one rank of a communicator ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Communicator.h"
#include "Engine.h"
#include "Report.h"

using namespace ptxjit::nccl;

Communicator::Communicator(int ranks, int rank, int device, CUcontext context,
                           Settings settings)
    : ranks(ranks), rank(rank), device(device), context(context),
      settings(std::move(settings)) {}

Communicator::~Communicator() = default;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

std::string Communicator::getErrorText() const {
  std::lock_guard<std::mutex> lock(errorMutex);
  return errorText;
}

void Communicator::setFailed(ncclResult_t result, const std::string &text,
                             bool isGone) {
  {
    std::lock_guard<std::mutex> lock(errorMutex);
    if (!gaveUp) {
      errorText = text;
      state = result;
    }
    gaveUp = true;
    if (clique)
      clique->setFailed(rank, isGone);
    if (isGone && inbox)
      inbox->setFailed();
  }
  Engine::get().ring();
}

void Communicator::awaitQuiet() {
  std::lock_guard<std::mutex> nobodyAdvances(taskMutex);
  std::lock_guard<std::mutex> lock(errorMutex);
  if (clique) {
    std::lock_guard<std::shared_mutex> nobodyReads(clique->reading);
  }
}

void Communicator::checkPeers() {
  std::unique_lock<std::mutex> lock(taskMutex, std::try_to_lock);
  if (!lock.owns_lock() || !task)
    return;
  int lost = task->findLostPeer();
  if (lost < 0)
    return;
  std::string text = "rank " + std::to_string(lost) +
                     " is gone, for which rank " + std::to_string(rank) +
                     " waits: " + task->describe();
  report("%s", text.c_str());
  setFailed(ncclRemoteError, text);
}

void Communicator::reportWait() {
  std::unique_lock<std::mutex> lock(taskMutex, std::try_to_lock);
  if (!lock.owns_lock() || !task || isReported)
    return;
  isReported = true;
  report("rank %d of %d has waited for %d s: %s", rank, ranks,
         int(kPatience.count()), task->describe().c_str());
}

//===----------------------------------------------------------------------===//
// The order of operations
//===----------------------------------------------------------------------===//

uint64_t Communicator::takeTicket() {
  std::lock_guard<std::mutex> lock(queueMutex);
  return ++lastTicket;
}

void Communicator::arrive(std::shared_ptr<Execution> execution,
                          uint64_t ticket) {
  std::lock_guard<std::mutex> lock(queueMutex);
  if (!ticket) {
    queue.push_back(std::move(execution));
    return;
  }
  early[ticket] = std::move(execution);
  for (auto it = early.begin(); it != early.end() && it->first == nextTicket;
       it = early.erase(it), ++nextTicket)
    queue.push_back(std::move(it->second));
}

bool Communicator::hasWork() {
  std::lock_guard<std::mutex> lock(queueMutex);
  return !queue.empty();
}

/// Ends the first execution, after which its buffers may go.
void Communicator::finishFront() {
  if (gaveUp) {
    std::lock_guard<std::shared_mutex> nobodyReads(clique->reading);
  }
  std::shared_ptr<Execution> execution;
  {
    std::lock_guard<std::mutex> lock(queueMutex);
    execution = std::move(queue.front());
    queue.pop_front();
  }
  Engine::get().finish(*execution);
}

bool Communicator::advance() {
  std::unique_lock<std::mutex> lock(taskMutex, std::try_to_lock);
  if (!lock.owns_lock())
    return false;
  bool progress = false;
  while (true) {
    Execution *front;
    {
      std::lock_guard<std::mutex> queueLock(queueMutex);
      if (queue.empty())
        return progress;
      front = queue.front().get();
    }
    if (gaveUp || (!task && front->started == front->operations.size())) {
      task = nullptr;
      finishFront();
      progress = true;
      continue;
    }
    if (!task) {
      const Operation &next = front->operations[front->started++];
      bool isCollective = next.kind != Operation::Kind::PointToPoint;
      task = std::make_unique<Task>(next, peers, sequence);
      sequence += isCollective;
      isReported = false;
    }
    {
      std::shared_lock<std::shared_mutex> reads(clique->reading);
      progress |= task->advance();
    }
    if (!task->getError().empty()) {
      report("%s", task->getError().c_str());
      setFailed(ncclInvalidUsage, task->getError());
      continue;
    }
    if (!task->isDone())
      return progress;
    task = nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void Communicator::beginLaunch() {
  std::lock_guard<std::mutex> lock(launchMutex);
  ++launches;
}
void Communicator::endLaunch() {
  std::lock_guard<std::mutex> lock(launchMutex);
  if (--launches == 0)
    launchEnded.notify_all();
}
void Communicator::awaitLaunches() {
  std::unique_lock<std::mutex> lock(launchMutex);
  launchEnded.wait(lock, [this] { return launches == 0; });
}

//===----------------------------------------------------------------------===//
// Children
//===----------------------------------------------------------------------===//

void Communicator::awaitChildTurn(uint64_t ticket) {
  std::unique_lock<std::mutex> lock(childMutex);
  childEnded.wait(lock, [&] { return childTurn == ticket; });
}
void Communicator::endChildTurn() {
  std::lock_guard<std::mutex> lock(childMutex);
  ++childTurn;
  childEnded.notify_all();
}
