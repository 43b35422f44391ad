//===- Status.h - results of calls, and what is said about them -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDNN_STATUS_H
#define PTXJIT_LIB_CUDNN_STATUS_H

#include "ptxjit/Cudnn/CudnnABI.h"

#include <exception>
#include <functional>
#include <string>

#define PTXJIT_CUDNN_EXPORT extern "C" __attribute__((visibility("default")))

namespace ptxjit::cudnn {

/// Why a call fails: thrown in this library alone, and never out of it. In work
/// that runs in a stream it is told on stderr.
class Failure : public std::exception {
public:
  Failure(cudnnStatus_t status, std::string reason)
      : status(status), reason(std::move(reason)) {}
  const char *what() const noexcept override { return reason.c_str(); }
  cudnnStatus_t status;
  std::string reason;
};

/// Fails with CUDNN_STATUS_BAD_PARAM.
[[noreturn]] void failBadParam(const std::string &reason);
/// Fails with CUDNN_STATUS_NOT_SUPPORTED, which stderr tells once for each
/// function.
[[noreturn]] void failUnsupported(const std::string &reason);

/// Fails if an argument breaks a rule.
#define PTXJIT_REQUIRE(rule)                                                   \
  do                                                                           \
    if (!(rule))                                                               \
      ::ptxjit::cudnn::failBadParam("expected " #rule);                        \
  while (false)

const char *nameOf(cudnnStatus_t status);

/// Runs a function of the interface. \returns CUDNN_STATUS_SUCCESS or that of
/// the failure. Shows the call and its result, if `PTXJIT_LOG=api`.
cudnnStatus_t run(const char *function, const std::function<void()> &body);

/// Why the last call of this thread failed; empty after none.
const std::string &lastError();

} // namespace ptxjit::cudnn

#endif
