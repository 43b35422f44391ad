//===- Pools.h - memory pools -----------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_POOLS_H
#define PTXJIT_LIB_CUDADRIVER_POOLS_H

#include "State.h"

namespace ptxjit::cuda {

/// An amount of memory, and the most that it has been. Thread-safe.
class Amount {
public:
  void add(uint64_t bytes);
  void remove(uint64_t bytes) { current -= bytes; }
  uint64_t get() const { return current; }
  uint64_t getMost() const { return most; }
  void resetMost() { most = current.load(); }

private:
  std::atomic<uint64_t> current{0}, most{0};
};

/// What a pool counts. Allocations share it with their pool, since a pool may
/// be destroyed before they are freed.
struct PoolCounts {
  Amount used;     ///< memory that cuMemFreeAsync was not called for
  Amount reserved; ///< memory that was not freed
  std::atomic<MemoryPool *> pool{nullptr}; ///< null: it was destroyed
};

/// An allocation in the counts of its pool.
struct PoolUse {
  PoolUse(std::shared_ptr<PoolCounts> counts, uint64_t bytes);
  ~PoolUse();
  PoolUse(const PoolUse &) = delete;
  PoolUse &operator=(const PoolUse &) = delete;

  /// A stream is to free the memory: it is no longer used.
  void end();
  /// Null if the pool was destroyed.
  MemoryPool *getPool() const { return counts->pool; }

private:
  const std::shared_ptr<PoolCounts> counts;
  const uint64_t bytes;
  std::atomic<bool> isUsed{true};
};

struct MemoryPool {
  MemoryPool() { counts->pool = this; }
  ~MemoryPool() { counts->pool = nullptr; }
  /// Counts an allocation until the last copy of the result is gone.
  std::shared_ptr<PoolUse> count(uint64_t bytes) {
    return std::make_shared<PoolUse>(counts, bytes);
  }

  const std::shared_ptr<PoolCounts> counts = std::make_shared<PoolCounts>();
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
