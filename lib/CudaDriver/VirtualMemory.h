//===- VirtualMemory.h - memory, and what is mapped where -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_VIRTUALMEMORY_H
#define PTXJIT_LIB_CUDADRIVER_VIRTUALMEMORY_H

#include "Processes.h"
#include "State.h"

namespace ptxjit::cuda {

/// Sizes and addresses are multiples of this, as on GPUs.
constexpr size_t kGranularity = size_t(2) << 20;
inline bool isWhole(uint64_t number) { return number % kGranularity == 0; }

class MulticastObject;

/// What a handle of cuMemCreate or cuMulticastCreate means.
struct PhysicalMemory {
  OwnedFile file; ///< empty for multicast objects
  size_t bytes;
  CUmemAllocationProp properties;
  CUmemGenericAllocationHandle handle;
  MemoryShare share; ///< empty for memory of other processes, and of the host
  std::shared_ptr<MulticastObject> multicast; ///< null: memory

  PhysicalMemory(OwnedFile file, size_t bytes,
                 const CUmemAllocationProp &properties)
      : file(std::move(file)), bytes(bytes), properties(properties),
        handle(getState().nextId++) {}
  CUdevice device() const {
    return properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE
               ? properties.location.id
               : 0;
  }
};
using PhysicalRef = std::shared_ptr<PhysicalMemory>;

struct Mapping {
  size_t bytes;
  PhysicalRef memory;
  size_t offset; ///< in the memory
  int access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
};

/// Locks the tables and multicast objects.
std::unique_lock<std::mutex> lockTables();
// These need the lock.
CUmemGenericAllocationHandle addHandle(PhysicalRef memory);
/// Null if there is no such handle.
PhysicalRef findMemory(CUmemGenericAllocationHandle handle);
/// The mapping that contains an address, and where it begins. Null if there is
/// none.
const Mapping *findMapping(uint64_t address, uint64_t &begin);

} // namespace ptxjit::cuda

#endif
