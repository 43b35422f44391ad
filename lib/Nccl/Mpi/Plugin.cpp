//===- Plugin.cpp - what libnccl.so.2 needs of MPI ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../MpiABI.h"

#include <cassert>
#include <climits>
#include <cstdlib>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <vector>

namespace {
struct Communicator {
  MPI_Comm comm = MPI_COMM_NULL;
};
struct Request {
  MPI_Request request = MPI_REQUEST_NULL;
};
struct Found {
  MPI_Message message = MPI_MESSAGE_NULL;
};
} // namespace

static bool isFinalized() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  return finalized != 0;
}

static void finalize() {
  if (!isFinalized())
    MPI_Finalize();
}

static const char *initialize() {
  int initialized = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&initialized);
  if (isFinalized())
    return "MPI was finalized";
  if (!initialized) {
    if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level))
      return "MPI_Init_thread failed";
    std::atexit(finalize);
  }
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_MULTIPLE)
    return "the program initialised MPI without MPI_THREAD_MULTIPLE, which the "
           "threads of streams need (set OMPI_MPI_THREAD_LEVEL=3 for Open MPI, "
           "MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE for MPICH)";
  return nullptr;
}

static const char *join(int *worldRank) {
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (const char *error = initialize())
    return error;
  return MPI_Comm_rank(MPI_COMM_WORLD, worldRank) ? "MPI_Comm_rank failed"
                                                  : nullptr;
}

static void *create(const int *worldRanks, int count, int tag) {
  MPI_Group world, group;
  if (MPI_Comm_group(MPI_COMM_WORLD, &world))
    return nullptr;
  auto result = std::make_unique<Communicator>();
  bool failed = MPI_Group_incl(world, count, worldRanks, &group);
  MPI_Group_free(&world);
  if (failed)
    return nullptr;
  failed = MPI_Comm_create_group(MPI_COMM_WORLD, group, tag, &result->comm);
  MPI_Group_free(&group);
  if (failed || result->comm == MPI_COMM_NULL)
    return nullptr;
  MPI_Comm_set_errhandler(result->comm, MPI_ERRORS_RETURN);
  return result.release();
}

static void destroy(void *communicator) {
  std::unique_ptr<Communicator> owned(
      static_cast<Communicator *>(communicator));
  if (!isFinalized())
    MPI_Comm_free(&owned->comm);
}

static void *send(void *communicator, int process, int tag, const void *data,
                  size_t bytes) {
  assert(bytes <= INT_MAX);
  auto request = std::make_unique<Request>();
  if (MPI_Isend(data, int(bytes), MPI_BYTE, process, tag,
                static_cast<Communicator *>(communicator)->comm,
                &request->request))
    return nullptr;
  return request.release();
}

static void *probe(void *communicator, int process, int tag, size_t *bytes) {
  auto found = std::make_unique<Found>();
  int flag = 0, count = 0;
  MPI_Status status;
  if (MPI_Improbe(process, tag, static_cast<Communicator *>(communicator)->comm,
                  &flag, &found->message, &status) ||
      !flag)
    return nullptr;
  MPI_Get_count(&status, MPI_BYTE, &count);
  *bytes = size_t(count);
  return found.release();
}

static void *receive(void *message, void *data, size_t bytes) {
  std::unique_ptr<Found> found(static_cast<Found *>(message));
  auto request = std::make_unique<Request>();
  if (MPI_Imrecv(data, int(bytes), MPI_BYTE, &found->message,
                 &request->request))
    return nullptr;
  return request.release();
}

static int test(void *request) {
  auto *pending = static_cast<Request *>(request);
  int flag = 0;
  if (MPI_Test(&pending->request, &flag, MPI_STATUS_IGNORE) || !flag)
    return 0;
  delete pending;
  return 1;
}

extern "C" __attribute__((visibility("default"))) const PtxjitNcclMpi *
ptxjitNcclMpi() {
  static const PtxjitNcclMpi functions = {PTXJIT_NCCL_MPI_VERSION,
                                          join,
                                          create,
                                          destroy,
                                          send,
                                          probe,
                                          receive,
                                          test};
  return &functions;
}
