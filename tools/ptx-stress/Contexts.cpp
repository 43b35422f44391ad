//===- Contexts.cpp - contexts, and what other processes may see ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

using namespace stress;

/// The process keeps the primary contexts.
void stress::retainPrimary(Client &client) {
  auto device = CUdevice(client.pick(client.world.options.devices));
  CUcontext context = nullptr;
  unsigned flags = 0;
  int isActive = 0;
  STRESS_OK(cuDevicePrimaryCtxRetain(&context, device));
  STRESS_OK(cuDevicePrimaryCtxGetState(device, &flags, &isActive));
  if (context != client.world.contexts[size_t(device)] || !isActive)
    fail("a primary context has changed");
  STRESS_OK(cuDevicePrimaryCtxRelease_v2(device));
}

void stress::pushContext(Client &client) {
  const std::vector<CUcontext> &contexts = client.world.contexts;
  unsigned first = client.pick(unsigned(contexts.size()));
  unsigned second = client.pick(unsigned(contexts.size()));
  client.world.makeCurrent(first);
  STRESS_OK(cuCtxPushCurrent_v2(contexts[second]));
  CUcontext found = nullptr;
  CUdevice device = -1;
  STRESS_OK(cuCtxGetCurrent(&found));
  STRESS_OK(cuCtxGetDevice(&device));
  if (found != contexts[second] || device != CUdevice(second))
    fail("another context is current than was pushed");
  STRESS_OK(cuCtxPopCurrent_v2(&found));
  STRESS_OK(cuCtxGetDevice(&device));
  if (found != contexts[second] || device != CUdevice(first))
    fail("another context is current after one was popped");
}

/// Launches work in a stream of the current context, and does not wait.
static void makeBusy(Client &client, CUstream stream, CUdeviceptr memory) {
  STRESS_OK(cuMemsetD32Async(memory, 1, kWords, stream));
  for (unsigned i = 1 + client.pick(4); i > 0; --i) {
    void *params[] = {&memory, &i};
    STRESS_OK(cuLaunchKernel(client.world.get(Kernel::vote), 8, 1, 1, 128, 1, 1,
                             0, stream, params, nullptr));
  }
}

/// Frees memory of a context that was destroyed. That lets it live, where
/// NVIDIA's driver has freed it.
static void freeOrphan(Client &client, CUdeviceptr memory) {
  client.world.makeCurrent(client.pick(client.world.options.devices));
  STRESS_ONE_OF(cuMemFree_v2(memory), CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE);
}

/// A context with a stream, memory and an event, of which only the event is
/// awaited elsewhere.
void stress::destroyBusyContext(Client &client) {
  CUcontext context = nullptr;
  auto device = CUdevice(client.pick(client.world.options.devices));
  STRESS_OK(cuCtxSetCurrent(nullptr));
  STRESS_OK(cuCtxCreate_v2(&context, 0, device));
  CUstream stream = nullptr;
  CUdeviceptr memory = 0, pooled = 0;
  CUevent event = nullptr;
  STRESS_OK(cuStreamCreate(&stream, client.pick(2)));
  STRESS_OK(cuMemAlloc_v2(&memory, kBytes));
  STRESS_OK(cuEventCreate(&event, 0));
  makeBusy(client, stream, memory);
  STRESS_OK(cuEventRecord(event, stream));
  STRESS_OK(cuMemAllocAsync(&pooled, kBytes, nullptr));
  makeBusy(client, nullptr, pooled);
  STRESS_OK(cuMemFreeAsync(pooled, nullptr));
  Stream other = client.pickStream();
  client.use(other);
  STRESS_OK(cuStreamWaitEvent(other.handle, event, 0));
  STRESS_OK(cuCtxSetCurrent(context));
  STRESS_OK(cuCtxRecordEvent(context, event));
  STRESS_OK(cuCtxDestroy_v2(context));
  STRESS_ONE_OF(cuCtxSetCurrent(context), CUDA_ERROR_INVALID_CONTEXT,
                // Another thread may have one at this address.
                CUDA_SUCCESS);
  freeOrphan(client, memory);
}

/// A kernel's failure stays in its context.
void stress::failInContext(Client &client) {
  CUcontext context = nullptr;
  auto device = CUdevice(client.pick(client.world.options.devices));
  STRESS_OK(cuCtxSetCurrent(nullptr));
  STRESS_OK(cuCtxCreate_v2(&context, 0, device));
  CUdeviceptr memory = 0;
  STRESS_OK(cuMemAlloc_v2(&memory, kBytes));
  STRESS_OK(cuLaunchKernel(client.world.get(Kernel::crash), 1, 1, 1, 1, 1, 1, 0,
                           nullptr, nullptr, nullptr));
  STRESS_ONE_OF(cuCtxSynchronize(), CUDA_ERROR_LAUNCH_FAILED);
  STRESS_ONE_OF(cuMemFree_v2(memory), CUDA_ERROR_LAUNCH_FAILED);
  STRESS_OK(cuCtxDestroy_v2(context));
  freeOrphan(client, memory);
}

/// All multiprocessors of a device. Its memory is that of the primary context.
void stress::useGreenContext(Client &client) {
  unsigned device = client.pick(client.world.options.devices);
  CUdevResource all{};
  CUdevResourceDesc description = nullptr;
  CUgreenCtx green = nullptr;
  CUstream stream = nullptr;
  CUdeviceptr memory = 0;
  client.world.makeCurrent(device);
  STRESS_OK(
      cuDeviceGetDevResource(CUdevice(device), &all, CU_DEV_RESOURCE_TYPE_SM));
  STRESS_OK(cuDevResourceGenerateDesc(&description, &all, 1));
  STRESS_OK(cuGreenCtxCreate(&green, description, CUdevice(device),
                             CU_GREEN_CTX_DEFAULT_STREAM));
  STRESS_OK(cuGreenCtxStreamCreate(&stream, green, CU_STREAM_NON_BLOCKING, 0));
  STRESS_OK(cuMemAllocAsync(&memory, kBytes, stream));
  makeBusy(client, stream, memory);
  STRESS_OK(cuMemFreeAsync(memory, stream));
  if (client.pick(2))
    STRESS_OK(cuStreamDestroy_v2(stream));
  else
    stream = nullptr;
  STRESS_OK(cuGreenCtxDestroy(green));
}

/// A process cannot open its own handles. Only memory of cuMemAlloc has some.
void stress::describeForOthers(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  CUipcMemHandle memory{};
  CUipcEventHandle handle{};
  CUdeviceptr opened = 0;
  CUevent event = nullptr, other = nullptr;
  client.use(buffer->stream);
  CUresult result = cuIpcGetMemHandle(&memory, buffer->memory);
  STRESS_ONE_OF(result, CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE);
  if (result == CUDA_SUCCESS)
    STRESS_ONE_OF(cuIpcOpenMemHandle_v2(&opened, memory,
                                        CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
                  CUDA_ERROR_INVALID_CONTEXT);
  STRESS_OK(
      cuEventCreate(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS));
  STRESS_OK(cuEventRecord(event, buffer->stream.handle));
  STRESS_OK(cuIpcGetEventHandle(&handle, event));
  STRESS_ONE_OF(cuIpcOpenEventHandle(&other, handle),
                CUDA_ERROR_INVALID_CONTEXT);
  Stream waiter = client.pickStream();
  client.use(waiter);
  STRESS_OK(cuStreamWaitEvent(waiter.handle, event, 0));
  STRESS_OK(cuEventDestroy_v2(event));
}
