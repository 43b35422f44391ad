//===- Launch.cpp - modules, functions, launches --------------------------===//

#include "State.h"

#include <cstring>
#include <fstream>
#include <iterator>

using namespace ptxjit;
using namespace ptxjit::cuda;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static uint32_t firstWord(const void *image) {
  uint32_t word;
  std::memcpy(&word, image, 4);
  return word;
}

/// ELF, a fat binary or its wrapper: machine code, or a container.
static bool isBinary(const void *image) {
  uint32_t word = firstWord(image);
  return word == 0x464c457f || word == 0xba55ed50 || word == 0x466243b1;
}

static CUresult loadText(CUmodule *handle, const std::string &text,
                         const std::string &name, std::string &diagnostics) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  auto module = std::make_unique<cuda::Module>();
  module->context = context;
  module->code = ptxjit::Module::load(text, name, diagnostics);
  if (!module->code) {
    log(LogKind::Error, "PTX is refused:\n" + diagnostics);
    return CUDA_ERROR_INVALID_PTX;
  }
  log(LogKind::Compile,
      "module of " + std::to_string(text.size()) + " bytes is loaded");
  const PtxjitModuleInfo &info = module->code->getInfo();
  // Variables take part in copies.
  std::vector<std::pair<uint64_t, size_t>> variables;
  module->code->forEachVariable([&](uint64_t address, size_t bytes) {
    variables.emplace_back(address, bytes);
  });
  {
    std::lock_guard<std::mutex> lock(getState().memoryMutex);
    for (auto &[address, bytes] : variables)
      if (bytes)
        getState().allocations[address] = {bytes, false};
  }
  for (uint32_t i = 0; i < info.numKernels; ++i) {
    auto function = std::make_unique<Function>();
    function->module = module.get();
    function->kernel = &info.kernels[i];
    module->functions.emplace(info.kernels[i].name,
                              getState().functions.add(std::move(function)));
  }
  *handle =
      reinterpret_cast<CUmodule>(getState().modules.add(std::move(module)));
  return CUDA_SUCCESS;
}

namespace {
/// The log buffers of cuModuleLoadDataEx. Sizes are values in the option array,
/// and are overwritten by what was written.
struct LogBuffer {
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
} // namespace

PTXJIT_CUDA_API(cuModuleLoadDataEx,
                (CUmodule * module, const void *image, unsigned count,
                 int *options, void **values),
                module, image, count, options, values) {
  if (!module || !image || (count && (!options || !values)))
    return CUDA_ERROR_INVALID_VALUE;
  LogBuffer info, errors;
  for (unsigned i = 0; i < count; ++i)
    switch (options[i]) {
    case CU_JIT_INFO_LOG_BUFFER:
      info.text = static_cast<char *>(values[i]);
      break;
    case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
      info.size = size_t(uint32_t(reinterpret_cast<uintptr_t>(values[i])));
      info.sizeSlot = &values[i];
      break;
    case CU_JIT_ERROR_LOG_BUFFER:
      errors.text = static_cast<char *>(values[i]);
      break;
    case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
      errors.size = size_t(uint32_t(reinterpret_cast<uintptr_t>(values[i])));
      errors.sizeSlot = &values[i];
      break;
    default:
      break; // about hardware
    }
  std::string diagnostics;
  CUresult result;
  if (isBinary(image)) {
    diagnostics = "the image is machine code or a fat binary; PTX text is what "
                  "can be loaded\n";
    log(LogKind::Error, diagnostics);
    result = CUDA_ERROR_NO_BINARY_FOR_GPU;
  } else {
    result = loadText(module, static_cast<const char *>(image), "<image>",
                      diagnostics);
  }
  info.write("");
  errors.write(diagnostics);
  return result;
}

PTXJIT_CUDA_API(cuModuleLoadData, (CUmodule * module, const void *image),
                module, image) {
  return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

PTXJIT_CUDA_API(cuModuleLoad, (CUmodule * module, const char *path), module,
                path) {
  if (!module || !path)
    return CUDA_ERROR_INVALID_VALUE;
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return CUDA_ERROR_FILE_NOT_FOUND;
  std::string text(std::istreambuf_iterator<char>(file), {});
  std::string diagnostics;
  if (text.size() >= 4 && isBinary(text.data()))
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  text.resize(std::strlen(text.c_str()));
  return loadText(module, text, path, diagnostics);
}

void cuda::destroyModule(void *handle) {
  auto module = getState().modules.remove(handle);
  if (!module)
    return;
  for (auto &entry : module->functions)
    getState().functions.remove(entry.second);
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  module->code->forEachVariable(
      [&](uint64_t address, size_t) { getState().allocations.erase(address); });
}

PTXJIT_CUDA_API(cuModuleUnload, (CUmodule handle), handle) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!getState().modules.contains(handle))
    return CUDA_ERROR_INVALID_HANDLE;
  synchronizeContext(*context);
  destroyModule(handle);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuModuleGetFunction,
                (CUfunction * function, CUmodule handle, const char *name),
                function, handle, name) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!function || !name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!getState().modules.contains(handle))
    return CUDA_ERROR_INVALID_HANDLE;
  auto &functions = reinterpret_cast<cuda::Module *>(handle)->functions;
  auto it = functions.find(name);
  if (it == functions.end())
    return CUDA_ERROR_NOT_FOUND;
  *function = reinterpret_cast<CUfunction>(it->second);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuModuleGetGlobal_v2,
                (CUdeviceptr * address, size_t *bytes, CUmodule handle,
                 const char *name),
                address, bytes, handle, name) {
  Context *context;
  if (CUresult error = enter(context))
    return error;
  if (!name)
    return CUDA_ERROR_INVALID_VALUE;
  if (!getState().modules.contains(handle))
    return CUDA_ERROR_INVALID_HANDLE;
  ptxjit::Module &code = *reinterpret_cast<cuda::Module *>(handle)->code;
  uint64_t found = code.resolve(name);
  if (!found)
    return CUDA_ERROR_NOT_FOUND;
  if (address)
    *address = found;
  if (bytes)
    code.forEachVariable([&](uint64_t at, size_t size) {
      if (at == found)
        *bytes = size;
    });
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static CUresult findFunction(CUfunction handle, Function *&function) {
  function = reinterpret_cast<Function *>(handle);
  return getState().functions.contains(function) ? CUDA_SUCCESS
                                                 : CUDA_ERROR_INVALID_HANDLE;
}

static unsigned maxThreads(const PtxjitKernelInfo &kernel) {
  uint64_t most = uint64_t(kernel.maxntid[0]) *
                  std::max(kernel.maxntid[1], 1u) *
                  std::max(kernel.maxntid[2], 1u);
  return most ? unsigned(std::min<uint64_t>(most, 1024)) : 1024;
}

PTXJIT_CUDA_API(cuFuncGetAttribute,
                (int *value, int attribute, CUfunction handle), value,
                attribute, handle) {
  Context *context;
  Function *function;
  if (CUresult error = enter(context))
    return error;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (CUresult error = findFunction(handle, function))
    return error;
  Profile profile = getProfile();
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = int(maxThreads(*function->kernel));
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = int(function->kernel->sharedBytes);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = int(function->kernel->localBytes);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = 32; // of no meaning here; occupancy formulas divide by it
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = profile.major * 10 + profile.minor;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = std::max(function->maxDynamicShared.load(),
                      (48 << 10) - int(function->kernel->sharedBytes));
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *value = 0;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuFuncSetAttribute,
                (CUfunction handle, int attribute, int value), handle,
                attribute, value) {
  Context *context;
  Function *function;
  if (CUresult error = enter(context))
    return error;
  if (CUresult error = findFunction(handle, function))
    return error;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    int most;
    getAttribute(97, most);
    if (value < 0 || value > most - int(function->kernel->sharedBytes))
      return CUDA_ERROR_INVALID_VALUE;
    function->maxDynamicShared = value;
    return CUDA_SUCCESS;
  }
  return attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}

PTXJIT_CUDA_API(cuFuncSetCacheConfig,
                (CUfunction handle, [[maybe_unused]] int ignored1), handle,
                ignored1) {
  Context *context;
  Function *function;
  if (CUresult error = enter(context))
    return error;
  return findFunction(handle, function);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The parameters, laid out as the kernel wants them.
static CUresult collectParams(const PtxjitKernelInfo &kernel, void **params,
                              void **extra, std::vector<uint64_t> &block) {
  block.assign(kernel.paramBytes / 8 + 3, 0);
  auto *bytes = reinterpret_cast<uint8_t *>(block.data());
  if (params && extra)
    return CUDA_ERROR_INVALID_VALUE;
  if (extra) {
    const void *buffer = nullptr;
    size_t size = 0;
    for (; *extra != CU_LAUNCH_PARAM_END; extra += 2)
      if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
        buffer = extra[1];
      else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE)
        size = *static_cast<size_t *>(extra[1]);
      else
        return CUDA_ERROR_INVALID_VALUE;
    if (!buffer || size < kernel.paramBytes)
      return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(bytes, buffer, kernel.paramBytes);
    return CUDA_SUCCESS;
  }
  if (kernel.numParams && !params)
    return CUDA_ERROR_INVALID_VALUE;
  for (uint32_t i = 0; i < kernel.numParams; ++i) {
    const PtxjitParam &param = kernel.params[i];
    if (!params[i])
      return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(bytes + param.offset, params[i],
                size_t(param.elementBytes) * param.count);
  }
  return CUDA_SUCCESS;
}

static CUresult checkShape(const Function &function, const Grid &grid,
                           const uint32_t (&block)[3], unsigned shared) {
  const PtxjitKernelInfo &kernel = *function.kernel;
  uint64_t threads = uint64_t(block[0]) * block[1] * block[2];
  if (!grid.x || !grid.y || !grid.z || grid.x > 0x7fffffffu || grid.y > 65535 ||
      grid.z > 65535 || threads == 0 || block[0] > 1024 || block[1] > 1024 ||
      block[2] > 64 || threads > maxThreads(kernel))
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned d = 0; d < 3; ++d)
    if (kernel.reqntid[0] &&
        block[d] != (kernel.reqntid[d] ? kernel.reqntid[d] : 1))
      return CUDA_ERROR_INVALID_VALUE;
  unsigned most = std::max(48u << 10, kernel.sharedBytes +
                                          unsigned(function.maxDynamicShared));
  return shared + uint64_t(kernel.sharedBytes) > most ? CUDA_ERROR_INVALID_VALUE
                                                      : CUDA_SUCCESS;
}

static CUresult resultOf(LaunchStatus status) {
  switch (status) {
  case LaunchStatus::Ok:
    return CUDA_SUCCESS;
  case LaunchStatus::Trap:
    return CUDA_ERROR_LAUNCH_FAILED;
  case LaunchStatus::Deadlock:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case LaunchStatus::Illegal:
    return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  case LaunchStatus::StackOverflow:
    return CUDA_ERROR_HARDWARE_STACK_ERROR;
  case LaunchStatus::IllegalAddress:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case LaunchStatus::MisalignedAddress:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case LaunchStatus::Assert:
    return CUDA_ERROR_ASSERT;
  case LaunchStatus::InvalidValue:
    return CUDA_ERROR_INVALID_VALUE;
  case LaunchStatus::OutOfResources:
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  }
  return CUDA_ERROR_UNKNOWN;
}

static std::string describe(const Grid &grid, const uint32_t (&block)[3]) {
  auto triple = [](uint32_t x, uint32_t y, uint32_t z) {
    return std::to_string(x) + "," + std::to_string(y) + "," +
           std::to_string(z);
  };
  return " grid " + triple(grid.x, grid.y, grid.z) + " block " +
         triple(block[0], block[1], block[2]);
}

static CUresult launch(CUfunction handle, const Grid &grid,
                       const uint32_t (&block)[3], unsigned shared,
                       CUstream streamHandle, void **params, void **extra,
                       bool cooperative) {
  Context *context;
  Function *function;
  StreamObject *stream;
  if (CUresult error = enter(context))
    return error;
  if (CUresult error = findFunction(handle, function))
    return error;
  if (CUresult error = findStream(*context, streamHandle, stream))
    return error;
  if (CUresult error = checkShape(*function, grid, block, shared))
    return error;
  std::vector<uint64_t> values;
  if (CUresult error = collectParams(*function->kernel, params, extra, values))
    return error;
  // Compiled before it is submitted, so that the caller hears of failures.
  std::string diagnostics, name = function->kernel->name;
  ptxjit::Module &code = *function->module->code;
  const PtxjitImage *image =
      code.compile(name, block, grid, CompileOptions(), diagnostics);
  if (!image) {
    log(LogKind::Error, diagnostics);
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (isLogged(LogKind::Launch))
    log(LogKind::Launch, name + describe(grid, block) + ": " +
                             describe(PtxjitMode(image->mode)) + ", " +
                             image->reason);
  submitOrdered(
      *context, *stream,
      [context, &code, image, grid, shared, cooperative, bx = block[0],
       by = block[1], bz = block[2], values = std::move(values)]() mutable {
        if (context->stickyError != CUDA_SUCCESS)
          return;
        uint32_t block[3] = {bx, by, bz};
        std::string report;
        LaunchStatus status = code.launchImage(
            *image, block, grid, values.data(), shared, 0, report, cooperative);
        if (status == LaunchStatus::Ok)
          return;
        context->stickyError = resultOf(status);
        report.erase(report.find_last_not_of('\n') + 1);
        log(LogKind::Error, report);
      });
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuLaunchKernel,
                (CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                 unsigned bx, unsigned by, unsigned bz, unsigned shared,
                 CUstream stream, void **params, void **extra),
                function, gx, gy, gz, bx, by, bz, shared, stream, params,
                extra) {
  return launch(function, {gx, gy, gz}, {bx, by, bz}, shared, stream, params,
                extra, /*cooperative=*/false);
}

// All CTAs are there at once, however many: those that wait are parked.
PTXJIT_CUDA_API(cuLaunchCooperativeKernel,
                (CUfunction function, unsigned gx, unsigned gy, unsigned gz,
                 unsigned bx, unsigned by, unsigned bz, unsigned shared,
                 CUstream stream, void **params),
                function, gx, gy, gz, bx, by, bz, shared, stream, params) {
  return launch(function, {gx, gy, gz}, {bx, by, bz}, shared, stream, params,
                nullptr, /*cooperative=*/true);
}
