//===- Level3.cpp - the functions of matrices -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blas.h"
#include "Call.h"
#include "Product.h"

#include <algorithm>
#include <memory>

using namespace ptxjit::cublas;

/// Fills a matrix, or a triangle of it, with zeros. OpenBLAS may read what is
/// there even if beta is 0.
template <typename T>
static void clear(int64_t rows, int64_t columns, T *c, int64_t ldc) {
  for (int64_t column = 0; column < columns; ++column)
    std::fill_n(c + column * ldc, rows, T(0));
}

template <typename T>
static void clearTriangle(cublasFillMode_t uplo, int64_t n, T *c, int64_t ldc) {
  for (int64_t column = 0; column < n; ++column) {
    auto [begin, end] = rowsOf(uplo, column, n);
    std::fill(c + begin + column * ldc, c + end + column * ldc, T(0));
  }
}

//===----------------------------------------------------------------------===//
// Symmetric and hermitian factors
//===----------------------------------------------------------------------===//

template <typename T, typename F>
static cublasStatus_t
multiplySymmetric(const Call &call, cublasSideMode_t side,
                  cublasFillMode_t uplo, int64_t m, int64_t n, const T *alpha,
                  const T *a, int64_t lda, const T *b, int64_t ldb,
                  const T *beta, T *c, int64_t ldc, F function) {
  PTXJIT_REQUIRE(call, isValid(side) && isValid(uplo));
  PTXJIT_REQUIRE(call, m >= 0 && n >= 0);
  PTXJIT_REQUIRE(call, isLeading(lda, side == CUBLAS_SIDE_LEFT ? m : n));
  PTXJIT_REQUIRE(call, isLeading(ldb, m) && isLeading(ldc, m));
  PTXJIT_REQUIRE(call, alpha && beta);
  if (m == 0 || n == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, a && b && c);
  PTXJIT_TRY(call.checkRange({m, n, lda, ldb, ldc}));
  return call.enqueue(
      [=, factor = Scalar<T>(call, alpha), old = Scalar<T>(call, beta)] {
        T alpha = factor.get(), beta = old.get();
        if (beta == T(0))
          clear(m, n, c, ldc);
        function(CblasColMajor, toBlas(side), toBlas(uplo), toBlas(m),
                 toBlas(n), pass(alpha), a, toBlas(lda), b, toBlas(ldb),
                 pass(beta), c, toBlas(ldc));
      });
}
template <typename T, typename... Arguments>
static cublasStatus_t symm(const Call &call, Arguments... arguments) {
  return multiplySymmetric<T>(call, arguments..., Blas<T>::symm);
}
template <typename T, typename... Arguments>
static cublasStatus_t hemm(const Call &call, Arguments... arguments) {
  return multiplySymmetric<T>(call, arguments..., Blas<T>::hemm);
}

//===----------------------------------------------------------------------===//
// Updates of a triangle
//===----------------------------------------------------------------------===//

/// Checks the arguments of an update, and enqueues `update`, which gets alpha
/// and beta. \param b  null: there is only A
template <typename T, typename S, typename U, typename F>
static cublasStatus_t
updateTriangle(const Call &call, cublasFillMode_t uplo, cublasOperation_t trans,
               int64_t n, int64_t k, const S *alpha, const T *a, int64_t lda,
               const T *b, int64_t ldb, const U *beta, T *c, int64_t ldc,
               F update) {
  PTXJIT_REQUIRE(call, isValid(uplo) && isValid(trans));
  PTXJIT_REQUIRE(call, n >= 0 && k >= 0);
  int64_t rows = trans == CUBLAS_OP_N ? n : k;
  PTXJIT_REQUIRE(call, isLeading(lda, rows) && isLeading(ldb, rows));
  PTXJIT_REQUIRE(call, isLeading(ldc, n));
  PTXJIT_REQUIRE(call, alpha && beta);
  if (n == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, c && (k == 0 || (a && b)));
  PTXJIT_TRY(call.checkRange({n, k, lda, ldb, ldc}));
  return call.enqueue(
      [=, factor = Scalar<S>(call, alpha), old = Scalar<U>(call, beta)] {
        S alpha = factor.get();
        U beta = old.get();
        if (beta == U(0))
          clearTriangle(uplo, n, c, ldc);
        update(alpha, beta);
      });
}

/// Symmetric updates of complex matrices know no conjugation, hermitian ones
/// nothing else; for real matrices both are the same.
template <typename T> static bool isSymmetric(cublasOperation_t trans) {
  return !isComplex<T> || trans != CUBLAS_OP_C;
}
static bool isHermitian(cublasOperation_t trans) {
  return trans != CUBLAS_OP_T;
}

template <typename T>
static cublasStatus_t syrk(const Call &call, cublasFillMode_t uplo,
                           cublasOperation_t trans, int64_t n, int64_t k,
                           const T *alpha, const T *a, int64_t lda,
                           const T *beta, T *c, int64_t ldc) {
  PTXJIT_REQUIRE(call, isSymmetric<T>(trans));
  return updateTriangle(call, uplo, trans, n, k, alpha, a, lda, a, lda, beta, c,
                        ldc, [=](const T &alpha, const T &beta) {
                          Blas<T>::syrk(CblasColMajor, toBlas(uplo),
                                        toBlas(trans), toBlas(n), toBlas(k),
                                        pass(alpha), a, toBlas(lda), pass(beta),
                                        c, toBlas(ldc));
                        });
}

template <typename T>
static cublasStatus_t herk(const Call &call, cublasFillMode_t uplo,
                           cublasOperation_t trans, int64_t n, int64_t k,
                           const Real<T> *alpha, const T *a, int64_t lda,
                           const Real<T> *beta, T *c, int64_t ldc) {
  PTXJIT_REQUIRE(call, isHermitian(trans));
  return updateTriangle(
      call, uplo, trans, n, k, alpha, a, lda, a, lda, beta, c, ldc,
      [=](Real<T> alpha, Real<T> beta) {
        Blas<T>::herk(CblasColMajor, toBlas(uplo), toBlas(trans), toBlas(n),
                      toBlas(k), alpha, a, toBlas(lda), beta, c, toBlas(ldc));
      });
}

template <typename T>
static cublasStatus_t syr2k(const Call &call, cublasFillMode_t uplo,
                            cublasOperation_t trans, int64_t n, int64_t k,
                            const T *alpha, const T *a, int64_t lda, const T *b,
                            int64_t ldb, const T *beta, T *c, int64_t ldc) {
  PTXJIT_REQUIRE(call, isSymmetric<T>(trans));
  return updateTriangle(call, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c,
                        ldc, [=](const T &alpha, const T &beta) {
                          Blas<T>::syr2k(
                              CblasColMajor, toBlas(uplo), toBlas(trans),
                              toBlas(n), toBlas(k), pass(alpha), a, toBlas(lda),
                              b, toBlas(ldb), pass(beta), c, toBlas(ldc));
                        });
}

template <typename T>
static cublasStatus_t
her2k(const Call &call, cublasFillMode_t uplo, cublasOperation_t trans,
      int64_t n, int64_t k, const T *alpha, const T *a, int64_t lda, const T *b,
      int64_t ldb, const Real<T> *beta, T *c, int64_t ldc) {
  PTXJIT_REQUIRE(call, isHermitian(trans));
  return updateTriangle(call, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c,
                        ldc, [=](const T &alpha, Real<T> beta) {
                          Blas<T>::her2k(CblasColMajor, toBlas(uplo),
                                         toBlas(trans), toBlas(n), toBlas(k),
                                         pass(alpha), a, toBlas(lda), b,
                                         toBlas(ldb), beta, c, toBlas(ldc));
                        });
}

/// C = op(A) * op(B)' * alpha + beta * C, in one triangle, whose product the
/// program knows to be symmetric or hermitian. CBLAS has none.
template <typename T>
static void multiplyTriangle(cublasFillMode_t uplo, cublasOperation_t transA,
                             cublasOperation_t transB, int64_t n, int64_t k,
                             const T &alpha, const T *a, int64_t lda,
                             const T *b, int64_t ldb, const T &beta, T *c,
                             int64_t ldc, bool isHermitian) {
  std::unique_ptr<T[]> all(new T[n * n]());
  T zero = 0;
  Blas<T>::gemm(CblasColMajor, toBlas(transA), toBlas(transB), toBlas(n),
                toBlas(n), toBlas(k), pass(alpha), a, toBlas(lda), b,
                toBlas(ldb), pass(zero), all.get(), toBlas(n));
  for (int64_t column = 0; column < n; ++column) {
    auto [begin, end] = rowsOf(uplo, column, n);
    for (int64_t row = begin; row < end; ++row) {
      T &out = c[row + column * ldc];
      out = all[row + column * n] + beta * out;
      if (isHermitian && row == column)
        out = std::real(out);
    }
  }
}

template <typename T>
static cublasStatus_t syrkx(const Call &call, cublasFillMode_t uplo,
                            cublasOperation_t trans, int64_t n, int64_t k,
                            const T *alpha, const T *a, int64_t lda, const T *b,
                            int64_t ldb, const T *beta, T *c, int64_t ldc) {
  PTXJIT_REQUIRE(call, isSymmetric<T>(trans));
  bool isPlain = trans == CUBLAS_OP_N;
  return updateTriangle(call, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c,
                        ldc, [=](const T &alpha, const T &beta) {
                          multiplyTriangle(
                              uplo, isPlain ? CUBLAS_OP_N : CUBLAS_OP_T,
                              isPlain ? CUBLAS_OP_T : CUBLAS_OP_N, n, k, alpha,
                              a, lda, b, ldb, beta, c, ldc, false);
                        });
}

template <typename T>
static cublasStatus_t
herkx(const Call &call, cublasFillMode_t uplo, cublasOperation_t trans,
      int64_t n, int64_t k, const T *alpha, const T *a, int64_t lda, const T *b,
      int64_t ldb, const Real<T> *beta, T *c, int64_t ldc) {
  PTXJIT_REQUIRE(call, isHermitian(trans));
  bool isPlain = trans == CUBLAS_OP_N;
  return updateTriangle(call, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c,
                        ldc, [=](const T &alpha, Real<T> beta) {
                          multiplyTriangle(
                              uplo, isPlain ? CUBLAS_OP_N : CUBLAS_OP_C,
                              isPlain ? CUBLAS_OP_C : CUBLAS_OP_N, n, k, alpha,
                              a, lda, b, ldb, T(beta), c, ldc, true);
                        });
}

//===----------------------------------------------------------------------===//
// Triangular factors
//===----------------------------------------------------------------------===//

static cublasStatus_t checkTriangular(const Call &call, cublasSideMode_t side,
                                      cublasFillMode_t uplo,
                                      cublasOperation_t trans,
                                      cublasDiagType_t diag, int64_t m,
                                      int64_t n, int64_t lda, int64_t ldb) {
  PTXJIT_REQUIRE(call, isValid(side) && isValid(uplo));
  PTXJIT_REQUIRE(call, isValid(trans) && isValid(diag));
  PTXJIT_REQUIRE(call, m >= 0 && n >= 0);
  PTXJIT_REQUIRE(call, isLeading(lda, side == CUBLAS_SIDE_LEFT ? m : n));
  PTXJIT_REQUIRE(call, isLeading(ldb, m));
  return call.checkRange({m, n, lda, ldb});
}

template <typename T>
static cublasStatus_t trmm(const Call &call, cublasSideMode_t side,
                           cublasFillMode_t uplo, cublasOperation_t trans,
                           cublasDiagType_t diag, int64_t m, int64_t n,
                           const T *alpha, const T *a, int64_t lda, const T *b,
                           int64_t ldb, T *c, int64_t ldc) {
  PTXJIT_TRY(checkTriangular(call, side, uplo, trans, diag, m, n, lda, ldb));
  PTXJIT_REQUIRE(call, isLeading(ldc, m));
  PTXJIT_TRY(call.checkRange({ldc}));
  PTXJIT_REQUIRE(call, b != c || ldb == ldc);
  PTXJIT_REQUIRE(call, alpha);
  if (m == 0 || n == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, a && b && c);
  return call.enqueue([=, factor = Scalar<T>(call, alpha)] {
    for (int64_t column = 0; b != c && column < n; ++column)
      std::copy_n(b + column * ldb, m, c + column * ldc);
    T alpha = factor.get();
    Blas<T>::trmm(CblasColMajor, toBlas(side), toBlas(uplo), toBlas(trans),
                  toBlas(diag), toBlas(m), toBlas(n), pass(alpha), a,
                  toBlas(lda), c, toBlas(ldc));
  });
}

template <typename T>
static cublasStatus_t
trsm(const Call &call, cublasSideMode_t side, cublasFillMode_t uplo,
     cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
     const T *alpha, const T *a, int64_t lda, T *b, int64_t ldb) {
  PTXJIT_TRY(checkTriangular(call, side, uplo, trans, diag, m, n, lda, ldb));
  PTXJIT_REQUIRE(call, alpha);
  if (m == 0 || n == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, a && b);
  return call.enqueue([=, factor = Scalar<T>(call, alpha)] {
    T alpha = factor.get();
    Blas<T>::trsm(CblasColMajor, toBlas(side), toBlas(uplo), toBlas(trans),
                  toBlas(diag), toBlas(m), toBlas(n), pass(alpha), a,
                  toBlas(lda), b, toBlas(ldb));
  });
}

template <typename T>
static cublasStatus_t
trsmBatched(const Call &call, cublasSideMode_t side, cublasFillMode_t uplo,
            cublasOperation_t trans, cublasDiagType_t diag, int64_t m,
            int64_t n, const T *alpha, const T *const *a, int64_t lda,
            T *const *b, int64_t ldb, int64_t count) {
  PTXJIT_TRY(checkTriangular(call, side, uplo, trans, diag, m, n, lda, ldb));
  PTXJIT_REQUIRE(call, alpha && count >= 0);
  if (m == 0 || n == 0 || count == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, a && b);
  double side2 = double(side == CUBLAS_SIDE_LEFT ? m : n);
  return call.enqueue([=, factor = Scalar<T>(call, alpha)] {
    T alpha = factor.get();
    forEachOfBatch(count, side2 * double(m) * double(n), [&](int64_t i) {
      Blas<T>::trsm(CblasColMajor, toBlas(side), toBlas(uplo), toBlas(trans),
                    toBlas(diag), toBlas(m), toBlas(n), pass(alpha), a[i],
                    toBlas(lda), b[i], toBlas(ldb));
    });
  });
}

//===----------------------------------------------------------------------===//
// Sums, and products with diagonal matrices
//===----------------------------------------------------------------------===//

namespace {
/// op(matrix), element by element.
template <typename T> struct Operand {
  const T *data;
  int64_t ld;
  cublasOperation_t trans;
  T at(int64_t row, int64_t column) const {
    if (trans == CUBLAS_OP_N)
      return data[row + column * ld];
    T value = data[column + row * ld];
    return trans == CUBLAS_OP_C ? conjugate(value) : value;
  }
};
} // namespace

template <typename T>
static cublasStatus_t
geam(const Call &call, cublasOperation_t transa, cublasOperation_t transb,
     int64_t m, int64_t n, const T *alpha, const T *a, int64_t lda,
     const T *beta, const T *b, int64_t ldb, T *c, int64_t ldc) {
  PTXJIT_REQUIRE(call, isValid(transa) && isValid(transb));
  PTXJIT_REQUIRE(call, m >= 0 && n >= 0);
  PTXJIT_REQUIRE(call, isLeading(lda, transa == CUBLAS_OP_N ? m : n));
  PTXJIT_REQUIRE(call, isLeading(ldb, transb == CUBLAS_OP_N ? m : n));
  PTXJIT_REQUIRE(call, isLeading(ldc, m));
  PTXJIT_REQUIRE(call, a != c || (transa == CUBLAS_OP_N && lda == ldc));
  PTXJIT_REQUIRE(call, b != c || (transb == CUBLAS_OP_N && ldb == ldc));
  PTXJIT_REQUIRE(call, alpha && beta);
  if (m == 0 || n == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, c);
  // A matrix whose factor is 0 is not read, and may be missing.
  PTXJIT_REQUIRE(call, a || (call.isOnHost() && *alpha == T(0)));
  PTXJIT_REQUIRE(call, b || (call.isOnHost() && *beta == T(0)));
  return call.enqueue(
      [=, first = Scalar<T>(call, alpha), second = Scalar<T>(call, beta)] {
        T alpha = first.get(), beta = second.get();
        Operand<T> left = {a, lda, transa}, right = {b, ldb, transb};
        for (int64_t column = 0; column < n; ++column)
          for (int64_t row = 0; row < m; ++row) {
            T sum = alpha == T(0) ? T(0) : alpha * left.at(row, column);
            if (beta != T(0))
              sum += beta * right.at(row, column);
            c[row + column * ldc] = sum;
          }
      });
}

template <typename T>
static cublasStatus_t dgmm(const Call &call, cublasSideMode_t mode, int64_t m,
                           int64_t n, const T *a, int64_t lda, const T *x,
                           int64_t incx, T *c, int64_t ldc) {
  PTXJIT_REQUIRE(call, isValid(mode));
  PTXJIT_REQUIRE(call, m >= 0 && n >= 0);
  PTXJIT_REQUIRE(call, isLeading(lda, m) && isLeading(ldc, m));
  PTXJIT_REQUIRE(call, a != c || lda == ldc);
  if (m == 0 || n == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, a && x && c);
  bool isLeft = mode == CUBLAS_SIDE_LEFT;
  return call.enqueue([=] {
    for (int64_t column = 0; column < n; ++column)
      for (int64_t row = 0; row < m; ++row) {
        int64_t i = isLeft ? row : column;
        c[row + column * ldc] =
            a[row + column * lda] * x[offsetOf(i, isLeft ? m : n, incx)];
      }
  });
}

//===----------------------------------------------------------------------===//
// Packed triangles
//===----------------------------------------------------------------------===//

/// Calls `move` for each element of a triangle, with its places in the packed
/// and in the full matrix.
template <typename F>
static void forTriangle(cublasFillMode_t uplo, int64_t n, int64_t lda, F move) {
  int64_t packed = 0;
  for (int64_t column = 0; column < n; ++column) {
    auto [begin, end] = rowsOf(uplo, column, n);
    for (int64_t row = begin; row < end; ++row)
      move(packed++, row + column * lda);
  }
}

static cublasStatus_t checkPacked(const Call &call, cublasFillMode_t uplo,
                                  int64_t n, int64_t lda, const void *a,
                                  const void *ap) {
  PTXJIT_REQUIRE(call, isValid(uplo));
  PTXJIT_REQUIRE(call, n >= 0 && isLeading(lda, n));
  PTXJIT_REQUIRE(call, n == 0 || (a && ap));
  return CUBLAS_STATUS_SUCCESS;
}

template <typename T>
static cublasStatus_t tpttr(const Call &call, cublasFillMode_t uplo, int64_t n,
                            const T *ap, T *a, int64_t lda) {
  PTXJIT_TRY(checkPacked(call, uplo, n, lda, a, ap));
  return call.enqueue([=] {
    forTriangle(uplo, n, lda, [=](int64_t i, int64_t at) { a[at] = ap[i]; });
  });
}
template <typename T>
static cublasStatus_t trttp(const Call &call, cublasFillMode_t uplo, int64_t n,
                            const T *a, int64_t lda, T *ap) {
  PTXJIT_TRY(checkPacked(call, uplo, n, lda, a, ap));
  return call.enqueue([=] {
    forTriangle(uplo, n, lda, [=](int64_t i, int64_t at) { ap[i] = a[at]; });
  });
}

#define FUNCTION(name, run, parameters, arguments)                             \
  PTXJIT_CUBLAS_DEFINE(name, run<T>, parameters, arguments)
#define PTXJIT_TABLE "ptxjit/Cublas/Level3.def"
#include "ptxjit/Cublas/EachType.inc"
#undef PTXJIT_TABLE
#undef FUNCTION

//===----------------------------------------------------------------------===//
// Types that arguments name
//===----------------------------------------------------------------------===//

static cublasStatus_t checkComplex(const Call &call, cudaDataType aType,
                                   cudaDataType cType) {
  if (aType == CUDA_C_32F && cType == CUDA_C_32F)
    return CUBLAS_STATUS_SUCCESS;
  return call.unsupported("matrices of complex integers are not multiplied");
}
static cublasStatus_t syrkEx(const Call &call, cublasFillMode_t uplo,
                             cublasOperation_t trans, int64_t n, int64_t k,
                             const cuComplex *alpha, const void *a,
                             cudaDataType aType, int64_t lda,
                             const cuComplex *beta, void *c, cudaDataType cType,
                             int64_t ldc) {
  PTXJIT_TRY(checkComplex(call, aType, cType));
  return syrk(call, uplo, trans, n, k, alpha, static_cast<const cuComplex *>(a),
              lda, beta, static_cast<cuComplex *>(c), ldc);
}
static cublasStatus_t herkEx(const Call &call, cublasFillMode_t uplo,
                             cublasOperation_t trans, int64_t n, int64_t k,
                             const float *alpha, const void *a,
                             cudaDataType aType, int64_t lda, const float *beta,
                             void *c, cudaDataType cType, int64_t ldc) {
  PTXJIT_TRY(checkComplex(call, aType, cType));
  return herk(call, uplo, trans, n, k, alpha, static_cast<const cuComplex *>(a),
              lda, beta, static_cast<cuComplex *>(c), ldc);
}

#define FUNCTION PTXJIT_CUBLAS_DEFINE
#define NAME(base) PTXJIT_WIDTH(cublas##base)
#define PTXJIT_TABLE "ptxjit/Cublas/Level3Ex.def"
#include "ptxjit/Cublas/EachWidth.inc"
