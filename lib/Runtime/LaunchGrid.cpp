//===- LaunchGrid.cpp - run one kernel over a grid ------------------------===//

#include "ptxjit/Runtime/LaunchGrid.h"
#include "CtaFibers.h"
#include "ptxjit/Runtime/Memory.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace ptxjit;

const char *ptxjit::describe(LaunchStatus status) {
  switch (status) {
  case LaunchStatus::Ok:
    return "ok";
  case LaunchStatus::InvalidValue:
    return "the launch is not valid: a grid has at most 2147483647 x 65535 x "
           "65535 CTAs";
  case LaunchStatus::OutOfResources:
    return "there is not enough memory for the launch";
  case LaunchStatus::Trap:
    return "a thread executed 'trap'";
  case LaunchStatus::Deadlock:
    return "deadlock: all threads of a CTA wait for others that never come";
  case LaunchStatus::Illegal:
    return "illegal operand of a barrier: numbers are 0 to 15, threads up to "
           "1024";
  case LaunchStatus::StackOverflow:
    return "stack overflow: functions call each other too deeply";
  }
  return "";
}

const char *ptxjit::describe(PtxjitMode mode) {
  switch (mode) {
  case PTXJIT_MODE_WARP_LOOP:
    return "warp loop";
  case PTXJIT_MODE_FIBERS:
    return "fibers";
  case PTXJIT_MODE_THREADS:
    return "threads";
  }
  return "";
}

namespace {

/// Kernels run with IEEE defaults, whatever the host program has set (programs
/// built with -ffast-math leave flush-to-zero on).
class FloatEnvironment {
public:
#if defined(__x86_64__)
  FloatEnvironment() : saved(_mm_getcsr()) { _mm_setcsr(0x1f80); }
  ~FloatEnvironment() { _mm_setcsr(saved); }

private:
  unsigned saved;
#endif
};

constexpr unsigned kMostWorkers = 256;
/// CTAs that one worker keeps waiting before it starts no further one.
constexpr size_t kResidentCtas = 256;

struct Launch {
  const KernelCode &kernel;
  Grid grid;
  const void *params;
  uint32_t dynamicShared;
  unsigned workers;
  uint64_t total;
  /// CTAs taken at a time: fewer trips to the counter, still in index order.
  uint64_t grain;
  uint64_t gridid;
  std::atomic<uint64_t> next{0};
  std::atomic<int> status{int(LaunchStatus::Ok)};

  void fail(LaunchStatus why) {
    int ok = int(LaunchStatus::Ok);
    status.compare_exchange_strong(ok, int(why));
  }
  bool failed() const {
    return status.load(std::memory_order_relaxed) != int(LaunchStatus::Ok);
  }
  void work(unsigned worker);
  void workWaiting(unsigned worker);
  uint32_t window() const { return kernel.sharedEnd - PTXJIT_SHARED_BASE; }
};

/// What it takes to run a CTA; kept from one to the next.
class CtaRunner {
public:
  CtaRunner(Launch &launch, unsigned worker);
  bool isValid() const {
    return shared && local && (!fibers || fibers->isValid());
  }
  /// \returns whether the CTA has ended; else it waits to be resumed.
  bool run(uint64_t index);
  bool resume() { return check(fibers->resume()); }

private:
  bool check(bool ended) {
    if (context.status != PTXJIT_KERNEL_OK)
      launch.fail(LaunchStatus(context.status));
    return ended;
  }

  Launch &launch;
  DeviceBuffer shared, local;
  std::unique_ptr<CtaFibers> fibers;
  PtxjitKernelContext context{};
};

CtaRunner::CtaRunner(Launch &launch, unsigned worker) : launch(launch) {
  const KernelCode &kernel = launch.kernel;
  bool useFibers = kernel.mode != PTXJIT_MODE_WARP_LOOP;
  uint64_t localStride = uint64_t(kernel.localBytes) * 32;
  StrandShape strands{kernel.threads,
                      kernel.mode == PTXJIT_MODE_THREADS ? 1u : 32u};
  shared = makeDeviceBuffer(uint64_t(kernel.sharedEnd) + launch.dynamicShared);
  local = makeDeviceBuffer(
      localStride * (kernel.mode == PTXJIT_MODE_FIBERS ? strands.count() : 1) +
      64);
  if (useFibers)
    fibers = std::make_unique<CtaFibers>(strands, kernel.stackBytes);
  context.abiVersion = PTXJIT_KERNEL_ABI_VERSION;
  context.nctaid[0] = launch.grid.x;
  context.nctaid[1] = launch.grid.y;
  context.nctaid[2] = launch.grid.z;
  context.params = static_cast<const uint8_t *>(launch.params);
  context.globals = kernel.globals;
  context.shared = static_cast<uint8_t *>(shared.get());
  context.local = static_cast<uint8_t *>(local.get());
  context.gridid = launch.gridid;
  context.dynamicShared = launch.dynamicShared;
  context.totalShared = launch.window() + launch.dynamicShared;
  context.helpers = &kKernelHelpers;
  context.runtime = fibers.get();
  context.localStride = useFibers ? localStride : 0;
  if (kernel.mode == PTXJIT_MODE_THREADS) {
    context.local = fibers->getStacks().begin();
    context.localStride = fibers->getStacks().getStride();
  }
  context.smid = worker;
  context.nsmid = launch.workers;
}

bool CtaRunner::run(uint64_t index) {
  const Grid &grid = launch.grid;
  context.ctaid[0] = uint32_t(index % grid.x);
  context.ctaid[1] = uint32_t(index / grid.x % grid.y);
  context.ctaid[2] = uint32_t(index / (uint64_t(grid.x) * grid.y));
  if (fibers)
    return check(
        fibers->run(launch.kernel.entry, context, launch.kernel.waitsOnMemory));
  launch.kernel.entry(&context, 0, (launch.kernel.threads + 31) / 32);
  return check(true);
}

void Launch::work(unsigned worker) {
  FloatEnvironment environment;
  if (kernel.waitsOnMemory)
    return workWaiting(worker);
  CtaRunner runner(*this, worker);
  if (!runner.isValid())
    return fail(LaunchStatus::OutOfResources);
  while (!failed()) {
    uint64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
    if (begin >= total)
      return;
    uint64_t end = std::min(begin + grain, total);
    for (uint64_t i = begin; i < end && !failed(); ++i)
      runner.run(i);
  }
}

/// CTAs that wait for others are parked while the next ones start, so that what
/// they wait for may come from an earlier or (up to kResidentCtas) later one.
void Launch::workWaiting(unsigned worker) {
  std::vector<std::unique_ptr<CtaRunner>> parked, idle;
  bool more = true;
  while (!failed() && (more || !parked.empty())) {
    uint64_t index = total;
    if (more && parked.size() < kResidentCtas)
      index = next.fetch_add(1, std::memory_order_relaxed);
    more &= index < total || parked.size() >= kResidentCtas;
    if (index < total) {
      if (idle.empty())
        idle.push_back(std::make_unique<CtaRunner>(*this, worker));
      std::unique_ptr<CtaRunner> runner = std::move(idle.back());
      idle.pop_back();
      if (!runner->isValid())
        return fail(LaunchStatus::OutOfResources);
      (runner->run(index) ? idle : parked).push_back(std::move(runner));
    }
    // Each of those that wait gets a turn.
    for (size_t i = 0; i < parked.size() && !failed();) {
      if (!parked[i]->resume()) {
        ++i;
        continue;
      }
      idle.push_back(std::move(parked[i]));
      parked.erase(parked.begin() + ptrdiff_t(i));
    }
    if (!parked.empty() && index >= total)
      std::this_thread::yield(); // others' CTAs may need this core
  }
}

} // namespace

LaunchStatus ptxjit::launchGrid(const KernelCode &kernel, const Grid &grid,
                                const void *params, uint32_t dynamicShared,
                                unsigned threads) {
  if (!grid.x || !grid.y || !grid.z || grid.x > 0x7fffffffu || grid.y > 65535 ||
      grid.z > 65535)
    return LaunchStatus::InvalidValue;
  static std::atomic<uint64_t> gridCounter{0};
  unsigned machine = unsigned(tbb::info::default_concurrency());
  unsigned workers = threads ? threads : machine;
  // More threads than cores are of use only in tests, but asking must not make
  // TBB print warnings.
  static tbb::global_control control(
      tbb::global_control::max_allowed_parallelism,
      std::max(machine, kMostWorkers));
  workers = std::min(workers, kMostWorkers);
  uint64_t total = uint64_t(grid.x) * grid.y * grid.z;
  workers = unsigned(std::min<uint64_t>(workers, total));
  Launch launch{kernel,  grid,  params, dynamicShared,
                workers, total, 1,      ++gridCounter};
  launch.grain = std::clamp<uint64_t>(total / (uint64_t(workers) * 32), 1, 64);
  if (workers == 1) {
    launch.work(0);
    return LaunchStatus(launch.status.load());
  }
  // The calling thread works; TBB threads only help, if and when they come.
  tbb::task_arena arena(int(workers), 1);
  arena.execute([&] {
    tbb::task_group helpers;
    for (unsigned i = 1; i < workers; ++i)
      helpers.run([&launch, i] { launch.work(i); });
    launch.work(0);
    helpers.wait();
  });
  return LaunchStatus(launch.status.load());
}
