//===- Device.cpp - the device and its properties -------------------------===//

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
PTXJIT_CUDART_API(cudaDeviceGetLimit, (size_t * value, int limit), value,
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
  return cudaErrorInvalidDevice; // there is no other
}
PTXJIT_CUDART_API(cudaDeviceDisablePeerAccess, (int peer), peer) {
  return peer == 0 ? cudaErrorPeerAccessNotEnabled : cudaErrorInvalidDevice;
}
PTXJIT_CUDART_API(cudaDeviceGetAttribute,
                  (int *value, int attribute, int device), value, attribute,
                  device) {
  return cuDeviceGetAttribute(value, attribute, device);
}

static int attribute(int number) {
  int value = 0;
  cuDeviceGetAttribute(&value, number, 0);
  return value;
}

/// By the numbers of CUdevice_attribute.
static void fillProperties(cudaDeviceProp &p) {
  cuDeviceGetName(p.name, sizeof(p.name), 0);
  cuDeviceGetUuid_v2(&p.uuid, 0);
  cuDeviceTotalMem_v2(&p.totalGlobalMem, 0);
  p.maxThreadsPerBlock = attribute(1);
  for (int d = 0; d < 3; ++d) {
    p.maxThreadsDim[d] = attribute(2 + d);
    p.maxGridSize[d] = attribute(5 + d);
  }
  p.sharedMemPerBlock = size_t(attribute(8));
  p.totalConstMem = size_t(attribute(9));
  p.warpSize = attribute(10);
  p.memPitch = size_t(attribute(11));
  p.regsPerBlock = attribute(12);
  p.textureAlignment = size_t(attribute(14));
  p.multiProcessorCount = attribute(16);
  p.integrated = attribute(18);
  p.canMapHostMemory = attribute(19);
  p.concurrentKernels = attribute(31);
  p.ECCEnabled = attribute(32);
  p.pciBusID = attribute(33);
  p.pciDeviceID = attribute(34);
  p.tccDriver = attribute(35);
  p.memoryBusWidth = attribute(37);
  p.l2CacheSize = attribute(38);
  p.maxThreadsPerMultiProcessor = attribute(39);
  p.asyncEngineCount = attribute(40);
  p.unifiedAddressing = attribute(41);
  p.pciDomainID = attribute(50);
  p.texturePitchAlignment = size_t(attribute(51));
  p.major = attribute(75);
  p.minor = attribute(76);
  p.streamPrioritiesSupported = attribute(78);
  p.globalL1CacheSupported = attribute(79);
  p.localL1CacheSupported = attribute(80);
  p.sharedMemPerMultiprocessor = size_t(attribute(81));
  p.regsPerMultiprocessor = attribute(82);
  p.managedMemory = attribute(83);
  p.isMultiGpuBoard = attribute(84);
  p.multiGpuBoardGroupID = attribute(85);
  p.hostNativeAtomicSupported = attribute(86);
  p.pageableMemoryAccess = attribute(88);
  p.concurrentManagedAccess = attribute(89);
  p.computePreemptionSupported = attribute(90);
  p.canUseHostPointerForRegisteredMem = attribute(91);
  p.cooperativeLaunch = attribute(95);
  p.sharedMemPerBlockOptin = size_t(attribute(97));
  p.hostRegisterSupported = attribute(99);
  p.pageableMemoryAccessUsesHostPageTables = attribute(100);
  p.directManagedMemAccessFromHost = attribute(101);
  p.maxBlocksPerMultiProcessor = attribute(106);
  p.persistingL2CacheMaxSize = attribute(108);
  p.accessPolicyMaxWindowSize = attribute(109);
  p.reservedSharedMemPerBlock = size_t(attribute(111));
  p.memoryPoolsSupported = attribute(115);
  p.clusterLaunch = attribute(120);
#if PTXJIT_CUDART_VERSION == 12
  p.clockRate = attribute(13);
  p.deviceOverlap = attribute(15);
  p.kernelExecTimeoutEnabled = attribute(17);
  p.computeMode = attribute(20);
  p.memoryClockRate = attribute(36);
  p.singleToDoublePrecisionPerfRatio = attribute(87);
  p.cooperativeMultiDeviceLaunch = attribute(96);
#endif
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
