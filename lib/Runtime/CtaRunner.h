//===- CtaRunner.h - runs CTAs and clusters of one launch -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_CTARUNNER_H
#define PTXJIT_LIB_RUNTIME_CTARUNNER_H

#include "CtaFibers.h"
#include "FaultScope.h"
#include "GridSpans.h"
#include "GuardedMemory.h"
#include "TensorCore.h"
#include "ptxjit/Runtime/Fault.h"
#include "ptxjit/Runtime/LaunchGrid.h"
#include "ptxjit/Runtime/LaunchOrder.h"
#include "ptxjit/Runtime/Memory.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace ptxjit {

/// One launch, shared by its workers.
struct Launch {
  Launch(const KernelCode &kernel, const Grid &grid, const void *params,
         uint32_t dynamicShared, Fault *fault);

  /// Changes to better code while no worker runs.
  const KernelCode &kernel;
  Grid grid, cluster;
  uint32_t clusterSize; ///< in CTAs
  const void *params;
  uint32_t dynamicShared;
  unsigned workers = 1;            ///< see setWorkers
  uint32_t numMultiprocessors = 1; ///< that the kernel sees
  uint64_t total;                  ///< clusters
  Fault *fault;                    ///< receives the first failure; may be null
  /// Clusters that a worker takes at a time, in order: larger means fewer
  /// accesses to shared counters.
  uint64_t grain = 1;
  uint64_t gridid = 0;
  GridSpans spans; ///< the clusters that have not started
  LaunchOrder::Entry turn;
  /// Takes up to `count` of them. \returns nothing if all have started, or none
  /// must run.
  std::optional<GridSpans::Range> take(uint64_t count) {
    uint64_t end = std::min(total, limit.load());
    auto range =
        runsTurns() ? spans.takeMost(count, end) : spans.take(count, end);
    range ? turn.advance() : turn.leave();
    return range;
  }
  bool hasBetterCode() const {
    return kernel.better && kernel.better->isReady();
  }
  /// Whether a worker should stop before it takes more clusters: there is
  /// better code for them, or other launches go first.
  bool shouldPause() const { return hasBetterCode() || turn.mustYield(); }
  /// Whether workers have stopped, and clusters are left.
  bool isPaused() const {
    return !spans.isEmpty(std::min(total, limit.load()));
  }
  /// Multiprocessors that CTAs have been given so far; the numbers wrap.
  std::atomic<uint32_t> multiprocessors{0};
  std::atomic<int> status{int(LaunchStatus::Ok)};
  /// Clusters from here on need not run, since the launch has failed.
  std::atomic<uint64_t> limit{~uint64_t(0)};
  /// Whether, of several CTAs with faults, that with the lowest index is
  /// reported, not the one that was first: the same launch always says the
  /// same. So it is where no CTA waits for another.
  bool isOrdered() const { return clusterSize == 1 && !kernel.waits; }
  std::mutex faultMutex; ///< for `fault`, if isOrdered()
  PtxjitGridWorkspace workspace{sizeof(PtxjitGridWorkspace), 0};

  /// The coordinates of the first CTA of a cluster.
  struct Coordinates {
    uint32_t x, y, z;
  };
  Coordinates firstCtaOf(uint64_t index) const;
  /// Takes the next cluster that has not started. \returns its first CTA, or
  /// nothing if all have started.
  std::optional<Coordinates> takeCluster();

  /// Fails the launch as a whole. \returns whether this is the first failure.
  bool fail(LaunchStatus why) {
    int ok = int(LaunchStatus::Ok);
    bool first = status.compare_exchange_strong(ok, int(why));
    if (first)
      limit = 0;
    return first;
  }
  /// Fails the launch by the fault of a CTA; see isOrdered().
  void fail(const Fault &found);
  /// Whether a cluster still has to run: no earlier one has failed.
  bool mustRun(uint64_t index) const {
    return index < total && index < limit.load(std::memory_order_relaxed);
  }
  bool failed() const {
    return status.load(std::memory_order_relaxed) != int(LaunchStatus::Ok);
  }
  /// Whether neighbouring CTAs run in one call (PtxjitImage::sweeps).
  bool sweeps() const { return kernel.sweeps && isOrdered() && !dynamicShared; }
  /// Whether it does so turn by turn.
  bool runsTurns() const {
    return sweeps() && kernel.sweeps == PTXJIT_SWEEP_TURNS;
  }
  /// Clusters that one worker may keep parked before it stops starting others.
  uint64_t residents() const;
  /// Sets `workers` to `wanted`, or fewer, and cuts the grid into spans. The
  /// CTAs of clusters that run at the same time have different multiprocessors,
  /// by which programs index workspaces.
  void setWorkers(unsigned wanted);
  /// Bytes of a CTA's static shared data, and of its whole shared window.
  uint32_t window() const { return kernel.sharedEnd - PTXJIT_SHARED_BASE; }
  uint64_t sharedBytes() const {
    return uint64_t(kernel.sharedEnd) + dynamicShared;
  }
};

/// The memory, fibers and context to run a CTA; reused for further CTAs.
class CtaRunner {
public:
  /// \param multiprocessor  the number that `%smid` shows, if there are as
  /// many.
  /// \param shared          the CTA's shared memory.
  CtaRunner(Launch &launch, uint32_t multiprocessor, uint32_t rank,
            uint8_t *shared);
  bool isValid() const {
    return local && (frame || !launch.kernel.frameBytes) &&
           (!fibers || fibers->isValid());
  }
  /// \param numCtas  that run in one call, from (x, y, z) on in x
  ///   (Launch::sweeps).
  void start(uint32_t x, uint32_t y, uint32_t z, uint32_t numCtas = 1);
  /// \returns whether the CTA has ended. Otherwise it can be resumed.
  bool resume();
  void failInDeadlock();

  CtaFibers *getFibers() { return fibers.get(); }
  TensorCore &getTensorCore() { return tensorCore; }
  /// Sets `ctaid` to the CTA that is running.
  void getCta(uint32_t (&ctaid)[3]) const;

private:
  Launch &launch;
  DeviceBuffer local, frame;
  std::unique_ptr<CtaFibers> fibers;
  TensorCore tensorCore;
  PtxjitKernelContext context{};
};

/// The CTA that a worker is running, for reports of faults.
class CurrentCta {
public:
  explicit CurrentCta(FaultScope &scope) : scope(scope) {}
  void enter(CtaRunner &runner) {
    if (cta == &runner)
      return;
    cta = &runner;
    scope.setFibers(runner.getFibers());
  }
  CtaRunner *get() const { return cta; }

private:
  FaultScope &scope;
  CtaRunner *cta = nullptr;
};

/// Runs the CTAs of a cluster in turns on one thread. Reused for further
/// clusters.
class ClusterRunner {
public:
  ClusterRunner(Launch &launch, CurrentCta &current);
  bool isValid() const;
  /// \returns whether all CTAs have ended. Otherwise they wait for other
  ///   clusters.
  bool run(uint64_t index);
  /// Runs CTA `index` and its neighbours in x in one call, up to `end` - 1.
  /// \returns the index of the next CTA. \pre Launch::sweeps.
  uint64_t sweep(uint64_t index, uint64_t end);
  bool resume();

private:
  void start(uint64_t index);

  Launch &launch;
  CurrentCta &current;
  GuardedMemory shared;
  std::vector<std::unique_ptr<CtaRunner>> ctas;
  std::vector<CtaRunner *> running;
  ClusterBarrier barrier;
};

} // namespace ptxjit

#endif
