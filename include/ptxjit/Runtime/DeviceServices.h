//===- DeviceServices.h - what kernels ask of their device ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_DEVICESERVICES_H
#define PTXJIT_RUNTIME_DEVICESERVICES_H

#include <cstdint>

namespace ptxjit {

/// What kernels ask of a kernel. The values are those of CUfunction_attribute.
enum class KernelAttribute {
  MostThreads = 0, ///< of a CTA
  Shared = 1,      ///< bytes, as in the next two
  Constant = 2,
  Local = 3,
  Registers = 4,
  PtxVersion = 5,       ///< 80 for `.target sm_80`
  BinaryVersion = 6,    ///< of the device
  MostDynamicShared = 8 ///< bytes that a launch may have
};

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
  /// An attribute of a kernel of the running module.
  virtual int getAttribute(const char *kernel,
                           KernelAttribute attribute) const = 0;
  /// The CTAs of a kernel that a multiprocessor holds.
  /// \param shared  dynamic, in bytes.
  virtual int countResidentCtas(const char *kernel, int threads,
                                uint64_t shared) const = 0;
};

} // namespace ptxjit

#endif
