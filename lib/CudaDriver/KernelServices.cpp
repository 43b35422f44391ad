//===- KernelServices.cpp - what kernels ask of the driver ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelServices.h"
#include "ptxjit/Runtime/CudaErrors.h"

#include <algorithm>
#include <cassert>

using namespace ptxjit;
using namespace ptxjit::cuda;

int KernelServices::getDevice() const { return context.device; }
int KernelServices::countDevices() const { return cuda::countDevices(); }

int KernelServices::getAttribute(int attribute, int &value) const {
  if (!isAttribute(attribute))
    return cudaErrorInvalidValue;
  value = cuda::getAttribute(CUdevice_attribute(attribute), context.device);
  return cudaSuccess;
}

/// Kernels cannot wait for what they launch, so they have no limit of depth.
int KernelServices::getLimit(int limit, uint64_t &value) const {
  if (limit == CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH)
    return cudaErrorUnsupportedLimit;
  std::optional<size_t> found = limitOf(context, limit);
  value = found.value_or(0);
  return found ? cudaSuccess : cudaErrorInvalidValue;
}

const PtxjitKernelInfo *KernelServices::find(const char *kernel) const {
  const PtxjitKernelInfo *info = code->findKernel(kernel);
  assert(info && "a kernel of the module");
  return info;
}

/// What the program has set for the kernel counts, as in launches of the host.
int KernelServices::getAttribute(const char *kernel,
                                 KernelAttribute attribute) const {
  Function function;
  function.kernel = find(kernel);
  getState().functions.forEach([&](Function &known) {
    if (known.kernel == function.kernel)
      function.maxDynamicShared = std::max(function.maxDynamicShared.load(),
                                           known.maxDynamicShared.load());
  });
  int value = 0;
  [[maybe_unused]] CUresult error =
      findAttribute(function, code->getInfo(), int(attribute), value);
  assert(!error && "all kernels have it");
  return value;
}

int KernelServices::countResidentCtas(const char *kernel, int threads,
                                      uint64_t shared) const {
  Function function;
  function.kernel = find(kernel);
  return residentCtas(function, threads, shared);
}
