//===- ExternalMemory.cpp - memory from a file descriptor -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// On a GPU a graphics interface hands such memory over. Here it is any file
// that can be mapped: a memfd, or shared memory of POSIX. Each buffer and each
// array has a mapping of its own, so that it may outlive the object that it was
// made from.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"
#include "ptxjit/Runtime/Memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

/// The memory that a program has imported.
struct cuda::ExternalMemory {
  int file;
  uint64_t bytes;
  ExternalMemory(int file, uint64_t bytes) : file(file), bytes(bytes) {}
  ExternalMemory(const ExternalMemory &) = delete;
  ExternalMemory &operator=(const ExternalMemory &) = delete;
  ~ExternalMemory() { close(file); }

  bool contains(uint64_t offset, uint64_t size) const {
    return size && offset <= bytes && size <= bytes - offset;
  }
};

/// Maps part of a file, with a page behind it that may be read, as vectors may
/// beyond the last texel. \returns the address of the byte at `offset`, or
/// null.
static std::shared_ptr<void> mapPart(const ExternalMemory &memory,
                                     uint64_t offset, uint64_t size) {
  uint64_t page = pageBytes();
  uint64_t before = offset % page;
  uint64_t bytes = (before + size + page - 1) / page * page;
  void *range = mmap(nullptr, bytes + page, PROT_READ,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED)
    return nullptr;
  auto unmap = [range, bytes, page](void *) { munmap(range, bytes + page); };
  std::shared_ptr<void> mapping(static_cast<char *>(range) + before, unmap);
  bool isMapped =
      mmap(range, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
           memory.file, off_t(offset - before)) != MAP_FAILED;
  return isMapped ? mapping : nullptr;
}

/// Finds the object behind a handle; calls enter().
static CUresult enterMemory(CUexternalMemory handle, Context *&context,
                            ExternalMemory *&memory) {
  if (CUresult error = enter(context))
    return error;
  memory = reinterpret_cast<ExternalMemory *>(handle);
  return getState().externalMemories.contains(handle)
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}

/// The file descriptor becomes ours if the call succeeds.
PTXJIT_CUDA_API(cuImportExternalMemory,
                (CUexternalMemory * out,
                 const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc),
                out, desc) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!out || !desc || desc->type < 1 ||
      desc->type > CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD)
    return CUDA_ERROR_INVALID_VALUE;
  if (desc->type != CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD) {
    log(LogKind::Error, "cuImportExternalMemory: handles of type " +
                            std::to_string(desc->type) +
                            " are not supported: only file descriptors are, "
                            "of files that can be mapped");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (!desc->size || desc->flags & ~unsigned(CUDA_EXTERNAL_MEMORY_DEDICATED))
    return CUDA_ERROR_INVALID_VALUE;
  struct stat state;
  int file = desc->handle.fd;
  if (fstat(file, &state) || !S_ISREG(state.st_mode))
    return CUDA_ERROR_INVALID_HANDLE;
  if (desc->size > uint64_t(state.st_size))
    return CUDA_ERROR_INVALID_VALUE;
  // Found out now, since later calls have no error for it.
  ExternalMemory probe(fcntl(file, F_DUPFD_CLOEXEC, 0), desc->size);
  if (!mapPart(probe, 0, 1))
    return CUDA_ERROR_OPERATING_SYSTEM;
  *out = reinterpret_cast<CUexternalMemory>(getState().externalMemories.add(
      std::make_unique<ExternalMemory>(file, desc->size)));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuExternalMemoryGetMappedBuffer,
                (CUdeviceptr * out, CUexternalMemory handle,
                 const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc),
                out, handle, desc) {
  Context *context;
  ExternalMemory *memory;
  if (CUresult error = enterMemory(handle, context, memory))
    return error;
  if (!out || !desc || desc->flags ||
      !memory->contains(desc->offset, desc->size))
    return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<void> mapping = mapPart(*memory, desc->offset, desc->size);
  if (!mapping)
    return CUDA_ERROR_OUT_OF_MEMORY;
  State &state = getState();
  *out = reinterpret_cast<CUdeviceptr>(mapping.get());
  std::lock_guard<std::mutex> lock(state.memoryMutex);
  Allocation &allocation = state.allocations[*out];
  allocation = {desc->size, Allocation::External, 0, nullptr, state.nextId++,
                context,    context->device};
  allocation.mapping = std::move(mapping);
  return CUDA_SUCCESS;
}

/// The levels follow each other, with rows of multiples of 32 bytes.
PTXJIT_CUDA_API(cuExternalMemoryGetMappedMipmappedArray,
                (CUmipmappedArray * out, CUexternalMemory handle,
                 const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *desc),
                out, handle, desc) {
  Context *context;
  ExternalMemory *memory;
  if (CUresult error = enterMemory(handle, context, memory))
    return error;
  if (!out || !desc || !desc->numLevels)
    return CUDA_ERROR_INVALID_VALUE;
  bool fits = true;
  CUresult error = makeMipmappedArray(
      out, desc->arrayDesc, desc->numLevels, [&](size_t bytes) {
        fits = memory->contains(desc->offset, bytes);
        return fits ? mapPart(*memory, desc->offset, bytes) : nullptr;
      });
  return fits ? error : CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuDestroyExternalMemory, (CUexternalMemory handle), handle) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  return getState().externalMemories.remove(handle) ? CUDA_SUCCESS
                                                    : CUDA_ERROR_INVALID_HANDLE;
}
