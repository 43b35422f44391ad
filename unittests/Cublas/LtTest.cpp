//===- LtTest.cpp - products of cublasLt and their epilogues --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fixture.h"
#include "ptxjit/Cublas/CublasLtABI.h"
#include "ptxjit/Runtime/NarrowFloats.h"

using namespace cublastest;

namespace {
/// A product of f32 or narrower matrices, 3x2 = 3x4 * 4x2, as a program sets it
/// up.
class CublasLt : public Cublas {
protected:
  static constexpr int m = 3, n = 2, k = 4;
  void SetUp() override {
    lt = reinterpret_cast<cublasLtHandle_t>(handle);
    ASSERT_EQ(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F),
              CUBLAS_STATUS_SUCCESS);
    make(CUDA_R_32F, CUDA_R_32F);
  }
  void TearDown() override {
    for (cublasLtMatrixLayout_t layout : {la, lb, lc})
      cublasLtMatrixLayoutDestroy(layout);
    cublasLtMatmulDescDestroy(desc);
    Cublas::TearDown();
  }
  void make(cudaDataType in, cudaDataType out) {
    cublasLtMatrixLayoutDestroy(la);
    cublasLtMatrixLayoutDestroy(lb);
    cublasLtMatrixLayoutDestroy(lc);
    cublasLtMatrixLayoutCreate(&la, in, m, k, m);
    cublasLtMatrixLayoutCreate(&lb, in, k, n, k);
    cublasLtMatrixLayoutCreate(&lc, out, m, n, m);
  }
  template <typename T> void set(cublasLtAttribute_t attribute, T value) {
    ASSERT_EQ(
        cublasLtMatmulDescSetAttribute(desc, attribute, &value, sizeof(value)),
        CUBLAS_STATUS_SUCCESS);
  }
  void setEpilogue(cublasLtEpilogue_t epilogue) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
  }
  cublasStatus_t run(const void *alpha, const void *beta, const void *c,
                     void *d) {
    cublasStatus_t status =
        cublasLtMatmul(lt, desc, alpha, a.get(), la, b.get(), lb, beta, c, lc,
                       d, lc, nullptr, nullptr, 0, stream);
    wait();
    return status;
  }
  double product(int row, int column) const {
    return dotOf(a.get(), m, CUBLAS_OP_N, b.get(), k, CUBLAS_OP_N, row, column,
                 k);
  }
  cublasLtHandle_t lt = nullptr;
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t la = nullptr, lb = nullptr, lc = nullptr;
  Buffer<float> a{randomNumbers<float>(m * k, 1)};
  Buffer<float> b{randomNumbers<float>(k * n, 2)};
  Buffer<float> c{randomNumbers<float>(m * n, 3)}, d{m * n};
  Buffer<float> bias{randomNumbers<float>(m, 4)};
};
} // namespace

TEST_F(CublasLt, AttributesHaveSizes) {
  int32_t op = CUBLAS_OP_T, found = 0;
  size_t written = 0;
  set(CUBLASLT_MATMUL_DESC_TRANSA, op);
  EXPECT_EQ(cublasLtMatmulDescGetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA,
                                           &found, sizeof(found), &written),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(found, op);
  EXPECT_EQ(written, sizeof(op));
  EXPECT_EQ(cublasLtMatmulDescGetAttribute(
                desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, nullptr, 0, &written),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(written, 8u);
  EXPECT_EQ(
      cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &op, 8),
      CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasLtMatmulDescSetAttribute(desc, cublasLtAttribute_t(9), &op,
                                           sizeof(op)),
            CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasLtMatmulDescSetAttribute(nullptr, CUBLASLT_MATMUL_DESC_TRANSA,
                                           &op, sizeof(op)),
            CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(CublasLt, HeuristicsKnowWhatCanBeDone) {
  cublasLtMatmulPreference_t preference;
  ASSERT_EQ(cublasLtMatmulPreferenceCreate(&preference), CUBLAS_STATUS_SUCCESS);
  cublasLtMatmulHeuristicResult_t result;
  int count = 0;
  auto ask = [&] {
    return cublasLtMatmulAlgoGetHeuristic(lt, desc, la, lb, lc, lc, preference,
                                          1, &result, &count);
  };
  EXPECT_EQ(ask(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(result.state, CUBLAS_STATUS_SUCCESS);
  int32_t order = 2; // CUBLASLT_ORDER_COL32
  cublasLtMatrixLayoutSetAttribute(la, CUBLASLT_MATRIX_LAYOUT_ORDER, &order,
                                   sizeof(order));
  EXPECT_EQ(ask(), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_EQ(count, 0);
  make(CUDA_R_32F, CUDA_R_32F);
  set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  EXPECT_EQ(ask(), CUBLAS_STATUS_INVALID_VALUE); // the sizes do not fit
  cublasLtMatmulPreferenceDestroy(preference);
  float one = 1;
  EXPECT_EQ(cublasLtMatmul(nullptr, desc, &one, a.get(), la, b.get(), lb, &one,
                           c.get(), lc, d.get(), lc, nullptr, nullptr, 0,
                           stream),
            CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST_F(CublasLt, ProductsOutOfPlace) {
  float alpha = 2, beta = 0.5, zero = 0;
  ASSERT_EQ(run(&alpha, &beta, c.get(), d.get()), CUBLAS_STATUS_SUCCESS);
  for (int i = 0; i < m * n; ++i)
    EXPECT_NEAR(d[size_t(i)], 2 * product(i % m, i / m) + 0.5 * c[size_t(i)],
                1e-5);
  std::fill_n(d.get(), m * n, NAN);
  ASSERT_EQ(run(&alpha, &zero, d.get(), d.get()), CUBLAS_STATUS_SUCCESS);
  EXPECT_NEAR(d[0], 2 * product(0, 0), 1e-5);
}

TEST_F(CublasLt, MatricesByRows) {
  // The same numbers, as the transposed matrices.
  int32_t order = CUBLASLT_ORDER_ROW;
  cublasLtMatrixLayout_t rows;
  cublasLtMatrixLayoutCreate(&rows, CUDA_R_32F, m, n, n);
  cublasLtMatrixLayoutSetAttribute(rows, CUBLASLT_MATRIX_LAYOUT_ORDER, &order,
                                   sizeof(order));
  float one = 1, zero = 0;
  setEpilogue(CUBLASLT_EPILOGUE_BIAS);
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.get());
  ASSERT_EQ(cublasLtMatmul(lt, desc, &one, a.get(), la, b.get(), lb, &zero,
                           d.get(), rows, d.get(), rows, nullptr, nullptr, 0,
                           stream),
            CUBLAS_STATUS_SUCCESS);
  wait();
  for (int row = 0; row < m; ++row)
    for (int column = 0; column < n; ++column)
      EXPECT_NEAR(d[size_t(row * n + column)],
                  product(row, column) + bias[size_t(row)], 1e-5);
  cublasLtMatrixLayoutDestroy(rows);
}

TEST_F(CublasLt, Epilogues) {
  auto gelu = [](double x) {
    return 0.5 * x *
           (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  };
  float one = 1, zero = 0;
  Buffer<float> aux(8 * n);
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias.get());
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, aux.get());
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, int64_t(8));
  auto check = [&](cublasLtEpilogue_t epilogue, auto expected) {
    SCOPED_TRACE(int(epilogue));
    setEpilogue(epilogue);
    ASSERT_EQ(run(&one, &zero, d.get(), d.get()), CUBLAS_STATUS_SUCCESS);
    for (int i = 0; i < m * n; ++i)
      EXPECT_NEAR(d[size_t(i)],
                  expected(product(i % m, i / m), double(bias[size_t(i % m)])),
                  1e-5);
  };
  auto relu = [](double x) { return std::max(x, 0.); };
  check(CUBLASLT_EPILOGUE_RELU, [&](double x, double) { return relu(x); });
  check(CUBLASLT_EPILOGUE_BIAS, [&](double x, double b) { return x + b; });
  check(CUBLASLT_EPILOGUE_GELU_BIAS,
        [&](double x, double b) { return gelu(x + b); });
  check(CUBLASLT_EPILOGUE_RELU_AUX_BIAS,
        [&](double x, double b) { return relu(x + b); });
  auto *mask = reinterpret_cast<unsigned char *>(aux.get());
  for (int i = 0; i < m * n; ++i)
    EXPECT_EQ(mask[i / m] >> (i % m) & 1, d[size_t(i)] > 0);
  mask[0] = 5;
  mask[1] = 2;
  int at = 0;
  check(CUBLASLT_EPILOGUE_DRELU, [&](double x, double) {
    int i = at++;
    return mask[i / m] >> (i % m) & 1 ? x : 0;
  });
  check(CUBLASLT_EPILOGUE_GELU_AUX, [&](double x, double) { return gelu(x); });
  EXPECT_NEAR(aux[8 + 1], product(1, 1), 1e-5);
  at = 0;
  setEpilogue(CUBLASLT_EPILOGUE_DGELU_BGRAD);
  ASSERT_EQ(run(&one, &zero, d.get(), d.get()), CUBLAS_STATUS_SUCCESS);
  for (int row = 0; row < m; ++row) {
    double sum = 0;
    for (int column = 0; column < n; ++column) {
      double x = product(row, column), h = 1e-4;
      double expected = x * (gelu(x + h) - gelu(x - h)) / (2 * h);
      EXPECT_NEAR(d[size_t(row + column * m)], expected, 1e-4);
      sum += expected;
    }
    EXPECT_NEAR(bias[size_t(row)], sum, 1e-4);
  }
  setEpilogue(CUBLASLT_EPILOGUE_BGRADA);
  ASSERT_EQ(run(&one, &zero, d.get(), d.get()), CUBLAS_STATUS_SUCCESS);
  for (size_t row = 0; row < m; ++row)
    EXPECT_NEAR(bias[row],
                a[row] + a[row + m] + a[row + 2 * m] + a[row + 3 * m], 1e-5);
  set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<void *>(nullptr));
  EXPECT_EQ(run(&one, &zero, d.get(), d.get()), CUBLAS_STATUS_INVALID_VALUE);
}

TEST_F(CublasLt, AlphaIsAVector) {
  set(CUBLASLT_MATMUL_DESC_POINTER_MODE,
      CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST);
  float beta = 1;
  ASSERT_EQ(run(bias.get(), &beta, c.get(), d.get()), CUBLAS_STATUS_SUCCESS);
  for (int i = 0; i < m * n; ++i)
    EXPECT_NEAR(d[size_t(i)],
                bias[size_t(i % m)] * product(i % m, i / m) + c[size_t(i)],
                1e-5);
}

TEST_F(CublasLt, NumbersOf8Bits) {
  make(CUDA_R_8F_E4M3, CUDA_R_32F);
  Buffer<uint8_t> left(m * k), right(k * n);
  for (size_t i = 0; i < left.size(); ++i) {
    a[i] = float(i % 5) - 2;
    left[i] = ptxjit::floatToE4m3(a[i]);
  }
  for (size_t i = 0; i < right.size(); ++i) {
    b[i] = float(i % 3) + 0.5f;
    right[i] = ptxjit::floatToE4m3(b[i]);
  }
  Buffer<float> scales(std::vector<float>{2, 0.25, 0});
  set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, scales.get());
  set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, scales.get() + 1);
  set(CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, scales.get() + 2);
  float one = 1, zero = 0;
  ASSERT_EQ(cublasLtMatmul(lt, desc, &one, left.get(), la, right.get(), lb,
                           &zero, d.get(), lc, d.get(), lc, nullptr, nullptr, 0,
                           stream),
            CUBLAS_STATUS_SUCCESS);
  wait();
  float largest = 0;
  for (int i = 0; i < m * n; ++i) {
    EXPECT_EQ(d[size_t(i)], float(0.5 * product(i % m, i / m)));
    largest = std::max(largest, std::abs(d[size_t(i)]));
  }
  EXPECT_EQ(scales[2], largest);
}

TEST_F(CublasLt, TransformsMatrices) {
  cublasLtMatrixTransformDesc_t transform;
  ASSERT_EQ(cublasLtMatrixTransformDescCreate(&transform, CUDA_R_32F),
            CUBLAS_STATUS_SUCCESS);
  int32_t op = CUBLAS_OP_T;
  cublasLtMatrixTransformDescSetAttribute(
      transform, CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &op, sizeof(op));
  cublasLtMatrixLayout_t flipped;
  cublasLtMatrixLayoutCreate(&flipped, CUDA_R_32F, n, m, n);
  float two = 2, three = 3;
  auto run = [&](cublasLtMatrixLayout_t first) {
    return cublasLtMatrixTransform(lt, transform, &two, a.get(), first, &three,
                                   c.get(), lc, d.get(), lc, stream);
  };
  EXPECT_EQ(run(flipped), CUBLAS_STATUS_SUCCESS);
  wait();
  for (size_t row = 0; row < m; ++row)
    for (size_t column = 0; column < n; ++column)
      EXPECT_NEAR(d[row + column * m],
                  2 * a[column + row * n] + 3 * c[row + column * m], 1e-5);
  EXPECT_EQ(run(lc), CUBLAS_STATUS_INVALID_VALUE);
  cublasLtMatrixLayoutDestroy(flipped);
  cublasLtMatrixTransformDescDestroy(transform);
}

TEST_F(CublasLt, HasHandlesOfItsOwn) {
  cublasLtHandle_t own;
  ASSERT_EQ(cublasLtCreate(&own), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtDestroy(own), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasLtDestroy(own), CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT_EQ(cublasLtCreate(nullptr), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasLtGetVersion() / 10000, 13u);
}
