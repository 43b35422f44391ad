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
