//===- CompilerLoader.cpp - open the compiler library ---------------------===//

#include "ptxjit/Runtime/CompilerLoader.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <vector>

using namespace ptxjit;

/// Folder of the library or program that this code is part of.
static std::string ownFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&ownFolder), &info) || !info.dli_fname)
    return "";
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

const PtxjitCompiler *ptxjit::loadCompiler(std::string &error) {
  static std::mutex mutex;
  static const PtxjitCompiler *compiler = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (compiler)
    return compiler;
  std::vector<std::string> candidates;
  if (const char *path = std::getenv("PTXJIT_COMPILER"))
    candidates.push_back(path);
  std::string folder = ownFolder();
  candidates.push_back(folder + "/" PTXJIT_COMPILER_LIBRARY);
  candidates.push_back(folder + "/../lib/" PTXJIT_COMPILER_LIBRARY);
  candidates.push_back(PTXJIT_COMPILER_LIBRARY);
  void *handle = nullptr;
  for (const std::string &path : candidates) {
    // Now and local: no symbol of LLVM may meet another LLVM in the process.
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle)
      break;
    error = dlerror();
  }
  if (!handle) {
    error = "the compiler library cannot be opened: " + error;
    return nullptr;
  }
  auto get = reinterpret_cast<PtxjitGetCompilerFn>(
      dlsym(handle, PTXJIT_GET_COMPILER));
  compiler = get ? get(PTXJIT_COMPILER_ABI_VERSION) : nullptr;
  if (!compiler)
    error = "the compiler library is of another version";
  return compiler;
}
