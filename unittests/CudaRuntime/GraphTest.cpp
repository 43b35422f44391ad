//===- GraphTest.cpp - nodes of any kind, by the runtime ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/CudaRuntime/CudaRuntimeABI.h"

#include <gtest/gtest.h>

extern "C" {
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaMemcpy(void *, const void *, size_t, int);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaStreamSynchronize(CUstream);
cudaError_t cudaGraphCreate(CUgraph *, unsigned);
cudaError_t cudaGraphAddNode(CUgraphNode *, CUgraph, const CUgraphNode *,
                             const CUgraphEdgeData *, size_t,
                             cudaGraphNodeParams *);
cudaError_t cudaGraphNodeSetParams(CUgraphNode, cudaGraphNodeParams *);
cudaError_t cudaGraphExecNodeSetParams(CUgraphExec, CUgraphNode,
                                       cudaGraphNodeParams *);
cudaError_t cudaGraphConditionalHandleCreate(CUgraphConditionalHandle *,
                                             CUgraph, unsigned, unsigned);
cudaError_t cudaGraphInstantiate(CUgraphExec *, CUgraph, unsigned long long);
cudaError_t cudaGraphLaunch(CUgraphExec, CUstream);
}

namespace {
const char *const kStore = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 to, .param .u32 value)
{
  .reg .b32 %v; .reg .b64 %p;
  ld.param.u64 %p, [to]; ld.param.u32 %v, [value];
  st.global.u32 [%p], %v;
  ret;
}
)";

class RuntimeGraphs : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(cudaMalloc(&data, 64), 0);
    ASSERT_EQ(cudaMemset(data, 0, 64), 0);
    ASSERT_EQ(cudaGraphCreate(&graph, 0), 0);
  }
  void TearDown() override { cudaFree(data); }
  void run() {
    ASSERT_EQ(cudaGraphLaunch(exec, nullptr), 0);
    ASSERT_EQ(cudaStreamSynchronize(nullptr), 0);
  }
  unsigned read(int index) {
    unsigned all[16] = {};
    EXPECT_EQ(cudaMemcpy(all, data, 64, cudaMemcpyDeviceToHost), 0);
    return all[index];
  }
  cudaGraphNodeParams storeParams(void **args) {
    CUlibrary library = nullptr;
    CUkernel kernel = nullptr;
    EXPECT_EQ(cuLibraryLoadData(&library, kStore, nullptr, nullptr, 0, nullptr,
                                nullptr, 0),
              CUDA_SUCCESS);
    EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "store"), CUDA_SUCCESS);
    cudaGraphNodeParams params{};
    params.type = CU_GRAPH_NODE_TYPE_KERNEL;
    params.kernel = {kernel, {1, 1, 1}, {1, 1, 1}, 0, args, nullptr};
    return params;
  }

  void *data = nullptr;
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr;
};
} // namespace

TEST_F(RuntimeGraphs, NodesOfAnyKindAreAddedAndChanged) {
  unsigned value = 5;
  void *args[] = {&data, &value};
  cudaGraphNodeParams kernel = storeParams(args);
  ASSERT_EQ(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &kernel), 0);
  cudaGraphNodeParams copy{};
  unsigned *ends = static_cast<unsigned *>(data);
  copy.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  copy.memcpy.copyParams.srcPtr = {ends, 4, 4, 1};
  copy.memcpy.copyParams.dstPtr = {ends + 1, 4, 4, 1};
  copy.memcpy.copyParams.extent = {4, 1, 1};
  copy.memcpy.copyParams.kind = cudaMemcpyDeviceToDevice;
  CUgraphNode behind;
  ASSERT_EQ(cudaGraphAddNode(&behind, graph, &node, nullptr, 1, &copy), 0);
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), 0);
  run();
  EXPECT_EQ(read(0), 5u);
  EXPECT_EQ(read(1), 5u);
  value = 6;
  ASSERT_EQ(cudaGraphExecNodeSetParams(exec, node, &kernel), 0);
  copy.memcpy.copyParams.dstPtr.ptr = ends + 2;
  ASSERT_EQ(cudaGraphExecNodeSetParams(exec, behind, &copy), 0);
  run();
  EXPECT_EQ(read(1), 5u);
  EXPECT_EQ(read(2), 6u);
  value = 7;
  ASSERT_EQ(cudaGraphNodeSetParams(node, &kernel), 0);
  run();
  EXPECT_EQ(read(0), 6u); // the instance keeps what it has
  EXPECT_NE(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, nullptr), 0);
  EXPECT_NE(cudaGraphNodeSetParams(node, nullptr), 0);
  EXPECT_NE(cudaGraphExecNodeSetParams(exec, node, nullptr), 0);
}

TEST_F(RuntimeGraphs, NodesThatAllocateReturnTheAddress) {
  cudaGraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  params.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  params.alloc.bytesize = 64;
  ASSERT_EQ(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params), 0);
  EXPECT_NE(params.alloc.dptr, 0u);
}

TEST_F(RuntimeGraphs, ConditionalNodesReturnTheirBodies) {
  CUgraphConditionalHandle handle;
  ASSERT_EQ(cudaGraphConditionalHandleCreate(&handle, graph, 2,
                                             CU_GRAPH_COND_ASSIGN_DEFAULT),
            0);
  cudaGraphNodeParams params{};
  params.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  params.conditional.handle = handle;
  params.conditional.type = CU_GRAPH_COND_TYPE_SWITCH;
  params.conditional.size = 3;
  ASSERT_EQ(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &params), 0);
  for (unsigned i = 0; i < 3; ++i) {
    unsigned value = 10 + i;
    void *args[] = {&data, &value};
    cudaGraphNodeParams kernel = storeParams(args);
    ASSERT_EQ(cudaGraphAddNode(&node, params.conditional.phGraph_out[i],
                               nullptr, nullptr, 0, &kernel),
              0);
  }
  ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), 0);
  run();
  EXPECT_EQ(read(0), 12u);
  EXPECT_NE(cudaGraphConditionalHandleCreate(nullptr, graph, 0, 0), 0);
}
