//===- Modules.cpp - modules and libraries --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include "JitLogs.h"
#include "State.h"
#include "ptxjit/Runtime/ReadFile.h"

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

static CUresult loadText(std::string text, const std::string &name,
                         cuda::Module &module, std::string &diagnostics) {
  size_t size = text.size();
  std::shared_ptr<ptxjit::LoadedModule> code =
      ptxjit::LoadedModule::load(std::move(text), name, diagnostics);
  if (!code) {
    log(LogKind::Error, "PTX is refused:\n" + diagnostics);
    return CUDA_ERROR_INVALID_PTX;
  }
  if (code->getAddressRange() != AddressRange::All) {
    // Device pointers of this process do not fit, and CUDA has no such modules.
    diagnostics = "error: " + name +
                  ": addresses of 32 bits (.address_size 32, or the width of "
                  "what addresses global memory) in a 64-bit program";
    log(LogKind::Error, diagnostics);
    return CUDA_ERROR_INVALID_PTX;
  }
  log(LogKind::Compile,
      "module of " + std::to_string(size) + " bytes is loaded");
  module.code = std::make_shared<DeviceCode>(std::move(code), module.context);
  return CUDA_SUCCESS;
}

static CUresult loadImage(const void *image, const std::string &name,
                          cuda::Module &module, std::string &diagnostics) {
  std::vector<NamedText> texts;
  CUresult error = toResult(extractTexts(image, name, texts, diagnostics));
  if (!diagnostics.empty())
    log(LogKind::Error, diagnostics.substr(0, diagnostics.size() - 1));
  if (error)
    return error;
  return loadText(joinTexts(std::move(texts)), name, module, diagnostics);
}

/// Makes handles for a module's kernels.
static void addFunctions(cuda::Module &module, void *owner) {
  const PtxjitModuleInfo &info = module.code->getInfo();
  for (uint32_t i = 0; i < info.numKernels; ++i) {
    auto function = std::make_unique<Function>();
    function->code = module.code;
    function->kernel = &info.kernels[i];
    function->owner = owner;
    function->context = module.context;
    module.functions.emplace(info.kernels[i].name,
                             getState().functions.add(std::move(function)));
  }
}

cuda::Module::~Module() {
  for (auto &entry : functions)
    getState().functions.remove(entry.second);
  for (auto &entry : references)
    destroyReference(entry.second);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static CUresult loadModule(CUmodule *handle, const void *image,
                           const std::string &name, std::string &diagnostics) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  auto module = std::make_unique<cuda::Module>();
  module->context = context;
  if (CUresult error = loadImage(image, name, *module, diagnostics))
    return error;
  addFunctions(*module, module.get());
  *handle =
      reinterpret_cast<CUmodule>(getState().modules.add(std::move(module)));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuModuleLoadDataEx,
                (CUmodule * module, const void *image, unsigned count,
                 int *options, void **values),
                module, image, count, options, values) {
  if (!module || !image || (count && (!options || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  JitLogs logs(count, options, values);
  std::string diagnostics;
  CUresult result = loadModule(module, image, kUnnamedImage, diagnostics);
  logs.write(diagnostics);
  return result;
}
PTXJIT_CUDA_API(cuModuleLoadData, (CUmodule * module, const void *image),
                module, image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}
PTXJIT_CUDA_API(cuModuleLoadFatBinary, (CUmodule * module, const void *image),
                module, image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

PTXJIT_CUDA_API(cuModuleLoad, (CUmodule * module, const char *path), module,
                path) {
  if (!module || !path)
    return CUDA_ERROR_INVALID_VALUE;
  std::string bytes, diagnostics;
  if (readFile(path, bytes) != 0)
    return CUDA_ERROR_FILE_NOT_FOUND;
  return loadModule(module, bytes.data(), path, diagnostics);
}

void cuda::destroyModulesOf(Context &context) {
  getState().modules.removeIf(
      [&](cuda::Module &module) { return module.context == &context; });
}

PTXJIT_CUDA_API(cuModuleUnload, (CUmodule handle), handle) {
  Context *context;
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (getState().libraries.contains(handle))
    return CUDA_ERROR_NOT_PERMITTED; // from cuLibraryGetModule
  if (!getState().modules.contains(handle))
    return CUDA_ERROR_INVALID_HANDLE;
  auto *module = reinterpret_cast<cuda::Module *>(handle);
  if (CUresult error = enterOwner(module->context, context))
    return error;
  if (CUresult error = synchronizeContext(*context))
    return error;
  return getState().modules.remove(handle) ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_HANDLE;
}

PTXJIT_CUDA_PLAIN_API(cuModuleGetLoadingMode, (int *mode), mode) {
  if (!mode)
    return CUDA_ERROR_INVALID_VALUE;
  // Lazy: kernels are compiled when they are launched.
  *mode =
      KernelOptions().ahead ? CU_MODULE_EAGER_LOADING : CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

/// Finds the code behind the handle of a module or library, and calls
/// enterOwner().
static CUresult findCode(void *handle, cuda::Module *&module) {
  Context *context;
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (getState().libraries.contains(handle))
    module = static_cast<Library *>(handle);
  else if (getState().modules.contains(handle))
    module = static_cast<cuda::Module *>(handle);
  else
    return CUDA_ERROR_INVALID_HANDLE;
  return enterOwner(module->context, context);
}

static CUresult getFunction(Function *&function, void *handle,
                            const char *name) {
  cuda::Module *module;
  if (CUresult error = findCode(handle, module))
    return error;
  auto it = module->functions.find(name);
  if (it == module->functions.end())
    return CUDA_ERROR_NOT_FOUND;
  function = it->second;
  return CUDA_SUCCESS;
}

static CUresult getGlobal(CUdeviceptr *address, size_t *bytes, void *handle,
                          const char *name) {
  cuda::Module *module;
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = findCode(handle, module))
    return error;
  auto code = module->code->on(module->context ? module->context->device
                                               : currentDevice());
  uint64_t found = code->resolve(name);
  if (!found)
    return CUDA_ERROR_NOT_FOUND;
  if (address)
    *address = found;
  if (bytes)
    code->forEachVariable([&](uint64_t at, size_t size) {
      if (at == found)
        *bytes = size;
    });
  return CUDA_SUCCESS;
}

static CUresult getCount(unsigned *count, void *handle) {
  cuda::Module *module;
  if (CUresult error = findCode(handle, module))
    return error;
  if (!count)
    return CUDA_ERROR_INVALID_VALUE;
  *count = unsigned(module->functions.size());
  return CUDA_SUCCESS;
}

template <typename T>
static CUresult enumerate(T *out, unsigned count, void *handle) {
  cuda::Module *module;
  if (CUresult error = findCode(handle, module))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  for (auto &entry : module->functions)
    if (count-- > 0)
      *out++ = reinterpret_cast<T>(entry.second);
    else
      break;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuModuleGetFunction,
                (CUfunction * out, CUmodule handle, const char *name), out,
                handle, name) {
  Function *function = nullptr;
  if (!out || !name)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult error = getFunction(function, handle, name);
  if (!error)
    *out = reinterpret_cast<CUfunction>(function);
  return error;
}
PTXJIT_CUDA_API(cuModuleGetFunctionCount, (unsigned *count, CUmodule handle),
                count, handle) {
  return getCount(count, handle);
}
PTXJIT_CUDA_API(cuModuleEnumerateFunctions,
                (CUfunction * out, unsigned count, CUmodule handle), out, count,
                handle) {
  return enumerate(out, count, handle);
}
PTXJIT_CUDA_API(cuModuleGetGlobal_v2,
                (CUdeviceptr * address, size_t *bytes, CUmodule handle,
                 const char *name),
                address, bytes, handle, name) {
  return getGlobal(address, bytes, handle, name);
}

/// Finds the reference of a texture or surface.
static CUresult findReference(TextureReference *&reference, void *handle,
                              const char *name, bool isSurface) {
  cuda::Module *module;
  if (CUresult error = findCode(handle, module))
    return error;
  return getReference(*module, name, isSurface, reference);
}

PTXJIT_CUDA_API(cuModuleGetTexRef,
                (CUtexref * out, CUmodule handle, const char *name), out,
                handle, name) {
  TextureReference *reference;
  if (!out || !name)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = findReference(reference, handle, name, false))
    return error;
  *out = reinterpret_cast<CUtexref>(reference);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuModuleGetSurfRef,
                (CUsurfref * out, CUmodule handle, const char *name), out,
                handle, name) {
  TextureReference *reference;
  if (!out || !name)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = findReference(reference, handle, name, true))
    return error;
  *out = reinterpret_cast<CUsurfref>(reference);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Libraries: modules that are valid in all contexts
//===----------------------------------------------------------------------===//

static CUresult loadLibrary(CUlibrary *handle, const void *image,
                            const std::string &name, unsigned count,
                            const int *options, void **values) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!handle || !image || (count && (!options || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  JitLogs logs(count, options, values);
  std::string diagnostics;
  auto library = std::make_unique<Library>();
  CUresult result = loadImage(image, name, *library, diagnostics);
  logs.write(diagnostics);
  if (result)
    return result;
  addFunctions(*library, library.get());
  *handle =
      reinterpret_cast<CUlibrary>(getState().libraries.add(std::move(library)));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuLibraryLoadData,
                (CUlibrary * handle, const void *image, int *options,
                 void **values, unsigned count, int *libraryOptions,
                 void **libraryValues, unsigned libraryCount),
                handle, image, options, values, count, libraryOptions,
                libraryValues, libraryCount) {
  return loadLibrary(handle, image, kUnnamedImage, count, options, values);
}
PTXJIT_CUDA_API(cuLibraryLoadFromFile,
                (CUlibrary * handle, const char *path, int *options,
                 void **values, unsigned count, int *libraryOptions,
                 void **libraryValues, unsigned libraryCount),
                handle, path, options, values, count, libraryOptions,
                libraryValues, libraryCount) {
  std::string bytes;
  if (!path)
    return CUDA_ERROR_INVALID_VALUE;
  if (readFile(path, bytes) != 0)
    return CUDA_ERROR_FILE_NOT_FOUND;
  return loadLibrary(handle, bytes.data(), path, count, options, values);
}

PTXJIT_CUDA_API(cuLibraryUnload, (CUlibrary handle), handle) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!getState().libraries.contains(handle))
    return CUDA_ERROR_INVALID_HANDLE;
  for (auto &[progress, ticket] : unfinishedWork())
    progress->wait(ticket);
  return getState().libraries.remove(handle) ? CUDA_SUCCESS
                                             : CUDA_ERROR_INVALID_HANDLE;
}

PTXJIT_CUDA_API(cuLibraryGetKernel,
                (CUkernel * out, CUlibrary handle, const char *name), out,
                handle, name) {
  if (!out || !name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!getState().libraries.contains(handle))
    return CUDA_ERROR_INVALID_HANDLE;
  auto &functions = reinterpret_cast<Library *>(handle)->functions;
  auto it = functions.find(name);
  if (it == functions.end())
    return CUDA_ERROR_NOT_FOUND;
  *out = reinterpret_cast<CUkernel>(it->second);
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuLibraryGetKernelCount, (unsigned *count, CUlibrary handle),
                count, handle) {
  return getCount(count, handle);
}
PTXJIT_CUDA_API(cuLibraryEnumerateKernels,
                (CUkernel * out, unsigned count, CUlibrary handle), out, count,
                handle) {
  return enumerate(out, count, handle);
}
PTXJIT_CUDA_API(cuLibraryGetModule, (CUmodule * out, CUlibrary handle), out,
                handle) {
  cuda::Module *module;
  if (CUresult error = findCode(handle, module))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = reinterpret_cast<CUmodule>(handle); // a library works as a module
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuLibraryGetGlobal,
                (CUdeviceptr * address, size_t *bytes, CUlibrary handle,
                 const char *name),
                address, bytes, handle, name) {
  return getGlobal(address, bytes, handle, name);
}
// The host can access every variable, so a managed one is nothing special.
PTXJIT_CUDA_API(cuLibraryGetManaged,
                (CUdeviceptr * address, size_t *bytes, CUlibrary handle,
                 const char *name),
                address, bytes, handle, name) {
  return getGlobal(address, bytes, handle, name);
}

/// There is none, as CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS says.
PTXJIT_CUDA_API(cuLibraryGetUnifiedFunction,
                (void **out, CUlibrary handle, const char *name), out, handle,
                name) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!out || !name)
    return CUDA_ERROR_INVALID_VALUE;
  return getState().libraries.contains(handle) ? CUDA_ERROR_NOT_FOUND
                                               : CUDA_ERROR_INVALID_HANDLE;
}

PTXJIT_CUDA_API(cuKernelGetFunction, (CUfunction * out, CUkernel handle), out,
                handle) {
  Context *context;
  Function *function;
  if (CUresult error = enter(context))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  auto *same = reinterpret_cast<CUfunction>(handle);
  if (CUresult error = findFunction(same, function))
    return error;
  *out = same;
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuKernelGetLibrary, (CUlibrary * out, CUkernel handle), out,
                handle) {
  Function *function;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error =
          findFunction(reinterpret_cast<CUfunction>(handle), function))
    return error;
  *out = static_cast<CUlibrary>(function->owner);
  return CUDA_SUCCESS;
}
