//===- IpcEvents.h - events of several processes ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_IPCEVENTS_H
#define PTXJIT_LIB_CUDADRIVER_IPCEVENTS_H

#include "Processes.h"
#include "ptxjit/CudaDriver/CudaABI.h"

#include <atomic>
#include <memory>

namespace ptxjit::cuda {

/// What processes share of an event: which records of it have begun, and which
/// are complete. Thread-safe.
class IpcEvent {
public:
  /// Null if there is not enough memory.
  static std::shared_ptr<IpcEvent> make();
  /// Opens the event of another process. \returns CUDA_ERROR_MAP_FAILED if it
  /// is gone.
  static CUresult open(const CUipcEventHandle &handle,
                       std::shared_ptr<IpcEvent> &event);
  CUresult getHandle(CUipcEventHandle &handle) const;

  /// Begins a record. \returns its ticket.
  uint64_t begin();
  void complete(uint64_t ticket);
  /// The ticket of the latest record; 0: there is none.
  uint64_t latest() const { return page()->begun; }
  bool isComplete(uint64_t ticket) const { return page()->done >= ticket; }
  /// Waits until a record is complete, or the process that has begun the latest
  /// one has ended.
  void wait(uint64_t ticket) const;

private:
  struct Page {
    std::atomic<uint64_t> begun, done;
    std::atomic<uint32_t> changes; ///< of `done`; a futex
    std::atomic<int32_t> recorder; ///< the process of the latest record
  };
  static_assert(std::atomic<uint64_t>::is_always_lock_free &&
                    std::atomic<uint32_t>::is_always_lock_free,
                "other processes use them");
  explicit IpcEvent(OwnedFile file);
  Page *page() const { return static_cast<Page *>(memory.get()); }

  OwnedFile file;
  MappedFile memory;
};

} // namespace ptxjit::cuda

#endif
