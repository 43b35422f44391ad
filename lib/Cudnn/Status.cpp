//===- Status.cpp - results of calls, and what is said about them ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Status.h"
#include "ptxjit/Runtime/Log.h"

#include <cstdio>
#include <mutex>
#include <new>
#include <set>

using namespace ptxjit;
using namespace ptxjit::cudnn;

const char *cudnn::nameOf(cudnnStatus_t status) {
  switch (status) {
#define X(name, number)                                                        \
  case name:                                                                   \
    return #name;
    PTXJIT_CUDNN_STATUSES(X)
#undef X
  }
  return "CUDNN_UNKNOWN_STATUS";
}

void cudnn::failBadParam(const std::string &reason) {
  throw Failure{CUDNN_STATUS_BAD_PARAM, reason};
}
void cudnn::failUnsupported(const std::string &reason) {
  throw Failure{CUDNN_STATUS_NOT_SUPPORTED, reason};
}

/// Says on stderr, once for each function, that something is not supported.
static void nameOnce(const char *function, const std::string &reason) {
  // Never destroyed: programs may call us from exit handlers.
  static std::mutex &mutex = *new std::mutex;
  static std::set<std::string> &named = *new std::set<std::string>;
  std::lock_guard<std::mutex> lock(mutex);
  if (named.insert(function).second)
    std::fprintf(stderr, "ptx-jit: %s is not supported: %s\n", function,
                 reason.c_str());
}

static std::string &lastErrorOfThread() {
  static thread_local std::string text;
  return text;
}
const std::string &cudnn::lastError() { return lastErrorOfThread(); }

static cudnnStatus_t fail(const char *function, const Failure &failure) {
  lastErrorOfThread() = std::string(function) + ": " + failure.reason;
  if (failure.status / 1000 == CUDNN_STATUS_NOT_SUPPORTED / 1000)
    nameOnce(function, failure.reason);
  if (isLogged(LogKind::Api))
    log(LogKind::Api, std::string(function) + " = " + nameOf(failure.status) +
                          ": " + failure.reason);
  return failure.status;
}

cudnnStatus_t cudnn::run(const char *function,
                         const std::function<void()> &body) {
  try {
    body();
  } catch (const Failure &failure) {
    return fail(function, failure);
  } catch (const std::bad_alloc &) {
    return fail(function, {CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED,
                           "out of memory"});
  } catch (const std::exception &error) { // of oneDNN
    return fail(function, {CUDNN_STATUS_INTERNAL_ERROR, error.what()});
  }
  if (isLogged(LogKind::Api))
    log(LogKind::Api, std::string(function) + " = CUDNN_STATUS_SUCCESS");
  return CUDNN_STATUS_SUCCESS;
}
