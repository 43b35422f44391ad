//===- CudnnAdvABI.h - the interface of cuDNN: recurrence -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_CUDNN_CUDNNADVABI_H
#define PTXJIT_CUDNN_CUDNNADVABI_H

#include "ptxjit/Cudnn/CudnnOpsABI.h"

typedef struct cudnnRNNStruct *cudnnRNNDescriptor_t;
typedef struct cudnnRNNDataStruct *cudnnRNNDataDescriptor_t;

enum cudnnRNNAlgo_t : int {
  CUDNN_RNN_ALGO_STANDARD = 0,
  CUDNN_RNN_ALGO_PERSIST_STATIC = 1,
  CUDNN_RNN_ALGO_PERSIST_DYNAMIC = 2,
  CUDNN_RNN_ALGO_PERSIST_STATIC_SMALL_H = 3,
};
enum cudnnForwardMode_t : int {
  CUDNN_FWD_MODE_INFERENCE = 0,
  CUDNN_FWD_MODE_TRAINING = 1,
};
enum cudnnRNNMode_t : int {
  CUDNN_RNN_RELU = 0,
  CUDNN_RNN_TANH = 1,
  CUDNN_LSTM = 2,
  CUDNN_GRU = 3,
};
enum cudnnRNNBiasMode_t : int {
  CUDNN_RNN_NO_BIAS = 0,
  CUDNN_RNN_SINGLE_INP_BIAS = 1,
  CUDNN_RNN_DOUBLE_BIAS = 2,
  CUDNN_RNN_SINGLE_REC_BIAS = 3,
};
enum cudnnDirectionMode_t : int {
  CUDNN_UNIDIRECTIONAL = 0,
  CUDNN_BIDIRECTIONAL = 1,
};
enum cudnnRNNInputMode_t : int {
  CUDNN_LINEAR_INPUT = 0,
  CUDNN_SKIP_INPUT = 1, ///< the first layer has no input matrices
};
enum cudnnRNNClipMode_t : int {
  CUDNN_RNN_CLIP_NONE = 0,
  CUDNN_RNN_CLIP_MINMAX = 1,
};
enum cudnnRNNDataLayout_t : int {
  CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_UNPACKED = 0,
  CUDNN_RNN_DATA_LAYOUT_SEQ_MAJOR_PACKED = 1, ///< longest sequences first
  CUDNN_RNN_DATA_LAYOUT_BATCH_MAJOR_UNPACKED = 2,
};
enum cudnnWgradMode_t : int {
  CUDNN_WGRAD_MODE_ADD = 0,
  CUDNN_WGRAD_MODE_SET = 1,
};

extern "C" {
cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t *descriptor);
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t descriptor);
cudnnStatus_t cudnnSetRNNDescriptor_v8(
    cudnnRNNDescriptor_t descriptor, cudnnRNNAlgo_t algo, cudnnRNNMode_t cell,
    cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction,
    cudnnRNNInputMode_t input, cudnnDataType_t type, cudnnDataType_t compute,
    cudnnMathType_t math, int32_t inputSize, int32_t hiddenSize,
    int32_t projectedSize, int32_t layers, cudnnDropoutDescriptor_t dropout,
    uint32_t flags);
cudnnStatus_t cudnnGetRNNDescriptor_v8(
    cudnnRNNDescriptor_t descriptor, cudnnRNNAlgo_t *algo, cudnnRNNMode_t *cell,
    cudnnRNNBiasMode_t *bias, cudnnDirectionMode_t *direction,
    cudnnRNNInputMode_t *input, cudnnDataType_t *type, cudnnDataType_t *compute,
    cudnnMathType_t *math, int32_t *inputSize, int32_t *hiddenSize,
    int32_t *projectedSize, int32_t *layers, cudnnDropoutDescriptor_t *dropout,
    uint32_t *flags);
cudnnStatus_t cudnnRNNSetClip_v8(cudnnRNNDescriptor_t descriptor,
                                 cudnnRNNClipMode_t mode,
                                 cudnnNanPropagation_t nan, double low,
                                 double high);
cudnnStatus_t cudnnRNNSetClip_v9(cudnnRNNDescriptor_t descriptor,
                                 cudnnRNNClipMode_t mode, double low,
                                 double high);
cudnnStatus_t cudnnRNNGetClip_v8(cudnnRNNDescriptor_t descriptor,
                                 cudnnRNNClipMode_t *mode,
                                 cudnnNanPropagation_t *nan, double *low,
                                 double *high);
cudnnStatus_t cudnnRNNGetClip_v9(cudnnRNNDescriptor_t descriptor,
                                 cudnnRNNClipMode_t *mode, double *low,
                                 double *high);
cudnnStatus_t cudnnBuildRNNDynamic(cudnnHandle_t handle,
                                   cudnnRNNDescriptor_t descriptor, int batch);
cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle,
                                        cudnnRNNDescriptor_t descriptor,
                                        cudnnForwardMode_t mode,
                                        cudnnRNNDataDescriptor_t xDesc,
                                        size_t *workspaceBytes,
                                        size_t *reserveBytes);
cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle,
                                         cudnnRNNDescriptor_t descriptor,
                                         size_t *bytes);
/// Where the matrix and the bias `id` of a layer and direction are. Null: there
/// is none.
cudnnStatus_t
cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor,
                        int32_t pseudoLayer, size_t weightBytes,
                        const void *weights, int32_t id,
                        cudnnTensorDescriptor_t matrixDesc, void **matrix,
                        cudnnTensorDescriptor_t biasDesc, void **bias);
cudnnStatus_t
cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t *descriptor);
cudnnStatus_t
cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor);
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor,
                                        cudnnDataType_t type,
                                        cudnnRNNDataLayout_t layout,
                                        int maxLength, int batch, int size,
                                        const int *lengths, void *padding);
cudnnStatus_t cudnnGetRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor,
                                        cudnnDataType_t *type,
                                        cudnnRNNDataLayout_t *layout,
                                        int *maxLength, int *batch, int *size,
                                        int requested, int *lengths,
                                        void *padding);
cudnnStatus_t
cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor,
                cudnnForwardMode_t mode, const int32_t *deviceLengths,
                cudnnRNNDataDescriptor_t xDesc, const void *x,
                cudnnRNNDataDescriptor_t yDesc, void *y,
                cudnnTensorDescriptor_t hDesc, const void *hx, void *hy,
                cudnnTensorDescriptor_t cDesc, const void *cx, void *cy,
                size_t weightBytes, const void *weights, size_t workspaceBytes,
                void *workspace, size_t reserveBytes, void *reserve);
cudnnStatus_t cudnnRNNBackwardData_v8(
    cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor,
    const int32_t *deviceLengths, cudnnRNNDataDescriptor_t yDesc, const void *y,
    const void *dy, cudnnRNNDataDescriptor_t xDesc, void *dx,
    cudnnTensorDescriptor_t hDesc, const void *hx, const void *dhy, void *dhx,
    cudnnTensorDescriptor_t cDesc, const void *cx, const void *dcy, void *dcx,
    size_t weightBytes, const void *weights, size_t workspaceBytes,
    void *workspace, size_t reserveBytes, void *reserve);
cudnnStatus_t cudnnRNNBackwardWeights_v8(
    cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor,
    cudnnWgradMode_t mode, const int32_t *deviceLengths,
    cudnnRNNDataDescriptor_t xDesc, const void *x,
    cudnnTensorDescriptor_t hDesc, const void *hx,
    cudnnRNNDataDescriptor_t yDesc, const void *y, size_t weightBytes,
    void *dWeights, size_t workspaceBytes, void *workspace, size_t reserveBytes,
    void *reserve);
}

#endif
