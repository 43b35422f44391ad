//===- Capture.cpp - streams that record graphs ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include <algorithm>

using namespace ptxjit;
using namespace ptxjit::cuda;

static CUresult beginCapture(CUstream handle, CUstreamCaptureMode mode,
                             Graph *target,
                             std::vector<GraphNode *> dependencies) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (unsigned(mode) > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  // The order of the legacy default stream cannot be expressed as a graph.
  if (stream == &defaultOf(*stream))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  auto capture = std::make_shared<Capture>();
  capture->id = getState().nextId++;
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->origin = stream;
  if (!target) {
    capture->graph = std::make_unique<Graph>();
    capture->graph->isOwned = true;
    target = capture->graph.get();
    // Programs ask for its handle, to add nodes of their own.
    getState().graphs.insert(target);
  }
  capture->target = target;
  enterCapture(*stream, std::move(capture));
  stream->captureTips = std::move(dependencies);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_STREAM_API(cuStreamBeginCapture_v2, _ptsz,
                       (CUstream stream, CUstreamCaptureMode mode), stream,
                       mode) {
  return beginCapture(stream, mode, nullptr, {});
}
PTXJIT_CUDA_STREAM_API(cuStreamBeginCapture, _ptsz, (CUstream stream), stream) {
  return beginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL, nullptr, {});
}

PTXJIT_CUDA_STREAM_API(cuStreamBeginCaptureToGraph, _ptsz,
                       (CUstream stream, CUgraph handle,
                        const CUgraphNode *dependencies,
                        const CUgraphEdgeData *edges, size_t count,
                        CUstreamCaptureMode mode),
                       stream, handle, dependencies, edges, count, mode) {
  auto *graph = reinterpret_cast<Graph *>(handle);
  if (!getState().graphs.contains(graph) || (count && !dependencies))
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphNode *> nodes;
  for (size_t i = 0; i < count; ++i) {
    auto *node = reinterpret_cast<GraphNode *>(dependencies[i]);
    if (!graph->contains(node))
      return CUDA_ERROR_INVALID_VALUE;
    nodes.push_back(node);
  }
  return beginCapture(stream, mode, graph, std::move(nodes));
}

Capture::~Capture() {
  if (graph)
    getState().graphs.erase(graph.get());
}

bool Capture::isAlive() const {
  return graph || getState().graphs.contains(target);
}
void Capture::prune(std::vector<GraphNode *> &list) const {
  list.erase(
      std::remove_if(list.begin(), list.end(),
                     [&](GraphNode *node) { return !target->contains(node); }),
      list.end());
}
bool Capture::canRecord(const Operation &operation) const {
  return isAlive() && mayHold(*target, operation);
}

/// Does the last work in the origin depend on all of `work`?
static bool isJoined(const StreamObject &origin,
                     const std::vector<GraphNode *> &work) {
  std::vector<GraphNode *> before = allBefore(origin.captureTips);
  return std::all_of(work.begin(), work.end(), [&](GraphNode *node) {
    return std::find(before.begin(), before.end(), node) != before.end();
  });
}

/// Of StreamObject::capture, which only the stream's own thread changes: that
/// reads it without the mutex, other threads with it.
static std::mutex &getMembersMutex() {
  static auto *mutex = new std::mutex; // streams may outlive statics
  return *mutex;
}

void cuda::enterCapture(StreamObject &stream,
                        std::shared_ptr<Capture> capture) {
  capture->streams.push_back(&stream);
  std::lock_guard<std::mutex> lock(getMembersMutex());
  stream.capture = std::move(capture);
  stream.isCapturing = true;
  ++getState().captures;
}

StreamObject::~StreamObject() {
  if (!capture)
    return;
  // A stream may go during a capture. The origin must come to depend on its
  // last nodes.
  std::vector<GraphNode *> &orphans = capture->orphans;
  orphans.insert(orphans.end(), captureTips.begin(), captureTips.end());
  if (capture->origin == this)
    capture->isInvalid = true;
  leaveCapture(*this);
}

void cuda::leaveCapture(StreamObject &stream) {
  std::vector<StreamObject *> &members = stream.capture->streams;
  members.erase(std::remove(members.begin(), members.end(), &stream),
                members.end());
  stream.captureTips.clear();
  std::lock_guard<std::mutex> lock(getMembersMutex());
  stream.capture = nullptr;
  stream.isCapturing = false;
  --getState().captures;
}

bool cuda::invalidateCaptures(Context &context) {
  bool found = false;
  getState().streams.forEach([&](StreamObject &stream) {
    std::lock_guard<std::mutex> lock(getMembersMutex());
    if (!stream.capture || !isOf(stream, context))
      return;
    stream.capture->isInvalid = true;
    found = true;
  });
  return found;
}

/// Ends the capture of a stream; the recorded nodes become a graph.
static CUresult endCapture(StreamObject &stream, Graph *&graph) {
  std::shared_ptr<Capture> capture = stream.capture;
  if (!capture->isAlive())
    capture->isInvalid = true;
  std::vector<StreamObject *> members = capture->streams;
  if (!capture->isInvalid) {
    capture->prune(capture->orphans);
    for (StreamObject *member : members)
      capture->prune(member->captureTips);
  }
  bool joined = !capture->isInvalid && isJoined(stream, capture->orphans);
  for (StreamObject *member : members)
    joined = joined && isJoined(stream, member->captureTips);
  for (StreamObject *member : members)
    leaveCapture(*member);
  if (capture->isInvalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (!joined)
    return CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  graph = capture->target;
  if (capture->graph) {
    graph->isOwned = false; // from now on by the program
    getState().graphs.add(std::move(capture->graph));
  }
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_STREAM_API(cuStreamEndCapture, _ptsz,
                       (CUstream handle, CUgraph *out), handle, out) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (!stream->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (stream->capture->origin != stream) {
    stream->capture->isInvalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  if (stream->capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      stream->capture->thread != std::this_thread::get_id())
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  // The program knows the graph if it has named one.
  if (!out && stream->capture->graph)
    return CUDA_ERROR_INVALID_VALUE;
  Graph *graph = nullptr;
  CUresult error = endCapture(*stream, graph);
  if (out)
    *out = reinterpret_cast<CUgraph>(graph);
  return error;
}

static CUresult getStatus(const StreamObject &stream,
                          CUstreamCaptureStatus &status) {
  if (waitsForCapture(stream))
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  if (!stream.capture)
    status = CU_STREAM_CAPTURE_STATUS_NONE;
  else if (stream.capture->isInvalid || !stream.capture->isAlive())
    status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  else
    status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_STREAM_API(cuStreamIsCapturing, _ptsz,
                       (CUstream handle, CUstreamCaptureStatus *status), handle,
                       status) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (!status)
    return CUDA_ERROR_INVALID_VALUE;
  return getStatus(*stream, *status);
}

PTXJIT_CUDA_STREAM_API(cuStreamGetCaptureInfo_v3, _ptsz,
                       (CUstream handle, CUstreamCaptureStatus *status,
                        uint64_t *id, CUgraph *graph,
                        const CUgraphNode **dependencies,
                        const CUgraphEdgeData **edges, size_t *count),
                       handle, status, id, graph, dependencies, edges, count) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (!status)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult error = getStatus(*stream, *status);
  if (error || *status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return error;
  stream->capture->prune(stream->captureTips);
  if (id)
    *id = stream->capture->id;
  if (graph)
    *graph = reinterpret_cast<CUgraph>(stream->capture->target);
  if (dependencies)
    *dependencies =
        reinterpret_cast<const CUgraphNode *>(stream->captureTips.data());
  if (edges)
    *edges = nullptr; // all are full dependencies
  if (count)
    *count = stream->captureTips.size();
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_STREAM_API(cuStreamGetCaptureInfo_v2, _ptsz,
                       (CUstream handle, CUstreamCaptureStatus *status,
                        uint64_t *id, CUgraph *graph,
                        const CUgraphNode **dependencies, size_t *count),
                       handle, status, id, graph, dependencies, count) {
  return cuStreamGetCaptureInfo_v3(handle, status, id, graph, dependencies,
                                   nullptr, count);
}
PTXJIT_CUDA_STREAM_API(cuStreamGetCaptureInfo, _ptsz,
                       (CUstream handle, CUstreamCaptureStatus *status,
                        uint64_t *id),
                       handle, status, id) {
  return cuStreamGetCaptureInfo_v3(handle, status, id, nullptr, nullptr,
                                   nullptr, nullptr);
}

PTXJIT_CUDA_STREAM_API(cuStreamUpdateCaptureDependencies_v2, _ptsz,
                       (CUstream handle, CUgraphNode *dependencies,
                        const CUgraphEdgeData *edges, size_t count,
                        unsigned flags),
                       handle, dependencies, edges, count, flags) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (!stream->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (flags > 1 || (count && !dependencies))
    return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphNode *> nodes;
  if (flags == 0) // add to the set, do not replace it
    nodes = stream->captureTips;
  for (size_t i = 0; i < count; ++i) {
    auto *node = reinterpret_cast<GraphNode *>(dependencies[i]);
    if (!stream->capture->target->contains(node))
      return CUDA_ERROR_INVALID_VALUE;
    nodes.push_back(node);
  }
  stream->captureTips = std::move(nodes);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_STREAM_API(cuStreamUpdateCaptureDependencies, _ptsz,
                       (CUstream handle, CUgraphNode *dependencies,
                        size_t count, unsigned flags),
                       handle, dependencies, count, flags) {
  return cuStreamUpdateCaptureDependencies_v2(handle, dependencies, nullptr,
                                              count, flags);
}

PTXJIT_CUDA_API(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * mode),
                mode) {
  static thread_local CUstreamCaptureMode own = CU_STREAM_CAPTURE_MODE_GLOBAL;
  if (!mode || unsigned(*mode) > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, own);
  return CUDA_SUCCESS;
}
