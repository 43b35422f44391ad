//===- Nvrtc.cpp - the functions of libnvrtc ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVIDIA's NVRTC compiles CUDA C++. Ours asks it for PTX, and gives that where
// programs want machine code: our driver loads both alike.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Program.h"

#include <cstring>

using namespace ptxjit;
using namespace ptxjit::nvrtc;

#define PTXJIT_NVRTC_API extern "C" __attribute__((visibility("default")))

/// The error if NVIDIA's library is missing, or is a release that lacks a
/// function. It is not the fault of the program's source.
static constexpr nvrtcResult kMissing = NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;

/// Calls a function of NVIDIA's library on a program.
template <typename Function, typename... Arguments>
static nvrtcResult forward(nvrtcProgram handle, Function RealNvrtc::*function,
                           Arguments... arguments) {
  std::shared_ptr<Program> program = getPrograms().find(handle);
  if (!program)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (!program->real || !(program->library->*function))
    return kMissing;
  return (program->library->*function)(program->real, arguments...);
}

/// Calls a function of NVIDIA's library that needs no program.
template <typename Function, typename... Arguments>
static nvrtcResult forward(Function RealNvrtc::*function,
                           Arguments... arguments) {
  const RealNvrtc *library = getRealNvrtc();
  return library && library->*function ? (library->*function)(arguments...)
                                       : kMissing;
}

//===----------------------------------------------------------------------===//
// The library
//===----------------------------------------------------------------------===//

PTXJIT_NVRTC_API const char *nvrtcGetErrorString(nvrtcResult result) {
  static constexpr const char *names[] = {
      "NVRTC_SUCCESS",
      "NVRTC_ERROR_OUT_OF_MEMORY",
      "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
      "NVRTC_ERROR_INVALID_INPUT",
      "NVRTC_ERROR_INVALID_PROGRAM",
      "NVRTC_ERROR_INVALID_OPTION",
      "NVRTC_ERROR_COMPILATION",
      "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
      "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
      "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
      "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
      "NVRTC_ERROR_INTERNAL_ERROR",
      "NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
      "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
      "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
      "NVRTC_ERROR_PCH_CREATE",
      "NVRTC_ERROR_CANCELLED",
      "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED",
  };
  size_t index = size_t(result);
  return index < std::size(names) ? names[index] : "NVRTC_ERROR unknown";
}

/// Without NVIDIA's library, the release that this one stands in for: programs
/// ask for it when they start, long before they compile, if at all.
PTXJIT_NVRTC_API nvrtcResult nvrtcVersion(int *major, int *minor) {
  if (!major || !minor)
    return NVRTC_ERROR_INVALID_INPUT;
  if (getRealNvrtc())
    return forward(&RealNvrtc::nvrtcVersion, major, minor);
  *major = PTXJIT_NVRTC_VERSION;
  *minor = PTXJIT_NVRTC_VERSION == 12 ? 9 : 0;
  return NVRTC_SUCCESS;
}
PTXJIT_NVRTC_API nvrtcResult nvrtcGetNumSupportedArchs(int *count) {
  return forward(&RealNvrtc::nvrtcGetNumSupportedArchs, count);
}
PTXJIT_NVRTC_API nvrtcResult nvrtcGetSupportedArchs(int *archs) {
  return forward(&RealNvrtc::nvrtcGetSupportedArchs, archs);
}
PTXJIT_NVRTC_API nvrtcResult nvrtcGetPCHHeapSize(size_t *bytes) {
  return forward(&RealNvrtc::nvrtcGetPCHHeapSize, bytes);
}
PTXJIT_NVRTC_API nvrtcResult nvrtcSetPCHHeapSize(size_t bytes) {
  return forward(&RealNvrtc::nvrtcSetPCHHeapSize, bytes);
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

PTXJIT_NVRTC_API nvrtcResult nvrtcCreateProgram(
    nvrtcProgram *handle, const char *source, const char *name, int numHeaders,
    const char *const *headers, const char *const *includeNames) {
  if (!handle)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (!source || numHeaders < 0 ||
      (numHeaders > 0 && (!headers || !includeNames)))
    return NVRTC_ERROR_INVALID_INPUT;
  auto program = std::make_shared<Program>();
  program->library = getRealNvrtc();
  // Without a library the program has a handle all the same, so that its log
  // can say what is missing.
  if (program->library) {
    nvrtcResult result = program->library->nvrtcCreateProgram(
        &program->real, source, name, numHeaders, headers, includeNames);
    if (result != NVRTC_SUCCESS)
      return result;
  }
  *handle = getPrograms().add(std::move(program));
  return NVRTC_SUCCESS;
}

PTXJIT_NVRTC_API nvrtcResult nvrtcDestroyProgram(nvrtcProgram *handle) {
  if (!handle || !getPrograms().remove(*handle))
    return NVRTC_ERROR_INVALID_PROGRAM;
  *handle = nullptr;
  return NVRTC_SUCCESS;
}

PTXJIT_NVRTC_API nvrtcResult nvrtcAddNameExpression(nvrtcProgram handle,
                                                    const char *expression) {
  std::shared_ptr<Program> program = getPrograms().find(handle);
  if (!program)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (!expression)
    return NVRTC_ERROR_INVALID_INPUT;
  if (!program->real)
    return NVRTC_SUCCESS; // the compilation says what is missing
  return forward(handle, &RealNvrtc::nvrtcAddNameExpression, expression);
}

PTXJIT_NVRTC_API nvrtcResult nvrtcSetFlowCallback(
    nvrtcProgram handle, int (*callback)(void *, void *), void *payload) {
  return forward(handle, &RealNvrtc::nvrtcSetFlowCallback, callback, payload);
}

PTXJIT_NVRTC_API nvrtcResult nvrtcCompileProgram(nvrtcProgram handle,
                                                 int numOptions,
                                                 const char *const *words) {
  std::shared_ptr<Program> program = getPrograms().find(handle);
  if (!program)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (numOptions < 0 || (numOptions > 0 && !words))
    return NVRTC_ERROR_INVALID_INPUT;
  std::vector<std::string> given;
  for (int i = 0; i < numOptions; ++i) {
    if (!words[i])
      return NVRTC_ERROR_INVALID_INPUT;
    given.push_back(words[i]);
  }
  PtxOptions options = askForPtx(given);
  program->wantsCubin = options.wantsCubin;
  program->log = options.refusal;
  if (!program->log.empty())
    return NVRTC_ERROR_INVALID_OPTION;
  if (!program->real) {
    program->log = "nvrtc: error: " + describeMissing() + "\n";
    return kMissing;
  }
  std::vector<const char *> pointers;
  for (const std::string &word : options.words)
    pointers.push_back(word.c_str());
  return program->library->nvrtcCompileProgram(program->real, numOptions,
                                               pointers.data());
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Without NVIDIA's library, results are those of a compilation that failed.
template <typename Function>
static nvrtcResult getSize(nvrtcProgram handle, Function RealNvrtc::*function,
                           size_t *bytes, size_t ofNothing) {
  std::shared_ptr<Program> program = getPrograms().find(handle);
  if (!program)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (!bytes)
    return NVRTC_ERROR_INVALID_INPUT;
  if (program->real)
    return forward(handle, function, bytes);
  *bytes = ofNothing;
  return NVRTC_SUCCESS;
}

PTXJIT_NVRTC_API nvrtcResult nvrtcGetPTXSize(nvrtcProgram handle,
                                             size_t *bytes) {
  return getSize(handle, &RealNvrtc::nvrtcGetPTXSize, bytes, 1);
}

PTXJIT_NVRTC_API nvrtcResult nvrtcGetPTX(nvrtcProgram handle, char *text) {
  std::shared_ptr<Program> program = getPrograms().find(handle);
  if (!program)
    return NVRTC_ERROR_INVALID_PROGRAM;
  if (!text)
    return NVRTC_ERROR_INVALID_INPUT;
  if (program->real)
    return forward(handle, &RealNvrtc::nvrtcGetPTX, text);
  *text = '\0';
  return NVRTC_SUCCESS;
}

/// The PTX with the zero behind it, if the program named a device. NVRTC, too,
/// makes no machine code for a virtual architecture.
PTXJIT_NVRTC_API nvrtcResult nvrtcGetCUBINSize(nvrtcProgram handle,
                                               size_t *bytes) {
  nvrtcResult result = nvrtcGetPTXSize(handle, bytes);
  if (result != NVRTC_SUCCESS)
    return result;
  std::shared_ptr<Program> program = getPrograms().find(handle);
  // Of a failed compilation, PTX is the zero alone.
  if (!program || !program->wantsCubin || *bytes <= 1)
    *bytes = 0;
  return NVRTC_SUCCESS;
}

PTXJIT_NVRTC_API nvrtcResult nvrtcGetCUBIN(nvrtcProgram handle, char *image) {
  size_t bytes = 0;
  nvrtcResult result = nvrtcGetCUBINSize(handle, &bytes);
  if (result != NVRTC_SUCCESS)
    return result;
  if (!image)
    return NVRTC_ERROR_INVALID_INPUT;
  return bytes ? nvrtcGetPTX(handle, image) : NVRTC_SUCCESS;
}

PTXJIT_NVRTC_API nvrtcResult nvrtcGetLoweredName(nvrtcProgram handle,
                                                 const char *expression,
                                                 const char **name) {
  std::shared_ptr<Program> program = getPrograms().find(handle);
  if (program && !program->real)
    return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  return forward(handle, &RealNvrtc::nvrtcGetLoweredName, expression, name);
}

PTXJIT_NVRTC_API nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram handle,
                                                    size_t *bytes) {
  std::shared_ptr<Program> program = getPrograms().find(handle);
  if (!program || (program->log.empty() && program->real))
    return getSize(handle, &RealNvrtc::nvrtcGetProgramLogSize, bytes, 1);
  if (!bytes)
    return NVRTC_ERROR_INVALID_INPUT;
  *bytes = program->log.size() + 1;
  return NVRTC_SUCCESS;
}

PTXJIT_NVRTC_API nvrtcResult nvrtcGetProgramLog(nvrtcProgram handle,
                                                char *log) {
  std::shared_ptr<Program> program = getPrograms().find(handle);
  if (!program || (program->log.empty() && program->real))
    return forward(handle, &RealNvrtc::nvrtcGetProgramLog, log);
  if (!log)
    return NVRTC_ERROR_INVALID_INPUT;
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return NVRTC_SUCCESS;
}

// Of these there is nothing, since askForPtx() refuses to ask for it.
#define PTXJIT_NVRTC_OTHER(name)                                               \
  PTXJIT_NVRTC_API nvrtcResult nvrtcGet##name##Size(nvrtcProgram handle,       \
                                                    size_t *bytes) {           \
    return getSize(handle, &RealNvrtc::nvrtcGet##name##Size, bytes, 0);        \
  }                                                                            \
  PTXJIT_NVRTC_API nvrtcResult nvrtcGet##name(nvrtcProgram handle,             \
                                              char *image) {                   \
    return forward(handle, &RealNvrtc::nvrtcGet##name, image);                 \
  }
PTXJIT_NVRTC_OTHER(LTOIR)
PTXJIT_NVRTC_OTHER(NVVM)
PTXJIT_NVRTC_OTHER(OptiXIR)
PTXJIT_NVRTC_OTHER(TileIR)

PTXJIT_NVRTC_API nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram handle) {
  return forward(handle, &RealNvrtc::nvrtcGetPCHCreateStatus);
}
PTXJIT_NVRTC_API nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram handle,
                                                         size_t *bytes) {
  return forward(handle, &RealNvrtc::nvrtcGetPCHHeapSizeRequired, bytes);
}
