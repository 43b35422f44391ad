//===- CublasLtABI.h - the interface of cuBLASLt ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types and functions of cuBLASLt 13.1 that libcublasLt.so.13 and
// libcublasLt.so.12 implement. Programs use cublasLt.h. A descriptor is a
// structure of 64-bit words, which may be the program's own.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_CUBLAS_CUBLASLTABI_H
#define PTXJIT_CUBLAS_CUBLASLTABI_H

#include "ptxjit/Cublas/CublasABI.h"

#include <cstdio>

typedef struct cublasLtContext *cublasLtHandle_t;

struct cublasLtMatrixLayoutOpaque_t {
  uint64_t data[8];
};
struct cublasLtMatmulDescOpaque_t {
  uint64_t data[32];
};
struct cublasLtMatrixTransformDescOpaque_t {
  uint64_t data[8];
};
struct cublasLtMatmulPreferenceOpaque_t {
  uint64_t data[8];
};
struct cublasLtEmulationDescOpaque_t {
  uint64_t data[8];
};
struct cublasLtMatmulAlgo_t {
  uint64_t data[8];
};
typedef cublasLtMatrixLayoutOpaque_t *cublasLtMatrixLayout_t;
typedef cublasLtMatmulDescOpaque_t *cublasLtMatmulDesc_t;
typedef cublasLtMatrixTransformDescOpaque_t *cublasLtMatrixTransformDesc_t;
typedef cublasLtMatmulPreferenceOpaque_t *cublasLtMatmulPreference_t;
typedef cublasLtEmulationDescOpaque_t *cublasLtEmulationDesc_t;

/// An algorithm for a product.
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  size_t workspaceSize; ///< bytes
  cublasStatus_t state; ///< whether it can be used
  float wavesCount;
  int reserved[4];
};

enum cublasLtPointerMode_t : int {
  CUBLASLT_POINTER_MODE_HOST = 0,
  CUBLASLT_POINTER_MODE_DEVICE = 1,
  CUBLASLT_POINTER_MODE_DEVICE_VECTOR = 2, ///< one for each row of D
  CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO = 3,
  CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST = 4,
};
enum cublasLtOrder_t : int {
  CUBLASLT_ORDER_COL = 0,
  CUBLASLT_ORDER_ROW = 1,
};
enum cublasLtBatchMode_t : int {
  CUBLASLT_BATCH_MODE_STRIDED = 0,
  CUBLASLT_BATCH_MODE_POINTER_ARRAY = 1,
};
enum cublasLtMatmulMatrixScale_t : int {
  CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F = 0,
  CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F = 3,
};
/// What is done with a product before it is stored. The names without AUX and
/// BGRAD are flags, those with them the flag and another one.
enum cublasLtEpilogue_t : int {
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  CUBLASLT_EPILOGUE_RELU = 2,
  CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLASLT_EPILOGUE_RELU_BIAS = 2 | 4,
  CUBLASLT_EPILOGUE_RELU_AUX = 2 | 128,
  CUBLASLT_EPILOGUE_RELU_AUX_BIAS = 2 | 4 | 128,
  CUBLASLT_EPILOGUE_DRELU = 8 | 128,
  CUBLASLT_EPILOGUE_DRELU_BGRAD = 8 | 16 | 128,
  CUBLASLT_EPILOGUE_GELU = 32,
  CUBLASLT_EPILOGUE_GELU_BIAS = 32 | 4,
  CUBLASLT_EPILOGUE_GELU_AUX = 32 | 128,
  CUBLASLT_EPILOGUE_GELU_AUX_BIAS = 32 | 4 | 128,
  CUBLASLT_EPILOGUE_DGELU = 64 | 128,
  CUBLASLT_EPILOGUE_DGELU_BGRAD = 64 | 16 | 128,
  CUBLASLT_EPILOGUE_BGRADA = 256,
  CUBLASLT_EPILOGUE_BGRADB = 512,
};

/// Attributes of all kinds of descriptors. Each kind counts from 0.
enum cublasLtAttribute_t : int {
#define X(name, number, type, field, initial) name = number,
#define LAYOUT_ATTRIBUTE X
#define MATMUL_ATTRIBUTE X
#define TRANSFORM_ATTRIBUTE X
#define PREFERENCE_ATTRIBUTE X
#define EMULATION_ATTRIBUTE X
#define CONFIG_ATTRIBUTE X
#include "ptxjit/Cublas/LtAttributes.def"
#undef X
};
/// Attributes of algorithms that are only read.
enum cublasLtMatmulAlgoCapAttributes_t : int {
#define CAP_ATTRIBUTE(name, number, type, value) name = number,
#include "ptxjit/Cublas/LtCapabilities.def"
#undef CAP_ATTRIBUTE
};

typedef void (*cublasLtLoggerCallback_t)(int level, const char *function,
                                         const char *text);

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle);
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle);
const char *cublasLtGetStatusName(cublasStatus_t status);
const char *cublasLtGetStatusString(cublasStatus_t status);
size_t cublasLtGetVersion(void);
size_t cublasLtGetCudartVersion(void);
cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value);
cublasStatus_t cublasLtHeuristicsCacheGetCapacity(size_t *capacity);
cublasStatus_t cublasLtHeuristicsCacheSetCapacity(size_t capacity);
unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask);

cublasStatus_t cublasLtLoggerSetCallback(cublasLtLoggerCallback_t callback);
cublasStatus_t cublasLtLoggerSetFile(FILE *file);
cublasStatus_t cublasLtLoggerOpenFile(const char *file);
cublasStatus_t cublasLtLoggerSetLevel(int level);
cublasStatus_t cublasLtLoggerSetMask(int mask);
cublasStatus_t cublasLtLoggerForceDisable(void);

// The functions of each kind of descriptor. Those named _internal are called by
// inline functions of cublasLt.h. `size` is that of the program's structure.
#define PTXJIT_CUBLASLT_DESCRIPTORS(X)                                         \
  X(MatrixLayout, cublasLtMatrixLayout_t)                                      \
  X(MatmulDesc, cublasLtMatmulDesc_t)                                          \
  X(MatrixTransformDesc, cublasLtMatrixTransformDesc_t)                        \
  X(EmulationDesc, cublasLtEmulationDesc_t)                                    \
  X(MatmulPreference, cublasLtMatmulPreference_t)
#define X(name, type)                                                          \
  cublasStatus_t cublasLt##name##Destroy(type descriptor);                     \
  cublasStatus_t cublasLt##name##SetAttribute(                                 \
      type descriptor, cublasLtAttribute_t attribute, const void *buffer,      \
      size_t bytes);                                                           \
  cublasStatus_t cublasLt##name##GetAttribute(                                 \
      type descriptor, cublasLtAttribute_t attribute, void *buffer,            \
      size_t bytes, size_t *written);
PTXJIT_CUBLASLT_DESCRIPTORS(X)
#undef X
cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t layout,
                                                 size_t size, cudaDataType type,
                                                 uint64_t rows,
                                                 uint64_t columns, int64_t ld);
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout,
                                          cudaDataType type, uint64_t rows,
                                          uint64_t columns, int64_t ld);
cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t descriptor,
                                               size_t size,
                                               cublasComputeType_t compute,
                                               cudaDataType scale);
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *descriptor,
                                        cublasComputeType_t compute,
                                        cudaDataType scale);
cublasStatus_t cublasLtMatrixTransformDescInit_internal(
    cublasLtMatrixTransformDesc_t descriptor, size_t size, cudaDataType scale);
cublasStatus_t
cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t *descriptor,
                                  cudaDataType scale);
cublasStatus_t
cublasLtEmulationDescInit_internal(cublasLtEmulationDesc_t descriptor,
                                   size_t size);
cublasStatus_t cublasLtEmulationDescCreate(cublasLtEmulationDesc_t *descriptor);
cublasStatus_t
cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t preference,
                                      size_t size);
cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference);

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t descriptor,
    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int requested,
    cublasLtMatmulHeuristicResult_t *results, int *count);
cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle,
                                        cublasComputeType_t compute,
                                        cudaDataType scale, cudaDataType a,
                                        cudaDataType b, cudaDataType c,
                                        cudaDataType d, int requested, int *ids,
                                        int *count);
cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle,
                                      cublasComputeType_t compute,
                                      cudaDataType scale, cudaDataType a,
                                      cudaDataType b, cudaDataType c,
                                      cudaDataType d, int id,
                                      cublasLtMatmulAlgo_t *algo);
cublasStatus_t cublasLtMatmulAlgoCheck(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t descriptor,
    cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
    cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    const cublasLtMatmulAlgo_t *algo, cublasLtMatmulHeuristicResult_t *result);
cublasStatus_t
cublasLtMatmulAlgoCapGetAttribute(const cublasLtMatmulAlgo_t *algo,
                                  cublasLtMatmulAlgoCapAttributes_t attribute,
                                  void *buffer, size_t bytes, size_t *written);
cublasStatus_t
cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t *algo,
                                     cublasLtAttribute_t attribute,
                                     const void *buffer, size_t bytes);
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(
    const cublasLtMatmulAlgo_t *algo, cublasLtAttribute_t attribute,
    void *buffer, size_t bytes, size_t *written);

cublasStatus_t
cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t descriptor,
               const void *alpha, const void *a, cublasLtMatrixLayout_t aLayout,
               const void *b, cublasLtMatrixLayout_t bLayout, const void *beta,
               const void *c, cublasLtMatrixLayout_t cLayout, void *d,
               cublasLtMatrixLayout_t dLayout, const cublasLtMatmulAlgo_t *algo,
               void *workspace, size_t bytes, CUstream stream);
cublasStatus_t cublasLtMatrixTransform(
    cublasLtHandle_t handle, cublasLtMatrixTransformDesc_t descriptor,
    const void *alpha, const void *a, cublasLtMatrixLayout_t aLayout,
    const void *beta, const void *b, cublasLtMatrixLayout_t bLayout, void *c,
    cublasLtMatrixLayout_t cLayout, CUstream stream);
}

#endif
