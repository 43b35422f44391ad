//===- LoadedModule.h - a loaded PTX module ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_LOADEDMODULE_H
#define PTXJIT_RUNTIME_LOADEDMODULE_H

#include "ptxjit/Cache/KernelCache.h"
#include "ptxjit/Runtime/CompilerABI.h"
#include "ptxjit/Runtime/LaunchShape.h"
#include "ptxjit/Runtime/Memory.h"
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace ptxjit {

/// How to compile, beyond what the launch says: `block` and `smallGrid` are
/// filled in for each. Texts are the caller's.
struct KernelOptions : PtxjitSpecialization {
  /// As the environment says: `PTXJIT_TENSOR`, `PTXJIT_ORDER`. A value that is
  /// none of theirs is told once, on stderr.
  KernelOptions();
};

/// A module's text, its variables in memory, and the kernels compiled from it
/// so far, one for each block shape. What the cache on disk has is neither
/// parsed nor compiled. Thread-safe.
class LoadedModule {
public:
  /// Parses and, for texts below 1 MB, checks all bodies. Of larger ones the
  /// declarations are checked, and that braces, strings and comments end; the
  /// statements kernel by kernel at first launch. Null after errors;
  /// diagnostics and the number of errors are stored.
  static std::unique_ptr<LoadedModule> load(const std::string &text,
                                            const std::string &fileName,
                                            std::string &diagnostics,
                                            uint32_t *numErrors = nullptr);
  ~LoadedModule();

  const PtxjitModuleInfo &getInfo() const;
  /// Where all memory has to lie that the module's kernels are given.
  AddressRange getAddressRange() const;
  /// Null if there is none of that name.
  const PtxjitKernelInfo *findKernel(const std::string &name) const;

  /// Compiles a kernel for a block shape, or returns what was compiled before.
  /// Null after errors. Lives as long as the module.
  const PtxjitImage *compile(const std::string &kernel, const uint32_t block[3],
                             const Grid &grid, const KernelOptions &options,
                             std::string &diagnostics);

  /// Compiles if need be and runs. `params` as in launchGrid, anywhere.
  LaunchStatus launch(const std::string &kernel, const Grid &grid,
                      const uint32_t block[3], const void *params,
                      uint32_t dynamicShared, unsigned threads,
                      const KernelOptions &options, std::string &diagnostics,
                      const LaunchOptions &launchOptions = {});

  /// Runs an image that compile() gave for that block shape. Grid, block and
  /// cluster are complete (LaunchShape.h).
  /// A failure is described in `diagnostics`.
  LaunchStatus launchImage(const PtxjitImage &image, const uint32_t block[3],
                           const Grid &grid, const void *params,
                           uint32_t dynamicShared, unsigned threads,
                           std::string &diagnostics,
                           const LaunchOptions &options = {});

  /// Runs on the reference interpreter instead. False after errors.
  bool interpret(const std::string &kernel, const Grid &grid,
                 const uint32_t block[3], const void *params,
                 uint32_t dynamicShared, uint64_t seed,
                 std::string &diagnostics, const LaunchOptions &options = {});

  /// Writes one stage of the compiler for a kernel (CompilerABI.h: emit).
  bool emit(const std::string &kernel, const uint32_t block[3],
            const std::string &stage, const KernelOptions &options,
            std::string &output, std::string &diagnostics);

  /// Address of a variable, 0 if there is none.
  uint64_t resolve(const std::string &symbol);
  /// Calls body(address, bytes) for each variable.
  void forEachVariable(
      const std::function<void(uint64_t address, size_t bytes)> &body);

private:
  LoadedModule(std::string text, std::string fileName);
  bool parse(std::string &diagnostics, uint32_t *numErrors);
  bool needCompiler(std::string &diagnostics);
  uint64_t addressOf(const std::string &symbol);
  uint64_t findVariable(const std::string &symbol) const;
  void define(const PtxjitVariable &variable);
  void relocate(const PtxjitVariable &variable);
  void defineAll(const PtxjitVariable *list, uint32_t count);
  LaunchStatus complete(const std::string &kernel, const Grid &grid,
                        const uint32_t block[3], const LaunchOptions &options,
                        LaunchShape &shape, std::string &diagnostics) const;
  KernelCode codeOf(const PtxjitImage &image, const uint32_t block[3]);
  void findThread(Fault &fault, const PtxjitImage &image,
                  const uint32_t block[3], const Grid &grid, const void *params,
                  uint32_t dynamicShared);

  PtxjitImage *findOrCompile(const std::string &kernel,
                             const PtxjitSpecialization &spec,
                             std::string &diagnostics);
  PtxjitImage *compileLocked(const std::string &kernel, const uint32_t block[3],
                             const Grid &grid, const KernelOptions &options,
                             std::string &diagnostics);

  std::string text, fileName, textHash;
  KernelCache *cache = nullptr;
  /// What the module declares: of the cache, or of the compiler.
  std::unique_ptr<ModuleRecord> record;
  const PtxjitCompiler *compiler = nullptr; ///< null until it is needed
  PtxjitModule *module = nullptr;           ///< likewise

  /// Of what follows, up to `variables`. Held while a kernel is compiled.
  std::mutex mutex;
  /// By name and specialisation.
  std::map<std::pair<std::string, std::string>, PtxjitImage *> kernels;
  std::vector<PtxjitImage *> compiled; ///< those that the compiler owns
  std::vector<std::unique_ptr<ImageRecord>> cached; ///< all others
  /// What launches of an image share.
  struct Shared {
    /// Addresses of the variables it uses, in its order.
    std::vector<uint64_t> globals;
    std::atomic<uint64_t> pace{0};
  };
  std::map<const PtxjitImage *, Shared> shared;

  /// Of `variables` alone, so that nobody who asks for one waits for a kernel.
  /// Taken inside `mutex`, never around it.
  std::mutex variablesMutex;
  std::map<std::string, DeviceBuffer> variables;
};

} // namespace ptxjit

#endif
