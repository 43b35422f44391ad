//===- LaunchTreeTest.cpp - grids and what they launch --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Runtime/LaunchTree.h"
#include "ptxjit/Runtime/CudaErrors.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <thread>

using namespace ptxjit;

namespace {

/// Launches are told apart by their dynamic shared memory.
ChildLaunch makeLaunch(uint32_t number) {
  ChildLaunch launch;
  launch.shared = number;
  return launch;
}

/// A tree whose grids do nothing but note that they run.
class LaunchTreeTest : public testing::Test {
protected:
  using Body = std::function<void(DeviceStreams &)>;

  LaunchStatus run(DeviceStreams &streams, unsigned threads = 1) {
    LaunchTree tree(
        [&](const ChildLaunch &launch, DeviceStreams &next, std::string &text) {
          {
            std::lock_guard<std::mutex> lock(mutex);
            order.push_back(launch.shared);
          }
          if (auto it = bodies.find(launch.shared); it != bodies.end())
            it->second(next);
          if (launch.shared != failing)
            return LaunchStatus::Ok;
          text += "failed\n";
          return LaunchStatus::Trap;
        },
        threads);
    return tree.run(streams, diagnostics);
  }
  /// Adds a launch to a stream of CTA 0.
  static void add(DeviceStreams &streams, uint32_t number,
                  uint64_t stream = 0) {
    EXPECT_EQ(streams.add(makeLaunch(number), stream, 0), cudaSuccess);
  }

  std::mutex mutex;
  std::vector<uint32_t> order;
  std::map<uint32_t, Body> bodies; ///< what grids launch
  uint32_t failing = ~0u;
  std::string diagnostics;
};

using Order = std::vector<uint32_t>;

} // namespace

TEST_F(LaunchTreeTest, AStreamIsInOrder) {
  DeviceStreams streams;
  for (uint32_t i = 0; i < 5; ++i)
    add(streams, i);
  // The next one waits for all that a grid launches.
  bodies[1] = [](DeviceStreams &next) { add(next, 11, next.createStream()); };
  EXPECT_EQ(run(streams, 4), LaunchStatus::Ok);
  EXPECT_EQ(order, (Order{0, 1, 11, 2, 3, 4}));
}

TEST_F(LaunchTreeTest, EventsOrderStreams) {
  DeviceStreams streams;
  uint64_t a = streams.createStream(), b = streams.createStream(),
           event = streams.createEvent();
  add(streams, 1, a);
  EXPECT_EQ(streams.recordEvent(event, a, 0), cudaSuccess);
  EXPECT_EQ(streams.waitForEvent(event, b, 0), cudaSuccess);
  EXPECT_EQ(streams.waitForEvent(event, b, 0), cudaSuccess); // twice is once
  EXPECT_EQ(streams.destroyEvent(event), cudaSuccess);
  add(streams, 2, b);
  EXPECT_EQ(streams.destroyStream(b), cudaSuccess);
  EXPECT_EQ(streams.destroyStream(b), cudaErrorInvalidValue);
  EXPECT_EQ(streams.destroyEvent(event), cudaErrorInvalidValue);
  EXPECT_EQ(streams.add(makeLaunch(3), b, 0), cudaErrorInvalidValue);
  EXPECT_EQ(run(streams), LaunchStatus::Ok);
  EXPECT_EQ(order, (Order{1, 2}));
}

TEST_F(LaunchTreeTest, DefaultStreamsBelongToCtas) {
  DeviceStreams streams;
  EXPECT_EQ(streams.add(makeLaunch(1), 0, 0), cudaSuccess);
  EXPECT_EQ(streams.add(makeLaunch(2), DeviceStreams::kPerThread, 0),
            cudaSuccess);
  EXPECT_EQ(streams.add(makeLaunch(3), 0, 1), cudaSuccess);
  std::vector<DeviceTask> tasks = streams.takeTasks();
  EXPECT_TRUE(tasks[0].after.empty());
  EXPECT_EQ(tasks[1].after, (Order{0}));
  EXPECT_TRUE(tasks[2].after.empty());
}

/// Which an H100 does in the same order.
TEST_F(LaunchTreeTest, TailsComeLastEachWithItsOwn) {
  auto tailOf = [&](uint32_t value, auto self, int more) -> void {
    if (more)
      bodies[value] = [=](DeviceStreams &next) {
        add(next, value * 10, DeviceStreams::kTail);
        add(next, value * 10 + 5);
      };
    if (more)
      self(value * 10, self, more - 1);
  };
  tailOf(1, tailOf, 2);
  tailOf(2, tailOf, 1);
  DeviceStreams streams;
  add(streams, 1, DeviceStreams::kTail);
  add(streams, 2, DeviceStreams::kTail);
  add(streams, 7);
  add(streams, 8);
  add(streams, 9, DeviceStreams::kAtOnce);
  EXPECT_EQ(run(streams), LaunchStatus::Ok);
  // 7 and 9 may begin first, then 8.
  ASSERT_EQ(order.size(), 11u);
  order.erase(order.begin(), order.begin() + 3);
  EXPECT_EQ(order, (Order{1, 15, 10, 105, 100, 2, 25, 20}));
}

TEST_F(LaunchTreeTest, ChainsMayBeLong) {
  for (uint64_t stream : {uint64_t(0), uint64_t(DeviceStreams::kTail)}) {
    uint32_t left = 100000;
    bodies[1] = [&](DeviceStreams &next) {
      if (--left)
        add(next, 1, stream);
    };
    DeviceStreams streams;
    add(streams, 1, stream);
    EXPECT_EQ(run(streams), LaunchStatus::Ok);
    EXPECT_EQ(left, 0u);
  }
}

TEST_F(LaunchTreeTest, IndependentLaunchesRunBesideEachOther) {
  std::atomic<int> present{0};
  auto meet = [&](DeviceStreams &) {
    ++present;
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (present < 2 && std::chrono::steady_clock::now() < end)
      std::this_thread::yield();
  };
  bodies[1] = bodies[2] = meet;
  DeviceStreams streams;
  add(streams, 1, DeviceStreams::kAtOnce);
  add(streams, 2, DeviceStreams::kAtOnce);
  EXPECT_EQ(run(streams, 2), LaunchStatus::Ok);
  EXPECT_EQ(present, 2);
}

TEST_F(LaunchTreeTest, NothingBeginsAfterAFailure) {
  failing = 2;
  DeviceStreams streams;
  for (uint32_t i = 1; i <= 4; ++i)
    add(streams, i);
  add(streams, 5, DeviceStreams::kTail);
  EXPECT_EQ(run(streams), LaunchStatus::Trap);
  EXPECT_EQ(order, (Order{1, 2}));
  EXPECT_EQ(diagnostics, "failed\n");
}

TEST_F(LaunchTreeTest, ManyLaunchesOnManyThreads) {
  // A tree of 3 children a grid, 7 levels deep, in streams of all kinds.
  std::atomic<unsigned> grids{0};
  for (uint32_t level = 0; level < 7; ++level)
    bodies[level] = [&grids, level](DeviceStreams &next) {
      ++grids;
      if (level == 6)
        return;
      add(next, level + 1);
      add(next, level + 1, DeviceStreams::kAtOnce);
      add(next, level + 1, DeviceStreams::kTail);
    };
  DeviceStreams streams;
  add(streams, 0);
  EXPECT_EQ(run(streams, 4), LaunchStatus::Ok);
  EXPECT_EQ(grids, 1093u);
}

TEST_F(LaunchTreeTest, CopiesAndFillsOfBoxes) {
  uint8_t bytes[32] = {};
  auto at = reinterpret_cast<uint64_t>(bytes);
  DeviceStreams streams;
  // Columns 1 and 2 of three rows of four, then rows 1 and 2 behind them.
  streams.add(BoxFill{{at + 1, 4, 0}, {2, 3, 1}, 7}, 0, 0);
  streams.add(BoxCopy{{at + 16, 4, 8}, {at + 4, 4, 4}, {4, 1, 2}}, 0, 0);
  // Nothing of no extent is touched.
  streams.add(BoxFill{{8, 0, 0}, {4, ~uint64_t(0), 0}, 7}, 0, 0);
  EXPECT_EQ(run(streams), LaunchStatus::Ok);
  const uint8_t expected[32] = {0, 7, 7, 0, 0, 7, 7, 0, 0, 7, 7, 0, 0, 0,
                                0, 0, 0, 7, 7, 0, 0, 0, 0, 0, 0, 7, 7, 0};
  for (unsigned i = 0; i < 32; ++i)
    EXPECT_EQ(bytes[i], expected[i]) << i;
}

TEST_F(LaunchTreeTest, ABadCopyIsAFault) {
  int value = 0;
  DeviceStreams streams;
  streams.add(
      BoxCopy{{reinterpret_cast<uint64_t>(&value), 0, 0}, {8, 0, 0}, {4, 1, 1}},
      0, 0);
  add(streams, 1);
  EXPECT_EQ(run(streams), LaunchStatus::IllegalAddress);
  EXPECT_TRUE(order.empty());
  EXPECT_NE(diagnostics.find("copy"), std::string::npos);
}
