//===- LtTransform.cpp - sums of matrices of different forms --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C = alpha * op(A) + beta * op(B), in f32.
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Elements.h"
#include "Lt.h"

using namespace ptxjit;
using namespace ptxjit::cublas;

namespace {
/// op(matrix), as a program describes it.
struct Operand {
  const char *data;
  LtLayout layout;
  bool isTransposed;
  cudaDataType type() const { return cudaDataType(int(layout.type)); }
  uint64_t rows() const { return isTransposed ? layout.columns : layout.rows; }
  uint64_t columns() const {
    return isTransposed ? layout.rows : layout.columns;
  }
  /// Where an element of a batch is, in elements.
  int64_t offset(int64_t row, int64_t column, int64_t index) const {
    bool isRow = (layout.order == CUBLASLT_ORDER_ROW) != isTransposed;
    return index * layout.stride +
           (isRow ? column + row * layout.ld : row + column * layout.ld);
  }
};
} // namespace

static const char *findUnsupported(const Operand &operand) {
  const LtLayout &layout = operand.layout;
  if (layout.order != CUBLASLT_ORDER_COL && layout.order != CUBLASLT_ORDER_ROW)
    return "matrices are stored by columns or by rows";
  if (layout.planeOffset || layout.batchMode)
    return "batches behind pointers, and planes of complex numbers";
  switch (operand.type()) {
  case CUDA_R_32F:
  case CUDA_R_16F:
  case CUDA_R_16BF:
  case CUDA_R_8I:
  case CUDA_R_8F_E4M3:
  case CUDA_R_8F_E5M2:
    return nullptr;
  default:
    return "sums are made of types that f32 holds";
  }
}

static cublasStatus_t transform(const char *name, const LtTransform &desc,
                                const void *alpha, const Operand &a,
                                const void *beta, const Operand &b,
                                const Operand &c, CUstream stream) {
  if (desc.scale != CUDA_R_32F ||
      desc.pointerMode > CUBLASLT_POINTER_MODE_DEVICE)
    return refuse(name, "factors are single numbers, in f32");
  for (const Operand *operand : {&a, &b, &c}) {
    const LtLayout &layout = operand->layout;
    bool isRow = layout.order == CUBLASLT_ORDER_ROW;
    if (!operand->data && operand != &c)
      continue; // it is left out
    if (const char *reason = findUnsupported(*operand))
      return refuse(name, reason);
    if (operand->rows() != c.rows() || operand->columns() != c.columns() ||
        layout.batchCount != c.layout.batchCount || !operand->data ||
        !isLeading(layout.ld, int64_t(isRow ? layout.columns : layout.rows)))
      return fail(name, CUBLAS_STATUS_INVALID_VALUE,
                  "the matrices do not fit together");
  }
  bool isOnDevice = desc.pointerMode == CUBLASLT_POINTER_MODE_DEVICE;
  if ((a.data && !alpha) || (b.data && !beta))
    return fail(name, CUBLAS_STATUS_INVALID_VALUE, "a factor is missing");
  auto *first = static_cast<const float *>(alpha);
  auto *second = static_cast<const float *>(beta);
  float hostAlpha = !isOnDevice && a.data ? *first : 0;
  float hostBeta = !isOnDevice && b.data ? *second : 0;
  return statusOf(enqueue(stream, [=] {
    float alpha = isOnDevice && a.data ? *first : hostAlpha;
    float beta = isOnDevice && b.data ? *second : hostBeta;
    auto part = [](float factor, const Operand &from, int64_t row,
                   int64_t column, int64_t index) {
      if (factor == 0) // then the matrix is not read
        return 0.f;
      return factor * toFloat(from.type(),
                              elementOf(from.type(),
                                        static_cast<const void *>(from.data),
                                        from.offset(row, column, index)));
    };
    void *out = const_cast<char *>(c.data);
    for (int64_t index = 0; index < c.layout.batchCount; ++index)
      for (int64_t column = 0; column < int64_t(c.columns()); ++column)
        for (int64_t row = 0; row < int64_t(c.rows()); ++row) {
          float sum = part(alpha, a, row, column, index) +
                      part(beta, b, row, column, index);
          fromFloats(&sum, 1, 1, 1, c.type(),
                     elementOf(c.type(), out, c.offset(row, column, index)), 1);
        }
  }));
}

PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtMatrixTransform(
    cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t descriptor,
    const void *alpha, const void *a, cublasLtMatrixLayout_t aLayout,
    const void *beta, const void *b, cublasLtMatrixLayout_t bLayout, void *c,
    cublasLtMatrixLayout_t cLayout, CUstream stream) {
  static constexpr char name[] = "cublasLtMatrixTransform";
  if (!isLtHandle(handle))
    return finish(name, CUBLAS_STATUS_NOT_INITIALIZED);
  if (!descriptor || !cLayout || !c || (a && !aLayout) || (b && !bLayout))
    return finish(name, CUBLAS_STATUS_INVALID_VALUE);
  const LtTransform &desc = *view(descriptor);
  auto operand = [](const void *data,
                    const cublasLtMatrixLayoutOpaque_t *layout, int32_t trans) {
    return Operand{static_cast<const char *>(data),
                   data ? *view(layout) : LtLayout(), trans != CUBLAS_OP_N};
  };
  return finish(name,
                transform(name, desc, alpha, operand(a, aLayout, desc.transA),
                          beta, operand(b, bLayout, desc.transB),
                          operand(c, cLayout, CUBLAS_OP_N), stream));
}
