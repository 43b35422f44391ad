//===- Streams.cpp - streams, and the order of work in them ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"
#include "ptxjit/Runtime/PerThread.h"

#include <algorithm>
#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Default streams
//===----------------------------------------------------------------------===//

static thread_local unsigned perThreadDefaults = 0;

PerThreadDefault::PerThreadDefault() { ++perThreadDefaults; }
PerThreadDefault::~PerThreadDefault() { --perThreadDefaults; }

/// Makes a new stream wait for what its context waits for.
static void waitForAwaited(Context &context, StreamObject &stream) {
  std::lock_guard<std::mutex> lock(context.awaitedMutex);
  auto &all = context.awaited;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](auto &record) { return record->isDone(); }),
            all.end());
  for (auto &record : all)
    stream.work->submit([record] { record->wait(); });
}

StreamObject *cuda::addStream(Context &context, unsigned flags, int priority) {
  auto stream = std::make_unique<StreamObject>();
  stream->context = &context.home();
  stream->green = context.primary ? &context : nullptr;
  stream->id = getState().nextId++;
  stream->flags = flags;
  stream->blocking = !(flags & CU_STREAM_NON_BLOCKING);
  stream->priority = nearestPriority(priority);
  waitForAwaited(context, *stream);
  return getState().streams.add(std::move(stream));
}

namespace {
/// The default streams of one thread, one per context. Destroyed with the
/// thread.
struct ThreadStreams {
  struct Own {
    StreamObject *stream = nullptr;
    uint64_t id = 0;
  };
  std::map<uint64_t, Own> streams; ///< by context id

  ~ThreadStreams() {
    if (isForked())
      return;
    // Compares ids, too: a context that is gone has destroyed its streams, and
    // new ones may have the same addresses.
    for (auto &[contextId, own] : streams)
      getState().streams.removeIf([own = own](StreamObject &stream) {
        return &stream == own.stream && stream.id == own.id;
      });
  }
  StreamObject &get(Context &context) {
    Own &own = streams[context.id];
    if (!own.stream) {
      own.stream = addStream(context, 0, 0);
      own.id = own.stream->id;
    }
    return *own.stream;
  }
};
} // namespace

static StreamObject &threadStream(Context &context) {
  return perThread<ThreadStreams, ThreadStreams>().get(context);
}

CUresult cuda::enterStream(CUstream handle, Context *&context,
                           StreamObject *&stream) {
  bool isDefault =
      !handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD;
  if (isDefault) {
    Context *part;
    if (CUresult error = enterPart(context, part))
      return error;
    bool isOfThread =
        handle == CU_STREAM_PER_THREAD || (!handle && perThreadDefaults);
    stream = isOfThread ? &threadStream(*part) : &part->defaultStream;
    return CUDA_SUCCESS;
  }
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  stream = reinterpret_cast<StreamObject *>(handle);
  if (!getState().streams.contains(stream))
    return CUDA_ERROR_INVALID_HANDLE;
  return stream->isOrphan ? CUDA_ERROR_CONTEXT_IS_DESTROYED
                          : enterOwner(stream->context, context);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static void addUnfinished(StreamObject &stream, std::vector<Ticket> &tickets) {
  uint64_t ticket = stream.work->lastTicket();
  if (!stream.work->isDone(ticket))
    tickets.emplace_back(stream.work->getProgress(), ticket);
}

CUresult cuda::synchronizeStream(Context &context, StreamObject &stream) {
  stream.work->synchronize();
  return CUresult(context.stickyError.load());
}

bool cuda::isOf(const StreamObject &stream, const Context &context) {
  return stream.context == &context || stream.green == &context;
}

/// Collected first, since the tables must not be locked while somebody waits.
template <typename Counts>
static std::vector<Ticket> collectUnfinished(Counts counts) {
  std::vector<Ticket> tickets;
  auto add = [&](StreamObject &stream) {
    if (counts(stream))
      addUnfinished(stream, tickets);
  };
  getState().streams.forEach(add);
  getState().contexts.forEach(
      [&](Context &context) { add(context.defaultStream); });
  return tickets;
}

std::vector<Ticket> cuda::unfinishedWork(Context &context) {
  return collectUnfinished(
      [&](StreamObject &stream) { return isOf(stream, context); });
}

std::vector<Ticket> cuda::unfinishedWork() {
  return collectUnfinished([](StreamObject &) { return true; });
}

CUresult cuda::synchronizeContext(Context &context) {
  for (auto &[progress, ticket] : unfinishedWork(context))
    progress->wait(ticket);
  return CUresult(context.home().stickyError.load());
}

void cuda::destroyStreamsOf(Context &context) {
  getState().streams.removeIf(
      [&](StreamObject &stream) { return stream.context == &context; });
}

StreamObject &cuda::defaultOf(const StreamObject &stream) {
  return (stream.green ? stream.green : stream.context)->defaultStream;
}

/// Does the default stream `first` wait for `stream`?
static bool isAwaited(const StreamObject &stream, const StreamObject &first) {
  return stream.context == first.context && stream.green == first.green &&
         stream.blocking;
}

/// Unfinished work in the blocking streams beside a default stream.
static std::vector<Ticket> blockingWork(const StreamObject &first) {
  std::vector<Ticket> tickets;
  getState().streams.forEach([&](StreamObject &stream) {
    if (isAwaited(stream, first))
      addUnfinished(stream, tickets);
  });
  return tickets;
}

/// Work in the default stream waits for work that was submitted to blocking
/// streams before it, and the other way round. Work only ever waits for earlier
/// submissions, so waiting cannot be circular.
uint64_t cuda::submitOrdered(Context &context, StreamObject &stream,
                             std::function<void()> task, RunsOn thread) {
  std::vector<Ticket> before;
  if (&stream == &defaultOf(stream))
    before = blockingWork(stream);
  else if (stream.blocking)
    addUnfinished(defaultOf(stream), before);
  if (before.empty() && thread == RunsOn::Caller)
    return stream.work->runOrSubmit(std::move(task));
  if (before.empty() && thread == RunsOn::CallerIfAwaits)
    return stream.work->runIfAwaited(std::move(task));
  if (before.empty())
    return stream.work->submit(std::move(task));
  return stream.work->submit([before, task = std::move(task)] {
    for (auto &[other, ticket] : before)
      other->wait(ticket);
    task();
  });
}

bool cuda::waitsForCapture(const StreamObject &stream) {
  if (!getState().captures || &stream != &defaultOf(stream))
    return false;
  bool found = false;
  getState().streams.forEach([&](StreamObject &other) {
    found |= isAwaited(other, stream) && other.isCapturing;
  });
  return found;
}

CUresult cuda::enqueue(Context &context, StreamObject &stream,
                       OperationRef operation, bool wait, uint64_t *ticket) {
  if (stream.capture) {
    Capture &capture = *stream.capture;
    if (wait || !capture.canRecord(*operation))
      capture.isInvalid = true;
    if (capture.isInvalid)
      return wait ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                  : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    capture.prune(stream.captureTips);
    GraphNode *node =
        capture.target->add(std::move(operation), stream.captureTips);
    stream.captureTips = {node};
    return CUDA_SUCCESS;
  }
  if (waitsForCapture(stream))
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  auto run = [&context, operation] {
    if (!context.stickyError) // after a failed kernel nothing runs
      operation->run(context);
  };
  RunsOn thread = wait || operation->isShort() ? RunsOn::Caller
                  : operation->isBrief()       ? RunsOn::CallerIfAwaits
                                               : RunsOn::Stream;
  uint64_t own = submitOrdered(context, stream, run, thread);
  if (ticket)
    *ticket = own;
  if (!wait)
    return CUDA_SUCCESS;
  stream.work->getProgress()->wait(own);
  return CUresult(context.stickyError.load());
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuStreamCreateWithPriority,
                (CUstream * handle, unsigned flags, int priority), handle,
                flags, priority) {
  Context *context, *part;
  if (CUresult error = enterPart(context, part))
    return error;
  if (!handle || flags > CU_STREAM_NON_BLOCKING)
    return CUDA_ERROR_INVALID_VALUE;
  *handle = reinterpret_cast<CUstream>(addStream(*part, flags, priority));
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuStreamCreate, (CUstream * handle, unsigned flags), handle,
                flags) {
  return cuStreamCreateWithPriority(handle, flags, 0);
}

PTXJIT_CUDA_API(cuStreamDestroy_v2, (CUstream handle), handle) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  // Destroying the stream finishes its work: a kernel cannot lose its thread.
  return getState().streams.remove(handle) ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_HANDLE;
}

PTXJIT_CUDA_STREAM_API(cuStreamSynchronize, _ptsz, (CUstream handle), handle) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (stream->capture) {
    stream->capture->isInvalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  // The default stream has come this far only when the blocking streams have,
  // too.
  if (stream == &defaultOf(*stream))
    for (auto &[progress, ticket] : blockingWork(*stream))
      progress->wait(ticket);
  return synchronizeStream(*context, *stream);
}

PTXJIT_CUDA_STREAM_API(cuStreamQuery, _ptsz, (CUstream handle), handle) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (stream->capture) {
    stream->capture->isInvalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return stream->work->isDone(stream->work->lastTicket())
             ? CUDA_SUCCESS
             : CUDA_ERROR_NOT_READY;
}

/// Answers a query about a stream: `*out` becomes `answer(stream)`.
template <typename T, typename Answer>
static CUresult ask(CUstream handle, T *out, Answer answer) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = answer(*stream);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_STREAM_API(cuStreamGetPriority, _ptsz,
                       (CUstream handle, int *priority), handle, priority) {
  return ask(handle, priority,
             [](StreamObject &stream) { return stream.priority.load(); });
}

PTXJIT_CUDA_STREAM_API(cuStreamGetFlags, _ptsz,
                       (CUstream handle, unsigned *flags), handle, flags) {
  return ask(handle, flags, [](StreamObject &stream) { return stream.flags; });
}

static bool isStreamAttribute(int attribute) {
  switch (attribute) {
  case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
  case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
  case CU_LAUNCH_ATTRIBUTE_PRIORITY:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
  case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    return true;
  }
  return false;
}

PTXJIT_CUDA_STREAM_API(cuStreamSetAttribute, _ptsz,
                       (CUstream handle, int attribute, const void *value),
                       handle, attribute, value) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (!value || !isStreamAttribute(attribute))
    return CUDA_ERROR_INVALID_VALUE;
  StreamAttributes::Value copy;
  std::memcpy(copy.data(), value, copy.size());
  if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY) {
    int priority;
    std::memcpy(&priority, value, sizeof(priority));
    stream->priority = nearestPriority(priority);
    return CUDA_SUCCESS;
  }
  stream->attributes.set(attribute, copy);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_STREAM_API(cuStreamGetAttribute, _ptsz,
                       (CUstream handle, int attribute, void *value), handle,
                       attribute, value) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (!value || !isStreamAttribute(attribute))
    return CUDA_ERROR_INVALID_VALUE;
  StreamAttributes::Value known{};
  int priority = stream->priority;
  if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY)
    std::memcpy(known.data(), &priority, sizeof(priority));
  else
    known = stream->attributes.find(attribute).value_or(known);
  std::memcpy(value, known.data(), known.size());
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_STREAM_API(cuStreamCopyAttributes, _ptsz,
                       (CUstream toHandle, CUstream fromHandle), toHandle,
                       fromHandle) {
  Context *context;
  StreamObject *to, *from;
  if (CUresult error = enterStream(toHandle, context, to))
    return error;
  if (CUresult error = enterStream(fromHandle, context, from))
    return error;
  to->priority = from->priority.load();
  for (auto &[attribute, value] : from->attributes.getAll())
    to->attributes.set(attribute, value);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_STREAM_API(cuStreamGetId, _ptsz,
                       (CUstream handle, unsigned long long *id), handle, id) {
  return ask(handle, id, [](StreamObject &stream) { return stream.id; });
}

PTXJIT_CUDA_STREAM_API(cuStreamGetCtx, _ptsz, (CUstream handle, CUcontext *out),
                       handle, out) {
  return ask(handle, out, [](StreamObject &stream) {
    return reinterpret_cast<CUcontext>(stream.green ? stream.green
                                                    : stream.context);
  });
}
PTXJIT_CUDA_STREAM_API(cuStreamGetCtx_v2, _ptsz,
                       (CUstream handle, CUcontext *out, CUgreenCtx *green),
                       handle, out, green) {
  if (!green)
    return CUDA_ERROR_INVALID_VALUE;
  return ask(handle, out, [&](StreamObject &stream) {
    *green = reinterpret_cast<CUgreenCtx>(stream.green);
    return reinterpret_cast<CUcontext>(stream.context);
  });
}
PTXJIT_CUDA_API(cuStreamGetGreenCtx, (CUstream handle, CUgreenCtx *green),
                handle, green) {
  return ask(handle, green, [](StreamObject &stream) {
    return reinterpret_cast<CUgreenCtx>(stream.green);
  });
}

PTXJIT_CUDA_STREAM_API(cuStreamGetDevice, _ptsz,
                       (CUstream handle, CUdevice *device), handle, device) {
  return ask(handle, device,
             [](StreamObject &stream) { return stream.context->device; });
}

PTXJIT_CUDA_STREAM_API(cuStreamAttachMemAsync, _ptsz,
                       (CUstream handle, CUdeviceptr pointer,
                        [[maybe_unused]] size_t bytes,
                        [[maybe_unused]] unsigned flags),
                       handle, pointer, bytes, flags) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  return findPlace(pointer, 1) == Place::Inside ? CUDA_SUCCESS
                                                : CUDA_ERROR_INVALID_VALUE;
}

//===----------------------------------------------------------------------===//
// Host functions
//===----------------------------------------------------------------------===//

// A call from a host function could wait for that function itself.
static thread_local unsigned hostFunctions = 0;

HostFunction::HostFunction() { ++hostFunctions; }
HostFunction::~HostFunction() { --hostFunctions; }
bool cuda::isInHostFunction() { return hostFunctions; }

namespace {
struct HostOperation : Operation {
  CUDA_HOST_NODE_PARAMS params;
  explicit HostOperation(const CUDA_HOST_NODE_PARAMS &params)
      : params(params) {}
  CUgraphNodeType type() const override { return CU_GRAPH_NODE_TYPE_HOST; }
  void run(Context &) const override {
    HostFunction scope;
    params.fn(params.userData);
  }
};
} // namespace

OperationRef cuda::makeHostCall(const CUDA_HOST_NODE_PARAMS &params) {
  return std::make_shared<HostOperation>(params);
}

CUDA_HOST_NODE_PARAMS cuda::hostParams(const Operation &operation) {
  return static_cast<const HostOperation &>(operation).params;
}

PTXJIT_CUDA_STREAM_API(cuLaunchHostFunc, _ptsz,
                       (CUstream handle, CUhostFn fn, void *userData), handle,
                       fn, userData) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (!fn)
    return CUDA_ERROR_INVALID_VALUE;
  return enqueue(*context, *stream, makeHostCall({fn, userData}));
}

// Unlike host functions, callbacks run after errors, too, and get the error.
PTXJIT_CUDA_STREAM_API(cuStreamAddCallback, _ptsz,
                       (CUstream handle, CUstreamCallback callback,
                        void *userData, unsigned flags),
                       handle, callback, userData, flags) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  if (!callback || flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture) {
    stream->capture->isInvalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  submitOrdered(*context, *stream, [=] {
    HostFunction scope;
    callback(handle, CUresult(context->stickyError.load()), userData);
  });
  return CUDA_SUCCESS;
}
