//===- LaunchGrid.h - run one kernel over a grid ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Host side of a launch: takes a compiled kernel and a grid, runs all CTAs.
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
  Trap = PTXJIT_KERNEL_TRAP,                    ///< a thread executed `trap`
  Deadlock = PTXJIT_KERNEL_DEADLOCK,            ///< all warps of a CTA wait
  Illegal = PTXJIT_KERNEL_ILLEGAL,              ///< such as barrier number 16
  StackOverflow = PTXJIT_KERNEL_STACK_OVERFLOW, ///< recursion without end
  IllegalAddress = PTXJIT_KERNEL_ILLEGAL_ADDRESS,
  MisalignedAddress = PTXJIT_KERNEL_MISALIGNED_ADDRESS,
  Assert = PTXJIT_KERNEL_ASSERT, ///< `__assertfail` was called
  InvalidValue,                  ///< an extent is 0 or beyond the ISA's limits
  InvalidCluster, ///< clusters do not fit into the grid, or are too large
  OutOfResources, ///< memory for shared or local windows is not to be had
};

struct Fault; // Fault.h

/// One line for people.
const char *describe(LaunchStatus status);
const char *describe(PtxjitMode mode);

/// Extents in CTAs: x up to 2^31-1, y and z up to 65535.
struct Grid {
  uint32_t x = 1, y = 1, z = 1;
};

/// What a launch says beside its extents.
struct LaunchOptions {
  bool cooperative = false; ///< all CTAs may wait for each other
  /// CTAs of a cluster, up to PTXJIT_MOST_CLUSTER_CTAS; each extent divides the
  /// grid's. 0: not given.
  Grid cluster = {0, 0, 0};
};

/// What launchGrid needs to know of compiled code.
struct KernelCode {
  PtxjitKernelEntry entry = nullptr;
  /// All machine code of the kernel: what may fault in it. 0 bytes: nothing.
  uint64_t codeBegin = 0, codeBytes = 0;
  uint32_t sharedEnd = PTXJIT_SHARED_BASE; ///< of static data, in the window
  uint32_t localBytes = 0;                 ///< per thread
  uint32_t stackBytes = 256 << 10;         ///< per strand
  uint64_t frameBytes = 0;                 ///< per CTA
  uint32_t threads = 32;                   ///< of a CTA
  /// Its extents, to name threads by; 0: it has one dimension.
  uint32_t block[3] = {0, 0, 0};
  PtxjitMode mode = PTXJIT_MODE_WARP_LOOP;
  bool waitsOnMemory = false; ///< CTAs make room for others while they wait
  /// Where shared and local memory have to lie.
  AddressRange range = AddressRange::All;
  LaunchOptions options;
  const uint64_t *globals = nullptr; ///< the context's table
  /// Nanoseconds that a cluster takes, by earlier launches: kept for them,
  /// between launches. 0: not known. May be null.
  std::atomic<uint64_t> *pace = nullptr;
};

/// Are they not given, or do they fit (LaunchOptions::cluster)?
bool isValidCluster(const Grid &cluster, const Grid &grid);

/// Runs every CTA of `grid`: in index order, pulled by the calling thread and
/// up to `threads - 1` TBB tasks; the CTAs of a cluster run on one thread, in
/// turns. Blocks until all have finished. Memory does
/// not grow with the grid.
///
/// \param params  laid out as PTX `.param` space, 16-byte aligned.
/// \param dynamicShared  bytes, added to the static.
/// \param threads  workers at most; 0: as many as the machine has.
/// \param fault  filled with what a fault has left, unless null.
///
/// A bad access inside the kernel's code ends the launch and not the process.
///
/// ISA: "cooperative-thread-arrays".
LaunchStatus launchGrid(const KernelCode &kernel, const Grid &grid,
                        const void *params, uint32_t dynamicShared,
                        unsigned threads, Fault *fault = nullptr);

/// Runs CTA `index` alone on the calling thread, to see a fault of it once
/// more; gives up after half a second.
LaunchStatus replayCta(const KernelCode &kernel, const Grid &grid,
                       const void *params, uint32_t dynamicShared,
                       uint64_t index, Fault &fault);

} // namespace ptxjit

#endif
