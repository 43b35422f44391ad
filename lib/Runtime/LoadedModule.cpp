//===- LoadedModule.cpp - a loaded PTX module -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/LoadedModule.h"
#include "CompileQueue.h"
#include "Cpu.h"
#include "KernelCompiler.h"
#include "PerfMap.h"
#include "SecondTier.h"
#include "ptxjit/Runtime/Log.h"
#include "ptxjit/Runtime/Multicast.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace ptxjit;

LoadedModule::LoadedModule(std::shared_ptr<KernelCompiler> compiler)
    : compiler(std::move(compiler)), variables(this->compiler->getInfo()) {}

LoadedModule::~LoadedModule() = default;

std::unique_ptr<LoadedModule> LoadedModule::load(std::string text,
                                                 const std::string &fileName,
                                                 std::string &diagnostics,
                                                 uint32_t *numErrors,
                                                 const KernelOptions &options) {
  auto compiler = std::make_shared<KernelCompiler>(std::move(text), fileName);
  if (!compiler->open(diagnostics, numErrors))
    return nullptr;
  std::unique_ptr<LoadedModule> module(new LoadedModule(std::move(compiler)));
  module->variables.define(module->getInfo().variables,
                           module->getInfo().numVariables);
  if (options.ahead)
    module->compileAhead(options);
  return module;
}

std::unique_ptr<LoadedModule> LoadedModule::makeTwin() {
  const PtxjitModuleInfo &info = getInfo();
  std::unique_ptr<LoadedModule> twin(new LoadedModule(compiler));
  twin->variables.shareManaged(variables);
  twin->variables.define(info.variables, info.numVariables);
  return twin;
}

const PtxjitModuleInfo &LoadedModule::getInfo() const {
  return compiler->getInfo();
}

AddressRange LoadedModule::getAddressRange() const {
  return rangeOf(getInfo());
}

const PtxjitKernelInfo *
LoadedModule::findKernel(const std::string &name) const {
  const PtxjitModuleInfo &info = getInfo();
  for (uint32_t i = 0; i < info.numKernels; ++i)
    if (name == info.kernels[i].name)
      return &info.kernels[i];
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

void LoadedModule::resetManaged() { variables.resetManaged(); }

uint64_t LoadedModule::resolve(const std::string &symbol) {
  return variables.resolve(symbol);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Whether an environment variable is `other` instead of `usual`. Reports
/// values that are neither.
static bool asksFor(const char *variable, const std::string &other,
                    const std::string &usual) {
  const char *text = std::getenv(variable);
  std::string value = text ? text : usual;
  if (value != usual && value != other)
    log(LogKind::Error, std::string(variable) + " is '" + value +
                            "', which is neither " + usual + " nor " + other +
                            ": " + usual);
  return value == other;
}

/// Are kernels compiled when their module is loaded? CUDA has a variable for
/// that, which ours overrules.
static bool mayCompileAhead() {
  const char *loading = std::getenv("CUDA_MODULE_LOADING");
  bool isEager = loading && std::strcmp(loading, "EAGER") == 0;
  return std::getenv("PTXJIT_AHEAD") ? asksFor("PTXJIT_AHEAD", "1", "0")
                                     : isEager;
}

/// What PTXJIT_TIER says.
static Tier askedTier() {
  const char *text = std::getenv("PTXJIT_TIER");
  std::string value = text ? text : "auto";
  if (value == "first")
    return Tier::First;
  if (value == "second")
    return Tier::Second;
  if (value != "auto")
    log(LogKind::Error, "PTXJIT_TIER is '" + value +
                            "', which is neither auto nor first nor second: "
                            "auto");
  return Tier::Auto;
}

static const char *orEmpty(const char *text) { return text ? text : ""; }

KernelOptions::KernelOptions() : PtxjitSpecialization{} {
  static const bool areTilesAllowed = mayUseTiles();
  tiles = areTilesAllowed;
  static const bool fast = asksFor("PTXJIT_TENSOR", "fast", "exact");
  static const bool free = asksFor("PTXJIT_ORDER", "free", "near");
  fastMatrices = fast;
  freeOrder = free;
  static const Tier asked = askedTier();
  tier = asked;
  static const std::string otherCpu = orEmpty(std::getenv("PTXJIT_CPU"));
  cpu = otherCpu.empty() ? nullptr : otherCpu.c_str();
  static const bool isAhead = mayCompileAhead() && otherCpu.empty();
  ahead = isAhead;
}

static bool isSmall(uint32_t ctas, uint32_t threads) {
  return uint64_t(ctas) * threads <= (uint64_t(1) << 31);
}

static PtxjitSpecialization specialize(const uint32_t block[3],
                                       const Grid &grid,
                                       const KernelOptions &options) {
  PtxjitSpecialization spec = options;
  std::memcpy(spec.block, block, sizeof(spec.block));
  spec.smallGrid = isSmall(grid.x, block[0]) && isSmall(grid.y, block[1]) &&
                   isSmall(grid.z, block[2]);
  return spec;
}

static bool isSame(const PtxjitSpecialization &a,
                   const PtxjitSpecialization &b) {
  bool isSame = std::equal(std::begin(a.block), std::end(a.block), b.block);
#define PTXJIT_COMPARE_NUMBER(type, name, flag, meaning)                       \
  isSame = isSame && a.name == b.name;
#define PTXJIT_COMPARE_TEXT(type, name, flag, meaning)                         \
  isSame = isSame && std::strcmp(orEmpty(a.name), orEmpty(b.name)) == 0;
  PTXJIT_PASS_OPTIONS(PTXJIT_COMPARE_NUMBER)
  PTXJIT_COMPILER_OPTIONS(PTXJIT_COMPARE_NUMBER)
  PTXJIT_TEXT_OPTIONS(PTXJIT_COMPARE_TEXT)
#undef PTXJIT_COMPARE_NUMBER
#undef PTXJIT_COMPARE_TEXT
  return isSame;
}

CompiledKernel::CompiledKernel(const PtxjitKernelInfo &info,
                               const PtxjitSpecialization &given,
                               const PtxjitImage &image)
    : info(info), image(image), cpu(orEmpty(given.cpu)),
      inject(orEmpty(given.inject)), spec(given) {
  spec.cpu = cpu.c_str();
  spec.inject = inject.c_str();
}

/// Finds what is ready for launches, or null. Needs `mutex`.
CompiledKernel *LoadedModule::findReady(const std::string &kernel,
                                        const PtxjitSpecialization &spec) {
  auto list = kernels.find(kernel);
  if (list == kernels.end())
    return nullptr;
  for (const std::unique_ptr<CompiledKernel> &each : list->second)
    if (isSame(each->spec, spec))
      return each.get();
  return nullptr;
}

/// Makes an image ready for launches, unless another thread has done so. Needs
/// `mutex`.
CompiledKernel *LoadedModule::publish(const std::string &kernel,
                                      const PtxjitSpecialization &spec,
                                      PtxjitImage *image) {
  if (CompiledKernel *ready = findReady(kernel, spec))
    return ready;
  writePerfMap(*image, spec.block);
  std::unique_ptr<CompiledKernel> made(
      new CompiledKernel(*findKernel(kernel), spec, *image));
  made->globals = variables.resolveGlobals(*image);
  return kernels[kernel].emplace_back(std::move(made)).get();
}

const CompiledKernel *LoadedModule::compileAs(const std::string &kernel,
                                              const PtxjitSpecialization &spec,
                                              std::string &diagnostics) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (const CompiledKernel *ready = findReady(kernel, spec))
      return ready;
  }
  PtxjitImage *image = compiler->compile(
      kernel, spec, KernelCompiler::Caller::Waits, diagnostics);
  std::lock_guard<std::mutex> lock(mutex);
  return image ? publish(kernel, spec, image) : nullptr;
}

//===----------------------------------------------------------------------===//
// Tiers
//===----------------------------------------------------------------------===//

/// For how long the code of the first tier runs before a good compilation
/// should pay.
static std::chrono::nanoseconds worthOf(const PtxjitImage &first) {
  constexpr double least = 20, ratio = 4;
  const PtxjitCompileTimes &t = first.times;
  double ms = ratio * (t.parse + t.lower + t.optimize + t.codegen + t.load);
  return std::chrono::microseconds(int64_t(1000 * std::max(ms, least)));
}

/// May a launch of the first tier's code take long, with no CTAs left that
/// could run better code?
static bool mayTakeLong(const PtxjitImage &first, const PtxjitKernelInfo &info,
                        const Grid &grid) {
  if (!first.hasLoops)
    return false;
  static const uint64_t few = 4 * std::thread::hardware_concurrency();
  bool mayHaveClusters =
      info.cluster[0] || info.maxClusterRank || info.explicitCluster;
  return first.waits || mayHaveClusters ||
         uint64_t(grid.x) * grid.y * grid.z < few;
}

/// Returns the code of the second tier if there is some already, or if the
/// first does not do, else code of the first.
const CompiledKernel *
LoadedModule::compileTiered(const std::string &kernel,
                            const PtxjitSpecialization &spec, const Grid &grid,
                            std::string &diagnostics) {
  PtxjitSpecialization quick = spec;
  quick.quick = true;
  CompiledKernel *first;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (const CompiledKernel *good = findReady(kernel, spec))
      return good;
    first = findReady(kernel, quick);
  }
  if (!first) {
    PtxjitSpecialization made = spec;
    PtxjitImage *image = compiler->compileFirst(
        kernel, made, KernelCompiler::Caller::Waits, diagnostics);
    if (!image)
      return nullptr;
    std::lock_guard<std::mutex> lock(mutex);
    first = publish(kernel, made, image);
  }
  if (!first->image.isFirstTier)
    return first;
  if (mayTakeLong(first->image, first->info, grid))
    return compileAs(kernel, spec, diagnostics);
  if (first->next)
    return first;
  std::lock_guard<std::mutex> lock(mutex);
  if (!first->ownedNext)
    first->ownedNext = std::make_shared<SecondTier>(
        SecondTier::Request{compiler, kernel, spec}, worthOf(first->image));
  first->next = first->ownedNext.get();
  return first;
}

/// The best code for what compile() returned.
const CompiledKernel &LoadedModule::bestOf(const CompiledKernel &kernel) {
  SecondTier *next = kernel.next;
  PtxjitImage *made = next ? next->getImage() : nullptr;
  if (!made)
    return kernel;
  if (const CompiledKernel *better = kernel.better)
    return *better;
  std::lock_guard<std::mutex> lock(mutex);
  const CompiledKernel *better =
      publish(kernel.info.name, next->getSpecialization(), made);
  kernel.better = better;
  return *better;
}

static bool isTiered(const KernelOptions &options) {
  return options.tier == Tier::Auto && !options.quick &&
         !*orEmpty(options.cpu) && !*orEmpty(options.inject);
}

/// What a kernel is compiled for, if its launch shall use one tier.
static PtxjitSpecialization specializeTier(const uint32_t block[3],
                                           const Grid &grid,
                                           const KernelOptions &options) {
  PtxjitSpecialization spec = specialize(block, grid, options);
  spec.quick |= options.tier == Tier::First;
  return spec;
}

const CompiledKernel *LoadedModule::compile(const std::string &kernel,
                                            const uint32_t block[3],
                                            const Grid &grid,
                                            const KernelOptions &options,
                                            std::string &diagnostics) {
  PtxjitSpecialization spec = specializeTier(block, grid, options);
  return isTiered(options) ? compileTiered(kernel, spec, grid, diagnostics)
                           : compileAs(kernel, spec, diagnostics);
}

/// The block that a kernel is compiled for when no launch is known.
static const uint32_t *guessBlock(const PtxjitKernelInfo &kernel) {
  static constexpr uint32_t usual[3] = {256, 1, 1};
  return kernel.reqntid[0]   ? kernel.reqntid
         : kernel.maxntid[0] ? kernel.maxntid
                             : usual;
}

/// Compiles all kernels beside the program. A launch takes over what has not
/// begun when it needs it, and errors are told by the launch.
void LoadedModule::compileAhead(const KernelOptions &options) {
  assert(!options.cpu && !options.inject && "not owned by the jobs");
  const PtxjitModuleInfo &info = getInfo();
  for (uint32_t i = 0; i < info.numKernels; ++i) {
    PtxjitSpecialization spec =
        specializeTier(guessBlock(info.kernels[i]), Grid(), options);
    auto job = [weak = std::weak_ptr(compiler),
                kernel = std::string(info.kernels[i].name), spec,
                tiered = isTiered(options)]() mutable {
      std::shared_ptr<KernelCompiler> compiler = weak.lock();
      if (!compiler) // the module has been unloaded
        return;
      constexpr auto caller = KernelCompiler::Caller::Beside;
      std::string ignored;
      if (tiered)
        compiler->compileFirst(kernel, spec, caller, ignored);
      else
        compiler->compile(kernel, spec, caller, ignored);
    };
    CompileQueue::get().add(std::move(job), /*isUrgent=*/false);
  }
}

void LoadedModule::forEachVariable(
    const std::function<void(uint64_t address, size_t bytes)> &body) {
  const PtxjitModuleInfo &info = getInfo();
  for (uint32_t i = 0; i < info.numVariables; ++i)
    body(resolve(info.variables[i].name), info.variables[i].bytes);
}

bool LoadedModule::interpret(const std::string &kernel, const Grid &given,
                             const uint32_t givenBlock[3], const void *params,
                             uint32_t dynamicShared, uint64_t seed,
                             std::string &diagnostics,
                             const LaunchOptions &options) {
  LaunchShape shape;
  if (complete(kernel, given, givenBlock, options, shape, diagnostics) !=
      LaunchStatus::Ok)
    return false;
  const Grid &grid = shape.grid, &cluster = shape.cluster;
  PtxjitReferenceLaunch launch{};
  launch.explicitCluster = cluster.x != 0;
  launch.cluster[0] = std::max(cluster.x, 1u);
  launch.cluster[1] = std::max(cluster.y, 1u);
  launch.cluster[2] = std::max(cluster.z, 1u);
  launch.grid[0] = grid.x;
  launch.grid[1] = grid.y;
  launch.grid[2] = grid.z;
  std::memcpy(launch.block, shape.block, sizeof(launch.block));
  launch.params = static_cast<const uint8_t *>(params);
  launch.dynamicShared = dynamicShared;
  launch.seed = seed;
  launch.resolve = [](void *user, const char *symbol) {
    return static_cast<LoadedModule *>(user)->resolve(symbol);
  };
  launch.user = this;
  launch.findReplicas = [](uint64_t address, uint64_t *addresses) {
    Replicas replicas;
    findReplicas(address, replicas);
    for (unsigned i = 0; i < replicas.count; ++i)
      addresses[i] = address + replicas.distances[i];
    return uint32_t(replicas.count);
  };
  const PtxjitModule *module = compiler->needModule(diagnostics);
  return module &&
         compiler->getCompiler().interpret(module, kernel.c_str(), &launch,
                                           toString(diagnostics)) == 0;
}

std::shared_ptr<const PtxjitImage>
LoadedModule::translate(const std::string &kernel,
                        const PtxjitSpecialization &spec,
                        std::string &diagnostics) {
  const PtxjitModule *module = compiler->needModule(diagnostics);
  if (!module)
    return nullptr;
  const PtxjitCompiler &functions = compiler->getCompiler();
  PtxjitImage *image =
      functions.translate(module, kernel.c_str(), &spec, toString(diagnostics));
  return {image, [&functions](PtxjitImage *made) {
            if (made)
              functions.destroyImage(made);
          }};
}

bool LoadedModule::emit(const std::string &kernel, const uint32_t block[3],
                        const std::string &stage, const KernelOptions &options,
                        std::string &output, std::string &diagnostics) {
  PtxjitSpecialization spec = specialize(block, Grid(), options);
  const PtxjitModule *module = compiler->needModule(diagnostics);
  return module && compiler->getCompiler().emit(module, kernel.c_str(), &spec,
                                                stage.c_str(), toString(output),
                                                toString(diagnostics)) == 0;
}
