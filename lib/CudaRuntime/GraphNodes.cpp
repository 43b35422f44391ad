//===- GraphNodes.cpp - nodes of any kind, and conditional handles --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cudart;

/// Converts parameters for the driver. Only kernels and copies have others than
/// the driver's.
static int toDriver(const cudaGraphNodeParams &params, CUgraphNodeParams &out) {
  static_assert(sizeof(params) == sizeof(out));
  std::memcpy(&out, &params, sizeof(out));
  switch (params.type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return toDriver(&params.kernel, out.kernel);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    out.memcpy = {};
    return toDriver(params.memcpy.copyParams, out.memcpy.copyParams);
  case CU_GRAPH_NODE_TYPE_CONDITIONAL:
    out.conditional.ctx = nullptr; // the runtime's structure ends before it
    break;
  default:
    break;
  }
  return cudaSuccess;
}

int cudart::addGraphNode(CUgraphNode *out, CUgraph graph,
                         const CUgraphNode *before,
                         const CUgraphEdgeData *edges, size_t count,
                         cudaGraphNodeParams *params) {
  CUgraphNodeParams same;
  if (!params)
    return cudaErrorInvalidValue;
  if (int error = toDriver(*params, same))
    return error;
  int error = cuGraphAddNode_v2(out, graph, before, edges, count, &same);
  // These return something in the parameters.
  if (params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    params->alloc.dptr = same.alloc.dptr;
  if (params->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    params->conditional.phGraph_out = same.conditional.phGraph_out;
  return error;
}

PTXJIT_CUDART_API(cudaGraphAddNode,
                  (CUgraphNode * out, CUgraph graph, const CUgraphNode *before,
                   const CUgraphEdgeData *edges, size_t count,
                   cudaGraphNodeParams *params),
                  out, graph, before, edges, count, params) {
  return addGraphNode(out, graph, before, edges, count, params);
}
PTXJIT_CUDART_API(cudaGraphNodeSetParams,
                  (CUgraphNode node, cudaGraphNodeParams *params), node,
                  params) {
  CUgraphNodeParams same;
  if (!params)
    return cudaErrorInvalidValue;
  if (int error = toDriver(*params, same))
    return error;
  return cuGraphNodeSetParams(node, &same);
}
PTXJIT_CUDART_API(cudaGraphExecNodeSetParams,
                  (CUgraphExec exec, CUgraphNode node,
                   cudaGraphNodeParams *params),
                  exec, node, params) {
  CUgraphNodeParams same;
  if (!params)
    return cudaErrorInvalidValue;
  if (int error = toDriver(*params, same))
    return error;
  return cuGraphExecNodeSetParams(exec, node, &same);
}

PTXJIT_CUDART_API(cudaGraphConditionalHandleCreate,
                  (CUgraphConditionalHandle * out, CUgraph graph,
                   unsigned value, unsigned flags),
                  out, graph, value, flags) {
  return cuGraphConditionalHandleCreate(out, graph, nullptr, value, flags);
}
