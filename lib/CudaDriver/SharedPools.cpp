//===- SharedPools.cpp - memory pools of several processes ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pools.h"
#include "SharedRegion.h"

#include <fcntl.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

uint64_t cuda::allocateShared(Context *owner, MemoryPool &pool, size_t bytes) {
  MemoryShare share(pool.device, bytes);
  uint64_t address = share ? pool.region->allocate(bytes) : 0;
  if (!address)
    return 0;
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.memoryMutex);
  state.allocations[address] = {bytes,
                                Allocation::Shared,
                                0,
                                pool.count(bytes),
                                state.nextId++,
                                owner,
                                pool.device,
                                std::move(share),
                                pool.region};
  return address;
}

bool cuda::freeShared(uint64_t address) {
  State &state = getState();
  Allocation freed;
  {
    std::lock_guard<std::mutex> lock(state.memoryMutex);
    auto it = state.allocations.find(address);
    if (it == state.allocations.end() || it->second.kind != Allocation::Shared)
      return false;
    freed = std::move(it->second);
    state.allocations.erase(it);
  }
  freed.region->free(address, freed.bytes);
  return true;
}

PTXJIT_CUDA_API(cuMemPoolExportToShareableHandle,
                (void *out, CUmemoryPool handle, int type,
                 unsigned long long flags),
                out, handle, type, flags) {
  MemoryPool *pool;
  if (CUresult error = findPool(handle, pool))
    return error;
  if (!out || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
      !pool->region || pool->region->isImported())
    return CUDA_ERROR_INVALID_VALUE;
  int file = fcntl(pool->region->getFile(), F_DUPFD_CLOEXEC, 0);
  if (file < 0)
    return CUDA_ERROR_OPERATING_SYSTEM;
  *static_cast<int *>(out) = file;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemPoolImportFromShareableHandle,
                (CUmemoryPool * out, void *descriptor, int type,
                 unsigned long long flags),
                out, descriptor, type, flags) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!out || flags || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return CUDA_ERROR_INVALID_VALUE;
  auto region =
      SharedRegion::import(int(reinterpret_cast<intptr_t>(descriptor)));
  if (!region)
    return CUDA_ERROR_INVALID_VALUE;
  auto pool = std::make_unique<MemoryPool>();
  pool->device = findMachineDevice(region->getDevice());
  pool->region = std::move(region);
  *out = reinterpret_cast<CUmemoryPool>(getState().pools.add(std::move(pool)));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemPoolExportPointer,
                (CUmemPoolPtrExportData * out, CUdeviceptr pointer), out,
                pointer) {
  Context *context;
  if (CUresult error = enterMemory(pointer, context))
    return error;
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  auto it = getState().allocations.find(pointer);
  if (!out || it == getState().allocations.end() ||
      it->second.kind != Allocation::Shared || it->second.region->isImported())
    return CUDA_ERROR_INVALID_VALUE;
  return it->second.region->exportPointer(pointer, it->second.bytes, *out);
}

PTXJIT_CUDA_API(cuMemPoolImportPointer,
                (CUdeviceptr * out, CUmemoryPool handle,
                 CUmemPoolPtrExportData *data),
                out, handle, data) {
  MemoryPool *pool;
  uint64_t address;
  size_t bytes;
  if (CUresult error = findPool(handle, pool))
    return error;
  if (!out || !data || !pool->region || !pool->region->isImported())
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = pool->region->importPointer(*data, address, bytes))
    return error;
  Context *current = currentContext();
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.memoryMutex);
  state.allocations.try_emplace(
      address,
      Allocation{bytes, Allocation::Shared, 0, pool->count(0), state.nextId++,
                 state.contexts.contains(current) ? current : nullptr,
                 pool->device, MemoryShare(), pool->region});
  *out = address;
  return CUDA_SUCCESS;
}
