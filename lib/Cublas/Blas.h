//===- Blas.h - the functions of CBLAS by the type of elements --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUBLAS_BLAS_H
#define PTXJIT_LIB_CUBLAS_BLAS_H

#include "ptxjit/Cublas/CublasABI.h"

#include <cassert>
#include <cblas.h>

namespace ptxjit::cublas {

/// The type of a number's real part.
template <typename T> struct RealPart {
  using Type = T;
};
template <typename T> struct RealPart<std::complex<T>> {
  using Type = T;
};
template <typename T> using Real = typename RealPart<T>::Type;
template <typename T> constexpr bool isComplex = !std::is_same_v<T, Real<T>>;

// CBLAS takes real scalars by value, complex ones by address.
inline float pass(const float &value) { return value; }
inline double pass(const double &value) { return value; }
inline const void *pass(const cuComplex &value) { return &value; }
inline const void *pass(const cuDoubleComplex &value) { return &value; }

template <typename T> T conjugate(T value) {
  if constexpr (isComplex<T>)
    return std::conj(value);
  else
    return value;
}

/// Blas<T>::gemm is cblas_sgemm, cblas_dgemm, ...
template <typename T> struct Blas;

#define PTXJIT_BLAS_COMMON(t)                                                  \
  static constexpr auto axpy = cblas_##t##axpy;                                \
  static constexpr auto copy = cblas_##t##copy;                                \
  static constexpr auto swap = cblas_##t##swap;                                \
  static constexpr auto scal = cblas_##t##scal;                                \
  static constexpr auto amax = cblas_i##t##amax;                               \
  static constexpr auto amin = cblas_i##t##amin;                               \
  static constexpr auto rotg = cblas_##t##rotg;                                \
  static constexpr auto gemv = cblas_##t##gemv;                                \
  static constexpr auto gbmv = cblas_##t##gbmv;                                \
  static constexpr auto trmv = cblas_##t##trmv;                                \
  static constexpr auto trsv = cblas_##t##trsv;                                \
  static constexpr auto tbmv = cblas_##t##tbmv;                                \
  static constexpr auto tbsv = cblas_##t##tbsv;                                \
  static constexpr auto tpmv = cblas_##t##tpmv;                                \
  static constexpr auto tpsv = cblas_##t##tpsv;                                \
  static constexpr auto gemm = cblas_##t##gemm;                                \
  static constexpr auto symm = cblas_##t##symm;                                \
  static constexpr auto syrk = cblas_##t##syrk;                                \
  static constexpr auto syr2k = cblas_##t##syr2k;                              \
  static constexpr auto trmm = cblas_##t##trmm;                                \
  static constexpr auto trsm = cblas_##t##trsm;

#define PTXJIT_BLAS_REAL(T, t)                                                 \
  template <> struct Blas<T> {                                                 \
    PTXJIT_BLAS_COMMON(t)                                                      \
    static constexpr auto nrm2 = cblas_##t##nrm2;                              \
    static constexpr auto asum = cblas_##t##asum;                              \
    static constexpr auto dot = cblas_##t##dot;                                \
    static constexpr auto rot = cblas_##t##rot;                                \
    static constexpr auto rotm = cblas_##t##rotm;                              \
    static constexpr auto rotmg = cblas_##t##rotmg;                            \
    static constexpr auto symv = cblas_##t##symv;                              \
    static constexpr auto bandMv = cblas_##t##sbmv;                            \
    static constexpr auto packedMv = cblas_##t##spmv;                          \
    static constexpr auto ger = cblas_##t##ger;                                \
    static constexpr auto syr = cblas_##t##syr;                                \
    static constexpr auto syr2 = cblas_##t##syr2;                              \
    static constexpr auto packedR = cblas_##t##spr;                            \
    static constexpr auto packedR2 = cblas_##t##spr2;                          \
  };
PTXJIT_BLAS_REAL(float, s)
PTXJIT_BLAS_REAL(double, d)
#undef PTXJIT_BLAS_REAL

#define PTXJIT_BLAS_COMPLEX(T, t, r)                                           \
  template <> struct Blas<T> {                                                 \
    PTXJIT_BLAS_COMMON(t)                                                      \
    static constexpr auto nrm2 = cblas_##r##t##nrm2;                           \
    static constexpr auto asum = cblas_##r##t##asum;                           \
    static constexpr auto dotu = cblas_##t##dotu_sub;                          \
    static constexpr auto dotc = cblas_##t##dotc_sub;                          \
    static constexpr auto scalReal = cblas_##t##r##scal;                       \
    static constexpr auto hemv = cblas_##t##hemv;                              \
    static constexpr auto bandMv = cblas_##t##hbmv;                            \
    static constexpr auto packedMv = cblas_##t##hpmv;                          \
    static constexpr auto ger = cblas_##t##geru;                               \
    static constexpr auto gerc = cblas_##t##gerc;                              \
    static constexpr auto her = cblas_##t##her;                                \
    static constexpr auto her2 = cblas_##t##her2;                              \
    static constexpr auto packedR = cblas_##t##hpr;                            \
    static constexpr auto packedR2 = cblas_##t##hpr2;                          \
    static constexpr auto hemm = cblas_##t##hemm;                              \
    static constexpr auto herk = cblas_##t##herk;                              \
    static constexpr auto her2k = cblas_##t##her2k;                            \
  };
PTXJIT_BLAS_COMPLEX(cuComplex, c, s)
PTXJIT_BLAS_COMPLEX(cuDoubleComplex, z, d)
#undef PTXJIT_BLAS_COMPLEX
#undef PTXJIT_BLAS_COMMON

// CBLAS has the arguments of cuBLAS under other numbers.
inline CBLAS_TRANSPOSE toBlas(cublasOperation_t op) {
  return op == CUBLAS_OP_N   ? CblasNoTrans
         : op == CUBLAS_OP_T ? CblasTrans
                             : CblasConjTrans;
}
inline CBLAS_UPLO toBlas(cublasFillMode_t uplo) {
  return uplo == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}
inline CBLAS_DIAG toBlas(cublasDiagType_t diag) {
  return diag == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}
inline CBLAS_SIDE toBlas(cublasSideMode_t side) {
  return side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
}
inline blasint toBlas(int64_t number) {
  assert(number == blasint(number) && "checkRange() has refused it");
  return blasint(number);
}

/// Element i of a vector. Vectors with negative increments begin at their end.
inline int64_t offsetOf(int64_t i, int64_t n, int64_t increment) {
  return increment < 0 ? (i - n + 1) * increment : i * increment;
}

} // namespace ptxjit::cublas

#endif
