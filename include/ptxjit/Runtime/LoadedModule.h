//===- LoadedModule.h - a loaded PTX module ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_LOADEDMODULE_H
#define PTXJIT_RUNTIME_LOADEDMODULE_H

#include "ptxjit/Runtime/CompilerABI.h"
#include "ptxjit/Runtime/LaunchShape.h"
#include "ptxjit/Runtime/Memory.h"
#include "ptxjit/Runtime/ModuleVariables.h"
#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace ptxjit {

struct ChildLaunch;
class DeviceStreams;
class KernelCompiler;
class SecondTier;

/// How well kernels are compiled.
enum class Tier {
  Auto,  ///< fast; well, beside the program, once that pays (SecondTier.h)
  First, ///< fast
  Second ///< well
};

/// Options of a compilation. `block` and `smallGrid` are overwritten for each
/// launch. The caller owns the strings.
struct KernelOptions : PtxjitSpecialization {
  /// Reads the defaults from the environment variables `PTXJIT_TENSOR`,
  /// `PTXJIT_ORDER`, `PTXJIT_TIER` and `PTXJIT_AHEAD`. An unknown value is
  /// reported once, on stderr.
  KernelOptions();
  /// Auto is Second with another CPU, an injected failure, or `quick`.
  Tier tier;
  /// Whether kernels are compiled when their module is loaded, on threads
  /// beside the program.
  bool ahead;
};

/// A kernel that is compiled for a specialization, with what its launches
/// share. Lives as long as its module.
class CompiledKernel {
public:
  CompiledKernel(const CompiledKernel &) = delete;
  const PtxjitImage &getImage() const { return image; }

private:
  friend class LoadedModule;
  CompiledKernel(const PtxjitKernelInfo &info, const PtxjitSpecialization &spec,
                 const PtxjitImage &image);

  const PtxjitKernelInfo &info;
  const PtxjitImage &image;
  const std::string cpu, inject; ///< which `spec` points to
  PtxjitSpecialization spec;
  /// Addresses of the variables that the image uses, in its order.
  std::vector<uint64_t> globals;
  mutable std::atomic<uint64_t> pace{0};
  /// Better code, of code of the first tier, and that code once it is
  /// published. Set under the module's mutex, read without it.
  std::atomic<SecondTier *> next{nullptr};
  mutable std::atomic<const CompiledKernel *> better{nullptr};
  std::shared_ptr<SecondTier> ownedNext;
};

/// A module's text, its variables in memory, and its compiled kernels, one for
/// each specialization (mostly, each block shape). The compiler is opened only
/// for modules and kernels that the cache on disk does not have. Thread-safe:
/// threads compile different kernels side by side, and wait for each other only
/// if they need the same one.
class LoadedModule {
public:
  /// Parses a text. Below 1 MB all bodies are checked. In larger texts only the
  /// declarations are checked, and that braces, strings and comments are
  /// closed; the statements of a kernel are checked when it is first compiled.
  /// \param options  whether kernels are compiled ahead, and how, as far as
  ///   PTX tells the block shape (.reqntid, .maxntid); else for 256 x 1 x 1
  ///   threads. Launches of other shapes still compile. Without a CPU and an
  ///   injected failure.
  /// \returns null after errors, which are in `diagnostics` and counted in
  ///   `numErrors`.
  static std::unique_ptr<LoadedModule>
  load(std::string text, const std::string &fileName, std::string &diagnostics,
       uint32_t *numErrors = nullptr,
       const KernelOptions &options = KernelOptions());
  ~LoadedModule();
  /// Makes a module of the same text and code, with variables of its own, which
  /// have their initial values. Managed variables are this module's.
  std::unique_ptr<LoadedModule> makeTwin();

  const PtxjitModuleInfo &getInfo() const;
  /// The range that must hold all memory which the kernels can address.
  AddressRange getAddressRange() const;
  /// Null if the module has no kernel of that name.
  const PtxjitKernelInfo *findKernel(const std::string &name) const;

  /// Compiles a kernel for a block shape, or returns the result of an earlier
  /// call. Launches of it use better code once there is some. Null after
  /// errors.
  const CompiledKernel *compile(const std::string &kernel,
                                const uint32_t block[3], const Grid &grid,
                                const KernelOptions &options,
                                std::string &diagnostics);

  /// Compiles a kernel if needed, and runs it. `params` as in launchGrid; they
  /// may lie outside of getAddressRange().
  LaunchStatus launch(const std::string &kernel, const Grid &grid,
                      const uint32_t block[3], const void *params,
                      uint32_t dynamicShared, unsigned threads,
                      const KernelOptions &options, std::string &diagnostics,
                      const LaunchOptions &launchOptions = {});

  /// Runs what compile() returned for the same block shape, and all that its
  /// threads launch. Grid, block and cluster are complete (LaunchShape.h).
  /// `diagnostics` describes a failure.
  LaunchStatus launchCompiled(const CompiledKernel &kernel,
                              const uint32_t block[3], const Grid &grid,
                              const void *params, uint32_t dynamicShared,
                              unsigned threads, std::string &diagnostics,
                              const LaunchOptions &options = {});

  /// Should a launch take no longer than waking a thread, by the times of
  /// earlier ones? False if its threads may wait for others, or for the host.
  bool isShort(const CompiledKernel &kernel, const Grid &grid);
  /// Should a launch take so little that a thread that will wait for it may run
  /// it? False where isShort() is false for another reason than time.
  bool isBrief(const CompiledKernel &kernel, const Grid &grid);

  /// Runs a kernel on the reference interpreter. False after errors.
  bool interpret(const std::string &kernel, const Grid &grid,
                 const uint32_t block[3], const void *params,
                 uint32_t dynamicShared, uint64_t seed,
                 std::string &diagnostics, const LaunchOptions &options = {});

  /// Writes the output of one compiler stage (CompilerABI.h: emit).
  bool emit(const std::string &kernel, const uint32_t block[3],
            const std::string &stage, const KernelOptions &options,
            std::string &output, std::string &diagnostics);

  /// Compiles a kernel for any machine (CompilerABI.h: translate). Null after
  /// errors.
  std::shared_ptr<const PtxjitImage> translate(const std::string &kernel,
                                               const PtxjitSpecialization &spec,
                                               std::string &diagnostics);

  /// Host address of a variable, 0 if there is none.
  uint64_t resolve(const std::string &symbol);
  /// Gives managed variables their initial values again. No kernel may run.
  void resetManaged();
  /// Calls body(address, bytes) for each variable.
  void forEachVariable(
      const std::function<void(uint64_t address, size_t bytes)> &body);

private:
  explicit LoadedModule(std::shared_ptr<KernelCompiler> compiler);
  void compileAhead(const KernelOptions &options);
  LaunchStatus complete(const std::string &kernel, const Grid &grid,
                        const uint32_t block[3], const LaunchOptions &options,
                        LaunchShape &shape, std::string &diagnostics) const;
  LaunchStatus runGrid(const CompiledKernel &kernel, const uint32_t block[3],
                       const Grid &grid, const void *params,
                       uint32_t dynamicShared, unsigned threads,
                       const LaunchOptions &options, DeviceStreams &launched,
                       std::string &diagnostics);
  LaunchStatus runChild(const ChildLaunch &launch, unsigned threads,
                        const LaunchOptions &options, DeviceStreams &launched,
                        std::string &diagnostics);
  KernelCode codeOf(const CompiledKernel &kernel,
                    const uint32_t block[3]) const;
  void findThread(Fault &fault, const PtxjitImage &image,
                  const uint32_t block[3], const Grid &grid, const void *params,
                  uint32_t dynamicShared);

  const CompiledKernel *compileAs(const std::string &kernel,
                                  const PtxjitSpecialization &spec,
                                  std::string &diagnostics);
  const CompiledKernel *compileTiered(const std::string &kernel,
                                      const PtxjitSpecialization &spec,
                                      const Grid &grid,
                                      std::string &diagnostics);
  CompiledKernel *findReady(const std::string &kernel,
                            const PtxjitSpecialization &spec);
  CompiledKernel *publish(const std::string &kernel,
                          const PtxjitSpecialization &spec, PtxjitImage *image);

  class RunningCode;
  const CompiledKernel &bestOf(const CompiledKernel &kernel);

  /// Shared with threads beside the program.
  const std::shared_ptr<KernelCompiler> compiler;

  /// May be used while `mutex` is held.
  ModuleVariables variables;

  /// Guards the members below. Never held while a kernel is compiled.
  std::mutex mutex;
  /// By name: one for each specialization.
  std::unordered_map<std::string, std::vector<std::unique_ptr<CompiledKernel>>>
      kernels;
};

} // namespace ptxjit

#endif
