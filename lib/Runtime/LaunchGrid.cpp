//===- LaunchGrid.cpp - run one kernel over a grid ------------------------===//

#include "ptxjit/Runtime/LaunchGrid.h"
#include "CtaFibers.h"
#include "ptxjit/Runtime/Memory.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using namespace ptxjit;

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

/// Of each warp on a fiber: frames hold vectors, so they are large, but only
/// touched pages count.
constexpr size_t kStackBytes = size_t(256) << 10;

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
  void runCta(PtxjitKernelContext &context, CtaFibers *fibers, uint64_t index);
};

void Launch::runCta(PtxjitKernelContext &context, CtaFibers *fibers,
                    uint64_t index) {
  context.ctaid[0] = uint32_t(index % grid.x);
  context.ctaid[1] = uint32_t(index / grid.x % grid.y);
  context.ctaid[2] = uint32_t(index / (uint64_t(grid.x) * grid.y));
  if (fibers)
    fibers->run(kernel.entry, context);
  else
    kernel.entry(&context, 0, kernel.warps);
  if (context.status != PTXJIT_KERNEL_OK)
    fail(LaunchStatus(context.status));
}

void Launch::work(unsigned worker) {
  uint64_t sharedBytes = uint64_t(kernel.sharedEnd) + dynamicShared;
  DeviceBuffer shared = makeDeviceBuffer(sharedBytes);
  bool useFibers = kernel.mode == PTXJIT_MODE_FIBERS;
  uint64_t localStride = uint64_t(kernel.localBytes) * 32;
  DeviceBuffer local =
      makeDeviceBuffer(localStride * (useFibers ? kernel.warps : 1) + 64);
  std::unique_ptr<CtaFibers> fibers;
  if (useFibers)
    fibers = std::make_unique<CtaFibers>(kernel.warps, kStackBytes);
  if (!shared || !local || (fibers && !fibers->isValid()))
    return fail(LaunchStatus::OutOfResources);
  PtxjitKernelContext context{};
  context.abiVersion = PTXJIT_KERNEL_ABI_VERSION;
  context.nctaid[0] = grid.x;
  context.nctaid[1] = grid.y;
  context.nctaid[2] = grid.z;
  context.params = static_cast<const uint8_t *>(params);
  context.globals = kernel.globals;
  context.shared = static_cast<uint8_t *>(shared.get());
  context.local = static_cast<uint8_t *>(local.get());
  context.gridid = gridid;
  context.dynamicShared = dynamicShared;
  context.totalShared = kernel.sharedEnd - PTXJIT_SHARED_BASE + dynamicShared;
  context.helpers = &kKernelHelpers;
  context.runtime = fibers.get();
  context.localStride = useFibers ? localStride : 0;
  context.smid = worker;
  context.nsmid = workers;
  FloatEnvironment environment;
  while (!failed()) {
    uint64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
    if (begin >= total)
      return;
    uint64_t end = std::min(begin + grain, total);
    for (uint64_t i = begin; i < end && !failed(); ++i)
      runCta(context, fibers.get(), i);
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
