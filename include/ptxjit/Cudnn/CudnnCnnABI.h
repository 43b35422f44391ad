//===- CudnnCnnABI.h - the interface of cuDNN: convolutions -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_CUDNN_CUDNNCNNABI_H
#define PTXJIT_CUDNN_CUDNNCNNABI_H

#include "ptxjit/Cudnn/CudnnOpsABI.h"

typedef struct cudnnConvolutionStruct *cudnnConvolutionDescriptor_t;

enum cudnnReorderType_t : int {
  CUDNN_DEFAULT_REORDER = 0,
  CUDNN_NO_REORDER = 1,
};
enum cudnnConvolutionFwdAlgo_t : int {
  CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM = 0,
  CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM = 1,
  CUDNN_CONVOLUTION_FWD_ALGO_COUNT = 8,
};
enum cudnnConvolutionBwdDataAlgo_t : int {
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_0 = 0,
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_1 = 1,
  CUDNN_CONVOLUTION_BWD_DATA_ALGO_COUNT = 6,
};
enum cudnnConvolutionBwdFilterAlgo_t : int {
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_0 = 0,
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_1 = 1,
  CUDNN_CONVOLUTION_BWD_FILTER_ALGO_COUNT = 7,
};
/// What is known of an algorithm. `time` is in milliseconds, -1 if it was not
/// measured.
template <typename Algorithm> struct cudnnAlgoPerf {
  Algorithm algo;
  cudnnStatus_t status;
  float time;
  size_t memory;
  cudnnDeterminism_t determinism;
  cudnnMathType_t mathType;
  int reserved[3];
};
using cudnnConvolutionFwdAlgoPerf_t = cudnnAlgoPerf<cudnnConvolutionFwdAlgo_t>;
using cudnnConvolutionBwdDataAlgoPerf_t =
    cudnnAlgoPerf<cudnnConvolutionBwdDataAlgo_t>;
using cudnnConvolutionBwdFilterAlgoPerf_t =
    cudnnAlgoPerf<cudnnConvolutionBwdFilterAlgo_t>;

extern "C" {

cudnnStatus_t
cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t *descriptor);
cudnnStatus_t
cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t descriptor);
cudnnStatus_t cudnnSetConvolution2dDescriptor(
    cudnnConvolutionDescriptor_t descriptor, int padH, int padW, int strideH,
    int strideW, int dilationH, int dilationW, cudnnConvolutionMode_t mode,
    cudnnDataType_t compute);
cudnnStatus_t cudnnGetConvolution2dDescriptor(
    cudnnConvolutionDescriptor_t descriptor, int *padH, int *padW, int *strideH,
    int *strideW, int *dilationH, int *dilationW, cudnnConvolutionMode_t *mode,
    cudnnDataType_t *compute);
cudnnStatus_t cudnnSetConvolutionNdDescriptor(
    cudnnConvolutionDescriptor_t descriptor, int rank, const int *pads,
    const int *strides, const int *dilations, cudnnConvolutionMode_t mode,
    cudnnDataType_t compute);
cudnnStatus_t cudnnGetConvolutionNdDescriptor(
    cudnnConvolutionDescriptor_t descriptor, int requested, int *rank,
    int *pads, int *strides, int *dilations, cudnnConvolutionMode_t *mode,
    cudnnDataType_t *compute);
cudnnStatus_t
cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t descriptor,
                            cudnnMathType_t value);
cudnnStatus_t
cudnnGetConvolutionMathType(cudnnConvolutionDescriptor_t descriptor,
                            cudnnMathType_t *value);
cudnnStatus_t
cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t descriptor,
                              int value);
cudnnStatus_t
cudnnGetConvolutionGroupCount(cudnnConvolutionDescriptor_t descriptor,
                              int *value);
cudnnStatus_t
cudnnSetConvolutionReorderType(cudnnConvolutionDescriptor_t descriptor,
                               cudnnReorderType_t value);
cudnnStatus_t
cudnnGetConvolutionReorderType(cudnnConvolutionDescriptor_t descriptor,
                               cudnnReorderType_t *value);
cudnnStatus_t cudnnGetConvolution2dForwardOutputDim(
    cudnnConvolutionDescriptor_t descriptor, cudnnTensorDescriptor_t xDesc,
    cudnnFilterDescriptor_t wDesc, int *n, int *c, int *h, int *w);
cudnnStatus_t cudnnGetConvolutionNdForwardOutputDim(
    cudnnConvolutionDescriptor_t descriptor, cudnnTensorDescriptor_t xDesc,
    cudnnFilterDescriptor_t wDesc, int rank, int *dims);

cudnnStatus_t cudnnConvolutionForward(
    cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t xDesc,
    const void *x, cudnnFilterDescriptor_t wDesc, const void *w,
    cudnnConvolutionDescriptor_t descriptor, cudnnConvolutionFwdAlgo_t algo,
    void *workspace, size_t workspaceBytes, const void *beta,
    cudnnTensorDescriptor_t yDesc, void *y);
/// y = activation(alpha1 * convolution + alpha2 * z + bias).
cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void *alpha1, cudnnTensorDescriptor_t xDesc,
    const void *x, cudnnFilterDescriptor_t wDesc, const void *w,
    cudnnConvolutionDescriptor_t descriptor, cudnnConvolutionFwdAlgo_t algo,
    void *workspace, size_t workspaceBytes, const void *alpha2,
    cudnnTensorDescriptor_t zDesc, const void *z,
    cudnnTensorDescriptor_t biasDesc, const void *bias,
    cudnnActivationDescriptor_t activation, cudnnTensorDescriptor_t yDesc,
    void *y);
cudnnStatus_t cudnnConvolutionBackwardData(
    cudnnHandle_t handle, const void *alpha, cudnnFilterDescriptor_t wDesc,
    const void *w, cudnnTensorDescriptor_t dyDesc, const void *dy,
    cudnnConvolutionDescriptor_t descriptor, cudnnConvolutionBwdDataAlgo_t algo,
    void *workspace, size_t workspaceBytes, const void *beta,
    cudnnTensorDescriptor_t dxDesc, void *dx);
cudnnStatus_t cudnnConvolutionBackwardFilter(
    cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t xDesc,
    const void *x, cudnnTensorDescriptor_t dyDesc, const void *dy,
    cudnnConvolutionDescriptor_t descriptor,
    cudnnConvolutionBwdFilterAlgo_t algo, void *workspace,
    size_t workspaceBytes, const void *beta, cudnnFilterDescriptor_t dwDesc,
    void *dw);
cudnnStatus_t cudnnConvolutionBackwardBias(
    cudnnHandle_t handle, const void *alpha, cudnnTensorDescriptor_t dyDesc,
    const void *dy, const void *beta, cudnnTensorDescriptor_t dbDesc, void *db);

// What there is for each of the three directions. First and Second are the
// operands, Result what is computed, with their descriptors.
#define PTXJIT_CUDNN_ALGORITHMS(Name, Kind, First, Second, Result)             \
  cudnnStatus_t cudnnGetConvolution##Name##AlgorithmMaxCount(                  \
      cudnnHandle_t handle, int *count);                                       \
  cudnnStatus_t cudnnGetConvolution##Name##Algorithm_v7(                       \
      cudnnHandle_t handle, First first, Second second,                        \
      cudnnConvolutionDescriptor_t descriptor, Result result, int requested,   \
      int *count, cudnnConvolution##Kind##AlgoPerf_t *found);                  \
  cudnnStatus_t cudnnFindConvolution##Name##Algorithm(                         \
      cudnnHandle_t handle, First first, Second second,                        \
      cudnnConvolutionDescriptor_t descriptor, Result result, int requested,   \
      int *count, cudnnConvolution##Kind##AlgoPerf_t *found);                  \
  cudnnStatus_t cudnnFindConvolution##Name##AlgorithmEx(                       \
      cudnnHandle_t handle, First first, const void *a, Second second,         \
      const void *b, cudnnConvolutionDescriptor_t descriptor, Result result,   \
      void *c, int requested, int *count,                                      \
      cudnnConvolution##Kind##AlgoPerf_t *found, void *workspace,              \
      size_t workspaceBytes);                                                  \
  cudnnStatus_t cudnnGetConvolution##Name##WorkspaceSize(                      \
      cudnnHandle_t handle, First first, Second second,                        \
      cudnnConvolutionDescriptor_t descriptor, Result result,                  \
      cudnnConvolution##Kind##Algo_t algo, size_t *bytes);
#define PTXJIT_CUDNN_DIRECTIONS(X)                                             \
  X(Forward, Fwd, cudnnTensorDescriptor_t, cudnnFilterDescriptor_t,            \
    cudnnTensorDescriptor_t)                                                   \
  X(BackwardData, BwdData, cudnnFilterDescriptor_t, cudnnTensorDescriptor_t,   \
    cudnnTensorDescriptor_t)                                                   \
  X(BackwardFilter, BwdFilter, cudnnTensorDescriptor_t,                        \
    cudnnTensorDescriptor_t, cudnnFilterDescriptor_t)
PTXJIT_CUDNN_DIRECTIONS(PTXJIT_CUDNN_ALGORITHMS)
#undef PTXJIT_CUDNN_ALGORITHMS
}

#endif
