//===- CudaErrors.h - the errors of the CUDA runtime interface --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_CUDAERRORS_H
#define PTXJIT_RUNTIME_CUDAERRORS_H

namespace ptxjit {

/// The numbers, by CUDA's names.
enum CudaError : int {
#define ERROR(name, number, text) name = number,
#include "ptxjit/Runtime/CudaErrors.def"
#undef ERROR
};

/// The name of an error, as cudaGetErrorName returns it.
inline const char *nameError(int error) {
  switch (error) {
#define ERROR(name, number, text)                                              \
  case number:                                                                 \
    return #name;
#include "ptxjit/Runtime/CudaErrors.def"
#undef ERROR
  }
  return "unrecognized error code";
}

/// A line for users, as cudaGetErrorString returns it.
inline const char *describeError(int error) {
  switch (error) {
#define ERROR(name, number, text)                                              \
  case number:                                                                 \
    return text;
#include "ptxjit/Runtime/CudaErrors.def"
#undef ERROR
  }
  return "unrecognized error code";
}

} // namespace ptxjit

#endif
