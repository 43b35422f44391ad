//===- Queries.cpp - questions, advice, and wrong handles -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"

using namespace stress;

void stress::askPointer(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  CUdeviceptr pointer = buffer->memory + client.pick(kBytes), base = 0;
  size_t bytes = 0;
  client.use(buffer->stream);
  STRESS_OK(cuMemGetAddressRange_v2(&base, &bytes, pointer));
  if (base > buffer->memory || base + bytes < buffer->memory + kBytes)
    fail("a buffer is not inside of its allocation");
  unsigned type = 0, device = ~0u;
  int isManaged = -1;
  CUdeviceptr alias = 0;
  int attributes[] = {
      CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
      CU_POINTER_ATTRIBUTE_IS_MANAGED, CU_POINTER_ATTRIBUTE_DEVICE_POINTER};
  void *data[] = {&type, &device, &isManaged, &alias};
  STRESS_OK(cuPointerGetAttributes(4, attributes, data, pointer));
  if (device != buffer->device || alias != pointer)
    fail("a buffer is on device " + std::to_string(device) + ", not " +
         std::to_string(buffer->device));
}

void stress::askMemory(Client &client) {
  size_t free = 0, total = 0;
  client.world.makeCurrent(client.pick(client.world.options.devices));
  STRESS_OK(cuMemGetInfo_v2(&free, &total));
  if (free > total)
    fail("more memory is free than there is");
}

void stress::askDevice(Client &client) {
  auto device = CUdevice(client.pick(client.world.options.devices));
  auto peer = CUdevice(client.pick(client.world.options.devices));
  int value = 0, canAccess = -1;
  char name[64];
  STRESS_OK(
      cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
  STRESS_OK(cuDeviceGetName(name, sizeof(name), device));
  STRESS_OK(cuDeviceCanAccessPeer(&canAccess, device, peer));
  if (value != 32 || canAccess != (device != peer))
    fail("a device has other attributes");
  client.world.makeCurrent(unsigned(device));
  STRESS_ONE_OF(cuCtxEnablePeerAccess(client.world.contexts[size_t(peer)], 0),
                device == peer ? CUDA_ERROR_INVALID_CONTEXT
                               : CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
}

void stress::askKernel(Client &client) {
  auto kernel = reinterpret_cast<CUkernel>(client.world.get(Kernel::reverse));
  auto device = CUdevice(client.pick(client.world.options.devices));
  const char *name = nullptr;
  size_t offset = 1, bytes = 0;
  int shared = 0;
  client.world.makeCurrent(unsigned(device));
  STRESS_OK(cuKernelGetName(&name, kernel));
  STRESS_OK(cuKernelGetParamInfo(kernel, 0, &offset, &bytes));
  STRESS_OK(cuKernelGetAttribute(&shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES,
                                 kernel, device));
  if (std::string(name) != "reverse" || offset != 0 || bytes != 8 ||
      shared != kBytes)
    fail("a kernel has other attributes");
  STRESS_OK(
      cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                           int(1024 * (1 + client.pick(16))), kernel, device));
}

void stress::askOccupancy(Client &client) {
  CUfunction function = client.world.get(Kernel::add);
  int count = 0, grid = 0, block = 0;
  client.world.makeCurrent(client.pick(client.world.options.devices));
  STRESS_OK(
      cuOccupancyMaxActiveBlocksPerMultiprocessor(&count, function, 128, 0));
  STRESS_OK(
      cuOccupancyMaxPotentialBlockSize(&grid, &block, function, nullptr, 0, 0));
  if (count < 1 || grid < 1 || block < 1)
    fail("no block of a kernel fits");
}

/// Of managed memory; others refuse.
void stress::adviseMemory(Client &client) {
  Buffer *buffer = client.pickBuffer();
  if (!buffer)
    return;
  CUmemLocation location{CU_MEM_LOCATION_TYPE_DEVICE,
                         int(client.pick(client.world.options.devices))};
  client.use(buffer->stream);
  STRESS_ONE_OF(
      cuMemAdvise_v2(buffer->memory, kBytes, 1 + int(client.pick(6)), location),
      CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE);
  STRESS_ONE_OF(cuMemPrefetchAsync_v2(buffer->memory, kBytes, location, 0,
                                      buffer->stream.handle),
                CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE);
  int last = 0;
  STRESS_ONE_OF(
      cuMemRangeGetAttribute(&last, sizeof(last),
                             CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION,
                             buffer->memory, kBytes),
      CUDA_SUCCESS, CUDA_ERROR_INVALID_VALUE);
}

/// The address of a local variable is no handle.
void stress::useWrongHandles(Client &client) {
  int local = 0;
  void *wrong = &local;
  client.world.makeCurrent(client.pick(client.world.options.devices));
  STRESS_ONE_OF(cuStreamQuery(CUstream(wrong)), CUDA_ERROR_INVALID_HANDLE);
  STRESS_ONE_OF(cuStreamDestroy_v2(CUstream(wrong)), CUDA_ERROR_INVALID_HANDLE);
  STRESS_ONE_OF(cuEventQuery(CUevent(wrong)), CUDA_ERROR_INVALID_HANDLE);
  STRESS_ONE_OF(cuEventDestroy_v2(CUevent(wrong)), CUDA_ERROR_INVALID_HANDLE);
  STRESS_ONE_OF(cuCtxDestroy_v2(CUcontext(wrong)), CUDA_ERROR_INVALID_CONTEXT);
  STRESS_ONE_OF(cuModuleUnload(CUmodule(wrong)), CUDA_ERROR_INVALID_HANDLE);
  STRESS_ONE_OF(cuGraphDestroy(CUgraph(wrong)), CUDA_ERROR_INVALID_VALUE);
  STRESS_ONE_OF(cuGraphLaunch(CUgraphExec(wrong), nullptr),
                CUDA_ERROR_INVALID_VALUE, CUDA_ERROR_INVALID_HANDLE);
  STRESS_ONE_OF(cuArrayDestroy(CUarray(wrong)), CUDA_ERROR_INVALID_HANDLE,
                CUDA_ERROR_INVALID_VALUE);
  STRESS_ONE_OF(cuMemFree_v2(CUdeviceptr(wrong)), CUDA_ERROR_INVALID_VALUE);
  STRESS_ONE_OF(cuMemFreeAsync(CUdeviceptr(wrong), nullptr),
                CUDA_ERROR_INVALID_VALUE);
  STRESS_ONE_OF(cuMemFreeHost(wrong), CUDA_ERROR_INVALID_VALUE);
}
