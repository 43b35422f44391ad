//===- Registration.cpp - kernels and variables of nvcc's code ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc adds code to programs that runs before main. It registers device images,
// and maps addresses of the host to the kernels and variables in them. An image
// is loaded when one of its kernels or variables is first needed.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <unordered_map>
#include <vector>

using namespace ptxjit;
using namespace ptxjit::cudart;

namespace {
/// A `__managed__` variable. The host uses it through the pointer `*host`.
struct ManagedVariable {
  void **host;
  std::string name;
};

struct Image {
  const void *wrapper = nullptr;
  std::once_flag once;
  CUlibrary library = nullptr;
  int error = cudaSuccess;
  std::vector<ManagedVariable> managed;

  int load();
};

struct Symbol {
  Image *image;
  std::string name;
  bool isReported = false; ///< its image has no code for the device
};

struct LaunchConfiguration {
  dim3 grid, block;
  size_t shared;
  CUstream stream;
};

/// One per process. Never destroyed: programs unregister from exit handlers.
struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<Image>> images;
  std::unordered_map<const void *, Symbol> kernels, variables;
  std::unordered_map<const void *, CUfunction> found; ///< kernels looked up
};
} // namespace

static Registry &getRegistry() {
  static Registry *registry = [] {
    // A child of fork() unregisters, too, when it ends. The lock is taken
    // around the fork, so that no thread that the child lacks can hold it
    // there.
    pthread_atfork([] { getRegistry().mutex.lock(); },
                   [] { getRegistry().mutex.unlock(); },
                   [] { getRegistry().mutex.unlock(); });
    return new Registry;
  }();
  return *registry;
}

int Image::load() {
  std::call_once(once, [this] {
    error = cuLibraryLoadData(&library, wrapper, nullptr, nullptr, 0, nullptr,
                              nullptr, 0);
    for (ManagedVariable &variable : managed) {
      CUdeviceptr address = 0;
      if (!error && !cuLibraryGetManaged(&address, nullptr, library,
                                         variable.name.c_str()))
        *variable.host = reinterpret_cast<void *>(address);
    }
  });
  return error;
}

/// Names a kernel that cannot run, once. The driver has said why its image was
/// refused, when that was first needed.
static void reportMissing(const void *function) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  auto it = registry.kernels.find(function);
  if (it == registry.kernels.end() || it->second.isReported)
    return;
  it->second.isReported = true;
  std::fprintf(stderr,
               "ptx-jit: kernel '%s' cannot run: its image has no PTX for the "
               "device (see above)\n",
               it->second.name.c_str());
}

int cudart::findKernel(const void *function, CUfunction &kernel) {
  Registry &registry = getRegistry();
  std::unique_lock<std::mutex> lock(registry.mutex);
  auto known = registry.found.find(function);
  if (known != registry.found.end()) {
    kernel = known->second;
    return cudaSuccess;
  }
  auto it = registry.kernels.find(function);
  if (it == registry.kernels.end()) {
    // A CUkernel or CUfunction may be passed, too; the driver checks it.
    const char *name;
    kernel = static_cast<CUfunction>(const_cast<void *>(function));
    return function && cuFuncGetName(&name, kernel) == CUDA_SUCCESS
               ? cudaSuccess
               : cudaErrorInvalidDeviceFunction;
  }
  Symbol symbol = it->second;
  lock.unlock(); // loading may take long, and calls the driver
  if (int error = symbol.image->load()) {
    if (error == CUDA_ERROR_NO_BINARY_FOR_GPU)
      reportMissing(function);
    return error;
  }
  CUkernel found;
  if (cuLibraryGetKernel(&found, symbol.image->library, symbol.name.c_str()))
    return cudaErrorInvalidDeviceFunction;
  kernel = reinterpret_cast<CUfunction>(found);
  lock.lock();
  registry.found[function] = kernel;
  return cudaSuccess;
}

int cudart::findVariable(const void *name, CUdeviceptr &address,
                         size_t &bytes) {
  Registry &registry = getRegistry();
  std::unique_lock<std::mutex> lock(registry.mutex);
  auto it = registry.variables.find(name);
  if (it == registry.variables.end())
    return cudaErrorInvalidSymbol;
  Symbol symbol = it->second;
  lock.unlock();
  if (int error = symbol.image->load())
    return error;
  return cuLibraryGetGlobal(&address, &bytes, symbol.image->library,
                            symbol.name.c_str())
             ? cudaErrorInvalidSymbol
             : cudaSuccess;
}

int cudart::findPart(const void *symbol, size_t offset, size_t bytes,
                     void *&part) {
  CUdeviceptr address;
  size_t size;
  if (int error = findVariable(symbol, address, size))
    return error;
  if (offset > size || bytes > size - offset)
    return cudaErrorInvalidValue;
  part = reinterpret_cast<void *>(address + offset);
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Functions that nvcc's code calls
//===----------------------------------------------------------------------===//

static Image *toImage(void **handle) {
  return reinterpret_cast<Image *>(handle);
}

PTXJIT_CUDART_EXPORT void **__cudaRegisterFatBinary(void *wrapper) {
  auto image = std::make_unique<Image>();
  image->wrapper = wrapper;
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.images.push_back(std::move(image));
  return reinterpret_cast<void **>(registry.images.back().get());
}
PTXJIT_CUDART_EXPORT void __cudaRegisterFatBinaryEnd(void **) {}

PTXJIT_CUDART_EXPORT void __cudaUnregisterFatBinary(void **handle) {
  Registry &registry = getRegistry();
  Image *image = toImage(handle);
  std::unique_ptr<Image> removed;
  {
    std::lock_guard<std::mutex> lock(registry.mutex);
    auto forget = [&](auto &symbols) {
      for (auto it = symbols.begin(); it != symbols.end();)
        if (it->second.image == image) {
          registry.found.erase(it->first);
          it = symbols.erase(it);
        } else {
          ++it;
        }
    };
    forget(registry.kernels);
    forget(registry.variables);
    auto it = std::find_if(registry.images.begin(), registry.images.end(),
                           [&](auto &owner) { return owner.get() == image; });
    if (it == registry.images.end())
      return;
    removed = std::move(*it);
    registry.images.erase(it);
  }
  if (removed->library)
    cuLibraryUnload(removed->library);
}

PTXJIT_CUDART_EXPORT void __cudaRegisterFunction(void **handle,
                                                 const char *host, char *,
                                                 const char *name, int, void *,
                                                 void *, void *, void *,
                                                 int *) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.kernels[host] = {toImage(handle), name};
}

PTXJIT_CUDART_EXPORT void __cudaRegisterVar(void **handle, char *host, char *,
                                            const char *name, int, size_t, int,
                                            int) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.variables[host] = {toImage(handle), name};
}

PTXJIT_CUDART_EXPORT void __cudaRegisterManagedVar(void **handle, void **host,
                                                   char *, const char *name,
                                                   int, size_t, int, int) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  toImage(handle)->managed.push_back({host, name});
  registry.variables[host] = {toImage(handle), name};
}

// Called before the host first uses a managed variable.
PTXJIT_CUDART_EXPORT char __cudaInitModule(void **handle) {
  int error = enter();
  return finish(error ? error : toImage(handle)->load()) == cudaSuccess;
}

PTXJIT_CUDART_EXPORT cudaError_t __cudaGetKernel(CUkernel *out,
                                                 const void *function) {
  CUfunction kernel = nullptr;
  int error = enter();
  if (!error)
    error = findKernel(function, kernel);
  *out = reinterpret_cast<CUkernel>(kernel);
  return finish(error);
}

/// A launch f<<<...>>>(...) pushes its configuration, and the stub of f pops
/// it.
static std::vector<LaunchConfiguration> &configurations() {
  static thread_local std::vector<LaunchConfiguration> stack;
  return stack;
}
PTXJIT_CUDART_EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block,
                                                          size_t shared,
                                                          CUstream stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}
PTXJIT_CUDART_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid,
                                                            dim3 *block,
                                                            size_t *shared,
                                                            CUstream *stream) {
  auto &stack = configurations();
  if (stack.empty())
    return finish(cudaErrorMissingConfiguration);
  *grid = stack.back().grid;
  *block = stack.back().block;
  *shared = stack.back().shared;
  *stream = stack.back().stream;
  stack.pop_back();
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaGetSymbolAddress, (void **out, const void *symbol), out,
                  symbol) {
  CUdeviceptr address;
  size_t bytes;
  if (!out)
    return cudaErrorInvalidValue;
  int error = findVariable(symbol, address, bytes);
  if (!error)
    *out = reinterpret_cast<void *>(address);
  return error;
}
PTXJIT_CUDART_API(cudaGetSymbolSize, (size_t *out, const void *symbol), out,
                  symbol) {
  CUdeviceptr address;
  return out ? findVariable(symbol, address, *out) : cudaErrorInvalidValue;
}
PTXJIT_CUDART_API(cudaGetFuncBySymbol, (CUfunction * out, const void *symbol),
                  out, symbol) {
  return out ? findKernel(symbol, *out) : cudaErrorInvalidValue;
}
PTXJIT_CUDART_API(cudaGetKernel, (CUkernel * out, const void *symbol), out,
                  symbol) {
  return out ? __cudaGetKernel(out, symbol) : cudaErrorInvalidValue;
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

PTXJIT_CUDART_API(cudaLibraryLoadData,
                  (CUlibrary * out, const void *image, int *options,
                   void **values, unsigned count, int *libraryOptions,
                   void **libraryValues, unsigned libraryCount),
                  out, image, options, values, count, libraryOptions,
                  libraryValues, libraryCount) {
  return cuLibraryLoadData(out, image, options, values, count, libraryOptions,
                           libraryValues, libraryCount);
}
PTXJIT_CUDART_API(cudaLibraryLoadFromFile,
                  (CUlibrary * out, const char *path, int *options,
                   void **values, unsigned count, int *libraryOptions,
                   void **libraryValues, unsigned libraryCount),
                  out, path, options, values, count, libraryOptions,
                  libraryValues, libraryCount) {
  return cuLibraryLoadFromFile(out, path, options, values, count,
                               libraryOptions, libraryValues, libraryCount);
}
PTXJIT_CUDART_API(cudaLibraryUnload, (CUlibrary library), library) {
  return cuLibraryUnload(library);
}
PTXJIT_CUDART_API(cudaLibraryGetKernel,
                  (CUkernel * out, CUlibrary library, const char *name), out,
                  library, name) {
  return cuLibraryGetKernel(out, library, name);
}
PTXJIT_CUDART_API(cudaLibraryGetGlobal,
                  (void **out, size_t *bytes, CUlibrary library,
                   const char *name),
                  out, bytes, library, name) {
  return cuLibraryGetGlobal(reinterpret_cast<CUdeviceptr *>(out), bytes,
                            library, name);
}
PTXJIT_CUDART_API(cudaLibraryGetManaged,
                  (void **out, size_t *bytes, CUlibrary library,
                   const char *name),
                  out, bytes, library, name) {
  return cuLibraryGetManaged(reinterpret_cast<CUdeviceptr *>(out), bytes,
                             library, name);
}
PTXJIT_CUDART_API(cudaLibraryGetUnifiedFunction,
                  (void **out, CUlibrary library, const char *name), out,
                  library, name) {
  return cuLibraryGetUnifiedFunction(out, library, name);
}
PTXJIT_CUDART_API(cudaLibraryGetKernelCount,
                  (unsigned *count, CUlibrary library), count, library) {
  return cuLibraryGetKernelCount(count, library);
}
PTXJIT_CUDART_API(cudaLibraryEnumerateKernels,
                  (CUkernel * out, unsigned count, CUlibrary library), out,
                  count, library) {
  return cuLibraryEnumerateKernels(out, count, library);
}
