//===- Nvml.cpp - the devices, as NVML reports them -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libnvidia-ml.so.1, which frameworks ask for the devices of the machine. It is
// a client of libcuda.so.1 in the same folder and reports what that says. What
// has no meaning here (temperatures, power, NVLink, MIG) is not supported.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/CudaDriver/CudaABI.h"
#include "ptxjit/Nvml/NvmlABI.h"
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#define PTXJIT_NVML extern "C" __attribute__((visibility("default")))

namespace {
/// Number of nvmlInit calls without a matching nvmlShutdown.
std::atomic<int> users{0};

/// The NVIDIA driver that comes with the CUDA version that our driver reports.
constexpr char kDriverVersion[] = "580.65.06";
constexpr char kNvmlVersion[] = "13.580.65.06";

nvmlReturn_t toNvml(CUresult result) {
  switch (result) {
  case CUDA_SUCCESS:
    return NVML_SUCCESS;
  case CUDA_ERROR_INVALID_VALUE:
  case CUDA_ERROR_INVALID_DEVICE:
    return NVML_ERROR_INVALID_ARGUMENT;
  case CUDA_ERROR_NO_DEVICE:
    return NVML_ERROR_DRIVER_NOT_LOADED;
  default:
    return NVML_ERROR_UNKNOWN;
  }
}

nvmlReturn_t copyText(const std::string &text, char *to, unsigned length) {
  if (!to)
    return NVML_ERROR_INVALID_ARGUMENT;
  if (length <= text.size())
    return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return NVML_SUCCESS;
}

/// What is known of a device of the machine. NVML also shows those that
/// CUDA_VISIBLE_DEVICES hides. \pre 0 <= number < countDevices()
PtxjitMachineDevice describe(int number) {
  PtxjitMachineDevice device{};
  cuPtxjitGetMachineDevice(number, &device);
  return device;
}

int countDevices() { return describe(0).count; }

/// Makes a handle: the device's number, plus 1.
nvmlReturn_t makeHandle(int number, nvmlDevice_t *handle) {
  *handle = reinterpret_cast<nvmlDevice_t>(uintptr_t(number) + 1);
  return NVML_SUCCESS;
}

/// Finds the number of a device. The checks that every call about one begins
/// with.
nvmlReturn_t enter(nvmlDevice_t handle, const void *result, int &device) {
  if (!users)
    return NVML_ERROR_UNINITIALIZED;
  auto number = reinterpret_cast<uintptr_t>(handle);
  if (!result || number == 0 || number > uintptr_t(countDevices()))
    return NVML_ERROR_INVALID_ARGUMENT;
  device = int(number - 1);
  return NVML_SUCCESS;
}

/// The device that the driver is asked about for a device that it may not show:
/// all have the same properties.
CUdevice askedFor(int number) {
  CUdevice visible = describe(number).visible;
  return visible < 0 ? 0 : visible;
}
nvmlReturn_t enter(const void *result) {
  if (!users)
    return NVML_ERROR_UNINITIALIZED;
  return result ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

std::string uuidOf(int number) {
  CUuuid uuid = describe(number).uuid;
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[4];
    std::snprintf(digits, sizeof(digits), "%02x",
                  unsigned(uint8_t(uuid.bytes[i])));
    if (i == 4 || i == 6 || i == 8 || i == 10)
      text += '-';
    text += digits;
  }
  return text;
}

/// The parts of a bus id. A function behind a dot is ignored.
struct BusId {
  unsigned domain = 0, bus = 0, device = 0;
  /// \returns false if the text is none.
  bool parse(const char *text) {
    return std::sscanf(text, "%x:%x:%x", &domain, &bus, &device) == 3;
  }
  bool operator==(const BusId &other) const {
    return domain == other.domain && bus == other.bus && device == other.device;
  }
};

/// Types of clocks: 0 graphics, 1 multiprocessor, 2 memory, 3 video.
nvmlReturn_t readClock(nvmlDevice_t handle, int type, unsigned *megahertz) {
  int device;
  int kilohertz = 0;
  if (nvmlReturn_t error = enter(handle, megahertz, device))
    return error;
  if (type < 0 || type > 3)
    return NVML_ERROR_INVALID_ARGUMENT;
  int attribute = type == 2 ? CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE
                            : CU_DEVICE_ATTRIBUTE_CLOCK_RATE;
  nvmlReturn_t result =
      toNvml(cuDeviceGetAttribute(&kilohertz, attribute, askedFor(device)));
  *megahertz = unsigned(kilohertz) / 1000;
  return result;
}

/// `bytes` is the size of the caller's version of nvmlPciInfo_t.
nvmlReturn_t readPciInfo(nvmlDevice_t handle, nvmlPciInfo_t *to, size_t bytes) {
  int device;
  if (nvmlReturn_t error = enter(handle, to, device))
    return error;
  nvmlPciInfo_t info{};
  PtxjitMachineDevice known = describe(device);
  static_assert(sizeof(known.busId) == sizeof(info.busIdLegacy));
  std::memcpy(info.busIdLegacy, known.busId, sizeof(known.busId));
  BusId id;
  id.parse(known.busId);
  info.domain = id.domain;
  info.bus = id.bus;
  info.device = id.device;
  std::snprintf(info.busId, sizeof(info.busId), "%08X:%02X:%02X.0", id.domain,
                id.bus, id.device);
  std::memcpy(to, &info, bytes);
  return NVML_SUCCESS;
}
} // namespace

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

PTXJIT_NVML nvmlReturn_t nvmlInit_v2() {
  // NVML also works where CUDA_VISIBLE_DEVICES hides all devices.
  CUresult error = cuInit(0);
  if (error && error != CUDA_ERROR_NO_DEVICE)
    return toNvml(error);
  ++users;
  return NVML_SUCCESS;
}
PTXJIT_NVML nvmlReturn_t nvmlInit() { return nvmlInit_v2(); }
PTXJIT_NVML nvmlReturn_t nvmlInitWithFlags(unsigned) { return nvmlInit_v2(); }
PTXJIT_NVML nvmlReturn_t nvmlShutdown() {
  int count = users;
  while (count > 0 && !users.compare_exchange_weak(count, count - 1))
    ;
  return count > 0 ? NVML_SUCCESS : NVML_ERROR_UNINITIALIZED;
}

PTXJIT_NVML const char *nvmlErrorString(nvmlReturn_t result) {
  switch (result) {
  case NVML_SUCCESS:
    return "Success";
  case NVML_ERROR_UNINITIALIZED:
    return "Uninitialized";
  case NVML_ERROR_INVALID_ARGUMENT:
    return "Invalid Argument";
  case NVML_ERROR_NOT_SUPPORTED:
    return "Not Supported";
  case NVML_ERROR_NOT_FOUND:
    return "Not Found";
  case NVML_ERROR_INSUFFICIENT_SIZE:
    return "Insufficient Size";
  case NVML_ERROR_DRIVER_NOT_LOADED:
    return "Driver Not Loaded";
  case NVML_ERROR_ARGUMENT_VERSION_MISMATCH:
    return "Argument Version Mismatch";
  default:
    return "Unknown Error";
  }
}

PTXJIT_NVML nvmlReturn_t nvmlSystemGetDriverVersion(char *version,
                                                    unsigned length) {
  return users ? copyText(kDriverVersion, version, length)
               : NVML_ERROR_UNINITIALIZED;
}
PTXJIT_NVML nvmlReturn_t nvmlSystemGetNVMLVersion(char *version,
                                                  unsigned length) {
  return users ? copyText(kNvmlVersion, version, length)
               : NVML_ERROR_UNINITIALIZED;
}
PTXJIT_NVML nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) {
  return version ? toNvml(cuDriverGetVersion(version))
                 : NVML_ERROR_INVALID_ARGUMENT;
}
PTXJIT_NVML nvmlReturn_t nvmlSystemGetCudaDriverVersion(int *version) {
  return nvmlSystemGetCudaDriverVersion_v2(version);
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

PTXJIT_NVML nvmlReturn_t nvmlDeviceGetCount_v2(unsigned *count) {
  if (nvmlReturn_t error = enter(count))
    return error;
  *count = unsigned(countDevices());
  return NVML_SUCCESS;
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetCount(unsigned *count) {
  return nvmlDeviceGetCount_v2(count);
}

PTXJIT_NVML nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned index,
                                                       nvmlDevice_t *device) {
  if (nvmlReturn_t error = enter(device))
    return error;
  return index < unsigned(countDevices()) ? makeHandle(int(index), device)
                                          : NVML_ERROR_INVALID_ARGUMENT;
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetHandleByIndex(unsigned index,
                                                    nvmlDevice_t *device) {
  return nvmlDeviceGetHandleByIndex_v2(index, device);
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid,
                                                   nvmlDevice_t *device) {
  if (nvmlReturn_t error = enter(uuid ? device : nullptr))
    return error;
  for (int i = 0; i < countDevices(); ++i)
    if (uuidOf(i) == uuid)
      return makeHandle(i, device);
  return NVML_ERROR_NOT_FOUND;
}
PTXJIT_NVML nvmlReturn_t
nvmlDeviceGetHandleByPciBusId_v2(const char *busId, nvmlDevice_t *device) {
  BusId wanted, id;
  if (nvmlReturn_t error = enter(busId ? device : nullptr))
    return error;
  if (!wanted.parse(busId))
    return NVML_ERROR_INVALID_ARGUMENT;
  for (int i = 0; i < countDevices(); ++i)
    if (id.parse(describe(i).busId) && id == wanted)
      return makeHandle(i, device);
  return NVML_ERROR_NOT_FOUND;
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetHandleByPciBusId(const char *busId,
                                                       nvmlDevice_t *device) {
  return nvmlDeviceGetHandleByPciBusId_v2(busId, device);
}

//===----------------------------------------------------------------------===//
// Properties of a device
//===----------------------------------------------------------------------===//

PTXJIT_NVML nvmlReturn_t nvmlDeviceGetIndex(nvmlDevice_t handle,
                                            unsigned *index) {
  int device;
  if (nvmlReturn_t error = enter(handle, index, device))
    return error;
  *index = unsigned(device);
  return NVML_SUCCESS;
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetMinorNumber(nvmlDevice_t handle,
                                                  unsigned *number) {
  return nvmlDeviceGetIndex(handle, number);
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t handle, char *name,
                                           unsigned length) {
  int device;
  char text[96];
  if (nvmlReturn_t error = enter(handle, name, device))
    return error;
  if (CUresult error = cuDeviceGetName(text, sizeof(text), askedFor(device)))
    return toNvml(error);
  return copyText(text, name, length);
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t handle, char *uuid,
                                           unsigned length) {
  int device;
  if (nvmlReturn_t error = enter(handle, uuid, device))
    return error;
  return copyText(uuidOf(device), uuid, length);
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t handle,
                                                 nvmlPciInfo_t *info) {
  return readPciInfo(handle, info, sizeof(*info));
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetPciInfo_v2(nvmlDevice_t handle,
                                                 nvmlPciInfo_t *info) {
  return readPciInfo(handle, info, offsetof(nvmlPciInfo_t, busId));
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetPciInfo(nvmlDevice_t handle,
                                              nvmlPciInfo_t *info) {
  return readPciInfo(handle, info, offsetof(nvmlPciInfo_t, pciSubSystemId));
}

PTXJIT_NVML nvmlReturn_t nvmlDeviceGetMemoryInfo(nvmlDevice_t handle,
                                                 nvmlMemory_t *memory) {
  int device;
  if (nvmlReturn_t error = enter(handle, memory, device))
    return error;
  PtxjitMachineDevice known = describe(device);
  *memory = {known.total, known.free, known.total - known.free};
  return NVML_SUCCESS;
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetMemoryInfo_v2(nvmlDevice_t handle,
                                                    nvmlMemory_v2_t *memory) {
  nvmlMemory_t first;
  if (nvmlReturn_t error =
          nvmlDeviceGetMemoryInfo(handle, memory ? &first : nullptr))
    return error;
  if (memory->version != NVML_MEMORY_V2)
    return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  *memory = {NVML_MEMORY_V2, first.total, 0, first.free, first.used};
  return NVML_SUCCESS;
}

PTXJIT_NVML nvmlReturn_t nvmlDeviceGetCudaComputeCapability(nvmlDevice_t handle,
                                                            int *major,
                                                            int *minor) {
  int device;
  if (nvmlReturn_t error = enter(handle, major ? minor : nullptr, device))
    return error;
  return toNvml(cuDeviceComputeCapability(major, minor, askedFor(device)));
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetArchitecture(nvmlDevice_t handle,
                                                   unsigned *value) {
  int major, minor;
  if (nvmlReturn_t error = nvmlDeviceGetCudaComputeCapability(
          handle, value ? &major : nullptr, &minor))
    return error;
  bool isTuring = major == 7 && minor == 5, isAda = major == 8 && minor == 9;
  *value = isTuring     ? 6
           : isAda      ? 8
           : major == 7 ? 5   // Volta
           : major == 8 ? 7   // Ampere
           : major == 9 ? 9   // Hopper
                        : 10; // Blackwell
  return NVML_SUCCESS;
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetComputeMode(nvmlDevice_t handle,
                                                  int *mode) {
  int device;
  if (nvmlReturn_t error = enter(handle, mode, device))
    return error;
  *mode = 0; // any number of processes may use it
  return NVML_SUCCESS;
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t handle, int type,
                                                unsigned *megahertz) {
  return readClock(handle, type, megahertz);
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t handle,
                                                   int type,
                                                   unsigned *megahertz) {
  return readClock(handle, type, megahertz);
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetMemoryBusWidth(nvmlDevice_t handle,
                                                     unsigned *bits) {
  int device;
  int width = 0;
  if (nvmlReturn_t error = enter(handle, bits, device))
    return error;
  nvmlReturn_t result = toNvml(cuDeviceGetAttribute(
      &width, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, askedFor(device)));
  *bits = unsigned(width);
  return result;
}

//===----------------------------------------------------------------------===//
// Links between devices
//===----------------------------------------------------------------------===//

/// Finds the numbers of two different devices.
static nvmlReturn_t enter(nvmlDevice_t one, nvmlDevice_t two,
                          const void *result) {
  int first, second;
  if (nvmlReturn_t error = enter(one, result, first))
    return error;
  if (nvmlReturn_t error = enter(two, result, second))
    return error;
  return first == second ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS;
}

PTXJIT_NVML nvmlReturn_t nvmlDeviceGetP2PStatus(nvmlDevice_t one,
                                                nvmlDevice_t two, int index,
                                                int *status) {
  if (nvmlReturn_t error = enter(one, two, status))
    return error;
  switch (index) {
  case NVML_P2P_CAPS_INDEX_READ:
  case NVML_P2P_CAPS_INDEX_WRITE:
  case NVML_P2P_CAPS_INDEX_ATOMICS:
    *status = NVML_P2P_STATUS_OK;
    return NVML_SUCCESS;
  case NVML_P2P_CAPS_INDEX_NVLINK: // the devices are on no bus
  case NVML_P2P_CAPS_INDEX_PCI:
    *status = NVML_P2P_STATUS_NOT_SUPPORTED;
    return NVML_SUCCESS;
  }
  return NVML_ERROR_INVALID_ARGUMENT;
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetTopologyCommonAncestor(nvmlDevice_t one,
                                                             nvmlDevice_t two,
                                                             int *level) {
  if (nvmlReturn_t error = enter(one, two, level))
    return error;
  *level = NVML_TOPOLOGY_NODE;
  return NVML_SUCCESS;
}

/// Lists all devices but one. \param room  of the caller, whom 0 asks for the
///   number; becomes that number.
static nvmlReturn_t listDevices(int but, unsigned *room, nvmlDevice_t *list) {
  unsigned number = 0;
  for (int i = 0; i < countDevices(); ++i) {
    if (i == but)
      continue;
    if (number < *room && list)
      makeHandle(i, &list[number]);
    ++number;
  }
  bool isEnough = *room == 0 || number <= *room;
  *room = number;
  return isEnough ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetTopologyNearestGpus(nvmlDevice_t handle,
                                                          int level,
                                                          unsigned *count,
                                                          nvmlDevice_t *list) {
  int device;
  if (nvmlReturn_t error = enter(handle, count, device))
    return error;
  if (level == NVML_TOPOLOGY_NODE)
    return listDevices(device, count, list);
  *count = 0;
  return NVML_SUCCESS;
}
PTXJIT_NVML nvmlReturn_t nvmlSystemGetTopologyGpuSet(
    [[maybe_unused]] unsigned cpu, unsigned *count, nvmlDevice_t *list) {
  if (nvmlReturn_t error = enter(count))
    return error;
  return listDevices(-1, count, list);
}

//===----------------------------------------------------------------------===//
// State of a device
//===----------------------------------------------------------------------===//

PTXJIT_NVML nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(
    nvmlDevice_t handle, unsigned long long *reasons) {
  int device;
  if (nvmlReturn_t error = enter(handle, reasons, device))
    return error;
  *reasons = 0; // nothing limits the clocks
  return NVML_SUCCESS;
}
PTXJIT_NVML nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(
    nvmlDevice_t handle, unsigned long long *reasons) {
  return nvmlDeviceGetCurrentClocksEventReasons(handle, reasons);
}

/// The users of the device are not known. Lists none, as NVML does in a
/// container.
static nvmlReturn_t listNobody(nvmlDevice_t handle, unsigned *count) {
  int device;
  if (nvmlReturn_t error = enter(handle, count, device))
    return error;
  *count = 0;
  return NVML_SUCCESS;
}
#define PTXJIT_NVML_PROCESSES(name)                                            \
  PTXJIT_NVML nvmlReturn_t name(nvmlDevice_t handle, unsigned *count,          \
                                void *) {                                      \
    return listNobody(handle, count);                                          \
  }
PTXJIT_NVML_PROCESSES(nvmlDeviceGetComputeRunningProcesses)
PTXJIT_NVML_PROCESSES(nvmlDeviceGetComputeRunningProcesses_v2)
PTXJIT_NVML_PROCESSES(nvmlDeviceGetComputeRunningProcesses_v3)
PTXJIT_NVML_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses)
PTXJIT_NVML_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v2)
PTXJIT_NVML_PROCESSES(nvmlDeviceGetGraphicsRunningProcesses_v3)
#undef PTXJIT_NVML_PROCESSES
