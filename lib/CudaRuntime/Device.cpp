//===- Device.cpp - the device and its properties -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cudart;

int cudart::checkDevice(CUdevice device) {
  CUdevice found;
  return cuDeviceGet(&found, device);
}

// Makes no context, since a program may count devices before it chooses one.
PTXJIT_CUDART_EXPORT cudaError_t cudaGetDeviceCount(int *count) {
  if (!count)
    return finish(cudaErrorInvalidValue);
  *count = 0;
  int error = cuInit(0);
  return finish(error ? error : cuDeviceGetCount(count));
}
PTXJIT_CUDART_EXPORT cudaError_t cudaGetDevice(int *device) {
  // Frameworks ask several times for each operator, mostly with a context that
  // works.
  if (device && cuCtxGetDevice(device) == CUDA_SUCCESS)
    return cudaSuccess;
  if (int error = enter())
    return finish(error);
  if (!device)
    return finish(cudaErrorInvalidValue);
  *device = currentDevice();
  return cudaSuccess;
}
PTXJIT_CUDART_EXPORT cudaError_t cudaSetDevice(int device) {
  int error = cuInit(0);
  return finish(error ? error : setDevice(device));
}
PTXJIT_CUDART_API(cudaInitDevice, (int device, unsigned flags, unsigned which),
                  device, flags, which) {
  if (int error = checkDevice(device))
    return error;
  CUcontext context; // retained from now on
  if (which & 1)     // cudaInitDeviceFlagsAreValid
    if (int error = cuDevicePrimaryCtxSetFlags_v2(device, flags))
      return error;
  return cuDevicePrimaryCtxRetain(&context, device);
}
PTXJIT_CUDART_API(cudaSetValidDevices, (int *devices, int count), devices,
                  count) {
  if (!devices || count < 0)
    return cudaErrorInvalidValue;
  for (int i = 0; i < count; ++i)
    if (int error = checkDevice(devices[i]))
      return error;
  setFirstDevice(count ? devices[0] : 0);
  return cudaSuccess;
}
// All devices have the same properties.
PTXJIT_CUDART_API(cudaChooseDevice,
                  (int *device, const cudaDeviceProp *properties), device,
                  properties) {
  if (!device || !properties)
    return cudaErrorInvalidValue;
  *device = 0;
  return cudaSuccess;
}
PTXJIT_CUDART_API(cudaSetDeviceFlags, (unsigned flags), flags) {
  return cuCtxSetFlags(flags);
}
PTXJIT_CUDART_API(cudaGetDeviceFlags, (unsigned *flags), flags) {
  return cuCtxGetFlags(flags);
}
PTXJIT_CUDART_API(cudaDeviceSynchronize, ()) { return cuCtxSynchronize(); }
PTXJIT_CUDART_API(cudaDeviceReset, ()) {
  cudaGetLastError();
  return cuDevicePrimaryCtxReset_v2(currentDevice());
}
PTXJIT_CUDART_API(cudaDeviceGetHostAtomicCapabilities,
                  (unsigned *capabilities, const int *operations,
                   unsigned count, int device),
                  capabilities, operations, count, device) {
  return cuDeviceGetHostAtomicCapabilities(capabilities, operations, count,
                                           device);
}
PTXJIT_CUDART_API(cudaDeviceFlushGPUDirectRDMAWrites, (int target, int scope),
                  target, scope) {
  return cuFlushGPUDirectRDMAWrites(target, scope);
}
PTXJIT_CUDART_API(cudaDeviceGetLimit, (size_t *value, int limit), value,
                  limit) {
  return cuCtxGetLimit(value, limit);
}
PTXJIT_CUDART_API(cudaDeviceSetLimit, (int limit, size_t value), limit, value) {
  return cuCtxSetLimit(limit, value);
}
PTXJIT_CUDART_API(cudaDeviceGetCacheConfig, (int *config), config) {
  return cuCtxGetCacheConfig(config);
}
PTXJIT_CUDART_API(cudaDeviceSetCacheConfig, (int config), config) {
  return cuCtxSetCacheConfig(config);
}
PTXJIT_CUDART_API(cudaDeviceGetSharedMemConfig, (int *config), config) {
  return cuCtxGetSharedMemConfig(config);
}
PTXJIT_CUDART_API(cudaDeviceSetSharedMemConfig, (int config), config) {
  return cuCtxSetSharedMemConfig(config);
}
PTXJIT_CUDART_API(cudaDeviceGetStreamPriorityRange, (int *least, int *greatest),
                  least, greatest) {
  return cuCtxGetStreamPriorityRange(least, greatest);
}
PTXJIT_CUDART_API(cudaCtxResetPersistingL2Cache, ()) {
  return cuCtxResetPersistingL2Cache();
}
PTXJIT_CUDART_API(cudaDeviceGetPCIBusId, (char *text, int length, int device),
                  text, length, device) {
  return cuDeviceGetPCIBusId(text, length, device);
}
PTXJIT_CUDART_API(cudaDeviceGetByPCIBusId, (int *device, const char *text),
                  device, text) {
  return cuDeviceGetByPCIBusId(device, text);
}
PTXJIT_CUDART_API(cudaDeviceCanAccessPeer, (int *can, int device, int peer),
                  can, device, peer) {
  return cuDeviceCanAccessPeer(can, device, peer);
}

/// Finds the context of a device that can be a peer of the caller's.
static int findPeer(int peer, CUcontext &context) {
  if (int error = checkDevice(peer))
    return error;
  return peer == currentDevice() ? cudaErrorInvalidDevice
                                 : retainPrimary(peer, context);
}
PTXJIT_CUDART_API(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), peer,
                  flags) {
  CUcontext context;
  if (int error = findPeer(peer, context))
    return error;
  return cuCtxEnablePeerAccess(context, flags);
}
PTXJIT_CUDART_API(cudaDeviceDisablePeerAccess, (int peer), peer) {
  CUcontext context;
  if (int error = findPeer(peer, context))
    return error;
  return cuCtxDisablePeerAccess(context);
}
PTXJIT_CUDART_API(cudaDeviceGetP2PAttribute,
                  (int *value, int attribute, int from, int to), value,
                  attribute, from, to) {
  return cuDeviceGetP2PAttribute(value, attribute, from, to);
}
#if PTXJIT_CUDART_VERSION >= 13
PTXJIT_CUDART_API(cudaDeviceGetP2PAtomicCapabilities,
                  (unsigned *capabilities, const int *operations,
                   unsigned count, int from, int to),
                  capabilities, operations, count, from, to) {
  return cuDeviceGetP2PAtomicCapabilities(capabilities, operations, count, from,
                                          to);
}
#endif

PTXJIT_CUDART_API(cudaDeviceGetAttribute,
                  (int *value, int attribute, int device), value, attribute,
                  device) {
  return cuDeviceGetAttribute(value, attribute, device);
}

/// Sets a member, which may be of any integer type, to an attribute's value.
template <typename Member>
static void setMember(Member &member, CUdevice_attribute attribute,
                      CUdevice device) {
  int value = 0;
  cuDeviceGetAttribute(&value, attribute, device);
  member = Member(value);
}

static void fillProperties(cudaDeviceProp &p, CUdevice device) {
  cuDeviceGetName(p.name, sizeof(p.name), device);
  cuDeviceGetUuid_v2(&p.uuid, device);
  cuDeviceTotalMem_v2(&p.totalGlobalMem, device);
#define PROPERTY(member, NAME)                                                 \
  setMember(p.member, CU_DEVICE_ATTRIBUTE_##NAME, device);
#if PTXJIT_CUDART_VERSION == 12
#define PROPERTY_12(member, NAME) PROPERTY(member, NAME)
#define PROPERTY_13(member, NAME)
#else
#define PROPERTY_12(member, NAME)
#define PROPERTY_13(member, NAME) PROPERTY(member, NAME)
#endif
#include "Properties.def"
#undef PROPERTY
#undef PROPERTY_12
#undef PROPERTY_13
}

PTXJIT_CUDART_API(cudaGetDeviceProperties, (cudaDeviceProp * out, int device),
                  out, device) {
  if (!out)
    return cudaErrorInvalidValue;
  if (int error = checkDevice(device))
    return error;
  std::memset(out, 0, sizeof(*out));
  fillProperties(*out, device);
  return cudaSuccess;
}
