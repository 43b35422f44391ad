//===- Device.cpp - the device and its properties -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cudart;

PTXJIT_CUDART_API(cudaGetDeviceCount, (int *count), count) {
  return cuDeviceGetCount(count);
}
PTXJIT_CUDART_API(cudaGetDevice, (int *device), device) {
  return cuCtxGetDevice(device);
}
PTXJIT_CUDART_API(cudaSetDevice, (int device), device) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
PTXJIT_CUDART_API(cudaInitDevice, (int device, unsigned flags, unsigned which),
                  device, flags, which) {
  return device == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}
PTXJIT_CUDART_API(cudaSetValidDevices, (int *devices, int count), devices,
                  count) {
  for (int i = 0; devices && i < count; ++i)
    if (devices[i] != 0)
      return cudaErrorInvalidDevice;
  return cudaSuccess;
}
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
  return cuDevicePrimaryCtxReset_v2(0);
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
PTXJIT_CUDART_API(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), peer,
                  flags) {
  return cudaErrorInvalidDevice; // there is no other device
}
PTXJIT_CUDART_API(cudaDeviceDisablePeerAccess, (int peer), peer) {
  return peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice;
}
PTXJIT_CUDART_API(cudaDeviceGetAttribute,
                  (int *value, int attribute, int device), value, attribute,
                  device) {
  return cuDeviceGetAttribute(value, attribute, device);
}

/// Sets a member, which may be of any integer type, to an attribute's value.
template <typename Member>
static void setMember(Member &member, CUdevice_attribute attribute) {
  int value = 0;
  cuDeviceGetAttribute(&value, attribute, 0);
  member = Member(value);
}

static void fillProperties(cudaDeviceProp &p) {
  cuDeviceGetName(p.name, sizeof(p.name), 0);
  cuDeviceGetUuid_v2(&p.uuid, 0);
  cuDeviceTotalMem_v2(&p.totalGlobalMem, 0);
#define PROPERTY(member, NAME) setMember(p.member, CU_DEVICE_ATTRIBUTE_##NAME);
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
  if (device != 0)
    return cudaErrorInvalidDevice;
  std::memset(out, 0, sizeof(*out));
  fillProperties(*out);
  return cudaSuccess;
}
