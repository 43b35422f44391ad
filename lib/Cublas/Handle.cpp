//===- Handle.cpp - handles, and what programs set in them ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handle.h"
#include "Call.h"
#include "Version.h"

#include <map>
#include <mutex>
#include <new>

using namespace ptxjit;
using namespace ptxjit::cublas;

namespace {
struct Handle {
  CUcontext context = nullptr;
  std::mutex mutex;
  Settings settings;
};
struct Handles {
  std::mutex mutex;
  std::map<const void *, std::shared_ptr<Handle>> all;
};
} // namespace

static Handles &handles() {
  // Never destroyed: programs may call us from exit handlers.
  static Handles &handles = *new Handles;
  return handles;
}

static std::shared_ptr<Handle> find(cublasHandle_t handle) {
  std::lock_guard<std::mutex> lock(handles().mutex);
  auto it = handles().all.find(handle);
  return it == handles().all.end() ? nullptr : it->second;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

cublasStatus_t Call::checkRange(std::initializer_list<int64_t> numbers) const {
  for (int64_t number : numbers)
    if (number > INT32_MAX || number < -INT32_MAX)
      return unsupported("OpenBLAS counts in 32 bits");
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t Call::enqueue(std::function<void()> work) const {
  ContextScope scope(context);
  CUresult error = scope.error
                       ? scope.error
                       : ptxjit::enqueue(settings.stream, std::move(work));
  return error
             ? fail(statusOf(error), "CUDA error " + std::to_string(int(error)))
             : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t Call::enqueueResult(std::function<void()> work) const {
  if (!isOnHost())
    return enqueue(std::move(work));
  ContextScope scope(context);
  if (isCaptured(settings.stream))
    return unsupported("a graph cannot have results on the host, "
                       "see cublasSetPointerMode");
  PTXJIT_TRY(enqueue(std::move(work)));
  CUresult error = cuStreamSynchronize(settings.stream);
  return error ? fail(CUBLAS_STATUS_EXECUTION_FAILED,
                      "CUDA error " + std::to_string(int(error)))
               : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
cublas::enter(const char *name, cublasHandle_t handle,
              const std::function<cublasStatus_t(const Call &)> &run) {
  std::shared_ptr<Handle> found = find(handle);
  if (!found)
    return finish(name, CUBLAS_STATUS_NOT_INITIALIZED);
  Settings settings;
  {
    std::lock_guard<std::mutex> lock(found->mutex);
    settings = found->settings;
  }
  try {
    return finish(name, run(Call(name, found->context, settings)));
  } catch (const std::bad_alloc &) {
    return finish(name, CUBLAS_STATUS_ALLOC_FAILED);
  }
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasCreate_v2(cublasHandle_t *handle) {
  static constexpr char name[] = "cublasCreate_v2";
  if (!handle)
    return finish(name, CUBLAS_STATUS_INVALID_VALUE);
  auto made = std::make_shared<Handle>();
  if (CUresult error = findContext(made->context))
    return finish(name, error == CUDA_ERROR_OUT_OF_MEMORY
                            ? CUBLAS_STATUS_ALLOC_FAILED
                            : CUBLAS_STATUS_NOT_INITIALIZED);
  *handle = reinterpret_cast<cublasHandle_t>(made.get());
  // A handle is also one of cublasLt.
  ptxjitCublasLtAddHandle(*handle);
  std::lock_guard<std::mutex> lock(handles().mutex);
  handles().all[*handle] = std::move(made);
  return finish(name, CUBLAS_STATUS_SUCCESS);
}

PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  static constexpr char name[] = "cublasDestroy_v2";
  std::shared_ptr<Handle> found = find(handle);
  if (!found)
    return finish(name, CUBLAS_STATUS_NOT_INITIALIZED);
  {
    std::lock_guard<std::mutex> lock(handles().mutex);
    handles().all.erase(handle);
  }
  ptxjitCublasLtRemoveHandle(handle);
  // As documented, it waits for what was called before.
  ContextScope scope(found->context);
  if (!scope.error && !isCaptured(found->settings.stream))
    cuStreamSynchronize(found->settings.stream);
  return finish(name, CUBLAS_STATUS_SUCCESS);
}

/// Reads or writes the settings of a handle.
template <typename F>
static cublasStatus_t access(const char *name, cublasHandle_t handle,
                             bool isValid, F function) {
  std::shared_ptr<Handle> found = find(handle);
  if (!found)
    return finish(name, CUBLAS_STATUS_NOT_INITIALIZED);
  if (!isValid)
    return finish(name, CUBLAS_STATUS_INVALID_VALUE);
  std::lock_guard<std::mutex> lock(found->mutex);
  function(found->settings);
  return finish(name, CUBLAS_STATUS_SUCCESS);
}

static bool isMathMode(cublasMath_t mode) {
  int base = mode & ~CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;
  return (base >= CUBLAS_DEFAULT_MATH &&
          base <= CUBLAS_FP32_EMULATED_BF16X9_MATH) ||
         base == CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH;
}

#define SETTING(name, type, field, isValid)                                    \
  PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasGet##name(cublasHandle_t handle,   \
                                                      type *value) {           \
    return access("cublasGet" #name, handle, value != nullptr,                 \
                  [=](Settings &settings) { *value = settings.field; });       \
  }                                                                            \
  PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasSet##name(cublasHandle_t handle,   \
                                                      type value) {            \
    return access("cublasSet" #name, handle, isValid,                          \
                  [=](Settings &settings) { settings.field = value; });        \
  }
#include "ptxjit/Cublas/Settings.def"
#undef SETTING

PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasSetStream_v2(cublasHandle_t handle,
                                                       CUstream stream) {
  return access("cublasSetStream_v2", handle, true,
                [=](Settings &settings) { settings.stream = stream; });
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasGetStream_v2(cublasHandle_t handle,
                                                       CUstream *stream) {
  return access("cublasGetStream_v2", handle, stream != nullptr,
                [=](Settings &settings) { *stream = settings.stream; });
}
// We use memory of the host alone.
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle,
                                                          void *workspace,
                                                          size_t bytes) {
  bool isAligned = reinterpret_cast<uintptr_t>(workspace) % 256 == 0;
  return access("cublasSetWorkspace_v2", handle,
                isAligned && (workspace || !bytes), [](Settings &) {});
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle,
                                                        int *version) {
  (void)handle; // any will do
  if (!version)
    return finish("cublasGetVersion_v2", CUBLAS_STATUS_INVALID_VALUE);
  *version = libraryVersion();
  return finish("cublasGetVersion_v2", CUBLAS_STATUS_SUCCESS);
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasGetProperty(libraryPropertyType type,
                                                      int *value) {
  return finish("cublasGetProperty", getProperty(type, value));
}
PTXJIT_CUBLAS_EXPORT size_t cublasGetCudartVersion(void) {
  return cudartVersion();
}
PTXJIT_CUBLAS_EXPORT const char *cublasGetStatusName(cublasStatus_t status) {
  return nameOf(status);
}
PTXJIT_CUBLAS_EXPORT const char *cublasGetStatusString(cublasStatus_t status) {
  return textOf(status);
}

PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLoggerConfigure(int isOn,
                                                          int toStdout,
                                                          int toStderr,
                                                          const char *file) {
  setLogger({isOn != 0, toStdout != 0, toStderr != 0, file ? file : "",
             getLogger().callback});
  return CUBLAS_STATUS_SUCCESS;
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t
cublasSetLoggerCallback(cublasLogCallback callback) {
  Logger logger = getLogger();
  logger.callback = callback;
  setLogger(logger);
  return CUBLAS_STATUS_SUCCESS;
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t
cublasGetLoggerCallback(cublasLogCallback *callback) {
  if (!callback)
    return CUBLAS_STATUS_INVALID_VALUE;
  *callback = getLogger().callback;
  return CUBLAS_STATUS_SUCCESS;
}
PTXJIT_CUBLAS_EXPORT void cublasXerbla(const char *name, int info) {
  std::fprintf(stderr,
               " ** On entry to %s parameter number %d had an illegal "
               "value\n",
               name ? name : "?", info);
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasUint8gemmBias() {
  return refuse("cublasUint8gemmBias", "products of 8-bit pixels are not made");
}
// Not documented. NVIDIA's cuSOLVER cannot be loaded without it, and TensorFlow
// not without cuSOLVER.
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasSetEnvironmentMode() {
  return refuse("cublasSetEnvironmentMode", "it is not documented");
}
