//===- Device.cpp - a device, as NVML reports it --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <cstdio>
#include <cstdlib>

using namespace ptxjit::smi;

static Value print(const char *format, unsigned long long value) {
  char text[32];
  std::snprintf(text, sizeof(text), format, value);
  return text;
}

/// A text of NVML, which fills buffers of 96 bytes at most.
template <typename Function, typename... Args>
static Value readText(Function *function, Args... args) {
  char text[96];
  if (function(args..., text, sizeof(text)))
    return {};
  return text;
}

/// A number of NVML.
template <typename Function, typename... Args>
static Value readNumber(Function *function, Args... args) {
  unsigned number;
  if (function(args..., &number))
    return {};
  return std::to_string(number);
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

Value Device::getName() const { return readText(nvmlDeviceGetName, handle); }
Value Device::getUuid() const { return readText(nvmlDeviceGetUUID, handle); }
Value Device::getIndex() const {
  return readNumber(nvmlDeviceGetIndex, handle);
}
Value Device::getMinorNumber() const {
  return readNumber(nvmlDeviceGetMinorNumber, handle);
}

static std::optional<nvmlPciInfo_t> readPci(nvmlDevice_t device) {
  nvmlPciInfo_t info;
  if (nvmlDeviceGetPciInfo_v3(device, &info))
    return {};
  return info;
}
Value Device::getBusId() const {
  auto pci = readPci(handle);
  return pci ? Value(pci->busId) : Value();
}
Value Device::getDomain() const {
  auto pci = readPci(handle);
  return pci ? print("0x%04llX", pci->domain) : Value();
}
Value Device::getBus() const {
  auto pci = readPci(handle);
  return pci ? print("0x%02llX", pci->bus) : Value();
}
Value Device::getDevice() const {
  auto pci = readPci(handle);
  return pci ? print("0x%02llX", pci->device) : Value();
}

Value Device::getArchitecture() const {
  // By NVML's numbers.
  static const char *const kNames[] = {
      nullptr,  nullptr,  "Kepler",       "Maxwell", "Pascal",   "Volta",
      "Turing", "Ampere", "Ada Lovelace", "Hopper",  "Blackwell"};
  unsigned number;
  if (nvmlDeviceGetArchitecture(handle, &number) || number < 2 ||
      number >= sizeof(kNames) / sizeof(*kNames))
    return {};
  return kNames[number];
}
Value Device::getComputeCapability() const {
  int major, minor;
  if (nvmlDeviceGetCudaComputeCapability(handle, &major, &minor))
    return {};
  return std::to_string(major) + "." + std::to_string(minor);
}
Value Device::getComputeMode() const {
  static const char *const kNames[] = {"Default", "Exclusive_Thread",
                                       "Prohibited", "Exclusive_Process"};
  int mode;
  if (nvmlDeviceGetComputeMode(handle, &mode) || mode < 0 || mode > 3)
    return {};
  return kNames[mode];
}

static Value readMemory(nvmlDevice_t device,
                        unsigned long long nvmlMemory_v2_t::*part) {
  nvmlMemory_v2_t memory;
  memory.version = NVML_MEMORY_V2;
  if (nvmlDeviceGetMemoryInfo_v2(device, &memory))
    return {};
  return std::to_string(memory.*part >> 20);
}
Value Device::getTotalMemory() const {
  return readMemory(handle, &nvmlMemory_v2_t::total);
}
Value Device::getReservedMemory() const {
  return readMemory(handle, &nvmlMemory_v2_t::reserved);
}
Value Device::getUsedMemory() const {
  return readMemory(handle, &nvmlMemory_v2_t::used);
}
Value Device::getFreeMemory() const {
  return readMemory(handle, &nvmlMemory_v2_t::free);
}

Value Device::getClock(int type) const {
  return readNumber(nvmlDeviceGetClockInfo, handle, type);
}
Value Device::getMaxClock(int type) const {
  return readNumber(nvmlDeviceGetMaxClockInfo, handle, type);
}

static std::optional<unsigned long long> readReasons(nvmlDevice_t device) {
  unsigned long long reasons;
  if (nvmlDeviceGetCurrentClocksEventReasons(device, &reasons))
    return {};
  return reasons;
}
Value Device::getClockReasons() const {
  auto reasons = readReasons(handle);
  return reasons ? print("0x%016llX", *reasons) : Value();
}
Value Device::hasClockReason(unsigned long long mask) const {
  auto reasons = readReasons(handle);
  return reasons ? Value(*reasons & mask ? "Active" : "Not Active") : Value();
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

std::vector<Device> ptxjit::smi::listDevices() {
  std::vector<Device> devices;
  unsigned count = 0;
  nvmlDeviceGetCount_v2(&count);
  for (unsigned i = 0; i < count; ++i) {
    nvmlDevice_t handle;
    if (!nvmlDeviceGetHandleByIndex_v2(i, &handle))
      devices.emplace_back(handle);
  }
  return devices;
}

static nvmlReturn_t find(const std::string &word, nvmlDevice_t &handle) {
  char *end;
  unsigned long index = std::strtoul(word.c_str(), &end, 10);
  bool isIndex = !word.empty() && word[0] >= '0' && word[0] <= '9' && !*end;
  if (isIndex)
    return index > 0xffff
               ? NVML_ERROR_NOT_FOUND
               : nvmlDeviceGetHandleByIndex_v2(unsigned(index), &handle);
  if (word.compare(0, 4, "GPU-") == 0)
    return nvmlDeviceGetHandleByUUID(word.c_str(), &handle);
  return nvmlDeviceGetHandleByPciBusId_v2(word.c_str(), &handle);
}

std::vector<Device> ptxjit::smi::findDevices(const std::string &list) {
  std::vector<Device> devices;
  for (const std::string &word : splitList(list)) {
    nvmlDevice_t handle;
    if (find(word, handle))
      return {};
    devices.emplace_back(handle);
  }
  return devices;
}

std::vector<std::string> ptxjit::smi::splitList(const std::string &list) {
  std::vector<std::string> words;
  size_t begin = 0, end;
  do {
    end = list.find(',', begin);
    words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  } while (end != std::string::npos);
  return words;
}

std::string ptxjit::smi::getDriverVersion() {
  return readText(nvmlSystemGetDriverVersion).value_or("N/A");
}
std::string ptxjit::smi::getNvmlVersion() {
  return readText(nvmlSystemGetNVMLVersion).value_or("N/A");
}
std::string ptxjit::smi::getCudaVersion() {
  int version;
  if (nvmlSystemGetCudaDriverVersion_v2(&version))
    return "N/A";
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}
