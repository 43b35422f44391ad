//===- Runtime.h - what the runtime interface keeps -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime is a client of the driver: it knows no more of that than what
// CudaABI.h says. It adds the primary context, the last error, and the map from
// what programs hold (functions and variables of the host) to kernels.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDARUNTIME_RUNTIME_H
#define PTXJIT_LIB_CUDARUNTIME_RUNTIME_H

#include "ptxjit/CudaRuntime/CudaRuntimeABI.h"

#define PTXJIT_CUDART_EXPORT extern "C" __attribute__((visibility("default")))

/// Head of an exported function. Its body returns a cudaError_t or a CUresult,
/// whose numbers are the same; an error is remembered.
#define PTXJIT_CUDART_API(name, parameters, ...)                               \
  static int run_##name parameters;                                            \
  PTXJIT_CUDART_EXPORT cudaError_t name parameters {                           \
    int error = ::ptxjit::cudart::enter();                                     \
    return ::ptxjit::cudart::finish(error ? error : run_##name(__VA_ARGS__));  \
  }                                                                            \
  static int run_##name parameters

/// Also exported under name + suffix, for callers whose default stream is that
/// of their thread.
#define PTXJIT_CUDART_STREAM_API(name, suffix, parameters, ...)                \
  PTXJIT_CUDART_EXPORT cudaError_t name parameters;                            \
  PTXJIT_CUDART_EXPORT cudaError_t name##suffix parameters {                   \
    ::ptxjit::cudart::PerThreadDefault scope;                                  \
    return name(__VA_ARGS__);                                                  \
  }                                                                            \
  PTXJIT_CUDART_API(name, parameters, __VA_ARGS__)

namespace ptxjit::cudart {

#define ERROR(name, number, text) constexpr int name = number;
#include "Errors.def"
#undef ERROR

/// Makes the primary context the thread's, unless it has one.
int enter();
/// Remembers an error; \returns it.
int finish(int error);

/// While one lives, the calling thread's default stream is its own.
struct PerThreadDefault {
  PerThreadDefault();
  ~PerThreadDefault();
};
/// The stream that a handle means to the caller.
CUstream streamOf(CUstream handle);

/// The kernel behind a function of the host, or behind a CUkernel.
int findKernel(const void *function, CUfunction &kernel);
/// The variable of the device behind one of the host.
int findVariable(const void *symbol, CUdeviceptr &address, size_t &bytes);

/// `bytes` bytes of such a variable, from `offset` on.
int findPart(const void *symbol, size_t offset, size_t bytes, void *&part);

inline CUdeviceptr toDevice(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

/// A copy of boxes in the driver's terms; false if `kind` is none.
bool toDriver(const cudaMemcpy3DParms &params, CUDA_MEMCPY3D &out);
/// A copy of rows: `height` times `width` bytes.
bool toDriver(void *to, size_t toPitch, const void *from, size_t fromPitch,
              size_t width, size_t height, int kind, CUDA_MEMCPY3D &out);

} // namespace ptxjit::cudart

#endif
