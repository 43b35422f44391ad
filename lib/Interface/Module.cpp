//===- Module.cpp - modules of the interface ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Impl.h"
#include "ptxjit/Runtime/CompilerLoader.h"
#include "ptxjit/Runtime/FatBinary.h"
#include "ptxjit/Runtime/LinkedText.h"
#include "ptxjit/Runtime/ReadFile.h"
#include <cstring>

using namespace ptxjit;

Result<Module> Module::load(std::string_view text,
                            const std::string &fileName) {
  auto impl = std::make_shared<Impl>();
  // A NUL ends the text, as it does for the driver's cuModuleLoadData.
  std::string copy(text.substr(0, text.find('\0')));
  impl->loaded = LoadedModule::load(std::move(copy), fileName, impl->warnings);
  if (!impl->loaded) {
    std::string why;
    bool hasCompiler = loadCompiler(why);
    return makeError(hasCompiler ? ErrorCode::InvalidPtx
                                 : ErrorCode::CompilerFailed,
                     impl->warnings);
  }
  return Module(std::move(impl));
}

Result<Module> Module::loadFile(const std::string &path) {
  std::string text;
  if (int error = readFile(path, text))
    return Error(ErrorCode::NotFound, path + ": " + std::strerror(error));
  return load(text, path);
}

Result<Module>
Module::loadFatBinaries(const std::vector<std::string_view> &binaries) {
  std::string diagnostics;
  std::vector<NamedText> texts;
  std::vector<std::string_view> parts = binaries;
  dropLinkedParts(parts);
  for (std::string &text : readContainers(parts, diagnostics))
    texts.push_back({kUnnamedImage, std::move(text)});
  if (texts.empty())
    return makeError(ErrorCode::NotFound, diagnostics);
  return load(joinTexts(std::move(texts)), kUnnamedImage);
}

std::vector<std::string> Module::getKernelNames() const {
  const PtxjitModuleInfo &info = impl->loaded->getInfo();
  std::vector<std::string> names;
  names.reserve(info.numKernels);
  for (uint32_t i = 0; i < info.numKernels; ++i)
    names.push_back(info.kernels[i].name);
  return names;
}

Result<Kernel> Module::getKernel(const std::string &name) const {
  const PtxjitKernelInfo *info = impl->loaded->findKernel(name);
  if (info)
    return Kernel(std::make_shared<Kernel::Impl>(
        Kernel::Impl{impl, info, name, CompileOptions()}));
  std::string message = "there is no kernel '" + name + "'";
  std::string separator = "; the module has: ";
  for (const std::string &other : getKernelNames()) {
    message += separator + other;
    separator = ", ";
  }
  return Error(ErrorCode::NotFound, message);
}

Result<void *> Module::getVariable(const std::string &name) const {
  const PtxjitModuleInfo &info = impl->loaded->getInfo();
  for (uint32_t i = 0; i < info.numVariables; ++i) {
    if (name != info.variables[i].name)
      continue;
    if (uint64_t address = impl->loaded->resolve(name))
      return reinterpret_cast<void *>(address);
    return Error(ErrorCode::OutOfMemory,
                 "there is no room for variable '" + name + "'");
  }
  return Error(ErrorCode::NotFound, "there is no variable '" + name + "'");
}

bool Module::needsLowMemory() const {
  return impl->loaded->getAddressRange() == AddressRange::Low;
}

const std::string &Module::getWarnings() const { return impl->warnings; }
