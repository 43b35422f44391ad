//===- Context.cpp - contexts, the primary context, limits ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"
#include "ptxjit/Runtime/DeviceHeap.h"

using namespace ptxjit;
using namespace ptxjit::cuda;

std::unique_ptr<Context> cuda::makeContext(CUdevice device, unsigned flags) {
  auto context = std::make_unique<Context>();
  context->device = device;
  context->flags = flags;
  context->id = getState().nextId++;
  context->defaultStream.context = context.get();
  return context;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

/// Makes a context, and makes it current.
static CUresult createContext(CUcontext *handle, unsigned flags,
                              CUdevice device, Multiprocessors share = {}) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(device))
    return CUDA_ERROR_INVALID_DEVICE;
  std::unique_ptr<Context> context = makeContext(device, flags);
  context->share = share;
  *handle =
      reinterpret_cast<CUcontext>(getState().contexts.add(std::move(context)));
  return cuCtxPushCurrent_v2(*handle);
}

PTXJIT_CUDA_API(cuCtxCreate_v2,
                (CUcontext * handle, unsigned flags, CUdevice device), handle,
                flags, device) {
  return createContext(handle, flags, device);
}
PTXJIT_CUDA_API(cuCtxCreate_v3,
                (CUcontext * handle, CUexecAffinityParam *affinities, int count,
                 unsigned flags, CUdevice device),
                handle, affinities, count, flags, device) {
  if (count < 0 || (count && !affinities))
    return CUDA_ERROR_INVALID_VALUE;
  Multiprocessors share;
  for (int i = 0; i < count; ++i) { // the last one counts
    if (affinities[i].type != CU_EXEC_AFFINITY_TYPE_SM_COUNT)
      return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    share.count = affinities[i].param.smCount.val;
    if (!share.count ||
        share.count >
            unsigned(getAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)))
      return CUDA_ERROR_INVALID_VALUE;
  }
  return createContext(handle, flags, device, share);
}
PTXJIT_CUDA_API(cuCtxCreate_v4,
                (CUcontext * handle, CUctxCreateParams *params, unsigned flags,
                 CUdevice device),
                handle, params, flags, device) {
  if (!params)
    return cuCtxCreate_v2(handle, flags, device);
  if (params->cigParams) {
    log(LogKind::Error,
        "cuCtxCreate: contexts that share data with graphics are not "
        "supported: the host has no graphics device");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  return cuCtxCreate_v3(handle, params->execAffinityParams,
                        params->numExecAffinityParams, flags, device);
}

/// Destroys what a context owns, but its memory, which stays.
static void destroyContents(Context &context) {
  synchronizeContext(context);
  destroyStreamsOf(context);
  destroyModulesOf(context);
  destroyReferencesOf(context);
  destroyTexturesOf(context);
  destroyArraysOf(context);
  disownMemoryOf(context);
}

PTXJIT_CUDA_API(cuCtxDestroy_v2, (CUcontext handle), handle) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  auto *context = reinterpret_cast<Context *>(handle);
  if (!context || !getState().contexts.contains(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  // These can only be released, or destroyed as green contexts.
  if (context->isPrimary || context->primary)
    return CUDA_ERROR_INVALID_CONTEXT;
  destroyContents(*context);
  if (currentContext() == context)
    cuCtxPopCurrent_v2(nullptr);
  getState().contexts.remove(context);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuCtxAttach, (CUcontext * handle, unsigned flags), handle,
                flags) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!handle || flags)
    return CUDA_ERROR_INVALID_VALUE;
  ++context->attachments;
  *handle = reinterpret_cast<CUcontext>(context);
  return CUDA_SUCCESS;
}

/// Drops an attachment, or destroys the context if there is none.
PTXJIT_CUDA_API(cuCtxDetach, (CUcontext handle), handle) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  auto *context = reinterpret_cast<Context *>(handle);
  if (!context || !getState().contexts.contains(context) ||
      currentContext() != context)
    return CUDA_ERROR_INVALID_CONTEXT;
  for (unsigned uses = context->attachments; uses;)
    if (context->attachments.compare_exchange_weak(uses, uses - 1))
      return CUDA_SUCCESS;
  return cuCtxDestroy_v2(handle);
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
  *device = context->device;
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
  Context *context, *part;
  CUresult error = enterPart(context, part);
  return error ? error : synchronizeContext(*part);
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
// The primary contexts
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuDevicePrimaryCtxRetain, (CUcontext * handle, CUdevice device),
                handle, device) {
  State &state = getState();
  if (CUresult error = checkDevice(device))
    return error;
  if (!handle)
    return CUDA_ERROR_INVALID_VALUE;
  Device &of = getDevice(device);
  std::lock_guard<std::mutex> lock(state.primaryMutex);
  if (!of.primary) {
    std::unique_ptr<Context> context = makeContext(device, of.primaryFlags);
    context->isPrimary = true;
    of.primary = getState().contexts.add(std::move(context));
  }
  ++of.primaryUses;
  *handle = reinterpret_cast<CUcontext>(of.primary);
  return CUDA_SUCCESS;
}

/// Drops the variables that libraries have on a device, unless a context still
/// uses them. Managed ones belong to all devices.
static void resetLibraries(CUdevice device) {
  State &state = getState();
  bool isUsed = false, isOtherUsed = false;
  state.contexts.forEach([&](Context &context) {
    (context.device == device ? isUsed : isOtherUsed) = true;
  });
  if (isUsed)
    return;
  state.libraries.forEach([&](Library &library) {
    library.code->reset(device);
    if (!isOtherUsed)
      library.code->resetManaged();
  });
}

/// The caller holds State::primaryMutex.
static CUresult resetPrimary(Device &device) {
  if (!device.primary)
    return CUDA_SUCCESS;
  CUdevice number = device.primary->device;
  destroyGreenContextsOf(*device.primary);
  destroyContents(*device.primary);
  getState().contexts.remove(device.primary);
  device.primary = nullptr;
  device.primaryUses = 0;
  resetLibraries(number);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDevicePrimaryCtxRelease_v2, (CUdevice device), device) {
  if (CUresult error = checkDevice(device))
    return error;
  Device &of = getDevice(device);
  std::lock_guard<std::mutex> lock(getState().primaryMutex);
  if (!of.primaryUses)
    return CUDA_ERROR_INVALID_CONTEXT;
  return --of.primaryUses ? CUDA_SUCCESS : resetPrimary(of);
}

PTXJIT_CUDA_API(cuDevicePrimaryCtxReset_v2, (CUdevice device), device) {
  if (CUresult error = checkDevice(device))
    return error;
  std::lock_guard<std::mutex> lock(getState().primaryMutex);
  return resetPrimary(getDevice(device));
}

PTXJIT_CUDA_API(cuDevicePrimaryCtxSetFlags_v2,
                (CUdevice device, unsigned flags), device, flags) {
  if (CUresult error = checkDevice(device))
    return error;
  std::lock_guard<std::mutex> lock(getState().primaryMutex);
  getDevice(device).primaryFlags = flags;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDevicePrimaryCtxGetState,
                (CUdevice device, unsigned *flags, int *active), device, flags,
                active) {
  if (CUresult error = checkDevice(device))
    return error;
  Device &of = getDevice(device);
  std::lock_guard<std::mutex> lock(getState().primaryMutex);
  if (flags)
    *flags = of.primaryFlags;
  if (active)
    *active = of.primary != nullptr;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Questions and settings
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuCtxGetFlags, (unsigned *flags), flags) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!flags)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = context->flags;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuCtxSetFlags, (unsigned flags), flags) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  context->flags = flags;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuCtxGetId, (CUcontext handle, unsigned long long *id), handle,
                id) {
  Context *home, *context = reinterpret_cast<Context *>(handle);
  if (!handle)
    if (CUresult error = enterPart(home, context))
      return error;
  if (!getState().contexts.contains(context))
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (!id)
    return CUDA_ERROR_INVALID_VALUE;
  *id = context->id;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuCtxGetDevice_v2, (CUdevice * device, CUcontext handle),
                device, handle) {
  if (!handle)
    return cuCtxGetDevice(device);
  if (!getState().contexts.contains(handle))
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  *device = reinterpret_cast<Context *>(handle)->device;
  return CUDA_SUCCESS;
}

/// The limits that apply until a program sets them, by CUlimit.
static constexpr size_t kLimits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0, 0};

std::optional<size_t> cuda::limitOf(const Context &context, int limit) {
  if (limit < 0 || limit > 6)
    return std::nullopt;
  size_t own = context.limits[limit];
  return own ? own : kLimits[limit];
}

PTXJIT_CUDA_API(cuCtxGetLimit, (size_t *value, int limit), value, limit) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  std::optional<size_t> found = limitOf(*context, limit);
  *value = found.value_or(*value);
  return found ? CUDA_SUCCESS : CUDA_ERROR_UNSUPPORTED_LIMIT;
}
PTXJIT_CUDA_API(cuCtxSetLimit, (int limit, size_t value), limit, value) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (limit < 0 || limit > 6)
    return CUDA_ERROR_UNSUPPORTED_LIMIT;
  context->limits[limit] = value;
  if (limit == CU_LIMIT_MALLOC_HEAP_SIZE)
    heap::setLimit(value);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuCtxGetStreamPriorityRange, (int *least, int *greatest), least,
                greatest) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (least)
    *least = kLowestPriority;
  if (greatest)
    *greatest = kHighestPriority;
  return CUDA_SUCCESS;
}

// Cache configurations have no meaning here. They are checked, but not stored.
PTXJIT_CUDA_API(cuCtxGetCacheConfig, (int *config), config) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  *config = 0;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuCtxSetCacheConfig, (int config), config) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  return config < 0 || config > 3 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuCtxGetSharedMemConfig, (int *config), config) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  *config = 1; // banks of four bytes
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuCtxSetSharedMemConfig, (int config), config) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  return config < 0 || config > 2 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuCtxResetPersistingL2Cache, ()) {
  Context *context;
  return enter(context);
}

PTXJIT_CUDA_API(cuProfilerStart, ()) {
  Context *context;
  return enter(context);
}
PTXJIT_CUDA_API(cuProfilerStop, ()) {
  Context *context;
  return enter(context);
}
