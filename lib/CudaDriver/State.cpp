//===- State.cpp - what the driver keeps ----------------------------------===//

#include "State.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace ptxjit;
using namespace ptxjit::cuda;

State &cuda::getState() {
  static State *state = new State; // see State.h: lives for ever
  return *state;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

static std::vector<Context *> &contextStack() {
  static thread_local std::vector<Context *> stack;
  return stack;
}

Context *cuda::currentContext() {
  return contextStack().empty() ? nullptr : contextStack().back();
}

PTXJIT_CUDA_API(cuCtxSetCurrent, (CUcontext handle), handle) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  auto *context = reinterpret_cast<Context *>(handle);
  if (context && !getState().contexts.contains(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  auto &stack = contextStack();
  if (!stack.empty())
    stack.pop_back();
  if (context)
    stack.push_back(context);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuCtxPushCurrent_v2, (CUcontext handle), handle) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!handle || !getState().contexts.contains(handle))
    return CUDA_ERROR_INVALID_CONTEXT;
  contextStack().push_back(reinterpret_cast<Context *>(handle));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuCtxPopCurrent_v2, (CUcontext * handle), handle) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  auto &stack = contextStack();
  if (stack.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (handle)
    *handle = reinterpret_cast<CUcontext>(stack.back());
  stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuda::enter(Context *&context) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  context = currentContext();
  if (!context)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!getState().contexts.contains(context))
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  return CUresult(context->stickyError.load());
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

CUresult cuda::findStream(Context &context, CUstream handle,
                          StreamObject *&stream) {
  if (!handle || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) {
    stream = &context.defaultStream;
    return CUDA_SUCCESS;
  }
  stream = reinterpret_cast<StreamObject *>(handle);
  return getState().streams.contains(stream) ? CUDA_SUCCESS
                                             : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuda::enterStream(CUstream handle, Context *&context,
                           StreamObject *&stream) {
  CUresult error = enter(context);
  return error ? error : findStream(*context, handle, stream);
}

CUresult cuda::synchronizeStream(Context &context, StreamObject &stream) {
  stream.work->synchronize();
  return CUresult(context.stickyError.load());
}

/// Work in the default stream waits for what was submitted to blocking streams
/// before it, and work in those for what was submitted to the default stream.
/// Waiting only ever goes to earlier submissions, so it cannot go in circles.
void cuda::submitOrdered(Context &context, StreamObject &stream,
                         std::function<void()> task) {
  std::vector<std::pair<std::shared_ptr<ptxjit::Stream>, uint64_t>> before;
  auto add = [&](StreamObject &other) {
    uint64_t ticket = other.work->lastTicket();
    if (!other.work->isDone(ticket))
      before.emplace_back(other.work, ticket);
  };
  if (&stream == &context.defaultStream)
    getState().streams.forEach([&](StreamObject &other) {
      if (other.context == &context && other.blocking)
        add(other);
    });
  else if (stream.blocking)
    add(context.defaultStream);
  if (before.empty()) {
    stream.work->submit(std::move(task));
    return;
  }
  stream.work->submit([before, task = std::move(task)] {
    for (auto &[other, ticket] : before)
      other->wait(ticket);
    task();
  });
}

CUresult cuda::synchronizeContext(Context &context) {
  // Collected first: nobody may hold the table while it waits.
  std::vector<std::shared_ptr<ptxjit::Stream>> streams;
  getState().streams.forEach([&](StreamObject &stream) {
    if (stream.context == &context)
      streams.push_back(stream.work);
  });
  for (auto &stream : streams)
    stream->synchronize();
  return synchronizeStream(context, context.defaultStream);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Place cuda::findPlace(uint64_t address, size_t bytes) {
  State &state = getState();
  std::lock_guard<std::mutex> lock(state.memoryMutex);
  auto it = state.allocations.upper_bound(address);
  if (it == state.allocations.begin())
    return Place::Outside;
  --it;
  uint64_t offset = address - it->first;
  if (offset >= it->second.bytes)
    return Place::Outside;
  return bytes <= it->second.bytes - offset ? Place::Inside : Place::Crossing;
}

//===----------------------------------------------------------------------===//
// Log
//===----------------------------------------------------------------------===//

void cuda::logCall(const char *name, const std::string &arguments,
                   CUresult result) {
  const char *word = nameOf(result);
  log(LogKind::Api, std::string(name) + "(" + arguments +
                        ") = " + (word ? word : std::to_string(int(result))));
}
