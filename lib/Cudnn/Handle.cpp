//===- Handle.cpp - handles, versions, and texts of errors ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "ptxjit/Runtime/HandleTable.h"

#include <algorithm>
#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cudnn;

// PyTorch refuses a library that is older than the one it was built with.
static constexpr int kMajor = 9, kMinor = 28, kPatch = 0;
static constexpr size_t kCudart = 13000;
/// The newest device, as major * 100 + minor * 10.
static constexpr size_t kMaxDevice = 1210;

namespace {
struct Handle {
  CUcontext context = nullptr;
  std::mutex mutex;
  CUstream stream = nullptr;
};
struct Callback {
  std::mutex mutex;
  unsigned mask = 0;
  void *data = nullptr;
  cudnnCallback_t function = nullptr;
};
} // namespace

static HandleTable<Handle, cudnnHandle_t> &handles() {
  static auto &handles = *new HandleTable<Handle, cudnnHandle_t>;
  return handles;
}

static std::shared_ptr<Handle> find(cudnnHandle_t handle) {
  std::shared_ptr<Handle> found = handles().find(handle);
  if (!found)
    throw Failure{CUDNN_STATUS_NOT_INITIALIZED, "it is not a handle"};
  return found;
}

static void check(CUresult error) {
  if (!error)
    return;
  std::string text = "CUDA error " + std::to_string(int(error));
  if (error == CUDA_ERROR_OUT_OF_MEMORY)
    throw Failure{CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, text};
  throw Failure{CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER, text};
}

void cudnn::checkHandle(cudnnHandle_t handle) { find(handle); }

void cudnn::enqueue(cudnnHandle_t handle, HostWork work) {
  std::shared_ptr<Handle> found = find(handle);
  CUstream stream;
  {
    std::lock_guard<std::mutex> lock(found->mutex);
    stream = found->stream;
  }
  ContextScope scope(found->context);
  check(scope.error);
  check(ptxjit::enqueue(stream, std::move(work)));
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnCreate(cudnnHandle_t *handle) {
  return run(__func__, [&] {
    PTXJIT_REQUIRE(handle != nullptr);
    auto made = std::make_shared<Handle>();
    if (CUresult error = findContext(made->context))
      throw Failure{CUDNN_STATUS_NOT_INITIALIZED,
                    "CUDA error " + std::to_string(int(error))};
    *handle = handles().add(std::move(made));
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return run(__func__, [&] {
    std::shared_ptr<Handle> found = find(handle);
    handles().remove(handle);
    // As documented, it waits for what was called before.
    ContextScope scope(found->context);
    if (!scope.error && !isCaptured(found->stream))
      cuStreamSynchronize(found->stream);
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetStream(cudnnHandle_t handle,
                                                 CUstream stream) {
  return run(__func__, [&] {
    std::shared_ptr<Handle> found = find(handle);
    std::lock_guard<std::mutex> lock(found->mutex);
    found->stream = stream;
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetStream(cudnnHandle_t handle,
                                                 CUstream *stream) {
  return run(__func__, [&] {
    std::shared_ptr<Handle> found = find(handle);
    PTXJIT_REQUIRE(stream != nullptr);
    std::lock_guard<std::mutex> lock(found->mutex);
    *stream = found->stream;
  });
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

PTXJIT_CUDNN_EXPORT size_t cudnnGetVersion(void) {
  return kMajor * 10000 + kMinor * 100 + kPatch;
}
PTXJIT_CUDNN_EXPORT size_t cudnnGetMaxDeviceVersion(void) { return kMaxDevice; }
PTXJIT_CUDNN_EXPORT size_t cudnnGetCudartVersion(void) { return kCudart; }

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetProperty(libraryPropertyType type,
                                                   int *value) {
  return run(__func__, [&] {
    PTXJIT_REQUIRE(value != nullptr);
    PTXJIT_REQUIRE(type >= MAJOR_VERSION && type <= PATCH_LEVEL);
    *value = type == MAJOR_VERSION   ? kMajor
             : type == MINOR_VERSION ? kMinor
                                     : kPatch;
  });
}

// There is one library, so that its parts have one version.
#define VERSION_CHECK(name)                                                    \
  PTXJIT_CUDNN_EXPORT cudnnStatus_t name(void) { return CUDNN_STATUS_SUCCESS; }
VERSION_CHECK(cudnnGraphVersionCheck)
VERSION_CHECK(cudnnOpsVersionCheck)
VERSION_CHECK(cudnnCnnVersionCheck)
VERSION_CHECK(cudnnAdvVersionCheck)
#undef VERSION_CHECK

PTXJIT_CUDNN_EXPORT const char *cudnnGetErrorString(cudnnStatus_t status) {
  return nameOf(status);
}

PTXJIT_CUDNN_EXPORT void cudnnGetLastErrorString(char *text, size_t size) {
  if (!text || !size)
    return;
  const std::string &last = lastError();
  size_t length = std::min(size - 1, last.size());
  std::memcpy(text, last.data(), length);
  text[length] = 0;
}

// Errors of kernels are errors of the context, which the driver tells.
PTXJIT_CUDNN_EXPORT cudnnStatus_t
cudnnQueryRuntimeError(cudnnHandle_t handle, cudnnStatus_t *status,
                       cudnnErrQueryMode_t mode, void *) {
  return run(__func__, [&] {
    std::shared_ptr<Handle> found = find(handle);
    PTXJIT_REQUIRE(status != nullptr);
    ContextScope scope(found->context);
    CUresult error = mode == CUDNN_ERRQUERY_BLOCKING
                         ? cuStreamSynchronize(found->stream)
                         : cuStreamQuery(found->stream);
    *status = !error ? CUDNN_STATUS_SUCCESS
              : error == CUDA_ERROR_NOT_READY
                  ? CUDNN_STATUS_RUNTIME_IN_PROGRESS
                  : CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER;
  });
}

static Callback &callback() {
  static Callback &callback = *new Callback;
  return callback;
}

// Nothing is told to callbacks: `PTXJIT_LOG=api` shows the calls.
PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnSetCallback(unsigned mask, void *data,
                                                   cudnnCallback_t function) {
  return run(__func__, [&] {
    std::lock_guard<std::mutex> lock(callback().mutex);
    callback().mask = mask;
    callback().data = data;
    callback().function = function;
  });
}

PTXJIT_CUDNN_EXPORT cudnnStatus_t cudnnGetCallback(unsigned *mask, void **data,
                                                   cudnnCallback_t *function) {
  return run(__func__, [&] {
    std::lock_guard<std::mutex> lock(callback().mutex);
    if (mask)
      *mask = callback().mask;
    if (data)
      *data = callback().data;
    if (function)
      *function = callback().function;
  });
}
