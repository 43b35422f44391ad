//===- Multicast.h - objects that stand for several memories ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_MULTICAST_H
#define PTXJIT_LIB_CUDADRIVER_MULTICAST_H

#include "VirtualMemory.h"

#include <optional>

namespace ptxjit::cuda {

/// A multicast object. Its addresses are mapped to nothing: only `multimem`
/// instructions may use them, for which the runtime knows the memory of each
/// device (Runtime/Multicast.h). Used under lockTables().
class MulticastObject {
public:
  MulticastObject(unsigned numDevices, size_t bytes)
      : numDevices(numDevices), bytes(bytes) {}

  CUresult addDevice(CUdevice device);
  /// Have all devices been added?
  bool isComplete() const { return devices.size() == numDevices; }
  /// The error of calls that need all devices; says so in the log.
  static CUresult refuseIncomplete();
  /// Binds part of a device's memory, at an offset of the object.
  CUresult bind(size_t offset, PhysicalRef memory, size_t memoryOffset,
                size_t size);
  struct Binding {
    CUdevice device;
    size_t offset;
    PhysicalRef memory;
    MappedFile view; ///< where the runtime accesses the memory
  };
  /// \param removed  set to what was bound. Kernels that run may use it.
  CUresult unbind(CUdevice device, size_t offset, size_t size,
                  std::optional<Binding> &removed);

  /// Makes addresses stand for part of the object. Nobody may use them yet.
  void map(uint64_t address, size_t size, size_t offset);
  /// \param access  CU_MEM_ACCESS_FLAGS_*
  void setAccess(uint64_t address, int access);
  void unmap(uint64_t address);

private:
  struct Range {
    size_t size, offset;
    int access;
  };
  bool contains(size_t offset, size_t size) const {
    return size && isWhole(offset) && isWhole(size) && offset <= bytes &&
           size <= bytes - offset;
  }
  bool hasDevice(CUdevice device) const;
  bool isBound(CUdevice device, size_t offset, size_t size) const;
  /// The runtime learns what the addresses of a mapping stand for.
  void tellRuntime(uint64_t address, const Range &range) const;
  void tellRuntime() const;

  const unsigned numDevices;
  const size_t bytes;
  std::vector<CUdevice> devices;
  std::vector<Binding> bindings;
  std::map<uint64_t, Range> mapped; ///< by address
};

/// Waits for all work, since any of it may use multicast addresses.
void awaitMulticastUsers();

} // namespace ptxjit::cuda

#endif
