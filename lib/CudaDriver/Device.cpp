//===- Device.cpp - initialisation, devices, error names ------------------===//

#include "State.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

using namespace ptxjit;
using namespace ptxjit::cuda;

static constexpr int kDriverVersion = 13000;

Profile cuda::getProfile() {
  static const Profile profile = [] {
    Profile p{8, 0};
    const char *text = std::getenv("PTXJIT_DEVICE");
    int major, minor;
    if (text && std::sscanf(text, "%d.%d", &major, &minor) == 2)
      p = {major, minor};
    return p;
  }();
  return profile;
}

static size_t totalMemory() {
  return size_t(sysconf(_SC_PHYS_PAGES)) * size_t(sysconf(_SC_PAGESIZE));
}

/// Shared memory that a CTA may ask for, as hardware of the profile has.
static int sharedOptin() {
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

bool cuda::getAttribute(int attribute, int &value) {
  Profile profile = getProfile();
  struct Row {
    int attribute, value;
  };
  const Row rows[] = {
      {1, 1024}, // threads of a CTA
      {2, 1024}, // its extents
      {3, 1024},
      {4, 64},
      {5, 0x7fffffff}, // extents of a grid
      {6, 65535},
      {7, 65535},
      {8, 48 << 10},    // shared memory of a CTA
      {9, 64 << 10},    // constant memory
      {10, 32},         // warp
      {11, 0x7fffffff}, // pitch
      {12, 65536},      // registers of a CTA
      {13, 1000000},    // clock, kHz
      {14, 512},        // texture alignment
      {15, 1},          // copies overlap
      {16, std::max(4, int(std::thread::hardware_concurrency()))},
      {17, 0}, // no time limit
      {18, 0}, // not integrated
      {19, 1}, // maps host memory
      {20, 0}, // compute mode: default
      {31, 1}, // concurrent kernels
      {32, 0}, // ECC
      {33, 0}, // PCI
      {34, 0},
      {35, 0},
      {36, 1000000},  // memory clock, kHz
      {37, 128},      // bus width
      {38, 32 << 20}, // L2
      {39, profile.major == 7 || profile.major == 12 ? 1024 : 2048},
      {40, 2}, // copy engines
      {41, 1}, // unified addresses
      {50, 0},
      {51, 32}, // texture pitch alignment
      {75, profile.major},
      {76, profile.minor},
      {78, 1}, // stream priorities
      {79, 1},
      {80, 1},
      {81, sharedOptin() + 1024},
      {82, 65536}, // registers of a multiprocessor
      {83, 1},     // managed memory
      {84, 0},
      {85, 0},
      {86, 1}, // host atomics
      {87, 2}, // float to double throughput
      {88, 1}, // pageable memory
      {89, 1}, // concurrent managed access
      {90, 1},
      {91, 1}, // host pointers serve as device pointers
      {92, 1}, // streams write and wait for values, of 64 bits, too,
      {93, 1},
      {94, 1}, // and by NOR
      {95, 1}, // cooperative launch
      {97, sharedOptin()},
      {99, 1}, // host memory can be registered
      {100, 1},
      {101, 1},
      {102, 1}, // virtual memory management
      {103, 1}, // whose memory goes to other processes as file descriptors
      {106, profile.major == 7 ? 16 : 32},
      {108, profile.major >= 8 ? 24 << 20 : 0}, // L2 that may be set aside
      {109, profile.major >= 8 ? 128 << 20 : 0},
      {111, 1024},               // reserved shared memory
      {115, 1},                  // memory pools
      {120, profile.major >= 9}, // clusters
      {122, 1},                  // as 93 and 94
      {123, 1},
  };
  for (const Row &row : rows)
    if (row.attribute == attribute) {
      value = row.value;
      return true;
    }
  value = 0; // textures and the like: nothing of it
  return attribute > 0 && attribute < 160;
}

PTXJIT_CUDA_API(cuInit, (unsigned flags), flags) {
  if (flags)
    return CUDA_ERROR_INVALID_VALUE;
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
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

PTXJIT_CUDA_API(cuDeviceGet, (CUdevice * device, int ordinal), device,
                ordinal) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  if (ordinal != 0)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDeviceGetCount, (int *count), count) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = 1;
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
  std::memcpy(uuid->bytes, "ptx-jit-cpu-0000", 16);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuDeviceGetUuid, (CUuuid * uuid, CUdevice device), uuid,
                device) {
  return cuDeviceGetUuid_v2(uuid, device);
}

PTXJIT_CUDA_API(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device), bytes,
                device) {
  if (CUresult error = checkDevice(device))
    return error;
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  *bytes = totalMemory();
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDeviceGetAttribute,
                (int *value, int attribute, CUdevice device), value, attribute,
                device) {
  if (CUresult error = checkDevice(device))
    return error;
  if (!value || !getAttribute(attribute, *value))
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
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

/// CUdevprop, of CUDA's early days.
PTXJIT_CUDA_API(cuDeviceGetProperties, (int *properties, CUdevice device),
                properties, device) {
  // Threads of a CTA, its extents, those of a grid, shared and constant bytes,
  // warp, pitch, registers, clock, texture alignment: attributes 1 to 14.
  if (CUresult error = checkDevice(device))
    return error;
  if (!properties)
    return CUDA_ERROR_INVALID_VALUE;
  for (int i = 1; i <= 14; ++i)
    getAttribute(i, properties[i - 1]);
  return CUDA_SUCCESS;
}

static constexpr char kBusId[] = "0000:00:00.0";

PTXJIT_CUDA_API(cuDeviceGetPCIBusId, (char *text, int length, CUdevice device),
                text, length, device) {
  if (CUresult error = checkDevice(device))
    return error;
  if (!text || length < int(sizeof(kBusId)))
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(text, kBusId, sizeof(kBusId));
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
  if (!parsed || domain || bus || slot)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = 0;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuDeviceCanAccessPeer,
                (int *can, CUdevice device, CUdevice peer), can, device, peer) {
  if (CUresult error = checkDevice(device))
    return error;
  if (CUresult error = checkDevice(peer))
    return error;
  if (!can)
    return CUDA_ERROR_INVALID_VALUE;
  *can = 0; // itself is no peer
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
