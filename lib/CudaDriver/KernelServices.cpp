//===- KernelServices.cpp - what kernels ask of the driver ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelServices.h"
#include "ptxjit/Runtime/CudaErrors.h"

#include <algorithm>
#include <cassert>
#include <cstring>

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

int KernelServices::countRegisters(const char *) const {
  return kRegistersOfKernels;
}

int KernelServices::countResidentCtas(const char *kernel, int threads,
                                      uint64_t shared) const {
  Function function;
  function.kernel = code->findKernel(kernel);
  assert(function.kernel && "a kernel of the module");
  return residentCtas(function, threads, shared);
}

/// As the launch functions of the host: what the program has allowed for the
/// kernel by CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES counts.
uint32_t KernelServices::mostDynamicShared(const char *kernel) const {
  const PtxjitKernelInfo *info = code->findKernel(kernel);
  assert(info && "a kernel of the module");
  auto most = uint32_t(
      cuda::getAttribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
  most -= std::min(most, info->sharedBytes);
  getState().functions.forEach([&](Function &function) {
    if (function.kernel == info)
      most = std::max(most, uint32_t(function.maxDynamicShared));
  });
  return most;
}
