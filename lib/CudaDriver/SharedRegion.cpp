//===- SharedRegion.cpp - the memory of a shared pool ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SharedRegion.h"
#include "ptxjit/Runtime/Memory.h"

#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

/// What the file begins with, by which it is known.
struct SharedRegion::Header {
  static constexpr uint64_t kMagic = 0x4c4f4f504a545054;
  uint64_t magic;
  int32_t device;
};

namespace {
/// A CUmemPoolPtrExportData.
struct ExportData {
  uint64_t magic, inode, offset, bytes;
};
static_assert(sizeof(ExportData) <= sizeof(CUmemPoolPtrExportData));
} // namespace

/// The header has pages of its own.
static constexpr size_t kBegin = size_t(2) << 20;

/// Allocations are whole pages, which the system gets back when they are freed.
static size_t roundUp(size_t bytes) {
  return (bytes + pageBytes() - 1) / pageBytes() * pageBytes();
}

SharedRegion::SharedRegion(OwnedFile given, size_t bytes, bool imported)
    : file(std::move(given)), memory(file.get(), bytes), imported(imported) {}

SharedRegion::Header &SharedRegion::header() const {
  return *static_cast<Header *>(memory.get());
}
uint64_t SharedRegion::begin() const {
  return reinterpret_cast<uint64_t>(memory.get());
}
int SharedRegion::getDevice() const { return header().device; }

/// Anonymous files of a machine all have different ones.
uint64_t SharedRegion::inode() const {
  struct stat state;
  return fstat(file.get(), &state) ? 0 : state.st_ino;
}

std::shared_ptr<SharedRegion> SharedRegion::make(size_t bytes, int device) {
  size_t size = kBegin + roundUp(bytes);
  OwnedFile file = makeMemoryFile(size);
  if (!file)
    return nullptr;
  std::shared_ptr<SharedRegion> region(
      new SharedRegion(std::move(file), size, false));
  if (!region->memory)
    return nullptr;
  region->header() = {Header::kMagic, device};
  region->ranges.give(kBegin, size - kBegin);
  return region;
}

std::shared_ptr<SharedRegion> SharedRegion::import(int given) {
  struct stat state;
  Header header;
  if (fstat(given, &state) || !S_ISREG(state.st_mode) ||
      size_t(state.st_size) <= kBegin ||
      pread(given, &header, sizeof(header), 0) != sizeof(header) ||
      header.magic != Header::kMagic)
    return nullptr;
  OwnedFile file(fcntl(given, F_DUPFD_CLOEXEC, 0)); // the caller keeps its own
  if (!file)
    return nullptr;
  std::shared_ptr<SharedRegion> region(
      new SharedRegion(std::move(file), size_t(state.st_size), true));
  return region->memory ? region : nullptr;
}

uint64_t SharedRegion::allocate(size_t bytes) {
  if (bytes > memory.size())
    return 0;
  std::lock_guard<std::mutex> lock(mutex);
  std::optional<uint64_t> offset = ranges.take(roundUp(bytes));
  return offset ? begin() + *offset : 0;
}

void SharedRegion::free(uint64_t address, size_t bytes) {
  if (imported)
    return;
  uint64_t offset = address - begin();
  // Fresh pages are zero.
  if (fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                off_t(offset), off_t(roundUp(bytes))))
    std::memset(reinterpret_cast<void *>(address), 0, bytes);
  std::lock_guard<std::mutex> lock(mutex);
  ranges.give(offset, roundUp(bytes));
}

CUresult SharedRegion::exportPointer(uint64_t address, size_t bytes,
                                     CUmemPoolPtrExportData &out) const {
  ExportData data{Header::kMagic, inode(), address - begin(), bytes};
  std::memset(&out, 0, sizeof(out));
  std::memcpy(&out, &data, sizeof(data));
  return CUDA_SUCCESS;
}

CUresult SharedRegion::importPointer(const CUmemPoolPtrExportData &given,
                                     uint64_t &address, size_t &bytes) const {
  ExportData data;
  std::memcpy(&data, &given, sizeof(data));
  if (data.magic != Header::kMagic || data.inode != inode() || !data.bytes ||
      data.offset < kBegin || data.offset % pageBytes() ||
      data.offset > memory.size() || data.bytes > memory.size() - data.offset)
    return CUDA_ERROR_INVALID_VALUE;
  address = begin() + data.offset;
  bytes = size_t(data.bytes);
  return CUDA_SUCCESS;
}
