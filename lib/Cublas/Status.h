//===- Status.h - results of calls, and what is said about them -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUBLAS_STATUS_H
#define PTXJIT_LIB_CUBLAS_STATUS_H

#include "ptxjit/Cublas/CublasABI.h"

#include <string>

#define PTXJIT_CUBLAS_EXPORT extern "C" __attribute__((visibility("default")))

namespace ptxjit::cublas {

const char *nameOf(cublasStatus_t status);
const char *textOf(cublasStatus_t status);

/// Shows a call and its result, if `PTXJIT_LOG=api` or the program's logger
/// asks for that. \returns `status`.
cublasStatus_t finish(const char *function, cublasStatus_t status);

/// Says why a call fails, likewise. \returns `status`.
cublasStatus_t fail(const char *function, cublasStatus_t status,
                    const std::string &reason);

/// Says once for each function, on stderr, why it cannot be served.
/// \returns CUBLAS_STATUS_NOT_SUPPORTED.
cublasStatus_t refuse(const char *function, const std::string &reason);

/// What an error of the driver is to callers of cuBLAS.
cublasStatus_t statusOf(CUresult error);

/// Where lines for programs go: what cublasLoggerConfigure() has set.
struct Logger {
  bool isOn = false, toStdout = false, toStderr = false;
  std::string file;
  cublasLogCallback callback = nullptr;
};
Logger getLogger();
void setLogger(const Logger &logger);

} // namespace ptxjit::cublas

#endif
