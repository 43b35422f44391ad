//===- Multicast.h - addresses that stand for several memories --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `multimem` accesses use addresses that stand for memory of several devices.
// Nothing is mapped there. The driver says what they stand for, and the runtime
// asks for it whenever a kernel makes such an access.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_MULTICAST_H
#define PTXJIT_RUNTIME_MULTICAST_H

#include "ptxjit/Runtime/CompilerABI.h"

#include <cstdint>
#include <vector>

namespace ptxjit {

/// Memory that part of a multicast range stands for.
struct MulticastPiece {
  uint64_t begin;  ///< multicast address
  uint64_t bytes;  ///< at least 1
  uint64_t memory; ///< where the memory is mapped
};

/// Addresses that lie side by side, and what they stand for.
struct Replicas {
  static constexpr unsigned kMost = PTXJIT_MOST_REPLICAS; ///< devices
  uint64_t begin = 0, end = 0;
  bool mayWrite = true;
  unsigned count = 0; ///< of memories; 0: nothing is bound there
  /// Plus an address this gives where a memory is, modulo 2^64. In the order of
  /// the pieces.
  uint64_t distances[kMost];

  bool contains(uint64_t address) const {
    return address - begin < end - begin;
  }
};

/// Makes a range of addresses stand for the memory of several devices, or
/// changes what it stands for. The range overlaps no other, and at most
/// Replicas::kMost pieces overlap each other. Bounds are multiples of 16, the
/// size of the largest access. Kernels may run meanwhile; those that run may
/// use the old pieces until they end.
void setMulticast(uint64_t begin, uint64_t bytes, bool mayWrite,
                  const std::vector<MulticastPiece> &pieces);
/// Makes the addresses of a range ordinary ones again.
void dropMulticast(uint64_t begin);

/// Finds what an address stands for. One that lies in no multicast range stands
/// for itself. Takes no lock.
void findReplicas(uint64_t address, Replicas &replicas);

} // namespace ptxjit

#endif
