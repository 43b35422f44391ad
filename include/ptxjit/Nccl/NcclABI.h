//===- NcclABI.h - the interface of NCCL ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types and functions of NCCL 2.28.9 that libnccl.so.2 implements, named
// and laid out as NCCL's documentation says. Programs do not include this file;
// they use nccl.h.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_NCCL_NCCLABI_H
#define PTXJIT_NCCL_NCCLABI_H

#include "ptxjit/CudaDriver/CudaABI.h"

#include <limits.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NCCL_VERSION_CODE 22809

typedef struct ncclComm *ncclComm_t;
typedef struct ncclWindow_vidmem *ncclWindow_t;

/** Names a communicator that does not exist yet. The program carries it to all
 * processes that take part. */
typedef struct {
  char internal[128];
} ncclUniqueId;

/** Results: PTXJIT_NCCL_RESULTS(X) calls X(name, number, text). */
#define PTXJIT_NCCL_RESULTS(X)                                                 \
  X(ncclSuccess, 0, "no error")                                                \
  X(ncclUnhandledCudaError, 1,                                                 \
    "unhandled cuda error (run with NCCL_DEBUG=INFO for details)")             \
  X(ncclSystemError, 2,                                                        \
    "unhandled system error (run with NCCL_DEBUG=INFO for details)")           \
  X(ncclInternalError, 3,                                                      \
    "internal error - please report this issue to the NCCL developers")        \
  X(ncclInvalidArgument, 4,                                                    \
    "invalid argument (run with NCCL_DEBUG=WARN for details)")                 \
  X(ncclInvalidUsage, 5,                                                       \
    "invalid usage (run with NCCL_DEBUG=WARN for details)")                    \
  X(ncclRemoteError, 6, "remote process exited or there was a network error")  \
  X(ncclInProgress, 7, "NCCL operation in progress")

typedef enum ncclResult_t PTXJIT_INT_ENUM {
#define X(name, number, text) name = number,
  PTXJIT_NCCL_RESULTS(X)
#undef X
} ncclResult_t;

#define NCCL_CONFIG_UNDEF_INT INT_MIN
#define NCCL_CONFIG_MAGIC 0xcafebeefu
#define NCCL_SPLIT_NOCOLOR (-1)

/** Flags of ncclCommWindowRegister and ncclCommShrink. */
#define NCCL_WIN_COLL_SYMMETRIC 1
#define NCCL_SHRINK_ABORT 1

/** Settings of a communicator. A field without a value is
 * NCCL_CONFIG_UNDEF_INT or null. Programs that were built with an older header
 * have a smaller structure, whose `size` says so. */
typedef struct ncclConfig_t {
  size_t size; /**< bytes of this structure */
  unsigned magic;
  unsigned version;
  int blocking; /**< 0: calls return ncclInProgress instead of waiting */
  int cgaClusterSize;
  int minCTAs;
  int maxCTAs;
  const char *netName;
  int splitShare;
  int trafficClass;
  const char *commName;
  int collnetEnable;
  int CTAPolicy;
  int shrinkShare;
  int nvlsCTAs;
  int nChannelsPerNetPeer;
  int nvlinkCentricSched;
} ncclConfig_t;

typedef struct ncclSimInfo_t {
  size_t size;
  unsigned magic;
  unsigned version;
  float estimatedTime; /**< of the group, microseconds */
} ncclSimInfo_t;
#define NCCL_SIM_INFO_MAGIC 0x74685283u

/** Reductions. Numbers from ncclNumOps on come from
 * ncclRedOpCreatePreMulSum. */
typedef enum ncclRedOp_t PTXJIT_INT_ENUM {
  ncclSum = 0,
  ncclProd = 1,
  ncclMax = 2,
  ncclMin = 3,
  ncclAvg = 4,
  ncclNumOps = 5,
  ncclMaxRedOp = 0x7fffffff,
} ncclRedOp_t;

typedef enum ncclDataType_t PTXJIT_INT_ENUM {
  ncclInt8 = 0,
  ncclUint8 = 1,
  ncclInt32 = 2,
  ncclUint32 = 3,
  ncclInt64 = 4,
  ncclUint64 = 5,
  ncclFloat16 = 6,
  ncclFloat32 = 7,
  ncclFloat64 = 8,
  ncclBfloat16 = 9,
  ncclFloat8e4m3 = 10,
  ncclFloat8e5m2 = 11,
  ncclNumTypes = 12,
} ncclDataType_t;

typedef enum ncclScalarResidence_t PTXJIT_INT_ENUM {
  ncclScalarDevice = 0,        /**< read when the collective runs */
  ncclScalarHostImmediate = 1, /**< read at once */
} ncclScalarResidence_t;

/** PTXJIT_NCCL_FUNCTIONS(X) calls X(name, parameters) for each function that
 * returns a result. */
#define PTXJIT_NCCL_FUNCTIONS(X)                                               \
  X(ncclMemAlloc, (void **pointer, size_t size))                               \
  X(ncclMemFree, (void *pointer))                                              \
  X(ncclGetVersion, (int *version))                                            \
  X(ncclGetUniqueId, (ncclUniqueId * id))                                      \
  X(ncclCommInitRankConfig, (ncclComm_t * comm, int ranks, ncclUniqueId id,    \
                             int rank, ncclConfig_t *config))                  \
  X(ncclCommInitRank,                                                          \
    (ncclComm_t * comm, int ranks, ncclUniqueId id, int rank))                 \
  X(ncclCommInitRankScalable,                                                  \
    (ncclComm_t * comm, int ranks, int rank, int idCount, ncclUniqueId *ids,   \
     ncclConfig_t *config))                                                    \
  X(ncclCommInitAll, (ncclComm_t * comms, int count, const int *devices))      \
  X(ncclCommFinalize, (ncclComm_t comm))                                       \
  X(ncclCommDestroy, (ncclComm_t comm))                                        \
  X(ncclCommAbort, (ncclComm_t comm))                                          \
  X(ncclCommRevoke, (ncclComm_t comm, int flags))                              \
  X(ncclCommSplit, (ncclComm_t comm, int color, int key, ncclComm_t *child,    \
                    ncclConfig_t *config))                                     \
  X(ncclCommShrink, (ncclComm_t comm, int *excluded, int excludedCount,        \
                     ncclComm_t *child, ncclConfig_t *config, int flags))      \
  X(ncclCommGetAsyncError, (ncclComm_t comm, ncclResult_t * error))            \
  X(ncclCommCount, (ncclComm_t comm, int *count))                              \
  X(ncclCommCuDevice, (ncclComm_t comm, int *device))                          \
  X(ncclCommUserRank, (ncclComm_t comm, int *rank))                            \
  X(ncclCommRegister,                                                          \
    (ncclComm_t comm, void *buffer, size_t size, void **handle))               \
  X(ncclCommDeregister, (ncclComm_t comm, void *handle))                       \
  X(ncclCommWindowRegister, (ncclComm_t comm, void *buffer, size_t size,       \
                             ncclWindow_t *window, int flags))                 \
  X(ncclCommWindowDeregister, (ncclComm_t comm, ncclWindow_t window))          \
  X(ncclRedOpCreatePreMulSum,                                                  \
    (ncclRedOp_t * op, void *scalar, ncclDataType_t type,                      \
     ncclScalarResidence_t residence, ncclComm_t comm))                        \
  X(ncclRedOpDestroy, (ncclRedOp_t op, ncclComm_t comm))                       \
  X(ncclReduce,                                                                \
    (const void *send, void *recv, size_t count, ncclDataType_t type,          \
     ncclRedOp_t op, int root, ncclComm_t comm, CUstream stream))              \
  X(ncclBcast, (void *buffer, size_t count, ncclDataType_t type, int root,     \
                ncclComm_t comm, CUstream stream))                             \
  X(ncclBroadcast,                                                             \
    (const void *send, void *recv, size_t count, ncclDataType_t type,          \
     int root, ncclComm_t comm, CUstream stream))                              \
  X(ncclAllReduce,                                                             \
    (const void *send, void *recv, size_t count, ncclDataType_t type,          \
     ncclRedOp_t op, ncclComm_t comm, CUstream stream))                        \
  X(ncclReduceScatter,                                                         \
    (const void *send, void *recv, size_t recvCount, ncclDataType_t type,      \
     ncclRedOp_t op, ncclComm_t comm, CUstream stream))                        \
  X(ncclAllGather, (const void *send, void *recv, size_t sendCount,            \
                    ncclDataType_t type, ncclComm_t comm, CUstream stream))    \
  X(ncclAlltoAll, (const void *send, void *recv, size_t count,                 \
                   ncclDataType_t type, ncclComm_t comm, CUstream stream))     \
  X(ncclGather,                                                                \
    (const void *send, void *recv, size_t count, ncclDataType_t type,          \
     int root, ncclComm_t comm, CUstream stream))                              \
  X(ncclScatter,                                                               \
    (const void *send, void *recv, size_t count, ncclDataType_t type,          \
     int root, ncclComm_t comm, CUstream stream))                              \
  X(ncclSend, (const void *send, size_t count, ncclDataType_t type, int peer,  \
               ncclComm_t comm, CUstream stream))                              \
  X(ncclRecv, (void *recv, size_t count, ncclDataType_t type, int peer,        \
               ncclComm_t comm, CUstream stream))                              \
  X(ncclGroupStart, (void))                                                    \
  X(ncclGroupEnd, (void))                                                      \
  X(ncclGroupSimulateEnd, (ncclSimInfo_t * info))

/** Each function has a second name for profilers, with a `p` in front. */
#define X(name, parameters)                                                    \
  ncclResult_t name parameters;                                                \
  ncclResult_t p##name parameters;
PTXJIT_NCCL_FUNCTIONS(X)
#undef X

const char *ncclGetErrorString(ncclResult_t result);
const char *pncclGetErrorString(ncclResult_t result);
/** What the last error of the calling thread was about. */
const char *ncclGetLastError(ncclComm_t comm);
const char *pncclGetLastError(ncclComm_t comm);
void ncclResetDebugInit(void);
void pncclResetDebugInit(void);

#ifdef __cplusplus
}
#endif

#endif
