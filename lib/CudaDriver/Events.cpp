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

bool EventRecord::isDone() const {
  if (shared)
    return shared->isComplete(ticket);
  return !progress || progress->isDone(ticket);
}

void EventRecord::wait() const {
  if (shared)
    shared->wait(ticket);
  else if (progress)
    progress->wait(ticket);
}

std::shared_ptr<EventRecord> cuda::latestRecord(const Event &event) {
  if (!event.shared)
    return event.record;
  uint64_t ticket = event.shared->latest();
  if (!ticket)
    return nullptr;
  auto record = std::make_shared<EventRecord>();
  record->shared = event.shared;
  record->ticket = ticket;
  return record;
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
    if (event->shared)
      event->shared->complete(event->shared->begin());
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
      record = latestRecord(*event);
    }
    if (record)
      record->wait();
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

/// Makes an event in a context. \param shared  null unless the event is one of
/// several processes.
static CUevent addEvent(Context &context, unsigned flags,
                        std::shared_ptr<IpcEvent> shared) {
  auto event = std::make_unique<Event>();
  event->context = &context;
  event->device = context.device;
  event->flags = flags;
  event->shared = std::move(shared);
  return reinterpret_cast<CUevent>(getState().events.add(std::move(event)));
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
  std::shared_ptr<IpcEvent> shared;
  if (interprocess)
    if (shared = IpcEvent::make(); !shared)
      return CUDA_ERROR_OUT_OF_MEMORY;
  *handle = addEvent(*context, flags, std::move(shared));
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
  std::shared_ptr<IpcEvent> shared = event->shared;
  uint64_t ticket = shared ? shared->begin() : 0;
  record->ticket = submitOrdered(
      *context, *stream,
      [record, shared, ticket] {
        record->nanoseconds = now();
        if (shared)
          shared->complete(ticket);
      },
      RunsOn::Caller);
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
  record = latestRecord(*event);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuEventQuery, (CUevent handle), handle) {
  std::shared_ptr<EventRecord> record;
  Context *context;
  if (CUresult error = getRecord(handle, record, context))
    return error;
  return !record || record->isDone() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

PTXJIT_CUDA_API(cuEventSynchronize, (CUevent handle), handle) {
  std::shared_ptr<EventRecord> record;
  Context *context;
  if (CUresult error = getRecord(handle, record, context))
    return error;
  if (record)
    record->wait();
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
  if (!first->isDone() || !last->isDone())
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
  std::shared_ptr<EventRecord> record = latestRecord(*event);
  if (!record || record->isDone() ||
      record->progress == stream->work->getProgress())
    return CUDA_SUCCESS;
  submitOrdered(*context, *stream, [record] { record->wait(); });
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Events of other processes
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuIpcGetEventHandle, (CUipcEventHandle * out, CUevent handle),
                out, handle) {
  Event *event;
  Context *context;
  if (CUresult error = enterEvent(handle, event, context))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  return event->shared ? event->shared->getHandle(*out)
                       : CUDA_ERROR_INVALID_HANDLE;
}

PTXJIT_CUDA_API(cuIpcOpenEventHandle, (CUevent * out, CUipcEventHandle handle),
                out, handle) {
  Context *context;
  std::shared_ptr<IpcEvent> shared;
  if (CUresult error = enter(context))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = IpcEvent::open(handle, shared))
    return error;
  *out = addEvent(*context, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING,
                  std::move(shared));
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Events of whole contexts
//===----------------------------------------------------------------------===//

/// Finds the two, and calls enterOwner().
static CUresult enterBoth(CUcontext contextHandle, CUevent eventHandle,
                          Context *&context, Event *&event) {
  Context *home;
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  context = reinterpret_cast<Context *>(contextHandle);
  if (!context || !getState().contexts.contains(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (CUresult error = findEvent(eventHandle, event))
    return error;
  return enterOwner(context, home);
}

/// A queue of the context's own waits for all work, so that no stream has to.
static CUresult recordAll(CUcontext contextHandle, CUevent eventHandle) {
  Context *context;
  Event *event;
  if (CUresult error = enterBoth(contextHandle, eventHandle, context, event))
    return error;
  if (event->context != &context->home())
    return CUDA_ERROR_INVALID_HANDLE;
  if (invalidateCaptures(*context))
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  auto record = std::make_shared<EventRecord>();
  record->progress = context->marks.getProgress();
  std::lock_guard<std::mutex> lock(event->mutex);
  record->ticket =
      context->marks.submit([record, work = unfinishedWork(*context)] {
        for (auto &[progress, ticket] : work)
          progress->wait(ticket);
        record->nanoseconds = now();
      });
  event->record = record;
  event->capture = nullptr;
  return CUDA_SUCCESS;
}

/// Makes the streams of a context wait, and those that it will have.
static void awaitIn(Context &context, std::shared_ptr<EventRecord> record) {
  auto wait = [record](StreamObject &stream) {
    stream.work->submit([record] { record->wait(); });
  };
  getState().contexts.forEach([&](Context &part) {
    if (&part != &context && part.primary != &context)
      return;
    std::lock_guard<std::mutex> lock(part.awaitedMutex);
    part.awaited.push_back(record);
    wait(part.defaultStream);
  });
  getState().streams.forEach([&](StreamObject &stream) {
    if (isOf(stream, context))
      wait(stream);
  });
}

static CUresult waitInAll(CUcontext contextHandle, CUevent eventHandle) {
  Context *context;
  Event *event;
  if (CUresult error = enterBoth(contextHandle, eventHandle, context, event))
    return error;
  std::lock_guard<std::mutex> lock(event->mutex);
  if (event->capture)
    event->capture->isInvalid = true;
  if (invalidateCaptures(*context) || event->capture)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (event->record && !event->record->isDone())
    awaitIn(*context, event->record);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuCtxRecordEvent, (CUcontext context, CUevent event), context,
                event) {
  return recordAll(context, event);
}
PTXJIT_CUDA_API(cuCtxWaitEvent, (CUcontext context, CUevent event), context,
                event) {
  return waitInAll(context, event);
}
PTXJIT_CUDA_API(cuGreenCtxRecordEvent, (CUgreenCtx green, CUevent event), green,
                event) {
  CUcontext context;
  CUresult error = cuCtxFromGreenCtx(&context, green);
  return error ? error : recordAll(context, event);
}
PTXJIT_CUDA_API(cuGreenCtxWaitEvent, (CUgreenCtx green, CUevent event), green,
                event) {
  CUcontext context;
  CUresult error = cuCtxFromGreenCtx(&context, green);
  return error ? error : waitInAll(context, event);
}
