//===- RealNvrtc.cpp - NVIDIA's NVRTC behind ours -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled for each library, which has its own number of NVIDIA's.
//
//===----------------------------------------------------------------------===//

#include "RealNvrtc.h"
#include "ptxjit/Runtime/Log.h"
#include "ptxjit/Runtime/NvidiaLibrary.h"

#include <dlfcn.h>

using namespace ptxjit;
using namespace ptxjit::nvrtc;

#if PTXJIT_NVRTC_VERSION == 12
static constexpr const char *kNames[] = {"libnvrtc.so.12", "libnvrtc.so.13"};
static constexpr const char *kPackage = "nvidia-cuda-nvrtc-cu12";
#else
static constexpr const char *kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12"};
static constexpr const char *kPackage = "nvidia-cuda-nvrtc";
#endif

namespace {
struct Loaded {
  Loaded();
  RealNvrtc functions;
  bool isThere = false;
  std::string error;
};
} // namespace

Loaded::Loaded() {
  static const int here = 0;
  void *handle =
      openNvidiaLibrary({kNames[0], kNames[1]}, "PTXJIT_NVRTC", &here, error);
  if (handle) {
#define PTXJIT_NVRTC_FUNCTION(result, name, parameters)                        \
  functions.name = reinterpret_cast<result(*) parameters>(dlsym(handle, #name));
#include "ptxjit/Nvrtc/Functions.def"
#undef PTXJIT_NVRTC_FUNCTION
    // All releases have it.
    isThere = functions.nvrtcCompileProgram != nullptr;
    if (!isThere)
      error = "what PTXJIT_NVRTC names is no NVRTC";
  }
  if (!isThere)
    log(LogKind::Error, describeMissing() + " (" + error + ")");
}

static const Loaded &getLoaded() {
  // Never destroyed, since programs compile in exit handlers.
  static const Loaded &loaded = *new Loaded;
  return loaded;
}

const RealNvrtc *nvrtc::getRealNvrtc() {
  const Loaded &loaded = getLoaded();
  return loaded.isThere ? &loaded.functions : nullptr;
}

std::string nvrtc::describeMissing() {
  return std::string("NVIDIA's NVRTC, which compiles CUDA C++, is not found: "
                     "install it (pip install ") +
         kPackage + ", or the CUDA toolkit), or set PTXJIT_NVRTC to " +
         kNames[0];
}
