//===- LtMatmul.cpp - products of cublasLt --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Call.h"
#include "Elements.h"
#include "Lt.h"
#include "LtEpilogue.h"

#include <cstring>

using namespace ptxjit;
using namespace ptxjit::cublas;

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

static bool isFp8(cudaDataType type) {
  return type == CUDA_R_8F_E4M3 || type == CUDA_R_8F_E5M2;
}
static bool isFloat16(cudaDataType type) {
  return type == CUDA_R_16F || type == CUDA_R_16BF;
}
static cudaDataType typeOf(const LtLayout &layout) {
  return cudaDataType(int(layout.type));
}

static bool areTypesSupported(const LtProduct &p) {
  const Product &q = p.product;
  cudaDataType c = typeOf(p.c), d = typeOf(p.d);
  auto compute = cublasComputeType_t(p.matmul.compute);
  if (isFp8(q.typeA) && isFp8(q.typeB))
    return q.scale == CUDA_R_32F && scaleOf(compute, false) == CUDA_R_32F &&
           (c == CUDA_R_32F || isFloat16(c)) && (d == c || isFp8(d));
  return c == d && isSupported(q, compute);
}

/// Whether D is more than a product of plain matrices.
static bool isPlain(const LtProduct &p) {
  const LtMatmul &m = p.matmul;
  return m.epilogue == CUBLASLT_EPILOGUE_DEFAULT && m.pointerMode <= 1 &&
         !m.scaleA && !m.scaleB && !m.scaleC && !m.scaleD && !m.amaxD &&
         !isFp8(p.product.typeA);
}

static const char *findUnsupported(const LtProduct &p) {
  const LtMatmul &m = p.matmul;
  for (const LtLayout *layout : {&p.a, &p.b, &p.c, &p.d}) {
    if (layout->order != CUBLASLT_ORDER_COL &&
        layout->order != CUBLASLT_ORDER_ROW)
      return "matrices are stored by columns or by rows";
    if (layout->planeOffset || layout->batchMode > 1)
      return "planes of complex numbers";
  }
  if (p.c.order != p.d.order)
    return "C and D have different orders";
  if (m.transC != CUBLAS_OP_N || m.fillMode != CUBLAS_FILL_MODE_FULL)
    return "C is not transposed, and D is made as a whole";
  for (int mode : {m.modeA, m.modeB})
    if (mode != CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F &&
        mode != CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F)
      return "factors of blocks";
  if (m.modeC || m.modeD || m.modeAux || m.outScaleD)
    return "factors of blocks";
  if (!areTypesSupported(p))
    return "these types are not multiplied";
  if (!isEpilogue(m.epilogue))
    return "this epilogue is not known";
  if (!isPlain(p) && p.product.scale != CUDA_R_32F &&
      p.product.scale != CUDA_R_16F)
    return "epilogues and vectors of factors are for products in f32 and f16";
  return nullptr;
}

/// op, if its matrix is stored the other way round.
static cublasOperation_t flip(cublasOperation_t op, bool isFlipped) {
  if (!isFlipped)
    return op;
  return op == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/// Rows of op(matrix).
static int64_t rowsOf(const LtLayout &layout, int32_t trans) {
  return int64_t(trans == CUBLAS_OP_N ? layout.rows : layout.columns);
}
static int64_t columnsOf(const LtLayout &layout, int32_t trans) {
  return int64_t(trans == CUBLAS_OP_N ? layout.columns : layout.rows);
}

static bool isConsistent(const LtProduct &p) {
  const LtMatmul &m = p.matmul;
  for (const LtLayout *layout : {&p.a, &p.b, &p.c, &p.d}) {
    uint64_t length =
        layout->order == CUBLASLT_ORDER_ROW ? layout->columns : layout->rows;
    if (layout->rows > INT32_MAX || layout->columns > INT32_MAX ||
        layout->ld > INT32_MAX || layout->batchCount < 1 ||
        layout->batchCount != p.d.batchCount ||
        !isLeading(layout->ld, int64_t(length)))
      return false;
  }
  if (!isValid(cublasOperation_t(m.transA)) ||
      !isValid(cublasOperation_t(m.transB)) || m.pointerMode < 0 ||
      m.pointerMode > CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST)
    return false;
  return rowsOf(p.a, m.transA) == int64_t(p.d.rows) &&
         columnsOf(p.b, m.transB) == int64_t(p.d.columns) &&
         columnsOf(p.a, m.transA) == rowsOf(p.b, m.transB) &&
         p.c.rows == p.d.rows && p.c.columns == p.d.columns;
}

cublasStatus_t cublas::describe(const LtMatmul &matmul, const LtLayout &a,
                                const LtLayout &b, const LtLayout &c,
                                const LtLayout &d, LtProduct &out,
                                std::string &reason) {
  out = {matmul, a, b, c, d, {}, d.order == CUBLASLT_ORDER_ROW};
  if (!isConsistent(out)) {
    reason = "the matrices do not fit together";
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  auto opA = cublasOperation_t(matmul.transA);
  auto opB = cublasOperation_t(matmul.transB);
  bool flipsA = (a.order == CUBLASLT_ORDER_ROW) != out.isTransposed;
  bool flipsB = (b.order == CUBLASLT_ORDER_ROW) != out.isTransposed;
  Product &p = out.product;
  p = {flip(opA, flipsA),
       flip(opB, flipsB),
       int64_t(d.rows),
       int64_t(d.columns),
       columnsOf(a, matmul.transA),
       typeOf(a),
       typeOf(b),
       typeOf(d),
       a.ld,
       b.ld,
       d.ld,
       cudaDataType(matmul.scale)};
  if (out.isTransposed) {
    std::swap(p.transA, p.transB);
    std::swap(p.m, p.n);
    std::swap(p.typeA, p.typeB);
    std::swap(p.lda, p.ldb);
  }
  const char *unsupported = findUnsupported(out);
  bool conjugates = isComplexType(p.typeA) &&
                    ((opA == CUBLAS_OP_C && flipsA) ||
                     (opB == CUBLAS_OP_C && flipsB) || out.isTransposed);
  if (conjugates)
    unsupported = "complex matrices that are stored by rows";
  if (!unsupported)
    return CUBLAS_STATUS_SUCCESS;
  reason = unsupported;
  return CUBLAS_STATUS_NOT_SUPPORTED;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static void *matrixAt(const LtLayout &layout, const void *base, int64_t index) {
  Batched batched = {base, layout.stride,
                     layout.batchMode == CUBLASLT_BATCH_MODE_POINTER_ARRAY};
  return batched.at(typeOf(layout), index);
}

/// D = C, where only D is read later.
static void copyOld(const LtProduct &p, const void *c, void *d) {
  if (c == d)
    return;
  cudaDataType type = p.product.typeC;
  for (int64_t column = 0; column < p.product.n; ++column)
    std::memcpy(elementOf(type, d, column * p.d.ld),
                elementOf(type, c, column * p.c.ld),
                size_t(p.product.m) * sizeOf(type));
}

static bool isZero(cudaDataType type, const Number &number) {
  if (type == CUDA_R_16F) // without the sign
    return !((uint8_t(number[1]) & 0x7f) | uint8_t(number[0]));
  if (type == CUDA_C_64F || type == CUDA_R_64F) {
    double parts[2];
    std::memcpy(parts, number.data(), sizeof(parts));
    return parts[0] == 0 && (type == CUDA_R_64F || parts[1] == 0);
  }
  float parts[2];
  std::memcpy(parts, number.data(), sizeof(parts));
  return parts[0] == 0 && (type != CUDA_C_32F || parts[1] == 0);
}

static void runOne(const LtProduct &p, const LtOperands &o, int64_t index) {
  const void *a = matrixAt(p.a, o.a, index), *b = matrixAt(p.b, o.b, index);
  const void *c = o.c ? matrixAt(p.c, o.c, index) : nullptr;
  void *d = matrixAt(p.d, o.d, index);
  if (p.isTransposed)
    std::swap(a, b);
  if (!isPlain(p)) {
    Epilogue epilogue(p, o, index, c, d);
    epilogue.addGradients(a, b);
    multiplyBlocks(p.product, a, b,
                   [&](const Block<float> &block) { epilogue.store(block); });
    return epilogue.finish();
  }
  bool isOnDevice = p.matmul.pointerMode == CUBLASLT_POINTER_MODE_DEVICE;
  cudaDataType scale = p.product.scale;
  Number alpha = isOnDevice ? readNumber(scale, o.alpha) : o.alphaValue;
  Number beta = isOnDevice ? readNumber(scale, o.beta) : o.betaValue;
  if (c && !isZero(scale, beta))
    copyOld(p, c, d);
  multiply(p.product, alpha, a, b, beta, d);
}

void cublas::run(const LtProduct &p, const LtOperands &operands) {
  double operations =
      double(p.product.m) * double(p.product.n) * double(p.product.k);
  // Epilogues of a batch may add to the same numbers.
  if (!isPlain(p))
    operations = 1e300;
  forEachOfBatch(p.d.batchCount, operations,
                 [&](int64_t index) { runOne(p, operands, index); });
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

static cublasStatus_t
enqueueMatmul(const LtMatmul &matmul, const LtLayout &aLayout,
              const LtLayout &bLayout, const LtLayout &cLayout,
              const LtLayout &dLayout, LtOperands operands, CUstream stream) {
  static constexpr char name[] = "cublasLtMatmul";
  LtProduct product;
  std::string reason;
  if (cublasStatus_t status =
          describe(matmul, aLayout, bLayout, cLayout, dLayout, product, reason))
    return status == CUBLAS_STATUS_NOT_SUPPORTED ? refuse(name, reason)
                                                 : fail(name, status, reason);
  int mode = matmul.pointerMode;
  bool needsBeta = mode != CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO;
  if (!operands.alpha || (needsBeta && !operands.beta) || !operands.a ||
      !operands.b || !operands.d)
    return fail(name, CUBLAS_STATUS_INVALID_VALUE, "a matrix is missing");
  if (!hasPointers(matmul))
    return fail(name, CUBLAS_STATUS_INVALID_VALUE,
                "the epilogue has no bias or no auxiliary matrix");
  cudaDataType scale = product.product.scale;
  if (mode == CUBLASLT_POINTER_MODE_HOST)
    operands.alphaValue = readNumber(scale, operands.alpha);
  if (mode == CUBLASLT_POINTER_MODE_HOST ||
      mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST)
    operands.betaValue = readNumber(scale, operands.beta);
  bool isBetaZero =
      mode == CUBLASLT_POINTER_MODE_HOST && isZero(scale, operands.betaValue);
  if (!operands.c && needsBeta && !isBetaZero)
    return fail(name, CUBLAS_STATUS_INVALID_VALUE, "C is missing");
  return statusOf(enqueue(stream, [=] { run(product, operands); }));
}

PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtMatmul(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t descriptor, const void *alpha,
    const void *a, cublasLtMatrixLayout_t aLayout, const void *b,
    cublasLtMatrixLayout_t bLayout, const void *beta, const void *c,
    cublasLtMatrixLayout_t cLayout, void *d, cublasLtMatrixLayout_t dLayout,
    const cublasLtMatmulAlgo_t *, void *, size_t, CUstream stream) {
  static constexpr char name[] = "cublasLtMatmul";
  if (!isLtHandle(handle))
    return finish(name, CUBLAS_STATUS_NOT_INITIALIZED);
  if (!descriptor || !aLayout || !bLayout || !cLayout || !dLayout)
    return finish(name, CUBLAS_STATUS_INVALID_VALUE);
  return finish(name,
                enqueueMatmul(*view(descriptor), *view(aLayout), *view(bLayout),
                              *view(cLayout), *view(dLayout),
                              {alpha, beta, {}, {}, a, b, c, d}, stream));
}
