//===- LaunchGrid.cpp - runs one kernel over a grid -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/LaunchGrid.h"
#include "Cpu.h"
#include "CtaRunner.h"
#include "Helpers.h"
#include "SystemCalls.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <optional>
#include <thread>
#include <vector>

using namespace ptxjit;

const char *ptxjit::describe(LaunchStatus status) {
  switch (status) {
  case LaunchStatus::Ok:
    return "ok";
  case LaunchStatus::InvalidValue:
    return "the launch is not valid: a grid has at most 2147483647 x 65535 x "
           "65535 CTAs";
  case LaunchStatus::InvalidCluster:
    return "the launch is not valid: a cluster has at most 16 CTAs, and its "
           "extents divide those of the grid";
  case LaunchStatus::OutOfResources:
    return "there is not enough memory for the launch";
  case LaunchStatus::Trap:
    return "a thread executed 'trap'";
  case LaunchStatus::Deadlock:
    return "deadlock: all threads of a CTA wait for others that never come";
  case LaunchStatus::Illegal:
    return "illegal operand: barriers are 0 to 15 and have up to 1024 threads, "
           "bulk copies have multiples of 16 bytes, fills of 8";
  case LaunchStatus::StackOverflow:
    return "stack overflow: functions call each other too deeply";
  case LaunchStatus::IllegalAddress:
    return "illegal memory access";
  case LaunchStatus::MisalignedAddress:
    return "misaligned address";
  case LaunchStatus::Assert:
    return "assertion failed";
  }
  return "";
}

const char *ptxjit::describe(PtxjitMode mode, uint32_t strandThreads) {
  switch (mode) {
  case PTXJIT_MODE_WARP_LOOP:
    return strandThreads == 1 ? "thread loop" : "warp loop";
  case PTXJIT_MODE_FISSION:
    return "fission";
  case PTXJIT_MODE_FIBERS:
    return "fibers";
  case PTXJIT_MODE_THREADS:
    return "threads";
  }
  return "";
}

namespace {

/// Sets IEEE's defaults while kernels run: host programs built with -ffast-math
/// leave flush-to-zero on.
class FloatEnvironment {
public:
  FloatEnvironment() : saved(getFloatMode()) { setFloatMode(kKernelFloatMode); }
  ~FloatEnvironment() { setFloatMode(saved); }

private:
  uint64_t saved;
};

constexpr unsigned kMostWorkers = 256;

/// One thread's share of a launch.
class Worker {
public:
  explicit Worker(Launch &launch)
      : launch(launch), scope(launch.kernel), current(scope) {}

  void work();
  FaultScope &getScope() { return scope; }

private:
  void runAll();
  void runWaiting();
  ClusterRunner *makeRunner();
  void reportFault();

  Launch &launch;
  FloatEnvironment environment;
  FaultScope scope;
  // Members, since a fault jumps over the destructors of locals.
  std::vector<std::unique_ptr<ClusterRunner>> parked, idle;
  uint64_t swept = ~uint64_t(0); ///< the first CTA of the last sweep
  CurrentCta current;
};

void Worker::work() {
  auto body = [](void *self) {
    auto *worker = static_cast<Worker *>(self);
    worker->launch.kernel.waits ? worker->runWaiting() : worker->runAll();
  };
  while (!scope.run(body, this)) {
    reportFault();
    // Earlier CTAs may have faults too, and maybe no other worker has come.
    if (!launch.isOrdered())
      break;
  }
  // Stores past the caches are not ordered with the end of the launch.
  if (launch.kernel.largeArrays)
    orderStreamedStores();
}

void Worker::reportFault() {
  CtaRunner &cta = *current.get();
  if (cta.getFibers())
    cta.getFibers()->abandon();
  Fault &fault = scope.getFault();
  if (fault.status == LaunchStatus::Ok)
    return; // left by interrupt()
  cta.getCta(fault.ctaid);
  launch.fail(fault);
}

/// Returns null, and fails the launch, if there is no memory.
ClusterRunner *Worker::makeRunner() {
  idle.push_back(std::make_unique<ClusterRunner>(launch, current));
  if (idle.back()->isValid())
    return idle.back().get();
  launch.fail(LaunchStatus::OutOfResources);
  launch.limit = 0; // also where a CTA has failed before
  return nullptr;
}

void Worker::runAll() {
  ClusterRunner *runner = makeRunner();
  if (!runner)
    return;
  // After a fault in a sweep: later warps of its earlier CTAs have not run.
  for (; launch.mustRun(swept); ++swept)
    runner->run(swept);
  while (!launch.shouldPause()) {
    auto range = launch.take(launch.grain);
    if (!range)
      break;
    for (uint64_t i = range->begin; i < range->end && launch.mustRun(i);) {
      if (launch.sweeps()) {
        swept = i;
        i = runner->sweep(i, range->end);
      } else {
        runner->run(i++);
      }
    }
  }
}

/// Runs clusters with loops that wait (without clusters: CTAs). A waiting one
/// is parked, and the next ones start, up to launch.residents(): more than one
/// if it may wait for a store of an earlier cluster or of one that is started
/// later.
void Worker::runWaiting() {
  bool more = true;
  while (!launch.failed() && (more || !parked.empty())) {
    std::optional<GridSpans::Range> next;
    if (more && parked.size() < launch.residents()) {
      next = launch.take(1);
      more = next.has_value();
    }
    if (next) {
      if (idle.empty() && !makeRunner())
        return;
      if (!idle.back()->run(next->begin)) {
        parked.push_back(std::move(idle.back()));
        idle.pop_back();
      }
    }
    // Resume each parked cluster once.
    for (size_t i = 0; i < parked.size() && !launch.failed();) {
      if (!parked[i]->resume()) {
        ++i;
        continue;
      }
      idle.push_back(std::move(parked[i]));
      parked.erase(parked.begin() + ptrdiff_t(i));
    }
    if (!parked.empty() && !next)
      std::this_thread::yield(); // others' CTAs may need this core
  }
}

/// Estimates from earlier launches whether a launch is long enough to wake
/// other threads.
class Pace {
public:
  Pace(const KernelCode &kernel, uint64_t total)
      : known(kernel.pace), total(total), start(Clock::now()) {}

  bool isShort() const { return known && isShortLaunch(*known, total); }
  /// How many CTAs a worker takes at once, so that all end at about the same
  /// time. Taking waits until what earlier CTAs have stored is in the caches,
  /// so it is seldom done for short ones.
  uint64_t grainFor(unsigned workers) const {
    constexpr uint64_t kLeastBetween = 5000; // nanoseconds
    uint64_t grain = std::clamp<uint64_t>(total / (workers * 32ull), 1, 64);
    uint64_t each = known ? known->load(std::memory_order_relaxed) : 0;
    uint64_t most = total / (workers * 4ull);
    return each ? std::max(grain, std::min(kLeastBetween / each, most)) : grain;
  }
  void finish(unsigned workers) {
    if (!known)
      return;
    auto taken = std::chrono::duration_cast<std::chrono::nanoseconds>(
        Clock::now() - start);
    uint64_t each = uint64_t(taken.count()) * workers / total;
    uint64_t old = known->load(std::memory_order_relaxed);
    each = old ? (3 * old + each) / 4 : each;
    known->store(std::max<uint64_t>(each, 1), std::memory_order_relaxed);
  }

private:
  using Clock = std::chrono::steady_clock;
  std::atomic<uint64_t> *known;
  uint64_t total;
  Clock::time_point start;
};

} // namespace

/// The most CTAs of which a worker runs a turn before the next one begins. What
/// a turn leaves in the caches is still there in the next one.
static uint64_t ctasOfTurn(const KernelCode &kernel) {
  constexpr uint64_t kThreads = 32768;
  return std::max<uint64_t>(kThreads / kernel.threads, 1);
}

/// Runs the CTAs that have not started, until all have, or the launch should
/// pause.
static void runWorkers(Launch &launch) {
  if (launch.workers == 1) {
    Worker(launch).work();
    return;
  }
  // The calling thread works from the start; TBB's threads join if and when
  // they come.
  Helpers helpers(launch.workers - 1, [&](unsigned) { Worker(launch).work(); });
  Worker(launch).work();
}

bool ptxjit::isValidGrid(const Grid &grid) {
  return grid.x && grid.y && grid.z && grid.x <= 0x7fffffffu &&
         grid.y <= 65535 && grid.z <= 65535;
}

bool ptxjit::isValidCluster(const Grid &cluster, const Grid &grid) {
  if (!cluster.x && !cluster.y && !cluster.z)
    return true;
  constexpr uint32_t most = PTXJIT_MOST_CLUSTER_CTAS;
  return cluster.x && cluster.y && cluster.z && cluster.x <= most &&
         cluster.y <= most && cluster.z <= most &&
         cluster.x * cluster.y * cluster.z <= most && grid.x % cluster.x == 0 &&
         grid.y % cluster.y == 0 && grid.z % cluster.z == 0;
}

/// Should `total` clusters take less time than `most`, in nanoseconds, on one
/// thread?
static bool endsWithin(uint64_t most, const std::atomic<uint64_t> &pace,
                       uint64_t total) {
  uint64_t each = pace.load(std::memory_order_relaxed);
  return each && total < most / each;
}

bool ptxjit::isShortLaunch(const std::atomic<uint64_t> &pace, uint64_t total) {
  /// Waking threads does not pay for launches below this.
  constexpr uint64_t kShort = 25000;
  return endsWithin(kShort, pace, total);
}

bool ptxjit::isBriefLaunch(const std::atomic<uint64_t> &pace, uint64_t total) {
  /// For longer launches, what waking threads takes does not count.
  constexpr uint64_t kBrief = 2000000;
  return endsWithin(kBrief, pace, total);
}

LaunchStatus ptxjit::launchGrid(const KernelCode &kernel, const Grid &grid,
                                const void *params, uint32_t dynamicShared,
                                unsigned threads, Fault *fault) {
  if (!isValidGrid(grid))
    return LaunchStatus::InvalidValue;
  if (!isValidCluster(kernel.options.cluster, grid))
    return LaunchStatus::InvalidCluster;
  static std::atomic<uint64_t> gridCounter{0};
  unsigned machine = unsigned(tbb::info::default_concurrency());
  unsigned workers = threads ? threads : machine;
  // More threads than cores are useful only in tests, but without this limit
  // TBB would print warnings.
  static tbb::global_control control(
      tbb::global_control::max_allowed_parallelism,
      std::max(machine, kMostWorkers));
  workers = std::min(workers, kMostWorkers);
  KernelCode code = kernel;
  Launch launch(code, grid, params, dynamicShared, fault);
  workers = unsigned(std::min<uint64_t>(workers, launch.total));
  Pace pace(kernel, launch.total);
  if (pace.isShort())
    workers = 1;
  launch.setWorkers(workers);
  launch.gridid = ++gridCounter;
  launch.grain =
      launch.runsTurns() ? ctasOfTurn(code) : pace.grainFor(launch.workers);
  bool isWhole = true;
  for (runWorkers(launch); launch.isPaused(); runWorkers(launch)) {
    isWhole = false;
    if (launch.hasBetterCode()) {
      code = kernel.better->take();
      assert(!code.better && !code.waits && "what is left needs no more care");
    } else {
      launch.turn.awaitTurn();
    }
  }
  if (isWhole)
    pace.finish(launch.workers);
  return LaunchStatus(launch.status.load());
}

LaunchStatus ptxjit::replayCta(const KernelCode &kernel, const Grid &grid,
                               const void *params, uint32_t dynamicShared,
                               uint64_t index, Fault &fault) {
  Launch launch(kernel, grid, params, dynamicShared, &fault);
  launch.spans.cut(index, index + 1, 1);
  Worker worker(launch);
  worker.getScope().setInterruptible();
  MutedKernels muted;
  // The stores that the CTA waited for the first time may not come again.
  std::mutex mutex;
  std::condition_variable changed;
  bool finished = false;
  std::thread watchdog([&, target = pthread_self()] {
    std::unique_lock<std::mutex> lock(mutex);
    auto patience = std::chrono::milliseconds(500);
    while (!changed.wait_for(lock, patience, [&] { return finished; })) {
      launch.fail(LaunchStatus::Deadlock);
      FaultScope::interrupt(target);
      patience = std::chrono::milliseconds(1);
    }
  });
  worker.work();
  {
    std::lock_guard<std::mutex> lock(mutex);
    finished = true;
  }
  changed.notify_all();
  watchdog.join();
  return LaunchStatus(launch.status.load());
}
