//===- KernelCompiler.h - compiles the kernels of a text --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_KERNELCOMPILER_H
#define PTXJIT_LIB_RUNTIME_KERNELCOMPILER_H

#include "ptxjit/Cache/KernelCache.h"
#include "ptxjit/Runtime/CompilerABI.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ptxjit {

/// A sink that appends to a string.
inline PtxjitSink toString(std::string &text) {
  return {[](void *user, const char *part, size_t size) {
            static_cast<std::string *>(user)->append(part, size);
          },
          &text};
}

/// Compiles the kernels of a text, each specialization once, and owns their
/// code. Knows no variables, so that threads beside the program may compile on
/// when the module has been destroyed. Thread-safe: different kernels are
/// compiled side by side.
class KernelCompiler {
public:
  KernelCompiler(std::string text, std::string fileName);
  ~KernelCompiler();
  KernelCompiler(const KernelCompiler &) = delete;

  /// Finds the declarations in the cache, or parses the text. Has to come
  /// first. False after errors, which are counted in `numErrors`, unless null.
  bool open(std::string &diagnostics, uint32_t *numErrors);
  const PtxjitModuleInfo &getInfo() const;

  enum class Caller {
    Waits, ///< the program does, so it is shown what takes time
    Beside ///< a thread beside the program
  };
  /// Returns the code of a kernel: what an earlier call has made or is making,
  /// what the cache has, or new code. Null after errors.
  PtxjitImage *compile(const std::string &kernel,
                       const PtxjitSpecialization &spec, Caller caller,
                       std::string &diagnostics);
  /// Returns code to begin with: good code if there is some already, else code
  /// that is compiled fast.
  /// \param spec  that of good code; becomes that of the result.
  PtxjitImage *compileFirst(const std::string &kernel,
                            PtxjitSpecialization &spec, Caller caller,
                            std::string &diagnostics);

  /// Parses the text now if the cache made that unnecessary so far. Null after
  /// errors.
  const PtxjitModule *needModule(std::string &diagnostics);
  /// \pre needModule() has returned a module.
  const PtxjitCompiler &getCompiler() const { return *compiler; }

private:
  struct Work;
  using Key = std::pair<std::string, std::string>;

  bool parse(std::string &diagnostics, uint32_t *numErrors);
  PtxjitImage *find(const std::string &kernel,
                    const PtxjitSpecialization &spec);
  PtxjitImage *findOnDisk(const std::string &kernel,
                          const PtxjitSpecialization &spec);
  PtxjitImage *findOrMake(const std::string &kernel,
                          const PtxjitSpecialization &spec, Caller caller,
                          std::string &diagnostics);

  const std::string text, fileName;
  std::string textHash;
  KernelCache *cache; ///< lives as long as the process; may be null
  /// The declarations, if they came from the cache; else `compiler` has them.
  std::unique_ptr<ModuleRecord> record;

  /// Guards `compiler` and `module`. Held while the text is parsed.
  std::mutex moduleMutex;
  const PtxjitCompiler *compiler = nullptr; ///< null until needed
  PtxjitModule *module = nullptr;           ///< null until needed

  /// Guards the members below. Never held while a kernel is compiled.
  std::mutex mutex;
  /// What has been made or is being made, by name and specialization.
  std::map<Key, std::shared_ptr<Work>> works;
  std::vector<PtxjitImage *> compiled;              ///< owned by the compiler
  std::vector<std::unique_ptr<ImageRecord>> cached; ///< images from the cache
};

} // namespace ptxjit

#endif
