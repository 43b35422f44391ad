//===- Pools.h - memory pools -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_POOLS_H
#define PTXJIT_LIB_CUDADRIVER_POOLS_H

#include "State.h"

namespace ptxjit::cuda {

struct MemoryPool {
  std::atomic<uint64_t> used{0}, mostUsed{0}, releaseThreshold{0};
  std::atomic<int> reuse[3] = {1, 1, 1};
  bool isDefault = false;
  CUdevice device = 0; ///< that has the memory
  /// Null unless the pool can be exported, or was imported.
  std::shared_ptr<SharedRegion> region;
};

/// Finds the pool behind a handle, if the driver is initialised.
CUresult findPool(CUmemoryPool handle, MemoryPool *&pool);
/// Adds to the memory that a pool, which may be gone, has in use.
void countUse(void *pool, int64_t bytes);

// -- Shared pools (SharedPools.cpp)
/// Allocates memory of a pool with a region. \returns 0 if there is none.
uint64_t allocateShared(Context *owner, MemoryPool &pool, size_t bytes);
/// Frees memory of a shared or an imported pool. False if none begins there.
bool freeShared(uint64_t address);

} // namespace ptxjit::cuda

#endif
