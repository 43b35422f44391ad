//===- Memory.h - device memory ---------------------------------*- C++ -*-===//

#ifndef PTXJIT_RUNTIME_MEMORY_H
#define PTXJIT_RUNTIME_MEMORY_H

#include <cstddef>
#include <memory>

namespace ptxjit {

/// Zeroed memory that kernels reach by host pointers. 256-byte aligned; from
/// 2 MiB on, aligned to that and on huge pages where the system has them.
/// \returns null if there is none.
void *allocateDevice(size_t bytes);
/// Takes what allocateDevice returned, and null.
void freeDevice(void *pointer, size_t bytes);

/// Maps `bytes` at a multiple of `alignment`, both whole pages, near `wanted`
/// if that is not null. `protection` is mmap's. Nothing is taken of the
/// system's memory until it is touched.
/// \returns null if there is no such range.
void *mapAligned(size_t bytes, size_t alignment, int protection,
                 void *wanted = nullptr);

struct DeviceDeleter {
  size_t bytes = 0;
  void operator()(void *p) const { freeDevice(p, bytes); }
};
using DeviceBuffer = std::unique_ptr<void, DeviceDeleter>;

inline DeviceBuffer makeDeviceBuffer(size_t bytes) {
  return DeviceBuffer(allocateDevice(bytes), DeviceDeleter{bytes});
}

} // namespace ptxjit

#endif
