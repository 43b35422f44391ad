//===- LaunchGrid.cpp - run one kernel over a grid ------------------------===//

#include "ptxjit/Runtime/LaunchGrid.h"
#include "CtaFibers.h"
#include "FaultScope.h"
#include "SystemCalls.h"
#include "ptxjit/Runtime/Memory.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <memory>
#include <mutex>
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
  case LaunchStatus::IllegalAddress:
    return "illegal memory access";
  case LaunchStatus::MisalignedAddress:
    return "misaligned address";
  case LaunchStatus::Assert:
    return "assertion failed";
  }
  return "";
}

const char *ptxjit::describe(PtxjitMode mode) {
  switch (mode) {
  case PTXJIT_MODE_WARP_LOOP:
    return "warp loop";
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
/// Of a launch that does not say that all its CTAs have to be there at once.
constexpr size_t kResidentCtas = 256;

struct Launch {
  const KernelCode &kernel;
  Grid grid;
  const void *params;
  uint32_t dynamicShared;
  unsigned workers;
  uint64_t total;
  Fault *fault; ///< of the worker that failed first; may be null
  /// CTAs taken at a time: fewer trips to the counter, still in index order.
  uint64_t grain = 1;
  uint64_t gridid = 0;
  std::atomic<uint64_t> next{0};
  std::atomic<int> status{int(LaunchStatus::Ok)};

  /// \returns whether nothing had failed before.
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
  /// CTAs that one worker keeps waiting before it starts no further one.
  uint64_t residents() const {
    return kernel.cooperative ? total : kResidentCtas;
  }
  PtxjitGridWorkspace workspace{sizeof(PtxjitGridWorkspace), 0};
  uint32_t window() const { return kernel.sharedEnd - PTXJIT_SHARED_BASE; }
};

/// What it takes to run a CTA; kept from one to the next.
class CtaRunner {
public:
  CtaRunner(Launch &launch, unsigned worker);
  bool isValid() const {
    return shared && local && (frame || !launch.kernel.frameBytes) &&
           (!fibers || fibers->isValid());
  }
  /// \returns whether the CTA has ended; else it waits to be resumed.
  bool run(uint64_t index);
  bool resume() { return check(fibers->resume()); }

  CtaFibers *getFibers() { return fibers.get(); }
  const uint32_t (&getCta() const)[3] { return context.ctaid; }

private:
  bool check(bool ended) {
    if (context.status != PTXJIT_KERNEL_OK) {
      Fault fault;
      fault.status = LaunchStatus(context.status);
      std::memcpy(fault.ctaid, context.ctaid, sizeof(fault.ctaid));
      launch.fail(fault);
    }
    return ended;
  }

  Launch &launch;
  DeviceBuffer shared, local, frame;
  std::unique_ptr<CtaFibers> fibers;
  PtxjitKernelContext context{};
};

CtaRunner::CtaRunner(Launch &launch, unsigned worker) : launch(launch) {
  const KernelCode &kernel = launch.kernel;
  bool useFibers = kernel.mode >= PTXJIT_MODE_FIBERS;
  // Where one call runs all warps to their end, one after another, they share.
  bool ownLocal =
      kernel.mode == PTXJIT_MODE_FIBERS || kernel.mode == PTXJIT_MODE_FISSION;
  uint64_t localStride = PTXJIT_LOCAL_BYTES(uint64_t(kernel.localBytes));
  StrandShape strands{kernel.threads,
                      kernel.mode == PTXJIT_MODE_THREADS ? 1u : 32u};
  shared = makeDeviceBuffer(uint64_t(kernel.sharedEnd) + launch.dynamicShared);
  local = makeDeviceBuffer(localStride * (ownLocal ? strands.count() : 1) + 64);
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
  context.localStride = ownLocal ? localStride : 0;
  if (kernel.mode == PTXJIT_MODE_THREADS) {
    context.local = fibers->getStacks().begin();
    context.localStride = fibers->getStacks().getStride();
  }
  if (kernel.frameBytes)
    frame = makeDeviceBuffer(kernel.frameBytes);
  context.frame = static_cast<uint8_t *>(frame.get());
  if (kernel.cooperative)
    context.gridWorkspace = reinterpret_cast<uint64_t>(&launch.workspace);
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

/// One of the threads that work on a launch.
class Worker {
public:
  Worker(Launch &launch, unsigned index)
      : launch(launch), index(index), scope(launch.kernel) {}

  void work();
  FaultScope &getScope() { return scope; }

private:
  void runAll();
  void runWaiting();
  CtaRunner *makeRunner();
  void enter(CtaRunner &runner) {
    current = &runner;
    scope.setFibers(runner.getFibers());
  }
  void reportFault();

  Launch &launch;
  unsigned index;
  FloatEnvironment environment;
  FaultScope scope;
  // Not locals of what a fault may jump out of.
  std::vector<std::unique_ptr<CtaRunner>> parked, idle;
  CtaRunner *current = nullptr;
};

void Worker::work() {
  auto body = [](void *self) {
    auto *worker = static_cast<Worker *>(self);
    worker->launch.kernel.waitsOnMemory ? worker->runWaiting()
                                        : worker->runAll();
  };
  if (!scope.run(body, this))
    reportFault();
}

void Worker::reportFault() {
  if (current->getFibers())
    current->getFibers()->abandon();
  Fault &fault = scope.getFault();
  if (fault.status == LaunchStatus::Ok)
    return; // interrupted
  std::memcpy(fault.ctaid, current->getCta(), sizeof(fault.ctaid));
  launch.fail(fault);
}

/// Null, and the launch has failed, if there is no memory.
CtaRunner *Worker::makeRunner() {
  idle.push_back(std::make_unique<CtaRunner>(launch, index));
  if (idle.back()->isValid())
    return idle.back().get();
  launch.fail(LaunchStatus::OutOfResources);
  return nullptr;
}

void Worker::runAll() {
  CtaRunner *runner = makeRunner();
  if (!runner)
    return;
  enter(*runner);
  while (!launch.failed()) {
    uint64_t begin =
        launch.next.fetch_add(launch.grain, std::memory_order_relaxed);
    if (begin >= launch.total)
      return;
    uint64_t end = std::min(begin + launch.grain, launch.total);
    for (uint64_t i = begin; i < end && !launch.failed(); ++i)
      runner->run(i);
  }
}

/// CTAs that wait for others are parked while the next ones start, so that what
/// they wait for may come from an earlier or (up to kResidentCtas) later one.
void Worker::runWaiting() {
  bool more = true;
  while (!launch.failed() && (more || !parked.empty())) {
    uint64_t next = launch.total;
    if (more && parked.size() < launch.residents())
      next = launch.next.fetch_add(1, std::memory_order_relaxed);
    more &= next < launch.total || parked.size() >= launch.residents();
    if (next < launch.total) {
      if (idle.empty() && !makeRunner())
        return;
      enter(*idle.back());
      if (!idle.back()->run(next)) {
        parked.push_back(std::move(idle.back()));
        idle.pop_back();
      }
    }
    // Each of those that wait gets a turn.
    for (size_t i = 0; i < parked.size() && !launch.failed();) {
      enter(*parked[i]);
      if (!parked[i]->resume()) {
        ++i;
        continue;
      }
      idle.push_back(std::move(parked[i]));
      parked.erase(parked.begin() + ptrdiff_t(i));
    }
    if (!parked.empty() && next >= launch.total)
      std::this_thread::yield(); // others' CTAs may need this core
  }
}

bool isValidGrid(const Grid &grid) {
  return grid.x && grid.y && grid.z && grid.x <= 0x7fffffffu &&
         grid.y <= 65535 && grid.z <= 65535;
}

} // namespace

LaunchStatus ptxjit::launchGrid(const KernelCode &kernel, const Grid &grid,
                                const void *params, uint32_t dynamicShared,
                                unsigned threads, Fault *fault) {
  if (!isValidGrid(grid))
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
  Launch launch{kernel, grid, params, dynamicShared, workers, total, fault};
  launch.gridid = ++gridCounter;
  launch.grain = std::clamp<uint64_t>(total / (uint64_t(workers) * 32), 1, 64);
  if (workers == 1) {
    Worker(launch, 0).work();
    return LaunchStatus(launch.status.load());
  }
  // The calling thread works; TBB threads only help, if and when they come.
  tbb::task_arena arena(int(workers), 1);
  arena.execute([&] {
    tbb::task_group helpers;
    for (unsigned i = 1; i < workers; ++i)
      helpers.run([&launch, i] { Worker(launch, i).work(); });
    Worker(launch, 0).work();
    helpers.wait();
  });
  return LaunchStatus(launch.status.load());
}

LaunchStatus ptxjit::replayCta(const KernelCode &kernel, const Grid &grid,
                               const void *params, uint32_t dynamicShared,
                               uint64_t index, Fault &fault) {
  Launch launch{kernel, grid, params, dynamicShared, 1, index + 1, &fault};
  launch.next = index;
  Worker worker(launch, 0);
  worker.getScope().setInterruptible();
  MutedKernels muted;
  // What it waited for the first time may not come again.
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
