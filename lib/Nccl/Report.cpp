//===- Report.cpp - messages to the user ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Communicator.h"
#include "Groups.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace ptxjit::nccl;

static thread_local std::string lastError;

static std::string print(const char *format, va_list arguments) {
  char text[512];
  std::vsnprintf(text, sizeof(text), format, arguments);
  return text;
}

void ptxjit::nccl::report(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = print(format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "ptx-jit: NCCL: %s\n", text.c_str());
}

bool ptxjit::nccl::isVerbose() {
  const char *level = std::getenv("NCCL_DEBUG");
  return level &&
         (strcasecmp(level, "WARN") == 0 || strcasecmp(level, "INFO") == 0 ||
          strcasecmp(level, "TRACE") == 0);
}

ncclResult_t ptxjit::nccl::fail(ncclResult_t result, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  lastError = print(format, arguments);
  va_end(arguments);
  if (isVerbose())
    report("%s", lastError.c_str());
  return result;
}

ncclResult_t ptxjit::nccl::failAgain(ncclResult_t result,
                                     const std::string &text) {
  lastError = text;
  return result;
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

PTXJIT_NCCL_EXPORT const char *ncclGetErrorString(ncclResult_t result) {
  switch (result) {
#define X(name, number, text)                                                  \
  case name:                                                                   \
    return text;
    PTXJIT_NCCL_RESULTS(X)
#undef X
  }
  return "unknown result code";
}
PTXJIT_NCCL_EXPORT const char *pncclGetErrorString(ncclResult_t result) {
  return ncclGetErrorString(result);
}

PTXJIT_NCCL_EXPORT const char *ncclGetLastError(ncclComm_t handle) {
  // An error of the rank itself may have come up in another thread.
  if (std::shared_ptr<Communicator> comm = findCommunicator(handle))
    if (comm->isGivenUp())
      lastError = comm->getErrorText();
  return lastError.c_str();
}
PTXJIT_NCCL_EXPORT const char *pncclGetLastError(ncclComm_t handle) {
  return ncclGetLastError(handle);
}

// NCCL_DEBUG is read whenever it matters.
PTXJIT_NCCL_EXPORT void ncclResetDebugInit() {}
PTXJIT_NCCL_EXPORT void pncclResetDebugInit() {}

PTXJIT_NCCL_API(ncclGetVersion, (int *version), version) {
  if (!version)
    return fail(ncclInvalidArgument, "ncclGetVersion: version is null");
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}
