//===- DeviceServices.h - what kernels ask of their device ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_DEVICESERVICES_H
#define PTXJIT_RUNTIME_DEVICESERVICES_H

#include <cstdint>

namespace ptxjit {

/// Answers to kernels that launch kernels. Whoever launches them implements
/// this, since this room knows no devices. Thread-safe. Results are numbers of
/// CudaErrors.def.
class DeviceServices {
public:
  virtual ~DeviceServices() = default;
  virtual int getDevice() const = 0;
  virtual int countDevices() const = 0;
  /// \param attribute  a CUdevice_attribute.
  virtual int getAttribute(int attribute, int &value) const = 0;
  /// \param limit  a CUlimit.
  virtual int getLimit(int limit, uint64_t &value) const = 0;
  /// Registers of a kernel of the running module, and the CTAs of it that a
  /// multiprocessor holds.
  /// \param shared  dynamic, in bytes.
  virtual int countRegisters(const char *kernel) const = 0;
  virtual int countResidentCtas(const char *kernel, int threads,
                                uint64_t shared) const = 0;
  /// Bytes of dynamic shared memory that a launch of the kernel may have.
  virtual uint32_t mostDynamicShared(const char *kernel) const = 0;
};

} // namespace ptxjit

#endif
