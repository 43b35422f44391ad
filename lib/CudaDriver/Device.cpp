//===- Device.cpp - initialisation, the device, error names ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <thread>

using namespace ptxjit;
using namespace ptxjit::cuda;

static constexpr int kDriverVersion = 13000;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

// Values for DeviceAttributes.def.

/// Largest shared memory of a CTA, in bytes, on hardware of the profile.
static int largestShared() {
  Profile p = getProfile();
  switch (p.major * 10 + p.minor) {
  case 75:
    return 64 << 10;
  case 86:
  case 89:
  case 120:
    return 99 << 10;
  case 80:
    return 163 << 10;
  default:
    return 227 << 10;
  }
}
/// Shared memory that hardware reserves for each CTA, in bytes.
static constexpr int kReservedShared = 1024;

/// At least as many as a cluster may have CTAs: programs divide the number by
/// the size of their clusters.
static int countMultiprocessors() {
  int least = getProfile().major >= 9 ? 16 : 4;
  unsigned threads = threadsOfDevice();
  return std::max(least,
                  int(threads ? threads : std::thread::hardware_concurrency()));
}

/// Threads that a multiprocessor holds at once, on hardware of the profile.
static int countResidentThreads() {
  int major = getProfile().major;
  return major == 7 || major == 12 ? 1024 : 2048;
}

int cuda::getAttribute(CUdevice_attribute attribute, CUdevice device) {
  switch (attribute) {
#define ATTRIBUTE(NAME, number, value)                                         \
  case CU_DEVICE_ATTRIBUTE_##NAME:                                             \
    return value;
#include "ptxjit/CudaDriver/DeviceAttributes.def"
#undef ATTRIBUTE
  }
  return 0; // an attribute of a later CUDA
}

/// Numbers behind our last attribute are accepted, for programs of a later
/// CUDA.
static bool isAttribute(int number) { return number > 0 && number < 160; }

//===----------------------------------------------------------------------===//
// The driver and its device
//===----------------------------------------------------------------------===//

PTXJIT_CUDA_API(cuInit, (unsigned flags), flags) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (countDevices() == 0)
    return CUDA_ERROR_NO_DEVICE;
  watchForks();
  getState().initialized = true;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_PLAIN_API(cuDriverGetVersion, (int *version), version) {
  if (!version)
    return CUDA_ERROR_INVALID_VALUE;
  *version = kDriverVersion;
  return CUDA_SUCCESS;
}

CUresult cuda::checkDevice(CUdevice device) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  return isDevice(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

PTXJIT_CUDA_API(cuDeviceGet, (CUdevice * device, int ordinal), device,
                ordinal) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  if (!isDevice(ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDeviceGetCount, (int *count), count) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = countDevices();
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDeviceGetName, (char *name, int length, CUdevice device),
                name, length, device) {
  if (CUresult error = checkDevice(device))
    return error;
  if (!name || length <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  Profile p = getProfile();
  std::snprintf(name, size_t(length), "ptx-jit CPU (sm_%d%d)", p.major,
                p.minor);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device), uuid,
                device) {
  if (CUresult error = checkDevice(device))
    return error;
  if (!uuid)
    return CUDA_ERROR_INVALID_VALUE;
  *uuid = uuidOf(getDevice(device).number);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuDeviceGetUuid, (CUuuid * uuid, CUdevice device), uuid,
                device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

PTXJIT_CUDA_API(cuDeviceTotalMem_v2, (size_t *bytes, CUdevice device), bytes,
                device) {
  if (CUresult error = checkDevice(device))
    return error;
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  *bytes = memoryOfDevice();
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDeviceGetAttribute,
                (int *value, int attribute, CUdevice device), value, attribute,
                device) {
  if (CUresult error = checkDevice(device))
    return error;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  bool isKnown = isAttribute(attribute);
  *value = isKnown ? getAttribute(CUdevice_attribute(attribute), device) : 0;
  return isKnown ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuDeviceComputeCapability,
                (int *major, int *minor, CUdevice device), major, minor,
                device) {
  if (CUresult error = checkDevice(device))
    return error;
  if (!major || !minor)
    return CUDA_ERROR_INVALID_VALUE;
  *major = getProfile().major;
  *minor = getProfile().minor;
  return CUDA_SUCCESS;
}

/// Fills a CUdevprop, a structure from CUDA's first versions.
PTXJIT_CUDA_API(cuDeviceGetProperties, (int *properties, CUdevice device),
                properties, device) {
  // Its members are attributes 1 to 14, in that order.
  if (CUresult error = checkDevice(device))
    return error;
  if (!properties)
    return CUDA_ERROR_INVALID_VALUE;
  for (int i = CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
       i <= CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT; ++i)
    *properties++ = getAttribute(CUdevice_attribute(i), device);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDeviceGetPCIBusId, (char *text, int length, CUdevice device),
                text, length, device) {
  if (CUresult error = checkDevice(device))
    return error;
  std::string id = busIdOf(getDevice(device).number);
  if (!text || length <= int(id.size()))
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(text, id.c_str(), id.size() + 1);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuDeviceGetByPCIBusId, (CUdevice * device, const char *text),
                device, text) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  unsigned domain = 0, bus = 0, slot = 0;
  if (!device || !text)
    return CUDA_ERROR_INVALID_VALUE;
  bool parsed = std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot) == 3 ||
                std::sscanf(text, "%x:%x", &bus, &slot) == 2;
  if (!parsed || domain || slot)
    return CUDA_ERROR_INVALID_DEVICE;
  for (CUdevice i = 0; i < countDevices(); ++i)
    if (unsigned(getDevice(i).number) == bus) {
      *device = i;
      return CUDA_SUCCESS;
    }
  return CUDA_ERROR_INVALID_DEVICE;
}

PTXJIT_CUDA_API(cuDeviceCanAccessPeer,
                (int *can, CUdevice device, CUdevice peer), can, device, peer) {
  if (CUresult error = checkDevice(device))
    return error;
  if (CUresult error = checkDevice(peer))
    return error;
  if (!can)
    return CUDA_ERROR_INVALID_VALUE;
  *can = device != peer; // no device is its own peer
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Error names
//===----------------------------------------------------------------------===//

const char *cuda::nameOf(CUresult result) {
  switch (int(result)) {
#define X(id, number, text)                                                    \
  case number:                                                                 \
    return #id;
    PTXJIT_CUDA_RESULTS(X)
#undef X
  }
  return nullptr;
}

PTXJIT_CUDA_PLAIN_API(cuGetErrorName, (CUresult error, const char **name),
                      error, name) {
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  *name = nameOf(error);
  return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_PLAIN_API(cuGetErrorString, (CUresult error, const char **string),
                      error, string) {
  if (!string)
    return CUDA_ERROR_INVALID_VALUE;
  switch (int(error)) {
#define X(id, number, text)                                                    \
  case number:                                                                 \
    *string = text;                                                            \
    return CUDA_SUCCESS;
    PTXJIT_CUDA_RESULTS(X)
#undef X
  }
  *string = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}
