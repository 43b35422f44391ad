//===- CudnnABI.h - the interface of cuDNN: handles and types ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types and functions of cuDNN 9.28 that libcudnn.so.9 implements, named
// and laid out as cuDNN's documentation says. Programs do not include these
// files; they use cudnn.h.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_CUDNN_CUDNNABI_H
#define PTXJIT_CUDNN_CUDNNABI_H

#include "ptxjit/CudaDriver/CudaABI.h"

#include <cstddef>
#include <cstdint>

/// Results: PTXJIT_CUDNN_STATUSES(X) calls X(name, number).
#define PTXJIT_CUDNN_STATUSES(X)                                               \
  X(CUDNN_STATUS_SUCCESS, 0)                                                   \
  X(CUDNN_STATUS_NOT_INITIALIZED, 1001)                                        \
  X(CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH, 1002)                            \
  X(CUDNN_STATUS_SERIALIZATION_VERSION_MISMATCH, 1003)                         \
  X(CUDNN_STATUS_DEPRECATED, 1004)                                             \
  X(CUDNN_STATUS_LICENSE_ERROR, 1005)                                          \
  X(CUDNN_STATUS_RUNTIME_IN_PROGRESS, 1006)                                    \
  X(CUDNN_STATUS_RUNTIME_FP_OVERFLOW, 1007)                                    \
  X(CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED, 1008)                              \
  X(CUDNN_STATUS_BAD_PARAM, 2000)                                              \
  X(CUDNN_STATUS_INVALID_VALUE, 2001)                                          \
  X(CUDNN_STATUS_BAD_PARAM_NULL_POINTER, 2002)                                 \
  X(CUDNN_STATUS_BAD_PARAM_MISALIGNED_POINTER, 2003)                           \
  X(CUDNN_STATUS_BAD_PARAM_NOT_FINALIZED, 2004)                                \
  X(CUDNN_STATUS_BAD_PARAM_OUT_OF_BOUND, 2005)                                 \
  X(CUDNN_STATUS_BAD_PARAM_SIZE_INSUFFICIENT, 2006)                            \
  X(CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH, 2007)                              \
  X(CUDNN_STATUS_BAD_PARAM_SHAPE_MISMATCH, 2008)                               \
  X(CUDNN_STATUS_BAD_PARAM_DUPLICATED_ENTRIES, 2009)                           \
  X(CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, 2010)                               \
  X(CUDNN_STATUS_BAD_PARAM_CUDA_GRAPH_MISMATCH, 2011)                          \
  X(CUDNN_STATUS_BAD_PARAM_DESCRIPTOR_TYPE, 2012)                              \
  X(CUDNN_STATUS_NOT_SUPPORTED, 3000)                                          \
  X(CUDNN_STATUS_NOT_SUPPORTED_GRAPH_PATTERN, 3001)                            \
  X(CUDNN_STATUS_NOT_SUPPORTED_SHAPE, 3002)                                    \
  X(CUDNN_STATUS_NOT_SUPPORTED_DATA_TYPE, 3003)                                \
  X(CUDNN_STATUS_NOT_SUPPORTED_LAYOUT, 3004)                                   \
  X(CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDA_DRIVER, 3005)                 \
  X(CUDNN_STATUS_NOT_SUPPORTED_INCOMPATIBLE_CUDART, 3006)                      \
  X(CUDNN_STATUS_NOT_SUPPORTED_ARCH_MISMATCH, 3007)                            \
  X(CUDNN_STATUS_NOT_SUPPORTED_RUNTIME_PREREQUISITE_MISSING, 3008)             \
  X(CUDNN_STATUS_NOT_SUPPORTED_SUBLIBRARY_UNAVAILABLE, 3009)                   \
  X(CUDNN_STATUS_NOT_SUPPORTED_SHARED_MEMORY_INSUFFICIENT, 3010)               \
  X(CUDNN_STATUS_NOT_SUPPORTED_PADDING, 3011)                                  \
  X(CUDNN_STATUS_NOT_SUPPORTED_BAD_LAUNCH_PARAM, 3012)                         \
  X(CUDNN_STATUS_NOT_SUPPORTED_CUDA_GRAPH_NATIVE_API, 3013)                    \
  X(CUDNN_STATUS_INTERNAL_ERROR, 4000)                                         \
  X(CUDNN_STATUS_INTERNAL_ERROR_COMPILATION_FAILED, 4001)                      \
  X(CUDNN_STATUS_INTERNAL_ERROR_UNEXPECTED_VALUE, 4002)                        \
  X(CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, 4003)                  \
  X(CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, 4004)                \
  X(CUDNN_STATUS_INTERNAL_ERROR_BAD_LAUNCH_PARAM, 4005)                        \
  X(CUDNN_STATUS_INTERNAL_ERROR_TEXTURE_CREATION_FAILED, 4006)                 \
  X(CUDNN_STATUS_EXECUTION_FAILED, 5000)                                       \
  X(CUDNN_STATUS_EXECUTION_FAILED_CUDA_DRIVER, 5001)                           \
  X(CUDNN_STATUS_EXECUTION_FAILED_CUBLAS, 5002)                                \
  X(CUDNN_STATUS_EXECUTION_FAILED_CUDART, 5003)                                \
  X(CUDNN_STATUS_EXECUTION_FAILED_CURAND, 5004)

enum cudnnStatus_t : int {
#define X(name, number) name = number,
  PTXJIT_CUDNN_STATUSES(X)
#undef X
};

enum cudnnDataType_t : int {
  CUDNN_DATA_FLOAT = 0,
  CUDNN_DATA_DOUBLE = 1,
  CUDNN_DATA_HALF = 2,
  CUDNN_DATA_INT8 = 3,
  CUDNN_DATA_INT32 = 4,
  CUDNN_DATA_INT8x4 = 5,
  CUDNN_DATA_UINT8 = 6,
  CUDNN_DATA_UINT8x4 = 7,
  CUDNN_DATA_INT8x32 = 8,
  CUDNN_DATA_BFLOAT16 = 9,
  CUDNN_DATA_INT64 = 10,
  CUDNN_DATA_BOOLEAN = 11,
  CUDNN_DATA_FP8_E4M3 = 12,
  CUDNN_DATA_FP8_E5M2 = 13,
  CUDNN_DATA_FAST_FLOAT_FOR_FP8 = 14,
};
enum cudnnMathType_t : int {
  CUDNN_DEFAULT_MATH = 0,
  CUDNN_TENSOR_OP_MATH = 1,
  CUDNN_TENSOR_OP_MATH_ALLOW_CONVERSION = 2,
  CUDNN_FMA_MATH = 3,
};
enum cudnnNanPropagation_t : int {
  CUDNN_NOT_PROPAGATE_NAN = 0,
  CUDNN_PROPAGATE_NAN = 1,
};
enum cudnnTensorFormat_t : int {
  CUDNN_TENSOR_NCHW = 0,
  CUDNN_TENSOR_NHWC = 1,
  CUDNN_TENSOR_NCHW_VECT_C = 2,
};
enum cudnnReduceTensorOp_t : int {
  CUDNN_REDUCE_TENSOR_ADD = 0,
  CUDNN_REDUCE_TENSOR_MUL = 1,
  CUDNN_REDUCE_TENSOR_MIN = 2,
  CUDNN_REDUCE_TENSOR_MAX = 3,
  CUDNN_REDUCE_TENSOR_AMAX = 4,
  CUDNN_REDUCE_TENSOR_AVG = 5,
  CUDNN_REDUCE_TENSOR_NORM1 = 6,
  CUDNN_REDUCE_TENSOR_NORM2 = 7,
  CUDNN_REDUCE_TENSOR_MUL_NO_ZEROS = 8,
};
enum cudnnActivationMode_t : int {
  CUDNN_ACTIVATION_SIGMOID = 0,
  CUDNN_ACTIVATION_RELU = 1,
  CUDNN_ACTIVATION_TANH = 2,
  CUDNN_ACTIVATION_CLIPPED_RELU = 3,
  CUDNN_ACTIVATION_ELU = 4,
  CUDNN_ACTIVATION_IDENTITY = 5,
  CUDNN_ACTIVATION_SWISH = 6,
};
/// A convolution turns the filter round; neural networks mean the other one.
enum cudnnConvolutionMode_t : int {
  CUDNN_CONVOLUTION = 0,
  CUDNN_CROSS_CORRELATION = 1,
};
enum cudnnDeterminism_t : int {
  CUDNN_NON_DETERMINISTIC = 0,
  CUDNN_DETERMINISTIC = 1,
};
enum cudnnErrQueryMode_t : int {
  CUDNN_ERRQUERY_RAWCODE = 0,
  CUDNN_ERRQUERY_NONBLOCKING = 1,
  CUDNN_ERRQUERY_BLOCKING = 2,
};
enum libraryPropertyType : int {
  MAJOR_VERSION = 0,
  MINOR_VERSION = 1,
  PATCH_LEVEL = 2,
};

typedef struct cudnnContext *cudnnHandle_t;
/// Called with severity, the program's data, facts of the call, and a text.
typedef void (*cudnnCallback_t)(int severity, void *data, const void *facts,
                                const char *text);

extern "C" {
size_t cudnnGetVersion(void);
size_t cudnnGetMaxDeviceVersion(void);
size_t cudnnGetCudartVersion(void);
cudnnStatus_t cudnnGetProperty(libraryPropertyType type, int *value);
const char *cudnnGetErrorString(cudnnStatus_t status);
/// Writes why the last call of this thread failed, cut to `size` bytes.
void cudnnGetLastErrorString(char *text, size_t size);
cudnnStatus_t cudnnQueryRuntimeError(cudnnHandle_t handle,
                                     cudnnStatus_t *status,
                                     cudnnErrQueryMode_t mode, void *tag);
cudnnStatus_t cudnnCreate(cudnnHandle_t *handle);
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle);
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, CUstream stream);
cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, CUstream *stream);
cudnnStatus_t cudnnSetCallback(unsigned mask, void *data,
                               cudnnCallback_t callback);
cudnnStatus_t cudnnGetCallback(unsigned *mask, void **data,
                               cudnnCallback_t *callback);
cudnnStatus_t cudnnGraphVersionCheck(void);
cudnnStatus_t cudnnOpsVersionCheck(void);
cudnnStatus_t cudnnCnnVersionCheck(void);
cudnnStatus_t cudnnAdvVersionCheck(void);
}

#endif
