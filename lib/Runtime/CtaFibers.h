//===- CtaFibers.h - runs the strands of one CTA on fibers ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_CTAFIBERS_H
#define PTXJIT_LIB_RUNTIME_CTAFIBERS_H

#include "Fiber.h"
#include "StrandSet.h"
#include "ptxjit/Runtime/KernelABI.h"
#include <algorithm>
#include <memory>
#include <vector>

namespace ptxjit {

/// How a CTA is divided into strands, each with a fiber: warps in lockstep, or
/// single threads.
struct StrandShape {
  uint32_t threads = 32;
  /// Per strand: 32 or 1; any number in loops over warps, which have no fibers.
  uint32_t lanes = 32;
  uint32_t count() const { return (threads + lanes - 1) / lanes; }
  uint32_t warps() const { return (threads + 31) / 32; }
  uint32_t warpOf(uint32_t strand) const { return strand * lanes / 32; }
  /// Threads of a warp. A warp that is one strand always counts as 32.
  uint32_t threadsOf(uint32_t warp) const {
    return lanes == 32 || threads >= warp * 32 + 32 ? 32 : threads % 32;
  }
};

class CtaFibers;

/// ISA: "barrier.cluster", for CTAs that take turns on one thread.
class ClusterBarrier {
public:
  void add(CtaFibers &cta);
  /// Number of the current phase, from 1.
  uint64_t getPhase() const { return phase; }
  /// Threads begin to arrive. \returns the phase in which they do.
  uint64_t arrive() {
    used = true;
    return phase;
  }
  /// Ends the phase if all threads that have not exited have arrived.
  void check();

private:
  std::vector<CtaFibers *> ctas;
  bool used = false; ///< a thread has arrived
  uint64_t phase = 1;
};

/// Runs CTAs one after another on the thread that made it, and holds the state
/// of their barriers. Stacks are reused from CTA to CTA.
class CtaFibers {
public:
  /// \param shape  of what has a fiber each. For a CTA that runs in one call:
  ///   one strand, whatever there is in it.
  /// \param numInCall  the strands, as compiled code counts them, of a fiber.
  /// \param stackBytes  per fiber.
  /// \param range  range for the stacks, which also hold threads' local memory.
  CtaFibers(StrandShape shape, uint32_t numInCall, size_t stackBytes,
            AddressRange range);
  ~CtaFibers();

  /// Whether there was memory for the stacks.
  bool isValid() const { return valid; }
  const FiberStacks &getStacks() const { return stacks; }

  /// Prepares the CTA that `context` names; resume() starts it.
  /// \param mayPark  the CTA may wait for other CTAs.
  void start(PtxjitKernelEntry entry, PtxjitKernelContext &context,
             bool mayPark);
  /// Runs the CTA until all strands have ended, or none can go on. A CTA that
  /// may be parked also returns when all its strands only yield to each other.
  /// Errors are stored in the context. \returns whether the CTA has ended.
  bool resume();
  /// For a CTA that has not ended: whether a strand of it can go on.
  bool canGoOn() const { return !ready.isEmpty(); }

  /// Tells that a fault has left the CTA by a jump; it will not be resumed.
  void abandon() { returnToThread(scheduler); }
  /// The thread whose stack holds `address`; -1 if strands are warps, or if it
  /// is no stack.
  int32_t threadAt(uint64_t address) const;
  bool isGuardPage(uint64_t address) const {
    return stacks.isGuardPage(address);
  }

  // Helpers that strands call (see PtxjitHelpers).
  uint32_t arrive(uint32_t strand, uint32_t id, uint32_t threads, uint32_t mode,
                  uint32_t votes, uint32_t active);
  void meetWarpgroup(uint32_t strand, void *queue, PtxjitWarpgroupWork work);
  const PtxjitGathered *gather(uint32_t strand, uint32_t kind, uint32_t members,
                               uint64_t value);
  void yield(uint32_t strand, PtxjitYield why);
  /// Waits until columns of tensor memory are deallocated.
  void waitForColumns(uint32_t strand);
  void releaseFromColumns();
  void arriveAtCluster(uint32_t strand);
  void waitForCluster(uint32_t strand);
  [[noreturn]] void leave(uint32_t strand);
  /// Handles a failed assertion. If strands are warps, returns: all lanes have
  /// reported, and the launch fails at once. For a thread, the other threads of
  /// its warp go on until they fail, end or wait, and then the launch fails.
  void failAssertion(uint32_t strand, const void *returnAddress);
  /// Whether an assertion of a thread has failed, so that the launch will.
  bool hasFailed() const { return failed; }

private:
  friend class ClusterBarrier;
  /// ISA: "bar, barrier". A warp has come when all its threads that have not
  /// exited have, and counts as 32. Warps that have exited are not waited for.
  struct Barrier {
    uint32_t arrived = 0;  ///< 32 for each warp that has come
    uint32_t expected = 0; ///< threads; 0: all that have not exited
    uint32_t mode = 0;
    uint32_t count = 0; ///< threads whose predicate is true
    bool all = true;    ///< no predicate was false
    StrandSet waiting;
    uint32_t come[32] = {}; ///< threads, by warp
    /// For the next phase, where none of `warps` or more warps has come.
    void reset(uint32_t warps) {
      waiting.clear();
      std::fill_n(come, warps, 0);
      arrived = expected = mode = count = 0;
      all = true;
    }
  };
  struct Strand {
    FiberState fiber;
    CtaFibers *cta = nullptr;
    uint32_t index = 0;
    uint32_t result = 0;       ///< of the last barrier
    bool left = false;         ///< its stack must be prepared again
    uint64_t clusterPhase = 0; ///< phase of its last arrival
  };
  /// A thread's part in a warp operation.
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
  uint32_t waitAt(Barrier &barrier, uint32_t strand);
  void comeTo(Barrier &barrier, uint32_t warp, uint32_t threads);
  bool isComplete(const Barrier &barrier) const;
  void release(Barrier &barrier);
  void releaseBarriers();
  bool meet(uint32_t strand);
  void settle(uint32_t warp, bool othersSpin);
  /// Called when a strand has ended, and when the CTA gets another turn.
  void forgetYields() { idleYields = meetingYields = 0; }
  /// The next ready strand after `after`, cyclically; null if none is ready.
  Strand *next(uint32_t after);
  void suspend(Strand &strand);
  bool finishRun();
  bool allArrivedAtCluster() const;
  void releaseFromCluster();

  // What each barrier needs comes first, on few cache lines.
  StrandShape shape;
  uint32_t numInCall;
  std::unique_ptr<Strand[]> strands;
  std::unique_ptr<Meeting[]> meetings; ///< null where strands are warps
  PtxjitKernelContext *context = nullptr;
  ClusterBarrier *cluster = nullptr;
  uint32_t usedBarriers = 0; ///< bit set of barriers with arrivals
  uint32_t warpsLeft = 0;
  unsigned idleYields = 0; ///< since the last barrier or end of a strand
  /// Yields in loops with barriers inside, since the last end of a strand.
  unsigned meetingYields = 0;
  bool mayPark = false;
  bool failed = false; ///< a thread's assertion failed; see hasFailed()
  bool valid = true;
  PtxjitKernelEntry entry = nullptr;
  StrandSet ready;
  StrandSet coming; ///< threads that wait for others to come (gather)
  StrandSet alive;
  FiberState scheduler;
  FiberStacks stacks;
  /// By warp: yields of its threads since one has last come or been released.
  uint32_t yieldsOfWarp[32] = {};
  uint32_t threadsLeft[32] = {}; ///< by warp; 32 where strands are warps
  Strand *parkedAt = nullptr;    ///< where resume() starts
  /// The 16 barriers of the ISA, then one for each warpgroup.
  Barrier barriers[16 + 8];
  void *queues[32] =
      {}; ///< of warps that have come to their warpgroup's barrier
  StrandSet waitForOthers;         ///< at the cluster's barrier
  StrandSet waitForTensorMemory;   ///< for columns to be free
  uint32_t cameToCluster[32] = {}; ///< threads, by warp
};

/// The helpers of all contexts. `context->runtime` is a CtaFibers, or null
/// where one call runs all warps.
extern const PtxjitHelpers kKernelHelpers;

} // namespace ptxjit

#endif
