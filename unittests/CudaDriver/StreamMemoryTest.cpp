//===- StreamMemoryTest.cpp - streams that write and wait for values ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DriverFixture.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace {

class StreamMemory : public Driver {
protected:
  void SetUp() override {
    Driver::SetUp();
    ASSERT_EQ(cuMemHostAlloc(reinterpret_cast<void **>(&host), 64, 0),
              CUDA_SUCCESS);
    address = reinterpret_cast<CUdeviceptr>(host);
    for (int i = 0; i < 8; ++i)
      host[i] = 0;
    ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    EXPECT_EQ(cuMemFreeHost(host), CUDA_SUCCESS);
    Driver::TearDown();
  }
  void store(unsigned i, uint64_t value) {
    __atomic_store_n(&host[i], value, __ATOMIC_RELEASE);
  }
  /// Reads a word that the stream may be writing.
  uint64_t load(unsigned i) {
    return __atomic_load_n(&host[i], __ATOMIC_ACQUIRE);
  }
  /// Expects that the stream does not finish its work within 20 ms.
  void expectWaiting() {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_EQ(cuStreamQuery(stream), CUDA_ERROR_NOT_READY);
  }

  uint64_t *host = nullptr;
  CUdeviceptr address = 0;
  CUstream stream = nullptr;
};

TEST_F(StreamMemory, WaitsForTheHost) {
  ASSERT_EQ(
      cuStreamWaitValue32_v2(stream, address, 5, CU_STREAM_WAIT_VALUE_GEQ),
      CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWriteValue64_v2(stream, address + 8, 0x123456789abcdef0, 0),
            CUDA_SUCCESS);
  expectWaiting();
  EXPECT_EQ(load(1), 0u);
  store(0, 4);
  expectWaiting();
  store(0, 6);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(host[1], 0x123456789abcdef0u);
}

TEST_F(StreamMemory, CountersWrapAround) {
  store(0, 0x00000003); // 3 comes after 2^32 - 2
  ASSERT_EQ(cuStreamWaitValue32_v2(stream, address, 0xfffffffe,
                                   CU_STREAM_WAIT_VALUE_GEQ),
            CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  // As 64-bit numbers, 3 is less.
  ASSERT_EQ(cuStreamWaitValue64_v2(stream, address, 0xfffffffe,
                                   CU_STREAM_WAIT_VALUE_GEQ),
            CUDA_SUCCESS);
  expectWaiting();
  store(0, 0xfffffffe);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
}

TEST_F(StreamMemory, Conditions) {
  ASSERT_EQ(
      cuStreamWaitValue64_v2(stream, address, 0x10, CU_STREAM_WAIT_VALUE_AND),
      CUDA_SUCCESS);
  expectWaiting();
  store(0, 0x30);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  store(0, 0xffff0000);
  ASSERT_EQ(
      cuStreamWaitValue32_v2(stream, address, 0xffff, CU_STREAM_WAIT_VALUE_NOR),
      CUDA_SUCCESS);
  expectWaiting();
  store(0, 0xfffe0000);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWaitValue32_v2(stream, address, 7, CU_STREAM_WAIT_VALUE_EQ),
            CUDA_SUCCESS);
  expectWaiting();
  store(0, 7);
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
}

// Two streams take turns.
TEST_F(StreamMemory, StreamsWaitForEachOther) {
  CUstream other = nullptr;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  CUdeviceptr data = 0;
  ASSERT_EQ(cuMemAlloc_v2(&data, 4), CUDA_SUCCESS);
  ASSERT_EQ(cuMemsetD32_v2(data, 0, 1), CUDA_SUCCESS);
  for (unsigned round = 0; round < 50; ++round) {
    ASSERT_EQ(cuStreamWaitValue32_v2(other, address, 2 * round + 1, 0),
              CUDA_SUCCESS);
    ASSERT_EQ(launchAdd(data, 1, 1, other), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamWriteValue32_v2(other, address, 2 * round + 2, 0),
              CUDA_SUCCESS);
    ASSERT_EQ(launchAdd(data, 100, 1, stream), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamWriteValue32_v2(stream, address, 2 * round + 1, 0),
              CUDA_SUCCESS);
    ASSERT_EQ(cuStreamWaitValue32_v2(stream, address, 2 * round + 2, 0),
              CUDA_SUCCESS);
  }
  EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamSynchronize(other), CUDA_SUCCESS);
  unsigned sum = 0;
  EXPECT_EQ(cuMemcpyDtoH_v2(&sum, data, 4), CUDA_SUCCESS);
  EXPECT_EQ(sum, 5050u);
  EXPECT_EQ(cuMemFree_v2(data), CUDA_SUCCESS);
  EXPECT_EQ(cuStreamDestroy_v2(other), CUDA_SUCCESS);
}

TEST_F(StreamMemory, BatchesAndNodes) {
  CUstreamBatchMemOpParams steps[3] = {};
  steps[0].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  steps[0].writeValue.address = address;
  steps[0].writeValue.value64 = 11;
  steps[1].memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
  steps[2].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  steps[2].waitValue.address = address + 8;
  steps[2].waitValue.value64 = 3;
  ASSERT_EQ(cuStreamBatchMemOp_v2(stream, 3, steps, 0), CUDA_SUCCESS);
  while (load(0) != 11) // on a busy machine the stream begins late
    std::this_thread::yield();
  expectWaiting();
  store(1, 3);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);

  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  CUDA_BATCH_MEM_OP_NODE_PARAMS params{nullptr, 1, steps, 0}, back{};
  ASSERT_EQ(cuGraphAddBatchMemOpNode(&node, graph, nullptr, 0, &params),
            CUDA_SUCCESS);
  CUgraphNodeType type;
  EXPECT_EQ(cuGraphNodeGetType(node, &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  EXPECT_EQ(cuGraphBatchMemOpNodeGetParams(node, &back), CUDA_SUCCESS);
  ASSERT_EQ(back.count, 1u);
  EXPECT_EQ(back.paramArray[0].writeValue.value64, 11u);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  store(0, 0);
  ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(host[0], 11u);
  steps[0].writeValue.value64 = 12;
  EXPECT_EQ(cuGraphExecBatchMemOpNodeSetParams(exec, node, &params),
            CUDA_SUCCESS);
  ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(host[0], 12u);
  EXPECT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
}

// A write in a captured stream becomes a node.
TEST_F(StreamMemory, Captured) {
  CUgraph graph = nullptr;
  size_t count = 0;
  ASSERT_EQ(
      cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
      CUDA_SUCCESS);
  EXPECT_EQ(cuStreamWriteValue32_v2(stream, address, 9, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  EXPECT_EQ(host[0], 0u);
  EXPECT_EQ(cuGraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
}

TEST_F(StreamMemory, BadArguments) {
  uint64_t elsewhere = 0;
  auto outside = reinterpret_cast<CUdeviceptr>(&elsewhere);
  EXPECT_EQ(cuStreamWriteValue32_v2(stream, outside, 1, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue32_v2(stream, address + 2, 1, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue64_v2(stream, address + 4, 1, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWriteValue32_v2(stream, address, 1, 2),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamWaitValue32_v2(stream, address, 1, 4),
            CUDA_ERROR_INVALID_VALUE);
  CUstreamBatchMemOpParams step{};
  EXPECT_EQ(cuStreamBatchMemOp_v2(stream, 1, &step, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamBatchMemOp_v2(stream, 1, nullptr, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamBatchMemOp_v2(stream, 257, &step, 0),
            CUDA_ERROR_INVALID_VALUE);
}

// Waits end when a kernel of the context fails, which might have written the
// value.
TEST_F(StreamMemory, FailureEndsWaits) {
  CUstream other = nullptr;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  ASSERT_EQ(cuStreamWaitValue32_v2(stream, address, 1, 0), CUDA_SUCCESS);
  expectWaiting();
  ASSERT_EQ(launch("crash", 1, 1, nullptr, other), CUDA_SUCCESS);
  EXPECT_NE(cuStreamSynchronize(other), CUDA_SUCCESS);
  EXPECT_NE(cuStreamSynchronize(stream), CUDA_SUCCESS);
  EXPECT_EQ(cuCtxDestroy_v2(context), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxCreate_v2(&context, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuMemHostAlloc(reinterpret_cast<void **>(&host), 64, 0),
            CUDA_SUCCESS);
  ASSERT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
}

} // namespace
