//===- CtaMeetings.cpp - barriers and collectives of strands --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places where strands of a CTA wait for each other: barriers, the
// cluster's barrier, and warp operations of threads with strands of their own.
//
//===----------------------------------------------------------------------===//

#include "CtaFibers.h"

#include <algorithm>
#include <cassert>
#include <iterator>

using namespace ptxjit;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// Counts `threads` more threads of a warp at a barrier.
void CtaFibers::comeTo(Barrier &barrier, uint32_t warp, uint32_t threads) {
  if (shape.lanes == 32) { // a warp comes as a whole
    barrier.come[warp] += 32;
    barrier.arrived += 32;
    return;
  }
  uint32_t left = threadsLeft[warp];
  uint32_t before = left ? barrier.come[warp] / left : 0;
  barrier.come[warp] += threads;
  uint32_t after = left ? barrier.come[warp] / left : 0;
  barrier.arrived += 32 * (after - before);
}

bool CtaFibers::isComplete(const Barrier &barrier) const {
  uint32_t wanted =
      barrier.expected ? (barrier.expected + 31) / 32 * 32 : 32 * warpsLeft;
  return barrier.arrived >= wanted;
}

void CtaFibers::release(Barrier &barrier) {
  uint32_t result = 0;
  switch (barrier.mode >> 8) {
  case PTXJIT_BARRIER_POPC:
    result = barrier.count;
    break;
  case PTXJIT_BARRIER_AND:
    result = barrier.all;
    break;
  case PTXJIT_BARRIER_OR:
    result = barrier.count != 0;
    break;
  }
  barrier.waiting.forEach([&](uint32_t i) { strands[i].result = result; });
  ready.insertAll(barrier.waiting);
  barrier.reset(shape.warps());
}

/// Releases the barriers that waited only for a strand that has just ended.
void CtaFibers::releaseBarriers() {
  for (uint32_t rest = usedBarriers; rest; rest &= rest - 1) {
    Barrier &barrier = barriers[__builtin_ctz(rest)];
    if (barrier.waiting.isEmpty())
      continue;
    // A warp has come when its remaining threads have.
    barrier.arrived = 0;
    for (uint32_t w = 0; w < shape.warps(); ++w)
      barrier.arrived +=
          barrier.come[w] /
          (threadsLeft[w] ? threadsLeft[w] : shape.threadsOf(w)) * 32;
    if (isComplete(barrier))
      release(barrier);
  }
}

/// Lets a strand wait that has been counted. \returns the barrier's reduction.
uint32_t CtaFibers::waitAt(Barrier &barrier, uint32_t index) {
  barrier.waiting.insert(index);
  ready.erase(index);
  if (isComplete(barrier))
    release(barrier);
  // The last strand to arrive continues at once; the others wait their turn.
  if (!ready.contains(index))
    suspend(strands[index]);
  return strands[index].result;
}

uint32_t CtaFibers::arrive(uint32_t index, uint32_t id, uint32_t threads,
                           uint32_t mode, uint32_t votes, uint32_t active) {
  if (id >= 16 || threads > 1024) {
    context->status = PTXJIT_KERNEL_ILLEGAL;
    return 0;
  }
  if (failed)
    stop(strands[index]);
  idleYields = 0;
  Barrier &barrier = barriers[id];
  usedBarriers |= 1u << id;
  barrier.mode = mode;
  barrier.expected = threads;
  barrier.count += uint32_t(__builtin_popcount(votes));
  barrier.all &= votes == active;
  comeTo(barrier, shape.warpOf(index), shape.lanes);
  if ((mode & 0xff) != PTXJIT_BARRIER_ARRIVE)
    return waitAt(barrier, index);
  if (isComplete(barrier))
    release(barrier);
  return 0;
}

void CtaFibers::meetWarpgroup(uint32_t index, void *queue,
                              PtxjitWarpgroupWork work) {
  if (failed)
    stop(strands[index]);
  idleYields = 0;
  uint32_t warp = shape.warpOf(index), group = warp / 4, first = 4 * group;
  uint32_t warps = std::min(4u, shape.warps() - first);
  Barrier &barrier = barriers[16 + group];
  usedBarriers |= 1u << (16 + group);
  barrier.mode = PTXJIT_BARRIER_SYNC;
  barrier.expected = 32 * warps;
  queues[warp] = queue;
  comeTo(barrier, warp, shape.lanes);
  if (queue && isComplete(barrier))
    work(queues + first, int(warps));
  waitAt(barrier, index);
}

//===----------------------------------------------------------------------===//
// The barrier of a cluster
//===----------------------------------------------------------------------===//

void ClusterBarrier::add(CtaFibers &cta) {
  ctas.push_back(&cta);
  cta.cluster = this;
}

void ClusterBarrier::check() {
  if (!used)
    return;
  for (const CtaFibers *cta : ctas)
    if (!cta->allArrivedAtCluster())
      return;
  ++phase;
  for (CtaFibers *cta : ctas)
    cta->releaseFromCluster();
}

bool CtaFibers::allArrivedAtCluster() const {
  for (uint32_t w = 0; w < shape.warps(); ++w)
    if (cameToCluster[w] < threadsLeft[w])
      return false;
  return true;
}

void CtaFibers::releaseFromCluster() {
  ready.insertAll(waitForOthers);
  waitForOthers.clear();
  std::fill(std::begin(cameToCluster), std::end(cameToCluster), 0);
}

void CtaFibers::arriveAtCluster(uint32_t index) {
  if (failed)
    stop(strands[index]);
  idleYields = 0;
  strands[index].clusterPhase = cluster->arrive();
  cameToCluster[shape.warpOf(index)] += shape.lanes;
  cluster->check();
}

void CtaFibers::waitForCluster(uint32_t index) {
  Strand &strand = strands[index];
  if (strand.clusterPhase != cluster->getPhase())
    return;
  if (failed)
    stop(strand);
  idleYields = 0;
  waitForOthers.insert(index);
  ready.erase(index);
  suspend(strand);
}

//===----------------------------------------------------------------------===//
// Threads of a warp, where each has its own strand
//===----------------------------------------------------------------------===//

/// ISA: "shfl.sync" and others. Waits until all threads of the mask that have
/// not exited are here, with the same operation and mask.
///
/// ISA: "activemask". Without a mask, waits until no other thread of the warp
/// can come before these go on: hardware keeps a warp together, and programs
/// rely on it.
const PtxjitGathered *CtaFibers::gather(uint32_t index, uint32_t kind,
                                        uint32_t members, uint64_t value) {
  assert(meetings && "each thread is a strand");
  idleYields = 0;
  Meeting &mine = meetings[index];
  mine.waits = true;
  mine.kind = kind;
  mine.members = members;
  mine.value = value;
  ready.erase(index);
  if (!members) {
    coming.insert(index);
    yieldsOfWarp[shape.warpOf(index)] = 0;
    suspend(strands[index]);
    return &mine.gathered;
  }
  // A mask without the thread itself is undefined in the ISA; here the thread
  // waits for ever.
  if (!(members >> index % 32 & 1) || !meet(index))
    suspend(strands[index]);
  return &mine.gathered;
}

/// Completes the meeting that thread `index` waits in, if all members are
/// there: hands out the values and makes the members ready. \returns whether it
/// did.
bool CtaFibers::meet(uint32_t index) {
  const Meeting &leader = meetings[index];
  if (!(leader.members >> index % 32 & 1))
    return false;
  uint32_t first = index / 32 * 32, present = 0, yes = 0;
  for (uint32_t rest = leader.members; rest; rest &= rest - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(rest)), i = first + lane;
    if (i >= shape.count() || !alive.contains(i))
      continue;
    const Meeting &other = meetings[i];
    if (!other.waits || other.kind != leader.kind ||
        other.members != leader.members)
      return false;
    present |= 1u << lane;
    yes |= uint32_t(other.value & 1) << lane;
  }
  for (uint32_t to = present; to; to &= to - 1) {
    uint32_t i = first + uint32_t(__builtin_ctz(to));
    PtxjitGathered &gathered = meetings[i].gathered;
    gathered.present = present;
    gathered.yes = yes;
    for (uint32_t from = present; from; from &= from - 1) {
      uint32_t lane = uint32_t(__builtin_ctz(from));
      gathered.values[lane] = meetings[first + lane].value;
    }
    meetings[i].waits = false;
    ready.insert(i);
  }
  return true;
}

/// Releases the threads of a warp that have come to the same operation, if none
/// of its other threads is ready, or all that are ready only spin.
void CtaFibers::settle(uint32_t warp, bool othersSpin) {
  uint32_t here = coming.ofWarp(warp), present = 0;
  if (!here || (ready.ofWarp(warp) && !othersSpin))
    return;
  uint32_t kind = meetings[32 * warp + uint32_t(__builtin_ctz(here))].kind;
  for (uint32_t rest = here; rest; rest &= rest - 1) {
    uint32_t lane = uint32_t(__builtin_ctz(rest));
    if (meetings[32 * warp + lane].kind == kind)
      present |= 1u << lane;
  }
  for (uint32_t rest = present; rest; rest &= rest - 1) {
    uint32_t i = 32 * warp + uint32_t(__builtin_ctz(rest));
    meetings[i].gathered.present = present;
    meetings[i].waits = false;
    coming.erase(i);
    ready.insert(i);
  }
  yieldsOfWarp[warp] = 0;
}
