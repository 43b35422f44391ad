//===- OldLaunch.cpp - launch functions from before CUDA 4.0 --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function keeps the block shape, the shared memory and the parameters that a
// program has set for its next launches.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cuda;

/// Most bytes of all parameters together, as in CUDA's interface.
static constexpr size_t kMostBytes = 4096;

PTXJIT_CUDA_API(cuFuncSetBlockShape, (CUfunction handle, int x, int y, int z),
                handle, x, y, z) {
  Function *function;
  if (CUresult error = findFunction(handle, function))
    return error;
  if (x <= 0 || y <= 0 || z <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(function->next.mutex);
  function->next.block = {unsigned(x), unsigned(y), unsigned(z)};
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuFuncSetSharedSize, (CUfunction handle, unsigned bytes),
                handle, bytes) {
  Function *function;
  if (CUresult error = findFunction(handle, function))
    return error;
  std::lock_guard<std::mutex> lock(function->next.mutex);
  function->next.shared = bytes;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuParamSetSize, (CUfunction handle, unsigned bytes), handle,
                bytes) {
  Function *function;
  if (CUresult error = findFunction(handle, function))
    return error;
  if (bytes > kMostBytes)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(function->next.mutex);
  function->next.parameters.resize(bytes);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuParamSetv,
                (CUfunction handle, int offset, void *data, unsigned bytes),
                handle, offset, data, bytes) {
  Function *function;
  if (CUresult error = findFunction(handle, function))
    return error;
  if (offset < 0 || (!data && bytes) || bytes > kMostBytes ||
      size_t(offset) > kMostBytes - bytes)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(function->next.mutex);
  auto &parameters = function->next.parameters;
  parameters.resize(std::max<size_t>(parameters.size(), offset + bytes));
  if (bytes)
    std::memcpy(parameters.data() + offset, data, bytes);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuParamSeti, (CUfunction handle, int offset, unsigned value),
                handle, offset, value) {
  return cuParamSetv(handle, offset, &value, sizeof(value));
}
PTXJIT_CUDA_API(cuParamSetf, (CUfunction handle, int offset, float value),
                handle, offset, value) {
  return cuParamSetv(handle, offset, &value, sizeof(value));
}

PTXJIT_CUDA_API(cuLaunchGridAsync,
                (CUfunction handle, int width, int height, CUstream stream),
                handle, width, height, stream) {
  Function *function;
  if (CUresult error = findFunction(handle, function))
    return error;
  if (width <= 0 || height <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(function->next.mutex);
  NextLaunch &next = function->next;
  size_t bytes = next.parameters.size();
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, next.parameters.data(),
                   CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  return cuLaunchKernel(handle, unsigned(width), unsigned(height), 1,
                        next.block[0], next.block[1], next.block[2],
                        next.shared, stream, nullptr, bytes ? extra : nullptr);
}
PTXJIT_CUDA_API(cuLaunchGrid, (CUfunction handle, int width, int height),
                handle, width, height) {
  return cuLaunchGridAsync(handle, width, height, nullptr);
}
PTXJIT_CUDA_API(cuLaunch, (CUfunction handle), handle) {
  return cuLaunchGridAsync(handle, 1, 1, nullptr);
}
