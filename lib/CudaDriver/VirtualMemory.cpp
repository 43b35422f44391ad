//===- VirtualMemory.cpp - address ranges and memory, kept apart ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is an anonymous file (memfd), which can be mapped at several addresses
// and passed to other processes. An address range is reserved without access,
// until memory is mapped there and cuMemSetAccess allows access.
//
//===----------------------------------------------------------------------===//

#include "VirtualMemory.h"
#include "Multicast.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

namespace {
struct Handle {
  PhysicalRef memory;
  unsigned uses = 0;
};

/// Locked by State::memoryMutex. Never destroyed, like the State.
struct Tables {
  std::map<CUmemGenericAllocationHandle, Handle> handles;
  std::map<uint64_t, size_t> reservations; ///< bytes, by address
  std::map<uint64_t, Mapping> mappings;    ///< by address
};
} // namespace

static Tables &getTables() {
  static Tables *tables = new Tables;
  return *tables;
}

std::unique_lock<std::mutex> cuda::lockTables() {
  return std::unique_lock<std::mutex>(getState().memoryMutex);
}

static void *toPointer(uint64_t address) {
  return reinterpret_cast<void *>(address);
}

/// The reservation that contains [address, address + bytes), or end().
static std::map<uint64_t, size_t>::iterator findReservation(uint64_t address,
                                                            size_t bytes) {
  auto &all = getTables().reservations;
  auto it = all.upper_bound(address);
  if (it == all.begin())
    return all.end();
  --it;
  uint64_t offset = address - it->first;
  return offset < it->second && bytes <= it->second - offset ? it : all.end();
}

bool cuda::isReserved(uint64_t address) {
  return findReservation(address, 1) != getTables().reservations.end();
}

const Mapping *cuda::findMapping(uint64_t address, uint64_t &begin) {
  auto &all = getTables().mappings;
  auto it = all.upper_bound(address);
  if (it == all.begin())
    return nullptr;
  --it;
  begin = it->first;
  return address - begin < it->second.bytes ? &it->second : nullptr;
}

/// The mappings that together cover exactly [address, address + bytes). Empty
/// if part of the range is not mapped, or a mapping reaches beyond it.
static std::vector<std::pair<uint64_t, Mapping *>>
findMappings(uint64_t address, size_t bytes) {
  std::vector<std::pair<uint64_t, Mapping *>> found;
  uint64_t end = address + bytes;
  while (address < end) {
    auto it = getTables().mappings.find(address);
    if (it == getTables().mappings.end() || it->second.bytes > end - address)
      return {};
    found.push_back({address, &it->second});
    address += it->second.bytes;
  }
  return found;
}

static CUresult checkInitialized() {
  return getState().initialized ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
}

/// Can memory with these properties be created?
static CUresult checkProperties(const CUmemAllocationProp *properties) {
  if (CUresult error = checkInitialized())
    return error;
  if (!properties || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  if (properties->requestedHandleTypes &
      ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return CUDA_ERROR_NOT_SUPPORTED;
  if (isMissing(properties->location))
    return CUDA_ERROR_INVALID_DEVICE;
  return properties->location.type > CU_MEM_LOCATION_TYPE_INVALID &&
                 properties->location.type <= 4
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuMemAddressReserve,
                (CUdeviceptr * pointer, size_t bytes, size_t alignment,
                 CUdeviceptr wanted, unsigned long long flags),
                pointer, bytes, alignment, wanted, flags) {
  if (CUresult error = checkInitialized())
    return error;
  bool isPower = (alignment & (alignment - 1)) == 0;
  if (!pointer || !bytes || !isWhole(bytes) || !isPower || flags ||
      bytes > SIZE_MAX / 4 || alignment > SIZE_MAX / 4)
    return CUDA_ERROR_INVALID_VALUE;
  void *range = mapAligned(bytes, std::max(alignment, kGranularity), PROT_NONE,
                           toPointer(wanted));
  if (!range)
    return CUDA_ERROR_OUT_OF_MEMORY;
  auto lock = lockTables();
  *pointer = reinterpret_cast<CUdeviceptr>(range);
  getTables().reservations[*pointer] = bytes;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemAddressFree, (CUdeviceptr pointer, size_t bytes), pointer,
                bytes) {
  if (CUresult error = checkInitialized())
    return error;
  auto lock = lockTables();
  Tables &tables = getTables();
  auto it = tables.reservations.find(pointer);
  if (it == tables.reservations.end() || it->second != bytes)
    return CUDA_ERROR_INVALID_VALUE;
  auto mapped = tables.mappings.lower_bound(pointer);
  if (mapped != tables.mappings.end() && mapped->first < pointer + bytes)
    return CUDA_ERROR_INVALID_VALUE; // must be unmapped first
  munmap(toPointer(pointer), bytes);
  tables.reservations.erase(it);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

CUmemGenericAllocationHandle cuda::addHandle(PhysicalRef memory) {
  Handle &handle = getTables().handles[memory->handle];
  handle.memory = std::move(memory);
  ++handle.uses;
  return handle.memory->handle;
}

PhysicalRef cuda::findMemory(CUmemGenericAllocationHandle handle) {
  auto it = getTables().handles.find(handle);
  return it == getTables().handles.end() ? nullptr : it->second.memory;
}

PTXJIT_CUDA_API(cuMemGetAllocationGranularity,
                (size_t *granularity, const CUmemAllocationProp *properties,
                 int option),
                granularity, properties, option) {
  if (CUresult error = checkProperties(properties))
    return error;
  if (!granularity || option < 0 || option > 1)
    return CUDA_ERROR_INVALID_VALUE;
  *granularity = kGranularity;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemCreate,
                (CUmemGenericAllocationHandle * out, size_t bytes,
                 const CUmemAllocationProp *properties,
                 unsigned long long flags),
                out, bytes, properties, flags) {
  if (CUresult error = checkProperties(properties))
    return error;
  if (!out || !bytes || !isWhole(bytes) || flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (bytes > countPhysicalBytes())
    return CUDA_ERROR_OUT_OF_MEMORY;
  MemoryShare share;
  if (properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE)
    if (share = MemoryShare(properties->location.id, bytes); !share)
      return CUDA_ERROR_OUT_OF_MEMORY;
  OwnedFile file = makeMemoryFile(bytes);
  if (!file)
    return CUDA_ERROR_OUT_OF_MEMORY;
  auto memory =
      std::make_shared<PhysicalMemory>(std::move(file), bytes, *properties);
  memory->share = std::move(share);
  // Compression is a hint, which we do not follow.
  memory->properties.allocFlags.compressionType = 0;
  auto lock = lockTables();
  *out = addHandle(std::move(memory));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemRelease, (CUmemGenericAllocationHandle handle), handle) {
  auto lock = lockTables();
  auto it = getTables().handles.find(handle);
  if (it == getTables().handles.end())
    return CUDA_ERROR_INVALID_VALUE;
  if (--it->second.uses == 0) // mappings keep the memory alive
    getTables().handles.erase(it);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemRetainAllocationHandle,
                (CUmemGenericAllocationHandle * out, void *address), out,
                address) {
  auto lock = lockTables();
  uint64_t begin;
  const Mapping *mapping =
      findMapping(reinterpret_cast<uint64_t>(address), begin);
  if (!out || !mapping)
    return CUDA_ERROR_INVALID_VALUE;
  *out = addHandle(mapping->memory);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemGetAllocationPropertiesFromHandle,
                (CUmemAllocationProp * properties,
                 CUmemGenericAllocationHandle handle),
                properties, handle) {
  auto lock = lockTables();
  PhysicalRef memory = findMemory(handle);
  if (!properties || !memory || memory->multicast)
    return CUDA_ERROR_INVALID_VALUE;
  *properties = memory->properties;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// To other processes
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuMemExportToShareableHandle,
                (void *out, CUmemGenericAllocationHandle handle, int type,
                 unsigned long long flags),
                out, handle, type, flags) {
  auto lock = lockTables();
  PhysicalRef memory = findMemory(handle);
  if (!out || !memory || flags ||
      type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR ||
      !(memory->properties.requestedHandleTypes & type))
    return CUDA_ERROR_INVALID_VALUE;
  int file = fcntl(memory->file.get(), F_DUPFD_CLOEXEC, 0);
  if (file < 0)
    return CUDA_ERROR_OPERATING_SYSTEM;
  *static_cast<int *>(out) = file;
  return CUDA_SUCCESS;
}

// The caller keeps its file descriptor.
PTXJIT_CUDA_API(cuMemImportFromShareableHandle,
                (CUmemGenericAllocationHandle * out, void *descriptor,
                 int type),
                out, descriptor, type) {
  if (CUresult error = checkInitialized())
    return error;
  if (!out || type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return CUDA_ERROR_INVALID_VALUE;
  int given = int(reinterpret_cast<intptr_t>(descriptor));
  struct stat state;
  if (fstat(given, &state) || !S_ISREG(state.st_mode) || !state.st_size ||
      !isWhole(uint64_t(state.st_size)))
    return CUDA_ERROR_INVALID_VALUE;
  OwnedFile file(fcntl(given, F_DUPFD_CLOEXEC, 0));
  if (!file)
    return CUDA_ERROR_OPERATING_SYSTEM;
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = type;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, currentDevice()};
  auto memory = std::make_shared<PhysicalMemory>(
      std::move(file), size_t(state.st_size), properties);
  auto lock = lockTables();
  *out = addHandle(std::move(memory));
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Memory at addresses
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuMemMap,
                (CUdeviceptr pointer, size_t bytes, size_t offset,
                 CUmemGenericAllocationHandle handle, unsigned long long flags),
                pointer, bytes, offset, handle, flags) {
  auto lock = lockTables();
  Tables &tables = getTables();
  PhysicalRef memory = findMemory(handle);
  if (!memory || flags || !bytes || !isWhole(pointer) || !isWhole(bytes) ||
      !isWhole(offset) || offset > memory->bytes ||
      bytes > memory->bytes - offset ||
      findReservation(pointer, bytes) == tables.reservations.end())
    return CUDA_ERROR_INVALID_VALUE;
  auto next = tables.mappings.lower_bound(pointer);
  bool overlaps =
      (next != tables.mappings.end() && next->first < pointer + bytes) ||
      (next != tables.mappings.begin() &&
       std::prev(next)->first + std::prev(next)->second.bytes > pointer);
  if (overlaps)
    return CUDA_ERROR_INVALID_VALUE;
  if (memory->multicast) {
    if (!memory->multicast->isComplete())
      return MulticastObject::refuseIncomplete();
    memory->multicast->map(pointer, bytes, offset);
  } else if (mmap(toPointer(pointer), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED,
                  memory->file.get(), off_t(offset)) == MAP_FAILED) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  tables.mappings[pointer] = {bytes, std::move(memory), offset};
  return CUDA_SUCCESS;
}

/// Do addresses of a range stand for multicast objects?
static bool hasMulticast(uint64_t address, size_t bytes) {
  auto lock = lockTables();
  auto found = findMappings(address, bytes);
  return std::any_of(found.begin(), found.end(), [](auto &mapping) {
    return mapping.second->memory->multicast;
  });
}

/// \param released  gets what was mapped.
static CUresult unmap(uint64_t begin, size_t bytes,
                      std::vector<PhysicalRef> &released) {
  auto lock = lockTables();
  auto found = findMappings(begin, bytes);
  if (found.empty())
    return CUDA_ERROR_INVALID_VALUE;
  if (mmap(toPointer(begin), bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0) == MAP_FAILED)
    return CUDA_ERROR_OUT_OF_MEMORY;
  for (auto &[address, mapping] : found) {
    if (mapping->memory->multicast)
      mapping->memory->multicast->unmap(address);
    released.push_back(std::move(mapping->memory));
    getState().allocations.erase(address);
    getTables().mappings.erase(address);
  }
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemUnmap, (CUdeviceptr pointer, size_t bytes), pointer,
                bytes) {
  if (CUresult error = checkInitialized())
    return error;
  bool isMulticast = hasMulticast(pointer, bytes);
  if (isMulticast)
    awaitMulticastUsers();
  std::vector<PhysicalRef> released;
  if (CUresult error = unmap(pointer, bytes, released))
    return error;
  // What began meanwhile may have found the memory, which may go now.
  if (isMulticast)
    awaitMulticastUsers();
  return CUDA_SUCCESS;
}

/// The union of the access rights that are set for several processors: all of
/// them are the CPU here.
static CUresult joinAccess(const CUmemAccessDesc *descriptions, size_t count,
                           int &access) {
  access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  if (!descriptions || !count)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    const CUmemAccessDesc &d = descriptions[i];
    if (isMissing(d.location))
      return CUDA_ERROR_INVALID_DEVICE;
    if (d.flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
        d.flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
        d.flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
      return CUDA_ERROR_INVALID_VALUE;
    access |= d.flags;
  }
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemSetAccess,
                (CUdeviceptr pointer, size_t bytes,
                 const CUmemAccessDesc *descriptions, size_t count),
                pointer, bytes, descriptions, count) {
  if (CUresult error = checkInitialized())
    return error;
  int access;
  if (CUresult error = joinAccess(descriptions, count, access))
    return error;
  State &state = getState();
  auto lock = lockTables();
  auto found = findMappings(pointer, bytes);
  if (found.empty())
    return CUDA_ERROR_INVALID_VALUE;
  bool mayRead = access & CU_MEM_ACCESS_FLAGS_PROT_READ;
  bool mayWrite = access == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  for (auto &[address, mapping] : found) {
    mapping->access = access;
    if (mapping->memory->multicast) {
      mapping->memory->multicast->setAccess(address, access);
      continue;
    }
    if (mprotect(toPointer(address), mapping->bytes,
                 (mayRead ? PROT_READ : 0) | (mayWrite ? PROT_WRITE : 0)))
      return CUDA_ERROR_OUT_OF_MEMORY;
    if (mayWrite)
      state.allocations[address] = {
          mapping->bytes, Allocation::Mapped,       0, nullptr, state.nextId++,
          nullptr,        mapping->memory->device()};
    else
      state.allocations.erase(address);
  }
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuMemGetAccess,
                (unsigned long long *flags, const CUmemLocation *location,
                 CUdeviceptr pointer),
                flags, location, pointer) {
  if (CUresult error = checkInitialized())
    return error;
  auto lock = lockTables();
  uint64_t begin;
  const Mapping *mapping = findMapping(pointer, begin);
  if (!flags || !location || !mapping)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = unsigned(mapping->access);
  return CUDA_SUCCESS;
}
