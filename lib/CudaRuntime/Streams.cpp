//===- Streams.cpp - streams, captures, events ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

using namespace ptxjit;
using namespace ptxjit::cudart;

PTXJIT_CUDART_API(cudaStreamCreate, (CUstream * out), out) {
  return cuStreamCreate(out, 0);
}
PTXJIT_CUDART_API(cudaStreamCreateWithFlags, (CUstream * out, unsigned flags),
                  out, flags) {
  return cuStreamCreate(out, flags);
}
PTXJIT_CUDART_API(cudaStreamCreateWithPriority,
                  (CUstream * out, unsigned flags, int priority), out, flags,
                  priority) {
  return cuStreamCreateWithPriority(out, flags, priority);
}
PTXJIT_CUDART_API(cudaStreamDestroy, (CUstream stream), stream) {
  return cuStreamDestroy_v2(stream);
}
PTXJIT_CUDART_STREAM_API(cudaStreamSynchronize, _ptsz, (CUstream stream),
                         stream) {
  return cuStreamSynchronize(streamOf(stream));
}
PTXJIT_CUDART_STREAM_API(cudaStreamQuery, _ptsz, (CUstream stream), stream) {
  return cuStreamQuery(streamOf(stream));
}
PTXJIT_CUDART_STREAM_API(cudaStreamGetPriority, _ptsz,
                         (CUstream stream, int *priority), stream, priority) {
  return cuStreamGetPriority(streamOf(stream), priority);
}
PTXJIT_CUDART_STREAM_API(cudaStreamSetAttribute, _ptsz,
                         (CUstream stream, int attribute, const void *value),
                         stream, attribute, value) {
  return cuStreamSetAttribute(streamOf(stream), attribute, value);
}
PTXJIT_CUDART_STREAM_API(cudaStreamGetAttribute, _ptsz,
                         (CUstream stream, int attribute, void *value), stream,
                         attribute, value) {
  return cuStreamGetAttribute(streamOf(stream), attribute, value);
}
PTXJIT_CUDART_STREAM_API(cudaStreamCopyAttributes, _ptsz,
                         (CUstream to, CUstream from), to, from) {
  return cuStreamCopyAttributes(streamOf(to), streamOf(from));
}
PTXJIT_CUDART_STREAM_API(cudaStreamGetFlags, _ptsz,
                         (CUstream stream, unsigned *flags), stream, flags) {
  return cuStreamGetFlags(streamOf(stream), flags);
}
PTXJIT_CUDART_STREAM_API(cudaStreamGetId, _ptsz,
                         (CUstream stream, unsigned long long *id), stream,
                         id) {
  return cuStreamGetId(streamOf(stream), id);
}
PTXJIT_CUDART_STREAM_API(cudaStreamGetDevice, _ptsz,
                         (CUstream stream, int *device), stream, device) {
  return cuStreamGetDevice(streamOf(stream), device);
}
PTXJIT_CUDART_STREAM_API(cudaStreamWaitEvent, _ptsz,
                         (CUstream stream, CUevent event, unsigned flags),
                         stream, event, flags) {
  return cuStreamWaitEvent(streamOf(stream), event, flags);
}
PTXJIT_CUDART_STREAM_API(cudaStreamAddCallback, _ptsz,
                         (CUstream stream, CUstreamCallback callback,
                          void *userData, unsigned flags),
                         stream, callback, userData, flags) {
  return cuStreamAddCallback(streamOf(stream), callback, userData, flags);
}
PTXJIT_CUDART_STREAM_API(cudaStreamAttachMemAsync, _ptsz,
                         (CUstream stream, void *pointer, size_t bytes,
                          unsigned flags),
                         stream, pointer, bytes, flags) {
  return cuStreamAttachMemAsync(streamOf(stream), toDevice(pointer), bytes,
                                flags);
}

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_STREAM_API(cudaStreamBeginCapture, _ptsz,
                         (CUstream stream, CUstreamCaptureMode mode), stream,
                         mode) {
  return cuStreamBeginCapture_v2(streamOf(stream), mode);
}
PTXJIT_CUDART_STREAM_API(cudaStreamBeginCaptureToGraph, _ptsz,
                         (CUstream stream, CUgraph graph,
                          const CUgraphNode *dependencies,
                          const CUgraphEdgeData *edges, size_t count,
                          CUstreamCaptureMode mode),
                         stream, graph, dependencies, edges, count, mode) {
  return cuStreamBeginCaptureToGraph(streamOf(stream), graph, dependencies,
                                     edges, count, mode);
}
PTXJIT_CUDART_STREAM_API(cudaStreamEndCapture, _ptsz,
                         (CUstream stream, CUgraph *graph), stream, graph) {
  return cuStreamEndCapture(streamOf(stream), graph);
}
PTXJIT_CUDART_STREAM_API(cudaStreamIsCapturing, _ptsz,
                         (CUstream stream, CUstreamCaptureStatus *status),
                         stream, status) {
  return cuStreamIsCapturing(streamOf(stream), status);
}
PTXJIT_CUDART_STREAM_API(cudaStreamGetCaptureInfo, _ptsz,
                         (CUstream stream, CUstreamCaptureStatus *status,
                          uint64_t *id, CUgraph *graph,
                          const CUgraphNode **dependencies,
                          const CUgraphEdgeData **edges, size_t *count),
                         stream, status, id, graph, dependencies, edges,
                         count) {
  return cuStreamGetCaptureInfo_v3(streamOf(stream), status, id, graph,
                                   dependencies, edges, count);
}
PTXJIT_CUDART_STREAM_API(cudaStreamUpdateCaptureDependencies, _ptsz,
                         (CUstream stream, CUgraphNode *dependencies,
                          const CUgraphEdgeData *edges, size_t count,
                          unsigned flags),
                         stream, dependencies, edges, count, flags) {
  return cuStreamUpdateCaptureDependencies_v2(streamOf(stream), dependencies,
                                              edges, count, flags);
}
PTXJIT_CUDART_API(cudaThreadExchangeStreamCaptureMode,
                  (CUstreamCaptureMode * mode), mode) {
  return cuThreadExchangeStreamCaptureMode(mode);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaEventCreate, (CUevent * out), out) {
  return cuEventCreate(out, 0);
}
PTXJIT_CUDART_API(cudaEventCreateWithFlags, (CUevent * out, unsigned flags),
                  out, flags) {
  return cuEventCreate(out, flags);
}
PTXJIT_CUDART_API(cudaEventDestroy, (CUevent event), event) {
  return cuEventDestroy_v2(event);
}
PTXJIT_CUDART_STREAM_API(cudaEventRecord, _ptsz,
                         (CUevent event, CUstream stream), event, stream) {
  return cuEventRecord(event, streamOf(stream));
}
PTXJIT_CUDART_STREAM_API(cudaEventRecordWithFlags, _ptsz,
                         (CUevent event, CUstream stream, unsigned flags),
                         event, stream, flags) {
  return cuEventRecordWithFlags(event, streamOf(stream), flags);
}
PTXJIT_CUDART_API(cudaEventQuery, (CUevent event), event) {
  return cuEventQuery(event);
}
PTXJIT_CUDART_API(cudaEventSynchronize, (CUevent event), event) {
  return cuEventSynchronize(event);
}
PTXJIT_CUDART_API(cudaEventElapsedTime,
                  (float *milliseconds, CUevent start, CUevent end),
                  milliseconds, start, end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}
