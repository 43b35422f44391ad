//===- Lifetime.cpp - questions to communicators, and their end -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "Report.h"

#include <thread>

using namespace ptxjit::nccl;

using Rank = std::shared_ptr<Communicator>;

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

PTXJIT_NCCL_API(ncclCommFinalize, (ncclComm_t handle), handle) {
  Rank comm;
  if (ncclResult_t error = enter(handle, "ncclCommFinalize", comm))
    return error;
  comm->isFinalized = true;
  if (comm->settings.isBlocking) {
    comm->awaitLaunches();
    return comm->getState();
  }
  comm->setState(ncclInProgress);
  std::thread([comm] {
    comm->awaitLaunches();
    if (!comm->isGivenUp())
      comm->setState(ncclSuccess);
  }).detach();
  return ncclInProgress;
}

PTXJIT_NCCL_API(ncclCommDestroy, (ncclComm_t handle), handle) {
  Rank comm;
  if (!handle) // as NCCL does
    return ncclSuccess;
  if (ncclResult_t error = find(handle, "ncclCommDestroy", comm))
    return error;
  removeHandle(handle);
  bool isReady = comm->isFinalized || comm->getState() != ncclInProgress;
  if (!isReady)
    comm->setFailed(ncclInvalidUsage, "the communicator was destroyed before "
                                      "it was ready");
  comm->isFinalized = true;
  comm->awaitLaunches();
  return ncclSuccess;
}

PTXJIT_NCCL_API(ncclCommAbort, (ncclComm_t handle), handle) {
  Rank comm;
  if (!handle)
    return ncclSuccess;
  if (ncclResult_t error = find(handle, "ncclCommAbort", comm))
    return error;
  removeHandle(handle);
  comm->setFailed(ncclInvalidUsage, "the communicator was aborted");
  comm->awaitQuiet();
  return ncclSuccess;
}

PTXJIT_NCCL_API(ncclCommRevoke, (ncclComm_t handle, int flags), handle, flags) {
  Rank comm;
  if (ncclResult_t error = find(handle, "ncclCommRevoke", comm))
    return error;
  if (flags)
    return fail(ncclInvalidArgument, "ncclCommRevoke: flags %d", flags);
  comm->setFailed(ncclInvalidUsage, "the communicator was revoked");
  comm->awaitQuiet();
  return ncclSuccess;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

PTXJIT_NCCL_API(ncclCommGetAsyncError, (ncclComm_t handle, ncclResult_t *error),
                handle, error) {
  Rank comm;
  if (ncclResult_t result = find(handle, "ncclCommGetAsyncError", comm))
    return result;
  if (!error)
    return fail(ncclInvalidArgument, "ncclCommGetAsyncError: error is null");
  *error = comm->getState();
  return ncclSuccess;
}

/// Answers with a number of the rank.
static ncclResult_t ask(const char *name, ncclComm_t handle, int *out,
                        int (*answer)(const Communicator &)) {
  Rank comm;
  if (ncclResult_t error = find(handle, name, comm))
    return error;
  if (!out)
    return fail(ncclInvalidArgument, "%s: the result is null", name);
  if (comm->getState() == ncclInProgress && !comm->isFinalized)
    return fail(ncclInvalidArgument, "%s: the communicator is not ready", name);
  *out = answer(*comm);
  return ncclSuccess;
}
PTXJIT_NCCL_API(ncclCommCount, (ncclComm_t comm, int *count), comm, count) {
  return ask("ncclCommCount", comm, count,
             [](const Communicator &comm) { return comm.ranks; });
}
PTXJIT_NCCL_API(ncclCommCuDevice, (ncclComm_t comm, int *device), comm,
                device) {
  return ask("ncclCommCuDevice", comm, device,
             [](const Communicator &comm) { return comm.device; });
}
PTXJIT_NCCL_API(ncclCommUserRank, (ncclComm_t comm, int *rank), comm, rank) {
  return ask("ncclCommUserRank", comm, rank,
             [](const Communicator &comm) { return comm.rank; });
}

//===----------------------------------------------------------------------===//
// Memory. All memory can be used, so that registering it changes nothing.
//===----------------------------------------------------------------------===//

PTXJIT_NCCL_API(ncclMemAlloc, (void **pointer, size_t size), pointer, size) {
  if (!pointer)
    return fail(ncclInvalidArgument, "ncclMemAlloc: the result is null");
  *pointer = nullptr;
  if (!size)
    return ncclSuccess;
  CUcontext context;
  int device;
  if (ncclResult_t error = findContext(context, device))
    return error;
  CUdeviceptr address;
  CUresult error = cuMemAlloc_v2(&address, size);
  if (error)
    return fail(ncclUnhandledCudaError, "ncclMemAlloc: CUDA error %d",
                int(error));
  *pointer = reinterpret_cast<void *>(address);
  return ncclSuccess;
}
PTXJIT_NCCL_API(ncclMemFree, (void *pointer), pointer) {
  if (!pointer)
    return ncclSuccess;
  CUresult error = cuMemFree_v2(reinterpret_cast<CUdeviceptr>(pointer));
  return error ? fail(ncclUnhandledCudaError, "ncclMemFree: CUDA error %d",
                      int(error))
               : ncclSuccess;
}

/// Makes a handle of memory.
static ncclResult_t addRegistration(const char *name, ncclComm_t handle,
                                    const void *buffer, size_t size,
                                    void **out) {
  Rank comm;
  if (ncclResult_t error = enter(handle, name, comm))
    return error;
  if (!buffer || !size || !out)
    return fail(ncclInvalidArgument, "%s: %zu bytes at %p", name, size, buffer);
  auto registration = std::make_unique<char>();
  *out = registration.get();
  std::lock_guard<std::mutex> lock(comm->objectsMutex);
  comm->registrations[*out] = std::move(registration);
  return ncclSuccess;
}
static ncclResult_t removeRegistration(const char *name, ncclComm_t handle,
                                       const void *registration) {
  Rank comm;
  if (ncclResult_t error = find(handle, name, comm))
    return error;
  std::lock_guard<std::mutex> lock(comm->objectsMutex);
  return comm->registrations.erase(registration)
             ? ncclSuccess
             : fail(ncclInvalidArgument, "%s: the memory is not registered",
                    name);
}

PTXJIT_NCCL_API(ncclCommRegister,
                (ncclComm_t comm, void *buffer, size_t size, void **handle),
                comm, buffer, size, handle) {
  return addRegistration("ncclCommRegister", comm, buffer, size, handle);
}
PTXJIT_NCCL_API(ncclCommDeregister, (ncclComm_t comm, void *handle), comm,
                handle) {
  return removeRegistration("ncclCommDeregister", comm, handle);
}
PTXJIT_NCCL_API(ncclCommWindowRegister,
                (ncclComm_t comm, void *buffer, size_t size,
                 ncclWindow_t *window, int flags),
                comm, buffer, size, window, flags) {
  if (flags & ~NCCL_WIN_COLL_SYMMETRIC)
    return fail(ncclInvalidArgument, "ncclCommWindowRegister: flags %d", flags);
  return addRegistration("ncclCommWindowRegister", comm, buffer, size,
                         reinterpret_cast<void **>(window));
}
PTXJIT_NCCL_API(ncclCommWindowDeregister,
                (ncclComm_t comm, ncclWindow_t window), comm, window) {
  return removeRegistration("ncclCommWindowDeregister", comm, window);
}
