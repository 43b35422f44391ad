//===- Forms12Test.cpp - functions that libcudart.so.12 has in old forms --===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/CudaRuntime/CudaRuntimeABI.h"

#include <cstddef>
#include <dlfcn.h>
#include <gtest/gtest.h>

extern "C" {
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int);
cudaError_t cudaMallocManaged(void **, size_t, unsigned);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaGraphCreate(CUgraph *, unsigned);
cudaError_t cudaGraphDestroy(CUgraph);
cudaError_t cudaGraphAddEmptyNode(CUgraphNode *, CUgraph, const CUgraphNode *,
                                  size_t);
cudaError_t cudaStreamCreate(CUstream *);
cudaError_t cudaStreamDestroy(CUstream);
cudaError_t cudaStreamBeginCapture(CUstream, CUstreamCaptureMode);
cudaError_t cudaStreamEndCapture(CUstream, CUgraph *);
cudaError_t cudaMemsetAsync(void *, int, size_t, CUstream);
}

namespace {

// The offsets in CUDA 12.9's header.
static_assert(sizeof(cudaDeviceProp) == 1032);
static_assert(offsetof(cudaDeviceProp, totalConstMem) == 352);
static_assert(offsetof(cudaDeviceProp, multiProcessorCount) == 388);
static_assert(offsetof(cudaDeviceProp, computeMode) == 404);
static_assert(offsetof(cudaDeviceProp, surfaceAlignment) == 568);
static_assert(offsetof(cudaDeviceProp, memoryBusWidth) == 612);
static_assert(offsetof(cudaDeviceProp, clusterLaunch) == 772);

/// Looks up the old form of a function. The headers (Names12.h) make the plain
/// name mean a newer form.
template <typename Function> Function *plain(const char *name) {
  return reinterpret_cast<Function *>(
      dlvsym(RTLD_DEFAULT, name, "libcudart.so.12"));
}

TEST(Forms12Test, PropertiesHaveOldMembers) {
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), 0);
  EXPECT_EQ(properties.clockRate, 1000000);
  EXPECT_EQ(properties.warpSize, 32);
  EXPECT_GE(properties.multiProcessorCount, 4);
  EXPECT_EQ(properties.major, 8);
}

TEST(Forms12Test, MemoryIsPlacedByDeviceNumbers) {
  auto *advise =
      plain<cudaError_t(const void *, size_t, int, int)>("cudaMemAdvise");
  auto *prefetch = plain<cudaError_t(const void *, size_t, int, CUstream)>(
      "cudaMemPrefetchAsync");
  ASSERT_TRUE(advise && prefetch);
  void *memory = nullptr;
  constexpr int kReadMostly = 1, kHost = -1;
  ASSERT_EQ(cudaMallocManaged(&memory, 4096, 1), 0);
  EXPECT_EQ(advise(memory, 4096, kReadMostly, 0), 0);
  EXPECT_EQ(advise(memory, 4096, kReadMostly, kHost), 0);
  EXPECT_EQ(prefetch(memory, 4096, 0, nullptr), 0);
  EXPECT_EQ(prefetch(memory, 4096, kHost, nullptr), 0);
  EXPECT_NE(prefetch(memory, 4096, 7, nullptr), 0);
  cudaFree(memory);
}

TEST(Forms12Test, NodesAreAddedWithoutEdges) {
  using Add = cudaError_t(CUgraphNode *, CUgraph, const CUgraphNode *, size_t,
                          cudaGraphNodeParams *);
  auto *add = plain<Add>("cudaGraphAddNode");
  ASSERT_TRUE(add);
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  cudaGraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_EMPTY;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), 0);
  EXPECT_EQ(add(&node, graph, nullptr, 0, &params), 0);
  EXPECT_EQ(add(&node, graph, &node, 1, &params), 0);
  EXPECT_NE(add(&node, graph, nullptr, 0, nullptr), 0);
  cudaGraphDestroy(graph);
}

TEST(Forms12Test, EdgesHaveNoData) {
  using Change =
      cudaError_t(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
  auto *add = plain<Change>("cudaGraphAddDependencies");
  auto *remove = plain<Change>("cudaGraphRemoveDependencies");
  auto *edges =
      plain<cudaError_t(CUgraph, CUgraphNode *, CUgraphNode *, size_t *)>(
          "cudaGraphGetEdges");
  auto *before = plain<cudaError_t(CUgraphNode, CUgraphNode *, size_t *)>(
      "cudaGraphNodeGetDependencies");
  ASSERT_TRUE(add && remove && edges && before);
  CUgraph graph;
  CUgraphNode first, second, from, to;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), 0);
  ASSERT_EQ(cudaGraphAddEmptyNode(&first, graph, nullptr, 0), 0);
  ASSERT_EQ(cudaGraphAddEmptyNode(&second, graph, nullptr, 0), 0);
  ASSERT_EQ(add(graph, &first, &second, 1), 0);
  size_t count = 1;
  ASSERT_EQ(edges(graph, &from, &to, &count), 0);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(from, first);
  EXPECT_EQ(to, second);
  ASSERT_EQ(before(second, &from, &count), 0);
  EXPECT_EQ(from, first);
  ASSERT_EQ(remove(graph, &first, &second, 1), 0);
  ASSERT_EQ(edges(graph, nullptr, nullptr, &count), 0);
  EXPECT_EQ(count, 0u);
  cudaGraphDestroy(graph);
}

TEST(Forms12Test, CapturesAreAskedWithoutEdges) {
  auto *info = plain<cudaError_t(CUstream, CUstreamCaptureStatus *, uint64_t *,
                                 CUgraph *, const CUgraphNode **, size_t *)>(
      "cudaStreamGetCaptureInfo_v2");
  auto *oldest =
      plain<cudaError_t(CUstream, CUstreamCaptureStatus *, uint64_t *)>(
          "cudaStreamGetCaptureInfo");
  ASSERT_TRUE(info && oldest);
  CUstream stream;
  void *memory;
  ASSERT_EQ(cudaMalloc(&memory, 64), 0);
  ASSERT_EQ(cudaStreamCreate(&stream), 0);
  CUstreamCaptureStatus status;
  uint64_t id = 0, again = 0;
  CUgraph graph = nullptr, made = nullptr;
  const CUgraphNode *last = nullptr;
  size_t count = 0;
  ASSERT_EQ(cudaStreamBeginCapture(stream, CUstreamCaptureMode(0)), 0);
  ASSERT_EQ(cudaMemsetAsync(memory, 0, 64, stream), 0);
  ASSERT_EQ(info(stream, &status, &id, &graph, &last, &count), 0);
  EXPECT_EQ(int(status), 1);
  EXPECT_EQ(count, 1u);
  ASSERT_EQ(oldest(stream, &status, &again), 0);
  EXPECT_EQ(id, again);
  ASSERT_EQ(cudaStreamEndCapture(stream, &made), 0);
  EXPECT_EQ(made, graph);
  cudaGraphDestroy(made);
  cudaStreamDestroy(stream);
  cudaFree(memory);
}

TEST(Forms12Test, ThreadFunctionsAreThoseOfDevices) {
  auto *synchronize = plain<cudaError_t()>("cudaThreadSynchronize");
  auto *together = plain<cudaError_t(void *, unsigned, unsigned)>(
      "cudaLaunchCooperativeKernelMultiDevice");
  ASSERT_TRUE(synchronize && together);
  EXPECT_EQ(synchronize(), 0);
  EXPECT_EQ(together(nullptr, 0, 0), 1); // cudaErrorInvalidValue
}

} // namespace
