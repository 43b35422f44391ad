//===- World.cpp - what all threads share ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "World.h"
#include "Kernels.h"

#include <cstdlib>

using namespace stress;

World::World(const Options &options) : options(options) {
  setenv("PTXJIT_DEVICES", std::to_string(options.devices).c_str(), 1);
  STRESS_OK(cuInit(0));
  int count = 0;
  STRESS_OK(cuDeviceGetCount(&count));
  if (unsigned(count) != options.devices)
    fail("there are " + std::to_string(count) + " devices");
  contexts.resize(options.devices);
  for (unsigned i = 0; i < options.devices; ++i)
    STRESS_OK(cuDevicePrimaryCtxRetain(&contexts[i], CUdevice(i)));
  for (unsigned i = 0; i < options.devices; ++i) {
    makeCurrent(i);
    for (unsigned peer = 0; peer < options.devices; ++peer)
      if (peer != i)
        STRESS_OK(cuCtxEnablePeerAccess(contexts[peer], 0));
  }
  checkThatMemoryIsFree();
  loadKernels();
  // Threads have the other half.
  for (unsigned i = 0; i < (options.streams + 1) / 2; ++i) {
    Stream stream{nullptr, i % options.devices};
    makeCurrent(stream.device);
    STRESS_OK(cuStreamCreateWithPriority(
        &stream.handle, i & 4 ? CU_STREAM_NON_BLOCKING : 0, -int(i % 3)));
    streams.push_back(stream);
  }
}

void World::makeCurrent(unsigned device) const {
  STRESS_OK(cuCtxSetCurrent(contexts[device]));
}

void World::loadKernels() {
  STRESS_OK(cuLibraryLoadData(&library, kKernels, nullptr, nullptr, 0, nullptr,
                              nullptr, 0));
  const char *const names[] = {
#define X(name) #name,
      STRESS_KERNELS(X)
#undef X
  };
  // A kernel of a library is a function in any context.
  for (size_t i = 0; i < kernels.size(); ++i) {
    CUkernel kernel = nullptr;
    STRESS_OK(cuLibraryGetKernel(&kernel, library, names[i]));
    kernels[i] = reinterpret_cast<CUfunction>(kernel);
  }
}

/// Allocates all memory of each device. What cuMemGetInfo calls free depends on
/// the rest of the machine, too.
void World::checkThatMemoryIsFree() const {
  for (unsigned i = 0; i < contexts.size(); ++i) {
    size_t bytes = 0;
    CUdeviceptr all = 0;
    makeCurrent(i);
    STRESS_OK(cuDeviceTotalMem_v2(&bytes, CUdevice(i)));
    if (cuMemAlloc_v2(&all, bytes) != CUDA_SUCCESS)
      fail("memory of device " + std::to_string(i) + " is in use");
    STRESS_OK(cuMemFree_v2(all));
  }
}

void World::tearDown() {
  for (const Stream &stream : streams)
    STRESS_OK(cuStreamDestroy_v2(stream.handle));
  for (unsigned i = 0; i < contexts.size(); ++i) {
    makeCurrent(i);
    STRESS_OK(cuCtxSynchronize());
    CUmemoryPool pool = nullptr;
    STRESS_OK(cuDeviceGetDefaultMemPool(&pool, CUdevice(i)));
    STRESS_OK(cuMemPoolTrimTo(pool, 0));
    STRESS_OK(cuDeviceGraphMemTrim(CUdevice(i)));
  }
  STRESS_OK(cuLibraryUnload(library));
  checkThatMemoryIsFree();
  for (unsigned i = 0; i < contexts.size(); ++i)
    STRESS_OK(cuDevicePrimaryCtxRelease_v2(CUdevice(i)));
}
