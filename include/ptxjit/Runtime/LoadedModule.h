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
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ptxjit {

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

  const PtxjitModuleInfo &getInfo() const;
  /// The range that must hold all memory which the kernels can address.
  AddressRange getAddressRange() const;
  /// Null if the module has no kernel of that name.
  const PtxjitKernelInfo *findKernel(const std::string &name) const;

  /// Compiles a kernel for a block shape, or returns the image of an earlier
  /// call. The image lives as long as the module. Launches of it use better
  /// code once there is some. Null after errors.
  const PtxjitImage *compile(const std::string &kernel, const uint32_t block[3],
                             const Grid &grid, const KernelOptions &options,
                             std::string &diagnostics);

  /// Compiles a kernel if needed, and runs it. `params` as in launchGrid; they
  /// may lie outside of getAddressRange().
  LaunchStatus launch(const std::string &kernel, const Grid &grid,
                      const uint32_t block[3], const void *params,
                      uint32_t dynamicShared, unsigned threads,
                      const KernelOptions &options, std::string &diagnostics,
                      const LaunchOptions &launchOptions = {});

  /// Runs an image that compile() returned for the same block shape. Grid,
  /// block and cluster are complete (LaunchShape.h). `diagnostics` describes a
  /// failure.
  LaunchStatus launchImage(const PtxjitImage &image, const uint32_t block[3],
                           const Grid &grid, const void *params,
                           uint32_t dynamicShared, unsigned threads,
                           std::string &diagnostics,
                           const LaunchOptions &options = {});

  /// Should a launch of an image take no longer than waking a thread, by the
  /// times of earlier ones? False if its threads may wait for others, or for
  /// the host.
  bool isShort(const PtxjitImage &image, const Grid &grid);

  /// Runs a kernel on the reference interpreter. False after errors.
  bool interpret(const std::string &kernel, const Grid &grid,
                 const uint32_t block[3], const void *params,
                 uint32_t dynamicShared, uint64_t seed,
                 std::string &diagnostics, const LaunchOptions &options = {});

  /// Writes the output of one compiler stage (CompilerABI.h: emit).
  bool emit(const std::string &kernel, const uint32_t block[3],
            const std::string &stage, const KernelOptions &options,
            std::string &output, std::string &diagnostics);

  /// Host address of a variable, 0 if there is none.
  uint64_t resolve(const std::string &symbol);
  /// Calls body(address, bytes) for each variable.
  void forEachVariable(
      const std::function<void(uint64_t address, size_t bytes)> &body);

private:
  LoadedModule(std::string text, std::string fileName);
  void compileAhead(const KernelOptions &options);
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

  PtxjitImage *compileAs(const std::string &kernel,
                         const PtxjitSpecialization &spec,
                         std::string &diagnostics);
  PtxjitImage *compileTiered(const std::string &kernel,
                             const PtxjitSpecialization &spec, const Grid &grid,
                             std::string &diagnostics);
  PtxjitImage *findReady(const std::string &kernel,
                         const PtxjitSpecialization &spec);
  PtxjitImage *publish(const std::string &kernel,
                       const PtxjitSpecialization &spec, PtxjitImage *image);

  class RunningCode;
  const PtxjitImage &bestOf(const PtxjitImage &image);
  SecondTier *nextOf(const PtxjitImage &image);

  /// Shared with threads beside the program.
  const std::shared_ptr<KernelCompiler> compiler;

  /// Guards the members below, up to `variablesMutex`. Never held while a
  /// kernel is compiled.
  std::mutex mutex;
  /// The key is the name and the specialization.
  std::map<std::pair<std::string, std::string>, PtxjitImage *> kernels;
  /// State that all launches of an image share.
  struct Shared {
    /// Addresses of the variables that the image uses, in its order.
    std::vector<uint64_t> globals;
    std::atomic<uint64_t> pace{0};
    std::shared_ptr<SecondTier> next; ///< of code of the first tier
    PtxjitImage *better = nullptr;    ///< that of `next`, once published
  };
  std::map<const PtxjitImage *, Shared> shared;

  /// Guards `variables`. May be taken while `mutex` is held, never the other
  /// way round.
  std::mutex variablesMutex;
  std::map<std::string, DeviceBuffer> variables;
};

} // namespace ptxjit

#endif
