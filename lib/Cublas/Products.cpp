//===- Products.cpp - the functions of products of matrices ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Blas.h"
#include "Call.h"
#include "Elements.h"
#include "Product.h"

#include <vector>

using namespace ptxjit::cublas;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static cublasStatus_t check(const Call &call, const Product &p) {
  PTXJIT_REQUIRE(call, isValid(p.transA) && isValid(p.transB));
  PTXJIT_REQUIRE(call, p.m >= 0 && p.n >= 0 && p.k >= 0);
  PTXJIT_REQUIRE(call, isLeading(p.lda, p.rowsOfA()));
  PTXJIT_REQUIRE(call, isLeading(p.ldb, p.rowsOfB()));
  PTXJIT_REQUIRE(call, isLeading(p.ldc, p.m));
  return call.checkRange({p.m, p.n, p.k, p.lda, p.ldb, p.ldc});
}

namespace {
/// alpha or beta.
class ScalarOfType {
public:
  ScalarOfType(const Call &call, cudaDataType type, const void *pointer)
      : type(type), pointer(call.isOnHost() ? nullptr : pointer) {
    if (!this->pointer)
      value = readNumber(type, pointer);
  }
  Number get() const { return pointer ? readNumber(type, pointer) : value; }

private:
  cudaDataType type;
  const void *pointer;
  Number value;
};
} // namespace

/// Enqueues a batch whose types are right.
static cublasStatus_t launch(const Call &call, const Product &p,
                             const void *alpha, const Batched &a,
                             const Batched &b, const void *beta,
                             const Batched &c, int64_t count) {
  PTXJIT_TRY(check(call, p));
  PTXJIT_REQUIRE(call, count >= 0);
  PTXJIT_REQUIRE(call, alpha && beta);
  if (p.m == 0 || p.n == 0 || count == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, c.base && (p.k == 0 || (a.base && b.base)));
  return call.enqueue([=, factor = ScalarOfType(call, p.scale, alpha),
                       old = ScalarOfType(call, p.scale, beta)] {
    multiplyAll(p, factor.get(), a, b, old.get(), c, count);
  });
}

static cublasStatus_t checkTypes(const Call &call, const Product &p,
                                 cublasComputeType_t compute) {
  PTXJIT_REQUIRE(call, scaleOf(compute, false) >= 0);
  if (isSupported(p, compute))
    return CUBLAS_STATUS_SUCCESS;
  return call.unsupported("no products of types " + std::to_string(p.typeA) +
                          " and " + std::to_string(p.typeB) + " in type " +
                          std::to_string(p.typeC));
}

//===----------------------------------------------------------------------===//
// One type
//===----------------------------------------------------------------------===//

template <typename T>
static Product productOf(cublasOperation_t transa, cublasOperation_t transb,
                         int64_t m, int64_t n, int64_t k, int64_t lda,
                         int64_t ldb, int64_t ldc) {
  constexpr cudaDataType type = kTypeOf<T>;
  return {transa, transb, m, n, k, type, type, type, lda, ldb, ldc, type};
}

template <typename T>
static cublasStatus_t
gemm(const Call &call, cublasOperation_t transa, cublasOperation_t transb,
     int64_t m, int64_t n, int64_t k, const T *alpha, const T *a, int64_t lda,
     const T *b, int64_t ldb, const T *beta, T *c, int64_t ldc) {
  return launch(call, productOf<T>(transa, transb, m, n, k, lda, ldb, ldc),
                alpha, {a}, {b}, beta, {c}, 1);
}

template <typename T>
static cublasStatus_t gemmBatched(const Call &call, cublasOperation_t transa,
                                  cublasOperation_t transb, int64_t m,
                                  int64_t n, int64_t k, const T *alpha,
                                  const T *const *a, int64_t lda,
                                  const T *const *b, int64_t ldb, const T *beta,
                                  T *const *c, int64_t ldc, int64_t count) {
  return launch(call, productOf<T>(transa, transb, m, n, k, lda, ldb, ldc),
                alpha, {a, 0, true}, {b, 0, true}, beta, {c, 0, true}, count);
}

template <typename T>
static cublasStatus_t
gemmStrided(const Call &call, cublasOperation_t transa,
            cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
            const T *alpha, const T *a, int64_t lda, int64_t strideA,
            const T *b, int64_t ldb, int64_t strideB, const T *beta, T *c,
            int64_t ldc, int64_t strideC, int64_t count) {
  return launch(call, productOf<T>(transa, transb, m, n, k, lda, ldb, ldc),
                alpha, {a, strideA}, {b, strideB}, beta, {c, strideC}, count);
}

//===----------------------------------------------------------------------===//
// Types that arguments name
//===----------------------------------------------------------------------===//

/// \param S  the type of alpha and beta, and of what is computed
template <typename S>
static cublasStatus_t
gemmOf(const Call &call, cublasOperation_t transa, cublasOperation_t transb,
       int64_t m, int64_t n, int64_t k, const S *alpha, const void *a,
       cudaDataType aType, int64_t lda, const void *b, cudaDataType bType,
       int64_t ldb, const S *beta, void *c, cudaDataType cType, int64_t ldc) {
  Product p = {transa, transb, m,   n,   k,   aType,
               bType,  cType,  lda, ldb, ldc, kTypeOf<S>};
  PTXJIT_TRY(checkTypes(call, p, CUBLAS_COMPUTE_32F));
  return launch(call, p, alpha, {a}, {b}, beta, {c}, 1);
}

/// A product as arguments describe it.
static Product productOf(cublasOperation_t transa, cublasOperation_t transb,
                         int64_t m, int64_t n, int64_t k, cudaDataType aType,
                         int64_t lda, cudaDataType bType, int64_t ldb,
                         cudaDataType cType, int64_t ldc,
                         cublasComputeType_t compute) {
  return {transa, transb, m,     n,
          k,      aType,  bType, cType,
          lda,    ldb,    ldc,   scaleOf(compute, isComplexType(cType))};
}

static cublasStatus_t gemmEx(const Call &call, cublasOperation_t transa,
                             cublasOperation_t transb, int64_t m, int64_t n,
                             int64_t k, const void *alpha, const void *a,
                             cudaDataType aType, int64_t lda, const void *b,
                             cudaDataType bType, int64_t ldb, const void *beta,
                             void *c, cudaDataType cType, int64_t ldc,
                             cublasComputeType_t compute, cublasGemmAlgo_t) {
  Product p = productOf(transa, transb, m, n, k, aType, lda, bType, ldb, cType,
                        ldc, compute);
  PTXJIT_TRY(checkTypes(call, p, compute));
  return launch(call, p, alpha, {a}, {b}, beta, {c}, 1);
}

static cublasStatus_t gemmBatchedEx(
    const Call &call, cublasOperation_t transa, cublasOperation_t transb,
    int64_t m, int64_t n, int64_t k, const void *alpha, const void *const *a,
    cudaDataType aType, int64_t lda, const void *const *b, cudaDataType bType,
    int64_t ldb, const void *beta, void *const *c, cudaDataType cType,
    int64_t ldc, int64_t count, cublasComputeType_t compute, cublasGemmAlgo_t) {
  Product p = productOf(transa, transb, m, n, k, aType, lda, bType, ldb, cType,
                        ldc, compute);
  PTXJIT_TRY(checkTypes(call, p, compute));
  return launch(call, p, alpha, {a, 0, true}, {b, 0, true}, beta, {c, 0, true},
                count);
}

static cublasStatus_t
gemmStridedEx(const Call &call, cublasOperation_t transa,
              cublasOperation_t transb, int64_t m, int64_t n, int64_t k,
              const void *alpha, const void *a, cudaDataType aType, int64_t lda,
              int64_t strideA, const void *b, cudaDataType bType, int64_t ldb,
              int64_t strideB, const void *beta, void *c, cudaDataType cType,
              int64_t ldc, int64_t strideC, int64_t count,
              cublasComputeType_t compute, cublasGemmAlgo_t) {
  Product p = productOf(transa, transb, m, n, k, aType, lda, bType, ldb, cType,
                        ldc, compute);
  PTXJIT_TRY(checkTypes(call, p, compute));
  return launch(call, p, alpha, {a, strideA}, {b, strideB}, beta, {c, strideC},
                count);
}

//===----------------------------------------------------------------------===//
// Groups of batches
//===----------------------------------------------------------------------===//

namespace {
/// A batch of a call with several.
struct Group {
  Product product;
  Number alpha, beta; ///< always on the host
  int64_t first, count;
};
} // namespace

template <typename Int>
static cublasStatus_t gemmGroupedEx(
    const Call &call, const cublasOperation_t *transa,
    const cublasOperation_t *transb, const Int *m, const Int *n, const Int *k,
    const void *alpha, const void *const *a, cudaDataType aType, const Int *lda,
    const void *const *b, cudaDataType bType, const Int *ldb, const void *beta,
    void *const *c, cudaDataType cType, const Int *ldc, Int groupCount,
    const Int *groupSize, cublasComputeType_t compute) {
  PTXJIT_REQUIRE(call, groupCount >= 0);
  if (groupCount == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, transa && transb && m && n && k && alpha && a && lda);
  PTXJIT_REQUIRE(call, b && ldb && beta && c && ldc && groupSize);
  std::vector<Group> groups;
  int64_t first = 0;
  for (Int i = 0; i < groupCount; ++i) {
    Product p = productOf(transa[i], transb[i], m[i], n[i], k[i], aType, lda[i],
                          bType, ldb[i], cType, ldc[i], compute);
    PTXJIT_TRY(checkTypes(call, p, compute));
    PTXJIT_TRY(check(call, p));
    PTXJIT_REQUIRE(call, groupSize[i] >= 0);
    groups.push_back({p, readNumber(p.scale, elementOf(p.scale, alpha, i)),
                      readNumber(p.scale, elementOf(p.scale, beta, i)), first,
                      groupSize[i]});
    first += groupSize[i];
  }
  return call.enqueue([=, groups = std::move(groups)] {
    for (const Group &group : groups)
      multiplyAll(group.product, group.alpha, {a + group.first, 0, true},
                  {b + group.first, 0, true}, group.beta,
                  {c + group.first, 0, true}, group.count);
  });
}

template <typename T, typename Int>
static cublasStatus_t
gemmGrouped(const Call &call, const cublasOperation_t *transa,
            const cublasOperation_t *transb, const Int *m, const Int *n,
            const Int *k, const T *alpha, const T *const *a, const Int *lda,
            const T *const *b, const Int *ldb, const T *beta, T *const *c,
            const Int *ldc, Int groupCount, const Int *groupSize) {
  constexpr cudaDataType type = kTypeOf<T>;
  return gemmGroupedEx(
      call, transa, transb, m, n, k, alpha,
      reinterpret_cast<const void *const *>(a), type, lda,
      reinterpret_cast<const void *const *>(b), type, ldb, beta,
      reinterpret_cast<void *const *>(c), type, ldc, groupCount, groupSize,
      type == CUDA_R_32F ? CUBLAS_COMPUTE_32F : CUBLAS_COMPUTE_64F);
}

//===----------------------------------------------------------------------===//
// Matrices and vectors
//===----------------------------------------------------------------------===//

/// A batch of products of matrices and vectors, of real types: y' = x' *
/// op(A)', where x' and y' are matrices of one row.
/// \param X  the type of A and x \param Y  that of y
template <typename X, typename Y, typename S>
static cublasStatus_t
multiplyVectors(const Call &call, cublasOperation_t trans, int64_t m, int64_t n,
                const S *alpha, const Batched &a, int64_t lda, const Batched &x,
                int64_t incx, const S *beta, const Batched &y, int64_t incy,
                int64_t count) {
  PTXJIT_REQUIRE(call, isValid(trans));
  PTXJIT_REQUIRE(call, m >= 0 && n >= 0 && isLeading(lda, m));
  PTXJIT_REQUIRE(call, incx != 0 && incy != 0);
  if (incx < 0 || incy < 0)
    return call.unsupported("increments of batches have to be positive");
  if (m == 0 || n == 0)
    return CUBLAS_STATUS_SUCCESS;
  bool isPlain = trans == CUBLAS_OP_N;
  Product p = {CUBLAS_OP_N,
               isPlain ? CUBLAS_OP_T : CUBLAS_OP_N,
               1,
               isPlain ? m : n,
               isPlain ? n : m,
               kTypeOf<X>,
               kTypeOf<X>,
               kTypeOf<Y>,
               incx,
               lda,
               incy,
               kTypeOf<S>};
  return launch(call, p, alpha, x, a, beta, y, count);
}

template <typename X, typename Y>
static cublasStatus_t
narrowGemvBatched(const Call &call, cublasOperation_t trans, int64_t m,
                  int64_t n, const float *alpha, const X *const *a, int64_t lda,
                  const X *const *x, int64_t incx, const float *beta,
                  Y *const *y, int64_t incy, int64_t count) {
  return multiplyVectors<X, Y>(call, trans, m, n, alpha, {a, 0, true}, lda,
                               {x, 0, true}, incx, beta, {y, 0, true}, incy,
                               count);
}

template <typename X, typename Y>
static cublasStatus_t
narrowGemvStrided(const Call &call, cublasOperation_t trans, int64_t m,
                  int64_t n, const float *alpha, const X *a, int64_t lda,
                  int64_t strideA, const X *x, int64_t incx, int64_t strideX,
                  const float *beta, Y *y, int64_t incy, int64_t strideY,
                  int64_t count) {
  return multiplyVectors<X, Y>(call, trans, m, n, alpha, {a, strideA}, lda,
                               {x, strideX}, incx, beta, {y, strideY}, incy,
                               count);
}

/// A batch of one type.
template <typename T>
static cublasStatus_t gemvAll(const Call &call, cublasOperation_t trans,
                              int64_t m, int64_t n, const T *alpha,
                              const Batched &a, int64_t lda, const Batched &x,
                              int64_t incx, const T *beta, const Batched &y,
                              int64_t incy, int64_t count) {
  PTXJIT_REQUIRE(call, isValid(trans));
  PTXJIT_REQUIRE(call, m >= 0 && n >= 0 && isLeading(lda, m) && count >= 0);
  PTXJIT_REQUIRE(call, incx != 0 && incy != 0);
  PTXJIT_REQUIRE(call, alpha && beta);
  if (m == 0 || n == 0 || count == 0)
    return CUBLAS_STATUS_SUCCESS;
  PTXJIT_REQUIRE(call, a.base && x.base && y.base);
  PTXJIT_TRY(call.checkRange({m, n, lda, incx, incy}));
  constexpr cudaDataType type = kTypeOf<T>;
  return call.enqueue(
      [=, factor = Scalar<T>(call, alpha), old = Scalar<T>(call, beta)] {
        forEachOfBatch(count, double(m) * double(n), [&](int64_t i) {
          T alpha = factor.get(), beta = old.get();
          T *out = static_cast<T *>(y.at(type, i));
          int64_t rows = trans == CUBLAS_OP_N ? m : n;
          for (int64_t row = 0; beta == T(0) && row < rows; ++row)
            out[offsetOf(row, rows, incy)] = T(0);
          Blas<T>::gemv(CblasColMajor, toBlas(trans), toBlas(m), toBlas(n),
                        pass(alpha), static_cast<T *>(a.at(type, i)),
                        toBlas(lda), static_cast<T *>(x.at(type, i)),
                        toBlas(incx), pass(beta), out, toBlas(incy));
        });
      });
}

template <typename T>
static cublasStatus_t
gemvBatched(const Call &call, cublasOperation_t trans, int64_t m, int64_t n,
            const T *alpha, const T *const *a, int64_t lda, const T *const *x,
            int64_t incx, const T *beta, T *const *y, int64_t incy,
            int64_t count) {
  return gemvAll(call, trans, m, n, alpha, {a, 0, true}, lda, {x, 0, true},
                 incx, beta, {y, 0, true}, incy, count);
}

template <typename T>
static cublasStatus_t
gemvStrided(const Call &call, cublasOperation_t trans, int64_t m, int64_t n,
            const T *alpha, const T *a, int64_t lda, int64_t strideA,
            const T *x, int64_t incx, int64_t strideX, const T *beta, T *y,
            int64_t incy, int64_t strideY, int64_t count) {
  return gemvAll(call, trans, m, n, alpha, {a, strideA}, lda, {x, strideX},
                 incx, beta, {y, strideY}, incy, count);
}

#define FUNCTION(name, run, parameters, arguments)                             \
  PTXJIT_CUBLAS_DEFINE(name, run<T>, parameters, arguments)
#define PTXJIT_TABLE "ptxjit/Cublas/Products.def"
#include "ptxjit/Cublas/EachType.inc"
#undef PTXJIT_TABLE
#undef FUNCTION

#define FUNCTION PTXJIT_CUBLAS_DEFINE
#define NAME(base) PTXJIT_WIDTH(cublas##base)
#define PTXJIT_TABLE "ptxjit/Cublas/Mixed.def"
#include "ptxjit/Cublas/EachWidth.inc"
