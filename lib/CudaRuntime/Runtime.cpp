//===- Runtime.cpp - context, errors, versions ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>

using namespace ptxjit;
using namespace ptxjit::cudart;

static constexpr int kRuntimeVersion = 13000;

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

static std::atomic<CUdevice> firstDevice{0};
/// What the thread has set; nothing: `firstDevice`.
static thread_local std::optional<CUdevice> ownDevice;

void cudart::setFirstDevice(CUdevice device) { firstDevice = device; }

CUdevice cudart::currentDevice() {
  CUcontext context;
  CUdevice device;
  // Also answers if a kernel in the context has failed.
  if (cuCtxGetCurrent(&context) == CUDA_SUCCESS && context &&
      cuCtxGetDevice_v2(&device, context) == CUDA_SUCCESS)
    return device;
  return ownDevice.value_or(firstDevice);
}

/// Retains each context once, for as long as the process lives: nobody tells
/// the runtime when the program is done with it.
int cudart::retainPrimary(CUdevice device, CUcontext &context) {
  static std::mutex mutex;
  /// By device. A context that was reset has a successor of another number, if
  /// perhaps of the same address.
  static auto &retained = *new std::map<CUdevice, unsigned long long>;
  std::lock_guard<std::mutex> lock(mutex);
  unsigned long long id = 0;
  if (CUresult error = cuDevicePrimaryCtxRetain(&context, device))
    return error;
  if (CUresult error = cuCtxGetId(context, &id))
    return error;
  if (retained[device] == id)
    return cuDevicePrimaryCtxRelease_v2(device);
  retained[device] = id;
  return cudaSuccess;
}

static int useDevice(CUdevice device) {
  CUcontext context;
  if (int error = retainPrimary(device, context))
    return error;
  return cuCtxSetCurrent(context);
}

int cudart::setDevice(CUdevice device) {
  int error = useDevice(device);
  if (!error)
    ownDevice = device;
  return error;
}

int cudart::enter() {
  CUdevice device;
  switch (cuCtxGetDevice(&device)) {
  case CUDA_ERROR_NOT_INITIALIZED:
    if (CUresult error = cuInit(0))
      return error; // in a child of fork(), where nothing else works
    break;
  case CUDA_ERROR_INVALID_CONTEXT:
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    break;
  default:
    return cudaSuccess; // or the error that the call itself will report
  }
  return useDevice(ownDevice.value_or(firstDevice));
}

static thread_local unsigned perThreadDefaults = 0;
PerThreadDefault::PerThreadDefault() { ++perThreadDefaults; }
PerThreadDefault::~PerThreadDefault() { --perThreadDefaults; }

CUstream cudart::streamOf(CUstream handle) {
  return !handle && perThreadDefaults ? CU_STREAM_PER_THREAD : handle;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static thread_local int lastError = cudaSuccess;

int cudart::finish(int error) {
  // cudaErrorNotReady is an answer. Programs that got it do not expect it from
  // the check of their next launch.
  if (error && error != cudaErrorNotReady)
    lastError = error;
  return error;
}

/// Errors after which a context cannot be used any more.
static bool isSticky(int error) {
  return (error >= cudaErrorIllegalAddress && error <= cudaErrorLaunchTimeout &&
          error != 701) ||
         error == cudaErrorAssert ||
         (error >= cudaErrorHardwareStackError &&
          error <= cudaErrorLaunchFailure);
}

/// The last error. A sticky error is dropped once the caller's context works:
/// the one that failed was reset, or another one was made current.
static int findLastError() {
  CUdevice device;
  if (isSticky(lastError) && cuCtxGetDevice(&device) == CUDA_SUCCESS)
    lastError = cudaSuccess;
  return lastError;
}

PTXJIT_CUDART_EXPORT cudaError_t cudaGetLastError() {
  int error = findLastError();
  if (!isSticky(error))
    lastError = cudaSuccess;
  return error;
}
PTXJIT_CUDART_EXPORT cudaError_t cudaPeekAtLastError() {
  return findLastError();
}

PTXJIT_CUDART_EXPORT const char *cudaGetErrorName(cudaError_t error) {
  return nameError(error);
}
PTXJIT_CUDART_EXPORT const char *cudaGetErrorString(cudaError_t error) {
  return describeError(error);
}

//===----------------------------------------------------------------------===//
// Versions and entry points
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_EXPORT cudaError_t cudaRuntimeGetVersion(int *version) {
  if (!version)
    return finish(cudaErrorInvalidValue);
  *version = kRuntimeVersion;
  return cudaSuccess;
}
PTXJIT_CUDART_EXPORT cudaError_t cudaDriverGetVersion(int *version) {
  return finish(cuDriverGetVersion(version));
}

PTXJIT_CUDART_STREAM_API(cudaGetDriverEntryPointByVersion, _ptsz,
                         (const char *symbol, void **function, unsigned version,
                          unsigned long long flags, int *status),
                         symbol, function, version, flags, status) {
  uint64_t wanted = flags;
  if (!wanted && streamOf(nullptr))
    wanted = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  return cuGetProcAddress_v2(symbol, function, int(version), wanted, status);
}
PTXJIT_CUDART_STREAM_API(cudaGetDriverEntryPoint, _ptsz,
                         (const char *symbol, void **function,
                          unsigned long long flags, int *status),
                         symbol, function, flags, status) {
  return cudaGetDriverEntryPointByVersion(symbol, function, kRuntimeVersion,
                                          flags, status);
}

//===----------------------------------------------------------------------===//
// Logs
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_EXPORT cudaError_t cudaLogsRegisterCallback(
    CUlogsCallback function, void *userData, CUlogsCallbackHandle *out) {
  return finish(cuLogsRegisterCallback(function, userData, out));
}
PTXJIT_CUDART_EXPORT cudaError_t
cudaLogsUnregisterCallback(CUlogsCallbackHandle handle) {
  return finish(cuLogsUnregisterCallback(handle));
}
PTXJIT_CUDART_EXPORT cudaError_t cudaLogsCurrent(CUlogIterator *out,
                                                 unsigned flags) {
  return finish(cuLogsCurrent(out, flags));
}
PTXJIT_CUDART_EXPORT cudaError_t cudaLogsDumpToFile(CUlogIterator *iterator,
                                                    const char *path,
                                                    unsigned flags) {
  return finish(cuLogsDumpToFile(iterator, path, flags));
}
PTXJIT_CUDART_EXPORT cudaError_t cudaLogsDumpToMemory(CUlogIterator *iterator,
                                                      char *buffer,
                                                      size_t *size,
                                                      unsigned flags) {
  return finish(cuLogsDumpToMemory(iterator, buffer, size, flags));
}

PTXJIT_CUDART_EXPORT cudaError_t cudaProfilerStart() { return cudaSuccess; }
PTXJIT_CUDART_EXPORT cudaError_t cudaProfilerStop() { return cudaSuccess; }
