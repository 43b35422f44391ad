//===- GraphFixture.h - a test with a graph and kernels for it --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_UNITTESTS_CUDADRIVER_GRAPHFIXTURE_H
#define PTXJIT_UNITTESTS_CUDADRIVER_GRAPHFIXTURE_H

#include "DriverFixture.h"

#include <initializer_list>
#include <vector>

/// The calls are as nvcc makes them.
inline const char *const kGraphKernels = R"(.version 8.3
.target sm_80
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.extern .func (.param .b32 result) cudaGraphLaunch(
  .param .b64 exec, .param .b64 stream);
.extern .func (.param .b32 result) cudaGraphKernelNodeSetParam(
  .param .b64 node, .param .b64 offset, .param .b64 value, .param .b64 bytes);
.extern .func (.param .b32 result) cudaGraphKernelNodeSetEnabled(
  .param .b64 node, .param .b32 enabled);
.extern .func (.param .b32 result) cudaGraphKernelNodeSetGridDim(
  .param .b64 node, .param .align 4 .b8 grid[12]);
.extern .func (.param .b32 result) cudaGraphKernelNodeUpdatesApply(
  .param .b64 updates, .param .b64 count);

// *to += value
.visible .entry bump(.param .u64 to, .param .u32 value)
{
  .reg .b32 %v; .reg .b64 %p;
  ld.param.u64 %p, [to]; ld.param.u32 %v, [value];
  red.global.add.u32 [%p], %v;
  ret;
}
// Sets the condition to the value.
.visible .entry decide(.param .u64 handle, .param .u32 value)
{
  .reg .b32 %v; .reg .b64 %h;
  ld.param.u64 %h, [handle]; ld.param.u32 %v, [value];
  {
    .param .b64 a; .param .b32 b;
    st.param.b64 [a], %h; st.param.b32 [b], %v;
    call.uni cudaGraphSetConditional, (a, b);
  }
  ret;
}
// Sets the condition to --*left.
.visible .entry countdown(.param .u64 left, .param .u64 handle)
{
  .reg .b32 %v; .reg .b64 %p, %h;
  ld.param.u64 %p, [left]; ld.param.u64 %h, [handle];
  ld.global.u32 %v, [%p];
  sub.u32 %v, %v, 1;
  st.global.u32 [%p], %v;
  {
    .param .b64 a; .param .b32 b;
    st.param.b64 [a], %h; st.param.b32 [b], %v;
    call.uni cudaGraphSetConditional, (a, b);
  }
  ret;
}
// Sets *mine, then waits for *other.
.visible .entry meet(.param .u64 mine, .param .u64 other)
{
  .reg .b32 %v; .reg .b64 %m, %o; .reg .pred %q;
  ld.param.u64 %m, [mine]; ld.param.u64 %o, [other];
  st.volatile.global.u32 [%m], 1;
LOOP:
  ld.volatile.global.u32 %v, [%o];
  setp.eq.u32 %q, %v, 0;
  @%q bra LOOP;
  ret;
}
// to[0] = result of cudaGraphLaunch, to[1] = 1 if this graph may be launched
.visible .entry launch(.param .u64 exec, .param .u64 stream, .param .u64 to)
{
  .reg .b32 %v; .reg .b64 %e, %s, %p; .reg .pred %q;
  ld.param.u64 %e, [exec]; ld.param.u64 %s, [stream]; ld.param.u64 %p, [to];
  {
    .param .b64 a; .param .b64 b; .param .b32 r;
    st.param.b64 [a], %e; st.param.b64 [b], %s;
    call.uni (r), cudaGraphLaunch, (a, b);
    ld.param.b32 %v, [r];
  }
  st.global.u32 [%p], %v;
  mov.u64 %e, %current_graph_exec;
  setp.ne.u64 %q, %e, 0;
  selp.u32 %v, 1, 0, %q;
  st.global.u32 [%p+4], %v;
  ret;
}
// Launches the graph that it runs in behind itself while --*left is not 0.
.visible .entry relaunch(.param .u64 left)
{
  .reg .b32 %v; .reg .b64 %e, %p; .reg .pred %q;
  ld.param.u64 %p, [left];
  ld.global.u32 %v, [%p];
  sub.u32 %v, %v, 1;
  st.global.u32 [%p], %v;
  setp.eq.u32 %q, %v, 0;
  @%q ret;
  mov.u64 %e, %current_graph_exec;
  {
    .param .b64 a; .param .b64 b; .param .b32 r;
    st.param.b64 [a], %e; st.param.b64 [b], 72057594037927936;
    call.uni (r), cudaGraphLaunch, (a, b);
  }
  ret;
}
// Sets a parameter, the grid and whether the node is enabled.
.visible .entry update(.param .u64 node, .param .u64 offset, .param .u64 value,
  .param .u64 bytes, .param .u32 grid, .param .u32 enabled, .param .u64 to)
{
  .reg .b32 %v, %g, %n; .reg .b64 %d, %o, %f, %b, %p;
  ld.param.u64 %d, [node]; ld.param.u64 %o, [offset]; ld.param.u64 %f, [value];
  ld.param.u64 %b, [bytes]; ld.param.u32 %g, [grid]; ld.param.u32 %n, [enabled];
  ld.param.u64 %p, [to];
  {
    .param .b64 a0; .param .b64 a1; .param .b64 a2; .param .b64 a3; .param .b32 r;
    st.param.b64 [a0], %d; st.param.b64 [a1], %o;
    st.param.b64 [a2], %f; st.param.b64 [a3], %b;
    call.uni (r), cudaGraphKernelNodeSetParam, (a0, a1, a2, a3);
    ld.param.b32 %v, [r];
  }
  st.global.u32 [%p], %v;
  {
    .param .b64 b0; .param .align 4 .b8 b1[12]; .param .b32 r1;
    st.param.b64 [b0], %d;
    st.param.b32 [b1], %g; st.param.b32 [b1+4], 1; st.param.b32 [b1+8], 1;
    call.uni (r1), cudaGraphKernelNodeSetGridDim, (b0, b1);
    ld.param.b32 %v, [r1];
  }
  st.global.u32 [%p+4], %v;
  {
    .param .b64 c0; .param .b32 c1; .param .b32 r2;
    st.param.b64 [c0], %d; st.param.b32 [c1], %n;
    call.uni (r2), cudaGraphKernelNodeSetEnabled, (c0, c1);
    ld.param.b32 %v, [r2];
  }
  st.global.u32 [%p+8], %v;
  ret;
}
.visible .entry apply(.param .u64 updates, .param .u64 count, .param .u64 to)
{
  .reg .b32 %v; .reg .b64 %u, %c, %p;
  ld.param.u64 %u, [updates]; ld.param.u64 %c, [count]; ld.param.u64 %p, [to];
  {
    .param .b64 a; .param .b64 b; .param .b32 r;
    st.param.b64 [a], %u; st.param.b64 [b], %c;
    call.uni (r), cudaGraphKernelNodeUpdatesApply, (a, b);
    ld.param.b32 %v, [r];
  }
  st.global.u32 [%p], %v;
  ret;
}
)";

/// Adds an empty graph, 64 numbers (0) on the device, and a stream.
class GraphDriver : public Driver {
protected:
  void SetUp() override {
    Driver::SetUp();
    ASSERT_EQ(cuModuleLoadData(&kernels, kGraphKernels), CUDA_SUCCESS);
    ASSERT_EQ(cuMemAlloc_v2(&data, 256), CUDA_SUCCESS);
    ASSERT_EQ(cuMemsetD32_v2(data, 0, 64), CUDA_SUCCESS);
    ASSERT_EQ(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  }
  CUdeviceptr at(unsigned index) const { return data + 4 * index; }
  unsigned read(unsigned index) {
    unsigned value = ~0u;
    EXPECT_EQ(cuMemcpyDtoH_v2(&value, at(index), 4), CUDA_SUCCESS);
    return value;
  }
  void write(unsigned index, unsigned value) {
    EXPECT_EQ(cuMemsetD32_v2(at(index), value, 1), CUDA_SUCCESS);
  }
  CUDA_KERNEL_NODE_PARAMS describe(const char *name, void **params) {
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&function, kernels, name), CUDA_SUCCESS);
    return {function, 1, 1, 1, 1, 1, 1, 0, params, nullptr, nullptr, nullptr};
  }
  /// Adds a kernel node of one thread.
  template <typename... Args>
  CUgraphNode add(CUgraph to, std::vector<CUgraphNode> before, const char *name,
                  Args... args) {
    void *params[] = {&args...};
    CUDA_KERNEL_NODE_PARAMS node = describe(name, params);
    CUgraphNode out = nullptr;
    EXPECT_EQ(
        cuGraphAddKernelNode_v2(&out, to, before.data(), before.size(), &node),
        CUDA_SUCCESS);
    return out;
  }
  /// What a node allocates on the first device.
  static CUDA_MEM_ALLOC_NODE_PARAMS describeMemory(size_t bytes) {
    CUDA_MEM_ALLOC_NODE_PARAMS params{};
    params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
    params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    params.bytesize = bytes;
    return params;
  }
  CUgraphExec instantiate(unsigned long long flags = 0) {
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithFlags(&exec, graph, flags), CUDA_SUCCESS);
    return exec;
  }
  void run(CUgraphExec exec) {
    EXPECT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
  }

  CUmodule kernels = nullptr;
  CUdeviceptr data = 0;
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
};

#endif
