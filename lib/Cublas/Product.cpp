//===- Product.cpp - products of matrices of all types --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Product.h"
#include "Blas.h"
#include "Elements.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <oneapi/tbb/parallel_for.h>

using namespace ptxjit;
using namespace ptxjit::cublas;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

cudaDataType cublas::scaleOf(cublasComputeType_t compute, bool isComplex) {
  switch (compute) {
  case CUBLAS_COMPUTE_16F:
  case CUBLAS_COMPUTE_16F_PEDANTIC:
    return CUDA_R_16F;
  case CUBLAS_COMPUTE_32I:
  case CUBLAS_COMPUTE_32I_PEDANTIC:
    return CUDA_R_32I;
  case CUBLAS_COMPUTE_32F:
  case CUBLAS_COMPUTE_32F_PEDANTIC:
  case CUBLAS_COMPUTE_32F_FAST_16F:
  case CUBLAS_COMPUTE_32F_FAST_16BF:
  case CUBLAS_COMPUTE_32F_FAST_TF32:
  case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
    return isComplex ? CUDA_C_32F : CUDA_R_32F;
  case CUBLAS_COMPUTE_64F:
  case CUBLAS_COMPUTE_64F_PEDANTIC:
  case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
    return isComplex ? CUDA_C_64F : CUDA_R_64F;
  }
  return cudaDataType(-1);
}

bool cublas::isSupported(const Product &product, cublasComputeType_t compute) {
  cudaDataType a = product.typeA, c = product.typeC;
  if (a != product.typeB || product.scale != scaleOf(compute, isComplexType(c)))
    return false;
  switch (product.scale) {
  case CUDA_R_16F:
    return a == CUDA_R_16F && c == CUDA_R_16F;
  case CUDA_R_32I:
    return a == CUDA_R_8I && c == CUDA_R_32I;
  case CUDA_R_32F:
    return (a == CUDA_R_32F && c == a) ||
           ((a == CUDA_R_16F || a == CUDA_R_16BF) &&
            (c == a || c == CUDA_R_32F)) ||
           (a == CUDA_R_8I && c == CUDA_R_32F);
  default:
    return a == product.scale && c == a;
  }
}

Number cublas::readNumber(cudaDataType type, const void *from) {
  Number number = {};
  std::memcpy(number.data(), from, sizeOf(type));
  return number;
}

template <typename T> static T valueOf(const Number &number) {
  T value;
  std::memcpy(&value, number.data(), sizeof(T));
  return value;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Rows and columns of a block. A product of two such blocks of s8 is exact in
/// f32: 2^10 products below 2^14.
static constexpr int64_t kBlock = 1024;
/// Below this many elements one thread converts a block.
static constexpr int64_t kManyElements = 1 << 16;

/// Converts a matrix by several threads, if it is large.
static void readBlock(cudaDataType type, const void *from, int64_t ld,
                      int64_t rows, int64_t columns, float *to) {
  if (rows * columns < kManyElements)
    return toFloats(type, from, ld, rows, columns, to, rows);
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, columns, 64),
                    [&](const tbb::blocked_range<int64_t> &range) {
                      toFloats(type, elementOf(type, from, range.begin() * ld),
                               ld, rows, range.size(),
                               to + range.begin() * rows, rows);
                    });
}

namespace {
/// Multiplies a product block by block.
template <typename Sum> class BlockProduct {
public:
  BlockProduct(const Product &product, const void *a, const void *b)
      : p(product), a(a), b(b), side(std::min(kBlock, std::max(p.m, p.n))),
        depth(std::max(int64_t(1), std::min(kBlock, p.k))),
        blockA(new float[side * depth]), blockB(new float[depth * side]),
        sums(new Sum[side * side]) {
    if constexpr (!std::is_same_v<Sum, float>)
      partial.reset(new float[side * side]);
  }
  void run(const std::function<void(const Block<Sum> &)> &sink) {
    for (int64_t column = 0; column < p.n; column += side)
      for (int64_t row = 0; row < p.m; row += side) {
        Block<Sum> block{row, column, std::min(side, p.m - row),
                         std::min(side, p.n - column), sums.get()};
        std::fill_n(block.values, block.rows * block.columns, Sum(0));
        for (int64_t inner = 0; inner < p.k; inner += depth)
          add(block, inner, std::min(depth, p.k - inner));
        sink(block);
      }
  }

private:
  void add(const Block<Sum> &block, int64_t inner, int64_t count) {
    int64_t ldA = read(p.typeA, a, p.lda, p.transA, block.row, inner,
                       block.rows, count, blockA.get());
    int64_t ldB = read(p.typeB, b, p.ldb, p.transB, inner, block.column, count,
                       block.columns, blockB.get());
    constexpr bool isDirect = std::is_same_v<Sum, float>;
    float *out;
    if constexpr (isDirect)
      out = block.values;
    else
      out = partial.get();
    cblas_sgemm(CblasColMajor, toBlas(p.transA), toBlas(p.transB),
                toBlas(block.rows), toBlas(block.columns), toBlas(count), 1,
                blockA.get(), toBlas(ldA), blockB.get(), toBlas(ldB),
                isDirect ? 1 : 0, out, toBlas(block.rows));
    if constexpr (!isDirect) // sums wrap, like those of the device
      for (int64_t i = 0; i < block.rows * block.columns; ++i)
        block.values[i] =
            Sum(uint32_t(block.values[i]) + uint32_t(int32_t(out[i])));
  }
  /// Reads a part of op(matrix), as it is stored. \returns the leading
  /// dimension of the copy.
  int64_t read(cudaDataType type, const void *matrix, int64_t ld,
               cublasOperation_t trans, int64_t row, int64_t column,
               int64_t rows, int64_t columns, float *to) {
    if (trans != CUBLAS_OP_N) {
      std::swap(row, column);
      std::swap(rows, columns);
    }
    readBlock(type, elementOf(type, matrix, row + column * ld), ld, rows,
              columns, to);
    return rows;
  }

  const Product &p;
  const void *a, *b;
  const int64_t side, depth;
  std::unique_ptr<float[]> blockA, blockB, partial;
  std::unique_ptr<Sum[]> sums;
};
} // namespace

void cublas::multiplyBlocks(
    const Product &product, const void *a, const void *b,
    const std::function<void(const Block<float> &)> &sink) {
  BlockProduct<float>(product, a, b).run(sink);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

template <typename T>
static void multiplyPlain(const Product &p, const Number &alpha, const void *a,
                          const void *b, const Number &beta, void *c) {
  T factor = valueOf<T>(alpha), old = valueOf<T>(beta);
  Blas<T>::gemm(CblasColMajor, toBlas(p.transA), toBlas(p.transB), toBlas(p.m),
                toBlas(p.n), toBlas(p.k), pass(factor),
                static_cast<const T *>(a), toBlas(p.lda),
                static_cast<const T *>(b), toBlas(p.ldb), pass(old),
                static_cast<T *>(c), toBlas(p.ldc));
}

/// Products of s8 in s32. Sums wrap.
static void multiplyIntegers(const Product &p, const Number &alpha,
                             const void *a, const void *b, const Number &beta,
                             void *c) {
  auto factor = uint32_t(valueOf<int32_t>(alpha));
  auto old = uint32_t(valueOf<int32_t>(beta));
  auto store = [&](const Block<int32_t> &block) {
    for (int64_t column = 0; column < block.columns; ++column) {
      int32_t *out = static_cast<int32_t *>(c) + block.row +
                     (block.column + column) * p.ldc;
      for (int64_t row = 0; row < block.rows; ++row) {
        uint32_t sum = uint32_t(block.values[row + column * block.rows]);
        uint32_t before = old ? old * uint32_t(out[row]) : 0;
        out[row] = int32_t(factor * sum + before);
      }
    }
  };
  BlockProduct<int32_t>(p, a, b).run(store);
}

/// values = alpha * values + beta * C, and C = values.
static void storeBlock(const Product &p, float alpha, float beta, void *c,
                       const Block<float> &block) {
  int64_t size = block.rows * block.columns;
  void *out = elementOf(p.typeC, c, block.row + block.column * p.ldc);
  if (beta == 0) {
    for (int64_t i = 0; i < size; ++i)
      block.values[i] *= alpha;
  } else {
    std::unique_ptr<float[]> old(new float[size]);
    toFloats(p.typeC, out, p.ldc, block.rows, block.columns, old.get(),
             block.rows);
    for (int64_t i = 0; i < size; ++i)
      block.values[i] = alpha * block.values[i] + beta * old[i];
  }
  fromFloats(block.values, block.rows, block.rows, block.columns, p.typeC, out,
             p.ldc);
}

void cublas::multiply(const Product &p, const Number &alpha, const void *a,
                      const void *b, const Number &beta, void *c) {
  if (p.m == 0 || p.n == 0)
    return;
  bool isPlain = p.typeA == p.scale && p.typeB == p.scale && p.typeC == p.scale;
  if (isPlain && p.scale == CUDA_R_32F)
    return multiplyPlain<float>(p, alpha, a, b, beta, c);
  if (isPlain && p.scale == CUDA_R_64F)
    return multiplyPlain<double>(p, alpha, a, b, beta, c);
  if (isPlain && p.scale == CUDA_C_32F)
    return multiplyPlain<cuComplex>(p, alpha, a, b, beta, c);
  if (isPlain && p.scale == CUDA_C_64F)
    return multiplyPlain<cuDoubleComplex>(p, alpha, a, b, beta, c);
  if (p.scale == CUDA_R_32I)
    return multiplyIntegers(p, alpha, a, b, beta, c);
  float factor = toFloat(p.scale, alpha.data());
  float old = toFloat(p.scale, beta.data());
  Product summed = p;
  if (factor == 0) // then neither A nor B is read
    summed.k = 0;
  multiplyBlocks(summed, a, b, [&](const Block<float> &block) {
    storeBlock(p, factor, old, c, block);
  });
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

void *Batched::at(cudaDataType type, int64_t index) const {
  if (isArray)
    return static_cast<void *const *>(base)[index];
  return const_cast<void *>(elementOf(type, base, index * stride));
}

void cublas::forEachOfBatch(int64_t count, double operations,
                            const std::function<void(int64_t)> &function) {
  // OpenBLAS uses several threads from here on.
  constexpr double manyOperations = 1 << 18;
  if (count > 1 && operations <= manyOperations)
    tbb::parallel_for(int64_t(0), count, function);
  else
    for (int64_t i = 0; i < count; ++i)
      function(i);
}

void cublas::multiplyAll(const Product &product, const Number &alpha,
                         const Batched &a, const Batched &b, const Number &beta,
                         const Batched &c, int64_t count) {
  double operations = double(product.m) * double(product.n) * double(product.k);
  forEachOfBatch(count, operations, [&](int64_t i) {
    multiply(product, alpha, a.at(product.typeA, i), b.at(product.typeB, i),
             beta, c.at(product.typeC, i));
  });
}
