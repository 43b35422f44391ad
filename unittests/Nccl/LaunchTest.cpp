//===- LaunchTest.cpp - groups, streams, graphs, and point to point -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

using namespace ncclmodel;

namespace {
/// Ranks with an array of ints each.
class Arrays {
public:
  Arrays(int count, size_t elements) : ranks(count), elements(elements) {
    for (int rank = 0; rank < count; ++rank)
      buffers.push_back(std::make_unique<Buffer>(Bytes(elements * 4)));
  }
  int *data(size_t rank) const { return buffers[rank]->as<int>(); }
  void fill(size_t rank, int value) const {
    std::fill(data(rank), data(rank) + elements, value);
  }
  ncclResult_t allReduce(size_t rank, CUstream stream) const {
    return ncclAllReduce(data(rank), data(rank), elements, ncclInt32, ncclSum,
                         ranks.comm(rank), stream);
  }
  bool isFilled(size_t rank, int value) const {
    return std::all_of(data(rank), data(rank) + elements,
                       [=](int each) { return each == value; });
  }
  Ranks ranks;
  const size_t elements;

private:
  std::vector<std::unique_ptr<Buffer>> buffers;
};
} // namespace

//===----------------------------------------------------------------------===//
// Point to point
//===----------------------------------------------------------------------===//

TEST(NcclPointToPoint, GoesAroundInARing) {
  for (size_t elements : {size_t(1), size_t(1001), size_t(800000)}) {
    Arrays from(4, elements), to(4, elements);
    for (size_t rank = 0; rank < 4; ++rank)
      from.fill(rank, int(rank) + 1);
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    for (int rank = 0; rank < 4; ++rank) {
      ncclComm_t comm = from.ranks.comm(size_t(rank));
      CUstream stream = from.ranks.stream(size_t(rank));
      EXPECT_EQ(ncclSend(from.data(size_t(rank)), elements, ncclInt32,
                         (rank + 1) % 4, comm, stream),
                ncclSuccess);
      EXPECT_EQ(ncclRecv(to.data(size_t(rank)), elements, ncclInt32,
                         (rank + 3) % 4, comm, stream),
                ncclSuccess);
    }
    ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
    from.ranks.synchronize();
    for (size_t rank = 0; rank < 4; ++rank)
      EXPECT_TRUE(to.isFilled(rank, int((rank + 3) % 4) + 1));
  }
}

TEST(NcclPointToPoint, SeveralMessagesKeepTheirOrder) {
  Arrays arrays(2, 6);
  std::iota(arrays.data(0), arrays.data(0) + 6, 10);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ncclSend(arrays.data(0) + 2 * i, 2, ncclInt32, 1,
                       arrays.ranks.comm(0), arrays.ranks.stream(0)),
              ncclSuccess);
    EXPECT_EQ(ncclRecv(arrays.data(1) + 2 * i, 2, ncclInt32, 0,
                       arrays.ranks.comm(1), arrays.ranks.stream(1)),
              ncclSuccess);
  }
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  arrays.ranks.synchronize();
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(arrays.data(1)[i], 10 + i);
}

TEST(NcclPointToPoint, ARankSendsToItself) {
  Arrays arrays(1, 2);
  arrays.data(0)[0] = 7;
  ncclComm_t comm = arrays.ranks.comm(0);
  CUstream stream = arrays.ranks.stream(0);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  ncclSend(arrays.data(0), 1, ncclInt32, 0, comm, stream);
  ncclRecv(arrays.data(0) + 1, 1, ncclInt32, 0, comm, stream);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  arrays.ranks.synchronize();
  EXPECT_EQ(arrays.data(0)[1], 7);
  // Neither without a receiver, nor with one for more.
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  ncclSend(arrays.data(0), 1, ncclInt32, 0, comm, stream);
  ncclRecv(arrays.data(0), 2, ncclInt32, 0, comm, stream);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidUsage);
}

TEST(NcclPointToPoint, WrongSizesAreAnError) {
  Arrays arrays(2, 4);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  ncclSend(arrays.data(0), 4, ncclInt32, 1, arrays.ranks.comm(0),
           arrays.ranks.stream(0));
  ncclRecv(arrays.data(1), 3, ncclInt32, 0, arrays.ranks.comm(1),
           arrays.ranks.stream(1));
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  arrays.ranks.synchronize();
  ncclResult_t state;
  EXPECT_EQ(ncclCommGetAsyncError(arrays.ranks.comm(1), &state), ncclSuccess);
  EXPECT_EQ(state, ncclInvalidUsage);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

TEST(NcclGroups, MixOperationsAndNest) {
  Arrays sums(3, 100), sent(3, 100);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (size_t rank = 0; rank < 3; ++rank) {
    sums.fill(rank, 2);
    sent.fill(rank, int(rank));
    ncclComm_t comm = sums.ranks.comm(rank);
    CUstream stream = sums.ranks.stream(rank);
    auto send = [&] {
      if (rank == 0)
        ncclSend(sent.data(0), 100, ncclInt32, 2, comm, stream);
      if (rank == 2)
        ncclRecv(sent.data(2), 100, ncclInt32, 0, comm, stream);
    };
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    if (rank == 0) // not in the same place on all ranks
      send();
    EXPECT_EQ(sums.allReduce(rank, stream), ncclSuccess);
    if (rank != 0)
      send();
    EXPECT_EQ(sums.allReduce(rank, stream), ncclSuccess);
    ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  }
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  sums.ranks.synchronize();
  for (size_t rank = 0; rank < 3; ++rank)
    EXPECT_TRUE(sums.isFilled(rank, 18));
  EXPECT_TRUE(sent.isFilled(2, 0));
}

TEST(NcclGroups, AWrongCallMakesTheGroupFail) {
  Arrays arrays(1, 1);
  arrays.fill(0, 5);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(arrays.allReduce(0, arrays.ranks.stream(0)), ncclSuccess);
  EXPECT_EQ(ncclSend(arrays.data(0), 1, ncclInt32, 9, arrays.ranks.comm(0),
                     arrays.ranks.stream(0)),
            ncclInvalidArgument);
  EXPECT_EQ(ncclGroupEnd(), ncclInvalidArgument);
  EXPECT_EQ(arrays.allReduce(0, arrays.ranks.stream(0)), ncclSuccess);
  arrays.ranks.synchronize();
}

TEST(NcclGroups, SimulatedOnesDoNotRun) {
  Arrays arrays(2, 1);
  ncclSimInfo_t info = {sizeof(info), NCCL_SIM_INFO_MAGIC, NCCL_VERSION_CODE,
                        -1};
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(arrays.allReduce(0, arrays.ranks.stream(0)), ncclSuccess);
  EXPECT_EQ(ncclGroupSimulateEnd(&info), ncclSuccess);
  EXPECT_GE(info.estimatedTime, 0);
  arrays.ranks.synchronize();
  info.magic = 0;
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  EXPECT_EQ(ncclGroupSimulateEnd(&info), ncclInvalidArgument);
  EXPECT_EQ(ncclGroupEnd(), ncclSuccess);
}

TEST(NcclGroups, ReachRanksInOneStream) {
  // Only if all arrive before the first one waits.
  ncclUniqueId id;
  ncclComm_t comms[3];
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (int rank = 0; rank < 3; ++rank)
    ASSERT_EQ(ncclCommInitRank(&comms[rank], 3, id, rank), ncclSuccess);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  Buffer data(Bytes(12, 1));
  for (CUstream stream : {CUstream(nullptr), CU_STREAM_PER_THREAD}) {
    ASSERT_EQ(ncclGroupStart(), ncclSuccess);
    for (int rank = 0; rank < 3; ++rank)
      ASSERT_EQ(ncclAllReduce(data.data() + 4 * rank, data.data() + 4 * rank, 4,
                              ncclUint8, ncclSum, comms[rank], stream),
                ncclSuccess);
    ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
    ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  }
  EXPECT_EQ(data.bytes(), Bytes(12, 9));
  for (ncclComm_t comm : comms)
    EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

static void sleepAWhile(void *) {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
}
static void setToFour(void *data) { *static_cast<int *>(data) = 4; }

TEST(NcclStreams, OperationsWaitForEarlierWork) {
  Arrays arrays(2, 1);
  arrays.fill(1, 3);
  CUstream stream = arrays.ranks.stream(0);
  ASSERT_EQ(cuLaunchHostFunc(stream, sleepAWhile, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cuLaunchHostFunc(stream, setToFour, arrays.data(0)), CUDA_SUCCESS);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (size_t rank : {0, 1})
    ASSERT_EQ(arrays.allReduce(rank, arrays.ranks.stream(rank)), ncclSuccess);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  arrays.ranks.synchronize();
  EXPECT_EQ(*arrays.data(0), 7);
  EXPECT_EQ(*arrays.data(1), 7);
}

TEST(NcclStreams, OfOneRankKeepTheOrderOfCalls) {
  // The first call is in a stream that is late, on one of the two ranks.
  Arrays arrays(2, 1), others(2, 2);
  CUstream late[2];
  for (CUstream &stream : late)
    ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuLaunchHostFunc(late[0], sleepAWhile, nullptr), CUDA_SUCCESS);
  for (size_t rank : {0, 1}) {
    arrays.fill(rank, 1);
    others.fill(rank, 1);
    ASSERT_EQ(arrays.allReduce(rank, late[rank]), ncclSuccess);
    ASSERT_EQ(ncclAllReduce(others.data(rank), others.data(rank), 2, ncclInt32,
                            ncclSum, arrays.ranks.comm(rank),
                            arrays.ranks.stream(rank)),
              ncclSuccess);
  }
  arrays.ranks.synchronize();
  for (CUstream stream : late) {
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  }
  for (size_t rank : {0, 1}) {
    EXPECT_TRUE(arrays.isFilled(rank, 2));
    EXPECT_TRUE(others.isFilled(rank, 2));
  }
}

TEST(NcclStreams, DestroyingARankFinishesItsWork) {
  ncclUniqueId id;
  ncclComm_t comm;
  ASSERT_EQ(ncclGetUniqueId(&id), ncclSuccess);
  ASSERT_EQ(ncclCommInitRank(&comm, 1, id, 0), ncclSuccess);
  Buffer from(Bytes(4, 1)), to(Bytes(4));
  ASSERT_EQ(cuLaunchHostFunc(CU_STREAM_PER_THREAD, sleepAWhile, nullptr),
            CUDA_SUCCESS);
  ASSERT_EQ(ncclAllReduce(from.data(), to.data(), 4, ncclInt8, ncclSum, comm,
                          CU_STREAM_PER_THREAD),
            ncclSuccess);
  ASSERT_EQ(ncclCommDestroy(comm), ncclSuccess);
  EXPECT_EQ(to.bytes(), Bytes(4, 1));
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

TEST(NcclGraphs, OfEachRankCanBeReplayed) {
  Arrays arrays(2, 1000);
  CUgraphExec execs[2];
  for (size_t rank : {0, 1})
    ASSERT_EQ(cuStreamBeginCapture_v2(arrays.ranks.stream(rank),
                                      CU_STREAM_CAPTURE_MODE_RELAXED),
              CUDA_SUCCESS);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (size_t rank : {0, 1})
    ASSERT_EQ(arrays.allReduce(rank, arrays.ranks.stream(rank)), ncclSuccess);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess) << ncclGetLastError(nullptr);
  for (size_t rank : {0, 1}) {
    CUgraph graph;
    ASSERT_EQ(cuStreamEndCapture(arrays.ranks.stream(rank), &graph),
              CUDA_SUCCESS);
    ASSERT_EQ(cuGraphInstantiateWithFlags(&execs[rank], graph, 0),
              CUDA_SUCCESS);
    ASSERT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
    arrays.fill(rank, 1);
  }
  for (int run = 0; run < 5; ++run)
    for (size_t rank : {0, 1})
      ASSERT_EQ(cuGraphLaunch(execs[rank], arrays.ranks.stream(rank)),
                CUDA_SUCCESS);
  arrays.ranks.synchronize();
  for (size_t rank : {0, 1}) {
    EXPECT_TRUE(arrays.isFilled(rank, 32));
    EXPECT_EQ(cuGraphExecDestroy(execs[rank]), CUDA_SUCCESS);
  }
}

TEST(NcclGraphs, WithAllRanksRunNodeByNode) {
  // A rank has other nodes in front, so that its operation comes late.
  Arrays arrays(3, 100);
  CUstream origin = arrays.ranks.stream(0);
  CUevent fork, joins[3];
  arrays.ranks.enter(0);
  ASSERT_EQ(cuEventCreate(&fork, 2), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamBeginCapture_v2(origin, CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS);
  ASSERT_EQ(cuEventRecord(fork, origin), CUDA_SUCCESS);
  for (size_t rank : {1, 2}) {
    arrays.ranks.enter(rank);
    ASSERT_EQ(cuEventCreate(&joins[rank], 2), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamWaitEvent(arrays.ranks.stream(rank), fork, 0),
              CUDA_SUCCESS);
  }
  for (int i = 0; i < 4; ++i)
    ASSERT_EQ(cuLaunchHostFunc(origin, setToFour, arrays.data(0)),
              CUDA_SUCCESS);
  ASSERT_EQ(ncclGroupStart(), ncclSuccess);
  for (size_t rank : {0, 1, 2})
    ASSERT_EQ(arrays.allReduce(rank, arrays.ranks.stream(rank)), ncclSuccess);
  ASSERT_EQ(ncclGroupEnd(), ncclSuccess);
  for (size_t rank : {1, 2}) {
    ASSERT_EQ(cuEventRecord(joins[rank], arrays.ranks.stream(rank)),
              CUDA_SUCCESS);
    ASSERT_EQ(cuStreamWaitEvent(origin, joins[rank], 0), CUDA_SUCCESS);
    EXPECT_EQ(cuEventDestroy_v2(joins[rank]), CUDA_SUCCESS);
  }
  CUgraph graph;
  CUgraphExec exec;
  ASSERT_EQ(cuStreamEndCapture(origin, &graph), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  for (size_t rank : {0, 1, 2})
    arrays.fill(rank, 1);
  ASSERT_EQ(cuGraphLaunch(exec, origin), CUDA_SUCCESS);
  arrays.ranks.synchronize();
  EXPECT_EQ(arrays.data(2)[0], 6);
  EXPECT_EQ(arrays.data(2)[1], 3);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(cuEventDestroy_v2(fork), CUDA_SUCCESS);
}
