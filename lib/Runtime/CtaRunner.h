//===- CtaRunner.h - runs CTAs and clusters of one launch -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_CTARUNNER_H
#define PTXJIT_LIB_RUNTIME_CTARUNNER_H

#include "CtaFibers.h"
#include "FaultScope.h"
#include "GuardedMemory.h"
#include "TensorCore.h"
#include "ptxjit/Runtime/Fault.h"
#include "ptxjit/Runtime/LaunchGrid.h"
#include "ptxjit/Runtime/Memory.h"

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

namespace ptxjit {

/// One launch, shared by its workers.
struct Launch {
  Launch(const KernelCode &kernel, const Grid &grid, const void *params,
         uint32_t dynamicShared, Fault *fault);

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
  /// accesses to the shared counter.
  uint64_t grain = 1;
  uint64_t gridid = 0;
  std::atomic<uint64_t> next{0};
  /// Multiprocessors that CTAs have been given so far; the numbers wrap.
  std::atomic<uint32_t> multiprocessors{0};
  std::atomic<int> status{int(LaunchStatus::Ok)};
  PtxjitGridWorkspace workspace{sizeof(PtxjitGridWorkspace), 0};

  /// The coordinates of the first CTA of a cluster.
  struct Coordinates {
    uint32_t x, y, z;
  };
  Coordinates firstCtaOf(uint64_t index) const;
  /// Takes the next cluster that has not started. \returns its first CTA, or
  /// nothing if all have started.
  std::optional<Coordinates> takeCluster();

  /// \returns whether this is the first failure.
  bool fail(LaunchStatus why) {
    int ok = int(LaunchStatus::Ok);
    return status.compare_exchange_strong(ok, int(why));
  }
  void fail(const Fault &found) {
    if (fail(found.status) && fault)
      *fault = found;
  }
  bool failed() const {
    return status.load(std::memory_order_relaxed) != int(LaunchStatus::Ok);
  }
  /// Clusters that one worker may keep parked before it stops starting others.
  uint64_t residents() const;
  /// Sets `workers` to `wanted`, or fewer: the CTAs of clusters that run at the
  /// same time have different multiprocessors, by which programs index
  /// workspaces.
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
  void start(uint32_t x, uint32_t y, uint32_t z);
  /// \returns whether the CTA has ended. Otherwise it can be resumed.
  bool resume();
  void failInDeadlock();

  CtaFibers *getFibers() { return fibers.get(); }
  TensorCore &getTensorCore() { return tensorCore; }
  const uint32_t (&getCta() const)[3] { return context.ctaid; }

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
