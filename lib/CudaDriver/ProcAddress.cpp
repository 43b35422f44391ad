//===- ProcAddress.cpp - finds functions by name and version --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entries.h"
#include "State.h"

using namespace ptxjit;
using namespace ptxjit::cuda;

int cuda::reportUnsupported(const char *symbol) {
  if (isForked())
    return CUDA_ERROR_NOT_INITIALIZED;
  log(LogKind::Error,
      std::string(symbol) + " is not supported: " + reasonAgainst(symbol));
  return CUDA_ERROR_NOT_SUPPORTED;
}

PTXJIT_CUDA_PLAIN_API(cuGetProcAddress_v2,
                      (const char *name, void **function, int version,
                       uint64_t flags, int *status),
                      name, function, version, flags, status) {
  constexpr uint64_t allFlags = CU_GET_PROC_ADDRESS_LEGACY_STREAM |
                                CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (!name || !function || flags > allFlags)
    return CUDA_ERROR_INVALID_VALUE;
  bool isKnown = false;
  const Entry *entry =
      findEntry(name, version,
                flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, isKnown);
  *function = entry ? reinterpret_cast<void *>(entry->function) : nullptr;
  if (status)
    *status = entry     ? CU_GET_PROC_ADDRESS_SUCCESS
              : isKnown ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                        : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return entry || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
PTXJIT_CUDA_PLAIN_API(cuGetProcAddress,
                      (const char *name, void **function, int version,
                       uint64_t flags),
                      name, function, version, flags) {
  return cuGetProcAddress_v2(name, function, version, flags, nullptr);
}
