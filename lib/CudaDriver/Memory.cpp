//===- Memory.cpp - allocations, and queries about pointers ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Device pointers are host pointers.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/Memory.h"
#include "Blocks.h"
#include "Graph.h"
#include "Pools.h"

#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

std::map<uint64_t, Allocation>::iterator cuda::findAllocation(uint64_t at) {
  auto &all = getState().allocations;
  auto it = all.upper_bound(at);
  if (it == all.begin())
    return all.end();
  --it;
  return at - it->first < it->second.bytes ? it : all.end();
}

Place cuda::findPlace(uint64_t address, size_t bytes) {
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  auto &all = getState().allocations;
  auto it = findAllocation(address);
  if (it == all.end()) // no memory, or no writable memory
    return isReserved(address) ? Place::Crossing : Place::Outside;
  uint64_t end = it->first + it->second.bytes;
  // Mappings side by side count as one piece of memory.
  while (bytes > end - address && it->second.kind == Allocation::Mapped) {
    it = std::next(it);
    if (it == all.end() || it->first != end ||
        it->second.kind != Allocation::Mapped)
      break;
    end += it->second.bytes;
  }
  return bytes <= end - address ? Place::Inside : Place::Crossing;
}

uint64_t cuda::bytesBehind(uint64_t address) {
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  auto it = findAllocation(address);
  return it == getState().allocations.end()
             ? 0
             : it->first + it->second.bytes - address;
}

CUdevice cuda::deviceOf(uint64_t address) {
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  auto it = findAllocation(address);
  return it == getState().allocations.end() ? 0 : it->second.device;
}

Context *cuda::ownerOf(uint64_t address) {
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  auto it = findAllocation(address);
  return it == getState().allocations.end() ? nullptr : it->second.context;
}

Context *cuda::deviceOwnerOf(uint64_t address) {
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  auto it = findAllocation(address);
  bool isOfDevice = it != getState().allocations.end() &&
                    (it->second.kind == Allocation::Device ||
                     it->second.kind == Allocation::Shared ||
                     it->second.kind == Allocation::Imported);
  return isOfDevice ? it->second.context : nullptr;
}

void cuda::disownMemoryOf(Context &context) {
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  for (auto &[address, allocation] : getState().allocations)
    if (allocation.context == &context)
      allocation.context = nullptr;
}

uint64_t cuda::allocateKnown(Context *owner, CUdevice device, size_t bytes,
                             Allocation::Kind kind, unsigned flags,
                             MemoryPool *pool) {
  // Managed memory may be larger than the device's.
  MemoryShare share;
  if (kind == Allocation::Device || kind == Allocation::OfGraph)
    if (share = MemoryShare(device, bytes); !share)
      return 0;
  void *memory =
      kind == Allocation::Device ? allocateBlock(bytes) : allocateDevice(bytes);
  if (!memory)
    return 0;
  State &state = getState();
  auto address = reinterpret_cast<uint64_t>(memory);
  std::lock_guard<std::mutex> lock(state.memoryMutex);
  state.allocations[address] = {
      bytes,          kind,  flags,  pool ? pool->count(bytes) : nullptr,
      state.nextId++, owner, device, std::move(share)};
  return address;
}

bool cuda::freeKnown(uint64_t address, Allocation::Kind kind) {
  State &state = getState();
  Allocation freed;
  {
    std::lock_guard<std::mutex> lock(state.memoryMutex);
    auto it = state.allocations.find(address);
    if (it == state.allocations.end() || it->second.kind != kind)
      return false;
    freed = std::move(it->second);
    state.allocations.erase(it);
  }
  forgetPlacement(address, freed.bytes);
  if (kind == Allocation::Device)
    freeExportable(address, freed.bytes);
  else if (!freed.mapping) // else it is unmapped now
    freeDevice(reinterpret_cast<void *>(address), freed.bytes);
  return true;
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

static CUresult allocate(uint64_t &address, size_t bytes, Allocation::Kind kind,
                         unsigned flags = 0) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (bytes == 0)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t made = allocateKnown(context, context->device, bytes, kind, flags);
  if (!made)
    return CUDA_ERROR_OUT_OF_MEMORY;
  address = made;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemAlloc_v2, (CUdeviceptr * pointer, size_t bytes), pointer,
                bytes) {
  if (!pointer)
    return CUDA_ERROR_INVALID_VALUE;
  return allocate(*pointer, bytes, Allocation::Device);
}

PTXJIT_CUDA_API(cuMemAllocPitch_v2,
                (CUdeviceptr * pointer, size_t *pitch, size_t width,
                 size_t height, unsigned elementBytes),
                pointer, pitch, width, height, elementBytes) {
  constexpr size_t row = 512; // alignment of rows on GPUs
  if (!pointer || !pitch || !width || !height || width > SIZE_MAX / 2 ||
      (elementBytes != 4 && elementBytes != 8 && elementBytes != 16))
    return CUDA_ERROR_INVALID_VALUE;
  *pitch = (width + row - 1) / row * row;
  if (height > SIZE_MAX / 2 / *pitch)
    return CUDA_ERROR_OUT_OF_MEMORY;
  return allocate(*pointer, *pitch * height, Allocation::Device);
}

PTXJIT_CUDA_API(cuMemAllocManaged,
                (CUdeviceptr * pointer, size_t bytes, unsigned flags), pointer,
                bytes, flags) {
  if (!pointer || (flags != 1 && flags != 2)) // CU_MEM_ATTACH_GLOBAL, _HOST
    return CUDA_ERROR_INVALID_VALUE;
  return allocate(*pointer, bytes, Allocation::Managed, flags);
}

bool cuda::isOfGraph(uint64_t address) {
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.memoryMutex);
  auto it = state.allocations.find(address);
  return it != state.allocations.end() &&
         it->second.kind == Allocation::OfGraph;
}

CUresult cuda::awaitUsers(Context &owner) {
  Context *current = currentContext();
  if (current && current != &owner)
    (void)synchronizeContext(*current); // an error there is not the owner's
  return synchronizeContext(owner);
}

PTXJIT_CUDA_API(cuMemFree_v2, (CUdeviceptr pointer), pointer) {
  Context *context;
  if (CUresult error = enterMemory(pointer, context))
    return error;
  if (!pointer)
    return CUDA_SUCCESS;
  if (CUresult error = awaitUsers(*context))
    return error;
  bool freed = freeKnown(pointer, Allocation::Device) ||
               freeKnown(pointer, Allocation::Managed) ||
               freeKnown(pointer, Allocation::External) ||
               freeShared(pointer) || takeGraphMemory(pointer);
  return freed ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags),
                pointer, bytes, flags) {
  if (!pointer || flags > 7)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t address = 0;
  CUresult error = allocate(address, bytes, Allocation::Host, flags);
  if (!error)
    *pointer = reinterpret_cast<void *>(address);
  return error;
}
PTXJIT_CUDA_API(cuMemAllocHost_v2, (void **pointer, size_t bytes), pointer,
                bytes) {
  return cuMemHostAlloc(pointer, bytes, 0);
}
PTXJIT_CUDA_API(cuMemFreeHost, (void *pointer), pointer) {
  Context *context;
  if (CUresult error =
          enterMemory(reinterpret_cast<uint64_t>(pointer), context))
    return error;
  if (!pointer)
    return CUDA_SUCCESS;
  if (CUresult error = awaitUsers(*context))
    return error;
  return freeKnown(reinterpret_cast<uint64_t>(pointer), Allocation::Host)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuMemHostGetFlags, (unsigned *flags, void *pointer), flags,
                pointer) {
  Context *context;
  if (CUresult error =
          enterMemory(reinterpret_cast<uint64_t>(pointer), context))
    return error;
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  auto it = findAllocation(reinterpret_cast<uint64_t>(pointer));
  if (!flags || it == getState().allocations.end() ||
      it->second.kind != Allocation::Host)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = it->second.flags | 2; // all host memory is mapped
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemHostRegister_v2,
                (void *pointer, size_t bytes, unsigned flags), pointer, bytes,
                flags) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  auto address = reinterpret_cast<uint64_t>(pointer);
  if (!pointer || !bytes || flags > 15 || address + bytes < address)
    return CUDA_ERROR_INVALID_VALUE;
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.memoryMutex);
  auto next = state.allocations.lower_bound(address);
  bool overlaps =
      findAllocation(address) != state.allocations.end() ||
      (next != state.allocations.end() && next->first < address + bytes);
  if (overlaps)
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  state.allocations[address] = {bytes,          Allocation::Registered, flags,
                                nullptr,        state.nextId++,         context,
                                context->device};
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemHostUnregister, (void *pointer), pointer) {
  Context *context;
  if (CUresult error =
          enterMemory(reinterpret_cast<uint64_t>(pointer), context))
    return error;
  if (CUresult error = awaitUsers(*context))
    return error;
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.memoryMutex);
  auto it = state.allocations.find(reinterpret_cast<uint64_t>(pointer));
  if (it == state.allocations.end() ||
      it->second.kind != Allocation::Registered)
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  state.allocations.erase(it);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuMemHostGetDevicePointer_v2,
                (CUdeviceptr * device, void *host, unsigned flags), device,
                host, flags) {
  Context *context;
  if (CUresult error = enterMemory(reinterpret_cast<uint64_t>(host), context))
    return error;
  auto address = reinterpret_cast<uint64_t>(host);
  if (!device || flags || findPlace(address, 1) != Place::Inside)
    return CUDA_ERROR_INVALID_VALUE;
  *device = address;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemGetInfo_v2, (size_t *free, size_t *total), free, total) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!free || !total)
    return CUDA_ERROR_INVALID_VALUE;
  *total = memoryOfDevice();
  *free = freeMemoryOf(context->device);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemGetAddressRange_v2,
                (CUdeviceptr * base, size_t *size, CUdeviceptr pointer), base,
                size, pointer) {
  Context *context;
  if (CUresult error = enterMemory(pointer, context))
    return error;
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  auto it = findAllocation(pointer);
  if (it == getState().allocations.end())
    return CUDA_ERROR_NOT_FOUND;
  if (base)
    *base = it->first;
  if (size)
    *size = it->second.bytes;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// What a pointer is
//===----------------------------------------------------------------------===//

/// \param known  null: memory that the driver has not allocated.
static CUresult describePointer(void *data, int attribute, CUdeviceptr pointer,
                                uint64_t base, const Allocation *known) {
  auto give = [&](auto value) {
    std::memcpy(data, &value, sizeof(value));
    return CUDA_SUCCESS;
  };
  // Device code can use any host memory. Frameworks that pass a plain pointer
  // get it back.
  if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER)
    return give(pointer);
  if (!known)
    return CUDA_ERROR_INVALID_VALUE;
  bool onHost =
      known->kind == Allocation::Host || known->kind == Allocation::Registered;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    return give(known->context ? known->context : currentContext());
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return give(unsigned(onHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE));
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!onHost && known->kind != Allocation::Managed)
      return CUDA_ERROR_INVALID_VALUE;
    return give(pointer);
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    return give(unsigned(1));
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    return give((unsigned long long)known->id);
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    return give(unsigned(known->kind == Allocation::Device && !known->pool));
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    return give(known->pool ? known->pool->getPool() : nullptr);
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    return give(unsigned(known->kind == Allocation::Managed));
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return give(int(known->device));
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    return give(base);
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    return give(known->bytes);
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return give(unsigned(1));
  }
  return CUDA_ERROR_INVALID_VALUE;
}

static CUresult getPointerAttribute(void *data, int attribute,
                                    CUdeviceptr pointer) {
  Context *context;
  if (CUresult error = enterMemory(pointer, context))
    return error;
  if (!data)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  auto it = findAllocation(pointer);
  bool known = it != getState().allocations.end();
  return describePointer(data, attribute, pointer, known ? it->first : 0,
                         known ? &it->second : nullptr);
}

PTXJIT_CUDA_API(cuPointerGetAttribute,
                (void *data, int attribute, CUdeviceptr pointer), data,
                attribute, pointer) {
  return getPointerAttribute(data, attribute, pointer);
}

/// Size of an attribute's value, in bytes.
static size_t attributeBytes(int attribute) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return 4;
  }
  return 8;
}

// An attribute that the pointer does not have reads as 0, without an error.
PTXJIT_CUDA_API(cuPointerGetAttributes,
                (unsigned count, int *attributes, void **data,
                 CUdeviceptr pointer),
                count, attributes, data, pointer) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!count || !attributes || !data)
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    if (!data[i])
      return CUDA_ERROR_INVALID_VALUE;
    if (getPointerAttribute(data[i], attributes[i], pointer))
      std::memset(data[i], 0, attributeBytes(attributes[i]));
    bool isPlain = attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER &&
                   findPlace(pointer, 1) == Place::Outside;
    if (isPlain)
      std::memset(data[i], 0, 8);
    if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL && isPlain)
      std::memset(data[i], 0xff, 4);
  }
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuPointerSetAttribute,
                (const void *value, int attribute, CUdeviceptr pointer), value,
                attribute, pointer) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  bool isKnown = findPlace(pointer, 1) == Place::Inside;
  return value && isKnown && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
             ? CUDA_SUCCESS // copies are always in order
             : CUDA_ERROR_INVALID_VALUE;
}
