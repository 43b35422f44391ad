//===- Occupancy.cpp - how many CTAs fit, on hardware of the profile ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs size their grids by these numbers. Our CTAs run on workers, and CTAs
// that wait are parked, so only cooperative launches are limited by them.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <algorithm>

using namespace ptxjit;
using namespace ptxjit::cuda;

/// Shared memory of a multiprocessor, and the part of it that is reserved for
/// each CTA, in bytes.
static int mostShared() {
  return getAttribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
}
static int reservedShared() {
  return getAttribute(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
}
static int countMultiprocessors() {
  return getAttribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
}

int cuda::residentCtas(const Function &function, int threads, size_t dynamic) {
  if (unsigned(threads) > mostThreads(*function.kernel))
    return 0;
  int warps = (threads + 31) / 32 * 32;
  int ctas = std::min(
      getAttribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / warps,
      getAttribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR));
  size_t shared = function.kernel->sharedBytes + dynamic;
  size_t bytes = shared + size_t(reservedShared());
  return int(std::min<size_t>(size_t(ctas), size_t(mostShared()) / bytes));
}

static CUresult maxActive(int *count, CUfunction handle, int threads,
                          size_t dynamic, unsigned flags) {
  Function *function;
  if (!count || threads <= 0 || flags > 1)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = enterFunction(handle, function))
    return error;
  *count = residentCtas(*function, threads, dynamic);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                (int *count, CUfunction function, int threads, size_t dynamic,
                 unsigned flags),
                count, function, threads, dynamic, flags) {
  return maxActive(count, function, threads, dynamic, flags);
}
PTXJIT_CUDA_API(cuOccupancyMaxActiveBlocksPerMultiprocessor,
                (int *count, CUfunction function, int threads, size_t dynamic),
                count, function, threads, dynamic) {
  return maxActive(count, function, threads, dynamic, 0);
}

PTXJIT_CUDA_API(cuOccupancyMaxPotentialBlockSizeWithFlags,
                (int *minGrid, int *block, CUfunction handle,
                 CUoccupancyB2DSize dynamicOf, size_t dynamic, int limit,
                 unsigned flags),
                minGrid, block, handle, dynamicOf, dynamic, limit, flags) {
  Function *function;
  if (!minGrid || !block || limit < 0 || flags > 1)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = enterFunction(handle, function))
    return error;
  int most = int(mostThreads(*function->kernel));
  if (limit)
    most = std::min(most, limit);
  int best = 0, bestThreads = 0, bestCtas = 0;
  for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
    int n = std::min(threads, most);
    int ctas = residentCtas(*function, n, dynamicOf ? dynamicOf(n) : dynamic);
    if (ctas * n > best) {
      best = ctas * n;
      bestThreads = n;
      bestCtas = ctas;
    }
  }
  *block = bestThreads;
  *minGrid = bestCtas * countMultiprocessors();
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuOccupancyMaxPotentialBlockSize,
                (int *minGrid, int *block, CUfunction function,
                 CUoccupancyB2DSize dynamicOf, size_t dynamic, int limit),
                minGrid, block, function, dynamicOf, dynamic, limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(
      minGrid, block, function, dynamicOf, dynamic, limit, 0);
}

PTXJIT_CUDA_API(cuOccupancyAvailableDynamicSMemPerBlock,
                (size_t *bytes, CUfunction handle, int ctas, int threads),
                bytes, handle, ctas, threads) {
  Function *function;
  if (!bytes || ctas <= 0 || threads <= 0 ||
      threads > getAttribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK))
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = enterFunction(handle, function))
    return error;
  int room = mostShared() / ctas - reservedShared() -
             int(function->kernel->sharedBytes);
  *bytes = size_t(std::clamp(
      room, 0,
      getAttribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)));
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

/// Largest cluster on hardware of the profile, in CTAs; 0 without clusters.
static int mostClusterCtas(const Function &function) {
  return getAttribute(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)
             ? int(maxClusterCtas(function))
             : 0;
}

static CUresult enterClusters(const void *result, CUfunction handle,
                              const CUlaunchConfig *config,
                              Function *&function) {
  if (!result || !config || (config->numAttrs && !config->attrs))
    return CUDA_ERROR_INVALID_VALUE;
  return enterFunction(handle, function);
}

PTXJIT_CUDA_API(cuOccupancyMaxPotentialClusterSize,
                (int *size, CUfunction handle, const CUlaunchConfig *config),
                size, handle, config) {
  Function *function;
  if (CUresult error = enterClusters(size, handle, config, function))
    return error;
  *size = mostClusterCtas(*function);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuOccupancyMaxActiveClusters,
                (int *clusters, CUfunction handle,
                 const CUlaunchConfig *config),
                clusters, handle, config) {
  Function *function;
  if (CUresult error = enterClusters(clusters, handle, config, function))
    return error;
  unsigned size = 1;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      auto &cluster = config->attrs[i].value.clusterDim;
      size = cluster.x * cluster.y * cluster.z;
    }
  int threads = int(config->blockDimX * config->blockDimY * config->blockDimZ);
  if (size == 0 || int(size) > mostClusterCtas(*function))
    return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  if (threads <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  int ctas = residentCtas(*function, threads, config->sharedMemBytes);
  *clusters = ctas * countMultiprocessors() / int(size);
  return CUDA_SUCCESS;
}
