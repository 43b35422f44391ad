//===- TaskQueueTest.cpp - work in the order of streams -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/TaskQueue.h"

#include <atomic>
#include <gtest/gtest.h>
#include <vector>

using namespace ptxjit;

TEST(TaskQueue, KeepsOrder) {
  TaskQueue stream;
  std::vector<int> order;
  for (int i = 0; i < 1000; ++i)
    stream.submit([&order, i] { order.push_back(i); });
  stream.synchronize();
  ASSERT_EQ(order.size(), 1000u);
  for (int i = 0; i < 1000; ++i)
    EXPECT_EQ(order[i], i);
}

TEST(TaskQueue, RunsShortTasksHere) {
  TaskQueue stream;
  std::thread::id where;
  auto note = [&] { where = std::this_thread::get_id(); };
  uint64_t ticket = stream.runOrSubmit(note);
  EXPECT_EQ(where, std::this_thread::get_id());
  EXPECT_TRUE(stream.isDone(ticket));

  // Behind a task that has not finished, a short one keeps its place.
  std::atomic<bool> go{false};
  stream.submit([&] {
    while (!go)
      std::this_thread::yield();
  });
  ticket = stream.runOrSubmit(note);
  EXPECT_FALSE(stream.isDone(ticket));
  go = true;
  stream.synchronize();
  EXPECT_NE(where, std::this_thread::get_id());
}

// Threads that wait for different tasks go on when theirs has finished, in
// whatever order they came.
TEST(TaskQueue, WaitersGoOnOneByOne) {
  TaskQueue stream;
  constexpr unsigned kTasks = 8;
  std::atomic<unsigned> allowed{0};
  std::vector<uint64_t> tickets;
  for (unsigned i = 0; i < kTasks; ++i)
    tickets.push_back(stream.submit([&, i] {
      while (allowed <= i)
        std::this_thread::yield();
    }));
  std::atomic<unsigned> gone{0};
  std::vector<std::thread> waiters;
  for (unsigned i : {5u, 1u, 7u, 1u, 3u})
    waiters.emplace_back([&, ticket = tickets[i]] {
      stream.getProgress()->wait(ticket);
      ++gone;
    });
  auto goOn = [&](unsigned tasks, unsigned waitersGone) {
    allowed = tasks;
    while (gone < waitersGone)
      std::this_thread::yield();
    stream.getProgress()->wait(tickets[tasks - 1]);
    EXPECT_EQ(gone, waitersGone);
  };
  goOn(1, 0);
  goOn(2, 2);
  goOn(4, 3);
  goOn(5, 3);
  goOn(6, 4);
  goOn(8, 5);
  for (std::thread &waiter : waiters)
    waiter.join();
}

namespace {
/// Tasks that say on which thread they run.
struct NotedTasks {
  TaskQueue stream;
  std::atomic<std::thread::id> where{};

  void submit() {
    where = std::thread::id();
    stream.runIfAwaited([this] { where = std::this_thread::get_id(); });
  }
  bool ranHere() const { return where == std::this_thread::get_id(); }
  /// \returns whether the task ran on this thread.
  bool runHere() {
    submit();
    stream.synchronize();
    return ranHere();
  }
  void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(2)); }
  /// Runs tasks until one runs here. \returns the number of the others.
  int countOthers() {
    int others = 0;
    // A busy machine may come to wait too late.
    while (!runHere() && others < 10000)
      ++others;
    return others;
  }
  /// Submits a task that runs here, and does not wait for it.
  void submitHere() {
    do {
      countOthers();
      submit(); // on a busy machine, maybe to the other thread
    } while (!ranHere());
  }
};
} // namespace

TEST(TaskQueue, RunsHereWhatIsAwaitedAtOnce) {
  NotedTasks tasks;
  EXPECT_FALSE(tasks.runHere());
  EXPECT_FALSE(tasks.runHere());
  EXPECT_FALSE(tasks.runHere());
  EXPECT_LT(tasks.countOthers(), 10000);

  // A pause before the wait, or a further task, and the habit has to be learnt
  // anew; for longer each time.
  tasks.submitHere();
  tasks.pause();
  tasks.stream.synchronize();
  EXPECT_FALSE(tasks.runHere());
  int others = tasks.countOthers();
  EXPECT_GE(others, 1);
  EXPECT_LT(others, 10000);
  tasks.submitHere();
  tasks.submit();
  tasks.stream.synchronize();
  EXPECT_FALSE(tasks.runHere());
  EXPECT_GE(tasks.countOthers(), 3);
}

TEST(TaskQueue, RunsNothingHereForOthersWhoWait) {
  NotedTasks tasks;
  for (int i = 0; i < 20; ++i) {
    tasks.submit();
    std::thread other([&] { tasks.stream.synchronize(); });
    other.join();
    EXPECT_FALSE(tasks.ranHere());
  }
}

TEST(TaskQueue, KeepsOneTaskAtATime) {
  TaskQueue stream;
  int inside = 0, most = 0, count = 0;
  auto task = [&] {
    most = std::max(most, ++inside);
    ++count;
    --inside;
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 2000; ++i)
        if ((i + t) % 3 == 0)
          stream.submit(task);
        else if ((i + t) % 3 == 1)
          stream.runOrSubmit(task);
        else
          stream.runIfAwaited(task);
    });
  for (std::thread &thread : threads)
    thread.join();
  stream.synchronize();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(count, 8000);
}

TEST(TaskQueue, RunsBesideTheHostAndOthers) {
  TaskQueue a, b;
  std::atomic<bool> go{false}, met{false};
  a.submit([&] {
    while (!go)
      std::this_thread::yield();
    met = true;
  });
  b.submit([&] { go = true; });
  a.synchronize();
  EXPECT_TRUE(met);
}

TEST(TaskQueue, SynchronizeOfAnEmptyStream) {
  TaskQueue stream;
  stream.synchronize();
  stream.synchronize();
}

TEST(TaskQueue, DestructionFinishesTheWork) {
  std::atomic<int> done{0};
  {
    TaskQueue stream;
    for (int i = 0; i < 100; ++i)
      stream.submit([&] { ++done; });
  }
  EXPECT_EQ(done, 100);
}
