//===- Level1.cpp - the functions of vectors ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blas.h"
#include "Call.h"

using namespace ptxjit::cublas;

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// A function whose result is 0 for a vector without elements, or with an
/// increment that is not positive.
template <typename T, typename Result, typename F>
static cublasStatus_t reduce(const Call &call, int64_t n, const T *x,
                             int64_t incx, Result *result, F function) {
  PTXJIT_REQUIRE(call, result);
  if (n <= 0 || incx <= 0)
    return call.enqueueResult([=] { *result = Result(0); });
  PTXJIT_REQUIRE(call, x);
  PTXJIT_TRY(call.checkRange({n, incx}));
  return call.enqueueResult(
      [=] { *result = Result(function(toBlas(n), x, toBlas(incx))); });
}

template <typename T>
static cublasStatus_t nrm2(const Call &call, int64_t n, const T *x,
                           int64_t incx, Real<T> *result) {
  return reduce(call, n, x, incx, result, Blas<T>::nrm2);
}
template <typename T>
static cublasStatus_t asum(const Call &call, int64_t n, const T *x,
                           int64_t incx, Real<T> *result) {
  return reduce(call, n, x, incx, result, Blas<T>::asum);
}
// Indices begin with 1.
template <typename T, typename Int>
static cublasStatus_t amax(const Call &call, int64_t n, const T *x,
                           int64_t incx, Int *result) {
  return reduce(call, n, x, incx, result, [](auto... arguments) {
    return Blas<T>::amax(arguments...) + 1;
  });
}
template <typename T, typename Int>
static cublasStatus_t amin(const Call &call, int64_t n, const T *x,
                           int64_t incx, Int *result) {
  return reduce(call, n, x, incx, result, [](auto... arguments) {
    return Blas<T>::amin(arguments...) + 1;
  });
}

template <typename T>
static cublasStatus_t multiply(const Call &call, int64_t n, const T *x,
                               int64_t incx, const T *y, int64_t incy,
                               T *result, bool isConjugated) {
  PTXJIT_REQUIRE(call, result);
  if (n <= 0)
    return call.enqueueResult([=] { *result = T(0); });
  PTXJIT_REQUIRE(call, x && y);
  PTXJIT_TRY(call.checkRange({n, incx, incy}));
  return call.enqueueResult([=] {
    if constexpr (isComplex<T>)
      (isConjugated ? Blas<T>::dotc : Blas<T>::dotu)(toBlas(n), x, toBlas(incx),
                                                     y, toBlas(incy), result);
    else
      *result = Blas<T>::dot(toBlas(n), x, toBlas(incx), y, toBlas(incy));
  });
}
template <typename T>
static cublasStatus_t dot(const Call &call, int64_t n, const T *x, int64_t incx,
                          const T *y, int64_t incy, T *result) {
  return multiply(call, n, x, incx, y, incy, result, false);
}
template <typename T>
static cublasStatus_t dotc(const Call &call, int64_t n, const T *x,
                           int64_t incx, const T *y, int64_t incy, T *result) {
  return multiply(call, n, x, incx, y, incy, result, true);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

template <typename T, typename S>
static cublasStatus_t scal(const Call &call, int64_t n, const S *alpha, T *x,
                           int64_t incx) {
  PTXJIT_REQUIRE(call, alpha);
  if (n <= 0 || incx <= 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, x);
  PTXJIT_TRY(call.checkRange({n, incx}));
  return call.enqueue([=, factor = Scalar<S>(call, alpha)] {
    if constexpr (std::is_same_v<T, S>)
      Blas<T>::scal(toBlas(n), pass(factor.get()), x, toBlas(incx));
    else
      Blas<T>::scalReal(toBlas(n), factor.get(), x, toBlas(incx));
  });
}

template <typename T>
static cublasStatus_t axpy(const Call &call, int64_t n, const T *alpha,
                           const T *x, int64_t incx, T *y, int64_t incy) {
  PTXJIT_REQUIRE(call, alpha);
  if (n <= 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, x && y);
  PTXJIT_TRY(call.checkRange({n, incx, incy}));
  return call.enqueue([=, factor = Scalar<T>(call, alpha)] {
    Blas<T>::axpy(toBlas(n), pass(factor.get()), x, toBlas(incx), y,
                  toBlas(incy));
  });
}

template <typename T>
static cublasStatus_t copy(const Call &call, int64_t n, const T *x,
                           int64_t incx, T *y, int64_t incy) {
  if (n <= 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, x && y);
  PTXJIT_TRY(call.checkRange({n, incx, incy}));
  return call.enqueue(
      [=] { Blas<T>::copy(toBlas(n), x, toBlas(incx), y, toBlas(incy)); });
}

template <typename T>
static cublasStatus_t swap(const Call &call, int64_t n, T *x, int64_t incx,
                           T *y, int64_t incy) {
  if (n <= 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, x && y);
  PTXJIT_TRY(call.checkRange({n, incx, incy}));
  return call.enqueue(
      [=] { Blas<T>::swap(toBlas(n), x, toBlas(incx), y, toBlas(incy)); });
}

//===----------------------------------------------------------------------===//
// Rotations
//===----------------------------------------------------------------------===//

// CBLAS has none with a complex sine.
template <typename T, typename S>
static cublasStatus_t rot(const Call &call, int64_t n, T *x, int64_t incx, T *y,
                          int64_t incy, const Real<T> *c, const S *s) {
  PTXJIT_REQUIRE(call, c && s);
  if (n <= 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, x && y);
  return call.enqueue(
      [=, cosine = Scalar<Real<T>>(call, c), sine = Scalar<S>(call, s)] {
        Real<T> c = cosine.get();
        S s = sine.get();
        for (int64_t i = 0; i < n; ++i) {
          T &a = x[offsetOf(i, n, incx)], &b = y[offsetOf(i, n, incy)];
          T rotated = c * a + s * b;
          b = c * b - conjugate(s) * a;
          a = rotated;
        }
      });
}

template <typename T>
static cublasStatus_t rotg(const Call &call, T *a, T *b, Real<T> *c, T *s) {
  PTXJIT_REQUIRE(call, a && b && c && s);
  return call.enqueueResult([=] { Blas<T>::rotg(a, b, c, s); });
}

template <typename T>
static cublasStatus_t rotm(const Call &call, int64_t n, T *x, int64_t incx,
                           T *y, int64_t incy, const T *param) {
  PTXJIT_REQUIRE(call, param);
  if (n <= 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, x && y);
  PTXJIT_TRY(call.checkRange({n, incx, incy}));
  struct Parameters {
    T values[5];
  };
  Scalar<Parameters> values(call, reinterpret_cast<const Parameters *>(param));
  return call.enqueue([=] {
    Blas<T>::rotm(toBlas(n), x, toBlas(incx), y, toBlas(incy),
                  values.get().values);
  });
}

template <typename T>
static cublasStatus_t rotmg(const Call &call, T *d1, T *d2, T *x1, const T *y1,
                            T *param) {
  PTXJIT_REQUIRE(call, d1 && d2 && x1 && y1 && param);
  return call.enqueueResult([=] { Blas<T>::rotmg(d1, d2, x1, *y1, param); });
}

#define FUNCTION(name, run, parameters, arguments)                             \
  PTXJIT_CUBLAS_DEFINE(name, run<T>, parameters, arguments)
#define PTXJIT_TABLE "ptxjit/Cublas/Level1.def"
#include "ptxjit/Cublas/EachType.inc"
