//===- ApiTest.cpp - arguments, errors, and the life of communicators -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>

using namespace ncclmodel;

/// NCCL_CONFIG_INITIALIZER of nccl.h.
static ncclConfig_t makeConfig() {
  int none = NCCL_CONFIG_UNDEF_INT;
  return {sizeof(ncclConfig_t),
          NCCL_CONFIG_MAGIC,
          NCCL_VERSION_CODE,
          none,
          none,
          none,
          none,
          nullptr,
          none,
          none,
          nullptr,
          none,
          none,
          none,
          none,
          none,
          none};
}

/// Waits until a communicator is no longer in progress.
static ncclResult_t awaitReady(ncclComm_t comm) {
  ncclResult_t state = ncclInProgress;
  for (int i = 0; i < 5000 && state == ncclInProgress; ++i) {
    EXPECT_EQ(ncclCommGetAsyncError(comm, &state), ncclSuccess);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return state;
}

//===----------------------------------------------------------------------===//
// Without a communicator
//===----------------------------------------------------------------------===//

TEST(NcclApi, SaysItsVersionAndErrors) {
  int version = 0;
  EXPECT_EQ(ncclGetVersion(&version), ncclSuccess);
  EXPECT_EQ(version, 22809);
  EXPECT_EQ(ncclGetVersion(nullptr), ncclInvalidArgument);
  EXPECT_EQ(pncclGetVersion(&version), ncclSuccess);
  EXPECT_STREQ(ncclGetErrorString(ncclSuccess), "no error");
  EXPECT_STREQ(ncclGetErrorString(ncclResult_t(99)), "unknown result code");
  EXPECT_EQ(ncclGetUniqueId(nullptr), ncclInvalidArgument);
  EXPECT_NE(std::string(ncclGetLastError(nullptr)).find("ncclGetUniqueId"),
            std::string::npos);
  ncclResetDebugInit();
}

TEST(NcclApi, IdsDiffer) {
  ncclUniqueId a, b;
  ASSERT_EQ(ncclGetUniqueId(&a), ncclSuccess);
  ASSERT_EQ(ncclGetUniqueId(&b), ncclSuccess);
  EXPECT_NE(std::string(a.internal, 128), std::string(b.internal, 128));
}

TEST(NcclApi, IdsMayBeTheAddressOfRank0) {
  ncclUniqueId a, b;
  ncclComm_t comm;
  for (const char *text :
       {"", "127.0.0.1", ":4000", "127.0.0.1:", "127.0.0.1:0",
        "127.0.0.1:65536", "127.0.0.1:4000x", "127.0.0.1:-1",
        "[127.0.0.1]:4000", "[]:4000", "no such host:4000"}) {
    setenv("NCCL_COMM_ID", text, 1);
    EXPECT_EQ(ncclGetUniqueId(&a), *text ? ncclInvalidArgument : ncclSuccess)
        << text;
  }
  EXPECT_NE(std::string(ncclGetLastError(nullptr)).find("NCCL_COMM_ID"),
            std::string::npos);
  setenv("NCCL_COMM_ID", "[::1]:4000", 1);
  ASSERT_EQ(ncclGetUniqueId(&a), ncclSuccess);
  setenv("NCCL_COMM_ID", "localhost:4001", 1);
  ASSERT_EQ(ncclGetUniqueId(&b), ncclSuccess);
  EXPECT_NE(std::string(a.internal, 128), std::string(b.internal, 128));
  setenv("NCCL_COMM_ID", "192.0.2.1:4000", 1); // of no machine
  ASSERT_EQ(ncclGetUniqueId(&a), ncclSuccess);
  ASSERT_EQ(ncclGetUniqueId(&b), ncclSuccess);
  EXPECT_EQ(std::string(a.internal, 128), std::string(b.internal, 128));
  EXPECT_EQ(ncclCommInitRank(&comm, 2, a, 0), ncclSystemError);
  unsetenv("NCCL_COMM_ID");
}

TEST(NcclApi, RefusesWrongPlaces) {
  ncclUniqueId id;
  ncclComm_t comm;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  EXPECT_EQ(ncclCommInitRank(nullptr, 1, id, 0), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&comm, 0, id, 0), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&comm, 1, id, 1), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRank(&comm, 1, id, -1), ncclInvalidArgument);
  EXPECT_EQ(comm, nullptr);
  EXPECT_EQ(ncclCommInitAll(nullptr, 1, nullptr), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitAll(&comm, -1, nullptr), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitAll(&comm, 0, nullptr), ncclSuccess);
  int device = 1000;
  EXPECT_EQ(ncclCommInitAll(&comm, 1, &device), ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRankScalable(&comm, 2, 0, 0, &id, nullptr),
            ncclInvalidArgument);
  EXPECT_EQ(ncclCommInitRankScalable(&comm, 2, 0, 3, &id, nullptr),
            ncclInvalidArgument);
  ncclUniqueId foreign = {};
  EXPECT_EQ(ncclCommInitRank(&comm, 1, foreign, 0), ncclSystemError);
  EXPECT_EQ(comm, nullptr);
}

TEST(NcclApi, RanksMustNotContradictEachOther) {
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclComm_t comms[2];
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(ncclCommInitRank(&comms[0], 2, id, 0), ncclSuccess);
  EXPECT_EQ(ncclCommInitRank(&comms[1], 2, id, 0), ncclSuccess);
  EXPECT_EQ(ncclGroupEnd(), ncclSystemError);
  EXPECT_EQ(comms[0], nullptr);
  EXPECT_EQ(comms[1], nullptr);
}

TEST(NcclApi, HandlesAreChecked) {
  int number;
  ncclResult_t error;
  void *handle;
  ncclComm_t bad = reinterpret_cast<ncclComm_t>(64);
  EXPECT_EQ(ncclCommCount(nullptr, &number), ncclInvalidArgument);
  EXPECT_EQ(ncclCommCount(bad, &number), ncclInvalidArgument);
  EXPECT_EQ(ncclCommCuDevice(bad, &number), ncclInvalidArgument);
  EXPECT_EQ(ncclCommUserRank(bad, &number), ncclInvalidArgument);
  EXPECT_EQ(ncclCommFinalize(bad), ncclInvalidArgument);
  EXPECT_EQ(ncclCommDestroy(bad), ncclInvalidArgument);
  EXPECT_EQ(ncclCommDestroy(nullptr), ncclSuccess);
  EXPECT_EQ(ncclCommAbort(bad), ncclInvalidArgument);
  EXPECT_EQ(ncclCommRevoke(bad, 0), ncclInvalidArgument);
  EXPECT_EQ(ncclCommGetAsyncError(bad, &error), ncclInvalidArgument);
  EXPECT_EQ(ncclCommRegister(bad, &number, 4, &handle), ncclInvalidArgument);
  EXPECT_EQ(ncclCommSplit(bad, 0, 0, &bad, nullptr), ncclInvalidArgument);
  bad = reinterpret_cast<ncclComm_t>(64);
  EXPECT_EQ(ncclSend(&number, 1, ncclInt32, 0, bad, nullptr),
            ncclInvalidArgument);
  EXPECT_EQ(ncclRedOpDestroy(ncclRedOp_t(5), bad), ncclInvalidArgument);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
  EXPECT_EQ(ncclGroupSimulateEnd(nullptr), ncclInvalidUsage);
}

TEST(NcclApi, KernelsDoNotCommunicate) {
  auto create = reinterpret_cast<int (*)(ncclComm_t, void *, void *)>(
      dlsym(RTLD_DEFAULT, "ncclDevCommCreate"));
  ASSERT_NE(create, nullptr);
  EXPECT_EQ(create(nullptr, nullptr, nullptr), ncclInvalidUsage);
}

// Programs that are linked with a newer NCCL would not even load otherwise.
TEST(NcclApi, NewerFunctionsAreRefused) {
  for (const char *name : {"ncclCommGrow", "ncclCommResume", "ncclSignal"}) {
    auto function =
        reinterpret_cast<int (*)(ncclComm_t)>(dlsym(RTLD_DEFAULT, name));
    ASSERT_NE(function, nullptr) << name;
    EXPECT_EQ(function(nullptr), ncclInvalidUsage) << name;
  }
}

TEST(NcclApi, AllocatesMemory) {
  void *memory = nullptr;
  int type = 0;
  ASSERT_EQ(ncclMemAlloc(&memory, 100), ncclSuccess);
  EXPECT_EQ(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  reinterpret_cast<CUdeviceptr>(memory)),
            CUDA_SUCCESS);
  EXPECT_EQ(ncclMemFree(memory), ncclSuccess);
  EXPECT_EQ(ncclMemFree(memory), ncclUnhandledCudaError);
  EXPECT_EQ(ncclMemFree(nullptr), ncclSuccess);
  EXPECT_EQ(ncclMemAlloc(nullptr, 1), ncclInvalidArgument);
  EXPECT_EQ(ncclMemAlloc(&memory, size_t(1) << 60), ncclUnhandledCudaError);
}

//===----------------------------------------------------------------------===//
// Arguments of operations
//===----------------------------------------------------------------------===//

TEST(NcclApi, ArgumentsAreChecked) {
  Ranks ranks(1);
  ncclComm_t comm = ranks.comm(0);
  CUstream stream = ranks.stream(0);
  Buffer buffer(Bytes(64));
  void *data = buffer.data();
  auto reduce = [&](const void *send, void *recv, size_t count, int type,
                    int op) {
    return ncclAllReduce(send, recv, count, ncclDataType_t(type),
                         ncclRedOp_t(op), comm, stream);
  };
  EXPECT_EQ(reduce(data, data, 16, ncclFloat32, ncclSum), ncclSuccess);
  EXPECT_EQ(reduce(data, data, 16, ncclNumTypes, ncclSum), ncclInvalidArgument);
  EXPECT_EQ(reduce(data, data, 16, -1, ncclSum), ncclInvalidArgument);
  EXPECT_EQ(reduce(data, data, 16, ncclInt8, ncclNumOps), ncclInvalidArgument);
  EXPECT_EQ(reduce(data, data, 16, ncclInt8, -1), ncclInvalidArgument);
  EXPECT_EQ(reduce(nullptr, data, 16, ncclInt8, ncclSum), ncclInvalidArgument);
  EXPECT_EQ(reduce(data, nullptr, 16, ncclInt8, ncclSum), ncclInvalidArgument);
  EXPECT_EQ(reduce(data, reinterpret_cast<void *>(64), 1, ncclInt8, ncclSum),
            ncclInvalidArgument);
  EXPECT_EQ(reduce(data, data, SIZE_MAX, ncclInt8, ncclSum),
            ncclInvalidArgument);
  EXPECT_EQ(reduce(data, data, SIZE_MAX / 8 + 2, ncclInt64, ncclSum),
            ncclInvalidArgument);
  EXPECT_EQ(reduce(nullptr, nullptr, 0, ncclInt64, ncclSum), ncclSuccess);
  EXPECT_EQ(ncclBroadcast(data, data, 1, ncclInt8, 1, comm, stream),
            ncclInvalidArgument);
  EXPECT_EQ(ncclBcast(data, 1, ncclInt8, -1, comm, stream),
            ncclInvalidArgument);
  EXPECT_EQ(ncclRecv(data, 1, ncclInt8, 1, comm, stream), ncclInvalidArgument);
  EXPECT_EQ(ncclSend(data, 1, ncclInt8, 0, comm, stream), ncclInvalidUsage);
  EXPECT_EQ(ncclAllReduce(data, data, 16, ncclInt8, ncclSum, comm,
                          reinterpret_cast<CUstream>(64)),
            ncclUnhandledCudaError);
  ranks.synchronize();
}

TEST(NcclApi, MemoryOfTheHostIsTakenUnlessOneAsks) {
  Ranks ranks(1);
  int value = 3;
  auto run = [&] {
    return ncclAllReduce(&value, &value, 1, ncclInt32, ncclSum, ranks.comm(0),
                         ranks.stream(0));
  };
  EXPECT_EQ(run(), ncclSuccess);
  ranks.synchronize();
  EXPECT_EQ(value, 3);
  setenv("NCCL_CHECK_POINTERS", "1", 1);
  EXPECT_EQ(run(), ncclInvalidArgument);
  unsetenv("NCCL_CHECK_POINTERS");
}

TEST(NcclApi, ReductionsOfTheProgramAreChecked) {
  Ranks ranks(1);
  ncclComm_t comm = ranks.comm(0);
  float factor = 2;
  Buffer data(Bytes(4));
  ncclRedOp_t op;
  auto create = [&](ncclRedOp_t *out, void *scalar, int type, int residence) {
    return ncclRedOpCreatePreMulSum(out, scalar, ncclDataType_t(type),
                                    ncclScalarResidence_t(residence), comm);
  };
  EXPECT_EQ(create(nullptr, &factor, ncclFloat32, 1), ncclInvalidArgument);
  EXPECT_EQ(create(&op, nullptr, ncclFloat32, 1), ncclInvalidArgument);
  EXPECT_EQ(create(&op, &factor, 77, 1), ncclInvalidArgument);
  EXPECT_EQ(create(&op, &factor, ncclFloat32, 2), ncclInvalidArgument);
  ASSERT_EQ(create(&op, &factor, ncclFloat32, 1), ncclSuccess);
  EXPECT_GE(op, ncclNumOps);
  EXPECT_EQ(ncclAllReduce(data.data(), data.data(), 1, ncclInt32, op, comm,
                          ranks.stream(0)),
            ncclInvalidArgument);
  EXPECT_EQ(ncclRedOpDestroy(op, comm), ncclSuccess);
  EXPECT_EQ(ncclRedOpDestroy(op, comm), ncclInvalidArgument);
  EXPECT_EQ(ncclRedOpDestroy(ncclSum, comm), ncclInvalidArgument);
  EXPECT_EQ(ncclAllReduce(data.data(), data.data(), 1, ncclFloat32, op, comm,
                          ranks.stream(0)),
            ncclInvalidArgument);
}

TEST(NcclApi, MemoryCanBeRegistered) {
  Ranks ranks(1);
  Buffer buffer(Bytes(4096));
  void *handle = nullptr;
  ncclWindow_t window = nullptr;
  ncclComm_t comm = ranks.comm(0);
  EXPECT_EQ(ncclCommRegister(comm, buffer.data(), 4096, nullptr),
            ncclInvalidArgument);
  EXPECT_EQ(ncclCommRegister(comm, nullptr, 4096, &handle),
            ncclInvalidArgument);
  ASSERT_EQ(ncclCommRegister(comm, buffer.data(), 4096, &handle), ncclSuccess);
  EXPECT_EQ(ncclCommDeregister(comm, handle), ncclSuccess);
  EXPECT_EQ(ncclCommDeregister(comm, handle), ncclInvalidArgument);
  EXPECT_EQ(ncclCommWindowRegister(comm, buffer.data(), 4096, &window, 2),
            ncclInvalidArgument);
  ASSERT_EQ(ncclCommWindowRegister(comm, buffer.data(), 4096, &window,
                                   NCCL_WIN_COLL_SYMMETRIC),
            ncclSuccess);
  EXPECT_EQ(ncclCommWindowDeregister(comm, window), ncclSuccess);
  EXPECT_EQ(ncclCommWindowDeregister(comm, window), ncclInvalidArgument);
}

//===----------------------------------------------------------------------===//
// The life of communicators
//===----------------------------------------------------------------------===//

TEST(NcclLife, RanksKnowThemselves) {
  Ranks ranks(3);
  int devices = 0;
  cuDeviceGetCount(&devices);
  for (int rank = 0; rank < 3; ++rank) {
    int count = 0, found = -1, device = -1;
    ncclComm_t comm = ranks.comm(size_t(rank));
    EXPECT_EQ(ncclCommCount(comm, &count), ncclSuccess);
    EXPECT_EQ(ncclCommUserRank(comm, &found), ncclSuccess);
    EXPECT_EQ(ncclCommCuDevice(comm, &device), ncclSuccess);
    EXPECT_EQ(count, 3);
    EXPECT_EQ(found, rank);
    EXPECT_EQ(device, rank % devices);
    EXPECT_EQ(ncclCommCount(comm, nullptr), ncclInvalidArgument);
  }
}

TEST(NcclLife, AfterTheEndHandlesAreInvalid) {
  ncclUniqueId id;
  ncclComm_t comm;
  int count;
  Buffer data(Bytes(4));
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ASSERT_EQ(ncclCommInitRank(&comm, 1, id, 0), ncclSuccess);
  EXPECT_EQ(ncclCommFinalize(comm), ncclSuccess);
  EXPECT_EQ(ncclAllReduce(data.data(), data.data(), 1, ncclInt32, ncclSum, comm,
                          nullptr),
            ncclInvalidArgument);
  EXPECT_EQ(ncclCommFinalize(comm), ncclInvalidArgument);
  EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
  EXPECT_EQ(ncclCommDestroy(comm), ncclInvalidArgument);
  EXPECT_EQ(ncclCommCount(comm, &count), ncclInvalidArgument);
}

TEST(NcclLife, NonBlockingCommunicatorsAreInProgress) {
  ncclUniqueId id;
  ncclComm_t comms[2] = {};
  int count = 0;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclConfig_t config = makeConfig();
  config.blocking = 0;
  ASSERT_EQ(ncclCommInitRankConfig(&comms[0], 2, id, 0, &config),
            ncclInProgress);
  ncclResult_t state = ncclSuccess;
  EXPECT_EQ(ncclCommGetAsyncError(comms[0], &state), ncclSuccess);
  EXPECT_EQ(state, ncclInProgress);
  EXPECT_EQ(ncclCommCount(comms[0], &count), ncclInvalidArgument);
  ASSERT_EQ(ncclCommInitRankConfig(&comms[1], 2, id, 1, &config),
            ncclInProgress);
  for (ncclComm_t comm : comms) {
    EXPECT_EQ(awaitReady(comm), ncclSuccess);
    EXPECT_EQ(ncclCommCount(comm, &count), ncclSuccess);
  }
  for (ncclComm_t comm : comms) {
    EXPECT_EQ(ncclCommFinalize(comm), ncclInProgress);
    EXPECT_EQ(awaitReady(comm), ncclSuccess);
    EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
  }
}

TEST(NcclLife, WaitingForRanksCanBeAborted) {
  ncclUniqueId id;
  ncclComm_t comm;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclConfig_t config = makeConfig();
  config.blocking = 0;
  ASSERT_EQ(ncclCommInitRankConfig(&comm, 2, id, 0, &config), ncclInProgress);
  EXPECT_EQ(ncclCommAbort(comm), ncclSuccess);
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ASSERT_EQ(ncclCommInitRankConfig(&comm, 2, id, 0, &config), ncclInProgress);
  EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
}

TEST(NcclLife, ConfigsAreChecked) {
  ncclUniqueId id;
  ncclComm_t comm;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  auto init = [&](ncclConfig_t config) {
    return ncclCommInitRankConfig(&comm, 1, id, 0, &config);
  };
  ncclConfig_t config = makeConfig();
  config.magic = 0;
  EXPECT_EQ(init(config), ncclInvalidArgument);
  config = makeConfig();
  config.blocking = 2;
  EXPECT_EQ(init(config), ncclInvalidArgument);
  config = makeConfig();
  config.minCTAs = 4;
  config.maxCTAs = 2;
  EXPECT_EQ(init(config), ncclInvalidArgument);
  config = makeConfig();
  config.size = 20; // of an older version, which has no CTAs
  config.minCTAs = -7;
  ASSERT_EQ(init(config), ncclSuccess);
  EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
}

/// Starts a collective that the other rank does not call.
static void startAlone(const Ranks &ranks, Buffer &data) {
  EXPECT_EQ(ncclAllReduce(data.data(), data.data(), 1, ncclInt32, ncclSum,
                          ranks.comm(0), ranks.stream(0)),
            ncclSuccess);
}

TEST(NcclLife, RevokedOperationsEnd) {
  Ranks ranks(2);
  Buffer data(Bytes(4));
  startAlone(ranks, data);
  EXPECT_EQ(ncclCommRevoke(ranks.comm(0), 1), ncclInvalidArgument);
  EXPECT_EQ(ncclCommRevoke(ranks.comm(0), 0), ncclSuccess);
  ranks.synchronize();
  EXPECT_EQ(ncclAllReduce(data.data(), data.data(), 1, ncclInt32, ncclSum,
                          ranks.comm(0), ranks.stream(0)),
            ncclInvalidUsage);
}

TEST(NcclLife, PeersOfAnAbortedRankGetAnError) {
  ncclUniqueId id;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ncclComm_t comms[2];
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (int rank : {0, 1})
    ASSERT_EQ(ncclCommInitRank(&comms[rank], 2, id, rank), ncclSuccess);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  Buffer data(Bytes(4));
  ASSERT_EQ(ncclAllReduce(data.data(), data.data(), 1, ncclInt32, ncclSum,
                          comms[0], CU_STREAM_PER_THREAD),
            ncclSuccess);
  ASSERT_EQ(ncclCommAbort(comms[1]), ncclSuccess);
  EXPECT_EQ(cuStreamSynchronize(CU_STREAM_PER_THREAD), CUDA_SUCCESS);
  ncclResult_t state;
  EXPECT_EQ(ncclCommGetAsyncError(comms[0], &state), ncclSuccess);
  EXPECT_EQ(state, ncclRemoteError);
  EXPECT_NE(std::string(ncclGetLastError(comms[0])).find("rank 1 is gone"),
            std::string::npos);
  EXPECT_EQ(ncclCommDestroy(comms[0]), ncclSuccess);
}

TEST(NcclLife, AKernelThatFailsEndsTheOperationsBehindIt) {
  // Contexts of their own, since they are lost.
  CUcontext contexts[2];
  CUstream streams[2];
  ncclComm_t comms[2];
  ncclUniqueId id;
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (int rank : {0, 1}) {
    ASSERT_EQ(cuCtxCreate_v2(&contexts[rank], 0, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamCreate(&streams[rank], 0), CUDA_SUCCESS);
    ASSERT_EQ(ncclCommInitRank(&comms[rank], 2, id, rank), ncclSuccess);
  }
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  CUmodule module;
  CUfunction kernel;
  ASSERT_EQ(cuModuleLoadData(&module, ".version 8.0\n.target sm_80\n"
                                      ".address_size 64\n"
                                      ".entry fail() { trap; }\n"),
            CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&kernel, module, "fail"), CUDA_SUCCESS);
  // It fails only when the operations have been handed to the streams.
  std::atomic<bool> isOpen{false};
  auto wait = [](void *open) {
    while (!*static_cast<std::atomic<bool> *>(open))
      std::this_thread::yield();
  };
  ASSERT_EQ(cuLaunchHostFunc(streams[1], wait, &isOpen), CUDA_SUCCESS);
  ASSERT_EQ(
      cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, streams[1], nullptr, nullptr),
      CUDA_SUCCESS);
  int data[2] = {};
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (int rank : {0, 1})
    ASSERT_EQ(ncclAllReduce(&data[rank], &data[rank], 1, ncclInt32, ncclSum,
                            comms[rank], streams[rank]),
              ncclSuccess);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  isOpen = true;
  EXPECT_EQ(cuStreamSynchronize(streams[0]), CUDA_SUCCESS);
  EXPECT_NE(cuStreamSynchronize(streams[1]), CUDA_SUCCESS);
  ncclResult_t states[2];
  for (int rank : {0, 1}) {
    EXPECT_EQ(ncclCommGetAsyncError(comms[rank], &states[rank]), ncclSuccess);
    EXPECT_EQ(ncclCommAbort(comms[rank]), ncclSuccess);
    EXPECT_EQ(cuCtxDestroy_v2(contexts[rank]), CUDA_SUCCESS);
  }
  EXPECT_EQ(states[0], ncclRemoteError);
  EXPECT_EQ(states[1], ncclUnhandledCudaError);
}

TEST(NcclLife, DifferentCallsAreAnError) {
  Ranks ranks(2);
  Buffer a(Bytes(64)), b(Bytes(64));
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  ncclAllReduce(a.data(), a.data(), 4, ncclInt32, ncclSum, ranks.comm(0),
                ranks.stream(0));
  ncclAllReduce(b.data(), b.data(), 8, ncclInt32, ncclSum, ranks.comm(1),
                ranks.stream(1));
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  ranks.synchronize();
  ncclResult_t states[2];
  for (size_t rank : {0, 1})
    EXPECT_EQ(ncclCommGetAsyncError(ranks.comm(rank), &states[rank]),
              ncclSuccess);
  EXPECT_TRUE(states[0] == ncclInvalidUsage || states[1] == ncclInvalidUsage);
  EXPECT_NE(states[0], ncclSuccess);
  EXPECT_NE(states[1], ncclSuccess);
}

//===----------------------------------------------------------------------===//
// Children
//===----------------------------------------------------------------------===//

/// Adds up 1 over the ranks of a communicator, on all of `comms` at once.
static void expectSum(const std::vector<ncclComm_t> &comms, int sum) {
  std::vector<std::unique_ptr<Buffer>> data;
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (ncclComm_t comm : comms) {
    data.push_back(std::make_unique<Buffer>(Bytes{1, 0, 0, 0}));
    EXPECT_EQ(ncclAllReduce(data.back()->data(), data.back()->data(), 1,
                            ncclInt32, ncclSum, comm, CU_STREAM_PER_THREAD),
              ncclSuccess);
  }
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  int devices = 1;
  cuDeviceGetCount(&devices);
  for (int device = 0; device < devices; ++device) {
    CUcontext context;
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxPushCurrent_v2(context);
    EXPECT_EQ(cuStreamSynchronize(CU_STREAM_PER_THREAD), CUDA_SUCCESS);
    cuCtxPopCurrent_v2(&context);
  }
  for (auto &each : data)
    EXPECT_EQ(*each->as<int>(), sum);
}

TEST(NcclChildren, SplitsHaveTheRanksOfAColor) {
  Ranks ranks(5);
  std::vector<ncclComm_t> children(5);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (int rank = 0; rank < 5; ++rank)
    EXPECT_EQ(ncclCommSplit(ranks.comm(size_t(rank)),
                            rank == 4 ? NCCL_SPLIT_NOCOLOR : rank % 2, -rank,
                            &children[size_t(rank)], nullptr),
              ncclSuccess);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess) << ncclGetLastError(nullptr);
  EXPECT_EQ(children[4], nullptr);
  for (int rank = 0; rank < 4; ++rank) {
    int count = 0, place = -1;
    EXPECT_EQ(ncclCommCount(children[size_t(rank)], &count), ncclSuccess);
    EXPECT_EQ(ncclCommUserRank(children[size_t(rank)], &place), ncclSuccess);
    EXPECT_EQ(count, 2);
    EXPECT_EQ(place, rank < 2); // the keys descend
  }
  children.pop_back();
  expectSum(children, 2);
  for (ncclComm_t child : children)
    EXPECT_EQ(ncclCommDestroy(child), ncclSuccess);
  EXPECT_EQ(ncclCommSplit(ranks.comm(0), -2, 0, &children[0], nullptr),
            ncclInvalidArgument);
  EXPECT_EQ(ncclCommSplit(ranks.comm(0), 0, 0, nullptr, nullptr),
            ncclInvalidArgument);
}

TEST(NcclChildren, SeveralSplitsInAGroupKeepTheirOrder) {
  Ranks ranks(2);
  std::vector<ncclComm_t> first(2), second(2);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (size_t rank : {0, 1}) {
    EXPECT_EQ(ncclCommSplit(ranks.comm(rank), 0, 0, &first[rank], nullptr),
              ncclSuccess);
    EXPECT_EQ(
        ncclCommSplit(ranks.comm(rank), int(rank), 0, &second[rank], nullptr),
        ncclSuccess);
  }
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  expectSum(first, 2);
  expectSum(second, 1);
  for (auto *comms : {&first, &second})
    for (ncclComm_t comm : *comms)
      EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
}

TEST(NcclChildren, ShrinkingLeavesRanksOut) {
  Ranks ranks(3);
  Buffer data(Bytes(4));
  std::vector<ncclComm_t> children(2);
  int excluded[] = {1};
  startAlone(ranks, data); // which the new communicators end
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (size_t i : {0, 1})
    EXPECT_EQ(ncclCommShrink(ranks.comm(2 * i), excluded, 1, &children[i],
                             nullptr, NCCL_SHRINK_ABORT),
              ncclSuccess);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess) << ncclGetLastError(nullptr);
  ranks.synchronize();
  expectSum(children, 2);
  for (ncclComm_t child : children)
    EXPECT_EQ(ncclCommDestroy(child), ncclSuccess);
  ncclComm_t child;
  int wrong[] = {7};
  EXPECT_EQ(ncclCommShrink(ranks.comm(1), excluded, 1, &child, nullptr, 0),
            ncclInvalidArgument);
  EXPECT_EQ(ncclCommShrink(ranks.comm(1), wrong, 1, &child, nullptr, 0),
            ncclInvalidArgument);
  EXPECT_EQ(ncclCommShrink(ranks.comm(1), excluded, 0, &child, nullptr, 0),
            ncclInvalidArgument);
}
