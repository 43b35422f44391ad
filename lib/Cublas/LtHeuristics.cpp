//===- LtHeuristics.cpp - algorithms of cublasLt --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// There is one algorithm, number 0, for all that we can do.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"
#include "Lt.h"

#include <cstring>

using namespace ptxjit::cublas;

static void writeAlgorithm(cublasLtMatmulAlgo_t &to) {
  LtAlgo algo;
  to = {};
  std::memcpy(static_cast<void *>(&to), &algo, sizeof(algo));
}

static cublasStatus_t check(cublasLtHandle_t handle,
                            const cublasLtMatmulDescOpaque_t *descriptor,
                            const cublasLtMatrixLayoutOpaque_t *a,
                            const cublasLtMatrixLayoutOpaque_t *b,
                            const cublasLtMatrixLayoutOpaque_t *c,
                            const cublasLtMatrixLayoutOpaque_t *d,
                            const char *name) {
  if (!isLtHandle(handle))
    return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!descriptor || !a || !b || !c || !d)
    return CUBLAS_STATUS_INVALID_VALUE;
  LtProduct product;
  std::string reason;
  cublasStatus_t status = describe(*view(descriptor), *view(a), *view(b),
                                   *view(c), *view(d), product, reason);
  return status ? fail(name, status, reason) : status;
}

PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t descriptor,
    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int requested,
    cublasLtMatmulHeuristicResult_t *results, int *count) {
  static constexpr char name[] = "cublasLtMatmulAlgoGetHeuristic";
  if (!preference || requested < 1 || !results || !count)
    return finish(name, CUBLAS_STATUS_INVALID_VALUE);
  *count = 0;
  if (cublasStatus_t status = check(handle, descriptor, a, b, c, d, name))
    return finish(name, status);
  *results = {};
  writeAlgorithm(results->algo);
  results->wavesCount = 1;
  *count = 1;
  return finish(name, CUBLAS_STATUS_SUCCESS);
}

PTXJIT_CUBLAS_EXPORT cublasStatus_t cublasLtMatmulAlgoCheck(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t descriptor,
    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result) {
  static constexpr char name[] = "cublasLtMatmulAlgoCheck";
  if (!algo || !result)
    return finish(name, CUBLAS_STATUS_INVALID_VALUE);
  if (cublasStatus_t status = check(handle, descriptor, a, b, c, d, name))
    return finish(name, status);
  *result = {};
  result->algo = *algo;
  result->wavesCount = 1;
  return finish(name, CUBLAS_STATUS_SUCCESS);
}

PTXJIT_CUBLAS_EXPORT cublasStatus_t
cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t compute,
                         cudaDataType, cudaDataType, cudaDataType, cudaDataType,
                         cudaDataType, int requested, int *ids, int *count) {
  static constexpr char name[] = "cublasLtMatmulAlgoGetIds";
  if (!isLtHandle(handle))
    return finish(name, CUBLAS_STATUS_NOT_INITIALIZED);
  if (requested < 1 || !ids || !count || scaleOf(compute, false) < 0)
    return finish(name, CUBLAS_STATUS_INVALID_VALUE);
  *ids = 0;
  *count = 1;
  return finish(name, CUBLAS_STATUS_SUCCESS);
}

PTXJIT_CUBLAS_EXPORT cublasStatus_t
cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t compute,
                       cudaDataType, cudaDataType, cudaDataType, cudaDataType,
                       cudaDataType, int id, cublasLtMatmulAlgo_t *algo) {
  static constexpr char name[] = "cublasLtMatmulAlgoInit";
  if (!isLtHandle(handle))
    return finish(name, CUBLAS_STATUS_NOT_INITIALIZED);
  if (!algo || id != 0 || scaleOf(compute, false) < 0)
    return finish(name, CUBLAS_STATUS_INVALID_VALUE);
  writeAlgorithm(*algo);
  return finish(name, CUBLAS_STATUS_SUCCESS);
}
