/*===- CudaABI.h - the CUDA driver interface, as far as we have it -*- C
-*-===*\
|*
|* Types and numbers as the CUDA Driver API documents them, so that programs
|* written for it find them here. Written from the documentation.
|*
\*===----------------------------------------------------------------------===*/

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
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUuuid_st {
  char bytes[16];
} CUuuid;

/** Streams that are always there. */
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
  X(CUDA_ERROR_NO_DEVICE, 100, "no CUDA-capable device is detected")           \
  X(CUDA_ERROR_INVALID_DEVICE, 101, "invalid device ordinal")                  \
  X(CUDA_ERROR_INVALID_IMAGE, 200, "device kernel image is invalid")           \
  X(CUDA_ERROR_INVALID_CONTEXT, 201, "invalid device context")                 \
  X(CUDA_ERROR_NO_BINARY_FOR_GPU, 209,                                         \
    "no kernel image is available for execution on the device")                \
  X(CUDA_ERROR_INVALID_PTX, 218, "a PTX JIT compilation failed")               \
  X(CUDA_ERROR_INVALID_SOURCE, 300, "device kernel image is invalid")          \
  X(CUDA_ERROR_FILE_NOT_FOUND, 301, "file not found")                          \
  X(CUDA_ERROR_INVALID_HANDLE, 400, "invalid resource handle")                 \
  X(CUDA_ERROR_NOT_FOUND, 500, "named symbol not found")                       \
  X(CUDA_ERROR_NOT_READY, 600, "device not ready")                             \
  X(CUDA_ERROR_ILLEGAL_ADDRESS, 700,                                           \
    "an illegal memory access was encountered")                                \
  X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701,                                   \
    "too many resources requested for launch")                                 \
  X(CUDA_ERROR_LAUNCH_TIMEOUT, 702, "the launch timed out and was terminated") \
  X(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, 708,                                    \
    "cannot set while device is active in this process")                       \
  X(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709, "context is destroyed")              \
  X(CUDA_ERROR_ASSERT, 710, "device-side assert triggered")                    \
  X(CUDA_ERROR_HARDWARE_STACK_ERROR, 714, "hardware stack error")              \
  X(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715,                                       \
    "an illegal instruction was encountered")                                  \
  X(CUDA_ERROR_MISALIGNED_ADDRESS, 716, "misaligned address")                  \
  X(CUDA_ERROR_LAUNCH_FAILED, 719, "unspecified launch failure")               \
  X(CUDA_ERROR_NOT_SUPPORTED, 801, "operation not supported")                  \
  X(CUDA_ERROR_UNKNOWN, 999, "unknown error")

/** Programs pass on whatever number they have: in C++ that must be an int. */
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

/** Options of cuModuleLoadDataEx that have an effect. */
enum {
  CU_JIT_INFO_LOG_BUFFER = 3,
  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

/** Entries of cuLaunchKernel's `extra`. */
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
};

enum {
  CU_POINTER_ATTRIBUTE_CONTEXT = 1,
  CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
  CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
  CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
  CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
  CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
  CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
};
enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2 };

/* Functions. Those without a suffix that have one here are aliases. */
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
CUresult cuCtxCreate_v3(CUcontext *handle, void *, int, unsigned flags,
                        CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *handle, void *, unsigned flags,
                        CUdevice device);
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

#ifdef __cplusplus
}
#endif

#endif
