//===- Helpers.cpp - TBB threads that help with a launch ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"
#include "Cpu.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <oneapi/tbb/task_arena.h>
#include <thread>

// ThreadSanitizer does not see that TBB orders enqueue before the task.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define PTXJIT_HAND_OVER(what) __tsan_release(what)
#define PTXJIT_TAKE_OVER(what) __tsan_acquire(what)
#endif
#endif
#ifndef PTXJIT_HAND_OVER
#define PTXJIT_HAND_OVER(what)
#define PTXJIT_TAKE_OVER(what)
#endif

using namespace ptxjit;

/// Helpers may start the body while the door is open.
struct Helpers::Door {
  std::mutex mutex;
  std::condition_variable left;
  std::function<void(unsigned)> body;
  bool isOpen = true;
  std::atomic<unsigned> inside{0};

  void enter(unsigned index) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      if (!isOpen)
        return;
      ++inside;
    }
    body(index);
    std::lock_guard<std::mutex> lock(mutex);
    if (--inside == 0)
      left.notify_all();
  }
};

/// Launches with the same number of helpers share an arena, so that together
/// they ask for no more threads than one of them. Arenas are never destroyed,
/// since TBB's threads may outlive this library's statics.
static tbb::task_arena &arenaOf(unsigned threads) {
  static std::mutex mutex;
  static auto &arenas = *new std::map<unsigned, tbb::task_arena *>;
  std::lock_guard<std::mutex> lock(mutex);
  tbb::task_arena *&arena = arenas[threads];
  if (!arena)
    arena = new tbb::task_arena(int(threads), /*reserved_for_masters=*/0);
  return *arena;
}

Helpers::Helpers(unsigned count, std::function<void(unsigned)> body)
    : door(std::make_shared<Door>()) {
  door->body = std::move(body);
  PTXJIT_HAND_OVER(door.get());
  tbb::task_arena &arena = arenaOf(count);
  for (unsigned i = 1; i <= count; ++i)
    arena.enqueue([door = door, i] {
      PTXJIT_TAKE_OVER(door.get());
      door->enter(i);
    });
}

Helpers::~Helpers() {
  {
    std::lock_guard<std::mutex> lock(door->mutex);
    door->isOpen = false;
  }
  // Mostly the helpers are about to leave; sleeping would take longer.
  for (int i = 0; i < 2000 && door->inside; ++i)
    pauseSpinning();
  std::unique_lock<std::mutex> lock(door->mutex);
  door->left.wait(lock, [this] { return door->inside == 0; });
}
