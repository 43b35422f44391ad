//===- Groups.h - calls, and what they start --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_NCCL_GROUPS_H
#define PTXJIT_LIB_NCCL_GROUPS_H

#include "Communicator.h"

#define PTXJIT_NCCL_EXPORT extern "C" __attribute__((visibility("default")))

/// Begins the definition of an exported function, which also gets the name for
/// profilers:
///
///   PTXJIT_NCCL_API(ncclCommCount, (ncclComm_t comm, int *count), comm, count)
///   { ... }
#define PTXJIT_NCCL_API(name, parameters, ...)                                 \
  PTXJIT_NCCL_EXPORT ncclResult_t p##name parameters {                         \
    return name(__VA_ARGS__);                                                  \
  }                                                                            \
  PTXJIT_NCCL_EXPORT ncclResult_t name parameters

namespace ptxjit::nccl {

/// The rank behind a handle; null if there is none.
std::shared_ptr<Communicator> findCommunicator(ncclComm_t handle);
/// findCommunicator() for functions that need a rank that works. \param name
/// the function, for messages
ncclResult_t enter(ncclComm_t handle, const char *name,
                   std::shared_ptr<Communicator> &comm);

/// Takes the handle from the program. False if it is none.
bool removeHandle(const void *handle);
/// findCommunicator() for functions that work on any rank.
ncclResult_t find(ncclComm_t handle, const char *name,
                  std::shared_ptr<Communicator> &comm);
/// Finds the calling thread's context, and makes one current if it has none.
ncclResult_t findContext(CUcontext &context, int &device);
/// Reads a program's settings. \param settings  keeps what it does not set
ncclResult_t readConfig(const char *name, const ncclConfig_t *config,
                        Settings &settings);
/// Sets `*out` to a handle of the rank, and connects it, or starts to.
ncclResult_t startRank(ncclComm_t *out, std::shared_ptr<Communicator> comm,
                       std::function<ncclResult_t(Communicator &)> connect);

// What a thread calls between ncclGroupStart() and ncclGroupEnd() is kept until
// the end; all else runs at once.

/// Adds an operation, whose arguments are right.
ncclResult_t submit(std::shared_ptr<Communicator> comm, CUstream stream,
                    Operation operation);
/// Adds the making of a communicator, which may have to wait for others.
/// \param run  makes it. Called on any thread.
ncclResult_t submitInit(std::shared_ptr<Communicator> comm,
                        std::function<ncclResult_t()> run);
/// Makes the group that the thread is in fail. \returns `result`.
ncclResult_t refuse(ncclResult_t result);

/// Operations of one rank, in one stream.
struct Launch {
  std::shared_ptr<Communicator> comm;
  CUstream stream = nullptr;
  std::vector<Operation> operations;
};
/// Hands the operations of a group to their streams.
ncclResult_t launchAll(std::vector<Launch> launches);

} // namespace ptxjit::nccl

#endif
