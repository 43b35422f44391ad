//===- Copies.cpp - copies of vectors and matrices ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between host and device, which are one memory here.
//
//===----------------------------------------------------------------------===//

#include "Status.h"
#include "ptxjit/HostWork/HostWork.h"

#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cublas;

/// Is there an array of so many bytes?
static bool isArray(int64_t count, int64_t step, int64_t size) {
  int64_t bytes;
  return !__builtin_mul_overflow(count, step, &bytes) &&
         !__builtin_mul_overflow(bytes, size, &bytes);
}

/// Runs a copy in a stream. Copies that the program waits for come after what
/// is in the default stream.
template <typename F>
static cublasStatus_t submit(CUstream stream, bool waits, F copy) {
  CUcontext context;
  CUresult error = findContext(context);
  if (!error)
    error = enqueue(stream, copy);
  if (!error && waits)
    error = cuStreamSynchronize(stream);
  return error ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t copyVector(int64_t n, int64_t size, const void *x,
                                 int64_t incx, void *y, int64_t incy,
                                 CUstream stream, bool waits) {
  if (size <= 0 || incx <= 0 || incy <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (n <= 0)
    return CUBLAS_STATUS_SUCCESS;
  if (!x || !y || !isArray(n, incx, size) || !isArray(n, incy, size))
    return CUBLAS_STATUS_INVALID_VALUE;
  return submit(stream, waits, [=] {
    auto *from = static_cast<const char *>(x);
    auto *to = static_cast<char *>(y);
    if (incx == 1 && incy == 1) {
      std::memcpy(to, from, size_t(n * size));
      return;
    }
    for (int64_t i = 0; i < n; ++i)
      std::memcpy(to + i * incy * size, from + i * incx * size, size_t(size));
  });
}

static cublasStatus_t copyMatrix(int64_t rows, int64_t columns, int64_t size,
                                 const void *a, int64_t lda, void *b,
                                 int64_t ldb, CUstream stream, bool waits) {
  if (rows < 0 || columns < 0 || size <= 0 || lda < rows || ldb < rows ||
      lda <= 0 || ldb <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (rows == 0 || columns == 0)
    return CUBLAS_STATUS_SUCCESS;
  if (!a || !b || !isArray(columns, lda, size) || !isArray(columns, ldb, size))
    return CUBLAS_STATUS_INVALID_VALUE;
  return submit(stream, waits, [=] {
    for (int64_t column = 0; column < columns; ++column)
      std::memcpy(static_cast<char *>(b) + column * ldb * size,
                  static_cast<const char *>(a) + column * lda * size,
                  size_t(rows * size));
  });
}

#define STRIP(...) __VA_ARGS__
#define STRING(name) STRING_(name)
#define STRING_(name) #name
#define COPY(name, run, parameters, arguments)                                 \
  PTXJIT_CUBLAS_EXPORT cublasStatus_t name parameters {                        \
    return finish(STRING(name), run arguments);                                \
  }
#define NAME(base) PTXJIT_WIDTH(cublas##base)
#define PTXJIT_TABLE "ptxjit/Cublas/Copies.def"
#include "ptxjit/Cublas/EachWidth.inc"
