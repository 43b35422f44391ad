//===- Modules.cpp - code that comes and goes -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Client.h"
#include "Kernels.h"

#include <cstring>

using namespace stress;

/// Launches `bump` on the module's own variable, which becomes 2 more.
static void bump(CUfunction function, CUdeviceptr calls, CUstream stream) {
  void *params[] = {&calls};
  STRESS_OK(
      cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, params, nullptr));
}

static CUdeviceptr findCalls(CUmodule module) {
  CUdeviceptr calls = 0;
  size_t bytes = 0;
  STRESS_OK(cuModuleGetGlobal_v2(&calls, &bytes, module, "calls"));
  if (bytes != 4)
    fail("a variable has " + std::to_string(bytes) + " bytes");
  return calls;
}

/// Null if there is none. Its context is current.
static OwnModule *pickModule(Client &client) {
  if (client.modules.empty())
    return nullptr;
  OwnModule &module =
      client.modules[client.pick(unsigned(client.modules.size()))];
  client.world.makeCurrent(module.device);
  return &module;
}

void stress::loadModule(Client &client) {
  if (client.modules.size() >= 3)
    return dropModule(client);
  OwnModule module{nullptr, client.pick(client.world.options.devices)};
  client.world.makeCurrent(module.device);
  STRESS_OK(cuModuleLoadData(&module.handle, kSmallModule));
  client.modules.push_back(module);
}

void stress::runModule(Client &client) {
  OwnModule *module = pickModule(client);
  if (!module)
    return;
  CUfunction function = nullptr, none = nullptr;
  STRESS_OK(cuModuleGetFunction(&function, module->handle, "bump"));
  STRESS_ONE_OF(cuModuleGetFunction(&none, module->handle, "none"),
                CUDA_ERROR_NOT_FOUND);
  CUdeviceptr calls = findCalls(module->handle);
  for (const Stream &stream : client.own)
    if (stream.device == module->device) {
      bump(function, calls, stream.handle);
      ++module->calls;
    }
  bump(function, calls, CU_STREAM_PER_THREAD);
  ++module->calls;
  if (client.pick(2))
    return;
  unsigned found = 0;
  STRESS_OK(cuCtxSynchronize());
  STRESS_OK(cuMemcpyDtoH_v2(&found, calls, 4));
  if (found != 2 * module->calls)
    fail("a variable is " + std::to_string(found) + " after " +
         std::to_string(module->calls) + " calls");
}

/// Its kernel may still run.
void stress::dropModule(Client &client) {
  OwnModule *module = pickModule(client);
  if (!module)
    return;
  STRESS_OK(cuModuleUnload(module->handle));
  *module = client.modules.back();
  client.modules.pop_back();
}

void stress::loadLibrary(Client &client) {
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  unsigned count = 0;
  STRESS_OK(cuLibraryLoadData(&library, kSmallModule, nullptr, nullptr, 0,
                              nullptr, nullptr, 0));
  STRESS_OK(cuLibraryGetKernelCount(&count, library));
  STRESS_OK(cuLibraryGetKernel(&kernel, library, "bump"));
  for (unsigned i = 0; i < 2; ++i) {
    CUdeviceptr calls = 0;
    size_t bytes = 0;
    unsigned found = 0;
    client.world.makeCurrent(client.pick(client.world.options.devices));
    CUfunction function = nullptr;
    STRESS_OK(cuKernelGetFunction(&function, kernel));
    STRESS_OK(cuLibraryGetGlobal(&calls, &bytes, library, "calls"));
    STRESS_OK(cuMemsetD32_v2(calls, 1, 1));
    STRESS_OK(cuCtxSynchronize());
    bump(function, calls, CU_STREAM_PER_THREAD);
    STRESS_OK(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    STRESS_OK(cuMemcpyDtoH_v2(&found, calls, 4));
    if (found != 3 || count != 1)
      fail("a library's variable is " + std::to_string(found));
  }
  STRESS_OK(cuLibraryUnload(library));
}

void stress::linkModules(Client &client) {
  const char *const other = ".version 8.0\n.target sm_80\n.address_size 64\n"
                            ".visible .entry nothing() { ret; }\n";
  client.world.makeCurrent(client.pick(client.world.options.devices));
  CUlinkState linker = nullptr;
  STRESS_OK(cuLinkCreate_v2(0, nullptr, nullptr, &linker));
  for (const char *text : {kSmallModule, other})
    STRESS_OK(cuLinkAddData_v2(linker, CU_JIT_INPUT_PTX,
                               const_cast<char *>(text), std::strlen(text) + 1,
                               "part", 0, nullptr, nullptr));
  void *image = nullptr;
  size_t bytes = 0;
  STRESS_OK(cuLinkComplete(linker, &image, &bytes));
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  STRESS_OK(cuModuleLoadData(&module, image));
  STRESS_OK(cuLinkDestroy(linker));
  STRESS_OK(cuModuleGetFunction(&function, module, "bump"));
  bump(function, findCalls(module), CU_STREAM_PER_THREAD);
  STRESS_OK(cuModuleUnload(module));
}
