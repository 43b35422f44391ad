//===- CompilerLoader.cpp - opens the compiler library --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/CompilerLoader.h"
#include "CompileProgress.h"
#include "FaultScope.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

using namespace ptxjit;

static std::string baseName(const std::string &path) {
  return path.substr(path.rfind('/') + 1);
}

/// Returns the folder of the library or program that contains this code.
static std::string ownFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&ownFolder), &info) || !info.dli_fname)
    return ".";
  std::string path = info.dli_fname;
  // For the program itself, the loader reports argv[0], which the shell may
  // have found by PATH.
  char self[4096];
  ssize_t length =
      path[0] == '/' ? -1 : readlink("/proc/self/exe", self, sizeof self);
  if (length > 0) {
    std::string program(self, size_t(length));
    if (baseName(program) == baseName(path))
      path = program;
  }
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// Returns the paths that the compiler may have, best first.
static std::vector<std::string> listCandidates() {
  std::vector<std::string> candidates;
  if (const char *path = std::getenv("PTXJIT_COMPILER"))
    candidates.push_back(path);
  std::string folder = ownFolder();
  candidates.push_back(folder + "/" PTXJIT_COMPILER_LIBRARY);
  // Installed: beside libptxjit.so, and beside programs.
  candidates.push_back(folder + "/ptx-jit/" PTXJIT_COMPILER_LIBRARY);
  candidates.push_back(folder + "/../lib/ptx-jit/" PTXJIT_COMPILER_LIBRARY);
  candidates.push_back(folder + "/../lib/" PTXJIT_COMPILER_LIBRARY);
  // For the tools in libexec/ptx-jit.
  candidates.push_back(folder + "/../../lib/ptx-jit/" PTXJIT_COMPILER_LIBRARY);
  candidates.push_back(folder + "/../../lib/" PTXJIT_COMPILER_LIBRARY);
  candidates.push_back(PTXJIT_COMPILER_LIBRARY);
  return candidates;
}

std::string ptxjit::identifyCompiler() {
  for (const std::string &path : listCandidates()) {
    struct stat info;
    if (stat(path.c_str(), &info) == 0)
      return std::to_string(info.st_size) + "." +
             std::to_string(info.st_mtim.tv_sec) + "." +
             std::to_string(info.st_mtim.tv_nsec);
  }
  return "";
}

const PtxjitCompiler *ptxjit::loadCompiler(std::string &error) {
  static std::mutex mutex;
  static const PtxjitCompiler *compiler = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (compiler)
    return compiler;
  void *handle = nullptr;
  error.clear();
  for (const std::string &path : listCandidates()) {
    // The library hides its LLVM, so it cannot clash with an LLVM of the
    // process.
    handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle)
      break;
    // An error about an existing file is more useful than one about a missing
    // file.
    const char *why = dlerror();
    if (error.empty() || access(path.c_str(), F_OK) == 0)
      error = why;
  }
  if (!handle) {
    error = "the compiler library cannot be opened: " + error;
    return nullptr;
  }
  auto get =
      reinterpret_cast<PtxjitGetCompilerFn>(dlsym(handle, PTXJIT_GET_COMPILER));
  compiler = get ? get(PTXJIT_COMPILER_ABI_VERSION) : nullptr;
  if (compiler) {
    compiler->setGuard(runGuarded);
    compiler->setListener(CompileProgress::began);
  } else {
    error = "the compiler library is of another version";
  }
  return compiler;
}
