//===- Entries.cpp - the functions of ptxjit-runtime.h --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AheadModule.h"

#include <cstring>
#include <mutex>
#include <new>
#include <type_traits>

using namespace ptxjit;

/// The text of the last error on this thread.
static thread_local std::string lastError;

static PtxjitError report(AheadError error) {
  if (error)
    lastError = std::move(error.text);
  return error.code;
}

/// Runs `body`, which returns an AheadError. Programs in C know no exceptions.
template <typename Body> static PtxjitError guard(Body body) {
  try {
    return report(body());
  } catch (const std::bad_alloc &) {
    return report({PTXJIT_ERROR_OUT_OF_MEMORY, "there is not enough memory"});
  }
}

/// Guards the loading of objects.
static std::mutex loading;

/// Returns the module of an object, which the first use loads. Null after
/// errors.
static AheadModule *moduleOf(PtxjitObject *object, AheadError &error) {
  if (!object) {
    error = {PTXJIT_ERROR_INVALID_ARGUMENT, "the object is null"};
    return nullptr;
  }
  if (void *state = __atomic_load_n(&object->state, __ATOMIC_ACQUIRE))
    return static_cast<AheadModule *>(state);
  std::lock_guard<std::mutex> lock(loading);
  if (object->state)
    return static_cast<AheadModule *>(object->state);
  std::unique_ptr<AheadModule> module = AheadModule::load(*object, error);
  if (!module)
    return nullptr;
  AheadModule *loaded = module.release();
  __atomic_store_n(&object->state, static_cast<void *>(loaded),
                   __ATOMIC_RELEASE);
  return loaded;
}

const char *ptxjitDescribeError(PtxjitError error) {
  // C code may call this with any number, which an enum of C++ must not hold.
  std::underlying_type_t<PtxjitError> number;
  std::memcpy(&number, &error, sizeof(number));
  switch (number) {
  case PTXJIT_OK:
    return "no error";
  case PTXJIT_ERROR_INVALID_ARGUMENT:
    return "invalid argument";
  case PTXJIT_ERROR_NOT_FOUND:
    return "no variable of that name";
  case PTXJIT_ERROR_VERSION:
    return "the object was compiled for another version of the runtime library";
  case PTXJIT_ERROR_CPU:
    return "the object was compiled for another CPU";
  case PTXJIT_ERROR_OUT_OF_MEMORY:
    return "out of memory";
  case PTXJIT_ERROR_TRAP:
    return "a thread executed 'trap'";
  case PTXJIT_ERROR_ASSERTION:
    return "assertion failed";
  case PTXJIT_ERROR_ILLEGAL_INSTRUCTION:
    return "illegal operand";
  case PTXJIT_ERROR_ILLEGAL_ADDRESS:
    return "illegal memory access";
  case PTXJIT_ERROR_MISALIGNED_ADDRESS:
    return "misaligned address";
  case PTXJIT_ERROR_STACK_OVERFLOW:
    return "stack overflow";
  case PTXJIT_ERROR_DEADLOCK:
    return "deadlock";
  }
  return "unknown error";
}

const char *ptxjitGetLastError(void) { return lastError.c_str(); }

PtxjitError ptxjitLoad(PtxjitObject *object) {
  return guard([&] {
    AheadError error;
    moduleOf(object, error);
    return error;
  });
}

void ptxjitUnload(PtxjitObject *object) {
  if (!object)
    return;
  std::lock_guard<std::mutex> lock(loading);
  delete static_cast<AheadModule *>(object->state);
  object->state = nullptr;
}

PtxjitError ptxjitFindVariable(PtxjitObject *object, const char *name,
                               void **address, size_t *bytes) {
  return guard([&]() -> AheadError {
    if (!name || !address)
      return {PTXJIT_ERROR_INVALID_ARGUMENT, "the name or the result is null"};
    AheadError error;
    AheadModule *module = moduleOf(object, error);
    size_t found;
    if (module)
      error = module->findVariable(name, *address, bytes ? *bytes : found);
    return error;
  });
}

PtxjitError ptxjitLaunchKernel(PtxjitObject *object, uint32_t kernel,
                               const PtxjitLaunch *launch, const void *params,
                               size_t paramBytes) {
  return guard([&]() -> AheadError {
    if (!launch)
      return {PTXJIT_ERROR_INVALID_ARGUMENT, "the launch is null"};
    AheadError error;
    AheadModule *module = moduleOf(object, error);
    return module ? module->launch(kernel, *launch, params, paramBytes) : error;
  });
}
