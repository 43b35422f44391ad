//===- AheadModule.cpp - a loaded object ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AheadModule.h"
#include "CpuFeatures.h"
#include "ptxjit/Runtime/Fault.h"
#include "ptxjit/Runtime/ImageCode.h"

#include <cstring>

using namespace ptxjit;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Is the object one for this library? Reads no more than is the same in all
/// versions until that is known.
static AheadError checkVersion(const PtxjitObject &object) {
  if (std::memcmp(object.magic, PTXJIT_AHEAD_MAGIC, sizeof(object.magic)) != 0)
    return {PTXJIT_ERROR_VERSION, "this is no object of 'ptx-jit compile'"};
  auto refuse = [](const char *interface, uint64_t has, uint64_t needed,
                   const std::string &producer) {
    return AheadError{
        PTXJIT_ERROR_VERSION,
        "the object was compiled" + producer + " for version " +
            std::to_string(has) + " of the " + interface +
            ", and this libptxjit-runtime (" PTXJIT_VERSION ") has version " +
            std::to_string(needed) + ": compile it anew with its ptx-jit"};
  };
  if (object.version != PTXJIT_AHEAD_ABI_VERSION)
    return refuse("interface of objects", object.version,
                  PTXJIT_AHEAD_ABI_VERSION, "");
  std::string producer = std::string(" by ") + object.producer;
  if (object.kernelABI != PTXJIT_KERNEL_ABI_VERSION)
    return refuse("interface of kernels", object.kernelABI,
                  PTXJIT_KERNEL_ABI_VERSION, producer);
  if (object.compilerABI != PTXJIT_COMPILER_ABI_VERSION)
    return refuse("interface of the compiler", object.compilerABI,
                  PTXJIT_COMPILER_ABI_VERSION, producer);
  if (object.recordFormat != kRecordFormat)
    return refuse("records of kernels", object.recordFormat, kRecordFormat,
                  producer);
  return {};
}

static AheadError checkCpu(const PtxjitObject &object) {
  std::string missing = describeMissing(object.features, object.sveBits);
  if (missing.empty())
    return {};
  return {PTXJIT_ERROR_CPU, std::string("the kernels of '") + object.fileName +
                                "' were compiled for CPU '" + object.cpu +
                                "'; this machine lacks " + missing};
}

static std::string toBytes(const uint8_t *data, uint64_t bytes) {
  return std::string(reinterpret_cast<const char *>(data), bytes);
}

AheadError AheadModule::readRecords() {
  auto damaged = [&] {
    return AheadError{PTXJIT_ERROR_VERSION, std::string("the object of '") +
                                                object.fileName +
                                                "' is damaged"};
  };
  if (!decode(toBytes(object.module, object.moduleBytes), info, storage))
    return damaged();
  info.text = object.text;
  info.fileName = object.fileName;
  for (uint32_t i = 0; i < object.numVariants; ++i) {
    const PtxjitVariant &variant = object.variants[i];
    Code &code = codes.emplace_back(variant);
    PtxjitImage &image = code.image;
    if (variant.kernel >= info.numKernels ||
        !decode(toBytes(variant.image, variant.imageBytes), image,
                code.storage))
      return damaged();
    auto begin = reinterpret_cast<uint64_t>(variant.code);
    image.entry = reinterpret_cast<PtxjitKernelEntry>(begin + variant.entry);
    image.codeBegin = begin + variant.textBegin;
    image.codeBytes = variant.textBytes;
  }
  return {};
}

AheadError AheadModule::defineVariables() {
  variables = std::make_unique<ModuleVariables>(info);
  variables->define(info.variables, info.numVariables);
  for (uint32_t i = 0; i < info.numVariables; ++i)
    if (!variables->resolve(info.variables[i].name))
      return {PTXJIT_ERROR_OUT_OF_MEMORY,
              std::string("there is no room for variable '") +
                  info.variables[i].name + "'"};
  for (Code &code : codes)
    code.globals = variables->resolveGlobals(code.image);
  return {};
}

std::unique_ptr<AheadModule> AheadModule::load(const PtxjitObject &object,
                                               AheadError &error) {
  std::unique_ptr<AheadModule> module(new AheadModule(object));
  error = checkVersion(object);
  if (!error)
    error = checkCpu(object);
  if (!error)
    error = module->readRecords();
  if (!error)
    error = module->defineVariables();
  return error ? nullptr : std::move(module);
}

AheadError AheadModule::findVariable(const std::string &name, void *&address,
                                     size_t &bytes) {
  for (uint32_t i = 0; i < info.numVariables; ++i) {
    if (name != info.variables[i].name)
      continue;
    address = reinterpret_cast<void *>(variables->resolve(name));
    bytes = info.variables[i].bytes;
    return {};
  }
  return {PTXJIT_ERROR_NOT_FOUND, "there is no variable '" + name + "'"};
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

static PtxjitError codeOf(LaunchStatus status) {
  switch (status) {
  case LaunchStatus::Ok:
    return PTXJIT_OK;
  case LaunchStatus::Trap:
    return PTXJIT_ERROR_TRAP;
  case LaunchStatus::Deadlock:
    return PTXJIT_ERROR_DEADLOCK;
  case LaunchStatus::Illegal:
    return PTXJIT_ERROR_ILLEGAL_INSTRUCTION;
  case LaunchStatus::StackOverflow:
    return PTXJIT_ERROR_STACK_OVERFLOW;
  case LaunchStatus::IllegalAddress:
    return PTXJIT_ERROR_ILLEGAL_ADDRESS;
  case LaunchStatus::MisalignedAddress:
    return PTXJIT_ERROR_MISALIGNED_ADDRESS;
  case LaunchStatus::Assert:
    return PTXJIT_ERROR_ASSERTION;
  case LaunchStatus::InvalidValue:
  case LaunchStatus::InvalidCluster:
    return PTXJIT_ERROR_INVALID_ARGUMENT;
  case LaunchStatus::OutOfResources:
    return PTXJIT_ERROR_OUT_OF_MEMORY;
  }
  return PTXJIT_ERROR_INVALID_ARGUMENT;
}

static std::string nameOf(const PtxjitKernelInfo &kernel) {
  return std::string("kernel '") + kernel.name + "': ";
}

static std::string describeBlock(const uint32_t block[3]) {
  return std::to_string(block[0]) + " x " + std::to_string(block[1]) + " x " +
         std::to_string(block[2]);
}

/// 0 in y and z stands for 1.
static Grid toGrid(const PtxjitExtents &extents) {
  return {extents.x, extents.y ? extents.y : 1, extents.z ? extents.z : 1};
}

AheadError AheadModule::complete(const PtxjitKernelInfo &kernel,
                                 const PtxjitLaunch &launch,
                                 LaunchShape &shape) const {
  Grid block = toGrid(launch.block);
  shape.grid = toGrid(launch.grid);
  shape.block[0] = block.x;
  shape.block[1] = block.y;
  shape.block[2] = block.z;
  if (launch.cluster.x)
    shape.cluster = toGrid(launch.cluster);
  if (!isValidGrid(shape.grid))
    return {PTXJIT_ERROR_INVALID_ARGUMENT,
            nameOf(kernel) + describe(LaunchStatus::InvalidValue)};
  std::string why;
  LaunchStatus status = completeShape(kernel, shape, why);
  if (status == LaunchStatus::Ok)
    return {};
  return {codeOf(status), nameOf(kernel) + why};
}

static bool isSmall(uint32_t ctas, uint32_t threads) {
  return uint64_t(ctas) * threads <= (uint64_t(1) << 31);
}

static bool isSmall(const LaunchShape &shape) {
  return isSmall(shape.grid.x, shape.block[0]) &&
         isSmall(shape.grid.y, shape.block[1]) &&
         isSmall(shape.grid.z, shape.block[2]);
}

static bool serves(const PtxjitVariant &variant, const uint32_t block[3]) {
  if (variant.anyBlock == PTXJIT_ANY_BLOCK_ALL)
    return true;
  if (variant.anyBlock == PTXJIT_ANY_BLOCK_ROW)
    return block[1] == 1 && block[2] == 1;
  return std::memcmp(variant.block, block, sizeof(variant.block)) == 0;
}

/// The blocks that a kernel was compiled for, for an error.
std::string AheadModule::listBlocks(uint32_t kernel) const {
  std::string list;
  for (const Code &code : codes)
    if (code.variant.kernel == kernel)
      list += (list.empty() ? "" : ", ") +
              (code.variant.anyBlock ? "N x 1 x 1"
                                     : describeBlock(code.variant.block));
  return list;
}

/// Finds the best code for a block: variants for any block come last.
AheadModule::Code *AheadModule::findCode(uint32_t kernel,
                                         const LaunchShape &shape,
                                         AheadError &error) {
  const std::string name = nameOf(info.kernels[kernel]);
  for (Code &code : codes) {
    if (code.variant.kernel != kernel || !serves(code.variant, shape.block))
      continue;
    if (!code.variant.isSmallGrid || isSmall(shape))
      return &code;
    error = {PTXJIT_ERROR_INVALID_ARGUMENT,
             name + "the grid has more than 2147483648 threads in a dimension: "
                    "compile with --large-grids"};
    return nullptr;
  }
  error = {PTXJIT_ERROR_INVALID_ARGUMENT,
           name + "it was not compiled for blocks of " +
               describeBlock(shape.block) + " threads, but for " +
               listBlocks(kernel)};
  return nullptr;
}

AheadError AheadModule::run(Code &code, const LaunchShape &shape,
                            const PtxjitLaunch &launch, const void *params) {
  KernelCode kernel = describeCode(code.image, shape.block);
  kernel.range = rangeOf(info);
  kernel.globals = code.globals.data();
  kernel.pace = &code.pace;
  kernel.options.cooperative = launch.isCooperative != 0;
  kernel.options.cluster = shape.cluster;
  Fault fault;
  LaunchStatus status =
      launchGrid(kernel, shape.grid, params, launch.sharedBytes,
                 launch.numWorkers, &fault);
  if (status == LaunchStatus::Ok)
    return {};
  fault.status = status;
  return {codeOf(status), describeFault(fault, code.image, info.text,
                                        info.fileName, shape.block)};
}

AheadError AheadModule::launch(uint32_t kernel, const PtxjitLaunch &launch,
                               const void *params, size_t paramBytes) {
  if (kernel >= info.numKernels)
    return {PTXJIT_ERROR_INVALID_ARGUMENT,
            "the object of '" + std::string(info.fileName) + "' has " +
                std::to_string(info.numKernels) + " kernels, and no number " +
                std::to_string(kernel)};
  const PtxjitKernelInfo &called = info.kernels[kernel];
  if (paramBytes < called.paramBytes || (called.paramBytes && !params))
    return {PTXJIT_ERROR_INVALID_ARGUMENT,
            nameOf(called) + "its parameters have " +
                std::to_string(called.paramBytes) + " bytes, not " +
                std::to_string(paramBytes)};
  LaunchShape shape;
  if (AheadError error = complete(called, launch, shape))
    return error;
  AheadError error;
  Code *code = findCode(kernel, shape, error);
  if (!code)
    return error;
  // Kernels read them at multiples of 16 bytes, and may read a bit further.
  std::vector<__uint128_t> aligned(called.paramBytes / sizeof(__uint128_t) + 1);
  if (called.paramBytes)
    std::memcpy(aligned.data(), params, called.paramBytes);
  return run(*code, shape, launch, aligned.data());
}
