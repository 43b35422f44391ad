//===- Lt.h - what the files of cublasLt share ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUBLAS_LT_H
#define PTXJIT_LIB_CUBLAS_LT_H

#include "Status.h"
#include "Submit.h"
#include "ptxjit/Cublas/CublasLtABI.h"

namespace ptxjit::cublas {

/// A handle of cublasLt or cublas.
bool isLtHandle(const void *handle);

} // namespace ptxjit::cublas

#endif
