//===- LtHandle.cpp - handles of cublasLt, and its loggers ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handle.h"
#include "Lt.h"
#include "Version.h"

#include <atomic>
#include <cerrno>
#include <mutex>
#include <set>

using namespace ptxjit;
using namespace ptxjit::cublas;

namespace {
struct Handles {
  std::mutex mutex;
  std::multiset<const void *> all;
};
} // namespace

static Handles &handles() {
  // Never destroyed: programs may call us from exit handlers.
  static Handles &handles = *new Handles;
  return handles;
}

bool cublas::isLtHandle(const void *handle) {
  std::lock_guard<std::mutex> lock(handles().mutex);
  return handles().all.count(handle) != 0;
}

static bool remove(const void *handle) {
  std::lock_guard<std::mutex> lock(handles().mutex);
  auto it = handles().all.find(handle);
  if (it == handles().all.end())
    return false;
  handles().all.erase(it);
  return true;
}

extern "C" __attribute__((visibility("default"))) void
ptxjitCublasLtAddHandle(const void *handle) {
  std::lock_guard<std::mutex> lock(handles().mutex);
  handles().all.insert(handle);
}
extern "C" __attribute__((visibility("default"))) void
ptxjitCublasLtRemoveHandle(const void *handle) {
  remove(handle);
}

PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  if (!handle)
    return finish("cublasLtCreate", CUBLAS_STATUS_INVALID_VALUE);
  CUcontext context;
  if (findContext(context))
    return finish("cublasLtCreate", CUBLAS_STATUS_NOT_INITIALIZED);
  // There is nothing to keep: only the address matters.
  *handle = reinterpret_cast<cublasLtHandle_t>(new char);
  ptxjitCublasLtAddHandle(*handle);
  return finish("cublasLtCreate", CUBLAS_STATUS_SUCCESS);
}

PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  if (!remove(handle))
    return finish("cublasLtDestroy", CUBLAS_STATUS_NOT_INITIALIZED);
  delete reinterpret_cast<char *>(handle);
  return finish("cublasLtDestroy", CUBLAS_STATUS_SUCCESS);
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

PTXJIT_CUBLAS_EXPORT const char *cublasLtGetStatusName(cublasStatus_t status) {
  return nameOf(status);
}
PTXJIT_CUBLAS_EXPORT const char *
cublasLtGetStatusString(cublasStatus_t status) {
  return textOf(status);
}
PTXJIT_CUBLAS_EXPORT size_t cublasLtGetVersion(void) {
  return size_t(libraryVersion());
}
PTXJIT_CUBLAS_EXPORT size_t cublasLtGetCudartVersion(void) {
  return cudartVersion();
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t
cublasLtGetProperty(libraryPropertyType type, int *value) {
  return finish("cublasLtGetProperty", getProperty(type, value));
}

// Our heuristics need no cache, so its capacity is only stored.
static std::atomic<size_t> cacheCapacity{8192};

PTXJIT_CUBLAS_EXPORT cublasStatus_t
cublasLtHeuristicsCacheGetCapacity(size_t *capacity) {
  if (!capacity)
    return CUBLAS_STATUS_INVALID_VALUE;
  *capacity = cacheCapacity;
  return CUBLAS_STATUS_SUCCESS;
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t
cublasLtHeuristicsCacheSetCapacity(size_t capacity) {
  cacheCapacity = capacity;
  return CUBLAS_STATUS_SUCCESS;
}
PTXJIT_CUBLAS_EXPORT unsigned
cublasLtDisableCpuInstructionsSetMask(unsigned mask) {
  static std::atomic<unsigned> current{0};
  return current.exchange(mask);
}

//===----------------------------------------------------------------------===//
// Loggers
//===----------------------------------------------------------------------===//

// PTXJIT_LOG=api shows the calls. What programs set here is accepted, and has
// no effect.
PTXJIT_CUBLAS_EXPORT cublasStatus_t
cublasLtLoggerSetCallback(cublasLtLoggerCallback_t) {
  return CUBLAS_STATUS_SUCCESS;
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtLoggerSetFile(FILE *) {
  return CUBLAS_STATUS_SUCCESS;
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtLoggerOpenFile(const char *) {
  return CUBLAS_STATUS_SUCCESS;
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtLoggerSetLevel(int level) {
  return level >= 0 && level <= 5 ? CUBLAS_STATUS_SUCCESS
                                  : CUBLAS_STATUS_INVALID_VALUE;
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtLoggerSetMask(int) {
  return CUBLAS_STATUS_SUCCESS;
}
PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtLoggerForceDisable(void) {
  return CUBLAS_STATUS_SUCCESS;
}
