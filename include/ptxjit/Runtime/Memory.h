//===- Memory.h - device memory ---------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_MEMORY_H
#define PTXJIT_RUNTIME_MEMORY_H

#include <cstddef>
#include <memory>

namespace ptxjit {

/// Where memory may lie. Modules of `.address_size 32` reach its first 4 GiB
/// only; all that their kernels can take the address of has to be there (below
/// PTXJIT_LOW_MEMORY_END): `Low`.
enum class AddressRange { All, Low };

/// Maps whole pages, zeroed, anywhere in `range`; nothing is taken of the
/// system's memory until they are touched. `protection` is mmap's; `flags` go
/// with the usual ones. To be unmapped by munmap.
/// \returns null if there is no room.
void *mapPages(size_t bytes, int protection, AddressRange range, int flags = 0);

/// Zeroed memory that kernels reach by host pointers. 256-byte aligned; from
/// 2 MiB on, aligned to that and on huge pages where the system has them (not
/// in the low range).
/// \returns null if there is none.
void *allocateDevice(size_t bytes, AddressRange range = AddressRange::All);
/// Takes what allocateDevice returned for the same arguments, and null.
void freeDevice(void *pointer, size_t bytes,
                AddressRange range = AddressRange::All);

/// Maps `bytes` at a multiple of `alignment`, both whole pages, near `wanted`
/// if that is not null. `protection` is mmap's. Nothing is taken of the
/// system's memory until it is touched.
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
