//===- Init.cpp - making and ending communicators -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Groups.h"
#include "Report.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <set>
#include <thread>

using namespace ptxjit::nccl;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

namespace {
/// The communicators that programs have handles of.
struct Handles {
  std::mutex mutex;
  std::map<const void *, std::shared_ptr<Communicator>> all;
};
} // namespace

static Handles &handles() {
  // Never destroyed: programs may call us from exit handlers.
  static Handles &handles = *new Handles;
  return handles;
}

static ncclComm_t addHandle(const std::shared_ptr<Communicator> &comm) {
  std::lock_guard<std::mutex> lock(handles().mutex);
  handles().all[comm.get()] = comm;
  return reinterpret_cast<ncclComm_t>(comm.get());
}

bool ptxjit::nccl::removeHandle(const void *handle) {
  std::lock_guard<std::mutex> lock(handles().mutex);
  return handles().all.erase(handle) != 0;
}

std::shared_ptr<Communicator>
ptxjit::nccl::findCommunicator(ncclComm_t handle) {
  std::lock_guard<std::mutex> lock(handles().mutex);
  auto it = handles().all.find(handle);
  return it == handles().all.end() ? nullptr : it->second;
}

ncclResult_t ptxjit::nccl::find(ncclComm_t handle, const char *name,
                                std::shared_ptr<Communicator> &comm) {
  comm = findCommunicator(handle);
  return comm ? ncclSuccess
              : fail(ncclInvalidArgument, "%s: %p is no communicator", name,
                     static_cast<void *>(handle));
}

ncclResult_t ptxjit::nccl::enter(ncclComm_t handle, const char *name,
                                 std::shared_ptr<Communicator> &comm) {
  if (ncclResult_t error = find(handle, name, comm))
    return error;
  if (comm->isGivenUp())
    return fail(comm->getState(), "%s: %s", name, comm->getErrorText().c_str());
  if (comm->isFinalized)
    return fail(ncclInvalidArgument, "%s: the communicator is finalized", name);
  if (comm->getState() == ncclInProgress)
    return fail(ncclInvalidArgument,
                "%s: the communicator is not ready; ask ncclCommGetAsyncError",
                name);
  return ncclSuccess;
}

//===----------------------------------------------------------------------===//
// Making communicators
//===----------------------------------------------------------------------===//

ncclResult_t ptxjit::nccl::findContext(CUcontext &context, int &device) {
  CUresult error = cuCtxGetCurrent(&context);
  if (error == CUDA_ERROR_NOT_INITIALIZED) {
    error = cuInit(0); // which fails in a child of fork()
    context = nullptr;
  }
  if (!error && !context)
    error = cuDevicePrimaryCtxRetain(&context, 0);
  if (!error)
    error = cuCtxSetCurrent(context);
  if (!error)
    error = cuCtxGetDevice(&device);
  return error ? fail(ncclUnhandledCudaError,
                      "there is no device: CUDA error %d", int(error))
               : ncclSuccess;
}

/// Reads a field that structures of older versions may not have.
static int readField(const ncclConfig_t &config, int ncclConfig_t::*field) {
  auto offset = size_t(reinterpret_cast<const char *>(&(config.*field)) -
                       reinterpret_cast<const char *>(&config));
  return offset + sizeof(int) <= config.size ? config.*field
                                             : NCCL_CONFIG_UNDEF_INT;
}

ncclResult_t ptxjit::nccl::readConfig(const char *name,
                                      const ncclConfig_t *config,
                                      Settings &settings) {
  if (!config)
    return ncclSuccess;
  if (config->magic != NCCL_CONFIG_MAGIC ||
      config->size < offsetof(ncclConfig_t, cgaClusterSize))
    return fail(ncclInvalidArgument,
                "%s: config was not initialised with "
                "NCCL_CONFIG_INITIALIZER",
                name);
  auto read = [&](int ncclConfig_t::*field) {
    return readField(*config, field);
  };
  auto isIn = [&](int ncclConfig_t::*field, int least, int most) {
    int value = read(field);
    return value == NCCL_CONFIG_UNDEF_INT || (value >= least && value <= most);
  };
  int least = read(&ncclConfig_t::minCTAs), most = read(&ncclConfig_t::maxCTAs);
  bool isValid = isIn(&ncclConfig_t::blocking, 0, 1) &&
                 isIn(&ncclConfig_t::cgaClusterSize, 0, INT_MAX) &&
                 isIn(&ncclConfig_t::minCTAs, 1, INT_MAX) &&
                 isIn(&ncclConfig_t::maxCTAs, 1, INT_MAX) &&
                 isIn(&ncclConfig_t::splitShare, 0, 1) &&
                 isIn(&ncclConfig_t::collnetEnable, 0, 1) &&
                 isIn(&ncclConfig_t::CTAPolicy, 0, INT_MAX) &&
                 isIn(&ncclConfig_t::shrinkShare, 0, 1) &&
                 (least == NCCL_CONFIG_UNDEF_INT ||
                  most == NCCL_CONFIG_UNDEF_INT || least <= most);
  if (!isValid)
    return fail(ncclInvalidArgument, "%s: invalid value in config", name);
  if (int blocking = read(&ncclConfig_t::blocking);
      blocking != NCCL_CONFIG_UNDEF_INT)
    settings.isBlocking = blocking != 0;
  return ncclSuccess;
}

ncclResult_t
ptxjit::nccl::startRank(ncclComm_t *out, std::shared_ptr<Communicator> comm,
                        std::function<ncclResult_t(Communicator &)> connect) {
  *out = addHandle(comm);
  auto run = [out, comm, connect = std::move(connect)]() -> ncclResult_t {
    ncclResult_t result = connect(*comm);
    if (result) {
      comm->setFailed(result, ncclGetLastError(nullptr));
      if (comm->settings.isBlocking && removeHandle(comm.get()))
        *out = nullptr;
    } else if (!comm->isGivenUp()) {
      comm->setState(ncclSuccess);
    }
    return result;
  };
  return submitInit(std::move(comm), std::move(run));
}

static ncclResult_t initRank(const char *name, ncclComm_t *out, int ranks,
                             const ncclUniqueId &id, int rank,
                             const ncclConfig_t *config, CUcontext context,
                             int device) {
  if (!out)
    return refuse(fail(ncclInvalidArgument, "%s: comm is null", name));
  *out = nullptr;
  if (ranks < 1 || rank < 0 || rank >= ranks)
    return refuse(
        fail(ncclInvalidArgument, "%s: rank %d of %d", name, rank, ranks));
  Settings settings;
  if (ncclResult_t error = readConfig(name, config, settings))
    return refuse(error);
  if (!context)
    if (ncclResult_t error = findContext(context, device))
      return refuse(error);
  auto comm =
      std::make_shared<Communicator>(ranks, rank, device, context, settings);
  return startRank(out, comm, [id](Communicator &comm) -> ncclResult_t {
    std::string error;
    std::unique_ptr<Exchange> exchange = connectTo(
        id, comm.ranks, comm.rank, [&comm] { return comm.isGivenUp(); }, error);
    if (!exchange)
      return fail(ncclSystemError, "%s", error.c_str());
    return comm.connect(*exchange, makeKey());
  });
}

PTXJIT_NCCL_API(ncclGetUniqueId, (ncclUniqueId * id), id) {
  if (!id)
    return fail(ncclInvalidArgument, "ncclGetUniqueId: id is null");
  std::string error;
  ncclResult_t result = makeUniqueId(*id, error);
  return result ? fail(result, "ncclGetUniqueId: %s", error.c_str()) : result;
}

PTXJIT_NCCL_API(ncclCommInitRankConfig,
                (ncclComm_t * comm, int ranks, ncclUniqueId id, int rank,
                 ncclConfig_t *config),
                comm, ranks, id, rank, config) {
  return initRank("ncclCommInitRankConfig", comm, ranks, id, rank, config,
                  nullptr, 0);
}
PTXJIT_NCCL_API(ncclCommInitRank,
                (ncclComm_t * comm, int ranks, ncclUniqueId id, int rank), comm,
                ranks, id, rank) {
  return initRank("ncclCommInitRank", comm, ranks, id, rank, nullptr, nullptr,
                  0);
}
// One id is enough for any number of ranks.
PTXJIT_NCCL_API(ncclCommInitRankScalable,
                (ncclComm_t * comm, int ranks, int rank, int idCount,
                 ncclUniqueId *ids, ncclConfig_t *config),
                comm, ranks, rank, idCount, ids, config) {
  if (!ids || idCount < 1 || idCount > ranks)
    return refuse(fail(ncclInvalidArgument, "%s: %d ids for %d ranks",
                       "ncclCommInitRankScalable", idCount, ranks));
  return initRank("ncclCommInitRankScalable", comm, ranks, ids[0], rank, config,
                  nullptr, 0);
}

static ncclResult_t findDevice(int device, CUcontext &context) {
  int count = 0;
  if (CUresult error = cuDeviceGetCount(&count))
    return fail(ncclUnhandledCudaError, "there is no device: CUDA error %d",
                int(error));
  if (device < 0 || device >= count)
    return fail(ncclInvalidArgument,
                "ncclCommInitAll: there is no device %d (PTXJIT_DEVICES sets "
                "how many there are)",
                device);
  CUresult error = cuDevicePrimaryCtxRetain(&context, device);
  return error ? fail(ncclUnhandledCudaError, "device %d: CUDA error %d",
                      device, int(error))
               : ncclSuccess;
}

// Unlike NCCL's, ranks may share a device, since there may be only one.
PTXJIT_NCCL_API(ncclCommInitAll,
                (ncclComm_t * comms, int count, const int *devices), comms,
                count, devices) {
  if (!comms || count < 0)
    return fail(ncclInvalidArgument, "ncclCommInitAll: %d devices", count);
  if (count == 0)
    return ncclSuccess;
  CUcontext current;
  int ignored;
  ncclUniqueId id;
  if (ncclResult_t error = findContext(current, ignored))
    return error;
  std::vector<CUcontext> contexts(static_cast<size_t>(count));
  for (int rank = 0; rank < count; ++rank)
    if (ncclResult_t error =
            findDevice(devices ? devices[rank] : rank, contexts[size_t(rank)]))
      return error;
  if (ncclResult_t error = ncclGetUniqueId(&id))
    return error;
  ncclGroupStart();
  for (int rank = 0; rank < count; ++rank)
    initRank("ncclCommInitAll", &comms[rank], count, id, rank, nullptr,
             contexts[size_t(rank)], devices ? devices[rank] : rank);
  return ncclGroupEnd();
}
