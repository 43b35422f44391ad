//===- WarpgroupQueue.h - what a warpgroup has to multiply -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The multiplications that the warps of a warpgroup have issued, and the runs
// that are made of them.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_DEVICE_WARPGROUPQUEUE_H
#define PTXJIT_LIB_DEVICE_WARPGROUPQUEUE_H

#include "Device.h"
#include "ptxjit/Device/Wgmma.h"

namespace ptxjit::device {

struct Run;
using Kernel = void (*)(const Run *);

/// A multiplication that a warp has issued. Not all architectures align vectors
/// to their size.
struct alignas(128) Entry {
  Kernel kernel;
  char *sums;
  const char *shared; ///< the CTA's shared memory
  uint64_t a, b;      ///< descriptors
  uint32_t flags;     ///< WgmmaFlags
  uint32_t columns;
  uint32_t hasRegisters; ///< A is in `registers`
  alignas(128) U32<32> registers[4];
  U32<32> metadata;

  bool has(WgmmaFlags flag) const { return flags & flag; }
};

struct Queue {
  uint32_t count;
  /// Where a matrix of the last entry ends that exceeds shared memory; else 0.
  uint64_t outside;
  Entry entries[kWgmmaEntries];
};
static_assert(sizeof(Queue) == kWgmmaQueueBytes);

/// Multiplications of the same kernel that add to the same sums: the entries
/// `indices` of the queues of one warp, or of the four of a warpgroup.
struct Run {
  Queue *const *queues;
  int warps;
  int firstWarp; ///< of the warpgroup
  uint32_t firstColumn, columns;
  int count;
  uint8_t indices[kWgmmaEntries];

  const Entry &entry(int warp, int i) const {
    return queues[warp]->entries[indices[i]];
  }
};

/// The steps that a run has at most; a kernel's stack holds the images.
constexpr int kMostSteps = 64;

/// Calls part(r) with parts of a run of at most `most` multiplications: images
/// have no room for more.
template <typename Part>
inline void forEachPart(const Run &run, int most, Part part) {
  // Member by member: device code has no memcpy.
  Run next;
  next.queues = run.queues;
  next.warps = run.warps;
  next.firstWarp = run.firstWarp;
  next.firstColumn = run.firstColumn;
  next.columns = run.columns;
  for (int i = 0; i < run.count; i += most) {
    next.count = run.count - i < most ? run.count - i : most;
    for (int j = 0; j < next.count; ++j)
      next.indices[j] = run.indices[i + j];
    part(next);
  }
}

} // namespace ptxjit::device

#endif
