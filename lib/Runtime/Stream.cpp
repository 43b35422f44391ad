//===- Stream.cpp - work in order -----------------------------------------===//

#include "ptxjit/Runtime/Stream.h"

using namespace ptxjit;

Stream::Stream() : thread([this] { work(); }) {}

Stream::~Stream() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  wake.notify_one();
  thread.join();
}

void Stream::submit(std::function<void()> task) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    tasks.push(std::move(task));
    ++submitted;
  }
  wake.notify_one();
}

void Stream::synchronize() {
  std::unique_lock<std::mutex> lock(mutex);
  idle.wait(lock, [this] { return tasks.empty() && !busy; });
}

uint64_t Stream::lastTicket() {
  std::lock_guard<std::mutex> lock(mutex);
  return submitted;
}

bool Stream::isDone(uint64_t ticket) {
  std::lock_guard<std::mutex> lock(mutex);
  return finished >= ticket;
}

void Stream::wait(uint64_t ticket) {
  std::unique_lock<std::mutex> lock(mutex);
  idle.wait(lock, [&] { return finished >= ticket; });
}

void Stream::work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    wake.wait(lock, [this] { return stopping || !tasks.empty(); });
    if (tasks.empty())
      return;
    std::function<void()> task = std::move(tasks.front());
    tasks.pop();
    busy = true;
    lock.unlock();
    task();
    task = nullptr;
    lock.lock();
    busy = false;
    ++finished;
    idle.notify_all();
  }
}
