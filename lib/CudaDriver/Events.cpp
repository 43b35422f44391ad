//===- Events.cpp - events, which mark points in streams ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

#include <algorithm>
#include <chrono>

using namespace ptxjit;
using namespace ptxjit::cuda;

static int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

namespace {
/// A graph node that records an event at each launch.
struct RecordOperation : Operation {
  Event *event;
  explicit RecordOperation(Event *event) : event(event) {}
  CUgraphNodeType type() const override {
    return CU_GRAPH_NODE_TYPE_EVENT_RECORD;
  }
  void run(Context &) const override {
    if (!getState().events.contains(event))
      return;
    auto record = std::make_shared<EventRecord>();
    record->nanoseconds = now();
    std::lock_guard<std::mutex> lock(event->mutex);
    event->record = record;
    event->capture = nullptr;
  }
};

/// A graph node that waits for the event's latest record.
struct WaitOperation : Operation {
  Event *event;
  explicit WaitOperation(Event *event) : event(event) {}
  CUgraphNodeType type() const override {
    return CU_GRAPH_NODE_TYPE_WAIT_EVENT;
  }
  void run(Context &) const override {
    if (!getState().events.contains(event))
      return;
    std::shared_ptr<EventRecord> record;
    {
      std::lock_guard<std::mutex> lock(event->mutex);
      record = event->record;
    }
    if (record && record->progress)
      record->progress->wait(record->ticket);
  }
};
} // namespace

OperationRef cuda::makeRecord(Event *event) {
  return std::make_shared<RecordOperation>(event);
}
OperationRef cuda::makeWait(Event *event) {
  return std::make_shared<WaitOperation>(event);
}
Event *cuda::eventOf(const Operation &operation) {
  if (auto *record = dynamic_cast<const RecordOperation *>(&operation))
    return record->event;
  if (auto *wait = dynamic_cast<const WaitOperation *>(&operation))
    return wait->event;
  return nullptr;
}

CUresult cuda::findEvent(CUevent handle, Event *&event) {
  event = reinterpret_cast<Event *>(handle);
  return getState().events.contains(event) ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_HANDLE;
}

static bool isDone(const EventRecord &record) {
  return !record.progress || record.progress->isDone(record.ticket);
}

PTXJIT_CUDA_API(cuEventCreate, (CUevent * handle, unsigned flags), handle,
                flags) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  bool interprocess = flags & CU_EVENT_INTERPROCESS;
  if (!handle || flags > 7 ||
      (interprocess && !(flags & CU_EVENT_DISABLE_TIMING)))
    return CUDA_ERROR_INVALID_VALUE;
  auto event = std::make_unique<Event>();
  event->context = context;
  event->device = context->device;
  event->flags = flags;
  *handle = reinterpret_cast<CUevent>(getState().events.add(std::move(event)));
  return CUDA_SUCCESS;
}

/// Finds an event and calls enterOwner() for its context.
static CUresult enterEvent(CUevent handle, Event *&event, Context *&context) {
  if (CUresult error = findEvent(handle, event))
    return getState().initialized ? error : CUDA_ERROR_NOT_INITIALIZED;
  return enterOwner(event->context, context);
}

PTXJIT_CUDA_API(cuEventDestroy_v2, (CUevent handle), handle) {
  Event *event;
  Context *context;
  if (CUresult error = enterEvent(handle, event, context))
    return error;
  return getState().events.remove(handle) ? CUDA_SUCCESS
                                          : CUDA_ERROR_INVALID_HANDLE;
}

PTXJIT_CUDA_STREAM_API(cuEventRecordWithFlags, _ptsz,
                       (CUevent handle, CUstream streamHandle, unsigned flags),
                       handle, streamHandle, flags) {
  Context *context;
  StreamObject *stream;
  Event *event;
  if (CUresult error = enterStream(streamHandle, context, stream))
    return error;
  if (CUresult error = findEvent(handle, event))
    return error;
  if (event->device != context->device)
    return CUDA_ERROR_INVALID_HANDLE;
  if (flags > 1)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(event->mutex);
  if (stream->capture) {
    if (flags == 1) // record a node, not just a mark in the capture
      return enqueue(*context, *stream, makeRecord(event));
    event->capture = stream->capture;
    event->captureTips = stream->captureTips;
    return CUDA_SUCCESS;
  }
  auto record = std::make_shared<EventRecord>();
  record->progress = stream->work->getProgress();
  record->ticket = submitOrdered(*context, *stream,
                                 [record] { record->nanoseconds = now(); });
  event->record = record;
  event->capture = nullptr;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_STREAM_API(cuEventRecord, _ptsz, (CUevent handle, CUstream stream),
                       handle, stream) {
  return cuEventRecordWithFlags(handle, stream, 0);
}

/// The latest record of an event; an error if it was made in a capture.
static CUresult getRecord(CUevent handle, std::shared_ptr<EventRecord> &record,
                          Context *&context) {
  Event *event;
  if (CUresult error = enterEvent(handle, event, context))
    return error;
  std::lock_guard<std::mutex> lock(event->mutex);
  if (event->capture)
    return CUDA_ERROR_CAPTURED_EVENT;
  record = event->record;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuEventQuery, (CUevent handle), handle) {
  std::shared_ptr<EventRecord> record;
  Context *context;
  if (CUresult error = getRecord(handle, record, context))
    return error;
  return !record || isDone(*record) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

PTXJIT_CUDA_API(cuEventSynchronize, (CUevent handle), handle) {
  std::shared_ptr<EventRecord> record;
  Context *context;
  if (CUresult error = getRecord(handle, record, context))
    return error;
  if (record && record->progress)
    record->progress->wait(record->ticket);
  return CUresult(context->stickyError.load());
}

PTXJIT_CUDA_API(cuEventElapsedTime_v2,
                (float *milliseconds, CUevent start, CUevent end), milliseconds,
                start, end) {
  std::shared_ptr<EventRecord> first, last;
  Context *context;
  if (!milliseconds)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = getRecord(start, first, context))
    return error;
  if (CUresult error = getRecord(end, last, context))
    return error;
  auto deviceOf = [](CUevent handle) {
    return reinterpret_cast<Event *>(handle)->device;
  };
  auto isTimed = [](CUevent handle) {
    return !(reinterpret_cast<Event *>(handle)->flags &
             CU_EVENT_DISABLE_TIMING);
  };
  if (!first || !last || !isTimed(start) || !isTimed(end) ||
      deviceOf(start) != deviceOf(end))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!isDone(*first) || !isDone(*last))
    return CUDA_ERROR_NOT_READY;
  *milliseconds = float(double(last->nanoseconds - first->nanoseconds) / 1e6);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuEventElapsedTime,
                (float *milliseconds, CUevent start, CUevent end), milliseconds,
                start, end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}

/// Makes the stream depend on what the event marks in its capture. The stream
/// becomes part of that capture.
static CUresult joinCapture(StreamObject &stream, Event &event) {
  if (stream.capture && stream.capture != event.capture)
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  if (!stream.capture)
    enterCapture(stream, event.capture);
  for (GraphNode *node : event.captureTips)
    if (std::find(stream.captureTips.begin(), stream.captureTips.end(), node) ==
        stream.captureTips.end())
      stream.captureTips.push_back(node);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_STREAM_API(cuStreamWaitEvent, _ptsz,
                       (CUstream streamHandle, CUevent handle, unsigned flags),
                       streamHandle, handle, flags) {
  Context *context;
  StreamObject *stream;
  Event *event;
  if (CUresult error = enterStream(streamHandle, context, stream))
    return error;
  if (CUresult error = findEvent(handle, event))
    return error;
  if (flags > 1)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(event->mutex);
  if (event->capture)
    return joinCapture(*stream, *event);
  if (stream->capture)
    return flags == 1 ? enqueue(*context, *stream, makeWait(event))
                      : CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  std::shared_ptr<EventRecord> record = event->record;
  if (!record || isDone(*record) ||
      record->progress == stream->work->getProgress())
    return CUDA_SUCCESS;
  submitOrdered(*context, *stream,
                [record] { record->progress->wait(record->ticket); });
  return CUDA_SUCCESS;
}
