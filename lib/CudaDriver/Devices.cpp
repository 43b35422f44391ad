//===- Devices.cpp - the devices of the process ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Devices.h"
#include "State.h"
#include "ptxjit/Runtime/Log.h"
#include "ptxjit/Runtime/Memory.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// The machine's devices
//===----------------------------------------------------------------------===//

static constexpr int kMostDevices = 64;

int cuda::countMachineDevices() {
  static const int count = [] {
    const char *text = std::getenv("PTXJIT_DEVICES");
    if (!text)
      return 1;
    const char *end = text + std::strlen(text);
    int number = 0;
    auto [rest, error] = std::from_chars(text, end, number);
    if (error == std::errc() && rest == end && number >= 1 &&
        number <= kMostDevices)
      return number;
    log(LogKind::Error, std::string("PTXJIT_DEVICES is '") + text +
                            "', which is no number from 1 to " +
                            std::to_string(kMostDevices) + ": 1");
    return 1;
  }();
  return count;
}

CUuuid cuda::uuidOf(int number) {
  CUuuid uuid;
  std::memcpy(uuid.bytes, "ptx-jit-cpu-0000", sizeof(uuid.bytes));
  // The first byte differs, so that a short prefix names a device.
  uuid.bytes[0] = char(uuid.bytes[0] + number);
  return uuid;
}

std::string cuda::toText(const CUuuid &uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i) {
    char digits[4];
    std::snprintf(digits, sizeof(digits), "%02x",
                  unsigned(static_cast<unsigned char>(uuid.bytes[i])));
    if (i == 4 || i == 6 || i == 8 || i == 10)
      text += '-';
    text += digits;
  }
  return text;
}

std::string cuda::busIdOf(int number) {
  char text[16];
  std::snprintf(text, sizeof(text), "0000:%02x:00.0", unsigned(number));
  return text;
}

//===----------------------------------------------------------------------===//
// The visible ones
//===----------------------------------------------------------------------===//

/// Finds the device that an element of CUDA_VISIBLE_DEVICES names: a number, of
/// which the digits in front count, or the beginning of a UUID. Nothing if
/// there is no such device, or if several begin so.
static std::optional<int> findVisible(std::string_view name) {
  std::optional<int> found;
  if (name.substr(0, 4) != "GPU-") {
    int number = -1;
    std::from_chars(name.data(), name.data() + name.size(), number);
    if (number >= 0 && number < countMachineDevices())
      found = number;
    return found;
  }
  for (int i = 0; i < countMachineDevices(); ++i) {
    if (toText(uuidOf(i)).compare(0, name.size(), name) != 0)
      continue;
    if (found)
      return std::nullopt;
    found = i;
  }
  return found;
}

/// The numbers of the devices in a list. The first element that names none ends
/// it. A list that names a device twice is empty, as for CUDA's driver.
static std::vector<int> parseVisible(std::string_view list) {
  std::vector<int> numbers;
  while (true) {
    size_t comma = list.find(',');
    std::string_view name = list.substr(0, comma);
    while (!name.empty() && (name.front() == ' ' || name.front() == '\t'))
      name.remove_prefix(1);
    std::optional<int> number = findVisible(name);
    if (!number)
      return numbers;
    if (std::find(numbers.begin(), numbers.end(), *number) != numbers.end())
      return {};
    numbers.push_back(*number);
    if (comma == std::string_view::npos)
      return numbers;
    list.remove_prefix(comma + 1);
  }
}

/// Never destroyed, like the State.
static const std::vector<Device *> &getDevices() {
  static auto *devices = [] {
    std::vector<int> numbers;
    if (const char *list = std::getenv("CUDA_VISIBLE_DEVICES"))
      numbers = parseVisible(list);
    else
      for (int i = 0; i < countMachineDevices(); ++i)
        numbers.push_back(i);
    auto *made = new std::vector<Device *>;
    for (int number : numbers) {
      made->push_back(new Device);
      made->back()->number = number;
    }
    return made;
  }();
  return *devices;
}

int cuda::countDevices() { return int(getDevices().size()); }

Device &cuda::getDevice(CUdevice device) {
  assert(isDevice(device) && "checked by the caller");
  return *getDevices()[size_t(device)];
}

CUdevice cuda::findMachineDevice(int number) {
  for (CUdevice i = 0; i < countDevices(); ++i)
    if (getDevice(i).number == number)
      return i;
  return 0;
}

//===----------------------------------------------------------------------===//
// Shares
//===----------------------------------------------------------------------===//

size_t cuda::memoryOfDevice() {
  static const size_t bytes = size_t(sysconf(_SC_PHYS_PAGES)) /
                              size_t(countMachineDevices()) * pageBytes();
  return bytes;
}

/// The memory of the machine that programs may still get, with what the system
/// keeps of files, and gives up when it is asked for more.
static size_t availableMemory() {
  std::ifstream info("/proc/meminfo");
  std::string name, rest;
  for (size_t kilobytes; info >> name >> kilobytes; std::getline(info, rest))
    if (name == "MemAvailable:")
      return kilobytes << 10;
  return size_t(sysconf(_SC_AVPHYS_PAGES)) * pageBytes();
}

size_t cuda::freeMemoryOf(CUdevice device) {
  size_t total = memoryOfDevice();
  size_t own = total - std::min(total, getDevice(device).used.load());
  return std::min(own, availableMemory());
}

unsigned cuda::threadsOfDevice() {
  unsigned devices = unsigned(countMachineDevices());
  return devices == 1
             ? 0
             : std::max(1u, std::thread::hardware_concurrency() / devices);
}

PTXJIT_CUDA_EXPORT CUresult cuPtxjitGetMachineDevice(int number,
                                                     PtxjitMachineDevice *out) {
  if (!out || number < 0 || number >= countMachineDevices())
    return CUDA_ERROR_INVALID_VALUE;
  *out = {countMachineDevices(), -1, uuidOf(number), {}, memoryOfDevice(),
          memoryOfDevice()};
  std::strncpy(out->busId, busIdOf(number).c_str(), sizeof(out->busId) - 1);
  for (CUdevice i = 0; i < countDevices(); ++i)
    if (getDevice(i).number == number) {
      out->visible = i;
      out->free = freeMemoryOf(i);
    }
  return CUDA_SUCCESS;
}

MemoryShare::MemoryShare(CUdevice device, size_t bytes) : bytes(bytes) {
  Device &of = getDevice(device);
  size_t most = memoryOfDevice(), used = of.used;
  do {
    if (bytes > most - std::min(most, used))
      return;
  } while (!of.used.compare_exchange_weak(used, used + bytes));
  owner = &of;
}
