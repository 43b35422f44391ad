//===- LaunchGrid.h - runs one kernel over a grid ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host side of a launch: runs a compiled kernel for all CTAs of a grid.
// Knows nothing of PTX, MLIR or LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_LAUNCHGRID_H
#define PTXJIT_RUNTIME_LAUNCHGRID_H

#include "ptxjit/Runtime/KernelABI.h"
#include "ptxjit/Runtime/Memory.h"
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace ptxjit {

enum class LaunchStatus {
  Ok = PTXJIT_KERNEL_OK,
  Trap = PTXJIT_KERNEL_TRAP,         ///< a thread executed `trap`
  Deadlock = PTXJIT_KERNEL_DEADLOCK, ///< all strands of a CTA wait
  Illegal = PTXJIT_KERNEL_ILLEGAL,   ///< an operand, such as barrier 16
  StackOverflow = PTXJIT_KERNEL_STACK_OVERFLOW, ///< recursion is too deep
  IllegalAddress = PTXJIT_KERNEL_ILLEGAL_ADDRESS,
  MisalignedAddress = PTXJIT_KERNEL_MISALIGNED_ADDRESS,
  Assert = PTXJIT_KERNEL_ASSERT, ///< `__assertfail` was called
  InvalidValue,                  ///< an extent is 0 or beyond the ISA's limits
  InvalidCluster, ///< wrong extents, or too many CTAs in a cluster
  OutOfResources, ///< no memory for shared or local windows
};

struct Fault; // Fault.h

/// One line for users.
const char *describe(LaunchStatus status);
/// \param strandThreads  PtxjitImage::strandThreads.
const char *describe(PtxjitMode mode, uint32_t strandThreads);

/// Extents in CTAs: x up to 2^31-1, y and z up to 65535.
struct Grid {
  uint32_t x = 1, y = 1, z = 1;
};

/// A share of the multiprocessors that kernels see.
struct Multiprocessors {
  uint32_t first = 0; ///< the lowest `%smid`
  uint32_t count = 0; ///< 0: all
};

/// Whether the extents are possible.
bool isValidGrid(const Grid &grid);

struct KernelOptions; // LoadedModule.h
class DeviceServices; // DeviceServices.h
class GraphCalls;     // GraphCalls.h
class LaunchOrder;    // LaunchOrder.h

/// Options of a launch beside its extents.
struct LaunchOptions {
  bool cooperative = false; ///< all CTAs may wait for each other
  /// CTAs of a cluster, up to PTXJIT_MOST_CLUSTER_CTAS. Each extent must divide
  /// the grid's. 0: not given.
  Grid cluster = {0, 0, 0};
  /// `%smid` counts from the first of these. How many threads work is a
  /// parameter of launchGrid.
  Multiprocessors multiprocessors;
  /// Lower ones go first among the launches of `order`, from kHighestPriority
  /// to kLowestPriority. A kernel whose CTAs wait for each other never waits
  /// for other launches.
  int priority = 0;
  /// Null: no launch goes before another.
  LaunchOrder *order = nullptr;
  /// Bytes from an address to the end of the allocation that contains it; 0: it
  /// is not known. Null: no allocation is known.
  uint64_t (*bytesBehind)(uint64_t address) = nullptr;
  /// For kernels that launch kernels. These are compiled with `kernelOptions`;
  /// null: with the usual ones. Both live until the launch has ended.
  const DeviceServices *services = nullptr;
  const KernelOptions *kernelOptions = nullptr;
  /// What the kernel's calls of graphs reach. Null: they are faults.
  GraphCalls *graphs = nullptr;
};

class DeviceGrid;
struct KernelCode;

/// Where a launch finds better code for the CTAs that have not started. Both
/// codes run the same block, with the same options.
class BetterCode {
public:
  virtual ~BetterCode() = default;
  /// Is there such code? Workers ask now and then, so this may also decide to
  /// have it made. Thread-safe.
  virtual bool isReady() = 0;
  /// \pre isReady(). Called at most once.
  virtual const KernelCode &take() = 0;
};

/// What launchGrid needs to know of a compiled kernel.
struct KernelCode {
  PtxjitKernelEntry entry = nullptr;
  /// All machine code of the kernel; a fault inside is the kernel's. 0 bytes:
  /// faults are not caught.
  uint64_t codeBegin = 0, codeBytes = 0;
  uint32_t sharedEnd = PTXJIT_SHARED_BASE; ///< end of static data in the window
  uint32_t localBytes = 0;                 ///< per thread
  uint32_t stackBytes = 256 << 10;         ///< per strand
  uint64_t frameBytes = 0;                 ///< per CTA
  uint32_t threads = 32;                   ///< per CTA
  /// Extents of a CTA, for naming threads; 0: it has one dimension.
  uint32_t block[3] = {0, 0, 0};
  uint32_t strandThreads = 32; ///< PtxjitImage::strandThreads
  PtxjitMode mode = PTXJIT_MODE_WARP_LOOP;
  PtxjitWaits waits = PTXJIT_WAITS_NEVER;
  bool readsMultiprocessor = false; ///< it may read `%smid`
  PtxjitSweep sweeps = PTXJIT_SWEEP_NONE;
  uint64_t largeArrays = 0; ///< PtxjitKernelContext::largeArrays
  /// Range for shared and local memory.
  AddressRange range = AddressRange::All;
  LaunchOptions options;
  const uint64_t *globals = nullptr; ///< PtxjitKernelContext::globals
  /// Average nanoseconds per cluster (or CTA), which launchGrid updates and the
  /// caller keeps between launches. 0: unknown. May be null.
  std::atomic<uint64_t> *pace = nullptr;
  /// For a kernel whose CTAs neither wait for each other nor form clusters.
  /// Null: none is expected.
  BetterCode *better = nullptr;
  /// What calls of CUDA's runtime on the device reach. Null: the kernel calls
  /// nothing of it.
  DeviceGrid *device = nullptr;
};

/// Whether a cluster is not given, or is valid (LaunchOptions::cluster).
bool isValidCluster(const Grid &cluster, const Grid &grid);

/// Runs every CTA of `grid` and blocks until all have finished. The calling
/// thread and up to `threads - 1` TBB tasks take CTAs: in index order if the
/// kernel waits (KernelCode::waits), else each core its part first. The CTAs
/// of a cluster take turns on one thread. Memory does not grow with the grid.
///
/// \param params  laid out as PTX `.param` space, 16-byte aligned.
/// \param dynamicShared  bytes, behind the static data.
/// \param threads  largest number of workers; 0: one for each core.
/// \param fault  receives the first failure, unless null.
///
/// A bad access in the kernel's code fails the launch; the process lives.
///
/// ISA: "cooperative-thread-arrays".
LaunchStatus launchGrid(const KernelCode &kernel, const Grid &grid,
                        const void *params, uint32_t dynamicShared,
                        unsigned threads, Fault *fault = nullptr);

/// Should a launch of `total` clusters (or CTAs) take less time than waking
/// threads for it? \param pace  KernelCode::pace. False if that is unknown.
bool isShortLaunch(const std::atomic<uint64_t> &pace, uint64_t total);
/// Should it take so little that a thread that will wait for it may run it?
bool isBriefLaunch(const std::atomic<uint64_t> &pace, uint64_t total);

/// Runs CTA `index` alone on the calling thread, to reproduce a fault of it;
/// gives up after half a second.
LaunchStatus replayCta(const KernelCode &kernel, const Grid &grid,
                       const void *params, uint32_t dynamicShared,
                       uint64_t index, Fault &fault);

} // namespace ptxjit

#endif
