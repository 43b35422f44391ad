//===- Pools.cpp - allocations in stream order, memory pools --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pools.h"
#include "Graph.h"
#include "SharedRegion.h"

#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cuda;

static MemoryPool *defaultPool(CUdevice device) {
  static auto *mutex = new std::mutex;
  std::lock_guard<std::mutex> lock(*mutex);
  std::atomic<MemoryPool *> &pool = getDevice(device).defaultPool;
  if (!pool) {
    auto made = std::make_unique<MemoryPool>();
    made->isDefault = true;
    made->device = device;
    pool = getState().pools.add(std::move(made));
  }
  return pool;
}

/// The pool that a device allocates from.
static MemoryPool *poolOf(CUdevice device) {
  MemoryPool *set = getDevice(device).pool;
  return set ? set : defaultPool(device);
}

CUresult cuda::findPool(CUmemoryPool handle, MemoryPool *&pool) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  pool = reinterpret_cast<MemoryPool *>(handle);
  return getState().pools.contains(pool) ? CUDA_SUCCESS
                                         : CUDA_ERROR_INVALID_VALUE;
}

void Amount::add(uint64_t bytes) {
  uint64_t now = current += bytes;
  uint64_t before = most;
  while (now > before && !most.compare_exchange_weak(before, now))
    ;
}

PoolUse::PoolUse(std::shared_ptr<PoolCounts> given, uint64_t bytes)
    : counts(std::move(given)), bytes(bytes) {
  counts->used.add(bytes);
  counts->reserved.add(bytes);
}
PoolUse::~PoolUse() {
  end();
  counts->reserved.remove(bytes);
}
void PoolUse::end() {
  if (isUsed.exchange(false))
    counts->used.remove(bytes);
}

//===----------------------------------------------------------------------===//
// Allocations in streams
//===----------------------------------------------------------------------===//

namespace {
/// Frees memory of a pool, or an allocation of a graph.
struct FreeInStream : Operation {
  CUdeviceptr pointer = 0;
  mutable std::shared_ptr<void> ofGraph; ///< null: of a pool
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_MEM_FREE; }
  void run(Context &context) const override;
};
} // namespace

OperationRef cuda::makeRelease(std::shared_ptr<void> memory) {
  auto release = std::make_shared<FreeInStream>();
  release->ofGraph = std::move(memory);
  return release;
}

void FreeInStream::run(Context &) const {
  if (ofGraph) {
    ofGraph = nullptr;
    return;
  }
  if (!freeKnown(pointer, Allocation::Device))
    freeShared(pointer);
}

/// Allocates at once. A program that keeps to the stream's order cannot tell.
/// \param pool  null: that of the stream's device.
static CUresult allocateAsync(CUdeviceptr *out, size_t bytes, MemoryPool *pool,
                              CUstream handle) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (!out || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture) {
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    params.bytesize = bytes;
    CUresult error = captureAllocation(*context, *stream, params);
    *out = params.dptr;
    return error;
  }
  if (!pool)
    pool = poolOf(context->device);
  *out = pool->region ? allocateShared(context, *pool, bytes)
                      : allocateKnown(context, pool->device, bytes,
                                      Allocation::Device, 0, pool);
  return *out ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

PTXJIT_CUDA_STREAM_API(cuMemAllocAsync, _ptsz,
                       (CUdeviceptr * out, size_t bytes, CUstream stream), out,
                       bytes, stream) {
  return allocateAsync(out, bytes, nullptr, stream);
}
PTXJIT_CUDA_STREAM_API(cuMemAllocFromPoolAsync, _ptsz,
                       (CUdeviceptr * out, size_t bytes, CUmemoryPool handle,
                        CUstream stream),
                       out, bytes, handle, stream) {
  MemoryPool *pool;
  if (CUresult error = findPool(handle, pool))
    return error;
  if (pool->region && pool->region->isImported())
    return CUDA_ERROR_INVALID_VALUE; // its owner alone may allocate
  return allocateAsync(out, bytes, pool, stream);
}
/// Null if no memory of a pool begins there.
static std::shared_ptr<PoolUse> findUse(CUdeviceptr pointer) {
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.memoryMutex);
  auto found = state.allocations.find(pointer);
  return found == state.allocations.end() ? nullptr : found->second.pool;
}

PTXJIT_CUDA_STREAM_API(cuMemFreeAsync, _ptsz,
                       (CUdeviceptr pointer, CUstream handle), pointer,
                       handle) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (!pointer || findPlace(pointer, 1) != Place::Inside)
    return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture)
    return captureFree(*context, *stream, pointer);
  auto operation = std::make_shared<FreeInStream>();
  operation->pointer = pointer;
  if (isOfGraph(pointer) && !(operation->ofGraph = takeGraphMemory(pointer)))
    return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<PoolUse> use = findUse(pointer);
  CUresult error = enqueue(*context, *stream, std::move(operation));
  if (!error && use)
    use->end();
  return error;
}

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuMemPoolCreate,
                (CUmemoryPool * out, const CUmemPoolProps *props), out, props) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!out || !props)
    return CUDA_ERROR_INVALID_VALUE;
  if (props->handleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (isMissing(props->location))
    return CUDA_ERROR_INVALID_DEVICE;
  auto pool = std::make_unique<MemoryPool>();
  if (props->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
    pool->device = props->location.id;
  if (props->handleTypes) {
    pool->region =
        SharedRegion::make(memoryOfDevice(), getDevice(pool->device).number);
    if (!pool->region)
      return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = reinterpret_cast<CUmemoryPool>(getState().pools.add(std::move(pool)));
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuMemPoolDestroy, (CUmemoryPool handle), handle) {
  MemoryPool *pool;
  if (CUresult error = findPool(handle, pool))
    return error;
  if (pool->isDefault)
    return CUDA_ERROR_INVALID_VALUE;
  for (CUdevice i = 0; i < countDevices(); ++i) {
    MemoryPool *set = pool;
    getDevice(i).pool.compare_exchange_strong(set, nullptr);
  }
  getState().pools.remove(pool);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuMemPoolTrimTo, (CUmemoryPool handle, size_t keep), handle,
                keep) {
  MemoryPool *pool;
  return findPool(handle, pool); // pools keep no free memory
}

PTXJIT_CUDA_API(cuMemPoolSetAttribute,
                (CUmemoryPool handle, int attribute, void *value), handle,
                attribute, value) {
  MemoryPool *pool;
  if (CUresult error = findPool(handle, pool))
    return error;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t number = 0;
  bool isInt = attribute < CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
  std::memcpy(&number, value, isInt ? 4 : 8);
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    pool->reuse[attribute - 1] = int(number);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    pool->releaseThreshold = number;
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    if (number)
      return CUDA_ERROR_INVALID_VALUE; // it may only be reset
    (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH ? pool->counts->used
                                                : pool->counts->reserved)
        .resetMost();
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}
PTXJIT_CUDA_API(cuMemPoolGetAttribute,
                (CUmemoryPool handle, int attribute, void *value), handle,
                attribute, value) {
  MemoryPool *pool;
  if (CUresult error = findPool(handle, pool))
    return error;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  auto give = [&](auto number) {
    std::memcpy(value, &number, sizeof(number));
    return CUDA_SUCCESS;
  };
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    return give(pool->reuse[attribute - 1].load());
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    return give(pool->releaseThreshold.load());
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
    return give(pool->counts->reserved.get());
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    return give(pool->counts->used.get());
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    return give(pool->counts->reserved.getMost());
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    return give(pool->counts->used.getMost());
  }
  return CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuMemPoolSetAccess,
                (CUmemoryPool handle, const CUmemAccessDesc *map, size_t count),
                handle, map, count) {
  MemoryPool *pool;
  if (CUresult error = findPool(handle, pool))
    return error;
  if (!map && count)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i)
    if (isMissing(map[i].location))
      return CUDA_ERROR_INVALID_DEVICE;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuMemPoolGetAccess,
                (int *flags, CUmemoryPool handle, CUmemLocation *location),
                flags, handle, location) {
  MemoryPool *pool;
  if (CUresult error = findPool(handle, pool))
    return error;
  if (!flags || !location)
    return CUDA_ERROR_INVALID_VALUE;
  if (isMissing(*location))
    return CUDA_ERROR_INVALID_DEVICE;
  *flags = 3; // CU_MEM_ACCESS_FLAGS_PROT_READWRITE
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDeviceGetDefaultMemPool,
                (CUmemoryPool * out, CUdevice device), out, device) {
  if (CUresult error = checkDevice(device))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUmemoryPool>(defaultPool(device));
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuDeviceGetMemPool, (CUmemoryPool * out, CUdevice device), out,
                device) {
  if (CUresult error = checkDevice(device))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUmemoryPool>(poolOf(device));
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuDeviceSetMemPool, (CUdevice device, CUmemoryPool handle),
                device, handle) {
  MemoryPool *pool;
  if (CUresult error = checkDevice(device))
    return error;
  if (CUresult error = findPool(handle, pool))
    return error;
  if (pool->device != device || (pool->region && pool->region->isImported()))
    return CUDA_ERROR_INVALID_VALUE;
  getDevice(device).pool = pool;
  return CUDA_SUCCESS;
}

/// The device of a location, for its pool. Host memory and managed memory have
/// no pools.
static CUresult deviceAt(const CUmemLocation *location, int type,
                         CUdevice &device) {
  if (!location)
    return CUDA_ERROR_INVALID_VALUE;
  if (type != CU_MEM_ALLOCATION_TYPE_PINNED ||
      location->type != CU_MEM_LOCATION_TYPE_DEVICE)
    return CUDA_ERROR_NOT_SUPPORTED;
  device = location->id;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuMemGetDefaultMemPool,
                (CUmemoryPool * out, CUmemLocation *location, int type), out,
                location, type) {
  CUdevice device;
  if (CUresult error = deviceAt(location, type, device))
    return error;
  return cuDeviceGetDefaultMemPool(out, device);
}
PTXJIT_CUDA_API(cuMemGetMemPool,
                (CUmemoryPool * out, CUmemLocation *location, int type), out,
                location, type) {
  CUdevice device;
  if (CUresult error = deviceAt(location, type, device))
    return error;
  return cuDeviceGetMemPool(out, device);
}
PTXJIT_CUDA_API(cuMemSetMemPool,
                (CUmemLocation * location, int type, CUmemoryPool pool),
                location, type, pool) {
  CUdevice device;
  if (CUresult error = deviceAt(location, type, device))
    return error;
  return cuDeviceSetMemPool(device, pool);
}
