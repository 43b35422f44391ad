//===- Multicast.cpp - objects that stand for several memories ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Multicast.h"
#include "ptxjit/Runtime/FatBinary.h"
#include "ptxjit/Runtime/Multicast.h"

#include <algorithm>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

bool MulticastObject::hasDevice(CUdevice device) const {
  return std::find(devices.begin(), devices.end(), device) != devices.end();
}

CUresult MulticastObject::addDevice(CUdevice device) {
  if (isComplete() || hasDevice(device))
    return CUDA_ERROR_INVALID_VALUE;
  devices.push_back(device);
  return CUDA_SUCCESS;
}

void MulticastObject::tellRuntime(uint64_t address, const Range &range) const {
  std::vector<MulticastPiece> pieces;
  for (const Binding &b : bindings) {
    size_t begin = std::max(b.offset, range.offset);
    size_t end = std::min(b.offset + b.view.size(), range.offset + range.size);
    if (begin < end && range.access != CU_MEM_ACCESS_FLAGS_PROT_NONE)
      pieces.push_back(
          {address + (begin - range.offset), end - begin,
           reinterpret_cast<uint64_t>(b.view.get()) + (begin - b.offset)});
  }
  setMulticast(address, range.size,
               range.access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE, pieces);
}

void MulticastObject::tellRuntime() const {
  for (auto &[address, range] : mapped)
    tellRuntime(address, range);
}

bool MulticastObject::isBound(CUdevice device, size_t offset,
                              size_t size) const {
  return std::any_of(bindings.begin(), bindings.end(), [&](const Binding &b) {
    return b.device == device && offset < b.offset + b.view.size() &&
           b.offset < offset + size;
  });
}

CUresult MulticastObject::bind(size_t offset, PhysicalRef memory,
                               size_t memoryOffset, size_t size) {
  if (!contains(offset, size) || memory->multicast || !isWhole(memoryOffset) ||
      memoryOffset > memory->bytes || size > memory->bytes - memoryOffset)
    return CUDA_ERROR_INVALID_VALUE;
  CUdevice device = memory->device();
  bool isOfDevice =
      memory->properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE;
  if (!isOfDevice || !hasDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!isComplete())
    return refuseIncomplete();
  if (isBound(device, offset, size))
    return CUDA_ERROR_INVALID_VALUE;
  MappedFile view(memory->file.get(), size, memoryOffset);
  if (!view)
    return CUDA_ERROR_OUT_OF_MEMORY;
  bindings.push_back({device, offset, std::move(memory), std::move(view)});
  tellRuntime();
  return CUDA_SUCCESS;
}

CUresult MulticastObject::unbind(CUdevice device, size_t offset, size_t size,
                                 std::optional<Binding> &removed) {
  if (!hasDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  auto it = std::find_if(bindings.begin(), bindings.end(), [&](Binding &b) {
    return b.device == device && b.offset == offset && b.view.size() == size;
  });
  if (it == bindings.end())
    return CUDA_ERROR_INVALID_VALUE;
  removed = std::move(*it);
  bindings.erase(it);
  tellRuntime();
  return CUDA_SUCCESS;
}

void MulticastObject::map(uint64_t address, size_t size, size_t offset) {
  Range &range = mapped[address];
  range = {size, offset, CU_MEM_ACCESS_FLAGS_PROT_NONE};
  tellRuntime(address, range);
}

void MulticastObject::setAccess(uint64_t address, int access) {
  Range &range = mapped.at(address);
  range.access = access;
  tellRuntime(address, range);
}

void MulticastObject::unmap(uint64_t address) {
  dropMulticast(address);
  mapped.erase(address);
}

CUresult MulticastObject::refuseIncomplete() {
  log(LogKind::Error, "a multicast object waits for devices: call "
                      "cuMulticastAddDevice before memory is bound or the "
                      "object is mapped (CUDA blocks until then)");
  return CUDA_ERROR_NOT_READY;
}

void cuda::awaitMulticastUsers() {
  for (auto &[progress, ticket] : unfinishedWork())
    progress->wait(ticket);
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

static CUresult checkMulticast() {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (getProfile().major >= 9)
    return CUDA_SUCCESS;
  log(LogKind::Error, "multicast objects need a device of compute capability "
                      "9.0 or later (PTXJIT_DEVICE)");
  return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult checkProperties(const CUmulticastObjectProp *properties) {
  if (CUresult error = checkMulticast())
    return error;
  if (!properties || !properties->numDevices || properties->flags)
    return CUDA_ERROR_INVALID_VALUE;
  return properties->numDevices > unsigned(countDevices())
             ? CUDA_ERROR_INVALID_DEVICE
             : CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMulticastGetGranularity,
                (size_t *granularity, const CUmulticastObjectProp *properties,
                 int option),
                granularity, properties, option) {
  if (CUresult error = checkProperties(properties))
    return error;
  if (!granularity || option < 0 || option > 1)
    return CUDA_ERROR_INVALID_VALUE;
  *granularity = kGranularity;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMulticastCreate,
                (CUmemGenericAllocationHandle * out,
                 const CUmulticastObjectProp *properties),
                out, properties) {
  if (CUresult error = checkProperties(properties))
    return error;
  if (!out || !properties->size || !isWhole(properties->size))
    return CUDA_ERROR_INVALID_VALUE;
  if (properties->handleTypes) {
    log(LogKind::Error, "cuMulticastCreate: multicast objects cannot be "
                        "shared with other processes");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  auto object = std::make_shared<PhysicalMemory>(OwnedFile(), properties->size,
                                                 CUmemAllocationProp{});
  object->multicast = std::make_shared<MulticastObject>(properties->numDevices,
                                                        properties->size);
  auto lock = lockTables();
  *out = addHandle(std::move(object));
  return CUDA_SUCCESS;
}

/// Null if the handle is that of no multicast object. The caller holds the
/// lock.
static MulticastObject *findObject(CUmemGenericAllocationHandle handle) {
  PhysicalRef found = findMemory(handle);
  return found ? found->multicast.get() : nullptr;
}

PTXJIT_CUDA_API(cuMulticastAddDevice,
                (CUmemGenericAllocationHandle handle, CUdevice device), handle,
                device) {
  if (CUresult error = checkDevice(device))
    return error;
  auto lock = lockTables();
  MulticastObject *object = findObject(handle);
  return object ? object->addDevice(device) : CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuMulticastBindMem,
                (CUmemGenericAllocationHandle handle, size_t offset,
                 CUmemGenericAllocationHandle memoryHandle, size_t memoryOffset,
                 size_t size, unsigned long long flags),
                handle, offset, memoryHandle, memoryOffset, size, flags) {
  if (CUresult error = checkMulticast())
    return error;
  auto lock = lockTables();
  MulticastObject *object = findObject(handle);
  PhysicalRef memory = findMemory(memoryHandle);
  return object && memory && !flags
             ? object->bind(offset, std::move(memory), memoryOffset, size)
             : CUDA_ERROR_INVALID_VALUE;
}

/// Why memory without a handle is not bound. The caller holds the lock.
static CUresult refuseMemory(CUdeviceptr pointer) {
  auto found = findAllocation(pointer);
  if (found == getState().allocations.end() || !found->second.pool)
    return CUDA_ERROR_INVALID_VALUE;
  log(LogKind::Error, "cuMulticastBindAddr: memory of pools cannot be bound; "
                      "use memory of cuMemCreate");
  return CUDA_ERROR_NOT_SUPPORTED;
}

PTXJIT_CUDA_API(cuMulticastBindAddr,
                (CUmemGenericAllocationHandle handle, size_t offset,
                 CUdeviceptr pointer, size_t size, unsigned long long flags),
                handle, offset, pointer, size, flags) {
  if (CUresult error = checkMulticast())
    return error;
  auto lock = lockTables();
  MulticastObject *object = findObject(handle);
  if (!object || flags)
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t begin;
  const Mapping *mapping = findMapping(pointer, begin);
  if (!mapping)
    return refuseMemory(pointer);
  return size > mapping->bytes - (pointer - begin)
             ? CUDA_ERROR_INVALID_VALUE
             : object->bind(offset, mapping->memory,
                            mapping->offset + (pointer - begin), size);
}

PTXJIT_CUDA_API(cuMulticastUnbind,
                (CUmemGenericAllocationHandle handle, CUdevice device,
                 size_t offset, size_t size),
                handle, device, offset, size) {
  if (CUresult error = checkDevice(device))
    return error;
  awaitMulticastUsers();
  std::optional<MulticastObject::Binding> removed;
  {
    auto lock = lockTables();
    MulticastObject *object = findObject(handle);
    CUresult error = object ? object->unbind(device, offset, size, removed)
                            : CUDA_ERROR_INVALID_VALUE;
    if (error)
      return error;
  }
  // What began meanwhile may have found the memory, which goes now.
  awaitMulticastUsers();
  return CUDA_SUCCESS;
}
