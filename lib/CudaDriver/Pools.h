//===- Pools.h - memory pools -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_POOLS_H
#define PTXJIT_LIB_CUDADRIVER_POOLS_H

#include "State.h"

namespace ptxjit::cuda {

/// Memory of a pool that is in use. Allocations share it with their pool, since
/// a pool may be destroyed before they are freed.
struct PoolUse {
  std::atomic<uint64_t> bytes{0}, most{0};
  std::atomic<MemoryPool *> pool{nullptr}; ///< null: it was destroyed
};

struct MemoryPool {
  MemoryPool() { use->pool = this; }
  ~MemoryPool() { use->pool = nullptr; }
  /// Counts an allocation until the last copy of the result is gone.
  std::shared_ptr<PoolUse> count(size_t bytes);

  const std::shared_ptr<PoolUse> use = std::make_shared<PoolUse>();
  std::atomic<uint64_t> releaseThreshold{0};
  std::atomic<int> reuse[3] = {1, 1, 1};
  bool isDefault = false;
  CUdevice device = 0; ///< that has the memory
  /// Null unless the pool can be exported, or was imported.
  std::shared_ptr<SharedRegion> region;
};

/// Finds the pool behind a handle, if the driver is initialised.
CUresult findPool(CUmemoryPool handle, MemoryPool *&pool);

// -- Shared pools (SharedPools.cpp)
/// Allocates memory of a pool with a region. \returns 0 if there is none.
uint64_t allocateShared(Context *owner, MemoryPool &pool, size_t bytes);
/// Frees memory of a shared or an imported pool. False if none begins there.
bool freeShared(uint64_t address);

} // namespace ptxjit::cuda

#endif
