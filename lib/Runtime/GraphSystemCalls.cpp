//===- GraphSystemCalls.cpp - CUDA graphs, as kernels see them ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SystemCalls.h"
#include "ptxjit/Runtime/CudaErrors.h"
#include "ptxjit/Runtime/GraphCalls.h"

#include <algorithm>
#include <cassert>

using namespace ptxjit;

namespace {
/// cudaGraphKernelNodeUpdate of cuda_device_runtime_api.h.
struct NodeUpdate {
  enum Field : uint32_t { Grid = 1, Param = 2, Enabled = 3 };
  uint64_t node;
  Field field;
  union {
    uint32_t grid[3];
    struct {
      uint64_t value, offset, bytes;
    } param;
    uint32_t isEnabled;
  };
};
static_assert(sizeof(NodeUpdate) == 40);
} // namespace

static GraphCalls &graphsFor(const SystemCall &call) {
  GraphCalls *graphs = FaultScope::current().getKernel().options.graphs;
  if (!graphs)
    FaultScope::leaveIllegal("this launch knows no CUDA graphs", call.caller);
  return *graphs;
}

static void setCondition(GraphCalls &graphs, const SystemCall &call) {
  if (!graphs.setCondition(call.read<uint64_t>(0), call.read<uint32_t>(1)))
    FaultScope::leaveIllegal("no graph has this conditional handle",
                             call.caller);
}

static bool setParam(GraphCalls &graphs, uint64_t node, uint64_t offset,
                     uint64_t value, uint64_t bytes, const KernelCall &caller) {
  uint64_t end = offset + bytes;
  if (end < offset || !graphs.setNodeParams(node, end, nullptr, 0))
    return false;
  // The pointer comes from the program and may be bad, so it is read here.
  char part[256];
  while (offset < end) {
    uint64_t n = std::min<uint64_t>(end - offset, sizeof(part));
    {
      FaultScope::Reading reading(caller);
      std::memcpy(part, reinterpret_cast<const void *>(value), n);
    }
    if (!graphs.setNodeParams(node, offset, part, n))
      return false;
    offset += n;
    value += n;
  }
  return true;
}

static bool setGrid(GraphCalls &graphs, uint64_t node,
                    const uint32_t (&grid)[3]) {
  return graphs.setNodeGrid(node, {grid[0], grid[1], grid[2]});
}

static bool apply(GraphCalls &graphs, const NodeUpdate &update,
                  const KernelCall &caller) {
  switch (update.field) {
  case NodeUpdate::Grid:
    return setGrid(graphs, update.node, update.grid);
  case NodeUpdate::Param:
    return setParam(graphs, update.node, update.param.offset,
                    update.param.value, update.param.bytes, caller);
  case NodeUpdate::Enabled:
    return graphs.enableNode(update.node, update.isEnabled);
  }
  return false;
}

/// Applies the updates in front of the first that fails.
static bool applyAll(GraphCalls &graphs, const SystemCall &call) {
  uint64_t place = call.readPointer(0), count = call.readPointer(1);
  for (uint64_t i = 0; i < count; ++i, place += sizeof(NodeUpdate)) {
    NodeUpdate update;
    {
      FaultScope::Reading reading(call.caller);
      update = SystemCall::readAt<NodeUpdate>(place);
    }
    if (!apply(graphs, update, call.caller))
      return false;
  }
  return true;
}

static bool updateNode(uint32_t function, GraphCalls &graphs,
                       const SystemCall &call) {
  uint64_t node = call.readPointer(0);
  switch (function) {
  case PTXJIT_SYSTEM_SET_NODE_PARAM:
    return setParam(graphs, node, call.readPointer(1), call.readPointer(2),
                    call.readPointer(3), call.caller);
  case PTXJIT_SYSTEM_ENABLE_NODE:
    return graphs.enableNode(node, call.read<uint32_t>(1));
  case PTXJIT_SYSTEM_SET_NODE_GRID: {
    uint32_t grid[3];
    std::memcpy(grid, reinterpret_cast<const void *>(call.placeOf(1)),
                sizeof(grid));
    return setGrid(graphs, node, grid);
  }
  }
  assert(function == PTXJIT_SYSTEM_UPDATE_NODES);
  return applyAll(graphs, call);
}

/// A kernel that runs again to locate a fault launches nothing twice.
static uint32_t launch(GraphCalls &graphs, const SystemCall &call) {
  return MutedKernels::areMuted()
             ? uint32_t(cudaSuccess)
             : graphs.launch(call.readPointer(0), call.readPointer(1));
}

void ptxjit::callGraphs(uint32_t function, const SystemCall &call) {
  GraphCalls &graphs = graphsFor(call);
  if (function == PTXJIT_SYSTEM_SET_CONDITION) {
    setCondition(graphs, call);
    return;
  }
  uint32_t result;
  if (function == PTXJIT_SYSTEM_LAUNCH_GRAPH)
    result = launch(graphs, call);
  else
    result = updateNode(function, graphs, call)
                 ? uint32_t(cudaSuccess)
                 : uint32_t(cudaErrorInvalidValue);
  call.write(countParams(PtxjitSystemFunction(function)), result,
             sizeof(result));
}
