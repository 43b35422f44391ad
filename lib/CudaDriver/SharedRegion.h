//===- SharedRegion.h - the memory of a shared pool -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_SHAREDREGION_H
#define PTXJIT_LIB_CUDADRIVER_SHAREDREGION_H

#include "FreeRanges.h"
#include "Processes.h"
#include "ptxjit/CudaDriver/CudaABI.h"

#include <memory>
#include <mutex>

namespace ptxjit::cuda {

/// An anonymous file that holds all memory of a pool, mapped as a whole: the
/// system commits pages when they are touched. The process that made the pool
/// allocates; others have the same memory at another address. Thread-safe.
class SharedRegion {
public:
  /// \param device  among those of the machine. \returns null if there is not
  ///   enough memory.
  static std::shared_ptr<SharedRegion> make(size_t bytes, int device);
  /// Maps the file of another region. \returns null if it is none.
  static std::shared_ptr<SharedRegion> import(int file);

  bool isImported() const { return imported; }
  int getFile() const { return file.get(); }
  /// Among those of the machine.
  int getDevice() const;

  /// \returns the address of zeroed memory, or 0. \pre !isImported()
  uint64_t allocate(size_t bytes);
  /// Frees memory of allocate(), or does nothing for imported memory.
  void free(uint64_t address, size_t bytes);

  /// Describes an allocation to other processes, and finds it there.
  CUresult exportPointer(uint64_t address, size_t bytes,
                         CUmemPoolPtrExportData &data) const;
  CUresult importPointer(const CUmemPoolPtrExportData &data, uint64_t &address,
                         size_t &bytes) const;

private:
  struct Header;
  SharedRegion(OwnedFile file, size_t bytes, bool imported);
  Header &header() const;
  uint64_t begin() const;
  uint64_t inode() const;

  OwnedFile file;
  MappedFile memory;
  const bool imported;
  std::mutex mutex;
  FreeRanges ranges; ///< offsets in the file
};

} // namespace ptxjit::cuda

#endif
