//===- ModuleLaunch.cpp - launches of a module's kernels ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceGrid.h"
#include "LaunchTree.h"
#include "SecondTier.h"
#include "ptxjit/Runtime/Fault.h"
#include "ptxjit/Runtime/ImageCode.h"
#include "ptxjit/Runtime/LoadedModule.h"
#include "ptxjit/Runtime/Log.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

using namespace ptxjit;

LaunchStatus LoadedModule::launch(const std::string &kernel, const Grid &grid,
                                  const uint32_t block[3], const void *params,
                                  uint32_t dynamicShared, unsigned threads,
                                  const KernelOptions &options,
                                  std::string &diagnostics,
                                  const LaunchOptions &launchOptions) {
  LaunchShape shape;
  LaunchStatus status =
      complete(kernel, grid, block, launchOptions, shape, diagnostics);
  if (status != LaunchStatus::Ok)
    return status;
  const CompiledKernel *compiled =
      compile(kernel, shape.block, shape.grid, options, diagnostics);
  if (!compiled)
    return LaunchStatus::InvalidValue;
  LaunchOptions completed = launchOptions;
  completed.cluster = shape.cluster;
  if (!completed.kernelOptions)
    completed.kernelOptions = &options;
  return launchCompiled(*compiled, shape.block, shape.grid, params,
                        dynamicShared, threads, diagnostics, completed);
}

/// Calls completeShape; `diagnostics` says what is wrong.
LaunchStatus LoadedModule::complete(const std::string &kernel, const Grid &grid,
                                    const uint32_t block[3],
                                    const LaunchOptions &options,
                                    LaunchShape &shape,
                                    std::string &diagnostics) const {
  shape = {grid, {block[0], block[1], block[2]}, options.cluster};
  const PtxjitKernelInfo *info = findKernel(kernel);
  if (!info) // compile() reports it
    return LaunchStatus::Ok;
  std::string error;
  LaunchStatus status = completeShape(*info, shape, error);
  if (status != LaunchStatus::Ok)
    diagnostics += "error: kernel '" + kernel + "': " + error + "\n";
  return status;
}

KernelCode LoadedModule::codeOf(const CompiledKernel &kernel,
                                const uint32_t block[3]) const {
  KernelCode code = describeCode(kernel.image, block);
  code.range = getAddressRange();
  code.globals = kernel.globals.data();
  code.pace = &kernel.pace;
  return code;
}

static uint64_t countCtas(const Grid &grid) {
  return uint64_t(grid.x) * grid.y * grid.z;
}

bool LoadedModule::isShort(const CompiledKernel &given, const Grid &grid) {
  const CompiledKernel &kernel = bestOf(given);
  return kernel.image.waits == PTXJIT_WAITS_NEVER &&
         isShortLaunch(kernel.pace, countCtas(grid));
}

bool LoadedModule::isBrief(const CompiledKernel &given, const Grid &grid) {
  const CompiledKernel &kernel = bestOf(given);
  return kernel.image.waits == PTXJIT_WAITS_NEVER &&
         isBriefLaunch(kernel.pace, countCtas(grid));
}

/// The size from which on an array is written past the caches, or fetched
/// early: that of the last cache, or what PTXJIT_STREAM_FROM says. Other
/// programs have a share of a large cache (and virtual machines tell the sum of
/// all caches), so no more than 32 MiB of it count.
static uint64_t largeSize() {
  static const uint64_t size = [] {
    if (const char *given = std::getenv("PTXJIT_STREAM_FROM"))
      return uint64_t(std::strtoull(given, nullptr, 0));
    constexpr uint64_t most = uint64_t(32) << 20;
    long last = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return last > 0 ? std::min(uint64_t(last), most) : most;
  }();
  return size;
}

/// PtxjitKernelContext::largeArrays of a launch with `threads` threads.
static uint64_t findLargeArrays(const PtxjitImage &image, const void *params,
                                uint64_t threads,
                                const LaunchOptions &options) {
  uint64_t large = 0;
  for (uint32_t i = 0; i < image.numArrays; ++i) {
    const PtxjitParamArray &array = image.arrays[i];
    uint64_t pointer;
    std::memcpy(&pointer, static_cast<const uint8_t *>(params) + array.param,
                sizeof(pointer));
    uint64_t bytes = options.bytesBehind ? options.bytesBehind(pointer) : 0;
    if (array.bytesPerThread)
      bytes = std::min(bytes, threads * array.bytesPerThread);
    large |= uint64_t(bytes >= largeSize()) << i;
  }
  return large;
}

/// The code of a launch. While that is of the first tier, counts for how long
/// it runs, and offers better code once there is some.
class LoadedModule::RunningCode : public BetterCode {
public:
  RunningCode(LoadedModule &module, const CompiledKernel &given,
              const uint32_t block[3], const Grid &grid, const void *params,
              const LaunchOptions &options, DeviceGrid &device)
      : module(module), block(block), grid(grid), params(params),
        options(options), device(device), kernel(&module.bestOf(given)) {
    prepare();
    next = kernel->next;
    if (next && !code.waits && !options.cluster.x)
      code.better = this;
  }
  ~RunningCode() override {
    if (!next)
      return;
    next->addRunTime(getTime());
    next->consider();
  }
  RunningCode(const RunningCode &) = delete;

  const PtxjitImage &getImage() const { return kernel->image; }
  const KernelCode &get() const { return code; }

  bool isReady() override {
    next->consider(getTime());
    return next->getImage();
  }
  const KernelCode &take() override {
    kernel = &module.bestOf(*kernel);
    prepare();
    return code;
  }

private:
  void prepare() {
    code = module.codeOf(*kernel, block);
    code.options = options;
    code.device = &device;
    uint64_t ctas = uint64_t(grid.x) * grid.y * grid.z;
    code.largeArrays =
        findLargeArrays(kernel->image, params, ctas * code.threads, options);
  }
  std::chrono::nanoseconds getTime() const {
    return std::chrono::steady_clock::now() - start;
  }

  LoadedModule &module;
  const uint32_t *block;
  const Grid &grid;
  const void *params;
  const LaunchOptions &options;
  DeviceGrid &device;
  const CompiledKernel *kernel;
  KernelCode code;
  SecondTier *next; ///< null in the second tier
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};

LaunchStatus LoadedModule::launchCompiled(
    const CompiledKernel &kernel, const uint32_t block[3], const Grid &grid,
    const void *params, uint32_t dynamicShared, unsigned threads,
    std::string &diagnostics, const LaunchOptions &options) {
  DeviceStreams launched;
  LaunchStatus status = runGrid(kernel, block, grid, params, dynamicShared,
                                threads, options, launched, diagnostics);
  if (status != LaunchStatus::Ok || launched.isEmpty())
    return status;
  LaunchTree tree(
      [&](const ChildLaunch &launch, DeviceStreams &next, std::string &text) {
        return runChild(launch, threads, options, next, text);
      },
      threads ? threads : std::thread::hardware_concurrency());
  return tree.run(launched, diagnostics);
}

/// Runs a grid that a kernel has launched, without what that launches.
LaunchStatus LoadedModule::runChild(const ChildLaunch &launch, unsigned threads,
                                    const LaunchOptions &given,
                                    DeviceStreams &launched,
                                    std::string &diagnostics) {
  const LaunchShape &shape = launch.shape;
  LaunchOptions options = given;
  options.cooperative = false;
  options.cluster = shape.cluster;
  const CompiledKernel *kernel =
      compile(launch.kernel->name, shape.block, shape.grid,
              given.kernelOptions ? *given.kernelOptions : KernelOptions(),
              diagnostics);
  if (!kernel)
    return LaunchStatus::InvalidValue;
  if (isLogged(LogKind::Launch))
    log(LogKind::Launch,
        std::string(launch.kernel->name) + describe(shape) + ": by a kernel");
  return runGrid(*kernel, shape.block, shape.grid, launch.params.data(),
                 launch.shared, threads, options, launched, diagnostics);
}

LaunchStatus LoadedModule::runGrid(const CompiledKernel &given,
                                   const uint32_t block[3], const Grid &grid,
                                   const void *params, uint32_t dynamicShared,
                                   unsigned threads,
                                   const LaunchOptions &options,
                                   DeviceStreams &launched,
                                   std::string &diagnostics) {
  // Kernels can take the address of a parameter, so it must be in range.
  DeviceBuffer lowParams;
  if (getAddressRange() == AddressRange::Low) {
    size_t bytes = given.info.paramBytes;
    lowParams = makeDeviceBuffer(bytes, AddressRange::Low);
    if (!lowParams) {
      diagnostics += std::string("error: ") +
                     describe(LaunchStatus::OutOfResources) + "\n";
      return LaunchStatus::OutOfResources;
    }
    std::memcpy(lowParams.get(), params, bytes);
    params = lowParams.get();
  }
  DeviceGrid device(getInfo(), options.services, launched);
  RunningCode running(*this, given, block, grid, params, options, device);
  Fault fault;
  LaunchStatus status =
      launchGrid(running.get(), grid, params, dynamicShared, threads, &fault);
  if (status == LaunchStatus::Ok)
    return status;
  const PtxjitImage &image = running.getImage();
  // A CTA of a cluster cannot be replayed without the others.
  bool mayReplay = options.cluster.x == 0;
  if (mayReplay && (fault.status == LaunchStatus::IllegalAddress ||
                    fault.status == LaunchStatus::MisalignedAddress))
    findThread(fault, image, block, grid, params, dynamicShared);
  fault.status = status;
  diagnostics +=
      "error: " +
      describeFault(fault, image, getInfo().text, getInfo().fileName, block) +
      "\n";
  return status;
}

/// Whether two faults are of the same access. A warp may report another one of
/// its addresses, depending on the code.
static bool isSame(const Fault &a, const PtxjitImage &imageOfA, const Fault &b,
                   const PtxjitImage &imageOfB) {
  if (a.status != b.status)
    return false;
  if (a.status == LaunchStatus::MisalignedAddress || a.address == b.address)
    return true;
  const PtxjitLine *x = findLine(a, imageOfA), *y = findLine(b, imageOfB);
  return x && y && x->line == y->line && x->column == y->column;
}

/// Finds the thread that faulted: vector code does not tell, so the CTA runs
/// again, thread by thread. (Memory has no defined contents after a fault.) If
/// the same access does not fail again, the thread stays unknown.
void LoadedModule::findThread(Fault &fault, const PtxjitImage &image,
                              const uint32_t block[3], const Grid &grid,
                              const void *params, uint32_t dynamicShared) {
  KernelOptions options;
  options.atLeast = PTXJIT_MODE_THREADS;
  options.quick = true; // also keeps the optimizer from removing accesses
  std::string ignored;
  const CompiledKernel *exact =
      compile(image.kernel, block, grid, options, ignored);
  if (!exact)
    return;
  uint64_t index =
      fault.ctaid[0] +
      uint64_t(grid.x) * (fault.ctaid[1] + uint64_t(grid.y) * fault.ctaid[2]);
  Fault again;
  DeviceStreams notRun;
  DeviceGrid device(getInfo(), nullptr, notRun);
  KernelCode code = codeOf(*exact, block);
  code.device = &device;
  replayCta(code, grid, params, dynamicShared, index, again);
  if (isSame(fault, image, again, exact->image)) {
    fault.thread = again.thread;
    fault.address = again.address;
    fault.hasAddress = again.hasAddress;
  }
}
