//===- State.cpp - the state, and the current context ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "State.h"
#include "ptxjit/Runtime/PerThread.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

using namespace ptxjit;
using namespace ptxjit::cuda;

State &cuda::getState() {
  static State *state = new State; // see State.h: lives for ever
  return *state;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

namespace {
/// A context on a thread's stack. Others may destroy it meanwhile, and a new
/// one may get its address, so its number counts, too.
class StackEntry {
public:
  explicit StackEntry(Context *context) : context(context), id(context->id) {}
  /// Has the context not been destroyed? Programs and frameworks ask for the
  /// current context all the time, so that is mostly known without a lock.
  bool isValid();

  Context *const context;

private:
  uint64_t id;
  /// The number of removed contexts when this one was last found.
  std::optional<uint64_t> found;
};
} // namespace

bool StackEntry::isValid() {
  HandleSet<Context> &contexts = getState().contexts;
  uint64_t removals = contexts.countRemovals();
  if (found == removals)
    return true;
  if (!contexts.contains(context) || context->id != id)
    return false;
  found = removals;
  return true;
}

static std::vector<StackEntry> &contextStack() {
  struct Tag;
  return perThread<std::vector<StackEntry>, Tag>();
}

Context *cuda::currentContext() {
  static auto *destroyed = new Context; // which is in no table
  if (contextStack().empty())
    return nullptr;
  StackEntry &entry = contextStack().back();
  bool isOther =
      !entry.isValid() && getState().contexts.contains(entry.context);
  return isOther ? destroyed : entry.context;
}

/// The current context, unless it has been destroyed. Null without one.
static Context *findCurrent() {
  if (contextStack().empty())
    return nullptr;
  StackEntry &entry = contextStack().back();
  return entry.isValid() ? entry.context : nullptr;
}

Context *cuda::currentGreen() {
  Context *current = findCurrent();
  return current && current->primary ? current : nullptr;
}

PTXJIT_CUDA_API(cuCtxSetCurrent, (CUcontext handle), handle) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  auto *context = reinterpret_cast<Context *>(handle);
  if (context && !getState().contexts.contains(context))
    return CUDA_ERROR_INVALID_CONTEXT;
  auto &stack = contextStack();
  if (!stack.empty())
    stack.pop_back();
  if (context)
    stack.emplace_back(context);
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuCtxPushCurrent_v2, (CUcontext handle), handle) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  if (!handle || !getState().contexts.contains(handle))
    return CUDA_ERROR_INVALID_CONTEXT;
  contextStack().emplace_back(reinterpret_cast<Context *>(handle));
  return CUDA_SUCCESS;
}

PTXJIT_CUDA_API(cuCtxPopCurrent_v2, (CUcontext * handle), handle) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  auto &stack = contextStack();
  if (stack.empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  if (handle)
    *handle = reinterpret_cast<CUcontext>(stack.back().context);
  stack.pop_back();
  return CUDA_SUCCESS;
}

CUdevice cuda::currentDevice() {
  Context *current = findCurrent();
  return current ? current->device : 0;
}

CUresult cuda::enterPart(Context *&context, Context *&part) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  part = findCurrent();
  if (!part)
    return contextStack().empty() ? CUDA_ERROR_INVALID_CONTEXT
                                  : CUDA_ERROR_CONTEXT_IS_DESTROYED;
  context = &part->home();
  return CUresult(context->stickyError.load());
}

CUresult cuda::enter(Context *&context) {
  Context *part;
  return enterPart(context, part);
}

CUresult cuda::enterOwner(Context *owner, Context *&context) {
  if (!getState().initialized)
    return CUDA_ERROR_NOT_INITIALIZED;
  context = owner;
  if (!owner)
    return CUDA_SUCCESS;
  if (!getState().contexts.contains(owner))
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  context = &owner->home();
  return CUresult(context->stickyError.load());
}

CUresult cuda::enterMemory(uint64_t address, Context *&context) {
  if (Context *owner = ownerOf(address))
    return enterOwner(owner, context);
  CUresult error = enter(context);
  if (error != CUDA_ERROR_INVALID_CONTEXT)
    return error;
  Device &device = getDevice(deviceOf(address));
  std::lock_guard<std::mutex> lock(getState().primaryMutex);
  return device.primary ? enterOwner(device.primary, context) : error;
}

//===----------------------------------------------------------------------===//
// Log
//===----------------------------------------------------------------------===//

void cuda::logCall(const char *name, const std::string &arguments,
                   CUresult result) {
  const char *word = nameOf(result);
  log(LogKind::Api, std::string(name) + "(" + arguments +
                        ") = " + (word ? word : std::to_string(int(result))));
}
