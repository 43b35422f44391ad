//===- Graphs.cpp - graphs, implemented by the driver's -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

using namespace ptxjit;
using namespace ptxjit::cudart;

static CUcontext currentContext() {
  CUcontext context = nullptr;
  cuCtxGetCurrent(&context);
  return context;
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaGraphCreate, (CUgraph * out, unsigned flags), out,
                  flags) {
  return cuGraphCreate(out, flags);
}
PTXJIT_CUDART_API(cudaGraphDestroy, (CUgraph graph), graph) {
  return cuGraphDestroy(graph);
}
PTXJIT_CUDART_API(cudaUserObjectCreate,
                  (CUuserObject * out, void *data, CUhostFn destroy,
                   unsigned references, unsigned flags),
                  out, data, destroy, references, flags) {
  return cuUserObjectCreate(out, data, destroy, references, flags);
}
PTXJIT_CUDART_API(cudaUserObjectRetain, (CUuserObject object, unsigned count),
                  object, count) {
  return cuUserObjectRetain(object, count);
}
PTXJIT_CUDART_API(cudaUserObjectRelease, (CUuserObject object, unsigned count),
                  object, count) {
  return cuUserObjectRelease(object, count);
}
PTXJIT_CUDART_API(cudaGraphRetainUserObject,
                  (CUgraph graph, CUuserObject object, unsigned count,
                   unsigned flags),
                  graph, object, count, flags) {
  return cuGraphRetainUserObject(graph, object, count, flags);
}
PTXJIT_CUDART_API(cudaGraphReleaseUserObject,
                  (CUgraph graph, CUuserObject object, unsigned count), graph,
                  object, count) {
  return cuGraphReleaseUserObject(graph, object, count);
}
PTXJIT_CUDART_API(cudaGraphClone, (CUgraph * out, CUgraph graph), out, graph) {
  return cuGraphClone(out, graph);
}
PTXJIT_CUDART_API(cudaGraphNodeFindInClone,
                  (CUgraphNode * out, CUgraphNode node, CUgraph clone), out,
                  node, clone) {
  return cuGraphNodeFindInClone(out, node, clone);
}
PTXJIT_CUDART_API(cudaGraphNodeGetType,
                  (CUgraphNode node, CUgraphNodeType *type), node, type) {
  return cuGraphNodeGetType(node, type);
}
PTXJIT_CUDART_API(cudaGraphGetNodes,
                  (CUgraph graph, CUgraphNode *out, size_t *count), graph, out,
                  count) {
  return cuGraphGetNodes(graph, out, count);
}
PTXJIT_CUDART_API(cudaGraphGetRootNodes,
                  (CUgraph graph, CUgraphNode *out, size_t *count), graph, out,
                  count) {
  return cuGraphGetRootNodes(graph, out, count);
}
PTXJIT_CUDART_API(cudaGraphDestroyNode, (CUgraphNode node), node) {
  return cuGraphDestroyNode(node);
}
PTXJIT_CUDART_API(cudaGraphGetEdges,
                  (CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                   CUgraphEdgeData *edges, size_t *count),
                  graph, from, to, edges, count) {
  return cuGraphGetEdges_v2(graph, from, to, edges, count);
}
PTXJIT_CUDART_API(cudaGraphNodeGetDependencies,
                  (CUgraphNode node, CUgraphNode *out, CUgraphEdgeData *edges,
                   size_t *count),
                  node, out, edges, count) {
  return cuGraphNodeGetDependencies_v2(node, out, edges, count);
}
PTXJIT_CUDART_API(cudaGraphNodeGetDependentNodes,
                  (CUgraphNode node, CUgraphNode *out, CUgraphEdgeData *edges,
                   size_t *count),
                  node, out, edges, count) {
  return cuGraphNodeGetDependentNodes_v2(node, out, edges, count);
}
PTXJIT_CUDART_API(cudaGraphAddDependencies,
                  (CUgraph graph, const CUgraphNode *from,
                   const CUgraphNode *to, const CUgraphEdgeData *edges,
                   size_t count),
                  graph, from, to, edges, count) {
  return cuGraphAddDependencies_v2(graph, from, to, edges, count);
}
PTXJIT_CUDART_API(cudaGraphRemoveDependencies,
                  (CUgraph graph, const CUgraphNode *from,
                   const CUgraphNode *to, const CUgraphEdgeData *edges,
                   size_t count),
                  graph, from, to, edges, count) {
  return cuGraphRemoveDependencies_v2(graph, from, to, edges, count);
}
//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaGraphAddEmptyNode,
                  (CUgraphNode * out, CUgraph graph, const CUgraphNode *before,
                   size_t count),
                  out, graph, before, count) {
  return cuGraphAddEmptyNode(out, graph, before, count);
}
PTXJIT_CUDART_API(cudaGraphAddChildGraphNode,
                  (CUgraphNode * out, CUgraph graph, const CUgraphNode *before,
                   size_t count, CUgraph child),
                  out, graph, before, count, child) {
  return cuGraphAddChildGraphNode(out, graph, before, count, child);
}
PTXJIT_CUDART_API(cudaGraphChildGraphNodeGetGraph,
                  (CUgraphNode node, CUgraph *out), node, out) {
  return cuGraphChildGraphNodeGetGraph(node, out);
}
PTXJIT_CUDART_API(cudaGraphExecChildGraphNodeSetParams,
                  (CUgraphExec exec, CUgraphNode node, CUgraph child), exec,
                  node, child) {
  return cuGraphExecChildGraphNodeSetParams(exec, node, child);
}
PTXJIT_CUDART_API(cudaGraphAddEventRecordNode,
                  (CUgraphNode * out, CUgraph graph, const CUgraphNode *before,
                   size_t count, CUevent event),
                  out, graph, before, count, event) {
  return cuGraphAddEventRecordNode(out, graph, before, count, event);
}
PTXJIT_CUDART_API(cudaGraphEventRecordNodeGetEvent,
                  (CUgraphNode node, CUevent *out), node, out) {
  return cuGraphEventRecordNodeGetEvent(node, out);
}
PTXJIT_CUDART_API(cudaGraphEventRecordNodeSetEvent,
                  (CUgraphNode node, CUevent event), node, event) {
  return cuGraphEventRecordNodeSetEvent(node, event);
}
PTXJIT_CUDART_API(cudaGraphExecEventRecordNodeSetEvent,
                  (CUgraphExec exec, CUgraphNode node, CUevent event), exec,
                  node, event) {
  return cuGraphExecEventRecordNodeSetEvent(exec, node, event);
}
PTXJIT_CUDART_API(cudaGraphAddEventWaitNode,
                  (CUgraphNode * out, CUgraph graph, const CUgraphNode *before,
                   size_t count, CUevent event),
                  out, graph, before, count, event) {
  return cuGraphAddEventWaitNode(out, graph, before, count, event);
}
PTXJIT_CUDART_API(cudaGraphEventWaitNodeGetEvent,
                  (CUgraphNode node, CUevent *out), node, out) {
  return cuGraphEventWaitNodeGetEvent(node, out);
}
PTXJIT_CUDART_API(cudaGraphEventWaitNodeSetEvent,
                  (CUgraphNode node, CUevent event), node, event) {
  return cuGraphEventWaitNodeSetEvent(node, event);
}
PTXJIT_CUDART_API(cudaGraphExecEventWaitNodeSetEvent,
                  (CUgraphExec exec, CUgraphNode node, CUevent event), exec,
                  node, event) {
  return cuGraphExecEventWaitNodeSetEvent(exec, node, event);
}
PTXJIT_CUDART_API(cudaGraphAddHostNode,
                  (CUgraphNode * out, CUgraph graph, const CUgraphNode *before,
                   size_t count, const CUDA_HOST_NODE_PARAMS *params),
                  out, graph, before, count, params) {
  return cuGraphAddHostNode(out, graph, before, count, params);
}
PTXJIT_CUDART_API(cudaGraphHostNodeGetParams,
                  (CUgraphNode node, CUDA_HOST_NODE_PARAMS *params), node,
                  params) {
  return cuGraphHostNodeGetParams(node, params);
}
PTXJIT_CUDART_API(cudaGraphHostNodeSetParams,
                  (CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params), node,
                  params) {
  return cuGraphHostNodeSetParams(node, params);
}
PTXJIT_CUDART_API(cudaGraphExecHostNodeSetParams,
                  (CUgraphExec exec, CUgraphNode node,
                   const CUDA_HOST_NODE_PARAMS *params),
                  exec, node, params) {
  return cuGraphExecHostNodeSetParams(exec, node, params);
}
PTXJIT_CUDART_API(cudaGraphAddMemsetNode,
                  (CUgraphNode * out, CUgraph graph, const CUgraphNode *before,
                   size_t count, const CUDA_MEMSET_NODE_PARAMS *params),
                  out, graph, before, count, params) {
  return cuGraphAddMemsetNode(out, graph, before, count, params,
                              currentContext());
}
PTXJIT_CUDART_API(cudaGraphMemsetNodeGetParams,
                  (CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params), node,
                  params) {
  return cuGraphMemsetNodeGetParams(node, params);
}
PTXJIT_CUDART_API(cudaGraphMemsetNodeSetParams,
                  (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params),
                  node, params) {
  return cuGraphMemsetNodeSetParams(node, params);
}
PTXJIT_CUDART_API(cudaGraphExecMemsetNodeSetParams,
                  (CUgraphExec exec, CUgraphNode node,
                   const CUDA_MEMSET_NODE_PARAMS *params),
                  exec, node, params) {
  return cuGraphExecMemsetNodeSetParams(exec, node, params, currentContext());
}
PTXJIT_CUDART_API(cudaGraphAddMemAllocNode,
                  (CUgraphNode * out, CUgraph graph, const CUgraphNode *before,
                   size_t count, CUDA_MEM_ALLOC_NODE_PARAMS *params),
                  out, graph, before, count, params) {
  return cuGraphAddMemAllocNode(out, graph, before, count, params);
}
PTXJIT_CUDART_API(cudaGraphMemAllocNodeGetParams,
                  (CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *params), node,
                  params) {
  return cuGraphMemAllocNodeGetParams(node, params);
}
PTXJIT_CUDART_API(cudaGraphAddMemFreeNode,
                  (CUgraphNode * out, CUgraph graph, const CUgraphNode *before,
                   size_t count, void *pointer),
                  out, graph, before, count, pointer) {
  return cuGraphAddMemFreeNode(out, graph, before, count, toDevice(pointer));
}
PTXJIT_CUDART_API(cudaGraphMemFreeNodeGetParams, (CUgraphNode node, void *out),
                  node, out) {
  return cuGraphMemFreeNodeGetParams(node, static_cast<CUdeviceptr *>(out));
}
//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

int cudart::toDriver(const cudaKernelNodeParams *params,
                     CUDA_KERNEL_NODE_PARAMS &same) {
  same = {};
  if (!params)
    return cudaErrorInvalidValue;
  same.gridDimX = params->gridDim.x;
  same.gridDimY = params->gridDim.y;
  same.gridDimZ = params->gridDim.z;
  same.blockDimX = params->blockDim.x;
  same.blockDimY = params->blockDim.y;
  same.blockDimZ = params->blockDim.z;
  same.sharedMemBytes = params->sharedMemBytes;
  same.kernelParams = params->kernelParams;
  same.extra = params->extra;
  return findKernel(params->func, same.func);
}

PTXJIT_CUDART_API(cudaGraphAddKernelNode,
                  (CUgraphNode * out, CUgraph graph, const CUgraphNode *before,
                   size_t count, const cudaKernelNodeParams *params),
                  out, graph, before, count, params) {
  CUDA_KERNEL_NODE_PARAMS same;
  if (int error = toDriver(params, same))
    return error;
  return cuGraphAddKernelNode_v2(out, graph, before, count, &same);
}
PTXJIT_CUDART_API(cudaGraphKernelNodeSetParams,
                  (CUgraphNode node, const cudaKernelNodeParams *params), node,
                  params) {
  CUDA_KERNEL_NODE_PARAMS same;
  if (int error = toDriver(params, same))
    return error;
  return cuGraphKernelNodeSetParams_v2(node, &same);
}
PTXJIT_CUDART_API(cudaGraphExecKernelNodeSetParams,
                  (CUgraphExec exec, CUgraphNode node,
                   const cudaKernelNodeParams *params),
                  exec, node, params) {
  CUDA_KERNEL_NODE_PARAMS same;
  if (int error = toDriver(params, same))
    return error;
  return cuGraphExecKernelNodeSetParams_v2(exec, node, &same);
}
PTXJIT_CUDART_API(cudaGraphDebugDotPrint,
                  (CUgraph graph, const char *path, unsigned flags), graph,
                  path, flags) {
  return cuGraphDebugDotPrint(graph, path, flags);
}
PTXJIT_CUDART_API(cudaGraphKernelNodeSetAttribute,
                  (CUgraphNode node, int attribute,
                   const CUlaunchAttributeValue *value),
                  node, attribute, value) {
  return cuGraphKernelNodeSetAttribute(node, attribute, value);
}
PTXJIT_CUDART_API(cudaGraphKernelNodeGetAttribute,
                  (CUgraphNode node, int attribute,
                   CUlaunchAttributeValue *value),
                  node, attribute, value) {
  return cuGraphKernelNodeGetAttribute(node, attribute, value);
}
PTXJIT_CUDART_API(cudaGraphKernelNodeCopyAttributes,
                  (CUgraphNode to, CUgraphNode from), to, from) {
  return cuGraphKernelNodeCopyAttributes(to, from);
}

// Reports the function as a CUfunction, which is valid as a function here.
PTXJIT_CUDART_API(cudaGraphKernelNodeGetParams,
                  (CUgraphNode node, cudaKernelNodeParams *params), node,
                  params) {
  CUDA_KERNEL_NODE_PARAMS same;
  if (!params)
    return cudaErrorInvalidValue;
  if (int error = cuGraphKernelNodeGetParams_v2(node, &same))
    return error;
  *params = {same.func,
             {same.gridDimX, same.gridDimY, same.gridDimZ},
             {same.blockDimX, same.blockDimY, same.blockDimZ},
             same.sharedMemBytes,
             same.kernelParams,
             same.extra};
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

// These describe copies between addresses, to a variable, and from a variable.
static int describe(void *to, const void *from, size_t bytes, int kind,
                    CUDA_MEMCPY3D &box) {
  return toDriver(to, bytes, from, bytes, bytes, 1, kind, box);
}
static int describeTo(const void *symbol, const void *from, size_t bytes,
                      size_t offset, int kind, CUDA_MEMCPY3D &box) {
  void *part;
  int error = findPart(symbol, offset, bytes, part);
  return error ? error : describe(part, from, bytes, kind, box);
}
static int describeFrom(void *to, const void *symbol, size_t bytes,
                        size_t offset, int kind, CUDA_MEMCPY3D &box) {
  void *part;
  int error = findPart(symbol, offset, bytes, part);
  return error ? error : describe(to, part, bytes, kind, box);
}

PTXJIT_CUDART_API(cudaGraphAddMemcpyNode,
                  (CUgraphNode * out, CUgraph graph, const CUgraphNode *before,
                   size_t count, const cudaMemcpy3DParms *params),
                  out, graph, before, count, params) {
  CUDA_MEMCPY3D box;
  if (!params || toDriver(*params, box))
    return cudaErrorInvalidValue;
  return cuGraphAddMemcpyNode(out, graph, before, count, &box,
                              currentContext());
}
PTXJIT_CUDART_API(cudaGraphAddMemcpyNode1D,
                  (CUgraphNode * out, CUgraph graph, const CUgraphNode *before,
                   size_t count, void *to, const void *from, size_t bytes,
                   int kind),
                  out, graph, before, count, to, from, bytes, kind) {
  CUDA_MEMCPY3D box;
  if (int error = describe(to, from, bytes, kind, box))
    return error;
  return cuGraphAddMemcpyNode(out, graph, before, count, &box,
                              currentContext());
}
PTXJIT_CUDART_API(cudaGraphAddMemcpyNodeToSymbol,
                  (CUgraphNode * out, CUgraph graph, const CUgraphNode *before,
                   size_t count, const void *symbol, const void *from,
                   size_t bytes, size_t offset, int kind),
                  out, graph, before, count, symbol, from, bytes, offset,
                  kind) {
  CUDA_MEMCPY3D box;
  if (int error = describeTo(symbol, from, bytes, offset, kind, box))
    return error;
  return cuGraphAddMemcpyNode(out, graph, before, count, &box,
                              currentContext());
}
PTXJIT_CUDART_API(cudaGraphAddMemcpyNodeFromSymbol,
                  (CUgraphNode * out, CUgraph graph, const CUgraphNode *before,
                   size_t count, void *to, const void *symbol, size_t bytes,
                   size_t offset, int kind),
                  out, graph, before, count, to, symbol, bytes, offset, kind) {
  CUDA_MEMCPY3D box;
  if (int error = describeFrom(to, symbol, bytes, offset, kind, box))
    return error;
  return cuGraphAddMemcpyNode(out, graph, before, count, &box,
                              currentContext());
}
PTXJIT_CUDART_API(cudaGraphMemcpyNodeSetParams,
                  (CUgraphNode node, const cudaMemcpy3DParms *params), node,
                  params) {
  CUDA_MEMCPY3D box;
  if (!params || toDriver(*params, box))
    return cudaErrorInvalidValue;
  return cuGraphMemcpyNodeSetParams(node, &box);
}
PTXJIT_CUDART_API(cudaGraphMemcpyNodeSetParams1D,
                  (CUgraphNode node, void *to, const void *from, size_t bytes,
                   int kind),
                  node, to, from, bytes, kind) {
  CUDA_MEMCPY3D box;
  if (int error = describe(to, from, bytes, kind, box))
    return error;
  return cuGraphMemcpyNodeSetParams(node, &box);
}
PTXJIT_CUDART_API(cudaGraphMemcpyNodeSetParamsToSymbol,
                  (CUgraphNode node, const void *symbol, const void *from,
                   size_t bytes, size_t offset, int kind),
                  node, symbol, from, bytes, offset, kind) {
  CUDA_MEMCPY3D box;
  if (int error = describeTo(symbol, from, bytes, offset, kind, box))
    return error;
  return cuGraphMemcpyNodeSetParams(node, &box);
}
PTXJIT_CUDART_API(cudaGraphMemcpyNodeSetParamsFromSymbol,
                  (CUgraphNode node, void *to, const void *symbol, size_t bytes,
                   size_t offset, int kind),
                  node, to, symbol, bytes, offset, kind) {
  CUDA_MEMCPY3D box;
  if (int error = describeFrom(to, symbol, bytes, offset, kind, box))
    return error;
  return cuGraphMemcpyNodeSetParams(node, &box);
}
PTXJIT_CUDART_API(cudaGraphExecMemcpyNodeSetParams,
                  (CUgraphExec exec, CUgraphNode node,
                   const cudaMemcpy3DParms *params),
                  exec, node, params) {
  CUDA_MEMCPY3D box;
  if (!params || toDriver(*params, box))
    return cudaErrorInvalidValue;
  return cuGraphExecMemcpyNodeSetParams(exec, node, &box, currentContext());
}
PTXJIT_CUDART_API(cudaGraphExecMemcpyNodeSetParams1D,
                  (CUgraphExec exec, CUgraphNode node, void *to,
                   const void *from, size_t bytes, int kind),
                  exec, node, to, from, bytes, kind) {
  CUDA_MEMCPY3D box;
  if (int error = describe(to, from, bytes, kind, box))
    return error;
  return cuGraphExecMemcpyNodeSetParams(exec, node, &box, currentContext());
}
PTXJIT_CUDART_API(cudaGraphExecMemcpyNodeSetParamsToSymbol,
                  (CUgraphExec exec, CUgraphNode node, const void *symbol,
                   const void *from, size_t bytes, size_t offset, int kind),
                  exec, node, symbol, from, bytes, offset, kind) {
  CUDA_MEMCPY3D box;
  if (int error = describeTo(symbol, from, bytes, offset, kind, box))
    return error;
  return cuGraphExecMemcpyNodeSetParams(exec, node, &box, currentContext());
}
PTXJIT_CUDART_API(cudaGraphExecMemcpyNodeSetParamsFromSymbol,
                  (CUgraphExec exec, CUgraphNode node, void *to,
                   const void *symbol, size_t bytes, size_t offset, int kind),
                  exec, node, to, symbol, bytes, offset, kind) {
  CUDA_MEMCPY3D box;
  if (int error = describeFrom(to, symbol, bytes, offset, kind, box))
    return error;
  return cuGraphExecMemcpyNodeSetParams(exec, node, &box, currentContext());
}

/// The memory of an end of a copy; none if it is an array.
static void *memoryOf(int type, const void *host, CUdeviceptr device) {
  return type == CU_MEMORYTYPE_ARRAY  ? nullptr
         : type == CU_MEMORYTYPE_HOST ? const_cast<void *>(host)
                                      : reinterpret_cast<void *>(device);
}

/// Converts a copy from the driver's form.
static int describe(const CUDA_MEMCPY3D &box, cudaMemcpy3DParms &params) {
  bool toArray = box.dstMemoryType == CU_MEMORYTYPE_ARRAY;
  bool fromArray = box.srcMemoryType == CU_MEMORYTYPE_ARRAY;
  size_t element = 1;
  if (toArray || fromArray)
    if (int error = findElement(toArray ? box.dstArray : box.srcArray, element))
      return error;
  params = {};
  params.srcArray = fromArray ? box.srcArray : nullptr;
  params.srcPos = {box.srcXInBytes / (fromArray ? element : 1), box.srcY,
                   box.srcZ};
  if (!fromArray)
    params.srcPtr = {memoryOf(box.srcMemoryType, box.srcHost, box.srcDevice),
                     box.srcPitch, box.WidthInBytes, box.srcHeight};
  params.dstArray = toArray ? box.dstArray : nullptr;
  params.dstPos = {box.dstXInBytes / (toArray ? element : 1), box.dstY,
                   box.dstZ};
  if (!toArray)
    params.dstPtr = {memoryOf(box.dstMemoryType, box.dstHost, box.dstDevice),
                     box.dstPitch, box.WidthInBytes, box.dstHeight};
  params.extent = {box.WidthInBytes / element, box.Height, box.Depth};
  bool toHost = box.dstMemoryType == CU_MEMORYTYPE_HOST;
  bool fromHost = box.srcMemoryType == CU_MEMORYTYPE_HOST;
  bool isUnified = box.dstMemoryType == CU_MEMORYTYPE_UNIFIED ||
                   box.srcMemoryType == CU_MEMORYTYPE_UNIFIED;
  params.kind = isUnified ? cudaMemcpyDefault
                : toHost
                    ? (fromHost ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost)
                : fromHost ? cudaMemcpyHostToDevice
                           : cudaMemcpyDeviceToDevice;
  return cudaSuccess;
}

PTXJIT_CUDART_API(cudaGraphMemcpyNodeGetParams,
                  (CUgraphNode node, cudaMemcpy3DParms *params), node, params) {
  CUDA_MEMCPY3D box;
  if (!params)
    return cudaErrorInvalidValue;
  if (int error = cuGraphMemcpyNodeGetParams(node, &box))
    return error;
  return describe(box, *params);
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaGraphInstantiate,
                  (CUgraphExec * out, CUgraph graph, unsigned long long flags),
                  out, graph, flags) {
  return cuGraphInstantiateWithFlags(out, graph, flags);
}
PTXJIT_CUDART_API(cudaGraphInstantiateWithFlags,
                  (CUgraphExec * out, CUgraph graph, unsigned long long flags),
                  out, graph, flags) {
  return cuGraphInstantiateWithFlags(out, graph, flags);
}
PTXJIT_CUDART_STREAM_API(cudaGraphInstantiateWithParams, _ptsz,
                         (CUgraphExec * out, CUgraph graph,
                          CUDA_GRAPH_INSTANTIATE_PARAMS *params),
                         out, graph, params) {
  return cuGraphInstantiateWithParams(out, graph, params);
}
PTXJIT_CUDART_API(cudaGraphExecGetFlags, (CUgraphExec exec, uint64_t *flags),
                  exec, flags) {
  return cuGraphExecGetFlags(exec, flags);
}
PTXJIT_CUDART_API(cudaGraphExecDestroy, (CUgraphExec exec), exec) {
  return cuGraphExecDestroy(exec);
}
PTXJIT_CUDART_API(cudaGraphNodeSetEnabled,
                  (CUgraphExec exec, CUgraphNode node, unsigned enabled), exec,
                  node, enabled) {
  return cuGraphNodeSetEnabled(exec, node, enabled);
}
PTXJIT_CUDART_API(cudaGraphNodeGetEnabled,
                  (CUgraphExec exec, CUgraphNode node, unsigned *enabled), exec,
                  node, enabled) {
  return cuGraphNodeGetEnabled(exec, node, enabled);
}
PTXJIT_CUDART_API(cudaGraphExecUpdate,
                  (CUgraphExec exec, CUgraph graph,
                   CUgraphExecUpdateResultInfo *info),
                  exec, graph, info) {
  return cuGraphExecUpdate_v2(exec, graph, info);
}
PTXJIT_CUDART_STREAM_API(cudaGraphLaunch, _ptsz,
                         (CUgraphExec exec, CUstream stream), exec, stream) {
  return cuGraphLaunch(exec, streamOf(stream));
}
PTXJIT_CUDART_STREAM_API(cudaGraphUpload, _ptsz,
                         (CUgraphExec exec, CUstream stream), exec, stream) {
  return cuGraphUpload(exec, streamOf(stream));
}
