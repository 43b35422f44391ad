//===- KernelCache.h - compiled modules and kernels on disk -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program has compiled once it need not compile again: a second run
// neither parses nor opens LLVM.
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

/// Bytes that differ for specialisations that differ: the key of what is
/// compiled, in memory and on disk.
std::string keyOf(const PtxjitSpecialization &spec);

/// Owns what the pointers of a record point to.
struct RecordStorage {
  std::deque<std::string> strings;
  std::deque<std::shared_ptr<void>> arrays;
};

/// What a module declares. Its text is the caller's to fill in.
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
  /// The process's cache; null if there is none. In the folder that
  /// PTXJIT_CACHE names (`off`: none), else `ptx-jit` in XDG_CACHE_HOME or
  /// ~/.cache. Never in programs that run with another user's rights.
  ///
  /// \param compilerId  tells one build of the compiler from others.
  /// \param problem  set, by the first call alone, if the folder is not used.
  static KernelCache *get(const std::string &compilerId, std::string &problem);

  KernelCache(CacheDirectory directory, std::string environment)
      : directory(std::move(directory)), environment(std::move(environment)) {}

  /// \param textHash  hashOf(text).
  std::unique_ptr<ModuleRecord> findModule(const std::string &textHash);
  void keepModule(const std::string &textHash, const PtxjitModuleInfo &info);

  /// Specialisations for tests (another CPU, injected failures) are not kept.
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
