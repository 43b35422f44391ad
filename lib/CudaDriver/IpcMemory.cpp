//===- IpcMemory.cpp - memory of other processes --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When memory is first exported, its pages move to an anonymous file, at the
// same addresses (MovePages.h). So memory that is never exported costs nothing.
// The file begins with a table of the allocations that are exported from its
// pages: an importer sees whether what a handle names is still there.
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"
#include "Processes.h"
#include "State.h"
#include "ptxjit/Runtime/MovePages.h"

#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

/// Where pages begin in their file, so that they can be huge. The table in
/// front takes only the pages that are written.
static constexpr size_t kTableBytes = size_t(2) << 20;

namespace {
/// A CUipcMemHandle.
struct MemoryHandle {
  static constexpr uint32_t kMagic = 0x4d4a5470;
  uint32_t magic = kMagic;
  int32_t device = 0;  ///< among those of the machine
  FileName file;       ///< of the pages
  uint64_t offset = 0; ///< in the pages
  uint64_t bytes = 0;
  uint64_t id = 0; ///< of the allocation
};
static_assert(sizeof(MemoryHandle) <= sizeof(CUipcMemHandle));

using Id = std::atomic<uint64_t>;
static_assert(Id::is_always_lock_free, "other processes read it");

/// The number of the allocation that begins there; 0: it is not exported.
Id &entryAt(const MappedFile &table, uint64_t offset) {
  return static_cast<Id *>(table.get())[offset / kBlockAlignment];
}

/// Pages that have moved to a file.
struct ExportedPages {
  OwnedFile file;
  MappedFile table;
};

/// Pages of another process.
struct ImportedPages {
  MappedFile memory;
  unsigned uses = 0;
};
using FileKey = std::pair<uint64_t, uint64_t>; ///< device and inode

struct Import {
  FileKey pages;
  unsigned opened = 0; ///< cuIpcOpenMemHandle without cuIpcCloseMemHandle
};

/// Guarded by `mutex`, which may be held when State::memoryMutex is taken.
struct Tables {
  std::mutex mutex;
  std::map<uint64_t, ExportedPages> exported; ///< by the pages' address
  std::map<FileKey, ImportedPages> imported;
  std::map<uint64_t, Import> imports; ///< by address
};
} // namespace

static Tables &getTables() {
  static Tables *tables = new Tables;
  return *tables;
}

//===----------------------------------------------------------------------===//
// Export
//===----------------------------------------------------------------------===//

static CUresult movePages(const DevicePages &pages, ExportedPages &moved) {
  size_t bytes = kTableBytes + pages.bytes;
  moved.file = makeMemoryFile(bytes);
  if (!moved.file)
    return CUDA_ERROR_OUT_OF_MEMORY;
  moved.table = MappedFile(moved.file.get(), kTableBytes);
  return moved.table && moveToFile(reinterpret_cast<void *>(pages.begin),
                                   pages.bytes, moved.file.get(), kTableBytes)
             ? CUDA_SUCCESS
             : CUDA_ERROR_OUT_OF_MEMORY;
}

/// Finds the exported pages that an allocation lies in; they are moved at the
/// first call.
static CUresult findExported(const DevicePages &pages, ExportedPages *&found) {
  auto [it, isNew] = getTables().exported.try_emplace(pages.begin);
  found = &it->second;
  if (!isNew)
    return CUDA_SUCCESS;
  CUresult error = movePages(pages, *found);
  if (error)
    getTables().exported.erase(it);
  return error;
}

PTXJIT_CUDA_API(cuIpcGetMemHandle, (CUipcMemHandle * out, CUdeviceptr pointer),
                out, pointer) {
  Context *context;
  if (CUresult error = enterMemory(pointer, context))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  MemoryHandle handle;
  Tables &tables = getTables();
  // Held until the allocation is in the table, so that it is not freed.
  std::lock_guard<std::mutex> lock(tables.mutex);
  {
    std::lock_guard<std::mutex> memoryLock(getState().memoryMutex);
    auto it = getState().allocations.find(pointer);
    if (it == getState().allocations.end() ||
        it->second.kind != Allocation::Device || it->second.pool)
      return CUDA_ERROR_INVALID_VALUE;
    handle.bytes = it->second.bytes;
    handle.id = it->second.id;
    handle.device = getDevice(it->second.device).number;
  }
  DevicePages pages =
      pagesOf(reinterpret_cast<void *>(pointer), size_t(handle.bytes));
  ExportedPages *exported;
  if (CUresult error = findExported(pages, exported))
    return error;
  handle.offset = pointer - pages.begin;
  if (!handle.file.describe(exported->file.get()))
    return CUDA_ERROR_OPERATING_SYSTEM;
  entryAt(exported->table, handle.offset) = handle.id;
  std::memset(out, 0, sizeof(*out));
  std::memcpy(out, &handle, sizeof(handle));
  return CUDA_SUCCESS;
}

void cuda::freeExportable(uint64_t address, size_t bytes) {
  auto *block = reinterpret_cast<void *>(address);
  Tables &tables = getTables();
  {
    std::lock_guard<std::mutex> lock(tables.mutex);
    DevicePages pages = pagesOf(block, bytes);
    auto it = tables.exported.find(pages.begin);
    if (it != tables.exported.end()) {
      entryAt(it->second.table, address - pages.begin) = 0;
      if (!isInChunk(bytes)) {
        forgetMoved(reinterpret_cast<void *>(pages.begin));
        tables.exported.erase(it);
      }
    }
  }
  freeBlock(block, bytes);
}

//===----------------------------------------------------------------------===//
// Import
//===----------------------------------------------------------------------===//

/// Maps the pages of a handle, unless they are mapped already.
static CUresult mapPagesOf(const MemoryHandle &handle, ImportedPages *&pages) {
  OwnedFile file(handle.file.open());
  struct stat state;
  if (!file || fstat(file.get(), &state) ||
      uint64_t(state.st_size) <= kTableBytes)
    return CUDA_ERROR_MAP_FAILED;
  size_t bytes = size_t(state.st_size) - kTableBytes;
  if (handle.offset % kBlockAlignment || handle.offset >= bytes ||
      handle.bytes > bytes - handle.offset ||
      handle.offset / kBlockAlignment >= kTableBytes / sizeof(Id))
    return CUDA_ERROR_INVALID_HANDLE;
  MappedFile table(file.get(), kTableBytes);
  if (!table || entryAt(table, handle.offset) != handle.id)
    return CUDA_ERROR_MAP_FAILED;
  pages = &getTables().imported[FileKey(handle.file.device, handle.file.inode)];
  if (!pages->memory)
    pages->memory = MappedFile(file.get(), bytes, kTableBytes);
  return pages->memory ? CUDA_SUCCESS : CUDA_ERROR_MAP_FAILED;
}

static CUresult openHandle(const MemoryHandle &handle, Context &context,
                           CUdeviceptr &out) {
  Tables &tables = getTables();
  FileKey key(handle.file.device, handle.file.inode);
  std::lock_guard<std::mutex> lock(tables.mutex);
  ImportedPages *pages;
  CUresult error = mapPagesOf(handle, pages);
  if (error) {
    auto it = tables.imported.find(key);
    if (it != tables.imported.end() && !it->second.uses)
      tables.imported.erase(it);
    return error;
  }
  out = reinterpret_cast<uint64_t>(pages->memory.get()) + handle.offset;
  Import &import = tables.imports[out];
  if (!import.opened++) {
    import.pages = key;
    ++pages->uses;
    State &state = getState();
    std::lock_guard<std::mutex> memoryLock(state.memoryMutex);
    state.allocations[out] = {size_t(handle.bytes),
                              Allocation::Imported,
                              0,
                              nullptr,
                              state.nextId++,
                              &context,
                              findMachineDevice(handle.device)};
  }
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuIpcOpenMemHandle_v2,
                (CUdeviceptr * out, CUipcMemHandle given, unsigned flags), out,
                given, flags) {
  Context *context;
  MemoryHandle handle;
  if (CUresult error = enter(context))
    return error;
  if (!out || flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(&handle, &given, sizeof(handle));
  if (handle.magic != MemoryHandle::kMagic || !handle.id || !handle.bytes)
    return CUDA_ERROR_INVALID_HANDLE;
  if (handle.file.isOwn())
    return CUDA_ERROR_INVALID_CONTEXT;
  return openHandle(handle, *context, *out);
}
PTXJIT_CUDA_API(cuIpcOpenMemHandle,
                (CUdeviceptr * out, CUipcMemHandle handle, unsigned flags), out,
                handle, flags) {
  return cuIpcOpenMemHandle_v2(out, handle, flags);
}

PTXJIT_CUDA_API(cuIpcCloseMemHandle, (CUdeviceptr pointer), pointer) {
  Context *context;
  if (CUresult error = enterMemory(pointer, context))
    return error;
  if (CUresult error = awaitUsers(*context))
    return error;
  Tables &tables = getTables();
  std::lock_guard<std::mutex> lock(tables.mutex);
  auto import = tables.imports.find(pointer);
  if (import == tables.imports.end())
    return CUDA_ERROR_INVALID_VALUE;
  if (--import->second.opened)
    return CUDA_SUCCESS;
  {
    std::lock_guard<std::mutex> memoryLock(getState().memoryMutex);
    getState().allocations.erase(pointer);
  }
  auto pages = tables.imported.find(import->second.pages);
  if (--pages->second.uses == 0)
    tables.imported.erase(pages);
  tables.imports.erase(import);
  return CUDA_SUCCESS;
}

// Other drivers would use the memory by way of a bus, which there is not.
PTXJIT_CUDA_API(cuMemGetHandleForAddressRange,
                (void *out, CUdeviceptr pointer, size_t bytes, int type,
                 unsigned long long flags),
                out, pointer, bytes, type, flags) {
  Context *context;
  if (CUresult error = enterMemory(pointer, context))
    return error;
  if (!out || findPlace(pointer, bytes) != Place::Inside)
    return CUDA_ERROR_INVALID_VALUE;
  log(LogKind::Error, "cuMemGetHandleForAddressRange: the memory is the "
                      "host's, which has no dma-buf");
  return CUDA_ERROR_NOT_SUPPORTED;
}
