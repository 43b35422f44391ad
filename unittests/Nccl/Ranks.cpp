//===- Ranks.cpp - ranks of this process, for tests -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Ranks.h"
#include "unittests/FourDevices.h"

#include <algorithm>
#include <numeric>

using namespace ncclmodel;

/// The ranks are spread over the devices that there are.
static CUcontext contextOf(int rank) {
  int devices = 0;
  CUcontext context = nullptr;
  EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cuDeviceGetCount(&devices), CUDA_SUCCESS);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, rank % devices), CUDA_SUCCESS);
  return context;
}

Ranks::Ranks(int count) : count(count), ranks(size_t(count)) {
  std::iota(ranks.begin(), ranks.end(), 0);
  makeStreams();
  int devices = 1;
  cuDeviceGetCount(&devices);
  std::vector<int> numbers;
  for (int rank : ranks)
    numbers.push_back(rank % devices);
  EXPECT_EQ(ncclCommInitAll(comms.data(), count, numbers.data()), ncclSuccess)
      << ncclGetLastError(nullptr);
}

Ranks::Ranks(int count, const ncclUniqueId &id, std::vector<int> local)
    : count(count), ranks(std::move(local)) {
  makeStreams();
  EXPECT_EQ(ncclGroupStart(), ncclSuccess);
  for (size_t i = 0; i < ranks.size(); ++i) {
    cuCtxSetCurrent(contexts[i]);
    EXPECT_EQ(ncclCommInitRank(&comms[i], count, id, ranks[i]), ncclSuccess);
  }
  EXPECT_EQ(ncclGroupEnd(), ncclSuccess) << ncclGetLastError(nullptr);
}

void Ranks::makeStreams() {
  comms.resize(ranks.size());
  streams.resize(ranks.size());
  for (size_t i = 0; i < ranks.size(); ++i) {
    contexts.push_back(contextOf(ranks[i]));
    cuCtxSetCurrent(contexts[i]);
    EXPECT_EQ(cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING),
              CUDA_SUCCESS);
  }
}

Ranks::~Ranks() {
  for (ncclComm_t comm : comms)
    EXPECT_EQ(ncclCommDestroy(comm), ncclSuccess);
  for (CUstream stream : streams)
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
}

void Ranks::synchronize() const {
  for (CUstream stream : streams)
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
}

ncclResult_t ncclmodel::call(const Collective &collective, const void *send,
                             void *recv, ncclRedOp_t op, ncclComm_t comm,
                             CUstream stream) {
  const auto &[kind, type, model, root, count, ranks] = collective;
  switch (kind) {
  case Kind::AllReduce:
    return ncclAllReduce(send, recv, count, type, op, comm, stream);
  case Kind::Reduce:
    return ncclReduce(send, recv, count, type, op, root, comm, stream);
  case Kind::ReduceScatter:
    return ncclReduceScatter(send, recv, count, type, op, comm, stream);
  case Kind::Broadcast:
    return ncclBroadcast(send, recv, count, type, root, comm, stream);
  case Kind::AllGather:
    return ncclAllGather(send, recv, count, type, comm, stream);
  case Kind::AlltoAll:
    return ncclAlltoAll(send, recv, count, type, comm, stream);
  case Kind::Gather:
    return ncclGather(send, recv, count, type, root, comm, stream);
  case Kind::Scatter:
    return ncclScatter(send, recv, count, type, root, comm, stream);
  }
  return ncclInternalError;
}

namespace {
/// The buffers of one rank.
struct Own {
  Own(const Collective &call, int rank, bool inPlace)
      : in(call.input(rank)), out(call.recvCount() * sizeOf(call.type)) {
    send = in.data();
    recv = out.data();
    if (!inPlace)
      return;
    size_t offset = call.inPlaceOffset(rank) * sizeOf(call.type);
    if (call.recvCount() > call.sendCount()) {
      std::copy(in.data(), in.data() + call.sendCount() * sizeOf(call.type),
                out.data() + offset);
      send = out.data() + offset;
    } else {
      recv = in.data() + offset;
    }
  }
  Buffer in, out;
  unsigned char *send, *recv;
};
} // namespace

void Ranks::check(const Collective &collective, bool inPlace) const {
  std::vector<std::unique_ptr<Own>> own;
  std::vector<ncclRedOp_t> ops(ranks.size(), ncclRedOp_t(collective.op));
  for (size_t i = 0; i < ranks.size(); ++i) {
    cuCtxSetCurrent(contexts[i]);
    // Only the root of a scatter has the data in place.
    bool here = inPlace && (collective.kind != Kind::Scatter ||
                            ranks[i] == collective.root);
    own.push_back(std::make_unique<Own>(collective, ranks[i], here));
    Bytes factor = collective.factor(ranks[i]);
    if (collective.op == kPreMulSum)
      EXPECT_EQ(ncclRedOpCreatePreMulSum(&ops[i], factor.data(),
                                         collective.type,
                                         ncclScalarHostImmediate, comms[i]),
                ncclSuccess);
  }
  EXPECT_EQ(ncclGroupStart(), ncclSuccess);
  for (size_t i = 0; i < ranks.size(); ++i)
    EXPECT_EQ(call(collective, own[i]->send, own[i]->recv, ops[i], comms[i],
                   streams[i]),
              ncclSuccess);
  EXPECT_EQ(ncclGroupEnd(), ncclSuccess) << ncclGetLastError(nullptr);
  synchronize();
  for (size_t i = 0; i < ranks.size(); ++i) {
    Bytes expected = collective.expected(ranks[i]);
    Bytes found(own[i]->recv, own[i]->recv + expected.size());
    EXPECT_TRUE(found == expected)
        << collective.describe() << ", rank " << ranks[i]
        << (inPlace ? ", in place" : "") << ", first at byte "
        << std::mismatch(found.begin(), found.end(), expected.begin()).first -
               found.begin();
    if (collective.op == kPreMulSum)
      EXPECT_EQ(ncclRedOpDestroy(ops[i], comms[i]), ncclSuccess);
  }
}

void Ranks::checkAll(Kind kind, size_t elements) const {
  int number = 0;
  for (int type = 0; type < ncclNumTypes; ++type)
    for (int op = 0; op <= (isReduction(kind) ? kPreMulSum : 0); ++op) {
      int root = ++number % count;
      Collective collective{kind, ncclDataType_t(type), op, root, elements,
                            count};
      check(collective, collective.hasInPlace() && number % 2);
      if (::testing::Test::HasFailure())
        return;
    }
}
