//===- Device.h - a device, as NVML reports it ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_TOOLS_NVIDIASMI_DEVICE_H
#define PTXJIT_TOOLS_NVIDIASMI_DEVICE_H

#include "ptxjit/Nvml/NvmlABI.h"

#include <optional>
#include <string>
#include <vector>

namespace ptxjit::smi {

/// A value as text, without unit; nothing where NVML has none.
using Value = std::optional<std::string>;

/// Asks NVML for one property at a time. All answers are as of the call.
class Device {
public:
  explicit Device(nvmlDevice_t handle) : handle(handle) {}

  Value getName() const;
  Value getUuid() const;
  Value getIndex() const;
  Value getMinorNumber() const;
  /// "00000000:01:00.0"
  Value getBusId() const;
  /// The part of the bus id, as "0x%04X" or "0x%02X".
  Value getDomain() const;
  Value getBus() const;
  Value getDevice() const;
  /// "Ampere"
  Value getArchitecture() const;
  /// "8.0"
  Value getComputeCapability() const;
  /// "Default"
  Value getComputeMode() const;
  /// MiB
  Value getTotalMemory() const;
  Value getReservedMemory() const;
  Value getUsedMemory() const;
  Value getFreeMemory() const;
  /// MHz. \param type  NVML's: 0 graphics, 1 multiprocessor, 2 memory, 3 video.
  Value getClock(int type) const;
  Value getMaxClock(int type) const;
  /// What limits the clocks: all as "0x%016X", or "Active" or "Not Active" for
  /// the reasons of a mask.
  Value getClockReasons() const;
  Value hasClockReason(unsigned long long mask) const;

private:
  nvmlDevice_t handle;
};

/// All devices of the machine, in NVML's order.
std::vector<Device> listDevices();

/// Finds devices by a list `A,B,...` of indices, UUIDs and bus ids. Empty if
/// one of them does not exist.
std::vector<Device> findDevices(const std::string &list);

/// Splits at commas.
std::vector<std::string> splitList(const std::string &list);

/// "580.65.06"
std::string getDriverVersion();
std::string getNvmlVersion();
/// "13.0"
std::string getCudaVersion();

} // namespace ptxjit::smi

#endif
