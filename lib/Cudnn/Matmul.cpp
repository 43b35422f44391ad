//===- Matmul.cpp - products of matrices ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matmul.h"
#include "Status.h"

#include <oneapi/dnnl/dnnl.h>

using namespace ptxjit;
using namespace ptxjit::cudnn;

void cudnn::checkMatmul(const Layout &a, const Layout &b, const Layout &c) {
  size_t rank = c.dims.size();
  if (rank < 2 || a.dims.size() != rank || b.dims.size() != rank)
    failBadParam("expected matrices with the same number of dimensions");
  if (a.dims[rank - 2] != c.dims[rank - 2] ||
      b.dims[rank - 1] != c.dims[rank - 1] ||
      a.dims[rank - 1] != b.dims[rank - 2])
    failBadParam("the extents of the matrices do not fit");
  for (size_t i = 0; i + 2 < rank; ++i)
    if (c.dims[i] % a.dims[i] || c.dims[i] % b.dims[i])
      failBadParam("the batches of the matrices do not fit");
}

namespace {
/// A matrix, `row` and `column` elements from one to the next.
template <typename T> struct Matrix {
  T *data;
  int64_t rows, columns, row, column;
};
} // namespace

/// A matrix of a batch, which operands with fewer batches share.
template <typename T>
static Matrix<T> matrixAt(const View<T> &view,
                          const std::vector<int64_t> &batches, int64_t index) {
  size_t rank = view.dims().size();
  T *data = view.data;
  for (size_t i = rank - 2; i-- > 0;) {
    int64_t place = index % batches[i];
    index /= batches[i];
    data += place / (batches[i] / view.dims()[i]) * view.strides()[i];
  }
  return {data, view.dims()[rank - 2], view.dims()[rank - 1],
          view.strides()[rank - 2], view.strides()[rank - 1]};
}

namespace {
/// A matrix as BLAS wants it.
struct Operand {
  const float *data;
  int64_t leading;
  bool isTransposed;
};
} // namespace

/// One of the strides of an operand must be 1; else it is copied.
static Operand operandOf(const Matrix<float> &matrix,
                         std::vector<float> &storage) {
  if (matrix.column == 1 && matrix.row >= matrix.columns)
    return {matrix.data, matrix.row, false};
  if (matrix.row == 1 && matrix.column >= matrix.rows)
    return {matrix.data, matrix.column, true};
  storage.resize(size_t(matrix.rows * matrix.columns));
  for (int64_t i = 0; i < matrix.rows; ++i)
    for (int64_t j = 0; j < matrix.columns; ++j)
      storage[size_t(i * matrix.columns + j)] =
          matrix.data[i * matrix.row + j * matrix.column];
  return {storage.data(), matrix.columns, false};
}

static void multiplyOne(const Matrix<float> &first, const Matrix<float> &second,
                        const Matrix<float> &c) {
  std::vector<float> storageA, storageB, storageC;
  Operand a = operandOf(first, storageA), b = operandOf(second, storageB);
  bool isDirect = c.column == 1 && c.row >= c.columns;
  if (!isDirect)
    storageC.resize(size_t(c.rows * c.columns));
  float *out = isDirect ? c.data : storageC.data();
  dnnl_status_t status =
      dnnl_sgemm(a.isTransposed ? 'T' : 'N', b.isTransposed ? 'T' : 'N', c.rows,
                 c.columns, first.columns, 1, a.data, a.leading, b.data,
                 b.leading, 0, out, isDirect ? c.row : c.columns);
  if (status != dnnl_success)
    throw Failure{CUDNN_STATUS_INTERNAL_ERROR, "dnnl_sgemm"};
  for (int64_t i = 0; !isDirect && i < c.rows; ++i)
    for (int64_t j = 0; j < c.columns; ++j)
      c.data[i * c.row + j * c.column] = out[i * c.columns + j];
}

// oneDNN has no products of doubles.
static void multiplyOne(const Matrix<double> &a, const Matrix<double> &b,
                        const Matrix<double> &c) {
  tbb::parallel_for(int64_t(0), c.rows, [&](int64_t i) {
    std::vector<double> sums(size_t(c.columns), 0);
    for (int64_t k = 0; k < a.columns; ++k) {
      double factor = a.data[i * a.row + k * a.column];
      for (int64_t j = 0; j < c.columns; ++j)
        sums[size_t(j)] += factor * b.data[k * b.row + j * b.column];
    }
    for (int64_t j = 0; j < c.columns; ++j)
      c.data[i * c.row + j * c.column] = sums[size_t(j)];
  });
}

template <typename T>
void cudnn::multiply(const View<T> &a, const View<T> &b, const View<T> &c) {
  std::vector<int64_t> batches(c.dims().begin(), c.dims().end() - 2);
  int64_t count = countOf(batches);
  for (int64_t i = 0; i < count; ++i)
    multiplyOne(matrixAt(a, batches, i), matrixAt(b, batches, i),
                matrixAt(c, batches, i));
}

template void cudnn::multiply(const View<float> &, const View<float> &,
                              const View<float> &);
template void cudnn::multiply(const View<double> &, const View<double> &,
                              const View<double> &);
