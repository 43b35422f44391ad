//===- Forms12.cpp - libcudart.so.12: functions of CUDA 12 ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions with their parameters of CUDA 12 (Names12.h renames the newer
// forms), and functions that CUDA 13 has removed.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

// From here on the plain names mean the old forms.
#undef cudaEventElapsedTime
#undef cudaGraphAddDependencies
#undef cudaGraphGetEdges
#undef cudaGraphNodeGetDependencies
#undef cudaGraphNodeGetDependentNodes
#undef cudaGraphRemoveDependencies
#undef cudaMemAdvise
#undef cudaMemPrefetchAsync
#undef cudaMemPrefetchAsync_ptsz
#undef cudaStreamGetCaptureInfo
#undef cudaStreamGetCaptureInfo_ptsz
#undef cudaStreamUpdateCaptureDependencies
#undef cudaStreamUpdateCaptureDependencies_ptsz

using namespace ptxjit::cudart;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The location of a device, by its number; -1 is the host.
static CUmemLocation locationOf(int device) {
  constexpr int kOnDevice = 1, kOnHost = 2; // CUmemLocationType
  CUmemLocation location{};
  location.type = device < 0 ? kOnHost : kOnDevice;
  location.id = device < 0 ? 0 : device;
  return location;
}

PTXJIT_CUDART_API(cudaMemAdvise,
                  (const void *pointer, size_t bytes, int advice, int device),
                  pointer, bytes, advice, device) {
  return cuMemAdvise_v2(toDevice(pointer), bytes, advice, locationOf(device));
}
PTXJIT_CUDART_STREAM_API(cudaMemPrefetchAsync, _ptsz,
                         (const void *pointer, size_t bytes, int device,
                          CUstream stream),
                         pointer, bytes, device, stream) {
  return cuMemPrefetchAsync_v2(toDevice(pointer), bytes, locationOf(device), 0,
                               streamOf(stream));
}

PTXJIT_CUDART_STREAM_API(cudaMemcpyBatchAsync, _ptsz,
                         (void **to, void **from, size_t *sizes, size_t count,
                          CUmemcpyAttributes *attributes, size_t *starts,
                          size_t numAttributes, size_t *failed,
                          CUstream stream),
                         to, from, sizes, count, attributes, starts,
                         numAttributes, failed, stream) {
  return cuMemcpyBatchAsync(reinterpret_cast<CUdeviceptr *>(to),
                            reinterpret_cast<CUdeviceptr *>(from), sizes, count,
                            attributes, starts, numAttributes, failed,
                            streamOf(stream));
}

//===----------------------------------------------------------------------===//
// Events, graphs and captures, without the data of edges
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaEventElapsedTime,
                  (float *milliseconds, CUevent start, CUevent end),
                  milliseconds, start, end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}
PTXJIT_CUDART_API(cudaGraphGetEdges,
                  (CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                   size_t *count),
                  graph, from, to, count) {
  return cuGraphGetEdges_v2(graph, from, to, nullptr, count);
}
PTXJIT_CUDART_API(cudaGraphNodeGetDependencies,
                  (CUgraphNode node, CUgraphNode *out, size_t *count), node,
                  out, count) {
  return cuGraphNodeGetDependencies_v2(node, out, nullptr, count);
}
PTXJIT_CUDART_API(cudaGraphNodeGetDependentNodes,
                  (CUgraphNode node, CUgraphNode *out, size_t *count), node,
                  out, count) {
  return cuGraphNodeGetDependentNodes_v2(node, out, nullptr, count);
}
PTXJIT_CUDART_API(cudaGraphAddDependencies,
                  (CUgraph graph, const CUgraphNode *from,
                   const CUgraphNode *to, size_t count),
                  graph, from, to, count) {
  return cuGraphAddDependencies_v2(graph, from, to, nullptr, count);
}
PTXJIT_CUDART_API(cudaGraphRemoveDependencies,
                  (CUgraph graph, const CUgraphNode *from,
                   const CUgraphNode *to, size_t count),
                  graph, from, to, count) {
  return cuGraphRemoveDependencies_v2(graph, from, to, nullptr, count);
}
PTXJIT_CUDART_STREAM_API(cudaStreamGetCaptureInfo, _ptsz,
                         (CUstream stream, CUstreamCaptureStatus *status,
                          uint64_t *id),
                         stream, status, id) {
  return cuStreamGetCaptureInfo_v3(streamOf(stream), status, id, nullptr,
                                   nullptr, nullptr, nullptr);
}
PTXJIT_CUDART_STREAM_API(cudaStreamGetCaptureInfo_v2, _ptsz,
                         (CUstream stream, CUstreamCaptureStatus *status,
                          uint64_t *id, CUgraph *graph,
                          const CUgraphNode **dependencies, size_t *count),
                         stream, status, id, graph, dependencies, count) {
  return cuStreamGetCaptureInfo_v3(streamOf(stream), status, id, graph,
                                   dependencies, nullptr, count);
}
PTXJIT_CUDART_STREAM_API(cudaStreamUpdateCaptureDependencies, _ptsz,
                         (CUstream stream, CUgraphNode *dependencies,
                          size_t count, unsigned flags),
                         stream, dependencies, count, flags) {
  return cuStreamUpdateCaptureDependencies_v2(streamOf(stream), dependencies,
                                              nullptr, count, flags);
}

//===----------------------------------------------------------------------===//
// The cudaThread* functions, which are called cudaDevice* today
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaThreadExit, ()) {
  cudaGetLastError();
  return cuDevicePrimaryCtxReset_v2(currentDevice());
}
PTXJIT_CUDART_API(cudaThreadSynchronize, ()) { return cuCtxSynchronize(); }
PTXJIT_CUDART_API(cudaThreadGetLimit, (size_t *value, int limit), value,
                  limit) {
  return cuCtxGetLimit(value, limit);
}
PTXJIT_CUDART_API(cudaThreadSetLimit, (int limit, size_t value), limit, value) {
  return cuCtxSetLimit(limit, value);
}
PTXJIT_CUDART_API(cudaThreadGetCacheConfig, (int *config), config) {
  return cuCtxGetCacheConfig(config);
}
PTXJIT_CUDART_API(cudaThreadSetCacheConfig, (int config), config) {
  return cuCtxSetCacheConfig(config);
}
/// Was for devices without double precision. All devices have it today.
PTXJIT_CUDART_API(cudaSetDoubleForDevice, (double *value), value) {
  return cudaSuccess;
}
PTXJIT_CUDART_API(cudaSetDoubleForHost, (double *value), value) {
  return cudaSuccess;
}
