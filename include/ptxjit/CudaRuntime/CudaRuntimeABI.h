//===- CudaRuntimeABI.h - types of the CUDA runtime API -----------*- C -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types as the documentation of CUDA 13 has them, or that of CUDA 12 if
// PTXJIT_CUDART_VERSION is 12, so that programs written for the CUDA runtime
// find them here. Handles are those of the driver (CudaABI.h).
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_CUDARUNTIME_CUDARUNTIMEABI_H
#define PTXJIT_CUDARUNTIME_CUDARUNTIMEABI_H

#ifndef PTXJIT_CUDART_VERSION
#define PTXJIT_CUDART_VERSION 13
#endif
#if PTXJIT_CUDART_VERSION == 12
#include "ptxjit/CudaRuntime/Names12.h"
/** Members of structures that CUDA 13 has removed. */
#define PTXJIT_CUDART_12(member) member;
#else
#define PTXJIT_CUDART_12(member)
#endif

#include "ptxjit/CudaDriver/CudaABI.h"

#ifdef __cplusplus
extern "C" {
#endif

/** An error number; Runtime/CudaErrors.def lists them. */
typedef int cudaError_t;

typedef struct dim3 {
  unsigned x, y, z;
} dim3;

/** A launch of cudaLaunchCooperativeKernelMultiDevice, which CUDA 13 lacks. */
typedef struct cudaLaunchParams {
  void *func;
  dim3 gridDim, blockDim;
  void **args;
  size_t sharedMem;
  CUstream stream;
} cudaLaunchParams;

/** Directions of copies. */
enum {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4,
};

enum {
  cudaMemoryTypeUnregistered = 0,
  cudaMemoryTypeHost = 1,
  cudaMemoryTypeDevice = 2,
  cudaMemoryTypeManaged = 3,
};

typedef struct cudaPitchedPtr {
  void *ptr;
  size_t pitch, xsize, ysize;
} cudaPitchedPtr;
typedef struct cudaExtent {
  size_t width, height, depth;
} cudaExtent;
typedef struct cudaPos {
  size_t x, y, z;
} cudaPos;
typedef struct cudaMemcpy3DParms {
  void *srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  void *dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  cudaExtent extent;
  int kind;
} cudaMemcpy3DParms;

typedef struct cudaMemcpy3DPeerParms {
  void *srcArray;
  cudaPos srcPos;
  cudaPitchedPtr srcPtr;
  int srcDevice;
  void *dstArray;
  cudaPos dstPos;
  cudaPitchedPtr dstPtr;
  int dstDevice;
  cudaExtent extent;
} cudaMemcpy3DPeerParms;

/** How channels are stored. The kinds between the last two are the formats of
 *  CUarray_format from UNORM_INT8X1 to SNORM_INT16X4, in that order. */
enum {
  cudaChannelFormatKindSigned = 0,
  cudaChannelFormatKindUnsigned = 1,
  cudaChannelFormatKindFloat = 2,
  cudaChannelFormatKindNone = 3,
  cudaChannelFormatKindNV12 = 4,
  cudaChannelFormatKindUnsignedNormalized8X1 = 5,
  cudaChannelFormatKindSignedNormalized16X4 = 16,
  cudaChannelFormatKindUnsignedNormalized1010102 = 31, /**< the last one */
};
/** Bits of the channels, and their kind. */
typedef struct cudaChannelFormatDesc {
  int x, y, z, w;
  int f;
} cudaChannelFormatDesc;
typedef struct cudaExternalMemoryMipmappedArrayDesc {
  unsigned long long offset;
  cudaChannelFormatDesc formatDesc;
  cudaExtent extent;
  unsigned flags, numLevels;
  unsigned reserved[16];
} cudaExternalMemoryMipmappedArrayDesc;

/** Like CUDA_RESOURCE_DESC; resource types and views are the driver's. */
typedef struct cudaResourceDesc {
  int resType;
  union {
    struct {
      CUarray array;
    } array;
    struct {
      CUmipmappedArray mipmap;
    } mipmap;
    struct {
      void *devPtr;
      cudaChannelFormatDesc desc;
      size_t sizeInBytes;
    } linear;
    struct {
      void *devPtr;
      cudaChannelFormatDesc desc;
      size_t width, height, pitchInBytes;
    } pitch2D;
    struct {
      int reserved[32];
    } reserved;
  } res;
  unsigned flags;
} cudaResourceDesc;

enum {
  cudaReadModeElementType = 0,
  cudaReadModeNormalizedFloat = 1,
};
/** Modes are the driver's. */
typedef struct cudaTextureDesc {
  CUaddress_mode addressMode[3];
  CUfilter_mode filterMode;
  int readMode;
  int sRGB;
  float borderColor[4];
  int normalizedCoords;
  unsigned maxAnisotropy;
  CUfilter_mode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  int disableTrilinearOptimization;
  int seamlessCubemap;
} cudaTextureDesc;

typedef struct cudaPointerAttributes {
  int type;
  int device;
  void *devicePointer;
  void *hostPointer;
  long reserved[8];
} cudaPointerAttributes;

typedef struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
  int maxDynamicSharedSizeBytes, preferredShmemCarveout, clusterDimMustBeSet;
  int requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
  int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
  int reserved[16];
} cudaFuncAttributes;

typedef struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  CUstream stream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
} cudaLaunchConfig_t;

typedef struct cudaKernelNodeParams {
  void *func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void **kernelParams;
  void **extra;
} cudaKernelNodeParams;

/** As CUgraphNodeParams, except for kernels and copies. */
typedef struct cudaGraphNodeParams {
  CUgraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    cudaKernelNodeParams kernel;
    struct {
      int flags, reserved[3];
      cudaMemcpy3DParms copyParams;
    } memcpy;
    CUDA_MEM_ALLOC_NODE_PARAMS alloc;
    CUDA_CONDITIONAL_NODE_PARAMS conditional; ///< without `ctx`
  };
  long long reserved2;
} cudaGraphNodeParams;

typedef struct cudaDeviceProp {
  char name[256];
  CUuuid uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  PTXJIT_CUDART_12(int clockRate)
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  PTXJIT_CUDART_12(int deviceOverlap)
  int multiProcessorCount;
  PTXJIT_CUDART_12(int kernelExecTimeoutEnabled)
  int integrated, canMapHostMemory;
  PTXJIT_CUDART_12(int computeMode)
  int maxTexture1D, maxTexture1DMipmap;
  PTXJIT_CUDART_12(int maxTexture1DLinear)
  int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3];
  int maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3];
  int maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3];
  int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2];
  int maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
  int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID;
  int tccDriver, asyncEngineCount, unifiedAddressing;
  PTXJIT_CUDART_12(int memoryClockRate)
  int memoryBusWidth;
  int l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
  int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard;
  int multiGpuBoardGroupID, hostNativeAtomicSupported;
  PTXJIT_CUDART_12(int singleToDoublePrecisionPerfRatio)
  int pageableMemoryAccess;
  int concurrentManagedAccess, computePreemptionSupported;
  int canUseHostPointerForRegisteredMem, cooperativeLaunch;
  PTXJIT_CUDART_12(int cooperativeMultiDeviceLaunch)
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost;
  int maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported;
  int hostRegisterReadOnlySupported, timelineSemaphoreInteropSupported;
  int memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch;
  int unifiedFunctionPointers, deviceNumaConfig, deviceNumaId, mpsEnabled;
  int hostNumaId;
  unsigned gpuPciDeviceID, gpuPciSubsystemID;
  int hostNumaMultinodeIpcSupported, reserved[56];
} cudaDeviceProp; /* CUDA 12 has the last eight as one, reserved[63] */

/* Functions that other functions of the runtime call. */
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);

#ifdef __cplusplus
}
#endif

#endif
