//===- ProductTest.cpp - products of matrices -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"
#include "ptxjit/Runtime/NarrowFloats.h"

using namespace cublastest;

namespace {
constexpr cublasOperation_t kOps[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

/// The sizes of a product; leading dimensions are larger than need be.
struct Sizes {
  cublasOperation_t opA, opB;
  int m, n, k;
  int lda() const { return (opA == CUBLAS_OP_N ? m : k) + 2; }
  int ldb() const { return (opB == CUBLAS_OP_N ? k : n) + 1; }
  int ldc() const { return m + 3; }
  size_t sizeA() const { return size_t(lda() * (opA == CUBLAS_OP_N ? k : m)); }
  size_t sizeB() const { return size_t(ldb() * (opB == CUBLAS_OP_N ? n : k)); }
  size_t sizeC() const { return size_t(ldc() * n); }
};

// One name for the functions of each type.
#define OVERLOAD(base, T, t)                                                   \
  template <typename... Arguments>                                             \
  cublasStatus_t base(T, Arguments... arguments) {                             \
    return cublas##t(arguments...);                                            \
  }
#define OVERLOADS(base, name)                                                  \
  OVERLOAD(base, float, S##name)                                               \
  OVERLOAD(base, double, D##name)                                              \
  OVERLOAD(base, cuComplex, C##name)                                           \
  OVERLOAD(base, cuDoubleComplex, Z##name)
OVERLOADS(gemm, gemm_v2)
OVERLOADS(gemm64, gemm_v2_64)
OVERLOADS(gemmBatched, gemmBatched)
OVERLOADS(gemmStrided, gemmStridedBatched)
OVERLOADS(gemvStrided, gemvStridedBatched)

template <typename T> class CublasGemm : public Cublas {
public:
  /// Tests one product, with alpha and beta where the pointer mode says.
  void test(const Sizes &s, T alpha, T beta, bool isOnDevice) {
    SCOPED_TRACE(testing::Message() << s.opA << s.opB << " " << s.m << "x"
                                    << s.n << "x" << s.k << " " << isOnDevice);
    Buffer<T> a(randomNumbers<T>(s.sizeA(), 1));
    Buffer<T> b(randomNumbers<T>(s.sizeB(), 2));
    std::vector<T> before = randomNumbers<T>(s.sizeC(), 3);
    if (beta == T(0)) // C is not read
      std::fill(before.begin(), before.end(),
                T(std::numeric_limits<float>::quiet_NaN()));
    Buffer<T> c(before), scalars(std::vector<T>{alpha, beta});
    setMode(isOnDevice ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
    const T *alphaAt = isOnDevice ? scalars.get() : &alpha;
    const T *betaAt = isOnDevice ? scalars.get() + 1 : &beta;
    if (isOnDevice)
      EXPECT_EQ(gemm(T(), handle, s.opA, s.opB, s.m, s.n, s.k, alphaAt, a.get(),
                     s.lda(), b.get(), s.ldb(), betaAt, c.get(), s.ldc()),
                CUBLAS_STATUS_SUCCESS);
    else
      EXPECT_EQ(gemm64(T(), handle, s.opA, s.opB, s.m, s.n, s.k, alphaAt,
                       a.get(), s.lda(), b.get(), s.ldb(), betaAt, c.get(),
                       s.ldc()),
                CUBLAS_STATUS_SUCCESS);
    wait();
    for (int column = 0; column < s.n; ++column)
      for (int row = 0; row < s.m; ++row) {
        auto i = size_t(row + column * s.ldc());
        WideOf<T> sum = dotOf(a.get(), s.lda(), s.opA, b.get(), s.ldb(), s.opB,
                              row, column, s.k) *
                        WideOf<T>(alpha);
        if (beta != T(0))
          sum += WideOf<T>(beta) * WideOf<T>(before[i]);
        EXPECT_CLOSE(T, c[i], sum);
      }
  }
};
using Types = testing::Types<float, double, cuComplex, cuDoubleComplex>;
} // namespace
TYPED_TEST_SUITE(CublasGemm, Types);

TYPED_TEST(CublasGemm, AllTranspositions) {
  for (cublasOperation_t opA : kOps)
    for (cublasOperation_t opB : kOps)
      for (bool isOnDevice : {false, true}) {
        this->test({opA, opB, 5, 3, 7}, TypeParam(2), TypeParam(0), isOnDevice);
        this->test({opA, opB, 4, 6, 1}, TypeParam(-1), TypeParam(0.5),
                   isOnDevice);
      }
  this->test({CUBLAS_OP_N, CUBLAS_OP_N, 3, 2, 0}, TypeParam(1), TypeParam(2),
             false);
  this->test({CUBLAS_OP_N, CUBLAS_OP_N, 3, 2, 0}, TypeParam(1), TypeParam(0),
             false);
  this->test({CUBLAS_OP_N, CUBLAS_OP_T, 65, 70, 33}, TypeParam(1), TypeParam(0),
             false);
}

TYPED_TEST(CublasGemm, Batches) {
  using T = TypeParam;
  constexpr int m = 3, n = 4, k = 5, count = 7;
  Buffer<T> a(randomNumbers<T>(m * k * count, 1));
  Buffer<T> b(randomNumbers<T>(k * n, 2)); // the same for all: stride 0
  Buffer<T> c(m * n * count), other(m * n * count);
  T one = 1, zero = 0;
  ASSERT_EQ(gemmStrided(T(), this->handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k,
                        &one, a.get(), m, m * k, b.get(), k, 0, &zero, c.get(),
                        m, m * n, count),
            CUBLAS_STATUS_SUCCESS);
  Buffer<const T *> as(count), bs(count);
  Buffer<T *> cs(count);
  for (size_t i = 0; i < count; ++i) {
    as[i] = a.get() + i * m * k;
    bs[i] = b.get();
    cs[i] = other.get() + i * m * n;
  }
  ASSERT_EQ(gemmBatched(T(), this->handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k,
                        &one, as.get(), m, bs.get(), k, &zero, cs.get(), m,
                        count),
            CUBLAS_STATUS_SUCCESS);
  this->wait();
  for (int i = 0; i < count; ++i)
    for (int at = 0; at < m * n; ++at) {
      WideOf<T> sum = dotOf(a.get() + i * m * k, m, CUBLAS_OP_N, b.get(), k,
                            CUBLAS_OP_N, at % m, at / m, k);
      EXPECT_CLOSE(T, c[size_t(i * m * n + at)], sum);
      EXPECT_CLOSE(T, other[size_t(i * m * n + at)], sum);
    }
  // Vectors.
  Buffer<T> y(size_t(m * count));
  ASSERT_EQ(gemvStrided(T(), this->handle, CUBLAS_OP_N, m, k, &one, a.get(), m,
                        m * k, b.get(), 1, 0, &zero, y.get(), 1, m, count),
            CUBLAS_STATUS_SUCCESS);
  this->wait();
  for (int i = 0; i < count * m; ++i)
    EXPECT_CLOSE(T, y[size_t(i)],
                 dotOf(a.get() + i / m * m * k, m, CUBLAS_OP_N, b.get(), k,
                       CUBLAS_OP_N, i % m, 0, k));
}

//===----------------------------------------------------------------------===//
// Narrow types
//===----------------------------------------------------------------------===//

static float readHalf(uint16_t bits) { return ptxjit::halfToFloat(bits); }
static float readBfloat(uint16_t bits) { return ptxjit::bfloatToFloat(bits); }

TEST_F(Cublas, HalvesAreRoundedOnce) {
  for (bool isHalf : {true, false})
    for (cublasOperation_t opA : kOps)
      for (cublasOperation_t opB : kOps)
        for (float beta : {0.f, 0.5f}) {
          Sizes s = {opA, opB, 9, 5, 17};
          auto narrow = [&](size_t size, int seed) {
            std::vector<uint16_t> bits;
            for (float value : randomNumbers<float>(size, seed))
              bits.push_back(isHalf ? ptxjit::floatToHalf(value)
                                    : ptxjit::floatToBfloat(value));
            return bits;
          };
          auto read = [&](uint16_t bits) {
            return isHalf ? readHalf(bits) : readBfloat(bits);
          };
          auto widen = [&](const std::vector<uint16_t> &bits) {
            std::vector<double> values;
            for (uint16_t each : bits)
              values.push_back(read(each));
            return values;
          };
          std::vector<uint16_t> before = narrow(s.sizeC(), 3);
          if (beta == 0)
            std::fill(before.begin(), before.end(), uint16_t(0x7fff));
          Buffer<uint16_t> a(narrow(s.sizeA(), 1)), b(narrow(s.sizeB(), 2));
          Buffer<uint16_t> c(before);
          Buffer<float> wide(s.sizeC());
          float alpha = 2, zero = 0;
          cudaDataType type = isHalf ? CUDA_R_16F : CUDA_R_16BF;
          ASSERT_EQ(cublasGemmEx(handle, opA, opB, s.m, s.n, s.k, &alpha,
                                 a.get(), type, s.lda(), b.get(), type, s.ldb(),
                                 &beta, c.get(), type, s.ldc(),
                                 CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                    CUBLAS_STATUS_SUCCESS);
          ASSERT_EQ(cublasGemmEx_64(handle, opA, opB, s.m, s.n, s.k, &alpha,
                                    a.get(), type, s.lda(), b.get(), type,
                                    s.ldb(), &zero, wide.get(), CUDA_R_32F,
                                    s.ldc(), CUBLAS_COMPUTE_32F_FAST_16F,
                                    CUBLAS_GEMM_DEFAULT),
                    CUBLAS_STATUS_SUCCESS);
          wait();
          std::vector<double> left = widen({a.get(), a.get() + a.size()});
          std::vector<double> right = widen({b.get(), b.get() + b.size()});
          for (int column = 0; column < s.n; ++column)
            for (int row = 0; row < s.m; ++row) {
              auto i = size_t(row + column * s.ldc());
              double sum = 2 * dotOf(left.data(), s.lda(), opA, right.data(),
                                     s.ldb(), opB, row, column, s.k);
              EXPECT_NEAR(wide[i], sum, 1e-5);
              if (beta != 0)
                sum += beta * read(before[i]);
              double digit = isHalf ? 0x1p-11 : 0x1p-8;
              EXPECT_NEAR(read(c[i]), sum, digit * std::abs(sum) + 1e-5);
            }
        }
}

TEST_F(Cublas, HgemmHasScalarsOfHalves) {
  cublasHalf one = {0x3c00}, two = {0x4000};
  Buffer<cublasHalf> a({{0x4000}}), b({{0x4200}}), c({{0x3c00}});
  ASSERT_EQ(cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one,
                        a.get(), 1, b.get(), 1, &two, c.get(), 1),
            CUBLAS_STATUS_SUCCESS);
  wait();
  EXPECT_EQ(readHalf(c[0].bits), 8); // 2 * 3 + 2 * 1
}

TEST_F(Cublas, IntegersAreExact) {
  constexpr int m = 3, n = 2, k = 5000; // sums beyond 2^24
  std::vector<int8_t> left(m * k), right(k * n);
  for (size_t i = 0; i < left.size(); ++i)
    left[i] = int8_t(i % 3 ? 127 : -128);
  for (size_t i = 0; i < right.size(); ++i)
    right[i] = int8_t(i % 7 ? 127 : 3);
  Buffer<int8_t> a(left), b(right);
  Buffer<int32_t> c(std::vector<int32_t>(m * n, 5));
  int32_t alpha = 3, beta = -2;
  ASSERT_EQ(cublasGemmEx(handle, CUBLAS_OP_T, CUBLAS_OP_N, m, n, k, &alpha,
                         a.get(), CUDA_R_8I, k, b.get(), CUDA_R_8I, k, &beta,
                         c.get(), CUDA_R_32I, m, CUBLAS_COMPUTE_32I,
                         CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_SUCCESS);
  wait();
  for (int i = 0; i < m * n; ++i) {
    int64_t sum = 0;
    for (int j = 0; j < k; ++j)
      sum += left[size_t(j + i % m * k)] * right[size_t(j + i / m * k)];
    EXPECT_EQ(c[size_t(i)], int32_t(3 * sum - 10));
  }
}

TEST_F(Cublas, LargeProductsAreMadeByBlocks) {
  constexpr int m = 1030, n = 1029, k = 1027;
  Buffer<uint16_t> a(size_t(m) * k), b(size_t(k) * n), c(size_t(m) * n);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = ptxjit::floatToBfloat(float(i % 3));
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = ptxjit::floatToBfloat(float(i % 5) - 2);
  Buffer<float> out(size_t(m) * n);
  float one = 1, zero = 0;
  ASSERT_EQ(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one,
                         a.get(), CUDA_R_16BF, m, b.get(), CUDA_R_16BF, k,
                         &zero, out.get(), CUDA_R_32F, m, CUBLAS_COMPUTE_32F,
                         CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_SUCCESS);
  wait();
  for (auto [row, column] : {std::pair(0, 0), std::pair(1029, 1028),
                             std::pair(1024, 3), std::pair(7, 1024)}) {
    double sum = 0;
    for (int i = 0; i < k; ++i)
      sum += double((row + size_t(i) * m) % 3) *
             (double((i + size_t(column) * k) % 5) - 2);
    EXPECT_EQ(out[size_t(row) + size_t(column) * m], sum);
  }
}

TEST_F(Cublas, NarrowVectors) {
  constexpr int m = 4, n = 3, count = 2;
  Buffer<cublasBfloat16> a(m * n * count), x(6 * count);
  std::vector<double> left, right;
  for (size_t i = 0; i < a.size(); ++i) {
    left.push_back(double(i % 5) - 2);
    a[i].bits = ptxjit::floatToBfloat(float(left.back()));
  }
  for (size_t i = 0; i < x.size(); ++i) {
    right.push_back(double(i % 4));
    x[i].bits = ptxjit::floatToBfloat(float(right.back()));
  }
  Buffer<float> y(m * count);
  float one = 1, zero = 0;
  ASSERT_EQ(cublasTSSgemvStridedBatched(handle, CUBLAS_OP_N, m, n, &one,
                                        a.get(), m, m * n, x.get(), 2, 6, &zero,
                                        y.get(), 1, m, count),
            CUBLAS_STATUS_SUCCESS);
  wait();
  for (size_t i = 0; i < count; ++i)
    for (size_t row = 0; row < m; ++row) {
      double sum = 0;
      for (size_t j = 0; j < n; ++j)
        sum += left[i * m * n + row + j * m] * right[i * 6 + 2 * j];
      EXPECT_EQ(y[i * m + row], sum);
    }
}

TEST_F(Cublas, GroupsOfBatches) {
  Buffer<float> a(std::vector<float>{1, 2, 3, 4, 5, 6}), b(a.size());
  std::copy_n(a.get(), 6, b.get());
  Buffer<float> c(6);
  Buffer<const float *> as({a.get(), a.get() + 1, a.get() + 2});
  Buffer<float *> cs({c.get(), c.get() + 1, c.get() + 2});
  cublasOperation_t ops[] = {CUBLAS_OP_N, CUBLAS_OP_T};
  int ones[] = {1, 1}, twos[] = {1, 2}, sizes[] = {2, 1};
  float alpha[] = {1, 10}, beta[] = {0, 0};
  ASSERT_EQ(cublasSgemmGroupedBatched(handle, ops, ops, ones, twos, ones, alpha,
                                      as.get(), ones, as.get(), twos, beta,
                                      cs.get(), ones, 2, sizes),
            CUBLAS_STATUS_SUCCESS);
  wait();
  EXPECT_EQ(c[0], 1);
  EXPECT_EQ(c[1], 4);
  EXPECT_EQ(c[2], 90);
  EXPECT_EQ(c[3], 120);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

TEST_F(Cublas, WrongArgumentsOfProducts) {
  Buffer<float> x(16);
  float one = 1;
  auto call = [&](int m, int n, int k, int lda, int ldb, int ldc, float *data,
                  const float *alpha) {
    return cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, alpha,
                          data, lda, data, ldb, &one, data, ldc);
  };
  EXPECT_EQ(call(-1, 1, 1, 1, 1, 1, x.get(), &one),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(2, 1, 1, 1, 1, 2, x.get(), &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(2, 1, 2, 2, 1, 2, x.get(), &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(2, 1, 1, 2, 1, 1, x.get(), &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(1, 1, 1, 0, 1, 1, x.get(), &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(1, 1, 1, 1, 1, 1, nullptr, &one), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(1, 1, 1, 1, 1, 1, x.get(), nullptr),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(call(0, 1, 1, 1, 1, 1, nullptr, &one), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasSgemm_v2(handle, CUBLAS_OP_CONJG, CUBLAS_OP_N, 1, 1, 1, &one,
                           x.get(), 1, x.get(), 1, &one, x.get(), 1),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasSgemm_v2_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1,
                              int64_t(1) << 32, &one, x.get(), 1, x.get(),
                              int64_t(1) << 32, &one, x.get(), 1),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one,
                         x.get(), CUDA_R_64F, 1, x.get(), CUDA_R_32F, 1, &one,
                         x.get(), CUDA_R_32F, 1, CUBLAS_COMPUTE_32F,
                         CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one,
                         x.get(), CUDA_R_32F, 1, x.get(), CUDA_R_32F, 1, &one,
                         x.get(), CUDA_R_32F, 1, cublasComputeType_t(3),
                         CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_INVALID_VALUE);
}

//===----------------------------------------------------------------------===//
// Streams and graphs
//===----------------------------------------------------------------------===//

TEST_F(Cublas, AGraphReadsItsInputsAnew) {
  Buffer<float> a(1), b(1), c(1), scalars(2);
  b[0] = 3;
  c[0] = 0;
  scalars[1] = 0;
  setMode(CUBLAS_POINTER_MODE_DEVICE);
  ASSERT_EQ(
      cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
      CUDA_SUCCESS);
  ASSERT_EQ(cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1,
                           scalars.get(), a.get(), 1, b.get(), 1,
                           scalars.get() + 1, c.get(), 1),
            CUBLAS_STATUS_SUCCESS);
  CUgraph graph;
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  CUgraphExec exec;
  ASSERT_EQ(cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  EXPECT_EQ(c[0], 0);
  for (float factor : {1.f, 5.f}) {
    a[0] = factor;
    scalars[0] = factor;
    ASSERT_EQ(cuGraphLaunch(exec, stream), CUDA_SUCCESS);
    wait();
    EXPECT_EQ(c[0], factor * factor * 3);
  }
  ASSERT_EQ(cuGraphExecDestroy(exec), CUDA_SUCCESS);
}

TEST_F(Cublas, AGraphHasNoResultsOnTheHost) {
  Buffer<float> x(1);
  float result;
  ASSERT_EQ(
      cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
      CUDA_SUCCESS);
  EXPECT_EQ(cublasSnrm2_v2(handle, 1, x.get(), 1, &result),
            CUBLAS_STATUS_NOT_SUPPORTED);
  CUgraph graph;
  ASSERT_EQ(cuStreamEndCapture(stream, &graph), CUDA_SUCCESS);
  cuGraphDestroy(graph);
}

TEST_F(Cublas, WorkComesAfterWhatIsInItsStream) {
  Buffer<float> x(1);
  x[0] = 1;
  CUstream other;
  ASSERT_EQ(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
  CUevent event;
  ASSERT_EQ(cuEventCreate(&event, 0), CUDA_SUCCESS);
  float two = 2;
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(cublasSetStream_v2(handle, i % 2 ? other : stream),
              CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cuStreamWaitEvent(i % 2 ? other : stream, event, 0),
              CUDA_SUCCESS);
    ASSERT_EQ(cublasSscal_v2(handle, 1, &two, x.get(), 1),
              CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cuEventRecord(event, i % 2 ? other : stream), CUDA_SUCCESS);
  }
  ASSERT_EQ(cuStreamSynchronize(other), CUDA_SUCCESS);
  EXPECT_EQ(x[0], 1024);
  ASSERT_EQ(cublasSetStream_v2(handle, stream), CUBLAS_STATUS_SUCCESS);
  cuEventDestroy_v2(event);
  cuStreamDestroy_v2(other);
}
