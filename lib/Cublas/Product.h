//===- Product.h - products of matrices of all types ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = alpha * op(A) * op(B) + beta * C. Matrices are stored by columns. Those
// of f32, f64 and complex numbers are OpenBLAS's; others are read as f32, block
// by block, multiplied by sgemm, and rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUBLAS_PRODUCT_H
#define PTXJIT_LIB_CUBLAS_PRODUCT_H

#include "ptxjit/Cublas/CublasABI.h"

#include <array>
#include <functional>
#include <string>

namespace ptxjit::cublas {

struct Product {
  cublasOperation_t transA, transB;
  int64_t m, n, k;
  cudaDataType typeA, typeB, typeC;
  int64_t lda, ldb, ldc;
  cudaDataType scale; ///< of alpha and beta

  int64_t rowsOfA() const { return transA == CUBLAS_OP_N ? m : k; }
  int64_t rowsOfB() const { return transB == CUBLAS_OP_N ? k : n; }
};

/// The type of alpha and beta, if `compute` is what cuBLAS computes in, and C
/// is real or complex. Negative: there is no such type of computation.
cudaDataType scaleOf(cublasComputeType_t compute, bool isComplex);

/// Whether cuBLAS has this product.
bool isSupported(const Product &product, cublasComputeType_t compute);

/// A number of any type, as bytes.
using Number = std::array<char, 16>;
Number readNumber(cudaDataType type, const void *from);

/// Makes the product.
void multiply(const Product &product, const Number &alpha, const void *a,
              const void *b, const Number &beta, void *c);

/// A block of op(A) * op(B): its place, its size, its elements by columns.
template <typename T> struct Block {
  int64_t row, column, rows, columns;
  T *values; ///< may be changed
};
/// Multiplies real matrices by blocks, which the sink gets, each once.
void multiplyBlocks(const Product &product, const void *a, const void *b,
                    const std::function<void(const Block<float> &)> &sink);

/// Where the matrices of a batch are: `stride` elements apart, or behind an
/// array of addresses on the device, read when the work runs.
struct Batched {
  const void *base;
  int64_t stride = 0;
  bool isArray = false;
  void *at(cudaDataType type, int64_t index) const;
};

/// Makes `count` products, small ones side by side.
void multiplyAll(const Product &product, const Number &alpha, const Batched &a,
                 const Batched &b, const Number &beta, const Batched &c,
                 int64_t count);

/// Calls `function` for each index. \param operations  of one call. OpenBLAS
/// runs small ones on one thread, so that those run side by side.
void forEachOfBatch(int64_t count, double operations,
                    const std::function<void(int64_t)> &function);

} // namespace ptxjit::cublas

#endif
