//===- FunctionAttributes.cpp - attributes of kernels ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cuda;

unsigned cuda::maxClusterCtas(const Function &function) {
  return function.nonPortableClusters ? PTXJIT_MOST_CLUSTER_CTAS
                                      : kPortableClusterCtas;
}

/// Extent of the cluster that the kernel was compiled for, or that was set.
static int requiredCluster(const Function &function, unsigned dimension) {
  uint32_t compiled = function.kernel->cluster[dimension];
  return compiled ? int(compiled) : function.requiredCluster[dimension].load();
}

/// The architecture that the PTX text was written for: 80 for `.target sm_80`,
/// 100 for `sm_100a`. Programs choose an algorithm by it, and the text holds
/// the code for that one, so the architecture of the device would be wrong.
static int ptxVersion(const PtxjitModuleInfo &module) {
  const char *target = module.target;
  const char *number = std::strchr(target, '_');
  return number ? std::atoi(number + 1) : 0;
}

CUresult cuda::findAttribute(const Function &function,
                             const PtxjitModuleInfo &module, int attribute,
                             int &value) {
  const PtxjitKernelInfo &kernel = *function.kernel;
  Profile profile = getProfile();
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    value = int(mostThreads(kernel));
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    value = int(kernel.sharedBytes);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    value = int(kernel.localBytes);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    value = 32; // no meaning here, but occupancy formulas divide by it
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    value = ptxVersion(module);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    value = profile.major * 10 + profile.minor;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    value =
        std::max(function.maxDynamicShared.load(),
                 getAttribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK) -
                     int(kernel.sharedBytes));
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    value = 0;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
    value = kernel.explicitCluster || requiredCluster(function, 0);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    value = requiredCluster(
        function,
        unsigned(attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH));
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    value = function.nonPortableClusters;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    value = function.clusterPolicy;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuFuncGetAttribute,
                (int *value, int attribute, CUfunction handle), value,
                attribute, handle) {
  Function *function;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = enterFunction(handle, function))
    return error;
  return findAttribute(*function, function->code->getInfo(), attribute, *value);
}

static CUresult setDynamicShared(Function &function, int value) {
  int most =
      getAttribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  if (value < 0 || value > most - int(function.kernel->sharedBytes))
    return CUDA_ERROR_INVALID_VALUE;
  function.maxDynamicShared = value;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuFuncSetAttribute,
                (CUfunction handle, int attribute, int value), handle,
                attribute, value) {
  Function *function;
  if (CUresult error = enterFunction(handle, function))
    return error;
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    return setDynamicShared(*function, value);
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
    if (value < 0)
      return CUDA_ERROR_INVALID_VALUE;
    if (function->kernel->cluster[0])
      return CUDA_ERROR_NOT_PERMITTED; // compiled for another cluster
    function->requiredCluster[attribute -
                              CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = value;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    if (value != 0 && value != 1)
      return CUDA_ERROR_INVALID_VALUE;
    function->nonPortableClusters = value;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    function->clusterPolicy = value;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}
