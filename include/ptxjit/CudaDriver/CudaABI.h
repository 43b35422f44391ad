//===- CudaABI.h - the part of the CUDA driver API that we have -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types, numbers and functions, named and laid out as the documentation of the
// CUDA Driver API says, so that programs written for that API find them here.
// Written from the documentation alone.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_CUDADRIVER_CUDAABI_H
#define PTXJIT_CUDADRIVER_CUDAABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef struct CUexternalMemory_st *CUexternalMemory;
typedef struct CUexternalSemaphore_st *CUexternalSemaphore;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUuserObject_st *CUuserObject;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUarray_st *CUarray;
typedef struct CUmipmappedArray_st *CUmipmappedArray;
typedef struct CUtexref_st *CUtexref;
typedef struct CUsurfref_st *CUsurfref;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef struct CUuuid_st {
  char bytes[16];
} CUuuid;

/** Handles of the default streams, which always exist, and a flag of
 * cuStreamCreate. */
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)
#define CU_STREAM_NON_BLOCKING 1u

/** Result codes: PTXJIT_CUDA_RESULTS(X) calls X(name, number, text). */
#define PTXJIT_CUDA_RESULTS(X)                                                 \
  X(CUDA_SUCCESS, 0, "no error")                                               \
  X(CUDA_ERROR_INVALID_VALUE, 1, "invalid argument")                           \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2, "out of memory")                              \
  X(CUDA_ERROR_NOT_INITIALIZED, 3, "initialization error")                     \
  X(CUDA_ERROR_DEINITIALIZED, 4, "driver shutting down")                       \
  X(CUDA_ERROR_PROFILER_ALREADY_STARTED, 7, "profiler is already started")     \
  X(CUDA_ERROR_PROFILER_ALREADY_STOPPED, 8, "profiler is already stopped")     \
  X(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")           \
  X(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                  \
  X(CUDA_ERROR_INVALID_IMAGE, 200, "device kernel image is invalid")           \
  X(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context")                 \
  X(CUDA_ERROR_MAP_FAILED, 205, "mapping of buffer object failed")             \
  X(CUDA_ERROR_ALREADY_MAPPED, 208, "resource already mapped")                 \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209,                                         \
    "no kernel image is available for execution on the device")                \
  X(CUDA_ERROR_NOT_MAPPED, 211, "resource not mapped")                         \
  X(CUDA_ERROR_UNSUPPORTED_LIMIT, 215,                                         \
    "limit is not supported on this architecture")                             \
  X(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, 216,                                    \
    "exclusive-thread device already in use by a different thread")            \
  X(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, 217,                                   \
    "peer access is not supported between these two devices")                  \
  X(CUDA_ERROR_INVALID_PTX, 218, "a PTX JIT compilation failed")               \
  X(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, 224,                                 \
    "this type of execution affinity is not supported")                        \
  X(CUDA_ERROR_INVALID_SOURCE, 300, "device kernel image is invalid")          \
  X(CUDA_ERROR_FILE_NOT_FOUND, 301, "file not found")                          \
  X(CUDA_ERROR_OPERATING_SYSTEM, 304,                                          \
    "OS call failed or operation not supported on this OS")                    \
  X(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle")                 \
  X(CUDA_ERROR_ILLEGAL_STATE, 401,                                             \
    "the operation cannot be performed in the present state")                  \
  X(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found")                       \
  X(CUDA_ERROR_NOT_READY, 600, "device not ready")                             \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700,                                           \
    "an illegal memory access was encountered")                                \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701,                                   \
    "too many resources requested for launch")                                 \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated") \
  X(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704,                               \
    "peer access is already enabled")                                          \
  X(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, 705,                                   \
    "peer access has not been enabled")                                        \
  X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708,                                    \
    "cannot set while device is active in this process")                       \
  X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed")              \
  X(CUDA_ERROR_ASSERT, 710, "device-side assert triggered")                    \
  X(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, 712,                            \
    "part or all of the requested memory range is already mapped")             \
  X(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, 713,                                \
    "pointer does not correspond to a registered memory region")               \
  X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714, "hardware stack error")              \
  X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715,                                       \
    "an illegal instruction was encountered")                                  \
  X(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                  \
  X(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")               \
  X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720,                              \
    "too many blocks in cooperative launch")                                   \
  X(CUDA_ERROR_NOT_PERMITTED, 800, "operation not permitted")                  \
  X(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported")                  \
  X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900,                                \
    "operation not permitted when stream is capturing")                        \
  X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901,                                \
    "operation failed due to a previous error during capture")                 \
  X(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, 903,                                  \
    "stream capture was not initiated in this stream")                         \
  X(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, 904,                                   \
    "capturing stream has unjoined work")                                      \
  X(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, 905,                                  \
    "dependency created on uncaptured work in another stream")                 \
  X(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, 906,                                   \
    "operation would make the legacy stream depend on a capturing blocking "   \
    "stream")                                                                  \
  X(CUDA_ERROR_CAPTURED_EVENT, 907,                                            \
    "operation not permitted on an event last recorded in a capturing stream") \
  X(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, 908,                               \
    "attempt to terminate a thread-local capture sequence from another "       \
    "thread")                                                                  \
  X(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, 910,                                 \
    "the graph update was not performed because it included changes which "    \
    "violated constraints specific to instantiated graph update")              \
  X(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912, "invalid cluster size")              \
  X(CUDA_ERROR_INVALID_RESOURCE_TYPE, 914, "invalid resource type")            \
  X(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, 915,                            \
    "invalid resource configuration")                                          \
  X(CUDA_ERROR_UNKNOWN, 999, "unknown error")

/** Programs may pass a number that is no enumerator. C++ allows that only if
 * the enumeration's underlying type is fixed. */
#ifdef __cplusplus
#define PTXJIT_INT_ENUM : int
#else
#define PTXJIT_INT_ENUM
#endif

typedef enum CUresult PTXJIT_INT_ENUM {
#define X(name, number, text) name = number,
  PTXJIT_CUDA_RESULTS(X)
#undef X
} CUresult;

/** Attributes of devices (DeviceAttributes.def). */
typedef enum CUdevice_attribute PTXJIT_INT_ENUM {
#define ATTRIBUTE(NAME, number, value) CU_DEVICE_ATTRIBUTE_##NAME = number,
#include "ptxjit/CudaDriver/DeviceAttributes.def"
#undef ATTRIBUTE
} CUdevice_attribute;

/** Options of cuModuleLoadDataEx that have an effect. */
enum {
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

/** Words in the array `extra` of cuLaunchKernel. */
#define CU_LAUNCH_PARAM_END ((void *)0)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)

enum {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
  CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
  CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
  CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
  CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
  CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
  CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
  CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET = 10,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH = 11,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT = 12,
  CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH = 13,
  CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
  CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15,
};

enum {
  CU_POINTER_ATTRIBUTE_CONTEXT = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  CU_POINTER_ATTRIBUTE_SYNC_MEMOPS = 6,
  CU_POINTER_ATTRIBUTE_BUFFER_ID = 7,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE = 10,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
  CU_POINTER_ATTRIBUTE_MAPPED = 13,
  CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE = 17,
};
enum {
  CU_MEMORYTYPE_HOST = 1,
  CU_MEMORYTYPE_DEVICE = 2,
  CU_MEMORYTYPE_ARRAY = 3,
  CU_MEMORYTYPE_UNIFIED = 4,
};

enum {
  CU_LIMIT_STACK_SIZE = 0,
  CU_LIMIT_PRINTF_FIFO_SIZE = 1,
  CU_LIMIT_MALLOC_HEAP_SIZE = 2,
  CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH = 3,
};

enum {
  CU_EVENT_BLOCKING_SYNC = 1,
  CU_EVENT_DISABLE_TIMING = 2,
  CU_EVENT_INTERPROCESS = 4,
};

enum {
  CU_GET_PROC_ADDRESS_LEGACY_STREAM = 1,
  CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM = 2,
};
enum {
  CU_GET_PROC_ADDRESS_SUCCESS = 0,
  CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
  CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2,
};

/** Kinds of input to cuLinkAddData. */
enum {
  CU_JIT_INPUT_CUBIN = 0,
  CU_JIT_INPUT_PTX = 1,
  CU_JIT_INPUT_FATBINARY = 2,
  CU_JIT_INPUT_OBJECT = 3,
  CU_JIT_INPUT_LIBRARY = 4,
};

typedef enum CUstreamCaptureStatus PTXJIT_INT_ENUM {
  CU_STREAM_CAPTURE_STATUS_NONE = 0,
  CU_STREAM_CAPTURE_STATUS_ACTIVE = 1,
  CU_STREAM_CAPTURE_STATUS_INVALIDATED = 2,
} CUstreamCaptureStatus;
typedef enum CUstreamCaptureMode PTXJIT_INT_ENUM {
  CU_STREAM_CAPTURE_MODE_GLOBAL = 0,
  CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
  CU_STREAM_CAPTURE_MODE_RELAXED = 2,
} CUstreamCaptureMode;

typedef enum CUgraphNodeType PTXJIT_INT_ENUM {
  CU_GRAPH_NODE_TYPE_KERNEL = 0,
  CU_GRAPH_NODE_TYPE_MEMCPY = 1,
  CU_GRAPH_NODE_TYPE_MEMSET = 2,
  CU_GRAPH_NODE_TYPE_HOST = 3,
  CU_GRAPH_NODE_TYPE_GRAPH = 4,
  CU_GRAPH_NODE_TYPE_EMPTY = 5,
  CU_GRAPH_NODE_TYPE_WAIT_EVENT = 6,
  CU_GRAPH_NODE_TYPE_EVENT_RECORD = 7,
  CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL = 8,
  CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT = 9,
  CU_GRAPH_NODE_TYPE_MEM_ALLOC = 10,
  CU_GRAPH_NODE_TYPE_MEM_FREE = 11,
  CU_GRAPH_NODE_TYPE_BATCH_MEM_OP = 12,
  CU_GRAPH_NODE_TYPE_CONDITIONAL = 13,
} CUgraphNodeType;

typedef enum CUgraphExecUpdateResult PTXJIT_INT_ENUM {
  CU_GRAPH_EXEC_UPDATE_SUCCESS = 0,
  CU_GRAPH_EXEC_UPDATE_ERROR = 1,
  CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED = 2,
  CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED = 3,
  CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED = 5,
  CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED = 6,
} CUgraphExecUpdateResult;
typedef struct CUgraphExecUpdateResultInfo {
  CUgraphExecUpdateResult result;
  CUgraphNode errorNode;
  CUgraphNode errorFromNode;
} CUgraphExecUpdateResultInfo;

/** Annotation of an edge of a graph. All zero: a full dependency. */
typedef struct CUgraphEdgeData {
  unsigned char from_port, to_port, type, reserved[5];
} CUgraphEdgeData;

typedef void (*CUhostFn)(void *userData);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status,
                                 void *userData);
/** Dynamic shared memory, in bytes, for a block of `blockSize` threads. */
typedef size_t (*CUoccupancyB2DSize)(int blockSize);

typedef struct CUDA_MEMCPY2D {
  size_t srcXInBytes, srcY;
  int srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  int dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
} CUDA_MEMCPY2D;

typedef struct CUDA_MEMCPY3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  int srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  void *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  int dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  void *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

/** A CUDA_MEMCPY3D that names contexts. */
/** What cuDeviceGetP2PAttribute tells of the link between two devices. */
enum {
  CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK = 1,
  CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED = 2,
  CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED = 3,
  CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED = 4,
  CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED = 5
};
/** A CUatomicOperation. */
enum {
  CU_ATOMIC_OPERATION_INTEGER_ADD = 0,
  CU_ATOMIC_OPERATION_INTEGER_MIN = 1,
  CU_ATOMIC_OPERATION_INTEGER_MAX = 2,
  CU_ATOMIC_OPERATION_INTEGER_INCREMENT = 3,
  CU_ATOMIC_OPERATION_INTEGER_DECREMENT = 4,
  CU_ATOMIC_OPERATION_AND = 5,
  CU_ATOMIC_OPERATION_OR = 6,
  CU_ATOMIC_OPERATION_XOR = 7,
  CU_ATOMIC_OPERATION_EXCHANGE = 8,
  CU_ATOMIC_OPERATION_CAS = 9,
  CU_ATOMIC_OPERATION_FLOAT_ADD = 10,
  CU_ATOMIC_OPERATION_FLOAT_MIN = 11,
  CU_ATOMIC_OPERATION_FLOAT_MAX = 12
};
/** Bits of a CUatomicOperationCapability. */
enum {
  CU_ATOMIC_CAPABILITY_SIGNED = 1,
  CU_ATOMIC_CAPABILITY_UNSIGNED = 2,
  CU_ATOMIC_CAPABILITY_REDUCTION = 4,
  CU_ATOMIC_CAPABILITY_SCALAR_32 = 8,
  CU_ATOMIC_CAPABILITY_SCALAR_64 = 16,
  CU_ATOMIC_CAPABILITY_SCALAR_128 = 32,
  CU_ATOMIC_CAPABILITY_VECTOR_32x4 = 64
};

typedef struct CUDA_MEMCPY3D_PEER {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  int srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  CUarray srcArray;
  CUcontext srcContext;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  int dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  CUarray dstArray;
  CUcontext dstContext;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D_PEER;

/** How elements of arrays and textures are stored. Formats that are not listed
 *  are compressed or planar, which are not supported. */
typedef enum CUarray_format PTXJIT_INT_ENUM {
  CU_AD_FORMAT_UNSIGNED_INT8 = 0x01,
  CU_AD_FORMAT_UNSIGNED_INT16 = 0x02,
  CU_AD_FORMAT_UNSIGNED_INT32 = 0x03,
  CU_AD_FORMAT_SIGNED_INT8 = 0x08,
  CU_AD_FORMAT_SIGNED_INT16 = 0x09,
  CU_AD_FORMAT_SIGNED_INT32 = 0x0a,
  CU_AD_FORMAT_HALF = 0x10,
  CU_AD_FORMAT_FLOAT = 0x20,
  CU_AD_FORMAT_UNORM_INT_101010_2 = 0x50,
  CU_AD_FORMAT_BC1_UNORM = 0x91, /**< the first of a range up to P216 */
  CU_AD_FORMAT_NV12 = 0xb0,
  CU_AD_FORMAT_UNORM_INT8X1 = 0xc0,
  CU_AD_FORMAT_UNORM_INT8X2 = 0xc1,
  CU_AD_FORMAT_UNORM_INT8X4 = 0xc2,
  CU_AD_FORMAT_UNORM_INT16X1 = 0xc3,
  CU_AD_FORMAT_UNORM_INT16X2 = 0xc4,
  CU_AD_FORMAT_UNORM_INT16X4 = 0xc5,
  CU_AD_FORMAT_SNORM_INT8X1 = 0xc6,
  CU_AD_FORMAT_SNORM_INT8X2 = 0xc7,
  CU_AD_FORMAT_SNORM_INT8X4 = 0xc8,
  CU_AD_FORMAT_SNORM_INT16X1 = 0xc9,
  CU_AD_FORMAT_SNORM_INT16X2 = 0xca,
  CU_AD_FORMAT_SNORM_INT16X4 = 0xcb,
} CUarray_format;

/** Flags of arrays. */
enum {
  CUDA_ARRAY3D_LAYERED = 0x01,
  CUDA_ARRAY3D_SURFACE_LDST = 0x02,
  CUDA_ARRAY3D_CUBEMAP = 0x04,
  CUDA_ARRAY3D_TEXTURE_GATHER = 0x08,
  CUDA_ARRAY3D_DEPTH_TEXTURE = 0x10,
  CUDA_ARRAY3D_COLOR_ATTACHMENT = 0x20,
  CUDA_ARRAY3D_SPARSE = 0x40,
  CUDA_ARRAY3D_DEFERRED_MAPPING = 0x80,
  CUDA_ARRAY3D_VIDEO_ENCODE_DECODE = 0x100,
};

typedef struct CUDA_ARRAY_DESCRIPTOR {
  size_t Width, Height;
  CUarray_format Format;
  unsigned NumChannels;
} CUDA_ARRAY_DESCRIPTOR;
typedef struct CUDA_ARRAY3D_DESCRIPTOR {
  size_t Width, Height, Depth;
  CUarray_format Format;
  unsigned NumChannels;
  unsigned Flags;
} CUDA_ARRAY3D_DESCRIPTOR;
typedef struct CUDA_ARRAY_SPARSE_PROPERTIES {
  struct {
    unsigned width, height, depth;
  } tileExtent;
  unsigned miptailFirstLevel;
  unsigned long long miptailSize;
  unsigned flags;
  unsigned reserved[4];
} CUDA_ARRAY_SPARSE_PROPERTIES;
typedef struct CUDA_ARRAY_MEMORY_REQUIREMENTS {
  size_t size, alignment;
  unsigned reserved[4];
} CUDA_ARRAY_MEMORY_REQUIREMENTS;

enum {
  CU_RESOURCE_TYPE_ARRAY = 0,
  CU_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1,
  CU_RESOURCE_TYPE_LINEAR = 2,
  CU_RESOURCE_TYPE_PITCH2D = 3,
};
typedef struct CUDA_RESOURCE_DESC {
  int resType;
  union {
    struct {
      CUarray hArray;
    } array;
    struct {
      CUmipmappedArray hMipmappedArray;
    } mipmap;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned numChannels;
      size_t sizeInBytes;
    } linear;
    struct {
      CUdeviceptr devPtr;
      CUarray_format format;
      unsigned numChannels;
      size_t width, height, pitchInBytes;
    } pitch2D;
    struct {
      int reserved[32];
    } reserved;
  } res;
  unsigned flags;
} CUDA_RESOURCE_DESC;

typedef enum CUaddress_mode PTXJIT_INT_ENUM {
  CU_TR_ADDRESS_MODE_WRAP = 0,
  CU_TR_ADDRESS_MODE_CLAMP = 1,
  CU_TR_ADDRESS_MODE_MIRROR = 2,
  CU_TR_ADDRESS_MODE_BORDER = 3,
} CUaddress_mode;
typedef enum CUfilter_mode PTXJIT_INT_ENUM {
  CU_TR_FILTER_MODE_POINT = 0,
  CU_TR_FILTER_MODE_LINEAR = 1,
} CUfilter_mode;
enum {
  CU_TRSA_OVERRIDE_FORMAT = 0x01,
  CU_TRSF_READ_AS_INTEGER = 0x01,
  CU_TRSF_NORMALIZED_COORDINATES = 0x02,
  CU_TRSF_SRGB = 0x10,
  CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION = 0x20,
  CU_TRSF_SEAMLESS_CUBEMAP = 0x40,
  CU_PARAM_TR_DEFAULT = -1,
};
typedef struct CUDA_TEXTURE_DESC {
  CUaddress_mode addressMode[3];
  CUfilter_mode filterMode;
  unsigned flags;
  unsigned maxAnisotropy;
  CUfilter_mode mipmapFilterMode;
  float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
  float borderColor[4];
  int reserved[12];
} CUDA_TEXTURE_DESC;

/** Formats of resource views. From UINT_1X8 to FLOAT_4X32 there are eight types
 *  (u8, s8, u16, s16, u32, s32, f16, f32), each with 1, 2 and 4 channels. */
enum {
  CU_RES_VIEW_FORMAT_NONE = 0x00,
  CU_RES_VIEW_FORMAT_UINT_1X8 = 0x01,
  CU_RES_VIEW_FORMAT_UINT_4X8 = 0x03,
  CU_RES_VIEW_FORMAT_SINT_4X8 = 0x06,
  CU_RES_VIEW_FORMAT_UINT_1X32 = 0x0d,
  CU_RES_VIEW_FORMAT_SINT_1X32 = 0x10,
  CU_RES_VIEW_FORMAT_FLOAT_1X32 = 0x16,
  CU_RES_VIEW_FORMAT_FLOAT_4X32 = 0x18,
  CU_RES_VIEW_FORMAT_UNSIGNED_BC1 = 0x19,
  CU_RES_VIEW_FORMAT_UNSIGNED_BC7 = 0x22,
};
typedef struct CUDA_RESOURCE_VIEW_DESC {
  int format;
  size_t width, height, depth;
  unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
  unsigned reserved[16];
} CUDA_RESOURCE_VIEW_DESC;

/** The first version of this structure ends before `kern`. */
typedef struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void **kernelParams;
  void **extra;
  CUkernel kern;
  CUcontext ctx;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct CUDA_MEMSET_NODE_PARAMS {
  CUdeviceptr dst;
  size_t pitch;
  unsigned value;
  unsigned elementSize;
  size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;

typedef struct CUDA_HOST_NODE_PARAMS {
  CUhostFn fn;
  void *userData;
} CUDA_HOST_NODE_PARAMS;

typedef struct CUmemLocation {
  int type;
  int id;
} CUmemLocation;
typedef struct CUmemAccessDesc {
  CUmemLocation location;
  int flags;
} CUmemAccessDesc;
enum {
  CU_MEM_ALLOCATION_TYPE_PINNED = 1,
  CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
  CU_MEM_LOCATION_TYPE_INVALID = 0,
  CU_MEM_LOCATION_TYPE_DEVICE = 1,
  CU_MEM_LOCATION_TYPE_HOST = 2,
  CU_MEM_LOCATION_TYPE_HOST_NUMA = 3,
  CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT = 4,
  CU_MEM_ADVISE_SET_READ_MOSTLY = 1,
  CU_MEM_ADVISE_UNSET_READ_MOSTLY = 2,
  CU_MEM_ADVISE_SET_PREFERRED_LOCATION = 3,
  CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 4,
  CU_MEM_ADVISE_SET_ACCESSED_BY = 5,
  CU_MEM_ADVISE_UNSET_ACCESSED_BY = 6,
  CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY = 1,
  CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION = 2,
  CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY = 3,
  CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION = 4,
  CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE = 5,
  CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID = 6,
  CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
  CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID = 8,
  CU_MEM_ACCESS_FLAGS_PROT_NONE = 0,
  CU_MEM_ACCESS_FLAGS_PROT_READ = 1,
  CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
};
typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct CUmemAllocationProp {
  int type;
  int requestedHandleTypes;
  CUmemLocation location;
  void *win32HandleMetaData;
  struct {
    unsigned char compressionType;
    unsigned char gpuDirectRDMACapable;
    unsigned short usage;
    unsigned char reserved[4];
  } allocFlags;
} CUmemAllocationProp;
enum { CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1 };
typedef struct CUipcMemHandle {
  char reserved[64];
} CUipcMemHandle;
typedef struct CUipcEventHandle {
  char reserved[64];
} CUipcEventHandle;
typedef struct CUmemPoolPtrExportData {
  unsigned char reserved[64];
} CUmemPoolPtrExportData;

typedef struct CUmemPoolProps {
  int allocType;
  int handleTypes;
  CUmemLocation location;
  void *win32SecurityAttributes;
  size_t maxSize;
  unsigned short usage;
  unsigned char reserved[54];
} CUmemPoolProps;
typedef struct CUDA_MEM_ALLOC_NODE_PARAMS {
  CUmemPoolProps poolProps;
  const CUmemAccessDesc *accessDescs;
  size_t accessDescCount;
  size_t bytesize;
  CUdeviceptr dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;
enum {
  CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT,
  CU_GRAPH_MEM_ATTR_USED_MEM_HIGH,
  CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT,
  CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH,
};
enum {
  CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES = 1,
  CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC,
  CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD,
  CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT,
  CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH,
  CU_MEMPOOL_ATTR_USED_MEM_CURRENT,
  CU_MEMPOOL_ATTR_USED_MEM_HIGH,
};

typedef struct CUDA_MEMCPY_NODE_PARAMS {
  int flags;
  int reserved;
  CUcontext copyCtx;
  CUDA_MEMCPY3D copyParams;
} CUDA_MEMCPY_NODE_PARAMS;

enum {
  CU_STREAM_WAIT_VALUE_GEQ = 0,
  CU_STREAM_WAIT_VALUE_EQ = 1,
  CU_STREAM_WAIT_VALUE_AND = 2,
  CU_STREAM_WAIT_VALUE_NOR = 3,
  CU_STREAM_WAIT_VALUE_FLUSH = 1 << 30,
};
enum {
  CU_STREAM_WRITE_VALUE_DEFAULT = 0,
  CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER = 1,
};
typedef enum CUstreamBatchMemOpType PTXJIT_INT_ENUM {
  CU_STREAM_MEM_OP_WAIT_VALUE_32 = 1,
  CU_STREAM_MEM_OP_WRITE_VALUE_32 = 2,
  CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES = 3,
  CU_STREAM_MEM_OP_WAIT_VALUE_64 = 4,
  CU_STREAM_MEM_OP_WRITE_VALUE_64 = 5,
  CU_STREAM_MEM_OP_BARRIER = 6,
} CUstreamBatchMemOpType;
/// A 32-bit operation uses the lower half of `value64`.
typedef struct CUstreamMemOpValueParams {
  CUstreamBatchMemOpType operation;
  CUdeviceptr address;
  uint64_t value64;
  unsigned flags;
  CUdeviceptr alias;
} CUstreamMemOpValueParams;
typedef union CUstreamBatchMemOpParams {
  CUstreamBatchMemOpType operation;
  CUstreamMemOpValueParams waitValue, writeValue;
  struct {
    CUstreamBatchMemOpType operation;
    unsigned flags;
  } memoryBarrier; ///< also of flushRemoteWrites
  uint64_t pad[6];
} CUstreamBatchMemOpParams;
typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS {
  CUcontext ctx;
  unsigned count;
  CUstreamBatchMemOpParams *paramArray;
  unsigned flags;
} CUDA_BATCH_MEM_OP_NODE_PARAMS;

typedef struct CUgraphDeviceUpdatableNode_st *CUgraphDeviceNode;
typedef uint64_t CUgraphConditionalHandle;
enum { CU_GRAPH_COND_ASSIGN_DEFAULT = 1 };
typedef enum CUgraphConditionalNodeType PTXJIT_INT_ENUM {
  CU_GRAPH_COND_TYPE_IF = 0, ///< one body, or two: the second one is "else"
  CU_GRAPH_COND_TYPE_WHILE = 1,
  CU_GRAPH_COND_TYPE_SWITCH = 2, ///< body n runs for the value n
} CUgraphConditionalNodeType;
typedef struct CUDA_CONDITIONAL_NODE_PARAMS {
  CUgraphConditionalHandle handle;
  CUgraphConditionalNodeType type;
  unsigned size;        ///< number of bodies
  CUgraph *phGraph_out; ///< set when the node is made: its bodies
  CUcontext ctx;
} CUDA_CONDITIONAL_NODE_PARAMS;

/** What becomes of the graph that a child node is made from. */
typedef enum CUgraphChildGraphNodeOwnership PTXJIT_INT_ENUM {
  CU_GRAPH_CHILD_GRAPH_OWNERSHIP_INVALID = -1,
  CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE = 0, ///< the node has a copy
  CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE = 1,  ///< the node has it
} CUgraphChildGraphNodeOwnership;
typedef struct CUDA_CHILD_GRAPH_NODE_PARAMS {
  CUgraph graph;
  CUgraphChildGraphNodeOwnership ownership;
} CUDA_CHILD_GRAPH_NODE_PARAMS;

/** External memory and semaphores: what another interface hands over. Types of
 *  handles that are not listed are those of Windows or of NVIDIA's systems. */
enum {
  CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD = 1,
  CU_EXTERNAL_MEMORY_HANDLE_TYPE_DMABUF_FD = 9,
  CUDA_EXTERNAL_MEMORY_DEDICATED = 1,
  CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD = 1,
  CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD = 9,
  CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_WIN32 = 10,
};
typedef union CUexternalHandle {
  int fd;
  struct {
    void *handle;
    const void *name;
  } win32;
} CUexternalHandle;
typedef struct CUDA_EXTERNAL_MEMORY_HANDLE_DESC {
  int type;
  CUexternalHandle handle;
  unsigned long long size;
  unsigned flags;
  unsigned reserved[16];
} CUDA_EXTERNAL_MEMORY_HANDLE_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_BUFFER_DESC {
  unsigned long long offset, size;
  unsigned flags;
  unsigned reserved[16];
} CUDA_EXTERNAL_MEMORY_BUFFER_DESC;
typedef struct CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC {
  unsigned long long offset;
  CUDA_ARRAY3D_DESCRIPTOR arrayDesc;
  unsigned numLevels;
  unsigned reserved[16];
} CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC;
typedef struct CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC {
  int type;
  CUexternalHandle handle;
  unsigned flags;
  unsigned reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC;
/** Of a signal or a wait: CUDA has a type for each, of the same layout. */
typedef struct CUDA_EXTERNAL_SEMAPHORE_PARAMS {
  unsigned long long value; /**< of a timeline */
  unsigned long long nvSciSync, key;
  unsigned reservedParams[12];
  unsigned flags;
  unsigned reserved[16];
} CUDA_EXTERNAL_SEMAPHORE_PARAMS;
typedef struct CUDA_EXT_SEM_NODE_PARAMS {
  CUexternalSemaphore *extSemArray;
  const CUDA_EXTERNAL_SEMAPHORE_PARAMS *paramsArray;
  unsigned numExtSems;
} CUDA_EXT_SEM_NODE_PARAMS;

typedef struct CUgraphNodeParams {
  CUgraphNodeType type;
  int reserved0[3];
  union {
    long long reserved1[29];
    CUDA_KERNEL_NODE_PARAMS kernel;
    CUDA_MEMCPY_NODE_PARAMS memcpy;
    CUDA_MEMSET_NODE_PARAMS memset;
    CUDA_HOST_NODE_PARAMS host;
    CUDA_MEM_ALLOC_NODE_PARAMS alloc;
    CUDA_BATCH_MEM_OP_NODE_PARAMS memOp;
    CUDA_EXT_SEM_NODE_PARAMS extSemaphores;
    CUDA_CONDITIONAL_NODE_PARAMS conditional;
    CUDA_CHILD_GRAPH_NODE_PARAMS child;
    CUgraph graph; ///< of `child`
    CUevent event;
    CUdeviceptr free;
  };
  long long reserved2;
} CUgraphNodeParams;

/** When a copy of a batch may read its source. */
enum {
  CU_MEMCPY_SRC_ACCESS_ORDER_STREAM = 1,
  CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL = 2,
  CU_MEMCPY_SRC_ACCESS_ORDER_ANY = 3,
};
typedef struct CUmemcpyAttributes {
  int srcAccessOrder;
  CUmemLocation srcLocHint, dstLocHint;
  unsigned flags;
} CUmemcpyAttributes;

enum {
  CU_MEMCPY_OPERAND_TYPE_POINTER = 1,
  CU_MEMCPY_OPERAND_TYPE_ARRAY = 2,
};
/** An end of a copy of cuMemcpy3DBatchAsync. Lengths are in elements. */
typedef struct CUmemcpy3DOperand {
  int type;
  union {
    struct {
      CUdeviceptr ptr;
      size_t rowLength, layerHeight;
      CUmemLocation locHint;
    } ptr;
    struct {
      CUarray array;
      struct {
        size_t x, y, z;
      } offset;
    } array;
  } op;
} CUmemcpy3DOperand;
typedef struct CUDA_MEMCPY3D_BATCH_OP {
  CUmemcpy3DOperand src, dst;
  struct {
    size_t width, height, depth;
  } extent;
  int srcAccessOrder;
  unsigned flags;
} CUDA_MEMCPY3D_BATCH_OP;

enum {
  CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE = 1,
  CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES = 1 << 10,
  CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS = 1 << 15,
};

enum {
  CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH = 1,
  CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD = 2,
  CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH = 4,
  CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY = 8,
};
typedef enum CUgraphInstantiateResult PTXJIT_INT_ENUM {
  CUDA_GRAPH_INSTANTIATE_SUCCESS = 0,
  CUDA_GRAPH_INSTANTIATE_ERROR = 1,
  CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE = 2,
  CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED = 3,
  CUDA_GRAPH_INSTANTIATE_MULTIPLE_CTXS_NOT_SUPPORTED = 4,
  CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED = 5,
} CUgraphInstantiateResult;
typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS {
  uint64_t flags;
  CUstream hUploadStream;
  CUgraphNode hErrNode_out;
  CUgraphInstantiateResult result_out;
} CUDA_GRAPH_INSTANTIATE_PARAMS;

enum {
  CU_LAUNCH_ATTRIBUTE_IGNORE = 0,
  CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
  CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
  CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,
  CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 5,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION = 6,
  CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT = 7,
  CU_LAUNCH_ATTRIBUTE_PRIORITY = 8,
  CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP = 9,
  CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN = 10,
  CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION = 11,
  CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT = 12,
  CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE = 13,
};
typedef union CUlaunchAttributeValue {
  char pad[64];
  int cooperative;
  struct {
    unsigned x, y, z;
  } clusterDim;
  int programmaticStreamSerializationAllowed;
  int priority;
  struct {
    CUevent event;
    int flags, triggerAtBlockStart;
  } programmaticEvent;
  struct {
    CUevent event;
    int flags;
  } launchCompletionEvent;
  struct {
    int deviceUpdatable;
    CUgraphDeviceNode devNode;
  } deviceUpdatableKernelNode;
} CUlaunchAttributeValue;
typedef struct CUlaunchAttribute {
  int id;
  char pad[4];
  CUlaunchAttributeValue value;
} CUlaunchAttribute;
typedef struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
} CUlaunchConfig;

typedef struct CUDA_LAUNCH_PARAMS {
  CUfunction function;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  void **kernelParams;
} CUDA_LAUNCH_PARAMS;

enum {
  CU_MODULE_EAGER_LOADING = 1,
  CU_MODULE_LAZY_LOADING = 2,
};

enum {
  CU_PROCESS_STATE_RUNNING = 0,
  CU_PROCESS_STATE_LOCKED = 1,
  CU_PROCESS_STATE_CHECKPOINTED = 2,
};
typedef struct CUcheckpointLockArgs {
  unsigned timeoutMs; /**< 0: none */
  unsigned reserved0;
  uint64_t reserved1[7];
} CUcheckpointLockArgs;
typedef struct CUcheckpointRestoreArgs {
  void *gpuPairs;
  unsigned gpuPairsCount;
} CUcheckpointRestoreArgs;

enum {
  CU_COREDUMP_ENABLE_ON_EXCEPTION = 1,
  CU_COREDUMP_TRIGGER_HOST = 2,
  CU_COREDUMP_LIGHTWEIGHT = 3,
  CU_COREDUMP_ENABLE_USER_TRIGGER = 4,
  CU_COREDUMP_FILE = 5,
  CU_COREDUMP_PIPE = 6,
  CU_COREDUMP_GENERATION_FLAGS = 7,
  CU_COREDUMP_MAX = 8,
  CU_COREDUMP_SKIP_ABORT = 1 << 4, /**< one of the generation flags */
};

enum { CU_LOG_LEVEL_ERROR = 0 };
typedef struct CUlogsCallbackEntry_st *CUlogsCallbackHandle;
typedef void (*CUlogsCallback)(void *data, int level, char *message,
                               size_t length);
typedef unsigned CUlogIterator; /**< the number of a message */

/** How many multiprocessors a context uses. */
enum { CU_EXEC_AFFINITY_TYPE_SM_COUNT = 0 };
typedef struct CUexecAffinityParam {
  int type;
  union {
    struct {
      unsigned val;
    } smCount;
  } param;
} CUexecAffinityParam;
typedef struct CUctxCreateParams {
  CUexecAffinityParam *execAffinityParams;
  int numExecAffinityParams;
  void *cigParams;
} CUctxCreateParams;

/** Shares of the device, for green contexts. */
enum {
  CU_DEV_RESOURCE_TYPE_INVALID = 0,
  CU_DEV_RESOURCE_TYPE_SM = 1,
  CU_GREEN_CTX_DEFAULT_STREAM = 1,
  CU_DEV_SM_RESOURCE_SPLIT_IGNORE_SM_COSCHEDULING = 1,
  CU_DEV_SM_RESOURCE_SPLIT_MAX_POTENTIAL_CLUSTER_SIZE = 2,
};
typedef struct CUdevSmResource {
  unsigned smCount, minSmPartitionSize, smCoscheduledAlignment;
} CUdevSmResource;
/** What `internal` contains is ours to choose. */
typedef struct CUdevResource {
  int type;
  unsigned char internal[92];
  union {
    CUdevSmResource sm;
    unsigned char oversize[48];
  };
} CUdevResource;

/* Functions. A name that is declared only with `_v2` is exported without it,
 * too. */
/** A tensor map: what it contains is ours to choose (Runtime/TensorMap.h).
 * Calls take one at any multiple of 64 bytes. */
typedef struct CUtensorMap {
  uint64_t opaque[16];
} __attribute__((aligned(64))) CUtensorMap;
typedef enum CUtensorMapDataType PTXJIT_INT_ENUM {
  CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
  CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
  CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
  CU_TENSOR_MAP_DATA_TYPE_INT32 = 3,
  CU_TENSOR_MAP_DATA_TYPE_UINT64 = 4,
  CU_TENSOR_MAP_DATA_TYPE_INT64 = 5,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = 8,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ = 10,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 = 11,
  CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ = 12,
  CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN8B = 13,
  CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B = 14,
  CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B = 15,
} CUtensorMapDataType;
typedef enum CUtensorMapInterleave PTXJIT_INT_ENUM {
  CU_TENSOR_MAP_INTERLEAVE_NONE = 0,
  CU_TENSOR_MAP_INTERLEAVE_16B = 1,
  CU_TENSOR_MAP_INTERLEAVE_32B = 2,
} CUtensorMapInterleave;
typedef enum CUtensorMapSwizzle PTXJIT_INT_ENUM {
  CU_TENSOR_MAP_SWIZZLE_NONE = 0,
  CU_TENSOR_MAP_SWIZZLE_32B = 1,
  CU_TENSOR_MAP_SWIZZLE_64B = 2,
  CU_TENSOR_MAP_SWIZZLE_128B = 3,
  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B = 4,
  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B = 5,
  CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B = 6,
} CUtensorMapSwizzle;
typedef enum CUtensorMapL2promotion PTXJIT_INT_ENUM {
  CU_TENSOR_MAP_L2_PROMOTION_NONE = 0,
  CU_TENSOR_MAP_L2_PROMOTION_L2_64B = 1,
  CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2,
  CU_TENSOR_MAP_L2_PROMOTION_L2_256B = 3,
} CUtensorMapL2promotion;
typedef enum CUtensorMapFloatOOBfill PTXJIT_INT_ENUM {
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE = 0,
  CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA = 1,
} CUtensorMapFloatOOBfill;
typedef enum CUtensorMapIm2ColWideMode PTXJIT_INT_ENUM {
  CU_TENSOR_MAP_IM2COL_WIDE_MODE_W = 0,
  CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128 = 1,
} CUtensorMapIm2ColWideMode;

CUresult cuInit(unsigned flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDeviceGetCount(int *count);
CUresult cuDeviceGetName(char *name, int length, CUdevice device);
CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device);
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device);
CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device);
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
CUresult cuGetErrorName(CUresult error, const char **name);
CUresult cuGetErrorString(CUresult error, const char **string);
CUresult cuCtxCreate_v2(CUcontext *handle, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v3(CUcontext *handle, CUexecAffinityParam *affinities,
                        int count, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *handle, CUctxCreateParams *params,
                        unsigned flags, CUdevice device);
CUresult cuCtxGetExecAffinity(CUexecAffinityParam *affinity, int type);
CUresult cuDeviceGetExecAffinitySupport(int *isSupported, int type,
                                        CUdevice device);
CUresult cuCtxRecordEvent(CUcontext context, CUevent event);
CUresult cuCtxWaitEvent(CUcontext context, CUevent event);
CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource,
                                int type);
CUresult cuCtxGetDevResource(CUcontext handle, CUdevResource *resource,
                             int type);
CUresult cuGreenCtxGetDevResource(CUgreenCtx handle, CUdevResource *resource,
                                  int type);
CUresult cuDevSmResourceSplitByCount(CUdevResource *groups, unsigned *count,
                                     const CUdevResource *input,
                                     CUdevResource *remaining, unsigned flags,
                                     unsigned least);
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *out,
                                   CUdevResource *resources, unsigned count);
CUresult cuGreenCtxCreate(CUgreenCtx *out, CUdevResourceDesc desc,
                          CUdevice device, unsigned flags);
CUresult cuGreenCtxDestroy(CUgreenCtx handle);
CUresult cuCtxFromGreenCtx(CUcontext *out, CUgreenCtx handle);
CUresult cuGreenCtxGetId(CUgreenCtx handle, unsigned long long *id);
CUresult cuGreenCtxRecordEvent(CUgreenCtx handle, CUevent event);
CUresult cuGreenCtxWaitEvent(CUgreenCtx handle, CUevent event);
CUresult cuGreenCtxStreamCreate(CUstream *out, CUgreenCtx handle,
                                unsigned flags, int priority);
CUresult cuStreamGetGreenCtx(CUstream stream, CUgreenCtx *green);
CUresult cuCtxDestroy_v2(CUcontext handle);
CUresult cuCtxGetCurrent(CUcontext *handle);
CUresult cuCtxGetDevice(CUdevice *device);
CUresult cuCtxGetApiVersion(CUcontext handle, unsigned *version);
CUresult cuCtxSynchronize(void);
CUresult cuCtxSynchronize_v2(CUcontext handle);
CUresult cuDevicePrimaryCtxRetain(CUcontext *handle, CUdevice device);
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device);
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device);
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags);
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags,
                                    int *active);
CUresult cuStreamCreateWithPriority(CUstream *handle, unsigned flags,
                                    int priority);
CUresult cuStreamCreate(CUstream *handle, unsigned flags);
CUresult cuStreamDestroy_v2(CUstream handle);
CUresult cuStreamSynchronize(CUstream handle);
CUresult cuStreamQuery(CUstream handle);
CUresult cuCtxSetCurrent(CUcontext handle);
CUresult cuCtxPushCurrent_v2(CUcontext handle);
CUresult cuCtxPopCurrent_v2(CUcontext *handle);
CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes);
CUresult cuMemFree_v2(CUdeviceptr pointer);
CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned);
CUresult cuMemAllocHost_v2(void **pointer, size_t bytes);
CUresult cuMemFreeHost(void *pointer);
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *host,
                                      unsigned flags);
CUresult cuMemGetInfo_v2(size_t *free, size_t *total);
CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size,
                                 CUdeviceptr pointer);
CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr pointer);
CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes);
CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes);
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                              CUstream stream);
CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                              CUstream stream);
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                              CUstream stream);
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream);
CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count);
CUresult cuMemsetD16_v2(CUdeviceptr to, unsigned short value, size_t count);
CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned value, size_t count);
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream);
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                          CUstream stream);
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream);
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            int *options, void **values);
CUresult cuModuleLoadData(CUmodule *module, const void *image);
CUresult cuModuleLoad(CUmodule *module, const char *path);
CUresult cuModuleUnload(CUmodule handle);
CUresult cuModuleGetFunction(CUfunction *function, CUmodule handle,
                             const char *name);
CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes,
                              CUmodule handle, const char *name);
CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction handle);
CUresult cuFuncSetAttribute(CUfunction handle, int attribute, int value);
CUresult cuFuncSetCacheConfig(CUfunction handle, int);
CUresult cuLaunchKernel(CUfunction handle, unsigned gx, unsigned gy,
                        unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream streamHandle, void **params,
                        void **extra);
CUresult cuLaunchCooperativeKernel(CUfunction handle, unsigned gx, unsigned gy,
                                   unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned shared,
                                   CUstream stream, void **params);
CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode);
CUresult cuStreamBeginCapture(CUstream stream);
CUresult cuStreamBeginCaptureToGraph(CUstream stream, CUgraph handle,
                                     const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *edges, size_t count,
                                     CUstreamCaptureMode mode);
CUresult cuStreamEndCapture(CUstream handle, CUgraph *out);
CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status);
CUresult cuStreamGetCaptureInfo_v3(CUstream handle,
                                   CUstreamCaptureStatus *status, uint64_t *id,
                                   CUgraph *graph,
                                   const CUgraphNode **dependencies,
                                   const CUgraphEdgeData **edges,
                                   size_t *count);
CUresult cuStreamGetCaptureInfo_v2(CUstream handle,
                                   CUstreamCaptureStatus *status, uint64_t *id,
                                   CUgraph *graph,
                                   const CUgraphNode **dependencies,
                                   size_t *count);
CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus *status,
                                uint64_t *id);
CUresult cuStreamUpdateCaptureDependencies_v2(CUstream handle,
                                              CUgraphNode *dependencies,
                                              const CUgraphEdgeData *edges,
                                              size_t count, unsigned flags);
CUresult cuStreamUpdateCaptureDependencies(CUstream handle,
                                           CUgraphNode *dependencies,
                                           size_t count, unsigned flags);
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode);
CUresult cuCtxGetFlags(unsigned *flags);
CUresult cuCtxSetFlags(unsigned flags);
CUresult cuCtxGetId(CUcontext handle, unsigned long long *id);
CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext handle);
CUresult cuCtxGetLimit(size_t *value, int limit);
CUresult cuCtxSetLimit(int limit, size_t value);
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult cuCtxGetCacheConfig(int *config);
CUresult cuCtxSetCacheConfig(int config);
CUresult cuCtxGetSharedMemConfig(int *config);
CUresult cuCtxSetSharedMemConfig(int config);
CUresult cuCtxResetPersistingL2Cache(void);
CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags);
CUresult cuCtxDisablePeerAccess(CUcontext handle);
CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice from,
                                 CUdevice to);
CUresult cuDeviceGetP2PAtomicCapabilities(unsigned *capabilities,
                                          const int *operations, unsigned count,
                                          CUdevice from, CUdevice to);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext toContext, CUdeviceptr from,
                      CUcontext fromContext, size_t bytes);
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext toContext,
                           CUdeviceptr from, CUcontext fromContext,
                           size_t bytes, CUstream stream);
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *params);
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *params);
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *params, CUstream stream);
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *params);
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *params, CUstream stream);
CUresult cuDeviceGetProperties(int *properties, CUdevice device);
CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device);
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text);
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUresult cuEventCreate(CUevent *handle, unsigned flags);
CUresult cuEventDestroy_v2(CUevent handle);
CUresult cuEventRecordWithFlags(CUevent handle, CUstream streamHandle,
                                unsigned flags);
CUresult cuEventRecord(CUevent handle, CUstream stream);
CUresult cuEventQuery(CUevent handle);
CUresult cuEventSynchronize(CUevent handle);
CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end);
CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);
CUresult cuStreamWaitEvent(CUstream streamHandle, CUevent handle,
                           unsigned flags);
CUresult cuGraphCreate(CUgraph *out, unsigned flags);
CUresult cuGraphDestroy(CUgraph handle);
CUresult cuGraphClone(CUgraph *out, CUgraph handle);
enum { CU_USER_OBJECT_NO_DESTRUCTOR_SYNC = 1 };
enum { CU_GRAPH_USER_OBJECT_MOVE = 1 };
CUresult cuUserObjectCreate(CUuserObject *out, void *data, CUhostFn destroy,
                            unsigned references, unsigned flags);
CUresult cuUserObjectRetain(CUuserObject handle, unsigned count);
CUresult cuUserObjectRelease(CUuserObject handle, unsigned count);
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject handle,
                                 unsigned count, unsigned flags);
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject handle,
                                  unsigned count);
CUresult cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original,
                                CUgraph handle);
CUresult cuGraphDestroyNode(CUgraphNode handle);
CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode *out, size_t *count);
CUresult cuGraphGetRootNodes(CUgraph handle, CUgraphNode *out, size_t *count);
CUresult cuGraphGetEdges_v2(CUgraph handle, CUgraphNode *from, CUgraphNode *to,
                            CUgraphEdgeData *edges, size_t *count);
CUresult cuGraphGetEdges(CUgraph handle, CUgraphNode *from, CUgraphNode *to,
                         size_t *count);
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode handle, CUgraphNode *out,
                                       CUgraphEdgeData *edges, size_t *count);
CUresult cuGraphNodeGetDependencies(CUgraphNode handle, CUgraphNode *out,
                                    size_t *count);
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode handle, CUgraphNode *out,
                                         CUgraphEdgeData *edges, size_t *count);
CUresult cuGraphNodeGetDependentNodes(CUgraphNode handle, CUgraphNode *out,
                                      size_t *count);
CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType *type);
CUresult cuGraphAddDependencies_v2(CUgraph handle, const CUgraphNode *from,
                                   const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count);
CUresult cuGraphAddDependencies(CUgraph handle, const CUgraphNode *from,
                                const CUgraphNode *to, size_t count);
CUresult cuGraphRemoveDependencies_v2(CUgraph handle, const CUgraphNode *from,
                                      const CUgraphNode *to,
                                      const CUgraphEdgeData *edges,
                                      size_t count);
CUresult cuGraphRemoveDependencies(CUgraph handle, const CUgraphNode *from,
                                   const CUgraphNode *to, size_t count);
CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph,
                             const CUgraphNode *dependencies, size_t count);
CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph,
                                 const CUgraphNode *dependencies, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph,
                              const CUgraphNode *dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode handle,
                                       CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphKernelNodeGetParams(CUgraphNode handle,
                                    CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                                       const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphKernelNodeSetParams(CUgraphNode node,
                                    const CUDA_KERNEL_NODE_PARAMS *params);
CUresult
cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                  const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_KERNEL_NODE_PARAMS *params);
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, int attribute,
                                       const CUlaunchAttributeValue *value);
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, int attribute,
                                       CUlaunchAttributeValue *value);
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from);
CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph,
                              const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMCPY3D *params, CUcontext context);
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode handle, CUDA_MEMCPY3D *params);
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node,
                                    const CUDA_MEMCPY3D *params);
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *params,
                                        CUcontext context);
CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph,
                              const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *params,
                              CUcontext context);
CUresult cuGraphMemsetNodeGetParams(CUgraphNode handle,
                                    CUDA_MEMSET_NODE_PARAMS *params);
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node,
                                    const CUDA_MEMSET_NODE_PARAMS *params);
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMSET_NODE_PARAMS *params,
                                        CUcontext context);
CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph graph,
                            const CUgraphNode *dependencies, size_t count,
                            const CUDA_HOST_NODE_PARAMS *params);
CUresult cuGraphHostNodeGetParams(CUgraphNode handle,
                                  CUDA_HOST_NODE_PARAMS *params);
CUresult cuGraphHostNodeSetParams(CUgraphNode node,
                                  const CUDA_HOST_NODE_PARAMS *params);
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                      const CUDA_HOST_NODE_PARAMS *params);
CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph graph,
                                  const CUgraphNode *dependencies, size_t count,
                                  CUgraph child);
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode handle, CUgraph *out);
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            CUgraph child);
CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph graph,
                                const CUgraphNode *dependencies, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *params);
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode handle,
                                      CUDA_MEM_ALLOC_NODE_PARAMS *params);
CUresult cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph graph,
                               const CUgraphNode *dependencies, size_t count,
                               CUdeviceptr pointer);
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, int attribute,
                                      void *value);
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, int attribute,
                                      void *value);
CUresult cuDeviceGraphMemTrim(CUdevice device);
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode handle, CUdeviceptr *pointer);
CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph graph,
                           const CUgraphNode *dependencies,
                           const CUgraphEdgeData *edges, size_t count,
                           CUgraphNodeParams *params);
CUresult cuGraphAddNode(CUgraphNode *out, CUgraph graph,
                        const CUgraphNode *dependencies, size_t count,
                        CUgraphNodeParams *params);
CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *params);
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                  CUgraphNodeParams *params);
CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *out,
                                        CUgraph graph, CUcontext context,
                                        unsigned value, unsigned flags);
CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags);
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from,
                               size_t *sizes, size_t count,
                               CUmemcpyAttributes *attributes, size_t *starts,
                               size_t numAttributes, CUstream stream);
CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes,
                            size_t count, CUmemcpyAttributes *attributes,
                            size_t *starts, size_t numAttributes,
                            size_t *failed, CUstream stream);
CUresult cuMemPrefetchBatchAsync(CUdeviceptr *pointers, size_t *sizes,
                                 size_t count, CUmemLocation *locations,
                                 size_t *starts, size_t numLocations,
                                 unsigned long long flags, CUstream stream);
CUresult cuMemDiscardBatchAsync(CUdeviceptr *pointers, size_t *sizes,
                                size_t count, unsigned long long flags,
                                CUstream stream);
CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *pointers, size_t *sizes,
                                           size_t count,
                                           CUmemLocation *locations,
                                           size_t *starts, size_t numLocations,
                                           unsigned long long flags,
                                           CUstream stream);
CUresult cuMemGetDefaultMemPool(CUmemoryPool *out, CUmemLocation *location,
                                int type);
CUresult cuMemGetMemPool(CUmemoryPool *out, CUmemLocation *location, int type);
CUresult cuMemSetMemPool(CUmemLocation *location, int type, CUmemoryPool pool);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph handle,
                                     unsigned long long flags);
CUresult cuGraphInstantiate_v2(CUgraphExec *out, CUgraph graph,
                               CUgraphNode *errorNode, char *text,
                               size_t bytes);
CUresult cuGraphInstantiate(CUgraphExec *out, CUgraph graph,
                            CUgraphNode *errorNode, char *text, size_t bytes);
CUresult cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS *params);
CUresult cuGraphExecDestroy(CUgraphExec handle);
CUresult cuGraphExecGetFlags(CUgraphExec handle, uint64_t *flags);
CUresult cuGraphLaunch(CUgraphExec handle, CUstream streamHandle);
CUresult cuGraphUpload(CUgraphExec handle, CUstream streamHandle);
CUresult cuGraphNodeSetEnabled(CUgraphExec execHandle, CUgraphNode handle,
                               unsigned enabled);
CUresult cuGraphNodeGetEnabled(CUgraphExec execHandle, CUgraphNode handle,
                               unsigned *enabled);
CUresult cuGraphExecUpdate_v2(CUgraphExec execHandle, CUgraph handle,
                              CUgraphExecUpdateResultInfo *info);
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph,
                           CUgraphNode *errorNode,
                           CUgraphExecUpdateResult *result);
CUresult cuKernelGetAttribute(int *value, int attribute, CUkernel kernel,
                              CUdevice device);
CUresult cuKernelSetAttribute(int attribute, int value, CUkernel kernel,
                              CUdevice device);
CUresult cuKernelSetCacheConfig(CUkernel kernel, int config, CUdevice device);
CUresult cuFuncGetName(const char **name, CUfunction handle);
CUresult cuKernelGetName(const char **name, CUkernel kernel);
CUresult cuFuncGetModule(CUmodule *module, CUfunction handle);
CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset,
                            size_t *size);
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset,
                              size_t *size);
CUresult cuFuncIsLoaded(int *state, CUfunction handle);
CUresult cuFuncLoad(CUfunction handle);
CUresult cuFuncSetSharedMemConfig(CUfunction handle, int config);
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **params, void **extra);
CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width,
                            size_t height, unsigned elementBytes);
CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned flags);
CUresult cuMemHostGetFlags(unsigned *flags, void *pointer);
CUresult cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags);
CUresult cuMemHostUnregister(void *pointer);
CUresult cuPointerGetAttributes(unsigned count, int *attributes, void **data,
                                CUdeviceptr pointer);
CUresult cuPointerSetAttribute(const void *value, int attribute,
                               CUdeviceptr pointer);
CUresult cuMemAdvise(CUdeviceptr pointer, size_t bytes, int advice,
                     CUdevice device);
CUresult cuMemAdvise_v2(CUdeviceptr pointer, size_t bytes, int advice,
                        CUmemLocation location);
CUresult cuMemAddressReserve(CUdeviceptr *pointer, size_t bytes,
                             size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags);
CUresult cuMemAddressFree(CUdeviceptr pointer, size_t bytes);
CUresult cuMemGetAllocationGranularity(size_t *granularity,
                                       const CUmemAllocationProp *properties,
                                       int option);
CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t bytes,
                     const CUmemAllocationProp *properties,
                     unsigned long long flags);
CUresult cuMemRelease(CUmemGenericAllocationHandle handle);
CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out,
                                     void *address);
CUresult
cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties,
                                       CUmemGenericAllocationHandle handle);
CUresult cuMemExportToShareableHandle(void *out,
                                      CUmemGenericAllocationHandle handle,
                                      int type, unsigned long long flags);
CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *out,
                                        void *descriptor, int type);
CUresult cuMemMap(CUdeviceptr pointer, size_t bytes, size_t offset,
                  CUmemGenericAllocationHandle handle,
                  unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr pointer, size_t bytes);
CUresult cuMemSetAccess(CUdeviceptr pointer, size_t bytes,
                        const CUmemAccessDesc *descriptions, size_t count);
CUresult cuMemGetAccess(unsigned long long *flags,
                        const CUmemLocation *location, CUdeviceptr pointer);
CUresult cuMemPrefetchAsync(CUdeviceptr pointer, size_t bytes, CUdevice device,
                            CUstream stream);
CUresult cuMemPrefetchAsync_v2(CUdeviceptr pointer, size_t bytes,
                               CUmemLocation location, unsigned flags,
                               CUstream stream);
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image);
CUresult cuModuleGetLoadingMode(int *mode);
CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule handle);
CUresult cuModuleEnumerateFunctions(CUfunction *out, unsigned count,
                                    CUmodule handle);
CUresult cuLibraryLoadData(CUlibrary *handle, const void *image, int *options,
                           void **values, unsigned count, int *libraryOptions,
                           void **libraryValues, unsigned libraryCount);
CUresult cuLibraryLoadFromFile(CUlibrary *handle, const char *path,
                               int *options, void **values, unsigned count,
                               int *libraryOptions, void **libraryValues,
                               unsigned libraryCount);
CUresult cuLibraryUnload(CUlibrary handle);
CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary handle, const char *name);
CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary handle);
CUresult cuLibraryEnumerateKernels(CUkernel *out, unsigned count,
                                   CUlibrary handle);
CUresult cuLibraryGetModule(CUmodule *out, CUlibrary handle);
CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes,
                            CUlibrary handle, const char *name);
CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes,
                             CUlibrary handle, const char *name);
CUresult cuKernelGetFunction(CUfunction *out, CUkernel handle);
CUresult cuKernelGetLibrary(CUlibrary *out, CUkernel handle);
CUresult cuLinkCreate_v2(unsigned count, int *options, void **values,
                         CUlinkState *handle);
CUresult cuLinkAddData_v2(CUlinkState handle, int type, void *data,
                          size_t bytes, const char *name, unsigned count,
                          int *options, void **values);
CUresult cuLinkAddFile_v2(CUlinkState handle, int type, const char *path,
                          unsigned count, int *options, void **values);
CUresult cuLinkComplete(CUlinkState handle, void **image, size_t *bytes);
CUresult cuLinkDestroy(CUlinkState handle);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *count, CUfunction function, int threads, size_t dynamic,
    unsigned flags);
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count,
                                                     CUfunction function,
                                                     int threads,
                                                     size_t dynamic);
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGrid, int *block,
                                                   CUfunction handle,
                                                   CUoccupancyB2DSize dynamicOf,
                                                   size_t dynamic, int limit,
                                                   unsigned flags);
CUresult cuOccupancyMaxPotentialBlockSize(int *minGrid, int *block,
                                          CUfunction function,
                                          CUoccupancyB2DSize dynamicOf,
                                          size_t dynamic, int limit);
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                 CUfunction handle, int ctas,
                                                 int threads);
CUresult cuOccupancyMaxPotentialClusterSize(int *size, CUfunction handle,
                                            const CUlaunchConfig *config);
CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction handle,
                                      const CUlaunchConfig *config);
CUresult cuMemAllocAsync(CUdeviceptr *out, size_t bytes, CUstream stream);
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t bytes,
                                 CUmemoryPool handle, CUstream stream);
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream handle);
CUresult cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *props);
CUresult cuMemPoolDestroy(CUmemoryPool handle);
CUresult cuMemPoolExportToShareableHandle(void *out, CUmemoryPool pool,
                                          int type, unsigned long long flags);
CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool *out, void *descriptor,
                                            int type, unsigned long long flags);
CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData *out,
                                CUdeviceptr pointer);
CUresult cuMemPoolImportPointer(CUdeviceptr *out, CUmemoryPool pool,
                                CUmemPoolPtrExportData *data);
CUresult cuMemGetHandleForAddressRange(void *out, CUdeviceptr pointer,
                                       size_t bytes, int type,
                                       unsigned long long flags);

/* Objects that stand for the memory of several devices. */
typedef struct CUmulticastObjectProp {
  unsigned numDevices;
  size_t size; /**< bytes of each device */
  unsigned long long handleTypes, flags;
} CUmulticastObjectProp;
CUresult cuMulticastCreate(CUmemGenericAllocationHandle *out,
                           const CUmulticastObjectProp *properties);
CUresult cuMulticastAddDevice(CUmemGenericAllocationHandle object,
                              CUdevice device);
CUresult cuMulticastBindMem(CUmemGenericAllocationHandle object, size_t offset,
                            CUmemGenericAllocationHandle memory,
                            size_t memoryOffset, size_t size,
                            unsigned long long flags);
CUresult cuMulticastBindAddr(CUmemGenericAllocationHandle object, size_t offset,
                             CUdeviceptr pointer, size_t size,
                             unsigned long long flags);
CUresult cuMulticastUnbind(CUmemGenericAllocationHandle object, CUdevice device,
                           size_t offset, size_t size);
CUresult cuMulticastGetGranularity(size_t *granularity,
                                   const CUmulticastObjectProp *properties,
                                   int option);

/* Memory and events of other processes. */
CUresult cuIpcGetMemHandle(CUipcMemHandle *out, CUdeviceptr pointer);
CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *out, CUipcMemHandle handle,
                               unsigned flags);
CUresult cuIpcOpenMemHandle(CUdeviceptr *out, CUipcMemHandle handle,
                            unsigned flags);
CUresult cuIpcCloseMemHandle(CUdeviceptr pointer);
CUresult cuIpcGetEventHandle(CUipcEventHandle *out, CUevent event);
CUresult cuIpcOpenEventHandle(CUevent *out, CUipcEventHandle handle);

/* Not of CUDA: for libnvidia-ml.so.1, which shows devices that
 * CUDA_VISIBLE_DEVICES hides. */
typedef struct PtxjitMachineDevice {
  int count;        /**< devices of the machine */
  CUdevice visible; /**< its number in this process; -1: it is hidden */
  CUuuid uuid;
  char busId[16];
  size_t total, free; /**< bytes of memory */
} PtxjitMachineDevice;
/** Needs no cuInit(). */
CUresult cuPtxjitGetMachineDevice(int number, PtxjitMachineDevice *device);
CUresult cuMemPoolTrimTo(CUmemoryPool handle, size_t keep);
CUresult cuMemPoolSetAttribute(CUmemoryPool handle, int attribute, void *value);
CUresult cuMemPoolGetAttribute(CUmemoryPool handle, int attribute, void *value);
CUresult cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc *map,
                            size_t count);
CUresult cuMemPoolGetAccess(int *flags, CUmemoryPool handle,
                            CUmemLocation *location);
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *out, CUdevice device);
CUresult cuDeviceGetMemPool(CUmemoryPool *out, CUdevice device);
CUresult cuDeviceSetMemPool(CUdevice device, CUmemoryPool handle);
CUresult cuStreamSetAttribute(CUstream handle, int attribute,
                              const void *value);
CUresult cuStreamGetAttribute(CUstream handle, int attribute, void *value);
CUresult cuStreamCopyAttributes(CUstream to, CUstream from);
CUresult cuStreamGetPriority(CUstream handle, int *priority);
CUresult cuStreamGetFlags(CUstream handle, unsigned *flags);
CUresult cuStreamGetId(CUstream handle, unsigned long long *id);
CUresult cuStreamGetCtx(CUstream handle, CUcontext *out);
CUresult cuStreamGetCtx_v2(CUstream handle, CUcontext *out, CUgreenCtx *green);
CUresult cuStreamGetDevice(CUstream handle, CUdevice *device);
CUresult cuStreamAttachMemAsync(CUstream handle, CUdeviceptr pointer,
                                size_t bytes, unsigned flags);
CUresult cuLaunchHostFunc(CUstream handle, CUhostFn fn, void *userData);
CUresult cuFuncSetBlockShape(CUfunction handle, int x, int y, int z);
CUresult cuFuncSetSharedSize(CUfunction handle, unsigned bytes);
CUresult cuParamSetSize(CUfunction handle, unsigned bytes);
CUresult cuParamSetv(CUfunction handle, int offset, void *data, unsigned bytes);
CUresult cuParamSeti(CUfunction handle, int offset, unsigned value);
CUresult cuParamSetf(CUfunction handle, int offset, float value);
CUresult cuLaunch(CUfunction handle);
CUresult cuLaunchGrid(CUfunction handle, int width, int height);
CUresult cuLaunchGridAsync(CUfunction handle, int width, int height,
                           CUstream stream);
CUresult cuCtxAttach(CUcontext *handle, unsigned flags);
CUresult cuCtxDetach(CUcontext handle);
CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address,
                                uint32_t value, unsigned flags);
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr address,
                                uint64_t value, unsigned flags);
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address,
                                 uint32_t value, unsigned flags);
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr address,
                                 uint64_t value, unsigned flags);
CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned count,
                               CUstreamBatchMemOpParams *steps, unsigned flags);
CUresult cuGraphAddBatchMemOpNode(CUgraphNode *out, CUgraph graph,
                                  const CUgraphNode *dependencies, size_t count,
                                  const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode handle,
                                        CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUresult
cuGraphBatchMemOpNodeSetParams(CUgraphNode node,
                               const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUresult
cuGraphExecBatchMemOpNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                   const CUDA_BATCH_MEM_OP_NODE_PARAMS *params);
CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback,
                             void *userData, unsigned flags);
CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph graph,
                                   const CUgraphNode *dependencies,
                                   size_t count, CUevent event);
CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph graph,
                                 const CUgraphNode *dependencies, size_t count,
                                 CUevent event);
CUresult cuMemsetD2D8_v2(CUdeviceptr to, size_t pitch, unsigned char value,
                         size_t width, size_t height);
CUresult cuMemsetD2D8Async(CUdeviceptr to, size_t pitch, unsigned char value,
                           size_t width, size_t height, CUstream stream);
CUresult cuMemsetD2D16_v2(CUdeviceptr to, size_t pitch, unsigned short value,
                          size_t width, size_t height);
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value,
                            size_t width, size_t height, CUstream stream);
CUresult cuMemsetD2D32_v2(CUdeviceptr to, size_t pitch, unsigned value,
                          size_t width, size_t height);
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value,
                            size_t width, size_t height, CUstream stream);
CUresult cuCheckpointProcessGetState(int pid, int *state);
CUresult cuCheckpointProcessLock(int pid, CUcheckpointLockArgs *args);
CUresult cuCheckpointProcessCheckpoint(int pid, void *args);
CUresult cuCheckpointProcessRestore(int pid, CUcheckpointRestoreArgs *args);
CUresult cuCheckpointProcessUnlock(int pid, void *args);
CUresult cuCoredumpGetAttribute(int attribute, void *value, size_t *size);
CUresult cuCoredumpGetAttributeGlobal(int attribute, void *value, size_t *size);
CUresult cuCoredumpSetAttribute(int attribute, void *value, size_t *size);
CUresult cuCoredumpSetAttributeGlobal(int attribute, void *value, size_t *size);
CUresult cuMemRangeGetAttribute(void *data, size_t size, int attribute,
                                CUdeviceptr pointer, size_t bytes);
CUresult cuMemRangeGetAttributes(void **data, size_t *sizes, int *attributes,
                                 size_t count, CUdeviceptr pointer,
                                 size_t bytes);
CUresult cuLogsRegisterCallback(CUlogsCallback function, void *userData,
                                CUlogsCallbackHandle *out);
CUresult cuLogsUnregisterCallback(CUlogsCallbackHandle handle);
CUresult cuLogsCurrent(CUlogIterator *out, unsigned flags);
CUresult cuLogsDumpToFile(CUlogIterator *iterator, const char *path,
                          unsigned flags);
CUresult cuLogsDumpToMemory(CUlogIterator *iterator, char *buffer, size_t *size,
                            unsigned flags);
CUresult cuDeviceGetHostAtomicCapabilities(unsigned *capabilities,
                                           const int *operations,
                                           unsigned count, CUdevice device);
CUresult cuFlushGPUDirectRDMAWrites(int target, int scope);
CUresult cuGetExportTable(const void **table, const CUuuid *id);
CUresult cuLibraryGetUnifiedFunction(void **out, CUlibrary handle,
                                     const char *name);
CUresult cuLaunchCooperativeKernelMultiDevice(CUDA_LAUNCH_PARAMS *launches,
                                              unsigned count, unsigned flags);
CUresult cuModuleGetLoadingMode(int *mode);
CUresult cuImportExternalMemory(CUexternalMemory *out,
                                const CUDA_EXTERNAL_MEMORY_HANDLE_DESC *desc);
CUresult
cuExternalMemoryGetMappedBuffer(CUdeviceptr *out, CUexternalMemory handle,
                                const CUDA_EXTERNAL_MEMORY_BUFFER_DESC *desc);
CUresult cuExternalMemoryGetMappedMipmappedArray(
    CUmipmappedArray *out, CUexternalMemory handle,
    const CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC *desc);
CUresult cuDestroyExternalMemory(CUexternalMemory handle);
CUresult
cuImportExternalSemaphore(CUexternalSemaphore *out,
                          const CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC *desc);
CUresult cuDestroyExternalSemaphore(CUexternalSemaphore handle);
CUresult
cuSignalExternalSemaphoresAsync(const CUexternalSemaphore *semaphores,
                                const CUDA_EXTERNAL_SEMAPHORE_PARAMS *params,
                                unsigned count, CUstream stream);
CUresult
cuWaitExternalSemaphoresAsync(const CUexternalSemaphore *semaphores,
                              const CUDA_EXTERNAL_SEMAPHORE_PARAMS *params,
                              unsigned count, CUstream stream);
CUresult cuGraphAddExternalSemaphoresSignalNode(
    CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies,
    size_t count, const CUDA_EXT_SEM_NODE_PARAMS *params);
CUresult cuGraphAddExternalSemaphoresWaitNode(
    CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies,
    size_t count, const CUDA_EXT_SEM_NODE_PARAMS *params);
CUresult
cuGraphExternalSemaphoresSignalNodeGetParams(CUgraphNode node,
                                             CUDA_EXT_SEM_NODE_PARAMS *params);
CUresult
cuGraphExternalSemaphoresWaitNodeGetParams(CUgraphNode node,
                                           CUDA_EXT_SEM_NODE_PARAMS *params);
CUresult cuGraphExternalSemaphoresSignalNodeSetParams(
    CUgraphNode node, const CUDA_EXT_SEM_NODE_PARAMS *params);
CUresult cuGraphExternalSemaphoresWaitNodeSetParams(
    CUgraphNode node, const CUDA_EXT_SEM_NODE_PARAMS *params);
CUresult cuGraphExecExternalSemaphoresSignalNodeSetParams(
    CUgraphExec exec, CUgraphNode node, const CUDA_EXT_SEM_NODE_PARAMS *params);
CUresult cuGraphExecExternalSemaphoresWaitNodeSetParams(
    CUgraphExec exec, CUgraphNode node, const CUDA_EXT_SEM_NODE_PARAMS *params);
CUresult cuGetProcAddress_v2(const char *name, void **function, int version,
                             uint64_t flags, int *status);
CUresult cuGetProcAddress(const char *name, void **function, int version,
                          uint64_t flags);

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *out);
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event);
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                            CUevent event);
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *out);
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event);
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                          CUevent event);

CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, unsigned rank, void *address,
    const uint64_t *sizes, const uint64_t *strides, const uint32_t *box,
    const uint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill);
CUresult cuTensorMapEncodeIm2col(
    CUtensorMap *map, CUtensorMapDataType type, unsigned rank, void *address,
    const uint64_t *sizes, const uint64_t *strides, const int *lower,
    const int *upper, uint32_t channels, uint32_t pixels,
    const uint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill);
CUresult cuTensorMapEncodeIm2colWide(
    CUtensorMap *map, CUtensorMapDataType type, unsigned rank, void *address,
    const uint64_t *sizes, const uint64_t *strides, int lower, int upper,
    uint32_t channels, uint32_t pixels, const uint32_t *elementStrides,
    CUtensorMapInterleave interleave, CUtensorMapIm2ColWideMode mode,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill);
CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address);

CUresult cuArrayCreate_v2(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *desc);
CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *desc, CUarray handle);
CUresult cuArray3DCreate_v2(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *desc);
CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *desc,
                                   CUarray handle);
CUresult cuArrayDestroy(CUarray handle);
CUresult cuArrayGetPlane(CUarray *out, CUarray handle, unsigned plane);
CUresult cuArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties,
                                    CUarray handle);
CUresult
cuArrayGetMemoryRequirements(CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements,
                             CUarray handle, CUdevice device);
CUresult cuMipmappedArrayCreate(CUmipmappedArray *out,
                                const CUDA_ARRAY3D_DESCRIPTOR *desc,
                                unsigned levels);
CUresult cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray handle,
                                  unsigned level);
CUresult cuMipmappedArrayDestroy(CUmipmappedArray handle);
CUresult
cuMipmappedArrayGetSparseProperties(CUDA_ARRAY_SPARSE_PROPERTIES *properties,
                                    CUmipmappedArray handle);
CUresult cuMipmappedArrayGetMemoryRequirements(
    CUDA_ARRAY_MEMORY_REQUIREMENTS *requirements, CUmipmappedArray handle,
    CUdevice device);
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *elements,
                                            CUarray_format format,
                                            unsigned channels, CUdevice device);

CUresult cuMemcpyDtoA_v2(CUarray to, size_t toOffset, CUdeviceptr from,
                         size_t bytes);
CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t fromOffset,
                         size_t bytes);
CUresult cuMemcpyHtoA_v2(CUarray to, size_t toOffset, const void *from,
                         size_t bytes);
CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t fromOffset,
                         size_t bytes);
CUresult cuMemcpyAtoA_v2(CUarray to, size_t toOffset, CUarray from,
                         size_t fromOffset, size_t bytes);
CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t toOffset, const void *from,
                              size_t bytes, CUstream stream);
CUresult cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t fromOffset,
                              size_t bytes, CUstream stream);
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *params);
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *params, CUstream stream);
CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *copies,
                              size_t *failed, unsigned long long flags,
                              CUstream stream);
CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *copies,
                                 unsigned long long flags, CUstream stream);

CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *resource,
                           const CUDA_TEXTURE_DESC *texture,
                           const CUDA_RESOURCE_VIEW_DESC *view);
CUresult cuTexObjectDestroy(CUtexObject handle);
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource,
                                    CUtexObject handle);
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *texture,
                                   CUtexObject handle);
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *view,
                                        CUtexObject handle);
CUresult cuSurfObjectCreate(CUsurfObject *out,
                            const CUDA_RESOURCE_DESC *resource);
CUresult cuSurfObjectDestroy(CUsurfObject handle);
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *resource,
                                     CUsurfObject handle);

CUresult cuModuleGetTexRef(CUtexref *out, CUmodule module, const char *name);
CUresult cuModuleGetSurfRef(CUsurfref *out, CUmodule module, const char *name);
CUresult cuTexRefCreate(CUtexref *out);
CUresult cuTexRefDestroy(CUtexref handle);
CUresult cuTexRefSetArray(CUtexref handle, CUarray array, unsigned flags);
CUresult cuTexRefSetMipmappedArray(CUtexref handle, CUmipmappedArray array,
                                   unsigned flags);
CUresult cuTexRefSetAddress_v2(size_t *offset, CUtexref handle,
                               CUdeviceptr address, size_t bytes);
CUresult cuTexRefSetAddress2D_v2(CUtexref handle,
                                 const CUDA_ARRAY_DESCRIPTOR *desc,
                                 CUdeviceptr address, size_t pitch);
CUresult cuTexRefSetAddress2D_v3(CUtexref handle,
                                 const CUDA_ARRAY_DESCRIPTOR *desc,
                                 CUdeviceptr address, size_t pitch);
CUresult cuTexRefSetFormat(CUtexref handle, CUarray_format format,
                           int channels);
CUresult cuTexRefSetAddressMode(CUtexref handle, int dimension,
                                CUaddress_mode mode);
CUresult cuTexRefSetFilterMode(CUtexref handle, CUfilter_mode mode);
CUresult cuTexRefSetMipmapFilterMode(CUtexref handle, CUfilter_mode mode);
CUresult cuTexRefSetMipmapLevelBias(CUtexref handle, float bias);
CUresult cuTexRefSetMipmapLevelClamp(CUtexref handle, float least, float most);
CUresult cuTexRefSetMaxAnisotropy(CUtexref handle, unsigned most);
CUresult cuTexRefSetBorderColor(CUtexref handle, float *color);
CUresult cuTexRefSetFlags(CUtexref handle, unsigned flags);
CUresult cuTexRefGetAddress_v2(CUdeviceptr *address, CUtexref handle);
CUresult cuTexRefGetArray(CUarray *array, CUtexref handle);
CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *array, CUtexref handle);
CUresult cuTexRefGetAddressMode(CUaddress_mode *mode, CUtexref handle,
                                int dimension);
CUresult cuTexRefGetFilterMode(CUfilter_mode *mode, CUtexref handle);
CUresult cuTexRefGetFormat(CUarray_format *format, int *channels,
                           CUtexref handle);
CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *mode, CUtexref handle);
CUresult cuTexRefGetMipmapLevelBias(float *bias, CUtexref handle);
CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most,
                                     CUtexref handle);
CUresult cuTexRefGetMaxAnisotropy(int *most, CUtexref handle);
CUresult cuTexRefGetBorderColor(float *color, CUtexref handle);
CUresult cuTexRefGetFlags(unsigned *flags, CUtexref handle);
CUresult cuSurfRefSetArray(CUsurfref handle, CUarray array, unsigned flags);
CUresult cuSurfRefGetArray(CUarray *array, CUsurfref handle);
CUresult cuParamSetTexRef(CUfunction function, int unit, CUtexref handle);

#ifdef __cplusplus
}
#endif

#endif
