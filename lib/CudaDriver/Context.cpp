//===- Context.cpp - contexts and streams ---------------------------------===//

#include "State.h"

using namespace ptxjit;
using namespace ptxjit::cuda;

static std::unique_ptr<Context> makeContext(unsigned flags) {
  auto context = std::make_unique<Context>();
  context->flags = flags;
  context->defaultStream.context = context.get();
  return context;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuCtxCreate_v2,
                (CUcontext * handle, unsigned flags, CUdevice device), handle,
                flags, device) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  if (device != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *handle =
      reinterpret_cast<CUcontext>(getState().contexts.add(makeContext(flags)));
  return cuCtxPushCurrent_v2(*handle);
}
PTXJIT_CUDA_API(cuCtxCreate_v3,
                (CUcontext * handle, [[maybe_unused]] void *ignored1,
                 [[maybe_unused]] int ignored2, unsigned flags,
                 CUdevice device),
                handle, ignored1, ignored2, flags, device) {
  return cuCtxCreate_v2(handle, flags, device);
}
PTXJIT_CUDA_API(cuCtxCreate_v4,
                (CUcontext * handle, [[maybe_unused]] void *ignored1,
                 unsigned flags, CUdevice device),
                handle, ignored1, flags, device) {
  return cuCtxCreate_v2(handle, flags, device);
}

/// Modules and streams go with their context.
static void destroyContents(Context &context) {
  synchronizeContext(context);
  std::vector<void *> streams, modules;
  getState().streams.forEach([&](StreamObject &s) {
    if (s.context == &context)
      streams.push_back(&s);
  });
  getState().modules.forEach([&](cuda::Module &m) {
    if (m.context == &context)
      modules.push_back(&m);
  });
  for (void *s : streams)
    getState().streams.remove(s);
  for (void *m : modules)
    destroyModule(m);
}

PTXJIT_CUDA_API(cuCtxDestroy_v2, (CUcontext handle), handle) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  auto *context = reinterpret_cast<Context *>(handle);
  if (!context || !getState().contexts.contains(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (context->isPrimary)
    return CUDA_ERROR_INVALID_CONTEXT; // it is released, not destroyed
  destroyContents(*context);
  if (currentContext() == context)
    cuCtxPopCurrent_v2(nullptr);
  getState().contexts.remove(context);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuCtxGetCurrent, (CUcontext * handle), handle) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  *handle = reinterpret_cast<CUcontext>(currentContext());
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuCtxGetDevice, (CUdevice * device), device) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuCtxGetApiVersion, (CUcontext handle, unsigned *version),
                handle, version) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  if (handle && !getState().contexts.contains(handle))
    return CUDA_ERROR_INVALID_CONTEXT;
  *version = 3020;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuCtxSynchronize, ()) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  return synchronizeContext(*context);
}
PTXJIT_CUDA_API(cuCtxSynchronize_v2, (CUcontext handle), handle) {
  if (!handle)
    return cuCtxSynchronize();
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!getState().contexts.contains(handle))
    return CUDA_ERROR_INVALID_CONTEXT;
  return synchronizeContext(*reinterpret_cast<Context *>(handle));
}

//===----------------------------------------------------------------------===//
// The primary context
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuDevicePrimaryCtxRetain, (CUcontext * handle, CUdevice device),
                handle, device) {
  State &state = getState();
  if (CUresult error = checkDevice(device))
    return error;
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(state.primaryMutex);
  if (!state.primary) {
    auto context = makeContext(state.primaryFlags);
    context->isPrimary = true;
    state.primary = state.contexts.add(std::move(context));
  }
  ++state.primaryUses;
  *handle = reinterpret_cast<CUcontext>(state.primary);
  return CUDA_SUCCESS;
}

static CUresult resetPrimary(State &state) {
  if (!state.primary)
    return CUDA_SUCCESS;
  destroyContents(*state.primary);
  state.contexts.remove(state.primary);
  state.primary = nullptr;
  state.primaryUses = 0;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDevicePrimaryCtxRelease_v2, (CUdevice device), device) {
  State &state = getState();
  if (CUresult error = checkDevice(device))
    return error;
  std::lock_guard<std::mutex> lock(state.primaryMutex);
  if (!state.primaryUses)
    return CUDA_ERROR_INVALID_CONTEXT;
  return --state.primaryUses ? CUDA_SUCCESS : resetPrimary(state);
}

PTXJIT_CUDA_API(cuDevicePrimaryCtxReset_v2, (CUdevice device), device) {
  State &state = getState();
  if (CUresult error = checkDevice(device))
    return error;
  std::lock_guard<std::mutex> lock(state.primaryMutex);
  return resetPrimary(state);
}

PTXJIT_CUDA_API(cuDevicePrimaryCtxSetFlags_v2,
                (CUdevice device, unsigned flags), device, flags) {
  State &state = getState();
  if (CUresult error = checkDevice(device))
    return error;
  std::lock_guard<std::mutex> lock(state.primaryMutex);
  state.primaryFlags = flags;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDevicePrimaryCtxGetState,
                (CUdevice device, unsigned *flags, int *active), device, flags,
                active) {
  State &state = getState();
  if (CUresult error = checkDevice(device))
    return error;
  std::lock_guard<std::mutex> lock(state.primaryMutex);
  if (flags)
    *flags = state.primaryFlags;
  if (active)
    *active = state.primary != nullptr;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuStreamCreateWithPriority,
                (CUstream * handle, unsigned flags, int priority), handle,
                flags, priority) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!handle || flags > CU_STREAM_NON_BLOCKING)
    return CUDA_ERROR_INVALID_VALUE;
  auto stream = std::make_unique<StreamObject>();
  stream->context = context;
  stream->blocking = !(flags & CU_STREAM_NON_BLOCKING);
  stream->priority = priority;
  *handle =
      reinterpret_cast<CUstream>(getState().streams.add(std::move(stream)));
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuStreamCreate, (CUstream * handle, unsigned flags), handle,
                flags) {
  return cuStreamCreateWithPriority(handle, flags, 0);
}

PTXJIT_CUDA_API(cuStreamDestroy_v2, (CUstream handle), handle) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  // What was submitted is finished: a kernel cannot be left without a thread.
  return getState().streams.remove(handle) ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_HANDLE;
}

PTXJIT_CUDA_API(cuStreamSynchronize, (CUstream handle), handle) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  return synchronizeStream(*context, *stream);
}

PTXJIT_CUDA_API(cuStreamQuery, (CUstream handle), handle) {
  Context *context;
  StreamObject *stream;
  if (CUresult error = enterStream(handle, context, stream))
    return error;
  return stream->work->isDone(stream->work->lastTicket())
             ? CUDA_SUCCESS
             : CUDA_ERROR_NOT_READY;
}
