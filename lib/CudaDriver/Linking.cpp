//===- Linking.cpp - the cuLink* functions --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A linked image keeps its modules as they came. The compiler links them when
// it reads the image (LinkedText.h).
//
//===----------------------------------------------------------------------===//

#include "Images.h"
#include "JitLogs.h"
#include "State.h"
#include "ptxjit/Runtime/ReadFile.h"

using namespace ptxjit;
using namespace ptxjit::cuda;

namespace ptxjit::cuda {
struct Linker {
  Linker(unsigned count, const int *options, void **values)
      : logs(count, options, values) {}
  JitLogs logs;
  std::vector<NamedText> texts;
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

static CUresult addInput(Linker &linker, int type, const std::string &bytes,
                         const std::string &name) {
  bool isFile = type == CU_JIT_INPUT_OBJECT || type == CU_JIT_INPUT_LIBRARY;
  if (!isFile && type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_CUBIN &&
      type != CU_JIT_INPUT_FATBINARY) {
    linker.diagnostics +=
        "error: this kind of input cannot be linked; PTX can, also in object "
        "files and libraries\n";
    linker.logs.write(linker.diagnostics);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
  }
  ImageStatus status =
      isFile
          ? extractFromFile(bytes, name, linker.texts, linker.diagnostics)
          : extractTexts(bytes.c_str(), name, linker.texts, linker.diagnostics);
  linker.logs.write(linker.diagnostics);
  return toResult(status);
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
  return addInput(*linker, type, copy, name ? name : "");
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
  if (readFile(path, bytes) != 0)
    return CUDA_ERROR_FILE_NOT_FOUND;
  return addInput(*linker, type, bytes, path);
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
  // Loaded at once, so that errors are found now, as by a linker.
  bool isGood = ptxjit::LoadedModule::load(linker->whole, "<linked>",
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
