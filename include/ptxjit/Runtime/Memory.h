//===- Memory.h - allocates device memory -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_MEMORY_H
#define PTXJIT_RUNTIME_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ptxjit {

/// Where memory may lie. Modules of `.address_size 32` reach the first 4 GiB
/// only, so all memory that their kernels can address is `Low`: below
/// PTXJIT_LOW_MEMORY_END.
enum class AddressRange { All, Low };

/// The size of the system's pages: 4 KiB, on AArch64 also 16 or 64 KiB.
size_t pageBytes();

/// Maps zeroed pages in `range`; the system commits them when they are touched.
/// `protection` is mmap's; `flags` are added to the usual ones. Free them with
/// munmap.
/// \returns null if there is no room.
void *mapPages(size_t bytes, int protection, AddressRange range, int flags = 0);

/// The memory of the machine, which is that of the device.
size_t countPhysicalBytes();

/// Allocates zeroed memory for kernels, aligned to 512 bytes. From 2 MiB on it
/// has pages of its own, huge ones if the system has them, and each allocation
/// begins at another place of its first page (\see pagesOfDevice), so that
/// arrays do not compete for the same sets of the caches. Memory in the low
/// range is whole pages, never huge ones.
/// \returns null if there is none, or if it is more than the machine has: the
/// system would hand it out, and end the process when it is used.
void *allocateDevice(size_t bytes, AddressRange range = AddressRange::All);
/// Frees memory of allocateDevice, which had the same arguments; or null.
void freeDevice(void *pointer, size_t bytes,
                AddressRange range = AddressRange::All);

/// Whole pages.
struct DevicePages {
  uintptr_t begin;
  size_t bytes;
};
/// The pages that allocateDevice mapped for an allocation of at least 2 MiB
/// that is not in the low range. It has them alone; `begin` is a multiple of
/// 2 MiB.
DevicePages pagesOfDevice(const void *pointer, size_t bytes);

/// Maps `bytes` at a multiple of `alignment`, both whole pages, near `wanted`
/// unless that is null. `protection` is mmap's. The system commits pages when
/// they are touched.
/// \returns null if there is no such range.
void *mapAligned(size_t bytes, size_t alignment, int protection,
                 void *wanted = nullptr);

struct DeviceDeleter {
  size_t bytes = 0;
  AddressRange range = AddressRange::All;
  void operator()(void *p) const { freeDevice(p, bytes, range); }
};
using DeviceBuffer = std::unique_ptr<void, DeviceDeleter>;

inline DeviceBuffer makeDeviceBuffer(size_t bytes,
                                     AddressRange range = AddressRange::All) {
  return DeviceBuffer(allocateDevice(bytes, range),
                      DeviceDeleter{bytes, range});
}

} // namespace ptxjit

#endif
