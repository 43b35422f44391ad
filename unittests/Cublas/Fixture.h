//===- Fixture.h - what the tests of cuBLAS share ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expected values are sums in double, made by plain loops.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_UNITTESTS_CUBLAS_FIXTURE_H
#define PTXJIT_UNITTESTS_CUBLAS_FIXTURE_H

#include "ptxjit/Cublas/CublasABI.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace cublastest {

/// Memory of the device.
template <typename T> class Buffer {
public:
  explicit Buffer(size_t size) : count(size) {
    EXPECT_EQ(cuMemAlloc_v2(&address, size * sizeof(T) + 1), CUDA_SUCCESS);
  }
  explicit Buffer(const std::vector<T> &values) : Buffer(values.size()) {
    std::copy(values.begin(), values.end(), get());
  }
  ~Buffer() { cuMemFree_v2(address); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  T *get() const { return reinterpret_cast<T *>(address); }
  T &operator[](size_t i) const { return get()[i]; }
  size_t size() const { return count; }

private:
  CUdeviceptr address = 0;
  size_t count;
};

/// A handle with a stream of its own.
class Cublas : public testing::Test {
protected:
  // Before members of derived classes allocate memory.
  Cublas() {
    EXPECT_EQ(cublasCreate_v2(&handle), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cuStreamCreate(&stream, 0), CUDA_SUCCESS);
    EXPECT_EQ(cublasSetStream_v2(handle, stream), CUBLAS_STATUS_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cublasDestroy_v2(handle), CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(cuStreamDestroy_v2(stream), CUDA_SUCCESS);
  }
  void wait() const { ASSERT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS); }
  void setMode(cublasPointerMode_t mode) const {
    ASSERT_EQ(cublasSetPointerMode_v2(handle, mode), CUBLAS_STATUS_SUCCESS);
  }
  cublasHandle_t handle = nullptr;
  CUstream stream = nullptr;
};

template <typename T> struct Wide {
  using Type = double;
};
template <typename T> struct Wide<std::complex<T>> {
  using Type = std::complex<double>;
};
template <typename T> using WideOf = typename Wide<T>::Type;
template <typename T>
constexpr bool isComplex = !std::is_same_v<WideOf<T>, double>;

/// Random numbers below 1.
template <typename T> std::vector<T> randomNumbers(size_t count, int seed) {
  std::mt19937 engine{unsigned(seed)};
  std::uniform_real_distribution<double> distribution(-1, 1);
  std::vector<T> values(count);
  for (T &value : values)
    if constexpr (isComplex<T>)
      value = T(WideOf<T>(distribution(engine), distribution(engine)));
    else
      value = T(distribution(engine));
  return values;
}

template <typename T> T conjugate(T value) {
  if constexpr (isComplex<T>)
    return std::conj(value);
  else
    return value;
}

/// op(matrix), in double.
template <typename T>
WideOf<T> at(const T *matrix, int64_t ld, cublasOperation_t op, int64_t row,
             int64_t column) {
  if (op == CUBLAS_OP_N)
    return WideOf<T>(matrix[row + column * ld]);
  auto value = WideOf<T>(matrix[column + row * ld]);
  return op == CUBLAS_OP_C ? conjugate(value) : value;
}

/// op(A) * op(B), element by element.
template <typename T>
WideOf<T> dotOf(const T *a, int64_t lda, cublasOperation_t opA, const T *b,
                int64_t ldb, cublasOperation_t opB, int64_t row, int64_t column,
                int64_t k) {
  WideOf<T> sum = 0;
  for (int64_t i = 0; i < k; ++i)
    sum += at(a, lda, opA, row, i) * at(b, ldb, opB, i, column);
  return sum;
}

template <typename T>
const double kTolerance =
    std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>> ? 1e-5
                                                                       : 1e-13;

#define EXPECT_CLOSE(T, value, expected)                                       \
  EXPECT_LE(std::abs(WideOf<T>(value) - WideOf<T>(expected)),                  \
            kTolerance<T> * (1 + std::abs(WideOf<T>(expected))))

} // namespace cublastest

#endif
