//===- Status.cpp - results of calls, and what is said about them ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Status.h"
#include "ptxjit/Runtime/Log.h"

#include <atomic>
#include <cstdio>
#include <mutex>
#include <set>

using namespace ptxjit;
using namespace ptxjit::cublas;

const char *cublas::nameOf(cublasStatus_t status) {
  switch (status) {
#define X(name, number, text)                                                  \
  case name:                                                                   \
    return #name;
    PTXJIT_CUBLAS_STATUSES(X)
#undef X
  }
  return "unknown status";
}

const char *cublas::textOf(cublasStatus_t status) {
  switch (status) {
#define X(name, number, text)                                                  \
  case name:                                                                   \
    return text;
    PTXJIT_CUBLAS_STATUSES(X)
#undef X
  }
  return "unknown status";
}

cublasStatus_t cublas::statusOf(CUresult error) {
  switch (error) {
  case CUDA_SUCCESS:
    return CUBLAS_STATUS_SUCCESS;
  case CUDA_ERROR_NOT_INITIALIZED:
  case CUDA_ERROR_DEINITIALIZED:
  case CUDA_ERROR_NO_DEVICE:
    return CUBLAS_STATUS_NOT_INITIALIZED;
  case CUDA_ERROR_OUT_OF_MEMORY:
    return CUBLAS_STATUS_ALLOC_FAILED;
  case CUDA_ERROR_INVALID_VALUE:
  case CUDA_ERROR_INVALID_HANDLE:
    return CUBLAS_STATUS_INVALID_VALUE;
  default:
    return CUBLAS_STATUS_EXECUTION_FAILED;
  }
}

//===----------------------------------------------------------------------===//
// Loggers
//===----------------------------------------------------------------------===//

namespace {
struct Shared {
  std::mutex mutex;
  Logger logger;
  std::atomic<bool> isLogging{false};
  std::set<std::string> refused; ///< functions that were named on stderr
};
} // namespace

static Shared &shared() {
  // Never destroyed: programs may call us from exit handlers.
  static Shared &shared = *new Shared;
  return shared;
}

Logger cublas::getLogger() {
  std::lock_guard<std::mutex> lock(shared().mutex);
  return shared().logger;
}

void cublas::setLogger(const Logger &logger) {
  std::lock_guard<std::mutex> lock(shared().mutex);
  shared().logger = logger;
  shared().isLogging = logger.isOn;
}

static void tell(const std::string &line) {
  if (isLogged(LogKind::Api))
    log(LogKind::Api, line);
  if (!shared().isLogging)
    return;
  Logger logger = getLogger();
  if (logger.callback)
    logger.callback(line.c_str());
  if (logger.toStdout)
    std::fprintf(stdout, "%s\n", line.c_str());
  if (logger.toStderr)
    std::fprintf(stderr, "%s\n", line.c_str());
  if (logger.file.empty())
    return;
  if (FILE *file = std::fopen(logger.file.c_str(), "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

static bool isTold() { return isLogged(LogKind::Api) || shared().isLogging; }

cublasStatus_t cublas::finish(const char *function, cublasStatus_t status) {
  if (isTold())
    tell(std::string(function) + " = " + nameOf(status));
  return status;
}

cublasStatus_t cublas::fail(const char *function, cublasStatus_t status,
                            const std::string &reason) {
  if (isTold())
    tell(std::string(function) + ": " + reason);
  return status;
}

cublasStatus_t cublas::refuse(const char *function, const std::string &reason) {
  bool isFirst;
  {
    std::lock_guard<std::mutex> lock(shared().mutex);
    isFirst = shared().refused.insert(function).second;
  }
  if (isFirst)
    std::fprintf(stderr, "ptx-jit: %s is not supported: %s\n", function,
                 reason.c_str());
  return fail(function, CUBLAS_STATUS_NOT_SUPPORTED, reason);
}
