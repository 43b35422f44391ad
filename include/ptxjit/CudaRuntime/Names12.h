//===- Names12.h - names of CUDA 13 functions in CUDA 12 ----------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Some functions got new parameters in CUDA 13. There the plain name means the
// new form. In libcudart.so.12 the plain name means the old form
// (lib/CudaRuntime/Forms12.cpp), and the new form has a number in its name.
// CudaRuntimeABI.h includes this file first if PTXJIT_CUDART_VERSION is 12.
//
//===----------------------------------------------------------------------===//

#define cudaEventElapsedTime cudaEventElapsedTime_v2
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
#define cudaGraphAddDependencies cudaGraphAddDependencies_v2
#define cudaGraphAddNode cudaGraphAddNode_v2
#define cudaGraphGetEdges cudaGraphGetEdges_v2
#define cudaGraphNodeGetDependencies cudaGraphNodeGetDependencies_v2
#define cudaGraphNodeGetDependentNodes cudaGraphNodeGetDependentNodes_v2
#define cudaGraphRemoveDependencies cudaGraphRemoveDependencies_v2
#define cudaMemAdvise cudaMemAdvise_v2
#define cudaMemPrefetchAsync cudaMemPrefetchAsync_v2
#define cudaMemPrefetchAsync_ptsz cudaMemPrefetchAsync_v2_ptsz
#define cudaSignalExternalSemaphoresAsync cudaSignalExternalSemaphoresAsync_v2
#define cudaSignalExternalSemaphoresAsync_ptsz                                 \
  cudaSignalExternalSemaphoresAsync_v2_ptsz
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v3
#define cudaStreamGetCaptureInfo_ptsz cudaStreamGetCaptureInfo_v3_ptsz
#define cudaStreamUpdateCaptureDependencies                                    \
  cudaStreamUpdateCaptureDependencies_v2
#define cudaStreamUpdateCaptureDependencies_ptsz                               \
  cudaStreamUpdateCaptureDependencies_v2_ptsz
#define cudaWaitExternalSemaphoresAsync cudaWaitExternalSemaphoresAsync_v2
#define cudaWaitExternalSemaphoresAsync_ptsz                                   \
  cudaWaitExternalSemaphoresAsync_v2_ptsz
