//===- Version.h - which version a library says it is -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUBLAS_VERSION_H
#define PTXJIT_LIB_CUBLAS_VERSION_H

#include "ptxjit/Cublas/CublasABI.h"

namespace ptxjit::cublas {

/// Major * 10000 + minor * 100 + patch.
int libraryVersion();
/// That of the CUDA runtime: major * 1000 + minor * 10.
size_t cudartVersion();
cublasStatus_t getProperty(libraryPropertyType type, int *value);

} // namespace ptxjit::cublas

#endif
