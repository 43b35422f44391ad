//===- CublasABI.h - the interface of cuBLAS --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types and functions of cuBLAS 13.1 that libcublas.so.13 and
// libcublas.so.12 implement, named and laid out as cuBLAS's documentation says.
// Programs do not include this file; they use cublas_v2.h.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_CUBLAS_CUBLASABI_H
#define PTXJIT_CUBLAS_CUBLASABI_H

#include "ptxjit/CudaDriver/CudaABI.h"

#include <complex>
#include <cstddef>
#include <cstdint>

using cuComplex = std::complex<float>;
using cuDoubleComplex = std::complex<double>;

/// A number of 16 bits, as memory holds it.
struct cublasHalf {
  uint16_t bits;
};
struct cublasBfloat16 {
  uint16_t bits;
};

/// Results: PTXJIT_CUBLAS_STATUSES(X) calls X(name, number, text).
#define PTXJIT_CUBLAS_STATUSES(X)                                              \
  X(CUBLAS_STATUS_SUCCESS, 0, "success")                                       \
  X(CUBLAS_STATUS_NOT_INITIALIZED, 1, "the library was not initialized")       \
  X(CUBLAS_STATUS_ALLOC_FAILED, 3, "the resource allocation failed")           \
  X(CUBLAS_STATUS_INVALID_VALUE, 7,                                            \
    "an unsupported value or parameter was passed to the function")            \
  X(CUBLAS_STATUS_ARCH_MISMATCH, 8,                                            \
    "the requested functionality requires a feature absent from the GPU "      \
    "architecture")                                                            \
  X(CUBLAS_STATUS_MAPPING_ERROR, 11,                                           \
    "an access to the GPU memory space failed")                                \
  X(CUBLAS_STATUS_EXECUTION_FAILED, 13,                                        \
    "the function failed to launch on the GPU")                                \
  X(CUBLAS_STATUS_INTERNAL_ERROR, 14, "an internal operation failed")          \
  X(CUBLAS_STATUS_NOT_SUPPORTED, 15,                                           \
    "the functionality requested is not supported")                            \
  X(CUBLAS_STATUS_LICENSE_ERROR, 16, "an error with the license was detected")

enum cublasStatus_t : int {
#define X(name, number, text) name = number,
  PTXJIT_CUBLAS_STATUSES(X)
#undef X
};

enum cublasFillMode_t : int {
  CUBLAS_FILL_MODE_LOWER = 0,
  CUBLAS_FILL_MODE_UPPER = 1,
  CUBLAS_FILL_MODE_FULL = 2,
};
enum cublasDiagType_t : int {
  CUBLAS_DIAG_NON_UNIT = 0,
  CUBLAS_DIAG_UNIT = 1,
};
enum cublasSideMode_t : int { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 };
enum cublasOperation_t : int {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2,
  CUBLAS_OP_CONJG = 3, ///< has no meaning in cuBLAS yet
};
enum cublasPointerMode_t : int {
  CUBLAS_POINTER_MODE_HOST = 0,   ///< scalars are read at the call
  CUBLAS_POINTER_MODE_DEVICE = 1, ///< scalars are read when the work runs
};
enum cublasAtomicsMode_t : int {
  CUBLAS_ATOMICS_NOT_ALLOWED = 0,
  CUBLAS_ATOMICS_ALLOWED = 1,
};
enum cublasGemmAlgo_t : int { CUBLAS_GEMM_DEFAULT = -1 };
enum cublasMath_t : int {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_FP32_EMULATED_BF16X9_MATH = 4,
  CUBLAS_FP64_EMULATED_FIXEDPOINT_MATH = 8,
  /// A flag beside the others.
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
};
enum cublasComputeType_t : int {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
  CUBLAS_COMPUTE_32F_EMULATED_16BFX9 = 78,
  CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT = 79,
};
enum cublasEmulationStrategy_t : int {
  CUBLAS_EMULATION_STRATEGY_DEFAULT = 0,
  CUBLAS_EMULATION_STRATEGY_PERFORMANT = 1,
  CUBLAS_EMULATION_STRATEGY_EAGER = 2,
};

/// Types of elements, of CUDA's library_types.h.
enum cudaDataType : int {
  CUDA_R_32F = 0,
  CUDA_R_64F = 1,
  CUDA_R_16F = 2,
  CUDA_R_8I = 3,
  CUDA_C_32F = 4,
  CUDA_C_64F = 5,
  CUDA_R_32I = 10,
  CUDA_R_16BF = 14,
  CUDA_R_8F_E4M3 = 28,
  CUDA_R_8F_E5M2 = 29,
};
enum libraryPropertyType : int {
  MAJOR_VERSION = 0,
  MINOR_VERSION = 1,
  PATCH_LEVEL = 2,
};

typedef struct cublasContext *cublasHandle_t;
typedef void (*cublasLogCallback)(const char *text);

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle);
cublasStatus_t cublasDestroy_v2(cublasHandle_t handle);
cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion(void);
cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace,
                                     size_t bytes);
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, CUstream stream);
cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, CUstream *stream);

// Settings of a handle: cublasGet<name> and cublasSet<name>.
#define SETTING(name, type, field, isValid)                                    \
  cublasStatus_t cublasGet##name(cublasHandle_t handle, type *value);          \
  cublasStatus_t cublasSet##name(cublasHandle_t handle, type value);
#include "ptxjit/Cublas/Settings.def"
#undef SETTING

const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasLoggerConfigure(int isOn, int toStdout, int toStderr,
                                     const char *file);
cublasStatus_t cublasSetLoggerCallback(cublasLogCallback callback);
cublasStatus_t cublasGetLoggerCallback(cublasLogCallback *callback);
void cublasXerbla(const char *name, int info);

// Copies between host and device.
#define NAME(base) PTXJIT_WIDTH(cublas##base)
#define COPY(name, run, parameters, arguments) cublasStatus_t name parameters;
#define PTXJIT_TABLE "ptxjit/Cublas/Copies.def"
#include "ptxjit/Cublas/EachWidth.inc"
#undef PTXJIT_TABLE
#undef COPY
#undef NAME

// All other functions.
#define PTXJIT_CUBLAS_STRIP(...) __VA_ARGS__
#define FUNCTION(name, run, parameters, arguments)                             \
  cublasStatus_t name(cublasHandle_t handle, PTXJIT_CUBLAS_STRIP parameters);
#define PTXJIT_TABLE "ptxjit/Cublas/Functions.def"
#include "ptxjit/Cublas/EachType.inc"
#undef PTXJIT_TABLE
#define NAME(base) PTXJIT_WIDTH(cublas##base)
#define PTXJIT_TABLE "ptxjit/Cublas/Level1Ex.def"
#include "ptxjit/Cublas/EachWidth.inc"
#undef PTXJIT_TABLE
#define PTXJIT_TABLE "ptxjit/Cublas/Level3Ex.def"
#include "ptxjit/Cublas/EachWidth.inc"
#undef PTXJIT_TABLE
#define PTXJIT_TABLE "ptxjit/Cublas/Mixed.def"
#include "ptxjit/Cublas/EachWidth.inc"
#undef PTXJIT_TABLE
#undef NAME
#undef FUNCTION
}

#endif
