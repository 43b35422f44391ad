//===- IpcEvents.cpp - events of several processes ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IpcEvents.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

namespace {
/// A CUipcEventHandle.
struct EventHandle {
  static constexpr uint64_t kMagic = 0x544e45564a545054;
  uint64_t magic = kMagic;
  FileName file;
};
static_assert(sizeof(EventHandle) <= sizeof(CUipcEventHandle));
} // namespace

IpcEvent::IpcEvent(OwnedFile given)
    : file(std::move(given)), memory(file.get(), sizeof(Page)) {}

std::shared_ptr<IpcEvent> IpcEvent::make() {
  OwnedFile file = makeMemoryFile(sizeof(Page));
  if (!file)
    return nullptr;
  std::shared_ptr<IpcEvent> event(new IpcEvent(std::move(file)));
  return event->memory ? event : nullptr;
}

CUresult IpcEvent::open(const CUipcEventHandle &given,
                        std::shared_ptr<IpcEvent> &event) {
  EventHandle handle;
  std::memcpy(&handle, &given, sizeof(handle));
  if (handle.magic != EventHandle::kMagic)
    return CUDA_ERROR_INVALID_HANDLE;
  if (handle.file.isOwn())
    return CUDA_ERROR_INVALID_CONTEXT;
  OwnedFile file(handle.file.open());
  struct stat state;
  if (!file || fstat(file.get(), &state) || state.st_size != sizeof(Page))
    return CUDA_ERROR_MAP_FAILED;
  event.reset(new IpcEvent(std::move(file)));
  return event->memory ? CUDA_SUCCESS : CUDA_ERROR_MAP_FAILED;
}

CUresult IpcEvent::getHandle(CUipcEventHandle &out) const {
  EventHandle handle;
  if (!handle.file.describe(file.get()))
    return CUDA_ERROR_OPERATING_SYSTEM;
  std::memset(&out, 0, sizeof(out));
  std::memcpy(&out, &handle, sizeof(handle));
  return CUDA_SUCCESS;
}

uint64_t IpcEvent::begin() {
  page()->recorder = getpid();
  return ++page()->begun;
}

void IpcEvent::complete(uint64_t ticket) {
  uint64_t done = page()->done;
  while (done < ticket && !page()->done.compare_exchange_weak(done, ticket))
    ;
  ++page()->changes;
  syscall(SYS_futex, &page()->changes, FUTEX_WAKE, INT_MAX, nullptr, nullptr,
          0);
}

/// Has a process ended? Also true for one that its parent has not yet waited
/// for.
static bool hasEnded(int process) {
  OwnedFile handle(int(syscall(SYS_pidfd_open, process, 0)));
  if (!handle)
    return errno == ESRCH;
  pollfd ended{handle.get(), POLLIN, 0};
  return poll(&ended, 1, 0) == 1;
}

void IpcEvent::wait(uint64_t ticket) const {
  while (!isComplete(ticket)) {
    uint32_t changes = page()->changes;
    if (isComplete(ticket))
      return;
    timespec patience{0, 50'000'000};
    syscall(SYS_futex, &page()->changes, FUTEX_WAIT, changes, &patience,
            nullptr, 0);
    if (!isComplete(ticket) && hasEnded(page()->recorder))
      return;
  }
}
