//===- Factors.cpp - factorizations of many small matrices ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenBLAS has LAPACK's functions, with Fortran's interface.
//
//===----------------------------------------------------------------------===//

#include "Blas.h"
#include "Call.h"
#include "Product.h"

#include <algorithm>
#include <memory>
#include <vector>

using namespace ptxjit::cublas;

//===----------------------------------------------------------------------===//
// LAPACK
//===----------------------------------------------------------------------===//

namespace {
template <typename T> struct Lapack;
} // namespace

#define PTXJIT_LAPACK(T, t)                                                    \
  extern "C" {                                                                 \
  void t##getrf_(const int *m, const int *n, T *a, const int *lda, int *p,     \
                 int *info);                                                   \
  void t##getri_(const int *n, T *a, const int *lda, const int *p, T *work,    \
                 const int *size, int *info);                                  \
  void t##getrs_(const char *trans, const int *n, const int *nrhs, const T *a, \
                 const int *lda, const int *p, T *b, const int *ldb,           \
                 int *info, size_t);                                           \
  void t##geqrf_(const int *m, const int *n, T *a, const int *lda, T *tau,     \
                 T *work, const int *size, int *info);                         \
  void t##gels_(const char *trans, const int *m, const int *n,                 \
                const int *nrhs, T *a, const int *lda, T *b, const int *ldb,   \
                T *work, const int *size, int *info, size_t);                  \
  }                                                                            \
  namespace {                                                                  \
  template <> struct Lapack<T> {                                               \
    static constexpr auto getrf = t##getrf_;                                   \
    static constexpr auto getri = t##getri_;                                   \
    static constexpr auto getrs = t##getrs_;                                   \
    static constexpr auto geqrf = t##geqrf_;                                   \
    static constexpr auto gels = t##gels_;                                     \
  };                                                                           \
  }
PTXJIT_LAPACK(float, s)
PTXJIT_LAPACK(double, d)
PTXJIT_LAPACK(cuComplex, c)
PTXJIT_LAPACK(cuDoubleComplex, z)

/// Factors A without exchanges of rows. \returns the first pivot that is 0,
/// counted from 1.
template <typename T> static int factor(int n, T *a, int lda) {
  int info = 0;
  for (int k = 0; k < n; ++k) {
    T *column = a + k * int64_t(lda);
    if (column[k] == T(0)) {
      info = info ? info : k + 1;
      continue;
    }
    for (int row = k + 1; row < n; ++row)
      column[row] /= column[k];
    for (int j = k + 1; j < n; ++j) {
      T *other = a + j * int64_t(lda);
      for (int row = k + 1; row < n; ++row)
        other[row] -= column[row] * other[k];
    }
  }
  return info;
}

/// Factors A. \param p  rows exchanged; null: none may be
template <typename T> static int factor(int n, T *a, int lda, int *p) {
  if (!p)
    return factor(n, a, lda);
  int info = 0;
  Lapack<T>::getrf(&n, &n, a, &lda, p, &info);
  return info;
}

/// Exchanges that exchange nothing.
static std::vector<int> noExchanges(int n) {
  std::vector<int> rows(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i)
    rows[size_t(i)] = i + 1;
  return rows;
}

/// Inverts a matrix by its factors, in place.
template <typename T> static int invert(int n, T *a, int lda, const int *p) {
  std::vector<int> none;
  if (!p)
    none = noExchanges(n);
  std::unique_ptr<T[]> work(new T[n]);
  int info = 0;
  Lapack<T>::getri(&n, a, &lda, p ? p : none.data(), work.get(), &n, &info);
  return info;
}

template <typename T>
static void copyMatrix(int rows, int columns, const T *from, int ldFrom, T *to,
                       int ldTo) {
  for (int64_t column = 0; from != to && column < columns; ++column)
    std::copy_n(from + column * ldFrom, rows, to + column * ldTo);
}

static double cube(int n) { return double(n) * double(n) * double(n); }

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

template <typename T>
static cublasStatus_t getrf(const Call &call, int n, T *const *a, int lda,
                            int *p, int *info, int count) {
  PTXJIT_REQUIRE(call, n >= 0 && count >= 0 && isLeading(lda, n));
  if (count == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, info && (n == 0 || a));
  return call.enqueue([=] {
    forEachOfBatch(count, cube(n), [=](int64_t i) {
      info[i] = n ? factor(n, a[i], lda, p ? p + i * n : nullptr) : 0;
    });
  });
}

template <typename T>
static cublasStatus_t getri(const Call &call, int n, const T *const *a, int lda,
                            const int *p, T *const *c, int ldc, int *info,
                            int count) {
  PTXJIT_REQUIRE(call, n >= 0 && count >= 0);
  PTXJIT_REQUIRE(call, isLeading(lda, n) && isLeading(ldc, n));
  if (count == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, info && (n == 0 || (a && c)));
  return call.enqueue([=] {
    forEachOfBatch(count, cube(n), [=](int64_t i) {
      info[i] = 0;
      if (n == 0)
        return;
      copyMatrix(n, n, a[i], lda, c[i], ldc);
      info[i] = invert(n, c[i], ldc, p ? p + i * n : nullptr);
    });
  });
}

/// `info` is one number on the host: which argument is wrong.
template <typename T>
static cublasStatus_t getrs(const Call &call, cublasOperation_t trans, int n,
                            int nrhs, const T *const *a, int lda, const int *p,
                            T *const *b, int ldb, int *info, int count) {
  PTXJIT_REQUIRE(call, info);
  *info = !isValid(trans)            ? -1
          : n < 0                    ? -2
          : nrhs < 0                 ? -3
          : !isLeading(lda, n)       ? -5
          : !isLeading(ldb, n)       ? -8
          : count < 0                ? -10
          : count && n && nrhs && !a ? -4
          : count && n && nrhs && !b ? -7
                                     : 0;
  PTXJIT_REQUIRE(call, *info == 0);
  if (count == 0 || n == 0 || nrhs == 0)
    return CUBLAS_STATUS_SUCCESS;
  char letter = "NTC"[trans];
  return call.enqueue([=] {
    std::vector<int> none = p ? std::vector<int>() : noExchanges(n);
    double operations = double(n) * double(n) * double(nrhs);
    forEachOfBatch(count, operations, [&](int64_t i) {
      int ignored;
      Lapack<T>::getrs(&letter, &n, &nrhs, a[i], &lda,
                       p ? p + i * n : none.data(), b[i], &ldb, &ignored, 1);
    });
  });
}

template <typename T>
static cublasStatus_t matinv(const Call &call, int n, const T *const *a,
                             int lda, T *const *inverse, int ldInverse,
                             int *info, int count) {
  PTXJIT_REQUIRE(call, n >= 0 && count >= 0);
  PTXJIT_REQUIRE(call, isLeading(lda, n) && isLeading(ldInverse, n));
  if (n > 32) // as documented
    return call.unsupported("matrices have at most 32 rows");
  if (count == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, info && (n == 0 || (a && inverse)));
  return call.enqueue([=] {
    forEachOfBatch(count, cube(n), [=](int64_t i) {
      info[i] = 0;
      if (n == 0)
        return;
      int rows[32];
      copyMatrix(n, n, a[i], lda, inverse[i], ldInverse);
      info[i] = factor(n, inverse[i], ldInverse, rows);
      if (!info[i])
        info[i] = invert(n, inverse[i], ldInverse, rows);
    });
  });
}

template <typename T>
static cublasStatus_t geqrf(const Call &call, int m, int n, T *const *a,
                            int lda, T *const *tau, int *info, int count) {
  PTXJIT_REQUIRE(call, info);
  *info = m < 0                ? -1
          : n < 0              ? -2
          : !isLeading(lda, m) ? -4
          : count < 0          ? -7
                               : 0;
  PTXJIT_REQUIRE(call, *info == 0);
  if (count == 0 || m == 0 || n == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, a && tau);
  return call.enqueue([=] {
    double operations = double(m) * double(n) * double(n);
    forEachOfBatch(count, operations, [=](int64_t i) {
      std::unique_ptr<T[]> work(new T[n]);
      int ignored;
      Lapack<T>::geqrf(&m, &n, a[i], &lda, tau[i], work.get(), &n, &ignored);
    });
  });
}

template <typename T>
static cublasStatus_t gels(const Call &call, cublasOperation_t trans, int m,
                           int n, int nrhs, T *const *a, int lda, T *const *c,
                           int ldc, int *info, int *devInfo, int count) {
  PTXJIT_REQUIRE(call, info);
  *info = !isValid(trans)                   ? -1
          : m < 0                           ? -2
          : n < 0                           ? -3
          : nrhs < 0                        ? -4
          : !isLeading(lda, m)              ? -6
          : !isLeading(ldc, std::max(m, n)) ? -8
          : count < 0                       ? -11
                                            : 0;
  PTXJIT_REQUIRE(call, *info == 0);
  if (trans != CUBLAS_OP_N || m < n) // as documented
    return call.unsupported("systems have at least as many rows as unknowns, "
                            "and are not transposed");
  if (count == 0 || n == 0 || nrhs == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, a && c);
  return call.enqueue([=] {
    double operations = double(m) * double(n) * double(n + nrhs);
    forEachOfBatch(count, operations, [=](int64_t i) {
      int size = n + std::max(m, nrhs), result;
      std::unique_ptr<T[]> work(new T[size]);
      Lapack<T>::gels("N", &m, &n, &nrhs, a[i], &lda, c[i], &ldc, work.get(),
                      &size, &result, 1);
      if (devInfo)
        devInfo[i] = result;
    });
  });
}

#define FUNCTION(name, run, parameters, arguments)                             \
  PTXJIT_CUBLAS_DEFINE(name, run<T>, parameters, arguments)
#define PTXJIT_TABLE "ptxjit/Cublas/Factors.def"
#include "ptxjit/Cublas/EachType.inc"
