//===- Modules.cpp - modules, libraries, the linker -----------------------===//

#include "FatBinary.h"
#include "State.h"
#include "ptxjit/Runtime/JoinTexts.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// The PTX text of an image: text itself, a fat binary or its wrapper.
/// `diagnostics` are for the program's error log.
static CUresult extractText(const void *image, std::string &text,
                            std::string &diagnostics) {
  switch (kindOf(image)) {
  case ImageKind::Text:
    text = static_cast<const char *>(image);
    return CUDA_SUCCESS;
  case ImageKind::MachineCode:
    diagnostics += "error: the image is machine code of a GPU; PTX is what can "
                   "be loaded\n";
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  case ImageKind::FatBinary:
  case ImageKind::Wrapper:
    break;
  }
  Profile profile = getProfile();
  std::vector<std::string> texts =
      readFatBinary(image, profile.major, profile.minor, diagnostics);
  if (texts.empty())
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  text = joinTexts(texts);
  return CUDA_SUCCESS;
}

static CUresult loadText(const std::string &text, const std::string &name,
                         cuda::Module &module, std::string &diagnostics) {
  std::shared_ptr<ptxjit::Module> &code = module.code;
  code = ptxjit::Module::load(text, name, diagnostics);
  if (!code) {
    log(LogKind::Error, "PTX is refused:\n" + diagnostics);
    return CUDA_ERROR_INVALID_PTX;
  }
  if (code->getAddressRange() != AddressRange::All) {
    // Device pointers of this process do not fit; CUDA has no such modules.
    diagnostics = "error: " + name +
                  ": addresses of 32 bits (.address_size 32, or the width of "
                  "what addresses global memory) in a 64-bit program";
    log(LogKind::Error, diagnostics);
    code.reset();
    return CUDA_ERROR_INVALID_PTX;
  }
  log(LogKind::Compile,
      "module of " + std::to_string(text.size()) + " bytes is loaded");
  // Variables take part in copies.
  code->forEachVariable([&](uint64_t address, size_t bytes) {
    std::lock_guard<std::mutex> lock(getState().memoryMutex);
    if (bytes)
      getState().allocations[address] = {
          bytes,   Allocation::Variable, 0,
          nullptr, getState().nextId++,  module.context};
  });
  return CUDA_SUCCESS;
}

static CUresult loadImage(const void *image, const std::string &name,
                          cuda::Module &module, std::string &diagnostics) {
  std::string text;
  if (CUresult error = extractText(image, text, diagnostics)) {
    log(LogKind::Error, diagnostics.substr(0, diagnostics.find('\n')));
    return error;
  }
  return loadText(text, name, module, diagnostics);
}

/// A file's bytes, and a zero behind them.
static bool readFile(const char *path, std::string &bytes) {
  std::ifstream file(path, std::ios::binary);
  bytes.assign(std::istreambuf_iterator<char>(file), {});
  if (bytes.size() < 4)
    bytes.resize(4);
  return bool(file) || file.eof();
}

/// Makes handles of a module's kernels.
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
  if (!code)
    return;
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  code->forEachVariable(
      [&](uint64_t address, size_t) { getState().allocations.erase(address); });
}

namespace {
/// The log buffers of an array of JIT options. Sizes are values in the array,
/// and are overwritten by what was written.
class JitLogs {
public:
  JitLogs(unsigned count, const int *options, void **values) {
    auto number = [&](unsigned i) {
      return size_t(uint32_t(reinterpret_cast<uintptr_t>(values[i])));
    };
    for (unsigned i = 0; i < count; ++i)
      switch (options[i]) {
      case CU_JIT_INFO_LOG_BUFFER:
        info.text = static_cast<char *>(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        info.size = number(i);
        info.sizeSlot = &values[i];
        break;
      case CU_JIT_ERROR_LOG_BUFFER:
        errors.text = static_cast<char *>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        errors.size = number(i);
        errors.sizeSlot = &values[i];
        break;
      default:
        break; // about hardware
      }
  }
  void write(const std::string &diagnostics) {
    info.write("");
    errors.write(diagnostics);
  }

private:
  struct Buffer {
    char *text = nullptr;
    size_t size = 0;
    void **sizeSlot = nullptr;

    void write(const std::string &message) {
      size_t length = 0;
      if (text && size) {
        length = std::min(message.size(), size - 1);
        std::memcpy(text, message.data(), length);
        text[length++] = 0;
      }
      if (sizeSlot)
        *sizeSlot = reinterpret_cast<void *>(length);
    }
  };
  Buffer info, errors;
};
} // namespace

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
  CUresult result = loadModule(module, image, "<image>", diagnostics);
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
  if (!readFile(path, bytes))
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
  if (!getState().modules.contains(handle))
    return CUDA_ERROR_INVALID_HANDLE;
  auto *module = reinterpret_cast<cuda::Module *>(handle);
  if (CUresult error = enterOwner(module->context, context))
    return error;
  synchronizeContext(*context);
  getState().modules.remove(handle);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_PLAIN_API(cuModuleGetLoadingMode, (int *mode), mode) {
  if (!mode)
    return CUDA_ERROR_INVALID_VALUE;
  *mode = 2; // lazy: kernels are compiled when they are launched
  return CUDA_SUCCESS;
}

/// The code behind the handle of a module or library.
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
  uint64_t found = module->code->resolve(name);
  if (!found)
    return CUDA_ERROR_NOT_FOUND;
  if (address)
    *address = found;
  if (bytes)
    module->code->forEachVariable([&](uint64_t at, size_t size) {
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

//===----------------------------------------------------------------------===//
// Libraries: modules of all contexts
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
  return loadLibrary(handle, image, "<image>", count, options, values);
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
  if (!readFile(path, bytes))
    return CUDA_ERROR_FILE_NOT_FOUND;
  return loadLibrary(handle, bytes.data(), path, count, options, values);
}

PTXJIT_CUDA_API(cuLibraryUnload, (CUlibrary handle), handle) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!getState().libraries.contains(handle))
    return CUDA_ERROR_INVALID_HANDLE;
  std::vector<Context *> contexts;
  getState().contexts.forEach(
      [&](Context &context) { contexts.push_back(&context); });
  for (Context *context : contexts)
    synchronizeContext(*context);
  getState().libraries.remove(handle);
  return CUDA_SUCCESS;
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
  *out = reinterpret_cast<CUmodule>(handle); // serves as one
  return CUDA_SUCCESS;
}
PTXJIT_CUDA_API(cuLibraryGetGlobal,
                (CUdeviceptr * address, size_t *bytes, CUlibrary handle,
                 const char *name),
                address, bytes, handle, name) {
  return getGlobal(address, bytes, handle, name);
}
// A managed variable is one like all others: hosts reach them all.
PTXJIT_CUDA_API(cuLibraryGetManaged,
                (CUdeviceptr * address, size_t *bytes, CUlibrary handle,
                 const char *name),
                address, bytes, handle, name) {
  return getGlobal(address, bytes, handle, name);
}

PTXJIT_CUDA_API(cuKernelGetFunction, (CUfunction * out, CUkernel handle), out,
                handle) {
  Context *context;
  Function *function;
  if (CUresult error = enter(context))
    return error;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  auto same = reinterpret_cast<CUfunction>(handle);
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

//===----------------------------------------------------------------------===//
// The linker: texts are joined; what it returns is PTX
//===----------------------------------------------------------------------===//

namespace ptxjit::cuda {
struct Linker {
  Linker(unsigned count, const int *options, void **values)
      : logs(count, options, values) {}
  JitLogs logs;
  std::vector<std::string> texts;
  std::string whole, diagnostics;
};
} // namespace ptxjit::cuda

static CUresult findLinker(CUlinkState handle, Linker *&linker) {
  linker = reinterpret_cast<Linker *>(handle);
  return getState().linkers.contains(linker) ? CUDA_SUCCESS
                                             : CUDA_ERROR_INVALID_HANDLE;
}

PTXJIT_CUDA_API(cuLinkCreate_v2,
                (unsigned count, int *options, void **values,
                 CUlinkState *handle),
                count, options, values, handle) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!handle || (count && (!options || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  *handle = reinterpret_cast<CUlinkState>(
      getState().linkers.add(std::make_unique<Linker>(count, options, values)));
  return CUDA_SUCCESS;
}

static CUresult addInput(Linker &linker, int type, const std::string &bytes) {
  std::string text;
  if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_CUBIN &&
      type != CU_JIT_INPUT_FATBINARY) {
    linker.diagnostics += "error: objects and libraries hold machine code; PTX "
                          "is what can be linked\n";
    linker.logs.write(linker.diagnostics);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  CUresult error = extractText(bytes.c_str(), text, linker.diagnostics);
  linker.logs.write(linker.diagnostics);
  if (!error)
    linker.texts.push_back(std::move(text));
  return error;
}

PTXJIT_CUDA_API(cuLinkAddData_v2,
                (CUlinkState handle, int type, void *data, size_t bytes,
                 const char *name, unsigned count, int *options, void **values),
                handle, type, data, bytes, name, count, options, values) {
  Linker *linker;
  if (CUresult error = findLinker(handle, linker))
    return error;
  if (!data || !bytes)
    return CUDA_ERROR_INVALID_VALUE;
  std::string copy(static_cast<const char *>(data), bytes);
  copy.resize(std::max<size_t>(copy.size(), 4));
  return addInput(*linker, type, copy);
}
PTXJIT_CUDA_API(cuLinkAddFile_v2,
                (CUlinkState handle, int type, const char *path, unsigned count,
                 int *options, void **values),
                handle, type, path, count, options, values) {
  Linker *linker;
  std::string bytes;
  if (CUresult error = findLinker(handle, linker))
    return error;
  if (!path)
    return CUDA_ERROR_INVALID_VALUE;
  if (!readFile(path, bytes))
    return CUDA_ERROR_FILE_NOT_FOUND;
  return addInput(*linker, type, bytes);
}

PTXJIT_CUDA_API(cuLinkComplete,
                (CUlinkState handle, void **image, size_t *bytes), handle,
                image, bytes) {
  Linker *linker;
  if (CUresult error = findLinker(handle, linker))
    return error;
  if (linker->texts.empty())
    return CUDA_ERROR_INVALID_IMAGE;
  linker->whole = joinTexts(linker->texts);
  // Refused now, as a linker would, and not when it is loaded.
  bool isGood = ptxjit::Module::load(linker->whole, "<linked>",
                                     linker->diagnostics) != nullptr;
  linker->logs.write(linker->diagnostics);
  if (!isGood)
    return CUDA_ERROR_INVALID_PTX;
  if (image)
    *image = linker->whole.data();
  if (bytes)
    *bytes = linker->whole.size() + 1;
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuLinkDestroy, (CUlinkState handle), handle) {
  return getState().linkers.remove(handle) ? CUDA_SUCCESS
                                           : CUDA_ERROR_INVALID_HANDLE;
}
