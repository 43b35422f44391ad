//===- LevelsTest.cpp - the functions of BLAS -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"

using namespace cublastest;

namespace {
template <typename T> class CublasLevels : public Cublas {};
using Types = testing::Types<float, double, cuComplex, cuDoubleComplex>;

#define OVERLOAD(base, T, t)                                                   \
  template <typename... Arguments>                                             \
  cublasStatus_t base(T, Arguments... arguments) {                             \
    return cublas##t(arguments...);                                            \
  }
#define OVERLOADS4(base, s, d, c, z)                                           \
  OVERLOAD(base, float, s)                                                     \
  OVERLOAD(base, double, d)                                                    \
  OVERLOAD(base, cuComplex, c)                                                 \
  OVERLOAD(base, cuDoubleComplex, z)
#define OVERLOADS(base, name)                                                  \
  OVERLOADS4(base, S##name, D##name, C##name, Z##name)
OVERLOADS4(nrm2, Snrm2_v2, Dnrm2_v2, Scnrm2_v2, Dznrm2_v2)
OVERLOADS4(asum, Sasum_v2, Dasum_v2, Scasum_v2, Dzasum_v2)
OVERLOADS4(amax, Isamax_v2, Idamax_v2, Icamax_v2, Izamax_v2)
OVERLOADS4(amin64, Isamin_v2_64, Idamin_v2_64, Icamin_v2_64, Izamin_v2_64)
OVERLOADS4(dotc, Sdot_v2, Ddot_v2, Cdotc_v2, Zdotc_v2)
OVERLOADS4(hemv, Ssymv_v2, Dsymv_v2, Chemv_v2, Zhemv_v2)
OVERLOADS4(gerc, Sger_v2, Dger_v2, Cgerc_v2, Zgerc_v2)
OVERLOADS4(hemm, Ssymm_v2, Dsymm_v2, Chemm_v2, Zhemm_v2)
OVERLOADS4(herk, Ssyrk_v2, Dsyrk_v2, Cherk_v2, Zherk_v2)
OVERLOADS4(her2k, Ssyr2k_v2, Dsyr2k_v2, Cher2k_v2, Zher2k_v2)
OVERLOADS4(herkx, Ssyrkx, Dsyrkx, Cherkx, Zherkx)
OVERLOADS(scal, scal_v2)
OVERLOADS(axpy, axpy_v2)
OVERLOADS(copy, copy_v2)
OVERLOADS(swap, swap_v2)
OVERLOADS(rot, rot_v2)
OVERLOADS(gemv, gemv_v2)
OVERLOADS(symv, symv_v2)
OVERLOADS(syr, syr_v2)
OVERLOADS(syr2, syr2_v2)
OVERLOADS(trmv, trmv_v2)
OVERLOADS(trsv, trsv_v2)
OVERLOADS(syrk, syrk_v2)
OVERLOADS(trmm, trmm_v2)
OVERLOADS(trsm, trsm_v2)
OVERLOADS(geam, geam)
OVERLOADS(dgmm, dgmm)
OVERLOADS(trttp, trttp)
OVERLOADS(tpmv, tpmv_v2)
OVERLOADS(getrf, getrfBatched)
OVERLOADS(getrs, getrsBatched)
OVERLOADS(getri, getriBatched)
OVERLOADS(matinv, matinvBatched)

constexpr cublasFillMode_t kFills[] = {CUBLAS_FILL_MODE_LOWER,
                                       CUBLAS_FILL_MODE_UPPER};
constexpr cublasOperation_t kOps[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

bool isInside(cublasFillMode_t uplo, int row, int column) {
  return uplo == CUBLAS_FILL_MODE_LOWER ? row >= column : row <= column;
}

/// The whole of a matrix of which a triangle is stored.
template <typename T>
std::vector<T> complete(const std::vector<T> &a, int n, cublasFillMode_t uplo,
                        bool isHermitian) {
  std::vector<T> all = a;
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < n; ++row) {
      T value = isInside(uplo, row, column) ? a[size_t(row + column * n)]
                : isHermitian ? conjugate(a[size_t(column + row * n)])
                              : a[size_t(column + row * n)];
      if (isHermitian && row == column)
        value = T(std::real(value));
      all[size_t(row + column * n)] = value;
    }
  return all;
}

/// A triangle alone, with zeros elsewhere.
template <typename T>
std::vector<T> cut(const std::vector<T> &a, int n, cublasFillMode_t uplo,
                   bool isUnit) {
  std::vector<T> triangle(a.size());
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < n; ++row)
      triangle[size_t(row + column * n)] = row == column && isUnit ? T(1)
                                           : isInside(uplo, row, column)
                                               ? a[size_t(row + column * n)]
                                               : T(0);
  return triangle;
}
template <typename T> T nan() {
  return T(std::numeric_limits<float>::quiet_NaN());
}
} // namespace
TYPED_TEST_SUITE(CublasLevels, Types);

TYPED_TEST(CublasLevels, Vectors) {
  using T = TypeParam;
  using R = decltype(std::real(T()));
  constexpr int n = 7;
  std::vector<T> xs = randomNumbers<T>(2 * n, 1), ys = randomNumbers<T>(n, 2);
  double squares = 0, sum = 0;
  WideOf<T> product = 0;
  for (size_t i = 0; i < n; ++i) {
    auto x = WideOf<T>(xs[2 * i]);
    squares += std::norm(x);
    sum += std::abs(std::real(x)) + std::abs(std::imag(x));
    product += conjugate(x) * WideOf<T>(ys[i]);
  }
  Buffer<T> x(xs), y(ys), dot(1);
  R norm = 0;
  EXPECT_EQ(nrm2(T(), this->handle, n, x.get(), 2, &norm),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_CLOSE(R, norm, std::sqrt(squares));
  EXPECT_EQ(asum(T(), this->handle, n, x.get(), 2, &norm),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_CLOSE(R, norm, sum);
  EXPECT_EQ(asum(T(), this->handle, 0, (T *)nullptr, 2, &norm),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(norm, R(0));
  EXPECT_EQ(nrm2(T(), this->handle, n, x.get(), 2, (R *)nullptr),
            CUBLAS_STATUS_INVALID_VALUE);
  x[8] = T(9);
  x[4] = T(0);
  int largest = 0;
  int64_t smallest = 0;
  EXPECT_EQ(amax(T(), this->handle, n, x.get(), 2, &largest),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(amin64(T(), this->handle, n, x.get(), 2, &smallest),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(largest, 5);
  EXPECT_EQ(smallest, 3);
  x[8] = xs[8];
  x[4] = xs[4];
  this->setMode(CUBLAS_POINTER_MODE_DEVICE);
  EXPECT_EQ(dotc(T(), this->handle, n, x.get(), 2, y.get(), 1, dot.get()),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(scal(T(), this->handle, n, dot.get(), y.get(), 1),
            CUBLAS_STATUS_SUCCESS);
  this->setMode(CUBLAS_POINTER_MODE_HOST);
  T two = 2;
  // Backwards.
  EXPECT_EQ(axpy(T(), this->handle, n, &two, x.get(), -2, y.get(), 1),
            CUBLAS_STATUS_SUCCESS);
  two = T(99); // was read at the call
  this->wait();
  EXPECT_CLOSE(T, dot[0], product);
  for (size_t i = 0; i < n; ++i)
    EXPECT_CLOSE(T, y[i],
                 product * WideOf<T>(ys[i]) +
                     2. * WideOf<T>(xs[2 * (n - 1 - i)]));
  EXPECT_EQ(copy(T(), this->handle, n, x.get(), 2, y.get(), 1),
            CUBLAS_STATUS_SUCCESS);
  R c = R(0.6);
  T s = T(0.8);
  EXPECT_EQ(rot(T(), this->handle, n, x.get(), 2, y.get(), 1, &c, &s),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(swap(T(), this->handle, n, x.get(), 2, y.get(), 1),
            CUBLAS_STATUS_SUCCESS);
  this->wait();
  for (size_t i = 0; i < n; ++i) {
    EXPECT_CLOSE(T, y[i], 1.4 * WideOf<T>(xs[2 * i]));
    EXPECT_CLOSE(T, x[2 * i], -0.2 * WideOf<T>(xs[2 * i]));
  }
}

TYPED_TEST(CublasLevels, MatricesAndVectors) {
  using T = TypeParam;
  constexpr int n = 5;
  std::vector<T> as = randomNumbers<T>(n * n, 1), xs = randomNumbers<T>(n, 2);
  Buffer<T> a(as), x(xs), y(n);
  T two = 2, zero = 0;
  for (cublasOperation_t op : kOps) {
    std::fill_n(y.get(), n, nan<T>());
    EXPECT_EQ(gemv(T(), this->handle, op, n, n, &two, a.get(), n, x.get(), 1,
                   &zero, y.get(), -1),
              CUBLAS_STATUS_SUCCESS);
    this->wait();
    for (int row = 0; row < n; ++row)
      EXPECT_CLOSE(
          T, y[size_t(n - 1 - row)],
          2. * dotOf(as.data(), n, op, xs.data(), n, CUBLAS_OP_N, row, 0, n));
  }
  for (cublasFillMode_t uplo : kFills)
    for (bool isHermitian : {false, true}) {
      std::fill_n(y.get(), n, nan<T>());
      auto run = [&](auto... arguments) {
        return isHermitian ? hemv(T(), arguments...) : symv(T(), arguments...);
      };
      EXPECT_EQ(run(this->handle, uplo, n, &two, a.get(), n, x.get(), 1, &zero,
                    y.get(), 1),
                CUBLAS_STATUS_SUCCESS);
      this->wait();
      std::vector<T> all = complete(as, n, uplo, isHermitian);
      for (int row = 0; row < n; ++row)
        EXPECT_CLOSE(T, y[size_t(row)],
                     2. * dotOf(all.data(), n, CUBLAS_OP_N, xs.data(), n,
                                CUBLAS_OP_N, row, 0, n));
    }
  EXPECT_EQ(gemv(T(), this->handle, CUBLAS_OP_N, n, n, &two, a.get(), n,
                 x.get(), 0, &zero, y.get(), 1),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(gemv(T(), this->handle, CUBLAS_OP_N, n, n, &two, a.get(), n - 1,
                 x.get(), 1, &zero, y.get(), 1),
            CUBLAS_STATUS_INVALID_VALUE);
}

TYPED_TEST(CublasLevels, TriangularVectors) {
  using T = TypeParam;
  constexpr int n = 4;
  std::vector<T> as = randomNumbers<T>(n * n, 1), xs = randomNumbers<T>(n, 2);
  for (size_t i = 0; i < n; ++i)
    as[i * (n + 1)] += T(3);
  Buffer<T> a(as), packed(n * (n + 1) / 2);
  for (cublasFillMode_t uplo : kFills)
    for (cublasOperation_t op : kOps)
      for (cublasDiagType_t diag : {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT}) {
        Buffer<T> x(xs), y(xs);
        EXPECT_EQ(
            trmv(T(), this->handle, uplo, op, diag, n, a.get(), n, x.get(), 1),
            CUBLAS_STATUS_SUCCESS);
        EXPECT_EQ(trttp(T(), this->handle, uplo, n, a.get(), n, packed.get()),
                  CUBLAS_STATUS_SUCCESS);
        EXPECT_EQ(tpmv(T(), this->handle, uplo, op, diag, n, packed.get(),
                       y.get(), 1),
                  CUBLAS_STATUS_SUCCESS);
        this->wait();
        std::vector<T> triangle = cut(as, n, uplo, diag == CUBLAS_DIAG_UNIT);
        for (int row = 0; row < n; ++row) {
          WideOf<T> sum = dotOf(triangle.data(), n, op, xs.data(), n,
                                CUBLAS_OP_N, row, 0, n);
          EXPECT_CLOSE(T, x[size_t(row)], sum);
          EXPECT_CLOSE(T, y[size_t(row)], sum);
        }
        EXPECT_EQ(
            trsv(T(), this->handle, uplo, op, diag, n, a.get(), n, x.get(), 1),
            CUBLAS_STATUS_SUCCESS);
        this->wait();
        for (size_t row = 0; row < n; ++row)
          EXPECT_CLOSE(T, x[row], xs[row]);
      }
}

TYPED_TEST(CublasLevels, UpdatesByVectors) {
  using T = TypeParam;
  constexpr int n = 4;
  std::vector<T> as = randomNumbers<T>(n * n, 1), xs = randomNumbers<T>(n, 2),
                 ys = randomNumbers<T>(n, 3);
  Buffer<T> x(xs), y(ys);
  T two = 2;
  {
    Buffer<T> a(as);
    EXPECT_EQ(
        gerc(T(), this->handle, n, n, &two, x.get(), 1, y.get(), 1, a.get(), n),
        CUBLAS_STATUS_SUCCESS);
    this->wait();
    for (size_t i = 0; i < n * n; ++i)
      EXPECT_CLOSE(T, a[i],
                   WideOf<T>(as[i]) + 2. * WideOf<T>(xs[i % n]) *
                                          conjugate(WideOf<T>(ys[i / n])));
  }
  for (cublasFillMode_t uplo : kFills) {
    Buffer<T> a(as), b(as);
    EXPECT_EQ(syr(T(), this->handle, uplo, n, &two, x.get(), 1, a.get(), n),
              CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(syr2(T(), this->handle, uplo, n, &two, x.get(), 1, y.get(), 1,
                   b.get(), n),
              CUBLAS_STATUS_SUCCESS);
    this->wait();
    for (size_t i = 0; i < n * n; ++i) {
      size_t row = i % n, column = i / n;
      double factor = isInside(uplo, int(row), int(column)) ? 2 : 0;
      auto x1 = WideOf<T>(xs[row]), x2 = WideOf<T>(xs[column]);
      auto y1 = WideOf<T>(ys[row]), y2 = WideOf<T>(ys[column]);
      EXPECT_CLOSE(T, a[i], WideOf<T>(as[i]) + factor * x1 * x2);
      EXPECT_CLOSE(T, b[i], WideOf<T>(as[i]) + factor * (x1 * y2 + y1 * x2));
    }
  }
}

TYPED_TEST(CublasLevels, SymmetricMatrices) {
  using T = TypeParam;
  using R = decltype(std::real(T()));
  constexpr int n = 4, k = 3;
  std::vector<T> as = randomNumbers<T>(n * n, 1),
                 bs = randomNumbers<T>(n * n, 2);
  Buffer<T> a(as), b(bs), c(n * n), d(n * n), e(n * n);
  T two = 2, zero = 0;
  R rTwo = 2, rZero = 0;
  for (cublasFillMode_t uplo : kFills) {
    for (cublasSideMode_t side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {
      std::fill_n(c.get(), n * n, nan<T>());
      EXPECT_EQ(hemm(T(), this->handle, side, uplo, n, n, &two, a.get(), n,
                     b.get(), n, &zero, c.get(), n),
                CUBLAS_STATUS_SUCCESS);
      this->wait();
      std::vector<T> all = complete(as, n, uplo, true);
      bool isLeft = side == CUBLAS_SIDE_LEFT;
      for (int i = 0; i < n * n; ++i)
        EXPECT_CLOSE(T, c[size_t(i)],
                     2. * dotOf(isLeft ? all.data() : bs.data(), n, CUBLAS_OP_N,
                                isLeft ? bs.data() : all.data(), n, CUBLAS_OP_N,
                                i % n, i / n, n));
    }
    cublasOperation_t hermitian = CUBLAS_OP_C;
    for (cublasOperation_t op : {CUBLAS_OP_N, hermitian}) {
      for (Buffer<T> *out : {&c, &d, &e})
        std::fill_n(out->get(), n * n, nan<T>());
      EXPECT_EQ(herk(T(), this->handle, uplo, op, n, k, &rTwo, a.get(), n,
                     &rZero, c.get(), n),
                CUBLAS_STATUS_SUCCESS);
      EXPECT_EQ(her2k(T(), this->handle, uplo, op, n, k, &two, a.get(), n,
                      b.get(), n, &rZero, d.get(), n),
                CUBLAS_STATUS_SUCCESS);
      EXPECT_EQ(herkx(T(), this->handle, uplo, op, n, k, &two, a.get(), n,
                      a.get(), n, &rZero, e.get(), n),
                CUBLAS_STATUS_SUCCESS);
      this->wait();
      cublasOperation_t other = op == CUBLAS_OP_N ? CUBLAS_OP_C : CUBLAS_OP_N;
      for (int i = 0; i < n * n; ++i) {
        int row = i % n, column = i / n;
        auto at = size_t(i);
        if (!isInside(uplo, row, column)) {
          EXPECT_NE(c[at], c[at]); // still NaN
          continue;
        }
        WideOf<T> once =
            dotOf(as.data(), n, op, as.data(), n, other, row, column, k);
        EXPECT_CLOSE(T, c[at], 2. * once);
        EXPECT_CLOSE(T, e[at], 2. * once);
        EXPECT_CLOSE(
            T, d[at],
            2. *
                (dotOf(as.data(), n, op, bs.data(), n, other, row, column, k) +
                 dotOf(bs.data(), n, op, as.data(), n, other, row, column, k)));
      }
    }
  }
  if (isComplex<T>)
    EXPECT_EQ(syrk(T(), this->handle, kFills[0], CUBLAS_OP_C, n, k, &two,
                   a.get(), n, &zero, c.get(), n),
              CUBLAS_STATUS_INVALID_VALUE);
}

TYPED_TEST(CublasLevels, TriangularMatrices) {
  using T = TypeParam;
  constexpr int n = 4, columns = 3;
  std::vector<T> as = randomNumbers<T>(n * n, 1),
                 bs = randomNumbers<T>(n * columns, 2);
  for (size_t i = 0; i < n; ++i)
    as[i * (n + 1)] += T(3);
  Buffer<T> a(as), b(bs), c(n * columns);
  T two = 2, half = T(0.5);
  for (cublasFillMode_t uplo : kFills)
    for (cublasOperation_t op : kOps) {
      EXPECT_EQ(trmm(T(), this->handle, CUBLAS_SIDE_LEFT, uplo, op,
                     CUBLAS_DIAG_NON_UNIT, n, columns, &two, a.get(), n,
                     b.get(), n, c.get(), n),
                CUBLAS_STATUS_SUCCESS);
      this->wait();
      std::vector<T> triangle = cut(as, n, uplo, false);
      for (int i = 0; i < n * columns; ++i)
        EXPECT_CLOSE(T, c[size_t(i)],
                     2. * dotOf(triangle.data(), n, op, bs.data(), n,
                                CUBLAS_OP_N, i % n, i / n, n));
      EXPECT_EQ(trsm(T(), this->handle, CUBLAS_SIDE_LEFT, uplo, op,
                     CUBLAS_DIAG_NON_UNIT, n, columns, &half, a.get(), n,
                     c.get(), n),
                CUBLAS_STATUS_SUCCESS);
      this->wait();
      for (size_t i = 0; i < n * columns; ++i)
        EXPECT_CLOSE(T, c[i], bs[i]);
    }
}

TYPED_TEST(CublasLevels, SumsAndDiagonals) {
  using T = TypeParam;
  constexpr int n = 3;
  std::vector<T> as = randomNumbers<T>(n * n, 1),
                 bs = randomNumbers<T>(n * n, 2);
  Buffer<T> a(as), b(bs), c(std::vector<T>(n * n, nan<T>()));
  T two = 2, three = 3, zero = 0;
  EXPECT_EQ(geam(T(), this->handle, CUBLAS_OP_C, CUBLAS_OP_N, n, n, &two,
                 a.get(), n, &three, b.get(), n, c.get(), n),
            CUBLAS_STATUS_SUCCESS);
  this->wait();
  for (size_t i = 0; i < n * n; ++i)
    EXPECT_CLOSE(T, c[i],
                 2. * conjugate(WideOf<T>(as[i / n + i % n * n])) +
                     3. * WideOf<T>(bs[i]));
  // In place, and without B.
  EXPECT_EQ(geam(T(), this->handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, &two,
                 a.get(), n, &zero, (T *)nullptr, n, a.get(), n),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(geam(T(), this->handle, CUBLAS_OP_T, CUBLAS_OP_N, n, n, &two,
                 a.get(), n, &zero, b.get(), n, a.get(), n),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(dgmm(T(), this->handle, CUBLAS_SIDE_RIGHT, n, n, a.get(), n,
                 b.get(), -1, c.get(), n),
            CUBLAS_STATUS_SUCCESS);
  this->wait();
  for (size_t i = 0; i < n * n; ++i)
    EXPECT_CLOSE(T, c[i], 2. * WideOf<T>(as[i]) * WideOf<T>(bs[n - 1 - i / n]));
}

TYPED_TEST(CublasLevels, Factorizations) {
  using T = TypeParam;
  constexpr int n = 4, count = 3;
  std::vector<T> as = randomNumbers<T>(n * n * count, 1),
                 bs = randomNumbers<T>(n * count, 2);
  Buffer<T> a(as), b(bs), inverse(n * n * count), other(n * n * count),
      original(as);
  Buffer<int> pivots(n * count), info(std::vector<int>(count, -7));
  Buffer<T *> aAt(count), bAt(count), inverseAt(count), otherAt(count),
      originalAt(count);
  for (size_t i = 0; i < count; ++i) {
    aAt[i] = a.get() + i * n * n;
    bAt[i] = b.get() + i * n;
    inverseAt[i] = inverse.get() + i * n * n;
    otherAt[i] = other.get() + i * n * n;
    originalAt[i] = original.get() + i * n * n;
  }
  EXPECT_EQ(matinv(T(), this->handle, n, originalAt.get(), n, otherAt.get(), n,
                   info.get(), count),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(getrf(T(), this->handle, n, aAt.get(), n, pivots.get(), info.get(),
                  count),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(getri(T(), this->handle, n, aAt.get(), n, pivots.get(),
                  inverseAt.get(), n, info.get(), count),
            CUBLAS_STATUS_SUCCESS);
  int result = -1;
  EXPECT_EQ(getrs(T(), this->handle, CUBLAS_OP_N, n, 1, aAt.get(), n,
                  pivots.get(), bAt.get(), n, &result, count),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(result, 0);
  this->wait();
  const double tolerance = 200 * kTolerance<T>;
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(info[size_t(i)], 0);
    const T *matrix = as.data() + i * n * n;
    for (int row = 0; row < n; ++row) {
      EXPECT_LE(std::abs(dotOf(matrix, n, CUBLAS_OP_N, b.get() + i * n, n,
                               CUBLAS_OP_N, row, 0, n) -
                         WideOf<T>(bs[size_t(i * n + row)])),
                tolerance);
      for (int column = 0; column < n; ++column)
        for (const Buffer<T> *found : {&inverse, &other})
          EXPECT_LE(
              std::abs(dotOf(matrix, n, CUBLAS_OP_N, found->get() + i * n * n,
                             n, CUBLAS_OP_N, row, column, n) -
                       WideOf<T>(row == column)),
              tolerance);
    }
  }
}

TEST_F(Cublas, VectorsOfNamedTypes) {
  // 3 and 4, as halves.
  Buffer<uint16_t> x(std::vector<uint16_t>{0x4200, 0x4400}), result(1);
  setMode(CUBLAS_POINTER_MODE_DEVICE);
  EXPECT_EQ(cublasNrm2Ex(handle, 2, x.get(), CUDA_R_16F, 1, result.get(),
                         CUDA_R_16F, CUDA_R_32F),
            CUBLAS_STATUS_SUCCESS);
  wait();
  EXPECT_EQ(result[0], 0x4500); // 5
  EXPECT_EQ(cublasDotEx(handle, 2, x.get(), CUDA_R_16F, 1, x.get(), CUDA_R_16F,
                        1, result.get(), CUDA_R_16F, CUDA_R_32F),
            CUBLAS_STATUS_SUCCESS);
  wait();
  EXPECT_EQ(result[0], 0x4e40); // 25
  setMode(CUBLAS_POINTER_MODE_HOST);
  float two = 2;
  EXPECT_EQ(cublasScalEx(handle, 2, &two, CUDA_R_32F, x.get(), CUDA_R_16F, 1,
                         CUDA_R_32F),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasAxpyEx_64(handle, 1, &two, CUDA_R_32F, x.get(), CUDA_R_16F, 1,
                            x.get() + 1, CUDA_R_16F, 1, CUDA_R_32F),
            CUBLAS_STATUS_SUCCESS);
  wait();
  EXPECT_EQ(x[0], 0x4600); // 6
  EXPECT_EQ(x[1], 0x4d00); // 20
  int index = 0;
  EXPECT_EQ(cublasIamaxEx(handle, 2, x.get(), CUDA_R_16F, 1, &index),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(index, 2);
  EXPECT_EQ(cublasSwapEx(handle, 1, x.get(), CUDA_R_16F, 1, x.get() + 1,
                         CUDA_R_16F, 1),
            CUBLAS_STATUS_SUCCESS);
  wait();
  EXPECT_EQ(x[0], 0x4d00);
  EXPECT_EQ(cublasScalEx(handle, 2, &two, CUDA_R_32F, x.get(), CUDA_R_8I, 1,
                         CUDA_R_32F),
            CUBLAS_STATUS_NOT_SUPPORTED);
}
