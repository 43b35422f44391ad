//===- Operations.cpp - the functions that move data ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "Report.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace ptxjit::nccl;

using Kind = Operation::Kind;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// Does NCCL_CHECK_POINTERS ask to refuse memory that CUDA did not allocate?
static bool isStrict() {
  const char *setting = std::getenv("NCCL_CHECK_POINTERS");
  return setting && std::strcmp(setting, "0") != 0;
}

/// Can the byte be read? Device code may use all memory of the process.
static bool isReadable(const char *address) {
  int type;
  if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                            reinterpret_cast<CUdeviceptr>(address)) ==
      CUDA_SUCCESS)
    return true;
  if (isStrict())
    return false;
  char byte;
  iovec to = {&byte, 1}, from = {const_cast<char *>(address), 1};
  if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) == 1)
    return true;
  if (errno != ENOSYS && errno != EPERM)
    return false;
  // Containers and emulators may lack that call. Then it counts what is mapped.
  auto page = size_t(sysconf(_SC_PAGESIZE));
  unsigned char isResident;
  return mincore(const_cast<char *>(address) -
                     reinterpret_cast<uintptr_t>(address) % page,
                 1, &isResident) == 0;
}

static ncclResult_t checkBuffer(const char *name, const char *what,
                                const void *buffer, size_t bytes) {
  if (!bytes)
    return ncclSuccess;
  auto *first = static_cast<const char *>(buffer);
  if (buffer && isReadable(first) && isReadable(first + bytes - 1))
    return ncclSuccess;
  return fail(ncclInvalidArgument, "%s: %s %p of %zu bytes is not in memory",
              name, what, buffer, bytes);
}

/// Finds the bytes of `blocks` times `count` elements.
static ncclResult_t multiply(const char *name, size_t count, size_t blocks,
                             ncclDataType_t type, size_t &bytes) {
  if (!__builtin_mul_overflow(count, blocks, &bytes) &&
      !__builtin_mul_overflow(bytes, sizeOf(type), &bytes) &&
      bytes <= PTRDIFF_MAX)
    return ncclSuccess;
  return fail(ncclInvalidArgument, "%s: %zu elements are too many", name,
              count);
}

static ncclResult_t checkType(const char *name, ncclDataType_t type) {
  return sizeOf(type) ? ncclSuccess
                      : fail(ncclInvalidArgument, "%s: invalid type %d", name,
                             int(type));
}

static ncclResult_t checkRank(const char *name, const Communicator &comm,
                              const char *what, int rank) {
  if (rank >= 0 && rank < comm.ranks)
    return ncclSuccess;
  return fail(ncclInvalidArgument, "%s: %s %d is not a rank of %d", name, what,
              rank, comm.ranks);
}

/// Finds what `op` means to the rank.
static ncclResult_t findReduction(const char *name, Communicator &comm,
                                  ncclRedOp_t op, Operation &operation) {
  if (op >= 0 && op < ncclNumOps) {
    static constexpr ReduceKind kinds[] = {ReduceKind::Sum, ReduceKind::Prod,
                                           ReduceKind::Max, ReduceKind::Min,
                                           ReduceKind::Avg};
    operation.reduction = kinds[op];
    return ncclSuccess;
  }
  std::lock_guard<std::mutex> lock(comm.objectsMutex);
  auto it = comm.reductions.find(op);
  if (it == comm.reductions.end())
    return fail(ncclInvalidArgument, "%s: invalid reduction %d", name, int(op));
  if (it->second.type != operation.type)
    return fail(ncclInvalidArgument,
                "%s: the reduction was made for another type", name);
  operation.reduction = ReduceKind::PreMulSum;
  operation.scalar = it->second.scalar;
  return ncclSuccess;
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

namespace {
/// The arguments of a collective.
struct Call {
  const char *name;
  Kind kind;
  const void *send;
  void *recv;
  size_t count;
  ncclDataType_t type;
  int root; ///< -1: has none
  ncclRedOp_t reduction;
  ncclComm_t comm;
  CUstream stream;
};
} // namespace

static ncclResult_t check(const Call &call, Communicator &comm,
                          Operation &operation) {
  if (ncclResult_t error = checkType(call.name, call.type))
    return error;
  bool hasRoot = call.kind == Kind::Broadcast || call.kind == Kind::Reduce ||
                 call.kind == Kind::Gather || call.kind == Kind::Scatter;
  if (hasRoot)
    if (ncclResult_t error = checkRank(call.name, comm, "root", call.root))
      return error;
  operation.kind = call.kind;
  operation.type = call.type;
  operation.root = hasRoot ? call.root : -1;
  operation.send = static_cast<const char *>(call.send);
  operation.recv = static_cast<char *>(call.recv);
  operation.count = call.count;
  if (ncclResult_t error =
          findReduction(call.name, comm, call.reduction, operation))
    return error;
  size_t all, sent, received;
  if (ncclResult_t error =
          multiply(call.name, call.count, size_t(comm.ranks), call.type, all))
    return error;
  sent = operation.bytes() * sendBlocks(operation, comm.rank, comm.ranks);
  received = operation.bytes() * recvBlocks(operation, comm.rank, comm.ranks);
  if (ncclResult_t error = checkBuffer(call.name, "sendbuff", call.send, sent))
    return error;
  return checkBuffer(call.name, "recvbuff", call.recv, received);
}

static ncclResult_t collect(const Call &call) {
  std::shared_ptr<Communicator> comm;
  Operation operation;
  if (ncclResult_t error = enter(call.comm, call.name, comm))
    return refuse(error);
  if (ncclResult_t error = check(call, *comm, operation))
    return refuse(error);
  if (!call.count)
    return ncclSuccess;
  return submit(std::move(comm), call.stream, std::move(operation));
}

PTXJIT_NCCL_API(ncclAllReduce,
                (const void *send, void *recv, size_t count,
                 ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                 CUstream stream),
                send, recv, count, type, op, comm, stream) {
  return collect({"ncclAllReduce", Kind::AllReduce, send, recv, count, type, -1,
                  op, comm, stream});
}
PTXJIT_NCCL_API(ncclReduce,
                (const void *send, void *recv, size_t count,
                 ncclDataType_t type, ncclRedOp_t op, int root, ncclComm_t comm,
                 CUstream stream),
                send, recv, count, type, op, root, comm, stream) {
  return collect({"ncclReduce", Kind::Reduce, send, recv, count, type, root, op,
                  comm, stream});
}
PTXJIT_NCCL_API(ncclReduceScatter,
                (const void *send, void *recv, size_t recvCount,
                 ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                 CUstream stream),
                send, recv, recvCount, type, op, comm, stream) {
  return collect({"ncclReduceScatter", Kind::ReduceScatter, send, recv,
                  recvCount, type, -1, op, comm, stream});
}
PTXJIT_NCCL_API(ncclBroadcast,
                (const void *send, void *recv, size_t count,
                 ncclDataType_t type, int root, ncclComm_t comm,
                 CUstream stream),
                send, recv, count, type, root, comm, stream) {
  return collect({"ncclBroadcast", Kind::Broadcast, send, recv, count, type,
                  root, ncclSum, comm, stream});
}
PTXJIT_NCCL_API(ncclBcast,
                (void *buffer, size_t count, ncclDataType_t type, int root,
                 ncclComm_t comm, CUstream stream),
                buffer, count, type, root, comm, stream) {
  return collect({"ncclBcast", Kind::Broadcast, buffer, buffer, count, type,
                  root, ncclSum, comm, stream});
}
PTXJIT_NCCL_API(ncclAllGather,
                (const void *send, void *recv, size_t sendCount,
                 ncclDataType_t type, ncclComm_t comm, CUstream stream),
                send, recv, sendCount, type, comm, stream) {
  return collect({"ncclAllGather", Kind::AllGather, send, recv, sendCount, type,
                  -1, ncclSum, comm, stream});
}
PTXJIT_NCCL_API(ncclAlltoAll,
                (const void *send, void *recv, size_t count,
                 ncclDataType_t type, ncclComm_t comm, CUstream stream),
                send, recv, count, type, comm, stream) {
  return collect({"ncclAlltoAll", Kind::AlltoAll, send, recv, count, type, -1,
                  ncclSum, comm, stream});
}
PTXJIT_NCCL_API(ncclGather,
                (const void *send, void *recv, size_t count,
                 ncclDataType_t type, int root, ncclComm_t comm,
                 CUstream stream),
                send, recv, count, type, root, comm, stream) {
  return collect({"ncclGather", Kind::Gather, send, recv, count, type, root,
                  ncclSum, comm, stream});
}
PTXJIT_NCCL_API(ncclScatter,
                (const void *send, void *recv, size_t count,
                 ncclDataType_t type, int root, ncclComm_t comm,
                 CUstream stream),
                send, recv, count, type, root, comm, stream) {
  return collect({"ncclScatter", Kind::Scatter, send, recv, count, type, root,
                  ncclSum, comm, stream});
}

//===----------------------------------------------------------------------===//
// Point to point
//===----------------------------------------------------------------------===//

static ncclResult_t transfer(const char *name, bool sends, const void *buffer,
                             size_t count, ncclDataType_t type, int peer,
                             ncclComm_t handle, CUstream stream) {
  std::shared_ptr<Communicator> comm;
  size_t bytes;
  if (ncclResult_t error = enter(handle, name, comm))
    return refuse(error);
  if (ncclResult_t error = checkType(name, type))
    return refuse(error);
  if (ncclResult_t error = checkRank(name, *comm, "peer", peer))
    return refuse(error);
  if (ncclResult_t error = multiply(name, count, 1, type, bytes))
    return refuse(error);
  if (ncclResult_t error = checkBuffer(name, "buffer", buffer, bytes))
    return refuse(error);
  if (!count)
    return ncclSuccess;
  Operation operation;
  auto *data = static_cast<char *>(const_cast<void *>(buffer));
  (sends ? operation.sends : operation.receives).push_back({peer, data, bytes});
  return submit(std::move(comm), stream, std::move(operation));
}

PTXJIT_NCCL_API(ncclSend,
                (const void *send, size_t count, ncclDataType_t type, int peer,
                 ncclComm_t comm, CUstream stream),
                send, count, type, peer, comm, stream) {
  return transfer("ncclSend", true, send, count, type, peer, comm, stream);
}
PTXJIT_NCCL_API(ncclRecv,
                (void *recv, size_t count, ncclDataType_t type, int peer,
                 ncclComm_t comm, CUstream stream),
                recv, count, type, peer, comm, stream) {
  return transfer("ncclRecv", false, recv, count, type, peer, comm, stream);
}

//===----------------------------------------------------------------------===//
// Reductions of the program
//===----------------------------------------------------------------------===//

PTXJIT_NCCL_API(ncclRedOpCreatePreMulSum,
                (ncclRedOp_t * op, void *scalar, ncclDataType_t type,
                 ncclScalarResidence_t residence, ncclComm_t handle),
                op, scalar, type, residence, handle) {
  static constexpr char name[] = "ncclRedOpCreatePreMulSum";
  std::shared_ptr<Communicator> comm;
  if (ncclResult_t error = enter(handle, name, comm))
    return error;
  if (ncclResult_t error = checkType(name, type))
    return error;
  if (!op ||
      (residence != ncclScalarDevice && residence != ncclScalarHostImmediate))
    return fail(ncclInvalidArgument, "%s: invalid op or residence", name);
  CustomReduction reduction{type, {0, scalar, sizeOf(type)}};
  if (ncclResult_t error =
          checkBuffer(name, "scalar", scalar, reduction.scalar.bytes))
    return error;
  if (residence == ncclScalarHostImmediate)
    reduction.scalar = {reduction.scalar.read(), nullptr, 0};
  std::lock_guard<std::mutex> lock(comm->objectsMutex);
  *op = ncclRedOp_t(comm->nextReduction++);
  comm->reductions[*op] = reduction;
  return ncclSuccess;
}

PTXJIT_NCCL_API(ncclRedOpDestroy, (ncclRedOp_t op, ncclComm_t handle), op,
                handle) {
  std::shared_ptr<Communicator> comm = findCommunicator(handle);
  if (!comm)
    return fail(ncclInvalidArgument, "ncclRedOpDestroy: invalid comm");
  std::lock_guard<std::mutex> lock(comm->objectsMutex);
  if (!comm->reductions.erase(op))
    return fail(ncclInvalidArgument,
                "ncclRedOpDestroy: %d is not a reduction that was made",
                int(op));
  return ncclSuccess;
}
