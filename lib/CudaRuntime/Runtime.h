//===- Runtime.h - shared parts of the CUDA runtime -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime is a client of the driver and uses it only through CudaABI.h. It
// adds the primary context, the last error, and the map from functions and
// variables of the host, which programs pass, to those of the device.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDARUNTIME_RUNTIME_H
#define PTXJIT_LIB_CUDARUNTIME_RUNTIME_H

#include "ptxjit/CudaRuntime/CudaRuntimeABI.h"
#include "ptxjit/Runtime/CudaErrors.h"

#define PTXJIT_CUDART_EXPORT extern "C" __attribute__((visibility("default")))

/// Begins the definition of an exported function. Its body returns a
/// cudaError_t, or a CUresult, which has the number of the corresponding
/// cudaError_t. An error is recorded for cudaGetLastError(), unless it is
/// cudaErrorNotReady.
#define PTXJIT_CUDART_API(name, parameters, ...)                               \
  static int run_##name parameters;                                            \
  PTXJIT_CUDART_EXPORT cudaError_t name parameters {                           \
    int error = ::ptxjit::cudart::enter();                                     \
    return ::ptxjit::cudart::finish(error ? error : run_##name(__VA_ARGS__));  \
  }                                                                            \
  static int run_##name parameters

/// The same for a function that works in a stream. It is also exported under
/// name + suffix, for callers whose default stream is that of their thread.
#define PTXJIT_CUDART_STREAM_API(name, suffix, parameters, ...)                \
  PTXJIT_CUDART_EXPORT cudaError_t name parameters;                            \
  PTXJIT_CUDART_EXPORT cudaError_t name##suffix parameters {                   \
    ::ptxjit::cudart::PerThreadDefault scope;                                  \
    return name(__VA_ARGS__);                                                  \
  }                                                                            \
  PTXJIT_CUDART_API(name, parameters, __VA_ARGS__)

namespace ptxjit::cudart {

/// Makes the primary context of the thread's device current, unless the thread
/// has a current context.
int enter();
/// Makes a device the calling thread's, and its primary context current.
int setDevice(CUdevice device);
/// Finds the primary context of a device, and keeps it alive.
int retainPrimary(CUdevice device, CUcontext &context);
/// The calling thread's device: that of its current context, or else the one
/// that it has set, or would get.
CUdevice currentDevice();
/// Fails unless the device exists.
int checkDevice(CUdevice device);
/// Sets the device of threads that set none.
void setFirstDevice(CUdevice device);
/// Records an error; \returns it.
int finish(int error);

/// While an object of this type lives, the calling thread's default stream is
/// its own one.
struct PerThreadDefault {
  PerThreadDefault();
  ~PerThreadDefault();
};
/// The stream that a handle means to the calling thread.
CUstream streamOf(CUstream handle);

/// Finds the kernel of a function of the host, or of a CUkernel.
int findKernel(const void *function, CUfunction &kernel);
/// Finds the variable of the device that belongs to a variable of the host.
int findVariable(const void *symbol, CUdeviceptr &address, size_t &bytes);

/// Finds the address of `bytes` bytes in such a variable, from `offset` on.
int findPart(const void *symbol, size_t offset, size_t bytes, void *&part);

inline CUdeviceptr toDevice(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

/// Converts a copy of boxes for the driver. Extents are in elements if an array
/// takes part, and places in arrays are.
int toDriver(const cudaMemcpy3DParms &params, CUDA_MEMCPY3D &out);
/// Converts a copy of `height` rows of `width` bytes.
int toDriver(void *to, size_t toPitch, const void *from, size_t fromPitch,
             size_t width, size_t height, int kind, CUDA_MEMCPY3D &out);

/// Converts the parameters of a kernel node, which may be null: an error.
int toDriver(const cudaKernelNodeParams *params, CUDA_KERNEL_NODE_PARAMS &out);
/// cudaGraphAddNode, whose form differs between versions.
int addGraphNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before,
                 const CUgraphEdgeData *edges, size_t count,
                 cudaGraphNodeParams *params);

/// May rows of memory that a plane is copied from or to be that far apart? One
/// row needs no pitch; the driver refuses those that are too short for it.
inline bool isPitch(size_t pitch, size_t width, size_t height) {
  return pitch >= width || height <= 1;
}

/// Copies. With `wait` it returns when the copy is done, which then runs in the
/// legacy default stream, or in that of the thread.
int copyBox(const CUDA_MEMCPY3D &params, CUstream stream, bool wait);

/// Finds the bytes of an array's elements.
int findElement(CUarray array, size_t &bytes);
/// Converts formats of channels.
int toDriver(const cudaChannelFormatDesc &desc, CUarray_format &format,
             unsigned &channels);
cudaChannelFormatDesc fromDriver(CUarray_format format, unsigned channels);

} // namespace ptxjit::cudart

#endif
