//===- CtaRunner.cpp - runs CTAs and clusters of one launch ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CtaRunner.h"
#include "ptxjit/Runtime/GraphCalls.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

using namespace ptxjit;

/// CTAs that a worker keeps in a launch that is not cooperative.
static constexpr uint64_t kResidentCtas = 256;
/// Shared memory of a multiprocessor, in bytes.
static constexpr uint64_t kMultiprocessorShared = 228 << 10;

static uint32_t extent(uint32_t given) { return given ? given : 1; }

Launch::Launch(const KernelCode &kernel, const Grid &grid, const void *params,
               uint32_t dynamicShared, Fault *fault)
    : kernel(kernel), grid(grid), params(params), dynamicShared(dynamicShared),
      fault(fault), turn(kernel.options.order, kernel.options.priority) {
  const Grid &given = kernel.options.cluster;
  cluster = {extent(given.x), extent(given.y), extent(given.z)};
  clusterSize = cluster.x * cluster.y * cluster.z;
  total = uint64_t(grid.x) * grid.y * grid.z / clusterSize;
}

uint64_t Launch::residents() const {
  if (kernel.options.cooperative)
    return total;
  // One after the other: memory of others would only push its own out of the
  // caches.
  if (kernel.waits != PTXJIT_WAITS_FOR_GRID)
    return 1;
  uint64_t most = kResidentCtas / clusterSize;
  if (clusterSize == 1)
    return most;
  // No more than the device that programs see could hold: its multiprocessors
  // have numbers, by which programs index workspaces.
  uint64_t each = std::max<uint64_t>(kMultiprocessorShared / sharedBytes(), 1);
  uint64_t held = numMultiprocessors * each / clusterSize / workers;
  return std::clamp<uint64_t>(held, 1, most);
}

void Launch::setWorkers(unsigned wanted) {
  workers = numMultiprocessors = wanted;
  if (clusterSize > 1) {
    // A device with clusters has at least as many as a cluster may have CTAs.
    numMultiprocessors = std::max(wanted, PTXJIT_MOST_CLUSTER_CTAS);
    if (kernel.readsMultiprocessor)
      workers = std::clamp(numMultiprocessors / clusterSize, 1u, wanted);
  }
  // Who waits for earlier CTAs relies on their being started first.
  spans.cut(0, total, kernel.waits ? 1 : workers);
}

//===----------------------------------------------------------------------===//
// A CTA
//===----------------------------------------------------------------------===//

CtaRunner::CtaRunner(Launch &launch, uint32_t multiprocessor, uint32_t rank,
                     uint8_t *shared)
    : launch(launch) {
  const KernelCode &kernel = launch.kernel;
  // All warps of a CTA that is split at its barriers are in one call.
  bool isOneCall = kernel.mode == PTXJIT_MODE_FISSION;
  bool useFibers = kernel.mode >= PTXJIT_MODE_FIBERS ||
                   (isOneCall && kernel.waits != PTXJIT_WAITS_NEVER);
  // Warps share local memory if one call runs each to its end before the next.
  bool ownLocal =
      kernel.mode == PTXJIT_MODE_FIBERS || kernel.mode == PTXJIT_MODE_FISSION;
  uint64_t localStride = PTXJIT_LOCAL_BYTES(uint64_t(kernel.localBytes));
  StrandShape strands{kernel.threads, kernel.strandThreads};
  local = makeDeviceBuffer(localStride * (ownLocal ? strands.count() : 1) + 64,
                           kernel.range);
  if (useFibers)
    fibers = std::make_unique<CtaFibers>(isOneCall ? StrandShape() : strands,
                                         isOneCall ? strands.count() : 1,
                                         kernel.stackBytes, kernel.range);
  context.abiVersion = PTXJIT_KERNEL_ABI_VERSION;
  const Grid &grid = launch.grid, &cluster = launch.cluster;
  for (auto [to, from] : {std::pair(context.nctaid, &grid),
                          std::pair(context.clusterDim, &cluster)}) {
    to[0] = from->x;
    to[1] = from->y;
    to[2] = from->z;
  }
  bool isRow = !kernel.block[0];
  context.ntid[0] = isRow ? kernel.threads : kernel.block[0];
  context.ntid[1] = isRow ? 1 : kernel.block[1];
  context.ntid[2] = isRow ? 1 : kernel.block[2];
  context.clusterRank = rank;
  context.explicitCluster = kernel.options.cluster.x != 0;
  context.params = static_cast<const uint8_t *>(launch.params);
  context.globals = kernel.globals;
  context.shared = shared;
  context.local = static_cast<uint8_t *>(local.get());
  context.gridid = launch.gridid;
  context.dynamicShared = launch.dynamicShared;
  context.totalShared = launch.window() + launch.dynamicShared;
  context.helpers = &kKernelHelpers;
  context.runtime = fibers.get();
  context.tensorCore = &tensorCore;
  context.launch = &launch;
  if (GraphCalls *graphs = kernel.options.graphs)
    context.graphExec = graphs->getCurrent();
  context.largeArrays = kernel.largeArrays;
  tensorCore.setShared(shared, PTXJIT_SHARED_BASE + context.totalShared);
  context.localStride = ownLocal ? localStride : 0;
  if (kernel.mode == PTXJIT_MODE_THREADS) {
    context.local = fibers->getStacks().begin();
    context.localStride = fibers->getStacks().getStride();
  }
  if (kernel.frameBytes)
    frame = makeDeviceBuffer(kernel.frameBytes);
  context.frame = static_cast<uint8_t *>(frame.get());
  if (kernel.options.cooperative)
    context.gridWorkspace = reinterpret_cast<uint64_t>(&launch.workspace);
  uint32_t first = kernel.options.multiprocessors.first;
  context.nsmid = first + launch.numMultiprocessors;
  context.smid = first + multiprocessor % launch.numMultiprocessors;
}

void CtaRunner::start(uint32_t x, uint32_t y, uint32_t z, uint32_t numCtas) {
  context.ctaid[0] = x;
  context.ctaid[1] = y;
  context.ctaid[2] = z;
  context.sweptCtas = numCtas;
  context.sweptCta = 0;
  tensorCore.reset();
  if (fibers)
    fibers->start(launch.kernel.entry, context,
                  launch.kernel.waits || launch.clusterSize > 1);
}

void CtaRunner::getCta(uint32_t (&ctaid)[3]) const {
  std::memcpy(ctaid, context.ctaid, sizeof(ctaid));
  ctaid[0] += context.sweptCta;
}

bool CtaRunner::resume() {
  bool ended = true;
  if (fibers)
    ended = fibers->resume();
  else
    launch.kernel.entry(
        &context, 0,
        StrandShape{launch.kernel.threads, launch.kernel.strandThreads}
            .count());
  std::string leak;
  if (ended && tensorCore.memory.isUsed())
    leak = tensorCore.memory.describeLeak();
  if (context.status != PTXJIT_KERNEL_OK || !leak.empty()) {
    Fault fault;
    fault.status = LaunchStatus(context.status);
    if (fault.status == LaunchStatus::Ok) {
      fault.status = LaunchStatus::Illegal;
      fault.detail = leak;
    }
    getCta(fault.ctaid);
    launch.fail(fault);
  }
  return ended;
}

void CtaRunner::failInDeadlock() {
  Fault fault;
  fault.status = LaunchStatus::Deadlock;
  getCta(fault.ctaid);
  launch.fail(fault);
}

//===----------------------------------------------------------------------===//
// A launch
//===----------------------------------------------------------------------===//

/// The coordinates of cluster `index` in rows of `nx` and planes of `ny` rows.
template <typename Number>
static std::array<uint32_t, 3> locate(Number index, Number nx, Number ny) {
  if (index < nx) // a grid of one row needs no divisions
    return {uint32_t(index), 0, 0};
  Number row = index / nx;
  return {uint32_t(index % nx), uint32_t(row % ny), uint32_t(row / ny)};
}

Launch::Coordinates Launch::firstCtaOf(uint64_t index) const {
  uint32_t nx = grid.x / cluster.x, ny = grid.y / cluster.y;
  // Divisions of 64 bits take some CPUs 90 cycles.
  auto [x, y, z] = index == uint32_t(index)
                       ? locate<uint32_t>(uint32_t(index), nx, ny)
                       : locate<uint64_t>(index, nx, ny);
  return {x * cluster.x, y * cluster.y, z * cluster.z};
}

void Launch::fail(const Fault &found) {
  if (!isOrdered()) {
    if (fail(found.status) && fault)
      *fault = found;
    return;
  }
  std::lock_guard<std::mutex> lock(faultMutex);
  const uint32_t *cta = found.ctaid;
  uint64_t index = (uint64_t(cta[2]) * grid.y + cta[1]) * grid.x + cta[0];
  if (!mustRun(index))
    return;
  limit = index;
  status = int(found.status);
  if (fault)
    *fault = found;
}

std::optional<Launch::Coordinates> Launch::takeCluster() {
  if (auto range = take(1))
    return firstCtaOf(range->begin);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// A cluster
//===----------------------------------------------------------------------===//

/// Distance of the CTAs' shared windows, which are in one block of memory.
static constexpr uint64_t kSharedStride = uint64_t(1) << PTXJIT_SHARED_BITS;

ClusterRunner::ClusterRunner(Launch &launch, CurrentCta &current)
    : launch(launch), current(current),
      shared({launch.clusterSize, kSharedStride, launch.sharedBytes()},
             launch.kernel.range) {
  if (!shared.begin())
    return;
  uint32_t first = launch.multiprocessors.fetch_add(launch.clusterSize);
  for (uint32_t rank = 0; rank < launch.clusterSize; ++rank) {
    ctas.push_back(std::make_unique<CtaRunner>(
        launch, first + rank, rank, shared.begin() + rank * kSharedStride));
    if (CtaFibers *fibers = ctas.back()->getFibers())
      barrier.add(*fibers);
  }
  for (size_t rank = 0; rank + 1 < ctas.size(); rank += 2)
    ctas[rank]->getTensorCore().pairWith(ctas[rank + 1]->getTensorCore());
}

bool ClusterRunner::isValid() const {
  for (const auto &cta : ctas)
    if (!cta->isValid())
      return false;
  return shared.begin() != nullptr;
}

void ClusterRunner::start(uint64_t index) {
  const Grid &cluster = launch.cluster;
  auto [x, y, z] = launch.firstCtaOf(index);
  if (launch.clusterSize == 1) {
    ctas.front()->start(x, y, z);
    return;
  }
  running.clear();
  for (uint32_t rank = 0; rank < launch.clusterSize; ++rank) {
    ctas[rank]->start(x + rank % cluster.x, y + rank / cluster.x % cluster.y,
                      z + rank / (cluster.x * cluster.y));
    running.push_back(ctas[rank].get());
  }
}

bool ClusterRunner::run(uint64_t index) {
  start(index);
  return resume();
}

uint64_t ClusterRunner::sweep(uint64_t index, uint64_t end) {
  assert(launch.sweeps() && "else a call runs one CTA");
  auto [x, y, z] = launch.firstCtaOf(index);
  uint64_t numCtas = std::min<uint64_t>(end - index, launch.grid.x - x);
  ctas.front()->start(x, y, z, uint32_t(numCtas));
  resume();
  return index + numCtas;
}

bool ClusterRunner::resume() {
  if (launch.clusterSize == 1) {
    current.enter(*ctas.front());
    bool ended = ctas.front()->resume();
    if (!ended && !ctas.front()->getFibers()->canGoOn())
      ctas.front()->failInDeadlock();
    return ended;
  }
  bool progress = true;
  while (progress && !launch.failed()) {
    uint64_t phase = barrier.getPhase();
    size_t before = running.size();
    for (size_t i = 0; i < running.size() && !launch.failed();) {
      CtaRunner &cta = *running[i];
      current.enter(cta);
      if (cta.resume())
        running.erase(running.begin() + ptrdiff_t(i));
      else
        ++i;
    }
    progress = barrier.getPhase() != phase || running.size() < before;
  }
  bool stuck = !running.empty();
  for (CtaRunner *cta : running)
    stuck &= !cta->getFibers()->canGoOn();
  if (stuck && !launch.failed())
    running.front()->failInDeadlock();
  return running.empty();
}
