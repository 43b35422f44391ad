//===- KernelCache.h - compiled modules and kernels on disk -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program compiles each kernel once: its next run finds modules and kernels
// here, and neither parses them nor opens LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_CACHE_KERNELCACHE_H
#define PTXJIT_CACHE_KERNELCACHE_H

#include "ptxjit/Cache/CacheDirectory.h"
#include "ptxjit/Cache/ObjectImage.h"
#include "ptxjit/Runtime/CompilerABI.h"

#include <deque>
#include <memory>
#include <vector>

namespace ptxjit {

/// Returns a key that differs between different specializations. Kernels are
/// found by it in memory and on disk.
std::string keyOf(const PtxjitSpecialization &spec);

/// Owns the objects that the pointers of a record point to.
struct RecordStorage {
  std::deque<std::string> strings;
  std::deque<std::shared_ptr<void>> arrays;
};

/// The declarations of a module. The caller fills in the text.
struct ModuleRecord {
  PtxjitModuleInfo info{};
  RecordStorage storage;
};

/// A compiled kernel, mapped and ready to run.
struct ImageRecord {
  PtxjitImage image{};
  std::unique_ptr<ObjectImage> code;
  RecordStorage storage;
};

class KernelCache {
public:
  /// The cache of the process, in the folder of PTXJIT_CACHE, else in `ptx-jit`
  /// of XDG_CACHE_HOME or ~/.cache. Null if PTXJIT_CACHE is `off` or `0`, if
  /// the folder is refused, or if the program runs with another user's rights.
  ///
  /// \param compilerId  identifies the build of the compiler.
  /// \param problem  set if the folder is refused, by the first call only.
  static KernelCache *get(const std::string &compilerId, std::string &problem);

  KernelCache(CacheDirectory directory, std::string environment)
      : directory(std::move(directory)), environment(std::move(environment)) {}

  /// \param textHash  hashOf(text).
  std::unique_ptr<ModuleRecord> findModule(const std::string &textHash);
  void keepModule(const std::string &textHash, const PtxjitModuleInfo &info);

  /// Specializations for tests (another CPU, injected failures) and images of
  /// the fallback are not stored.
  std::unique_ptr<ImageRecord> findImage(const std::string &textHash,
                                         const std::string &kernel,
                                         const PtxjitSpecialization &spec);
  void keepImage(const std::string &textHash, const std::string &kernel,
                 const PtxjitSpecialization &spec, const PtxjitImage &image);

private:
  std::string fileOf(const char *kind, const std::string &textHash,
                     const std::string &rest) const;
  CacheDirectory directory;
  std::string environment; ///< compiler, CPU, versions
};

} // namespace ptxjit

#endif
