//===- CudnnOpsABI.h - the interface of cuDNN: tensors ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of tensors, and the operations of one layer. Factors (`alpha`,
// `beta`) are doubles if the tensor is of doubles, else floats: a result is
// alpha * operation + beta * what was there, and that is not read if beta is 0.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_CUDNN_CUDNNOPSABI_H
#define PTXJIT_CUDNN_CUDNNOPSABI_H

#include "ptxjit/Cudnn/CudnnABI.h"

typedef struct cudnnTensorStruct *cudnnTensorDescriptor_t;
typedef struct cudnnFilterStruct *cudnnFilterDescriptor_t;
typedef struct cudnnPoolingStruct *cudnnPoolingDescriptor_t;
typedef struct cudnnLRNStruct *cudnnLRNDescriptor_t;
typedef struct cudnnActivationStruct *cudnnActivationDescriptor_t;
typedef struct cudnnOpTensorStruct *cudnnOpTensorDescriptor_t;
typedef struct cudnnReduceTensorStruct *cudnnReduceTensorDescriptor_t;
typedef struct cudnnDropoutStruct *cudnnDropoutDescriptor_t;

enum cudnnOpTensorOp_t : int {
  CUDNN_OP_TENSOR_ADD = 0,
  CUDNN_OP_TENSOR_MUL = 1,
  CUDNN_OP_TENSOR_MIN = 2,
  CUDNN_OP_TENSOR_MAX = 3,
  CUDNN_OP_TENSOR_SQRT = 4, ///< of the first operand
  CUDNN_OP_TENSOR_NOT = 5,  ///< 1 - the first operand
};
enum cudnnReduceTensorIndices_t : int {
  CUDNN_REDUCE_TENSOR_NO_INDICES = 0,
  CUDNN_REDUCE_TENSOR_FLATTENED_INDICES = 1,
};
enum cudnnIndicesType_t : int {
  CUDNN_32BIT_INDICES = 0,
  CUDNN_64BIT_INDICES = 1,
  CUDNN_16BIT_INDICES = 2,
  CUDNN_8BIT_INDICES = 3,
};
enum cudnnSoftmaxAlgorithm_t : int {
  CUDNN_SOFTMAX_FAST = 0,
  CUDNN_SOFTMAX_ACCURATE = 1,
  CUDNN_SOFTMAX_LOG = 2,
};
enum cudnnSoftmaxMode_t : int {
  CUDNN_SOFTMAX_MODE_INSTANCE = 0, ///< over all but the batch
  CUDNN_SOFTMAX_MODE_CHANNEL = 1,  ///< over channels
};
enum cudnnPoolingMode_t : int {
  CUDNN_POOLING_MAX = 0,
  CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING = 1,
  CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING = 2,
  CUDNN_POOLING_MAX_DETERMINISTIC = 3,
};
enum cudnnLRNMode_t : int { CUDNN_LRN_CROSS_CHANNEL_DIM1 = 0 };
enum cudnnBatchNormMode_t : int {
  CUDNN_BATCHNORM_PER_ACTIVATION = 0, ///< statistics over the batch
  CUDNN_BATCHNORM_SPATIAL = 1,        ///< of each channel
  CUDNN_BATCHNORM_SPATIAL_PERSISTENT = 2,
};
enum cudnnBatchNormOps_t : int {
  CUDNN_BATCHNORM_OPS_BN = 0,
  CUDNN_BATCHNORM_OPS_BN_ACTIVATION = 1,
  CUDNN_BATCHNORM_OPS_BN_ADD_ACTIVATION = 2,
};

extern "C" {

// Tensors and filters.
cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t *tensor);
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor);
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor,
                                         cudnnTensorFormat_t format,
                                         cudnnDataType_t type, int n, int c,
                                         int h, int w);
cudnnStatus_t cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t tensor,
                                           cudnnDataType_t type, int n, int c,
                                           int h, int w, int nStride,
                                           int cStride, int hStride,
                                           int wStride);
cudnnStatus_t cudnnGetTensor4dDescriptor(cudnnTensorDescriptor_t tensor,
                                         cudnnDataType_t *type, int *n, int *c,
                                         int *h, int *w, int *nStride,
                                         int *cStride, int *hStride,
                                         int *wStride);
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor,
                                         cudnnDataType_t type, int rank,
                                         const int *dims, const int *strides);
cudnnStatus_t cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t tensor,
                                           cudnnTensorFormat_t format,
                                           cudnnDataType_t type, int rank,
                                           const int *dims);
cudnnStatus_t cudnnGetTensorNdDescriptor(cudnnTensorDescriptor_t tensor,
                                         int requested, cudnnDataType_t *type,
                                         int *rank, int *dims, int *strides);
cudnnStatus_t cudnnGetTensorSizeInBytes(cudnnTensorDescriptor_t tensor,
                                        size_t *bytes);
cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t *filter);
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter);
cudnnStatus_t cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t filter,
                                         cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int k,
                                         int c, int h, int w);
cudnnStatus_t cudnnGetFilter4dDescriptor(cudnnFilterDescriptor_t filter,
                                         cudnnDataType_t *type,
                                         cudnnTensorFormat_t *format, int *k,
                                         int *c, int *h, int *w);
cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t filter,
                                         cudnnDataType_t type,
                                         cudnnTensorFormat_t format, int rank,
                                         const int *dims);
cudnnStatus_t cudnnGetFilterNdDescriptor(cudnnFilterDescriptor_t filter,
                                         int requested, cudnnDataType_t *type,
                                         cudnnTensorFormat_t *format, int *rank,
                                         int *dims);
cudnnStatus_t cudnnGetFilterSizeInBytes(cudnnFilterDescriptor_t filter,
                                        size_t *bytes);

// Elements.
cudnnStatus_t cudnnTransformTensor(cudnnHandle_t handle, const void *alpha,
                                   cudnnTensorDescriptor_t xDesc, const void *x,
                                   const void *beta,
                                   cudnnTensorDescriptor_t yDesc, void *y);
cudnnStatus_t cudnnAddTensor(cudnnHandle_t handle, const void *alpha,
                             cudnnTensorDescriptor_t aDesc, const void *a,
                             const void *beta, cudnnTensorDescriptor_t cDesc,
                             void *c);
cudnnStatus_t
cudnnCreateOpTensorDescriptor(cudnnOpTensorDescriptor_t *descriptor);
cudnnStatus_t
cudnnDestroyOpTensorDescriptor(cudnnOpTensorDescriptor_t descriptor);
cudnnStatus_t cudnnSetOpTensorDescriptor(cudnnOpTensorDescriptor_t descriptor,
                                         cudnnOpTensorOp_t op,
                                         cudnnDataType_t compute,
                                         cudnnNanPropagation_t nan);
cudnnStatus_t cudnnGetOpTensorDescriptor(cudnnOpTensorDescriptor_t descriptor,
                                         cudnnOpTensorOp_t *op,
                                         cudnnDataType_t *compute,
                                         cudnnNanPropagation_t *nan);
cudnnStatus_t
cudnnOpTensor(cudnnHandle_t handle, cudnnOpTensorDescriptor_t descriptor,
              const void *alpha1, cudnnTensorDescriptor_t aDesc, const void *a,
              const void *alpha2, cudnnTensorDescriptor_t bDesc, const void *b,
              const void *beta, cudnnTensorDescriptor_t cDesc, void *c);
cudnnStatus_t cudnnSetTensor(cudnnHandle_t handle,
                             cudnnTensorDescriptor_t yDesc, void *y,
                             const void *value);
cudnnStatus_t cudnnScaleTensor(cudnnHandle_t handle,
                               cudnnTensorDescriptor_t yDesc, void *y,
                               const void *alpha);

// Reductions.
cudnnStatus_t
cudnnCreateReduceTensorDescriptor(cudnnReduceTensorDescriptor_t *descriptor);
cudnnStatus_t
cudnnDestroyReduceTensorDescriptor(cudnnReduceTensorDescriptor_t descriptor);
cudnnStatus_t cudnnSetReduceTensorDescriptor(
    cudnnReduceTensorDescriptor_t descriptor, cudnnReduceTensorOp_t op,
    cudnnDataType_t compute, cudnnNanPropagation_t nan,
    cudnnReduceTensorIndices_t indices, cudnnIndicesType_t indicesType);
cudnnStatus_t cudnnGetReduceTensorDescriptor(
    cudnnReduceTensorDescriptor_t descriptor, cudnnReduceTensorOp_t *op,
    cudnnDataType_t *compute, cudnnNanPropagation_t *nan,
    cudnnReduceTensorIndices_t *indices, cudnnIndicesType_t *indicesType);
cudnnStatus_t
cudnnGetReductionIndicesSize(cudnnHandle_t handle,
                             cudnnReduceTensorDescriptor_t descriptor,
                             cudnnTensorDescriptor_t aDesc,
                             cudnnTensorDescriptor_t cDesc, size_t *bytes);
cudnnStatus_t
cudnnGetReductionWorkspaceSize(cudnnHandle_t handle,
                               cudnnReduceTensorDescriptor_t descriptor,
                               cudnnTensorDescriptor_t aDesc,
                               cudnnTensorDescriptor_t cDesc, size_t *bytes);
cudnnStatus_t cudnnReduceTensor(
    cudnnHandle_t handle, cudnnReduceTensorDescriptor_t descriptor,
    void *indices, size_t indicesBytes, void *workspace, size_t workspaceBytes,
    const void *alpha, cudnnTensorDescriptor_t aDesc, const void *a,
    const void *beta, cudnnTensorDescriptor_t cDesc, void *c);

// Softmax.
cudnnStatus_t cudnnSoftmaxForward(cudnnHandle_t handle,
                                  cudnnSoftmaxAlgorithm_t algorithm,
                                  cudnnSoftmaxMode_t mode, const void *alpha,
                                  cudnnTensorDescriptor_t xDesc, const void *x,
                                  const void *beta,
                                  cudnnTensorDescriptor_t yDesc, void *y);
cudnnStatus_t cudnnSoftmaxBackward(cudnnHandle_t handle,
                                   cudnnSoftmaxAlgorithm_t algorithm,
                                   cudnnSoftmaxMode_t mode, const void *alpha,
                                   cudnnTensorDescriptor_t yDesc, const void *y,
                                   cudnnTensorDescriptor_t dyDesc,
                                   const void *dy, const void *beta,
                                   cudnnTensorDescriptor_t dxDesc, void *dx);

// Pooling.
cudnnStatus_t
cudnnCreatePoolingDescriptor(cudnnPoolingDescriptor_t *descriptor);
cudnnStatus_t
cudnnDestroyPoolingDescriptor(cudnnPoolingDescriptor_t descriptor);
cudnnStatus_t cudnnSetPooling2dDescriptor(cudnnPoolingDescriptor_t descriptor,
                                          cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t nan,
                                          int windowHeight, int windowWidth,
                                          int verticalPad, int horizontalPad,
                                          int verticalStride,
                                          int horizontalStride);
cudnnStatus_t cudnnGetPooling2dDescriptor(cudnnPoolingDescriptor_t descriptor,
                                          cudnnPoolingMode_t *mode,
                                          cudnnNanPropagation_t *nan,
                                          int *windowHeight, int *windowWidth,
                                          int *verticalPad, int *horizontalPad,
                                          int *verticalStride,
                                          int *horizontalStride);
cudnnStatus_t cudnnSetPoolingNdDescriptor(cudnnPoolingDescriptor_t descriptor,
                                          cudnnPoolingMode_t mode,
                                          cudnnNanPropagation_t nan, int rank,
                                          const int *window, const int *pads,
                                          const int *strides);
cudnnStatus_t cudnnGetPoolingNdDescriptor(cudnnPoolingDescriptor_t descriptor,
                                          int requested,
                                          cudnnPoolingMode_t *mode,
                                          cudnnNanPropagation_t *nan, int *rank,
                                          int *window, int *pads, int *strides);
cudnnStatus_t
cudnnGetPooling2dForwardOutputDim(cudnnPoolingDescriptor_t descriptor,
                                  cudnnTensorDescriptor_t xDesc, int *n, int *c,
                                  int *h, int *w);
cudnnStatus_t
cudnnGetPoolingNdForwardOutputDim(cudnnPoolingDescriptor_t descriptor,
                                  cudnnTensorDescriptor_t xDesc, int rank,
                                  int *dims);
cudnnStatus_t cudnnPoolingForward(cudnnHandle_t handle,
                                  cudnnPoolingDescriptor_t descriptor,
                                  const void *alpha,
                                  cudnnTensorDescriptor_t xDesc, const void *x,
                                  const void *beta,
                                  cudnnTensorDescriptor_t yDesc, void *y);
cudnnStatus_t
cudnnPoolingBackward(cudnnHandle_t handle, cudnnPoolingDescriptor_t descriptor,
                     const void *alpha, cudnnTensorDescriptor_t yDesc,
                     const void *y, cudnnTensorDescriptor_t dyDesc,
                     const void *dy, cudnnTensorDescriptor_t xDesc,
                     const void *x, const void *beta,
                     cudnnTensorDescriptor_t dxDesc, void *dx);

// Activations.
cudnnStatus_t
cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t *descriptor);
cudnnStatus_t
cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t descriptor);
cudnnStatus_t
cudnnSetActivationDescriptor(cudnnActivationDescriptor_t descriptor,
                             cudnnActivationMode_t mode,
                             cudnnNanPropagation_t nan, double coefficient);
cudnnStatus_t
cudnnGetActivationDescriptor(cudnnActivationDescriptor_t descriptor,
                             cudnnActivationMode_t *mode,
                             cudnnNanPropagation_t *nan, double *coefficient);
cudnnStatus_t
cudnnSetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t descriptor,
                                      double beta);
cudnnStatus_t
cudnnGetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t descriptor,
                                      double *beta);
cudnnStatus_t cudnnActivationForward(cudnnHandle_t handle,
                                     cudnnActivationDescriptor_t descriptor,
                                     const void *alpha,
                                     cudnnTensorDescriptor_t xDesc,
                                     const void *x, const void *beta,
                                     cudnnTensorDescriptor_t yDesc, void *y);
cudnnStatus_t cudnnActivationBackward(
    cudnnHandle_t handle, cudnnActivationDescriptor_t descriptor,
    const void *alpha, cudnnTensorDescriptor_t yDesc, const void *y,
    cudnnTensorDescriptor_t dyDesc, const void *dy,
    cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
    cudnnTensorDescriptor_t dxDesc, void *dx);

// Local response normalization.
cudnnStatus_t cudnnCreateLRNDescriptor(cudnnLRNDescriptor_t *descriptor);
cudnnStatus_t cudnnDestroyLRNDescriptor(cudnnLRNDescriptor_t descriptor);
cudnnStatus_t cudnnSetLRNDescriptor(cudnnLRNDescriptor_t descriptor,
                                    unsigned window, double alpha, double beta,
                                    double k);
cudnnStatus_t cudnnGetLRNDescriptor(cudnnLRNDescriptor_t descriptor,
                                    unsigned *window, double *alpha,
                                    double *beta, double *k);
cudnnStatus_t cudnnLRNCrossChannelForward(
    cudnnHandle_t handle, cudnnLRNDescriptor_t descriptor, cudnnLRNMode_t mode,
    const void *alpha, cudnnTensorDescriptor_t xDesc, const void *x,
    const void *beta, cudnnTensorDescriptor_t yDesc, void *y);
cudnnStatus_t cudnnLRNCrossChannelBackward(
    cudnnHandle_t handle, cudnnLRNDescriptor_t descriptor, cudnnLRNMode_t mode,
    const void *alpha, cudnnTensorDescriptor_t yDesc, const void *y,
    cudnnTensorDescriptor_t dyDesc, const void *dy,
    cudnnTensorDescriptor_t xDesc, const void *x, const void *beta,
    cudnnTensorDescriptor_t dxDesc, void *dx);

// Batch normalization. Scale, bias and statistics have one descriptor.
cudnnStatus_t cudnnDeriveBNTensorDescriptor(cudnnTensorDescriptor_t derived,
                                            cudnnTensorDescriptor_t xDesc,
                                            cudnnBatchNormMode_t mode);
cudnnStatus_t cudnnBatchNormalizationForwardInference(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha,
    const void *beta, cudnnTensorDescriptor_t xDesc, const void *x,
    cudnnTensorDescriptor_t yDesc, void *y, cudnnTensorDescriptor_t bnDesc,
    const void *scale, const void *bias, const void *mean, const void *variance,
    double epsilon);
cudnnStatus_t cudnnBatchNormalizationForwardTraining(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha,
    const void *beta, cudnnTensorDescriptor_t xDesc, const void *x,
    cudnnTensorDescriptor_t yDesc, void *y, cudnnTensorDescriptor_t bnDesc,
    const void *scale, const void *bias, double factor, void *runningMean,
    void *runningVariance, double epsilon, void *savedMean,
    void *savedInvVariance);
cudnnStatus_t cudnnBatchNormalizationForwardTrainingEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops,
    const void *alpha, const void *beta, cudnnTensorDescriptor_t xDesc,
    const void *x, cudnnTensorDescriptor_t zDesc, const void *z,
    cudnnTensorDescriptor_t yDesc, void *y, cudnnTensorDescriptor_t bnDesc,
    const void *scale, const void *bias, double factor, void *runningMean,
    void *runningVariance, double epsilon, void *savedMean,
    void *savedInvVariance, cudnnActivationDescriptor_t activation,
    void *workspace, size_t workspaceBytes, void *reserve, size_t reserveBytes);
cudnnStatus_t cudnnBatchNormalizationBackward(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alphaData,
    const void *betaData, const void *alphaParam, const void *betaParam,
    cudnnTensorDescriptor_t xDesc, const void *x,
    cudnnTensorDescriptor_t dyDesc, const void *dy,
    cudnnTensorDescriptor_t dxDesc, void *dx, cudnnTensorDescriptor_t bnDesc,
    const void *scale, void *dScale, void *dBias, double epsilon,
    const void *savedMean, const void *savedInvVariance);
cudnnStatus_t cudnnBatchNormalizationBackwardEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops,
    const void *alphaData, const void *betaData, const void *alphaParam,
    const void *betaParam, cudnnTensorDescriptor_t xDesc, const void *x,
    cudnnTensorDescriptor_t yDesc, const void *y,
    cudnnTensorDescriptor_t dyDesc, const void *dy,
    cudnnTensorDescriptor_t dzDesc, void *dz, cudnnTensorDescriptor_t dxDesc,
    void *dx, cudnnTensorDescriptor_t bnDesc, const void *scale,
    const void *bias, void *dScale, void *dBias, double epsilon,
    const void *savedMean, const void *savedInvVariance,
    cudnnActivationDescriptor_t activation, void *workspace,
    size_t workspaceBytes, void *reserve, size_t reserveBytes);
cudnnStatus_t cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops,
    cudnnTensorDescriptor_t xDesc, cudnnTensorDescriptor_t zDesc,
    cudnnTensorDescriptor_t yDesc, cudnnTensorDescriptor_t bnDesc,
    cudnnActivationDescriptor_t activation, size_t *bytes);
cudnnStatus_t cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops,
    cudnnTensorDescriptor_t xDesc, cudnnTensorDescriptor_t yDesc,
    cudnnTensorDescriptor_t dyDesc, cudnnTensorDescriptor_t dzDesc,
    cudnnTensorDescriptor_t dxDesc, cudnnTensorDescriptor_t bnDesc,
    cudnnActivationDescriptor_t activation, size_t *bytes);
cudnnStatus_t cudnnGetBatchNormalizationTrainingExReserveSpaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t ops,
    cudnnActivationDescriptor_t activation, cudnnTensorDescriptor_t xDesc,
    size_t *bytes);

// Dropout. The states are memory of the device, which a graph's launches
// change.
cudnnStatus_t
cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t *descriptor);
cudnnStatus_t
cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t descriptor);
cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t handle, size_t *bytes);
cudnnStatus_t cudnnDropoutGetReserveSpaceSize(cudnnTensorDescriptor_t xDesc,
                                              size_t *bytes);
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t descriptor,
                                        cudnnHandle_t handle, float dropout,
                                        void *states, size_t stateBytes,
                                        unsigned long long seed);
cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t descriptor,
                                            cudnnHandle_t handle, float dropout,
                                            void *states, size_t stateBytes,
                                            unsigned long long seed);
cudnnStatus_t cudnnGetDropoutDescriptor(cudnnDropoutDescriptor_t descriptor,
                                        cudnnHandle_t handle, float *dropout,
                                        void **states,
                                        unsigned long long *seed);
cudnnStatus_t cudnnDropoutForward(cudnnHandle_t handle,
                                  cudnnDropoutDescriptor_t descriptor,
                                  cudnnTensorDescriptor_t xDesc, const void *x,
                                  cudnnTensorDescriptor_t yDesc, void *y,
                                  void *reserve, size_t reserveBytes);
cudnnStatus_t cudnnDropoutBackward(cudnnHandle_t handle,
                                   cudnnDropoutDescriptor_t descriptor,
                                   cudnnTensorDescriptor_t dyDesc,
                                   const void *dy,
                                   cudnnTensorDescriptor_t dxDesc, void *dx,
                                   void *reserve, size_t reserveBytes);
}

#endif
