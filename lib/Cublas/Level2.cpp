//===- Level2.cpp - the functions of matrices and vectors -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blas.h"
#include "Call.h"

using namespace ptxjit::cublas;

//===----------------------------------------------------------------------===//
// y = alpha * A * x + beta * y
//===----------------------------------------------------------------------===//

namespace {
/// The arguments of a product of a matrix and a vector.
template <typename T> struct MatrixVector {
  MatrixVector(const Call &call, const T *alpha, const T *a, int64_t lda,
               const T *x, int64_t incx, const T *beta, T *y, int64_t incy,
               int64_t rows)
      : alpha(call, alpha), beta(call, beta), a(a), x(x), y(y), lda(lda),
        incx(incx), incy(incy), rows(rows) {}
  Scalar<T> alpha, beta;
  const T *a, *x;
  T *y;
  int64_t lda, incx, incy;
  int64_t rows; ///< elements of y

  /// If beta is 0, y is not read, and may be NaN. \returns what is left of
  /// beta.
  T prepare() const {
    T factor = beta.get();
    if (factor != T(0))
      return factor;
    for (int64_t i = 0; i < rows; ++i)
      y[offsetOf(i, rows, incy)] = T(0);
    return T(1);
  }
};
} // namespace

/// Checks what is common, and enqueues `product`, which is called with the
/// arguments of CBLAS from alpha on.
template <typename T, typename F>
static cublasStatus_t multiply(const Call &call, bool isEmpty, int64_t rows,
                               const T *alpha, const T *a, int64_t lda,
                               const T *x, int64_t incx, const T *beta, T *y,
                               int64_t incy, F product) {
  PTXJIT_REQUIRE(call, incx != 0 && incy != 0);
  PTXJIT_REQUIRE(call, alpha && beta);
  if (isEmpty)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, a && x && y);
  PTXJIT_TRY(call.checkRange({rows, lda, incx, incy}));
  MatrixVector<T> v(call, alpha, a, lda, x, incx, beta, y, incy, rows);
  return call.enqueue([=] {
    T beta = v.prepare(), alpha = v.alpha.get();
    product(v, alpha, beta);
  });
}

template <typename T>
static cublasStatus_t gemv(const Call &call, cublasOperation_t trans, int64_t m,
                           int64_t n, const T *alpha, const T *a, int64_t lda,
                           const T *x, int64_t incx, const T *beta, T *y,
                           int64_t incy) {
  PTXJIT_REQUIRE(call, isValid(trans));
  PTXJIT_REQUIRE(call, m >= 0 && n >= 0);
  PTXJIT_REQUIRE(call, isLeading(lda, m));
  PTXJIT_TRY(call.checkRange({m, n}));
  return multiply(call, m == 0 || n == 0, trans == CUBLAS_OP_N ? m : n, alpha,
                  a, lda, x, incx, beta, y, incy,
                  [=](const MatrixVector<T> &v, const T &alpha, const T &beta) {
                    Blas<T>::gemv(CblasColMajor, toBlas(trans), toBlas(m),
                                  toBlas(n), pass(alpha), v.a, toBlas(v.lda),
                                  v.x, toBlas(v.incx), pass(beta), v.y,
                                  toBlas(v.incy));
                  });
}

template <typename T>
static cublasStatus_t gbmv(const Call &call, cublasOperation_t trans, int64_t m,
                           int64_t n, int64_t kl, int64_t ku, const T *alpha,
                           const T *a, int64_t lda, const T *x, int64_t incx,
                           const T *beta, T *y, int64_t incy) {
  PTXJIT_REQUIRE(call, isValid(trans));
  PTXJIT_REQUIRE(call, m >= 0 && n >= 0 && kl >= 0 && ku >= 0);
  PTXJIT_TRY(call.checkRange({m, n, kl, ku}));
  PTXJIT_REQUIRE(call, lda >= kl + ku + 1);
  return multiply(call, m == 0 || n == 0, trans == CUBLAS_OP_N ? m : n, alpha,
                  a, lda, x, incx, beta, y, incy,
                  [=](const MatrixVector<T> &v, const T &alpha, const T &beta) {
                    Blas<T>::gbmv(
                        CblasColMajor, toBlas(trans), toBlas(m), toBlas(n),
                        toBlas(kl), toBlas(ku), pass(alpha), v.a, toBlas(v.lda),
                        v.x, toBlas(v.incx), pass(beta), v.y, toBlas(v.incy));
                  });
}

/// A symmetric or hermitian matrix.
template <typename T, typename F>
static cublasStatus_t
multiplySymmetric(const Call &call, cublasFillMode_t uplo, int64_t n,
                  const T *alpha, const T *a, int64_t lda, const T *x,
                  int64_t incx, const T *beta, T *y, int64_t incy, F function) {
  PTXJIT_REQUIRE(call, isValid(uplo));
  PTXJIT_REQUIRE(call, n >= 0);
  PTXJIT_REQUIRE(call, isLeading(lda, n));
  return multiply(call, n == 0, n, alpha, a, lda, x, incx, beta, y, incy,
                  [=](const MatrixVector<T> &v, const T &alpha, const T &beta) {
                    function(CblasColMajor, toBlas(uplo), toBlas(n),
                             pass(alpha), v.a, toBlas(v.lda), v.x,
                             toBlas(v.incx), pass(beta), v.y, toBlas(v.incy));
                  });
}

// CBLAS has none for complex symmetric matrices.
template <typename T>
static cublasStatus_t symvComplex(const Call &call, cublasFillMode_t uplo,
                                  int64_t n, const T *alpha, const T *a,
                                  int64_t lda, const T *x, int64_t incx,
                                  const T *beta, T *y, int64_t incy) {
  PTXJIT_REQUIRE(call, isValid(uplo));
  PTXJIT_REQUIRE(call, n >= 0);
  PTXJIT_REQUIRE(call, isLeading(lda, n));
  bool isLower = uplo == CUBLAS_FILL_MODE_LOWER;
  return multiply(call, n == 0, n, alpha, a, lda, x, incx, beta, y, incy,
                  [=](const MatrixVector<T> &v, const T &alpha, const T &beta) {
                    for (int64_t row = 0; row < n; ++row) {
                      T sum = 0;
                      for (int64_t column = 0; column < n; ++column) {
                        bool isStored = isLower ? row >= column : row <= column;
                        sum += (isStored ? v.a[row + column * v.lda]
                                         : v.a[column + row * v.lda]) *
                               v.x[offsetOf(column, n, v.incx)];
                      }
                      T &out = v.y[offsetOf(row, n, v.incy)];
                      out = alpha * sum + beta * out;
                    }
                  });
}

template <typename T, typename... Arguments>
static cublasStatus_t symv(const Call &call, Arguments... arguments) {
  if constexpr (isComplex<T>)
    return symvComplex<T>(call, arguments...);
  else
    return multiplySymmetric<T>(call, arguments..., Blas<T>::symv);
}
template <typename T, typename... Arguments>
static cublasStatus_t hemv(const Call &call, Arguments... arguments) {
  return multiplySymmetric<T>(call, arguments..., Blas<T>::hemv);
}

template <typename T>
static cublasStatus_t bandMv(const Call &call, cublasFillMode_t uplo, int64_t n,
                             int64_t k, const T *alpha, const T *a, int64_t lda,
                             const T *x, int64_t incx, const T *beta, T *y,
                             int64_t incy) {
  PTXJIT_REQUIRE(call, isValid(uplo));
  PTXJIT_REQUIRE(call, n >= 0 && k >= 0);
  PTXJIT_TRY(call.checkRange({k}));
  PTXJIT_REQUIRE(call, lda >= k + 1);
  return multiply(call, n == 0, n, alpha, a, lda, x, incx, beta, y, incy,
                  [=](const MatrixVector<T> &v, const T &alpha, const T &beta) {
                    Blas<T>::bandMv(CblasColMajor, toBlas(uplo), toBlas(n),
                                    toBlas(k), pass(alpha), v.a, toBlas(v.lda),
                                    v.x, toBlas(v.incx), pass(beta), v.y,
                                    toBlas(v.incy));
                  });
}

template <typename T>
static cublasStatus_t packedMv(const Call &call, cublasFillMode_t uplo,
                               int64_t n, const T *alpha, const T *ap,
                               const T *x, int64_t incx, const T *beta, T *y,
                               int64_t incy) {
  PTXJIT_REQUIRE(call, isValid(uplo));
  PTXJIT_REQUIRE(call, n >= 0);
  return multiply(call, n == 0, n, alpha, ap, 1, x, incx, beta, y, incy,
                  [=](const MatrixVector<T> &v, const T &alpha, const T &beta) {
                    Blas<T>::packedMv(CblasColMajor, toBlas(uplo), toBlas(n),
                                      pass(alpha), v.a, v.x, toBlas(v.incx),
                                      pass(beta), v.y, toBlas(v.incy));
                  });
}

//===----------------------------------------------------------------------===//
// Triangular matrices
//===----------------------------------------------------------------------===//

/// \param least  the least leading dimension
/// \param middle  the arguments of CBLAS between n and x
template <typename T, typename F, typename... Middle>
static cublasStatus_t triangular(const Call &call, cublasFillMode_t uplo,
                                 cublasOperation_t trans, cublasDiagType_t diag,
                                 int64_t n, bool isLdValid, const T *a, T *x,
                                 int64_t incx, F function, Middle... middle) {
  PTXJIT_REQUIRE(call, isValid(uplo) && isValid(trans) && isValid(diag));
  PTXJIT_REQUIRE(call, n >= 0);
  PTXJIT_REQUIRE(call, isLdValid);
  PTXJIT_REQUIRE(call, incx != 0);
  if (n == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, a && x);
  PTXJIT_TRY(call.checkRange({n, incx}));
  return call.enqueue([=] {
    function(CblasColMajor, toBlas(uplo), toBlas(trans), toBlas(diag),
             toBlas(n), middle..., x, toBlas(incx));
  });
}

#define PTXJIT_TRIANGULAR(name)                                                \
  template <typename T>                                                        \
  static cublasStatus_t name(const Call &call, cublasFillMode_t uplo,          \
                             cublasOperation_t trans, cublasDiagType_t diag,   \
                             int64_t n, const T *a, int64_t lda, T *x,         \
                             int64_t incx) {                                   \
    PTXJIT_TRY(call.checkRange({lda}));                                        \
    return triangular(call, uplo, trans, diag, n, isLeading(lda, n), a, x,     \
                      incx, Blas<T>::name, a, toBlas(lda));                    \
  }
PTXJIT_TRIANGULAR(trmv)
PTXJIT_TRIANGULAR(trsv)

#define PTXJIT_TRIANGULAR_BAND(name)                                           \
  template <typename T>                                                        \
  static cublasStatus_t name(const Call &call, cublasFillMode_t uplo,          \
                             cublasOperation_t trans, cublasDiagType_t diag,   \
                             int64_t n, int64_t k, const T *a, int64_t lda,    \
                             T *x, int64_t incx) {                             \
    PTXJIT_REQUIRE(call, k >= 0);                                              \
    PTXJIT_TRY(call.checkRange({k, lda}));                                     \
    return triangular(call, uplo, trans, diag, n, lda >= k + 1, a, x, incx,    \
                      Blas<T>::name, toBlas(k), a, toBlas(lda));               \
  }
PTXJIT_TRIANGULAR_BAND(tbmv)
PTXJIT_TRIANGULAR_BAND(tbsv)

#define PTXJIT_TRIANGULAR_PACKED(name)                                         \
  template <typename T>                                                        \
  static cublasStatus_t name(const Call &call, cublasFillMode_t uplo,          \
                             cublasOperation_t trans, cublasDiagType_t diag,   \
                             int64_t n, const T *ap, T *x, int64_t incx) {     \
    return triangular(call, uplo, trans, diag, n, true, ap, x, incx,           \
                      Blas<T>::name, ap);                                      \
  }
PTXJIT_TRIANGULAR_PACKED(tpmv)
PTXJIT_TRIANGULAR_PACKED(tpsv)

//===----------------------------------------------------------------------===//
// A = alpha * x * y' + A
//===----------------------------------------------------------------------===//

template <typename T, typename F>
static cublasStatus_t addProduct(const Call &call, int64_t m, int64_t n,
                                 const T *alpha, const T *x, int64_t incx,
                                 const T *y, int64_t incy, T *a, int64_t lda,
                                 F function) {
  PTXJIT_REQUIRE(call, m >= 0 && n >= 0);
  PTXJIT_REQUIRE(call, incx != 0 && incy != 0);
  PTXJIT_REQUIRE(call, isLeading(lda, m));
  PTXJIT_REQUIRE(call, alpha);
  if (m == 0 || n == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, x && y && a);
  PTXJIT_TRY(call.checkRange({m, n, incx, incy, lda}));
  return call.enqueue([=, factor = Scalar<T>(call, alpha)] {
    function(CblasColMajor, toBlas(m), toBlas(n), pass(factor.get()), x,
             toBlas(incx), y, toBlas(incy), a, toBlas(lda));
  });
}
template <typename T, typename... Arguments>
static cublasStatus_t ger(const Call &call, Arguments... arguments) {
  return addProduct<T>(call, arguments..., Blas<T>::ger);
}
template <typename T, typename... Arguments>
static cublasStatus_t gerc(const Call &call, Arguments... arguments) {
  return addProduct<T>(call, arguments..., Blas<T>::gerc);
}

/// The triangle of a matrix is updated by vectors. \param update  gets alpha
template <typename S, typename T, typename F>
static cublasStatus_t updateTriangle(const Call &call, cublasFillMode_t uplo,
                                     int64_t n, const S *alpha,
                                     std::initializer_list<const T *> vectors,
                                     std::initializer_list<int64_t> increments,
                                     bool isLdValid, int64_t lda, F update) {
  PTXJIT_REQUIRE(call, isValid(uplo));
  PTXJIT_REQUIRE(call, n >= 0);
  for (int64_t increment : increments)
    PTXJIT_REQUIRE(call, increment != 0);
  PTXJIT_REQUIRE(call, isLdValid);
  PTXJIT_REQUIRE(call, alpha);
  if (n == 0)
    return CUBLAS_STATUS_SUCCESS;
  for (const T *vector : vectors)
    PTXJIT_REQUIRE(call, vector);
  PTXJIT_TRY(call.checkRange({n, lda}));
  PTXJIT_TRY(call.checkRange(increments));
  return call.enqueue(
      [=, factor = Scalar<S>(call, alpha)] { update(factor.get()); });
}

template <typename T>
static cublasStatus_t syr(const Call &call, cublasFillMode_t uplo, int64_t n,
                          const T *alpha, const T *x, int64_t incx, T *a,
                          int64_t lda) {
  return updateTriangle<T, T>(
      call, uplo, n, alpha, {x, a}, {incx}, isLeading(lda, n), lda,
      [=](const T &alpha) {
        if constexpr (!isComplex<T>) {
          Blas<T>::syr(CblasColMajor, toBlas(uplo), toBlas(n), alpha, x,
                       toBlas(incx), a, toBlas(lda));
        } else {
          for (int64_t column = 0; column < n; ++column) {
            auto [begin, end] = rowsOf(uplo, column, n);
            T factor = alpha * x[offsetOf(column, n, incx)];
            for (int64_t row = begin; row < end; ++row)
              a[row + column * lda] += x[offsetOf(row, n, incx)] * factor;
          }
        }
      });
}

template <typename T>
static cublasStatus_t syr2(const Call &call, cublasFillMode_t uplo, int64_t n,
                           const T *alpha, const T *x, int64_t incx, const T *y,
                           int64_t incy, T *a, int64_t lda) {
  return updateTriangle<T, T>(
      call, uplo, n, alpha, {x, y, a}, {incx, incy}, isLeading(lda, n), lda,
      [=](const T &alpha) {
        if constexpr (!isComplex<T>) {
          Blas<T>::syr2(CblasColMajor, toBlas(uplo), toBlas(n), alpha, x,
                        toBlas(incx), y, toBlas(incy), a, toBlas(lda));
        } else {
          for (int64_t column = 0; column < n; ++column) {
            auto [begin, end] = rowsOf(uplo, column, n);
            T first = alpha * y[offsetOf(column, n, incy)];
            T second = alpha * x[offsetOf(column, n, incx)];
            for (int64_t row = begin; row < end; ++row)
              a[row + column * lda] += x[offsetOf(row, n, incx)] * first +
                                       y[offsetOf(row, n, incy)] * second;
          }
        }
      });
}

template <typename T>
static cublasStatus_t her(const Call &call, cublasFillMode_t uplo, int64_t n,
                          const Real<T> *alpha, const T *x, int64_t incx, T *a,
                          int64_t lda) {
  return updateTriangle<Real<T>, T>(
      call, uplo, n, alpha, {x, a}, {incx}, isLeading(lda, n), lda,
      [=](Real<T> alpha) {
        Blas<T>::her(CblasColMajor, toBlas(uplo), toBlas(n), alpha, x,
                     toBlas(incx), a, toBlas(lda));
      });
}

template <typename T>
static cublasStatus_t her2(const Call &call, cublasFillMode_t uplo, int64_t n,
                           const T *alpha, const T *x, int64_t incx, const T *y,
                           int64_t incy, T *a, int64_t lda) {
  return updateTriangle<T, T>(
      call, uplo, n, alpha, {x, y, a}, {incx, incy}, isLeading(lda, n), lda,
      [=](const T &alpha) {
        Blas<T>::her2(CblasColMajor, toBlas(uplo), toBlas(n), pass(alpha), x,
                      toBlas(incx), y, toBlas(incy), a, toBlas(lda));
      });
}

template <typename T>
static cublasStatus_t packedR(const Call &call, cublasFillMode_t uplo,
                              int64_t n, const Real<T> *alpha, const T *x,
                              int64_t incx, T *ap) {
  return updateTriangle<Real<T>, T>(
      call, uplo, n, alpha, {x, ap}, {incx}, true, 1, [=](Real<T> alpha) {
        Blas<T>::packedR(CblasColMajor, toBlas(uplo), toBlas(n), alpha, x,
                         toBlas(incx), ap);
      });
}

template <typename T>
static cublasStatus_t packedR2(const Call &call, cublasFillMode_t uplo,
                               int64_t n, const T *alpha, const T *x,
                               int64_t incx, const T *y, int64_t incy, T *ap) {
  return updateTriangle<T, T>(
      call, uplo, n, alpha, {x, y, ap}, {incx, incy}, true, 1,
      [=](const T &alpha) {
        Blas<T>::packedR2(CblasColMajor, toBlas(uplo), toBlas(n), pass(alpha),
                          x, toBlas(incx), y, toBlas(incy), ap);
      });
}

#define FUNCTION(name, run, parameters, arguments)                             \
  PTXJIT_CUBLAS_DEFINE(name, run<T>, parameters, arguments)
#define PTXJIT_TABLE "ptxjit/Cublas/Level2.def"
#include "ptxjit/Cublas/EachType.inc"
