//===- Execution.cpp - launches and attributes of kernels -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

using namespace ptxjit;
using namespace ptxjit::cudart;

/// Can any device run this shape? The runtime has an error of its own for
/// others.
static bool isShape(dim3 grid, dim3 block) {
  uint64_t threads = uint64_t(block.x) * block.y * block.z;
  return grid.x && grid.y && grid.z && grid.x <= 0x7fffffff &&
         grid.y <= 65535 && grid.z <= 65535 && threads && threads <= 1024 &&
         block.x <= 1024 && block.y <= 1024 && block.z <= 64;
}

static int launch(const void *function, dim3 grid, dim3 block, void **args,
                  size_t shared, CUstream stream, bool cooperative) {
  CUfunction kernel;
  if (int error = findKernel(function, kernel))
    return error;
  if (!isShape(grid, block))
    return cudaErrorInvalidConfiguration;
  stream = streamOf(stream);
  if (cooperative)
    return cuLaunchCooperativeKernel(kernel, grid.x, grid.y, grid.z, block.x,
                                     block.y, block.z, unsigned(shared), stream,
                                     args);
  return cuLaunchKernel(kernel, grid.x, grid.y, grid.z, block.x, block.y,
                        block.z, unsigned(shared), stream, args, nullptr);
}

PTXJIT_CUDART_STREAM_API(cudaLaunchKernel, _ptsz,
                         (const void *function, dim3 grid, dim3 block,
                          void **args, size_t shared, CUstream stream),
                         function, grid, block, args, shared, stream) {
  return launch(function, grid, block, args, shared, stream, false);
}
PTXJIT_CUDART_STREAM_API(cudaLaunchCooperativeKernel, _ptsz,
                         (const void *function, dim3 grid, dim3 block,
                          void **args, size_t shared, CUstream stream),
                         function, grid, block, args, shared, stream) {
  return launch(function, grid, block, args, shared, stream, true);
}

// f<<<...>>>(...) calls this from CUDA 13 on. If the kernel was not found it is
// null, and the error was reported then.
PTXJIT_CUDART_STREAM_API(__cudaLaunchKernel, _ptsz,
                         (CUkernel kernel, dim3 grid, dim3 block, void **args,
                          size_t shared, CUstream stream),
                         kernel, grid, block, args, shared, stream) {
  if (!kernel) {
    int error = cudaPeekAtLastError();
    return error ? error : cudaErrorInvalidDeviceFunction;
  }
  return launch(kernel, grid, block, args, shared, stream, false);
}

static CUlaunchConfig toDriver(const cudaLaunchConfig_t &config) {
  const dim3 &grid = config.gridDim, &block = config.blockDim;
  return {grid.x,
          grid.y,
          grid.z,
          block.x,
          block.y,
          block.z,
          unsigned(config.dynamicSmemBytes),
          streamOf(config.stream),
          config.attrs,
          config.numAttrs};
}

PTXJIT_CUDART_STREAM_API(cudaLaunchKernelExC, _ptsz,
                         (const cudaLaunchConfig_t *config,
                          const void *function, void **args),
                         config, function, args) {
  CUfunction kernel;
  if (!config)
    return cudaErrorInvalidValue;
  if (int error = findKernel(function, kernel))
    return error;
  if (!isShape(config->gridDim, config->blockDim))
    return cudaErrorInvalidConfiguration;
  CUlaunchConfig same = toDriver(*config);
  return cuLaunchKernelEx(&same, kernel, args, nullptr);
}

PTXJIT_CUDART_STREAM_API(cudaLaunchHostFunc, _ptsz,
                         (CUstream stream, CUhostFn function, void *userData),
                         stream, function, userData) {
  return cuLaunchHostFunc(streamOf(stream), function, userData);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaFuncGetAttributes,
                  (cudaFuncAttributes * out, const void *function), out,
                  function) {
  CUfunction kernel;
  if (!out)
    return cudaErrorInvalidValue;
  if (int error = findKernel(function, kernel))
    return error;
  *out = {};
  auto get = [&](int attribute) {
    int value = 0;
    cuFuncGetAttribute(&value, attribute, kernel);
    return value;
  };
  out->maxThreadsPerBlock = get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  out->sharedSizeBytes = size_t(get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
  out->constSizeBytes = size_t(get(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES));
  out->localSizeBytes = size_t(get(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  out->numRegs = get(CU_FUNC_ATTRIBUTE_NUM_REGS);
  out->ptxVersion = get(CU_FUNC_ATTRIBUTE_PTX_VERSION);
  out->binaryVersion = get(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  out->cacheModeCA = get(CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
  out->maxDynamicSharedSizeBytes =
      get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  out->preferredShmemCarveout =
      get(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  out->clusterDimMustBeSet = get(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET);
  out->requiredClusterWidth = get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
  out->requiredClusterHeight = get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
  out->requiredClusterDepth = get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
  out->clusterSchedulingPolicyPreference =
      get(CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
  out->nonPortableClusterSizeAllowed =
      get(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  return cudaSuccess;
}

PTXJIT_CUDART_API(cudaFuncSetAttribute,
                  (const void *function, int attribute, int value), function,
                  attribute, value) {
  CUfunction kernel;
  if (int error = findKernel(function, kernel))
    return error;
  return cuFuncSetAttribute(kernel, attribute, value);
}
PTXJIT_CUDART_API(cudaKernelSetAttributeForDevice,
                  (CUkernel kernel, int attribute, int value, int device),
                  kernel, attribute, value, device) {
  return cuKernelSetAttribute(attribute, value, kernel, device);
}
PTXJIT_CUDART_API(cudaFuncSetCacheConfig, (const void *function, int config),
                  function, config) {
  CUfunction kernel;
  if (int error = findKernel(function, kernel))
    return error;
  return cuFuncSetCacheConfig(kernel, config);
}
PTXJIT_CUDART_API(cudaFuncSetSharedMemConfig,
                  (const void *function, int config), function, config) {
  CUfunction kernel;
  if (int error = findKernel(function, kernel))
    return error;
  return cuFuncSetSharedMemConfig(kernel, config);
}
PTXJIT_CUDART_API(cudaFuncGetName, (const char **name, const void *function),
                  name, function) {
  CUfunction kernel;
  if (int error = findKernel(function, kernel))
    return error;
  return cuFuncGetName(name, kernel);
}
PTXJIT_CUDART_API(cudaFuncGetParamInfo,
                  (const void *function, size_t index, size_t *offset,
                   size_t *size),
                  function, index, offset, size) {
  CUfunction kernel;
  if (int error = findKernel(function, kernel))
    return error;
  return cuFuncGetParamInfo(kernel, index, offset, size);
}

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                  (int *count, const void *function, int threads,
                   size_t dynamic, unsigned flags),
                  count, function, threads, dynamic, flags) {
  CUfunction kernel;
  if (int error = findKernel(function, kernel))
    return error;
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      count, kernel, threads, dynamic, flags);
}
PTXJIT_CUDART_API(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
                  (int *count, const void *function, int threads,
                   size_t dynamic),
                  count, function, threads, dynamic) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      count, function, threads, dynamic, 0);
}
/// Asks the driver a question about clusters in launches of `function`.
static int askOfClusters(CUresult (*ask)(int *, CUfunction,
                                         const CUlaunchConfig *),
                         int *answer, const void *function,
                         const cudaLaunchConfig_t *config) {
  CUfunction kernel;
  if (!config)
    return cudaErrorInvalidValue;
  if (int error = findKernel(function, kernel))
    return error;
  CUlaunchConfig same = toDriver(*config);
  return ask(answer, kernel, &same);
}
PTXJIT_CUDART_API(cudaOccupancyMaxPotentialClusterSize,
                  (int *size, const void *function,
                   const cudaLaunchConfig_t *config),
                  size, function, config) {
  return askOfClusters(cuOccupancyMaxPotentialClusterSize, size, function,
                       config);
}
PTXJIT_CUDART_API(cudaOccupancyMaxActiveClusters,
                  (int *clusters, const void *function,
                   const cudaLaunchConfig_t *config),
                  clusters, function, config) {
  return askOfClusters(cuOccupancyMaxActiveClusters, clusters, function,
                       config);
}
PTXJIT_CUDART_API(cudaOccupancyAvailableDynamicSMemPerBlock,
                  (size_t *bytes, const void *function, int ctas, int threads),
                  bytes, function, ctas, threads) {
  CUfunction kernel;
  if (int error = findKernel(function, kernel))
    return error;
  return cuOccupancyAvailableDynamicSMemPerBlock(bytes, kernel, ctas, threads);
}
