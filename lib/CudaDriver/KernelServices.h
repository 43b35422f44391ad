//===- KernelServices.h - what kernels ask of the driver --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_KERNELSERVICES_H
#define PTXJIT_LIB_CUDADRIVER_KERNELSERVICES_H

#include "State.h"
#include "ptxjit/Runtime/DeviceServices.h"

namespace ptxjit::cuda {

/// Answers to the kernels of a module that run in a context.
class KernelServices : public DeviceServices {
public:
  KernelServices(const Context &context, std::shared_ptr<LoadedModule> code)
      : context(context), code(std::move(code)) {}
  int getDevice() const override;
  int countDevices() const override;
  int getAttribute(int attribute, int &value) const override;
  int getLimit(int limit, uint64_t &value) const override;
  int getAttribute(const char *kernel,
                   KernelAttribute attribute) const override;
  int countResidentCtas(const char *kernel, int threads,
                        uint64_t shared) const override;

private:
  const PtxjitKernelInfo *find(const char *kernel) const;

  const Context &context;
  const std::shared_ptr<LoadedModule> code;
};

} // namespace ptxjit::cuda

#endif
