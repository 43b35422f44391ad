//===- Memory.cpp - allocations, copies, sets -----------------------------===//
//
// Device pointers are host pointers, so a copy is a memcpy at its turn in a
// stream. Calls without `Async` return when it is done.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/Memory.h"
#include "State.h"

#include <cstring>
#include <unistd.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

static CUresult allocate(uint64_t &address, size_t bytes, bool isHost) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  void *memory = allocateDevice(bytes);
  if (!memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  address = reinterpret_cast<uint64_t>(memory);
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.memoryMutex);
  state.allocations[address] = {bytes, isHost};
  return CUDA_SUCCESS;
}

static CUresult release(uint64_t address, bool isHost) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!address)
    return CUDA_SUCCESS;
  // Kernels may still use it.
  if (CUresult error = synchronizeContext(*context))
    return error;
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.memoryMutex);
  auto it = state.allocations.find(address);
  if (it == state.allocations.end() || it->second.isHost != isHost)
    return CUDA_ERROR_INVALID_VALUE;
  freeDevice(reinterpret_cast<void *>(address), it->second.bytes);
  state.allocations.erase(it);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemAlloc_v2, (CUdeviceptr * pointer, size_t bytes), pointer,
                bytes) {
  if (!pointer)
    return CUDA_ERROR_INVALID_VALUE;
  return allocate(*pointer, bytes, false);
}
PTXJIT_CUDA_API(cuMemFree_v2, (CUdeviceptr pointer), pointer) {
  return release(pointer, false);
}
PTXJIT_CUDA_API(cuMemHostAlloc,
                (void **pointer, size_t bytes,
                 [[maybe_unused]] unsigned ignored2),
                pointer, bytes, ignored2) {
  if (!pointer)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t address = 0;
  CUresult error = allocate(address, bytes, true);
  if (!error)
    *pointer = reinterpret_cast<void *>(address);
  return error;
}
PTXJIT_CUDA_API(cuMemAllocHost_v2, (void **pointer, size_t bytes), pointer,
                bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}
PTXJIT_CUDA_API(cuMemFreeHost, (void *pointer), pointer) {
  return release(reinterpret_cast<uint64_t>(pointer), true);
}
PTXJIT_CUDA_API(cuMemHostGetDevicePointer_v2,
                (CUdeviceptr * device, void *host, unsigned flags), device,
                host, flags) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  auto address = reinterpret_cast<uint64_t>(host);
  if (!device || flags || findPlace(address, 1) != Place::Inside)
    return CUDA_ERROR_INVALID_VALUE;
  *device = address;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemGetInfo_v2, (size_t * free, size_t *total), free, total) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!free || !total)
    return CUDA_ERROR_INVALID_VALUE;
  size_t page = size_t(sysconf(_SC_PAGESIZE));
  *total = size_t(sysconf(_SC_PHYS_PAGES)) * page;
  *free = size_t(sysconf(_SC_AVPHYS_PAGES)) * page;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemGetAddressRange_v2,
                (CUdeviceptr * base, size_t *size, CUdeviceptr pointer), base,
                size, pointer) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.memoryMutex);
  auto it = state.allocations.upper_bound(pointer);
  if (it == state.allocations.begin())
    return CUDA_ERROR_NOT_FOUND;
  --it;
  if (pointer - it->first >= it->second.bytes)
    return CUDA_ERROR_NOT_FOUND;
  if (base)
    *base = it->first;
  if (size)
    *size = it->second.bytes;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuPointerGetAttribute,
                (void *data, int attribute, CUdeviceptr pointer), data,
                attribute, pointer) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!data)
    return CUDA_ERROR_INVALID_VALUE;
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.memoryMutex);
  auto it = state.allocations.upper_bound(pointer);
  bool known = it != state.allocations.begin();
  if (known) {
    --it;
    known = pointer - it->first < it->second.bytes;
  }
  // Any host memory is device memory here, so frameworks that hand over plain
  // pointers get them back.
  if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER) {
    std::memcpy(data, &pointer, 8);
    return CUDA_SUCCESS;
  }
  if (!known)
    return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    std::memcpy(data, &context, 8);
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE: {
    unsigned type =
        it->second.isHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    std::memcpy(data, &type, 4);
    return CUDA_SUCCESS;
  }
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!it->second.isHost)
      return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(data, &pointer, 8);
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    std::memset(data, 0, 4);
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    std::memcpy(data, &it->first, 8);
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    std::memcpy(data, &it->second.bytes, 8);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {
/// What must be true of an end of a copy.
enum class End { Device, Host };
} // namespace

static bool isEndOk(End end, uint64_t address, size_t bytes) {
  Place place = findPlace(address, bytes);
  if (end == End::Device)
    return place == Place::Inside;
  return address && place != Place::Crossing;
}

static CUresult copy(uint64_t to, End toEnd, uint64_t from, End fromEnd,
                     size_t bytes, CUstream handle, bool wait) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (bytes == 0)
    return CUDA_SUCCESS;
  if (!isEndOk(toEnd, to, bytes) || !isEndOk(fromEnd, from, bytes))
    return CUDA_ERROR_INVALID_VALUE;
  submitOrdered(*context, *stream, [=] {
    std::memmove(reinterpret_cast<void *>(to),
                 reinterpret_cast<const void *>(from), bytes);
  });
  return wait ? synchronizeStream(*context, *stream) : CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemcpyHtoD_v2,
                (CUdeviceptr to, const void *from, size_t bytes), to, from,
                bytes) {
  return copy(to, End::Device, reinterpret_cast<uint64_t>(from), End::Host,
              bytes, nullptr, true);
}
PTXJIT_CUDA_API(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t bytes), to,
                from, bytes) {
  return copy(reinterpret_cast<uint64_t>(to), End::Host, from, End::Device,
              bytes, nullptr, true);
}
PTXJIT_CUDA_API(cuMemcpyDtoD_v2,
                (CUdeviceptr to, CUdeviceptr from, size_t bytes), to, from,
                bytes) {
  return copy(to, End::Device, from, End::Device, bytes, nullptr, true);
}
PTXJIT_CUDA_API(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t bytes), to,
                from, bytes) {
  return copy(to, End::Host, from, End::Host, bytes, nullptr, true);
}
PTXJIT_CUDA_API(cuMemcpyHtoDAsync_v2,
                (CUdeviceptr to, const void *from, size_t bytes,
                 CUstream stream),
                to, from, bytes, stream) {
  return copy(to, End::Device, reinterpret_cast<uint64_t>(from), End::Host,
              bytes, stream, false);
}
PTXJIT_CUDA_API(cuMemcpyDtoHAsync_v2,
                (void *to, CUdeviceptr from, size_t bytes, CUstream stream), to,
                from, bytes, stream) {
  return copy(reinterpret_cast<uint64_t>(to), End::Host, from, End::Device,
              bytes, stream, false);
}
PTXJIT_CUDA_API(cuMemcpyDtoDAsync_v2,
                (CUdeviceptr to, CUdeviceptr from, size_t bytes,
                 CUstream stream),
                to, from, bytes, stream) {
  return copy(to, End::Device, from, End::Device, bytes, stream, false);
}
PTXJIT_CUDA_API(cuMemcpyAsync,
                (CUdeviceptr to, CUdeviceptr from, size_t bytes,
                 CUstream stream),
                to, from, bytes, stream) {
  return copy(to, End::Host, from, End::Host, bytes, stream, false);
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

template <typename T>
static CUresult fill(CUdeviceptr to, T value, size_t count, CUstream handle,
                     bool wait) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (count == 0)
    return CUDA_SUCCESS;
  if (count > SIZE_MAX / sizeof(T) || to % sizeof(T) ||
      findPlace(to, count * sizeof(T)) != Place::Inside)
    return CUDA_ERROR_INVALID_VALUE;
  submitOrdered(*context, *stream, [=] {
    T *begin = reinterpret_cast<T *>(to);
    std::fill(begin, begin + count, value);
  });
  return wait ? synchronizeStream(*context, *stream) : CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemsetD8_v2,
                (CUdeviceptr to, unsigned char value, size_t count), to, value,
                count) {
  return fill(to, value, count, nullptr, true);
}
PTXJIT_CUDA_API(cuMemsetD16_v2,
                (CUdeviceptr to, unsigned short value, size_t count), to, value,
                count) {
  return fill(to, value, count, nullptr, true);
}
PTXJIT_CUDA_API(cuMemsetD32_v2, (CUdeviceptr to, unsigned value, size_t count),
                to, value, count) {
  return fill(to, value, count, nullptr, true);
}
PTXJIT_CUDA_API(cuMemsetD8Async,
                (CUdeviceptr to, unsigned char value, size_t count,
                 CUstream stream),
                to, value, count, stream) {
  return fill(to, value, count, stream, false);
}
PTXJIT_CUDA_API(cuMemsetD16Async,
                (CUdeviceptr to, unsigned short value, size_t count,
                 CUstream stream),
                to, value, count, stream) {
  return fill(to, value, count, stream, false);
}
PTXJIT_CUDA_API(cuMemsetD32Async,
                (CUdeviceptr to, unsigned value, size_t count, CUstream stream),
                to, value, count, stream) {
  return fill(to, value, count, stream, false);
}
