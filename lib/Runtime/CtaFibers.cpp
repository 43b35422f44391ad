//===- CtaFibers.cpp - the warps of one CTA, each on a fiber --------------===//

#include "CtaFibers.h"

using namespace ptxjit;

/// Rounds in which each warp finds that it still has to wait.
static constexpr unsigned kYieldsBeforeParking = 64;

CtaFibers::CtaFibers(unsigned warps, size_t stackBytes)
    : warps(warps), fibers(new Warp[warps]) {
  for (unsigned w = 0; w < warps; ++w) {
    fibers[w].cta = this;
    fibers[w].index = w;
    valid &= fibers[w].stack.allocate(stackBytes);
    if (valid)
      fibers[w].stack.prepare(fibers[w].fiber, warpMain, &fibers[w]);
  }
}

CtaFibers::~CtaFibers() {
  for (unsigned w = 0; w < warps; ++w)
    abandonFiber(fibers[w].fiber);
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

bool CtaFibers::run(PtxjitKernelEntry kernel, PtxjitKernelContext &place,
                    bool park) {
  entry = kernel;
  context = &place;
  mayPark = park;
  alive = ready = warps == 32 ? ~0u : (1u << warps) - 1;
  for (Barrier &barrier : barriers)
    barrier = Barrier();
  parkedAt = &fibers[0];
  return resume();
}

bool CtaFibers::resume() {
  Warp *warp = parkedAt;
  parkedAt = nullptr;
  idleYields = 0;
  adoptThread(scheduler);
  switchFiber(scheduler, warp->fiber);
  return parkedAt ? false : finishRun();
}

bool CtaFibers::finishRun() {
  if (!alive)
    return true;
  // Nobody can go on. The stacks are forgotten: compiled code owns nothing.
  if (context->status == PTXJIT_KERNEL_OK)
    context->status = PTXJIT_KERNEL_DEADLOCK;
  for (unsigned w = 0; w < warps; ++w)
    fibers[w].stack.prepare(fibers[w].fiber, warpMain, &fibers[w]);
  return true;
}

/// A fiber lives through many CTAs: each switch to it runs its warp once more.
void CtaFibers::warpMain(void *argument) {
  Warp &warp = *static_cast<Warp *>(argument);
  CtaFibers &cta = *warp.cta;
  enterFiber(warp.fiber);
  while (true) {
    cta.entry(cta.context, warp.index, warp.index + 1);
    cta.finish(warp);
  }
}

CtaFibers::Warp *CtaFibers::next(uint32_t after) {
  if (!ready)
    return nullptr;
  // Those with higher numbers first, then from the start.
  uint32_t behind = after >= 31 ? 0 : ready & (~0u << (after + 1));
  return &fibers[__builtin_ctz(behind ? behind : ready)];
}

void CtaFibers::suspend(Warp &warp) {
  Warp *other = next(warp.index);
  if (other == &warp)
    return;
  switchFiber(warp.fiber, other ? other->fiber : scheduler);
}

void CtaFibers::finish(Warp &warp) {
  idleYields = 0;
  alive &= ~(1u << warp.index);
  ready &= alive;
  for (unsigned i = 0; i < 16; ++i)
    if (barriers[i].waiting && isComplete(barriers[i]))
      release(barriers[i], barrierModes[i]);
  suspend(warp);
}

void CtaFibers::yield(uint32_t index) {
  Warp &warp = fibers[index];
  if (mayPark && ++idleYields > kYieldsBeforeParking * warps) {
    // What this CTA waits for must come from others: see LaunchGrid.cpp.
    parkedAt = next(index);
    switchFiber(warp.fiber, scheduler);
    return;
  }
  suspend(warp);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

bool CtaFibers::isComplete(const Barrier &barrier) const {
  uint32_t wanted = barrier.expected ? (barrier.expected + 31) / 32 * 32
                                     : 32 * uint32_t(__builtin_popcount(alive));
  return barrier.arrived >= wanted;
}

void CtaFibers::release(Barrier &barrier, uint32_t mode) {
  uint32_t result = 0;
  switch (mode >> 8) {
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
  for (uint32_t rest = barrier.waiting; rest; rest &= rest - 1)
    fibers[__builtin_ctz(rest)].result = result;
  ready |= barrier.waiting;
  barrier = Barrier();
}

uint32_t CtaFibers::arrive(uint32_t warp, uint32_t id, uint32_t threads,
                           uint32_t mode, uint32_t votes, uint32_t active) {
  if (id >= 16 || threads > 1024) {
    context->status = PTXJIT_KERNEL_ILLEGAL;
    return 0;
  }
  idleYields = 0;
  Barrier &barrier = barriers[id];
  barrierModes[id] = mode;
  barrier.arrived += 32;
  barrier.expected = threads;
  barrier.count += uint32_t(__builtin_popcount(votes));
  barrier.all &= votes == active;
  bool waits = (mode & 0xff) != PTXJIT_BARRIER_ARRIVE;
  if (waits) {
    barrier.waiting |= 1u << warp;
    ready &= ~(1u << warp);
  }
  if (isComplete(barrier))
    release(barrier, mode);
  if (!waits)
    return 0;
  // The last to come goes on at once; the others wait their turn.
  if (!(ready >> warp & 1))
    suspend(fibers[warp]);
  return fibers[warp].result;
}

static uint32_t barrierHelper(PtxjitKernelContext *context, uint32_t warp,
                              uint32_t id, uint32_t threads, uint32_t mode,
                              uint32_t votes, uint32_t active) {
  return static_cast<CtaFibers *>(context->runtime)
      ->arrive(warp, id, threads, mode, votes, active);
}

static uint32_t yieldHelper(PtxjitKernelContext *context, uint32_t warp) {
  if (context->runtime)
    static_cast<CtaFibers *>(context->runtime)->yield(warp);
  return 0;
}

const PtxjitHelpers ptxjit::kKernelHelpers = {barrierHelper, yieldHelper};
