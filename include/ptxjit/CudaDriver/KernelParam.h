//===- KernelParam.h - what the parameters of kernels are -------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Not of CUDA, whose cuKernelGetParamInfo tells sizes only: for the Python
// package, which checks arguments against types.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_CUDADRIVER_KERNELPARAM_H
#define PTXJIT_CUDADRIVER_KERNELPARAM_H

#include "ptxjit/CudaDriver/CudaABI.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The texts live as long as the kernel's library or module. */
typedef struct PtxjitKernelParam {
  const char *name;
  const char *type; /**< of an element, as in PTX without the dot: "f32" */
  size_t count;     /**< elements; 1 unless it is an array (of a struct) */
  size_t offset;    /**< in the buffer of all parameters */
  size_t bytes;     /**< of all elements */
} PtxjitKernelParam;

/** Describes parameter `index`; the first one is 0. The handle may also be a
 * CUfunction. Errors: CUDA_ERROR_INVALID_HANDLE, CUDA_ERROR_INVALID_VALUE (no
 * such parameter, null). */
CUresult cuPtxjitGetKernelParam(CUkernel kernel, size_t index,
                                PtxjitKernelParam *param);

#ifdef __cplusplus
}
#endif

#endif
