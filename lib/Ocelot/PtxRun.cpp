//===- PtxRun.cpp - libgpuocelot.so: one function that runs PTX -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tests of machine learning frameworks load this library to run PTX without
// a GPU.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/LoadedModule.h"

#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>

using namespace ptxjit;

/// Returns the module of a text. Callers pass the whole text with each launch,
/// so modules are kept by their text.
static std::shared_ptr<LoadedModule> getModule(const std::string &text) {
  static std::mutex mutex;
  static auto *modules =
      new std::unordered_map<std::string, std::shared_ptr<LoadedModule>>;
  constexpr size_t most = 4096;
  std::lock_guard<std::mutex> lock(mutex);
  auto it = modules->find(text);
  if (it != modules->end())
    return it->second;
  std::string diagnostics;
  std::shared_ptr<LoadedModule> module =
      LoadedModule::load(text, "<ptx_run>", diagnostics);
  if (!module) {
    std::fprintf(stderr, "ptx_run: %s", diagnostics.c_str());
    return nullptr;
  }
  if (modules->size() >= most)
    modules->clear();
  (*modules)[text] = module;
  return module;
}

/// Runs the first kernel of a module and returns when it has finished.
///
/// \param args  the arguments' values, each in the bytes of a pointer.
/// \param smem  dynamic shared memory, bytes.
///
/// Global addresses are host addresses. Errors are reported on stderr.
extern "C" __attribute__((visibility("default"))) void
ptx_run(const char *ptx, int numArgs, void *args[], int blockX, int blockY,
        int blockZ, int gridX, int gridY, int gridZ, int smem) {
  if (!ptx)
    return (void)std::fprintf(stderr, "ptx_run: no text\n");
  std::shared_ptr<LoadedModule> module = getModule(ptx);
  if (!module)
    return;
  const PtxjitModuleInfo &info = module->getInfo();
  if (!info.numKernels)
    return (void)std::fprintf(stderr, "ptx_run: the module has no kernel\n");
  const PtxjitKernelInfo &kernel = info.kernels[0];
  if (numArgs < 0 || uint32_t(numArgs) != kernel.numParams ||
      (numArgs && !args))
    return (void)std::fprintf(stderr,
                              "ptx_run: kernel '%s' takes %u arguments, not "
                              "%d\n",
                              kernel.name, kernel.numParams, numArgs);
  std::vector<uint64_t> params(kernel.paramBytes / 8 + 3);
  auto *bytes = reinterpret_cast<uint8_t *>(params.data());
  for (uint32_t i = 0; i < kernel.numParams; ++i) {
    const PtxjitParam &param = kernel.params[i];
    size_t size = size_t(param.elementBytes) * param.count;
    if (size > sizeof(void *))
      return (void)std::fprintf(stderr,
                                "ptx_run: argument %u of '%s' has %zu bytes\n",
                                i, kernel.name, size);
    std::memcpy(bytes + param.offset, &args[i], size);
  }
  const uint32_t block[3] = {uint32_t(blockX), uint32_t(blockY),
                             uint32_t(blockZ)};
  Grid grid{uint32_t(gridX), uint32_t(gridY), uint32_t(gridZ)};
  std::string diagnostics;
  LaunchStatus status =
      module->launch(kernel.name, grid, block, params.data(), uint32_t(smem), 0,
                     KernelOptions(), diagnostics);
  if (status != LaunchStatus::Ok)
    std::fprintf(stderr, "ptx_run: %s%s", diagnostics.c_str(),
                 diagnostics.empty() ? "the launch is invalid\n" : "");
}
