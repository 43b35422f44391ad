//===- CtaFibers.cpp - runs the strands of one CTA on fibers --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CtaFibers.h"
#include "ClusterWindows.h"
#include "CtaRunner.h"
#include "DeviceGrid.h"
#include "FaultScope.h"
#include "Mbarrier.h"
#include "Multimem.h"
#include "SystemCalls.h"
#include "TensorCopy.h"
#include "TensorCore.h"
#include "TextureAccess.h"
#include <algorithm>
#include <cassert>
#include <cstring>
#include <ctime>
#include <iterator>

using namespace ptxjit;

/// Rounds of yields by all strands before the CTA counts as idle.
static constexpr unsigned kYieldsBeforeParking = 64;

CtaFibers::CtaFibers(StrandShape shape, uint32_t numInCall, size_t stackBytes,
                     AddressRange range)
    : shape(shape), numInCall(numInCall), strands(new Strand[shape.count()]) {
  // Guard pages for a thousand strands would take too many mappings. Code for
  // single threads tests its stack instead.
  valid = stacks.allocate(shape.count(), stackBytes,
                          /*guarded=*/shape.lanes == 32, range);
  if (shape.lanes == 1)
    meetings.reset(new Meeting[shape.count()]);
  for (uint32_t i = 0; i < shape.count() && valid; ++i) {
    strands[i].cta = this;
    strands[i].index = i;
    prepare(strands[i]);
  }
}

CtaFibers::~CtaFibers() {
  for (uint32_t i = 0; i < shape.count(); ++i)
    abandonFiber(strands[i].fiber);
}

void CtaFibers::prepare(Strand &strand) {
  stacks.prepare(strand.index, strand.fiber, strandMain, &strand);
  strand.left = false;
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

void CtaFibers::start(PtxjitKernelEntry kernel, PtxjitKernelContext &place,
                      bool park) {
  entry = kernel;
  context = &place;
  mayPark = park;
  warpsLeft = shape.warps();
  for (uint32_t w = 0; w < warpsLeft; ++w)
    threadsLeft[w] = shape.threadsOf(w);
  for (uint32_t i = 0; i < shape.count(); ++i) {
    ready.insert(i);
    strands[i].clusterPhase = 0;
    if (strands[i].left)
      prepare(strands[i]);
  }
  alive = ready;
  for (uint32_t rest = usedBarriers; rest; rest &= rest - 1)
    barriers[__builtin_ctz(rest)].reset(shape.warps());
  usedBarriers = 0;
  coming.clear();
  waitForOthers.clear();
  waitForTensorMemory.clear();
  std::fill(std::begin(cameToCluster), std::end(cameToCluster), 0);
  parkedAt = &strands[0];
}

bool CtaFibers::resume() {
  Strand *strand = parkedAt ? parkedAt : next(0);
  if (!strand)
    return false; // all wait at the cluster's barrier
  parkedAt = nullptr;
  forgetYields();
  adoptThread(scheduler);
  switchFiber(scheduler, strand->fiber);
  return parkedAt ? false : finishRun();
}

bool CtaFibers::finishRun() {
  if (alive.isEmpty())
    return true;
  if (!waitForOthers.isEmpty())
    return false;
  // Deadlock. The stacks are simply reused: compiled code owns nothing.
  if (context->status == PTXJIT_KERNEL_OK)
    context->status = PTXJIT_KERNEL_DEADLOCK;
  alive.forEach([&](uint32_t i) {
    strands[i].left = true;
    if (meetings)
      meetings[i].waits = false;
  });
  alive.clear();
  ready.clear();
  coming.clear();
  return true;
}

/// A fiber runs its strand of many CTAs, one after the other.
void CtaFibers::strandMain(void *argument) {
  Strand &strand = *static_cast<Strand *>(argument);
  CtaFibers &cta = *strand.cta;
  enterFiber(strand.fiber);
  while (true) {
    uint32_t begin = strand.index * cta.numInCall;
    cta.entry(cta.context, begin, begin + cta.numInCall);
    cta.finish(strand);
  }
}

CtaFibers::Strand *CtaFibers::next(uint32_t after) {
  return ready.isEmpty() ? nullptr : &strands[ready.nextAfter(after)];
}

void CtaFibers::suspend(Strand &strand) {
  if (!coming.isEmpty())
    settle(shape.warpOf(strand.index), /*othersSpin=*/false);
  Strand *other = next(strand.index);
  if (other == &strand)
    return;
  if (!other && failed)
    FaultScope::current().leaveHeld();
  switchFiber(strand.fiber, other ? other->fiber : scheduler);
}

/// Suspends a strand of a failed CTA for good.
void CtaFibers::stop(Strand &strand) {
  ready.erase(strand.index);
  suspend(strand);
  __builtin_unreachable();
}

void CtaFibers::failAssertion(uint32_t index, const void *returnAddress) {
  if (shape.lanes == 32)
    return;
  if (!failed) {
    failed = true;
    forgetYields();
    FaultScope::current().hold(LaunchStatus::Assert,
                               {int32_t(index), returnAddress});
    StrandSet neighbours;
    for (uint32_t i = index / 32 * 32;
         i < shape.count() && i / 32 == index / 32; ++i)
      if (ready.contains(i))
        neighbours.insert(i);
    ready = neighbours;
  }
  stop(strands[index]);
}

void CtaFibers::finish(Strand &strand) {
  forgetYields();
  alive.erase(strand.index);
  ready.erase(strand.index);
  uint32_t warp = shape.warpOf(strand.index);
  threadsLeft[warp] -= shape.lanes;
  if (!threadsLeft[warp])
    --warpsLeft;
  if (!failed)
    releaseBarriers();
  if (strand.clusterPhase && strand.clusterPhase == cluster->getPhase())
    cameToCluster[warp] -= shape.lanes;
  if (cluster && !failed)
    cluster->check();
  // Other threads of its warp may have waited only for this one.
  uint32_t first = warp * 32;
  for (uint32_t i = first; meetings && i < first + 32 && i < shape.count(); ++i)
    if (meetings[i].waits && meet(i))
      break;
  suspend(strand);
}

int32_t CtaFibers::threadAt(uint64_t address) const {
  uint64_t strand = (address - reinterpret_cast<uint64_t>(stacks.begin())) /
                    stacks.getStride();
  return shape.lanes == 1 && strand < shape.threads ? int32_t(strand) : -1;
}

void CtaFibers::leave(uint32_t index) {
  strands[index].left = true;
  finish(strands[index]);
  __builtin_unreachable();
}

void CtaFibers::yield(uint32_t index, PtxjitYield why) {
  Strand &strand = strands[index];
  uint32_t warp = shape.warpOf(index);
  if (!coming.isEmpty() && coming.ofWarp(warp)) {
    // Threads take turns, so by now each has yielded or waits.
    auto most = 2 * uint32_t(__builtin_popcount(ready.ofWarp(warp)));
    settle(warp, /*othersSpin=*/++yieldsOfWarp[warp] > most);
  }
  if (why == PTXJIT_YIELD_ORDER) {
    suspend(strand);
    return;
  }
  unsigned &yields = why == PTXJIT_YIELD_MEETS ? meetingYields : idleYields;
  bool isIdle = ++yields > kYieldsBeforeParking * shape.count();
  if (isIdle && failed)
    FaultScope::current().leaveHeld();
  if (isIdle && mayPark) {
    // All strands wait, so the store must come from another CTA
    // (LaunchGrid.cpp).
    parkedAt = next(index);
    switchFiber(strand.fiber, scheduler);
    return;
  }
  suspend(strand);
}

void CtaFibers::waitForColumns(uint32_t index) {
  waitForTensorMemory.insert(index);
  ready.erase(index);
  suspend(strands[index]);
}

void CtaFibers::releaseFromColumns() {
  ready.insertAll(waitForTensorMemory);
  waitForTensorMemory.clear();
}

//===----------------------------------------------------------------------===//
// Helpers of compiled code
//===----------------------------------------------------------------------===//

static CtaFibers &fibersOf(PtxjitKernelContext *context) {
  assert(context->runtime && "code that meets or gives way runs on fibers");
  return *static_cast<CtaFibers *>(context->runtime);
}
static uint32_t barrierHelper(PtxjitKernelContext *context, uint32_t strand,
                              uint32_t id, uint32_t threads, uint32_t mode,
                              uint32_t votes, uint32_t active) {
  return fibersOf(context).arrive(strand, id, threads, mode, votes, active);
}
static uint32_t yieldHelper(PtxjitKernelContext *context, uint32_t strand,
                            uint32_t kind) {
  if (context->runtime)
    fibersOf(context).yield(strand, PtxjitYield(kind));
  return 0;
}
static const PtxjitGathered *gatherHelper(PtxjitKernelContext *context,
                                          uint32_t strand, uint32_t kind,
                                          uint32_t members, uint64_t value) {
  return fibersOf(context).gather(strand, kind, members, value);
}
static uint32_t clusterHelper(PtxjitKernelContext *context, uint32_t strand,
                              uint32_t wait) {
  if (wait)
    fibersOf(context).waitForCluster(strand);
  else
    fibersOf(context).arriveAtCluster(strand);
  return 0;
}
static uint32_t leaveHelper(PtxjitKernelContext *context, uint32_t strand) {
  fibersOf(context).leave(strand);
}
/// Linear index of a lane's thread in the CTA.
static uint32_t threadOf(uint32_t strand, uint32_t lane) {
  return strand * FaultScope::current().getKernel().strandThreads + lane;
}
/// Says who calls the helper that uses this. Its own return address is that of
/// the helper, since it is part of it.
[[gnu::always_inline]] static inline KernelCall callerOf(uint32_t strand,
                                                         uint32_t lane) {
  return {int32_t(threadOf(strand, lane)), __builtin_return_address(0)};
}
static uint32_t faultHelper(PtxjitKernelContext *context, uint32_t strand,
                            uint32_t status, uint32_t lanes, uint64_t address) {
  uint32_t lane = lanes ? uint32_t(__builtin_ctz(lanes)) : 0;
  KernelCall caller = callerOf(strand, lane);
  if (status == PTXJIT_KERNEL_ASSERT && context->runtime)
    fibersOf(context).failAssertion(strand, caller.returnAddress);
  FaultScope::leave(LaunchStatus(status), address, caller);
}

/// Does a call of CUDA's runtime on the device.
static void callDevice(PtxjitKernelContext *context, uint32_t function,
                       const SystemCall &call) {
  DeviceGrid *device = FaultScope::current().getKernel().device;
  assert(device && "launches of modules have one");
  assert(!context->sweptCta && "kernels that sweep do not call the runtime");
  const uint32_t (&cta)[3] = context->ctaid;
  uint64_t number =
      cta[0] + uint64_t(context->nctaid[0]) *
                   (cta[1] + uint64_t(context->nctaid[1]) * cta[2]);
  device->call(PtxjitSystemFunction(function), call, number);
}

static void callSystem(PtxjitKernelContext *context, uint32_t function,
                       const SystemCall &call) {
  switch (function) {
  case PTXJIT_SYSTEM_ASSERT:
    tellAssertion(*context, call,
                  context->runtime && fibersOf(context).hasFailed());
    break;
  case PTXJIT_SYSTEM_PRINT:
    printFormatted(call);
    break;
  case PTXJIT_SYSTEM_MALLOC:
    allocateOnHeap(call);
    break;
  case PTXJIT_SYSTEM_FREE:
    freeOnHeap(call);
    break;
  default:
    if (function >= PTXJIT_SYSTEM_DEVICE_RUNTIME)
      callDevice(context, function, call);
    else
      callGraphs(function, call);
    break;
  }
}
static uint32_t systemHelper(PtxjitKernelContext *context, uint32_t strand,
                             uint32_t function, uint32_t lanes,
                             const uint64_t *places) {
  bool isNarrow = function & PTXJIT_SYSTEM_NARROW;
  bool areSame = function & PTXJIT_SYSTEM_SAME;
  function &= ~(PTXJIT_SYSTEM_NARROW | PTXJIT_SYSTEM_SAME);
  uint64_t own[PTXJIT_SYSTEM_MOST_PARAMS * PTXJIT_SYSTEM_LANES];
  if (areSame)
    for (unsigned i = 0; i < countParams(PtxjitSystemFunction(function)); ++i)
      own[i * PTXJIT_SYSTEM_LANES] = uint64_t(&places[i]);
  for (uint32_t rest = lanes; rest; rest &= rest - 1) {
    auto lane = uint32_t(__builtin_ctz(rest));
    callSystem(
        context, function,
        {areSame ? own : places + lane, isNarrow, callerOf(strand, lane)});
  }
  return 0;
}

static uint64_t timeHelper(PtxjitKernelContext *) {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return uint64_t(now.tv_sec) * 1000000000 + uint64_t(now.tv_nsec);
}

static uint32_t copyTensorHelper(PtxjitKernelContext *context, uint32_t strand,
                                 uint32_t lane, const PtxjitTensorCopy *copy) {
  copyTensor(*context, *copy, callerOf(strand, lane));
  return 0;
}
static uint32_t replaceHelper(PtxjitKernelContext *context, uint32_t strand,
                              uint32_t lane, uint64_t map, uint32_t field,
                              uint32_t dimension, uint64_t value) {
  replaceInTensorMap(map, PtxjitTensorField(field), dimension, value,
                     callerOf(strand, lane));
  return 0;
}

static uint32_t accessTextureHelper(PtxjitKernelContext *context,
                                    uint32_t strand,
                                    const PtxjitTextureAccess *access) {
  accessTexture(*access, callerOf(strand, 0));
  return 0;
}

static uint32_t accessMultimemHelper(PtxjitKernelContext *context,
                                     uint32_t strand,
                                     const PtxjitMultimemAccess *access) {
  accessMultimem(*access, callerOf(strand, 0));
  return 0;
}

static uint32_t warpgroupHelper(PtxjitKernelContext *context, uint32_t strand,
                                void *queue, PtxjitWarpgroupWork work) {
  fibersOf(context).meetWarpgroup(strand, queue, work);
  return 0;
}

static TensorCore &tensorCoreOf(PtxjitKernelContext *context) {
  return *static_cast<TensorCore *>(context->tensorCore);
}
static uint32_t allocateColumns(PtxjitKernelContext *context, uint32_t strand,
                                uint32_t columns, const KernelCall &caller) {
  TensorMemory &memory = tensorCoreOf(context).memory;
  while (true) {
    checkAllocation(memory, columns, caller);
    int32_t first = memory.allocate(columns);
    if (first >= 0)
      return uint32_t(first);
    if (!context->runtime)
      FaultScope::leave(LaunchStatus::Deadlock, 0, caller);
    fibersOf(context).waitForColumns(strand);
  }
}
static uint32_t manageTensorMemoryHelper(PtxjitKernelContext *context,
                                         uint32_t strand, uint32_t action,
                                         uint32_t address, uint32_t columns) {
  KernelCall caller = callerOf(strand, 0);
  tensorCoreOf(context).settle();
  TensorMemory &memory = tensorCoreOf(context).memory;
  switch (action) {
  case PTXJIT_TENSOR_MEMORY_ALLOCATE:
    return allocateColumns(context, strand, columns, caller);
  case PTXJIT_TENSOR_MEMORY_DEALLOCATE:
    if (address >> 16 || !memory.deallocate(address, columns))
      FaultScope::leaveIllegal(
          "these columns of tensor memory were not allocated together", caller);
    if (context->runtime)
      fibersOf(context).releaseFromColumns();
    break;
  case PTXJIT_TENSOR_MEMORY_RELINQUISH:
    memory.relinquish();
    break;
  }
  return 0;
}
static uint8_t *findCellsHelper(PtxjitKernelContext *context, uint32_t strand,
                                uint32_t address, uint32_t columns,
                                uint32_t rows) {
  uint32_t warp = threadOf(strand, 0) / 32 % 4;
  TensorCore &core = tensorCoreOf(context);
  core.settle();
  return findCells(core.memory, address, columns, rows, warp,
                   callerOf(strand, 0));
}

static uint32_t multiplyHelper(PtxjitKernelContext *context, uint32_t strand,
                               uint32_t lane,
                               const PtxjitTensorMultiply *multiply) {
  tensorCoreOf(context).issue(*multiply, callerOf(strand, lane));
  return 0;
}
static uint32_t copyCellsHelper(PtxjitKernelContext *context, uint32_t strand,
                                uint32_t lane, const PtxjitCellCopy *copy) {
  tensorCoreOf(context).copy(*copy, callerOf(strand, lane));
  return 0;
}
static uint32_t shiftCellsHelper(PtxjitKernelContext *context, uint32_t strand,
                                 uint32_t lane, uint32_t address,
                                 uint32_t isForPair) {
  tensorCoreOf(context).shift(address, isForPair, callerOf(strand, lane));
  return 0;
}
static uint32_t commitHelper(PtxjitKernelContext *context, uint32_t strand,
                             uint32_t lane, uint64_t mbarrier, uint32_t ctas,
                             uint32_t toMany) {
  tensorCoreOf(context).pack();
  if (mbarrier % 8)
    FaultScope::leave(LaunchStatus::MisalignedAddress, mbarrier,
                      callerOf(strand, lane));
  auto arrive = [&](uint64_t address) {
    updateMbarrier(context, address, /*arrivals=*/1, /*drops=*/0, /*tx=*/0);
  };
  ClusterWindows windows(*context);
  if (toMany)
    windows.forEach(
        ctas, [&](uint32_t rank) { arrive(windows.sameIn(rank, mbarrier)); });
  else
    arrive(mbarrier);
  // On a GPU a multiplication takes its time. Kernels rely on it that warps
  // which wait for this phase see it before the next one is complete, too.
  if (context->runtime)
    fibersOf(context).yield(strand, PTXJIT_YIELD_ORDER);
  return 0;
}

static uint32_t cancelHelper(PtxjitKernelContext *context, uint64_t to,
                             uint64_t mbarrier, uint32_t toAll) {
  // ISA: bit 0 says whether the request has succeeded.
  uint32_t answer[4] = {};
  if (auto first = static_cast<Launch *>(context->launch)->takeCluster()) {
    answer[0] = 1;
    answer[1] = first->x;
    answer[2] = first->y;
    answer[3] = first->z;
  }
  auto tell = [&](uint64_t place, uint64_t object) {
    std::memcpy(reinterpret_cast<void *>(place), answer, sizeof(answer));
    updateMbarrier(context, object, /*arrivals=*/0, /*drops=*/0,
                   -int32_t(sizeof(answer)));
  };
  if (!toAll) {
    tell(to, mbarrier);
    return 0;
  }
  ClusterWindows windows(*context);
  windows.forEach(~0u, [&](uint32_t rank) {
    tell(windows.sameIn(rank, to), windows.sameIn(rank, mbarrier));
  });
  return 0;
}

const PtxjitHelpers ptxjit::kKernelHelpers = {barrierHelper,
                                              yieldHelper,
                                              gatherHelper,
                                              leaveHelper,
                                              faultHelper,
                                              systemHelper,
                                              updateMbarrier,
                                              clusterHelper,
                                              timeHelper,
                                              copyTensorHelper,
                                              replaceHelper,
                                              warpgroupHelper,
                                              manageTensorMemoryHelper,
                                              findCellsHelper,
                                              multiplyHelper,
                                              copyCellsHelper,
                                              shiftCellsHelper,
                                              commitHelper,
                                              cancelHelper,
                                              accessTextureHelper,
                                              accessMultimemHelper};
