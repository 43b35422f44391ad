//===- ClusterWindows.h - shared memory of a cluster's CTAs -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_CLUSTERWINDOWS_H
#define PTXJIT_LIB_RUNTIME_CLUSTERWINDOWS_H

#include "ptxjit/Runtime/KernelABI.h"

namespace ptxjit {

/// The windows of shared memory of a cluster, which are 2^PTXJIT_SHARED_BITS
/// bytes apart. Addresses are those of the host.
class ClusterWindows {
public:
  explicit ClusterWindows(const PtxjitKernelContext &context)
      : own(reinterpret_cast<uint64_t>(context.shared)),
        first(own - (uint64_t(context.clusterRank) << PTXJIT_SHARED_BITS)),
        size(context.clusterDim[0] * context.clusterDim[1] *
             context.clusterDim[2]) {}

  /// The rank of the CTA that an address belongs to.
  uint32_t rankOf(uint64_t address) const {
    return uint32_t((address - first) >> PTXJIT_SHARED_BITS);
  }
  /// The address in the CTA of rank `rank` that has the same offset.
  uint64_t sameIn(uint32_t rank, uint64_t address) const {
    return first + (uint64_t(rank) << PTXJIT_SHARED_BITS) +
           offsetIn(own, address);
  }
  /// The offset of an address in the window of its CTA. `window` is the start
  /// of any window of the cluster.
  static uint64_t offsetIn(uint64_t window, uint64_t address) {
    return (address - window) & ((uint64_t(1) << PTXJIT_SHARED_BITS) - 1);
  }
  /// Calls f(rank) for each CTA whose bit is set in `ctas`.
  template <typename F> void forEach(uint32_t ctas, F f) const {
    for (uint32_t rank = 0; rank < size; ++rank)
      if (ctas >> rank & 1)
        f(rank);
  }

private:
  uint64_t own, first;
  uint32_t size;
};

} // namespace ptxjit

#endif
