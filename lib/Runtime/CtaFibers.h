//===- CtaFibers.h - the warps of one CTA, each on a fiber ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_CTAFIBERS_H
#define PTXJIT_LIB_RUNTIME_CTAFIBERS_H

#include "Fiber.h"
#include "StrandSet.h"
#include "ptxjit/Runtime/KernelABI.h"
#include <memory>
#include <vector>

namespace ptxjit {

/// How a CTA is cut into strands, each of which has a fiber: warps in lockstep,
/// or single threads.
struct StrandShape {
  uint32_t threads = 32;
  uint32_t lanes = 32; ///< of a strand: 32 or 1
  uint32_t count() const { return (threads + lanes - 1) / lanes; }
  uint32_t warps() const { return (threads + 31) / 32; }
  uint32_t warpOf(uint32_t strand) const { return strand * lanes / 32; }
  /// What a warp counts for; as a strand it is always whole.
  uint32_t threadsOf(uint32_t warp) const {
    return lanes == 32 || threads >= warp * 32 + 32 ? 32 : threads % 32;
  }
};

class CtaFibers;

/// ISA: "barrier.cluster", for CTAs that run on one thread.
class ClusterBarrier {
public:
  void add(CtaFibers &cta);
  /// Phases that have ended.
  uint64_t getPhase() const { return phase; }
  /// Lets all go on if all threads that are left have arrived.
  void check();

private:
  std::vector<CtaFibers *> ctas;
  uint64_t phase = 1;
};

/// Runs CTAs one after another on the thread that made it, and keeps what their
/// strands wait for. Stacks are kept from CTA to CTA.
class CtaFibers {
public:
  /// \param stackBytes  of each strand.
  /// \param range  where threads' stacks lie, which hold their local memory.
  CtaFibers(StrandShape shape, size_t stackBytes, AddressRange range);
  ~CtaFibers();

  /// Memory for the stacks is there.
  bool isValid() const { return valid; }
  const FiberStacks &getStacks() const { return stacks; }

  /// Prepares the CTA that `context` names, which resume() begins.
  /// \param mayPark  it may wait for other CTAs.
  void start(PtxjitKernelEntry entry, PtxjitKernelContext &context,
             bool mayPark);
  /// Runs it until all strands have ended or, if it may be parked, all only
  /// give way to each other, or wait for the cluster. The status is left in the
  /// context. \returns whether the CTA has ended.
  bool resume();
  /// Of a CTA that has not ended: not all its strands wait.
  bool canGoOn() const { return !ready.isEmpty(); }

  /// A fault has left the CTA by a jump; it will not go on.
  void abandon() { returnToThread(scheduler); }
  /// The thread whose stack holds `address`; -1 if it is a warp's, or nobody's.
  int32_t threadAt(uint64_t address) const;
  bool isGuardPage(uint64_t address) const {
    return stacks.isGuardPage(address);
  }

  // What strands call (see PtxjitHelpers).
  uint32_t arrive(uint32_t strand, uint32_t id, uint32_t threads, uint32_t mode,
                  uint32_t votes, uint32_t active);
  const PtxjitGathered *gather(uint32_t strand, uint32_t kind, uint32_t members,
                               uint64_t value);
  void yield(uint32_t strand, PtxjitYield why);
  void arriveAtCluster(uint32_t strand);
  void waitForCluster(uint32_t strand);
  [[noreturn]] void leave(uint32_t strand);
  /// A strand's assertion has failed. A warp is at the end, but a thread's
  /// neighbours would have failed with it: those of its warp go on until they
  /// fail, end or wait for others, and then the launch fails.
  void failAssertion(uint32_t strand, const void *returnAddress);
  /// Is a thread, the first to fail, waited with?
  bool hasFailed() const { return failed; }
  /// Number of a strand's lane in the CTA.
  uint32_t threadOf(uint32_t strand, uint32_t lane) const {
    return strand * shape.lanes + lane;
  }

private:
  friend class ClusterBarrier;
  /// ISA: "bar, barrier". A warp has come when all its threads that are left
  /// have, and counts 32. Warps that have ended are not waited for.
  struct Barrier {
    StrandSet waiting;
    uint32_t come[32] = {}; ///< threads, by warp
    uint32_t arrived = 0;   ///< 32 for each warp that has come
    uint32_t expected = 0;  ///< threads; 0: all that are left
    uint32_t mode = 0;
    uint32_t count = 0; ///< threads that voted
    bool all = true;
  };
  struct Strand {
    FiberState fiber;
    CtaFibers *cta = nullptr;
    uint32_t index = 0;
    uint32_t result = 0;       ///< of the barrier it waited at
    bool left = false;         ///< its stack has to be prepared anew
    uint64_t clusterPhase = 0; ///< in which it last arrived
  };
  /// A thread's part in an operation of its warp.
  struct Meeting {
    bool waits = false;
    uint32_t kind = 0, members = 0;
    uint64_t value = 0;
    PtxjitGathered gathered;
  };

  static void strandMain(void *argument);
  void prepare(Strand &strand);
  void finish(Strand &strand);
  [[noreturn]] void stop(Strand &strand);
  void comeTo(Barrier &barrier, uint32_t warp, uint32_t threads);
  bool isComplete(const Barrier &barrier) const;
  void release(Barrier &barrier);
  void releaseBarriers();
  bool meet(uint32_t strand);
  /// A strand has ended, or the CTA gets another turn.
  void forgetYields() { idleYields = meetingYields = 0; }
  /// The next strand that can go on behind `after`, in turn; null if none can.
  Strand *next(uint32_t after);
  void suspend(Strand &strand);
  bool finishRun();
  bool allArrivedAtCluster() const;
  void releaseFromCluster();

  StrandShape shape;
  bool valid = true;
  FiberStacks stacks;
  std::unique_ptr<Strand[]> strands;
  std::unique_ptr<Meeting[]> meetings; ///< null where strands are warps
  FiberState scheduler;
  PtxjitKernelEntry entry = nullptr;
  PtxjitKernelContext *context = nullptr;
  StrandSet ready, alive;
  uint32_t threadsLeft[32] = {}; ///< by warp; 32 where strands are warps
  uint32_t warpsLeft = 0;
  bool mayPark = false;
  Strand *parkedAt = nullptr; ///< null unless parked
  unsigned idleYields = 0;    ///< since the last barrier or end of a strand
  /// Of loops with barriers in them, since the last end of a strand.
  unsigned meetingYields = 0;
  Barrier barriers[16];
  uint32_t usedBarriers = 0; ///< that somebody has come to, as bits
  ClusterBarrier *cluster = nullptr;
  StrandSet waitForOthers;         ///< at the barrier of the cluster
  uint32_t cameToCluster[32] = {}; ///< threads, by warp
  bool failed = false; ///< an assertion of a thread has, and ends the launch
};

/// What the context of a kernel points to; `context->runtime` is a CtaFibers,
/// or null where warps run one after another.
extern const PtxjitHelpers kKernelHelpers;

} // namespace ptxjit

#endif
