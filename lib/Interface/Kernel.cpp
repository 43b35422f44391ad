//===- Kernel.cpp - kernels of the interface ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Impl.h"
#include <algorithm>
#include <cstring>
#include <iterator>

using namespace ptxjit;

CompileOptions::CompileOptions() {
  KernelOptions environment;
  hasFastTensors = environment.fastMatrices;
  hasFreeOrder = environment.freeOrder;
}

//===----------------------------------------------------------------------===//
// What a kernel is
//===----------------------------------------------------------------------===//

const std::string &Kernel::getName() const { return impl->name; }

static size_t bytesOf(const PtxjitParam &param) {
  return size_t(param.elementBytes) * param.count;
}

std::vector<Parameter> Kernel::getParameters() const {
  std::vector<Parameter> list;
  for (uint32_t i = 0; i < impl->info->numParams; ++i) {
    const PtxjitParam &param = impl->info->params[i];
    list.push_back(
        {param.name, param.type, size_t(param.count), bytesOf(param)});
  }
  return list;
}

static Dim3 toDim3(const uint32_t (&extents)[3]) {
  return {extents[0], extents[1], extents[2]};
}
Dim3 Kernel::getRequiredBlock() const { return toDim3(impl->info->reqntid); }
Dim3 Kernel::getMaxBlock() const { return toDim3(impl->info->maxntid); }

Kernel Kernel::withOptions(CompileOptions options) const {
  auto copy = std::make_shared<Impl>(*impl);
  copy->options = std::move(options);
  return Kernel(std::move(copy));
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

Argument::Argument(Kind kind, const void *value, size_t bytes)
    : kind(kind), bytes(bytes) {
  if (kind == Kind::Bytes || bytes > sizeof(number))
    data = value;
  else
    std::memcpy(&number, value, bytes);
}

static std::string nameParameter(const PtxjitParam &param) {
  std::string text = std::string(".") + param.type + " " + param.name;
  return param.count == 1 ? text
                          : text + "[" + std::to_string(param.count) + "]";
}

static std::string nameArgument(const Argument &argument) {
  static const char *const kinds[] = {"an integer", "a floating-point number",
                                      "a pointer", "a struct"};
  return std::string(kinds[int(argument.getKind())]) + " of " +
         std::to_string(argument.getBytes()) + " bytes";
}

/// Types of PTX say what a register holds: floating point, or not. `.b32` may
/// be anything, and so may the bytes of an array.
static bool fits(const PtxjitParam &param, const Argument &argument,
                 size_t bytes) {
  if (bytesOf(param) != bytes)
    return false;
  bool isFloat = param.type[0] == 'f' && param.count == 1;
  bool isInteger =
      (param.type[0] == 'u' || param.type[0] == 's') && param.count == 1;
  switch (argument.getKind()) {
  case Argument::Kind::Integer:
  case Argument::Kind::Pointer:
    return !isFloat;
  case Argument::Kind::Float:
    return !isInteger;
  case Argument::Kind::Bytes:
    return true;
  }
  return false;
}

Error Kernel::Impl::layOut(const std::vector<Argument> &arguments,
                           ParamBlock &block) const {
  if (arguments.size() != info->numParams) {
    std::string message = "kernel '" + name + "' takes " +
                          std::to_string(info->numParams) + " arguments, " +
                          std::to_string(arguments.size()) + " are given";
    for (uint32_t i = 0; i < info->numParams; ++i)
      message += (i ? ", " : ": ") + nameParameter(info->params[i]);
    return Error(ErrorCode::InvalidArgument, message);
  }
  bool isLow = module->loaded->getAddressRange() == AddressRange::Low;
  block.assign(info->paramBytes / 8 + 2, 0);
  for (uint32_t i = 0; i < info->numParams; ++i) {
    const PtxjitParam &param = info->params[i];
    const Argument &argument = arguments[i];
    bool isPointer = argument.getKind() == Argument::Kind::Pointer;
    // Of low memory, the lower half of a pointer is all of it.
    bool isHalf = isPointer && isLow && bytesOf(param) == 4;
    size_t bytes = isHalf ? 4 : argument.getBytes();
    if (!fits(param, argument, bytes))
      return Error(ErrorCode::InvalidArgument,
                   "kernel '" + name + "': parameter " + std::to_string(i + 1) +
                       " is " + nameParameter(param) + ", the argument " +
                       nameArgument(argument));
    char *at = reinterpret_cast<char *>(block.data()) + param.offset;
    std::memcpy(at, argument.getData(), bytes);
  }
  return Error();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

KernelOptions Kernel::Impl::getOptions() const {
  KernelOptions out;
  out.chunk = options.chunk;
  out.cpu = options.cpu.c_str();
  out.quick = options.isQuick;
  out.fastMatrices = options.hasFastTensors;
  out.freeOrder = options.hasFreeOrder;
  out.inject = options.failAt.c_str();
  out.warps = options.warps == CompileOptions::Warps::Wide ? PTXJIT_WARPS_WIDE
              : options.warps == CompileOptions::Warps::Narrow
                  ? PTXJIT_WARPS_NARROW
                  : PTXJIT_WARPS_BY_COST;
  out.atLeast =
      options.mode == CompileOptions::Mode::Threads  ? PTXJIT_MODE_THREADS
      : options.mode == CompileOptions::Mode::Fibers ? PTXJIT_MODE_FIBERS
                                                     : PTXJIT_MODE_WARP_LOOP;
  return out;
}

static Grid toGrid(const Dim3 &extents) {
  return {extents.x, extents.y, extents.z};
}

Error Kernel::Impl::complete(const LaunchConfig &config,
                             LaunchShape &shape) const {
  shape = {toGrid(config.grid),
           {config.block.x, config.block.y, config.block.z},
           toGrid(config.cluster)};
  std::string why;
  LaunchStatus status = completeShape(*info, shape, why);
  return makeError(status, "kernel '" + name + "': " + why);
}

Result<const CompiledKernel *> Kernel::Impl::compile(const LaunchConfig &config,
                                                     const KernelOptions &how,
                                                     LaunchShape &shape) const {
  if (Error error = complete(config, shape))
    return error;
  std::string text;
  const CompiledKernel *compiled =
      module->loaded->compile(name, shape.block, shape.grid, how, text);
  if (!compiled)
    return makeError(ErrorCode::CompilerFailed, text);
  return compiled;
}

static LaunchOptions optionsOf(const LaunchConfig &config) {
  LaunchOptions options;
  options.cooperative = config.isCooperative;
  options.cluster = toGrid(config.cluster);
  return options;
}

Error Kernel::Impl::run(const LaunchConfig &config,
                        const ParamBlock &block) const {
  LaunchShape shape;
  Result<const CompiledKernel *> compiled =
      compile(config, getOptions(), shape);
  if (!compiled)
    return compiled.getError();
  LaunchOptions options = optionsOf(config);
  options.cluster = shape.cluster;
  std::string text;
  LaunchStatus status = module->loaded->launchCompiled(
      **compiled, shape.block, shape.grid, block.data(),
      config.dynamicSharedBytes, config.numWorkers, text, options);
  return makeError(status, text);
}

Error Kernel::launchList(const LaunchConfig &config,
                         const std::vector<Argument> &arguments) const {
  ParamBlock block;
  if (Error error = impl->layOut(arguments, block))
    return error;
  return impl->run(config, block);
}

Error Kernel::interpret(const LaunchConfig &config,
                        const std::vector<Argument> &arguments) const {
  ParamBlock params;
  if (Error error = impl->layOut(arguments, params))
    return error;
  LaunchShape shape;
  if (Error error = impl->complete(config, shape))
    return error;
  uint32_t block[3] = {config.block.x, config.block.y, config.block.z};
  std::string text;
  if (impl->module->loaded->interpret(impl->name, toGrid(config.grid), block,
                                      params.data(), config.dynamicSharedBytes,
                                      /*seed=*/0, text, optionsOf(config)))
    return Error();
  return makeError(ErrorCode::Trap, text);
}

static CompiledInfo toInfo(const PtxjitImage &image) {
  const PtxjitCompileTimes &t = image.times;
  return {describe(PtxjitMode(image.mode), image.strandThreads),
          image.reason,
          image.chunk,
          size_t(image.codeBytes),
          image.degraded != 0,
          t.parse,
          t.lower,
          t.optimize,
          t.codegen,
          t.load,
          size_t(image.instructions),
          size_t(image.operations)};
}

/// Who compiles ahead of a launch has the time to compile well.
static KernelOptions compileAhead(KernelOptions options) {
  if (options.tier == Tier::Auto)
    options.tier = Tier::Second;
  return options;
}

Result<CompiledInfo> Kernel::compile(const LaunchConfig &config) const {
  LaunchShape shape;
  Result<const CompiledKernel *> compiled =
      impl->compile(config, compileAhead(impl->getOptions()), shape);
  if (!compiled)
    return compiled.getError();
  return toInfo((*compiled)->getImage());
}

Result<CompiledInfo> Kernel::compileForBlock(Dim3 block) const {
  // Code does not depend on the clusters that the launch will have.
  PtxjitKernelInfo info = *impl->info;
  std::fill(std::begin(info.cluster), std::end(info.cluster), 0);
  info.maxClusterRank = info.explicitCluster = info.blocksAreClusters = 0;
  LaunchShape shape = {Grid(), {block.x, block.y, block.z}, {0, 0, 0}};
  std::string why;
  LaunchStatus status = completeShape(info, shape, why);
  if (status != LaunchStatus::Ok)
    return makeError(status, "kernel '" + impl->name + "': " + why);
  std::string text;
  const CompiledKernel *compiled =
      impl->module->loaded->compile(impl->name, shape.block, shape.grid,
                                    compileAhead(impl->getOptions()), text);
  if (!compiled)
    return makeError(ErrorCode::CompilerFailed, text);
  return toInfo(compiled->getImage());
}

Result<std::string> Kernel::emit(const std::string &stage,
                                 const LaunchConfig &config) const {
  LaunchShape shape;
  if (Error error = impl->complete(config, shape))
    return error;
  std::string output, text;
  if (!impl->module->loaded->emit(impl->name, shape.block, stage,
                                  impl->getOptions(), output, text))
    return makeError(ErrorCode::CompilerFailed, text);
  return output;
}
