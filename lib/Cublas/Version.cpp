//===- Version.cpp - which version a library says it is -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled for each library.
//
//===----------------------------------------------------------------------===//

#include "Version.h"

using namespace ptxjit;

#if PTXJIT_CUBLAS_VERSION == 12
static constexpr int kMajor = 12, kMinor = 9, kPatch = 1, kCudart = 12090;
#else
static constexpr int kMajor = 13, kMinor = 1, kPatch = 0, kCudart = 13000;
#endif

int cublas::libraryVersion() { return kMajor * 10000 + kMinor * 100 + kPatch; }
size_t cublas::cudartVersion() { return kCudart; }

cublasStatus_t cublas::getProperty(libraryPropertyType type, int *value) {
  if (!value)
    return CUBLAS_STATUS_INVALID_VALUE;
  switch (type) {
  case MAJOR_VERSION:
    *value = kMajor;
    return CUBLAS_STATUS_SUCCESS;
  case MINOR_VERSION:
    *value = kMinor;
    return CUBLAS_STATUS_SUCCESS;
  case PATCH_LEVEL:
    *value = kPatch;
    return CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}
