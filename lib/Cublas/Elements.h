//===- Elements.h - types of elements, and matrices of them -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUBLAS_ELEMENTS_H
#define PTXJIT_LIB_CUBLAS_ELEMENTS_H

#include "ptxjit/Cublas/CublasABI.h"

namespace ptxjit::cublas {

/// Bytes of an element. 0: we have no such type.
size_t sizeOf(cudaDataType type);
inline bool isComplexType(cudaDataType type) {
  return type == CUDA_C_32F || type == CUDA_C_64F;
}

template <typename T> constexpr cudaDataType kTypeOf = cudaDataType(-1);
template <> inline constexpr cudaDataType kTypeOf<float> = CUDA_R_32F;
template <> inline constexpr cudaDataType kTypeOf<double> = CUDA_R_64F;
template <> inline constexpr cudaDataType kTypeOf<cuComplex> = CUDA_C_32F;
template <> inline constexpr cudaDataType kTypeOf<cuDoubleComplex> = CUDA_C_64F;
template <> inline constexpr cudaDataType kTypeOf<cublasHalf> = CUDA_R_16F;
template <> inline constexpr cudaDataType kTypeOf<cublasBfloat16> = CUDA_R_16BF;
template <> inline constexpr cudaDataType kTypeOf<int8_t> = CUDA_R_8I;
template <> inline constexpr cudaDataType kTypeOf<int32_t> = CUDA_R_32I;

/// Element `index` of an array.
inline const void *elementOf(cudaDataType type, const void *array,
                             int64_t index) {
  return static_cast<const char *>(array) + index * int64_t(sizeOf(type));
}
inline void *elementOf(cudaDataType type, void *array, int64_t index) {
  return static_cast<char *>(array) + index * int64_t(sizeOf(type));
}

// Real types only. Matrices are stored by columns, `ld` elements apart.

/// Reads a matrix as floats.
void toFloats(cudaDataType type, const void *from, int64_t ldFrom, int64_t rows,
              int64_t columns, float *to, int64_t ldTo);
/// Rounds floats to nearest even. Types of 8 bits saturate.
void fromFloats(const float *from, int64_t ldFrom, int64_t rows,
                int64_t columns, cudaDataType type, void *to, int64_t ldTo);
float toFloat(cudaDataType type, const void *from);

} // namespace ptxjit::cublas

#endif
