//===- Devices.h - the devices of the process -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine has as many devices as PTXJIT_DEVICES says. All are its CPU: they
// share its cores and its memory, of which each has an equal part.
// CUDA_VISIBLE_DEVICES chooses those that the process may use, and their order.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_DEVICES_H
#define PTXJIT_LIB_CUDADRIVER_DEVICES_H

#include "ptxjit/CudaDriver/CudaABI.h"
#include "ptxjit/Runtime/LaunchOrder.h"

#include <atomic>
#include <cstddef>
#include <string>
#include <utility>

namespace ptxjit::cuda {

struct Context;
struct MemoryPool;

/// A device that the process may use. Lives as long as the process.
struct Device {
  int number = 0;              ///< among those of the machine
  std::atomic<size_t> used{0}; ///< bytes of memory
  LaunchOrder order;           ///< by the priorities of streams
  /// Bytes of memory of graphs: now, and at most so far.
  std::atomic<uint64_t> graphMemory{0}, mostGraphMemory{0};

  // Guarded by State::primaryMutex.
  Context *primary = nullptr;
  unsigned primaryUses = 0, primaryFlags = 0;

  std::atomic<MemoryPool *> pool{nullptr}; ///< null: the default one
  std::atomic<MemoryPool *> defaultPool{nullptr};
};

/// How many devices the machine has: 1 to 64.
int countMachineDevices();
/// How many devices the process may use. The environment is read once, by the
/// first call.
int countDevices();
/// \pre 0 <= device < countDevices()
Device &getDevice(CUdevice device);
inline bool isDevice(CUdevice device) {
  return device >= 0 && device < countDevices();
}
/// Does a location name a device that does not exist? Other kinds of locations
/// are always right here.
inline bool isMissing(const CUmemLocation &location) {
  return location.type == CU_MEM_LOCATION_TYPE_DEVICE && !isDevice(location.id);
}

/// The device of this process that has a number in the machine; 0 if it is
/// hidden.
CUdevice findMachineDevice(int number);

/// What tells the devices of the machine apart. \pre 0 <= number <
/// countMachineDevices()
CUuuid uuidOf(int number);
/// "GPU-", and the digits of a UUID in groups.
std::string toText(const CUuuid &uuid);
/// "0000:BB:00.0", where BB is the number.
std::string busIdOf(int number);

/// Bytes of memory that each device has.
size_t memoryOfDevice();
/// Bytes that a device can still allocate.
size_t freeMemoryOf(CUdevice device);
/// The largest number of threads that run a launch of one device; 0: one for
/// each core.
unsigned threadsOfDevice();

/// Memory that counts as that of a device while this lives.
class MemoryShare {
public:
  MemoryShare() = default;
  /// Empty if the device has no such amount left.
  MemoryShare(CUdevice device, size_t bytes);
  MemoryShare(MemoryShare &&other) noexcept { *this = std::move(other); }
  MemoryShare &operator=(MemoryShare &&other) noexcept {
    std::swap(owner, other.owner);
    std::swap(bytes, other.bytes);
    return *this;
  }
  ~MemoryShare() {
    if (owner)
      owner->used -= bytes;
  }
  explicit operator bool() const { return owner; }

private:
  Device *owner = nullptr;
  size_t bytes = 0;
};

} // namespace ptxjit::cuda

#endif
