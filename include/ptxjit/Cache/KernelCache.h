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
#include "ptxjit/Cache/Records.h"
#include "ptxjit/Runtime/CompilerABI.h"

#include <memory>
#include <vector>

namespace ptxjit {

/// Returns a key that differs between different specializations. Kernels are
/// found by it in memory and on disk.
std::string keyOf(const PtxjitSpecialization &spec);

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

/// Who can use compiled code. Part of the key of each entry.
struct CacheEnvironment {
  std::string build; ///< of the compiler, with the versions of its interfaces
  std::string cpu;   ///< for people: the CPU's name
  std::string cpuId; ///< differs between CPUs of different features
};

/// \param compilerId  identifies the build of the compiler.
CacheEnvironment describeEnvironment(const std::string &compilerId);

/// What `ptx-jit cache` says of an entry. It stands in front of the record;
/// programs find entries by their keys and skip it.
struct EntryLabel {
  std::string textHash; ///< of the module
  std::string name;     ///< of the kernel; of a module, its target
  std::string options;  ///< of the compilation, the default ones left out
  uint32_t block[3] = {0, 0, 0};
  uint32_t chunk = 0; ///< lanes per vector
  CacheEnvironment environment;
};

/// An entry of a folder, as listEntries() finds it.
struct ListedEntry {
  enum class State { Usable, OtherCpu, OtherBuild, Damaged };
  CacheFile file;
  bool isKernel; ///< else a module
  State state;
  EntryLabel label; ///< empty if the entry is damaged
};

/// Reads all entries. Files of other names are left out.
std::vector<ListedEntry> listEntries(const CacheDirectory &directory,
                                     const CacheEnvironment &here);

/// The folder of the user's own cache: PTXJIT_CACHE, else `ptx-jit` in
/// XDG_CACHE_HOME or ~/.cache. Empty if PTXJIT_CACHE is `off` or `0`, or if
/// there is no home.
std::string getOwnFolder();
/// PTXJIT_CACHE_SHARED; empty if it is not set, or if PTXJIT_CACHE is `off` or
/// `0`.
std::string getSharedFolder();
/// The limit of the user's own cache.
inline constexpr uint64_t kMostCacheBytes = uint64_t(512) << 20;

/// Finds modules and kernels in folders, in one after the other. New entries go
/// to the first folder, if it is not one that is only read. Thread-safe.
class KernelCache {
public:
  /// The cache of the process: the user's own folder, then the shared one. A
  /// folder that is refused is left out. Null if none is left, or if the
  /// program runs with another user's rights.
  ///
  /// \param compilerId  identifies the build of the compiler.
  /// \param problems  the first call adds a line for each folder that is
  ///   refused.
  static KernelCache *get(const std::string &compilerId,
                          std::vector<std::string> &problems);
  /// Makes a shared folder, which this user fills, the one folder of the
  /// process. Has to come before the first get().
  /// \param why  set on failure.
  static bool fillShared(const std::string &compilerId,
                         const std::string &folder, std::string &why);

  KernelCache(std::vector<CacheDirectory> folders, CacheEnvironment environment)
      : folders(std::move(folders)), environment(std::move(environment)) {}

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

  /// How many entries could not be written.
  uint64_t countUnwritten() const { return unwritten; }

private:
  std::string fileOf(const char *kind, const std::string &textHash,
                     const std::string &rest) const;
  void keep(const std::string &file, const std::string &content);

  std::vector<CacheDirectory> folders; ///< at least one
  CacheEnvironment environment;
  std::atomic<uint64_t> unwritten{0};
};

} // namespace ptxjit

#endif
