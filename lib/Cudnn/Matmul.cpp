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

/// A matrix as BLAS wants it: one of its strides is 1. Else it is copied.
static Matrix<float> forBlas(Matrix<float> matrix,
                             std::vector<float> &storage) {
  bool isByRows = matrix.column == 1 && matrix.row >= matrix.columns;
  bool isByColumns = matrix.row == 1 && matrix.column >= matrix.rows;
  if (isByRows || isByColumns)
    return matrix;
  storage.resize(size_t(matrix.rows * matrix.columns));
  for (int64_t i = 0; i < matrix.rows; ++i)
    for (int64_t j = 0; j < matrix.columns; ++j)
      storage[size_t(i * matrix.columns + j)] =
          matrix.data[i * matrix.row + j * matrix.column];
  return {storage.data(), matrix.rows, matrix.columns, matrix.columns, 1};
}

static void multiplyOne(Matrix<float> a, Matrix<float> b, Matrix<float> c) {
  std::vector<float> storageA, storageB, storageC;
  a = forBlas(a, storageA);
  b = forBlas(b, storageB);
  Matrix<float> out = c;
  if (c.column != 1 || c.row < c.columns) {
    storageC.resize(size_t(c.rows * c.columns));
    out = {storageC.data(), c.rows, c.columns, c.columns, 1};
  }
  bool isATransposed = a.column != 1, isBTransposed = b.column != 1;
  dnnl_status_t status = dnnl_sgemm(
      isATransposed ? 'T' : 'N', isBTransposed ? 'T' : 'N', c.rows, c.columns,
      a.columns, 1, a.data, isATransposed ? a.column : a.row, b.data,
      isBTransposed ? b.column : b.row, 0, out.data, out.row);
  if (status != dnnl_success)
    throw Failure{CUDNN_STATUS_INTERNAL_ERROR, "dnnl_sgemm"};
  if (storageC.empty())
    return;
  for (int64_t i = 0; i < c.rows; ++i)
    for (int64_t j = 0; j < c.columns; ++j)
      c.data[i * c.row + j * c.column] = out.data[i * out.row + j];
}

// oneDNN has no products of doubles.
static void multiplyOne(Matrix<double> a, Matrix<double> b, Matrix<double> c) {
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
