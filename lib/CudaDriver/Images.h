//===- Images.h - reads what programs load and link -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_IMAGES_H
#define PTXJIT_LIB_CUDADRIVER_IMAGES_H

#include "ptxjit/CudaDriver/CudaABI.h"
#include "ptxjit/Images/ImageTexts.h"

namespace ptxjit::cuda {

inline CUresult toResult(ImageStatus status) {
  switch (status) {
  case ImageStatus::Good:
    break;
  case ImageStatus::Damaged:
    return CUDA_ERROR_INVALID_IMAGE;
  case ImageStatus::NoText:
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  return CUDA_SUCCESS;
}

} // namespace ptxjit::cuda

#endif
