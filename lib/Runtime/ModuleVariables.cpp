//===- ModuleVariables.cpp - the variables of a module in memory ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/ModuleVariables.h"

#include <cstring>

using namespace ptxjit;

AddressRange ptxjit::rangeOf(const PtxjitModuleInfo &module) {
  return module.addressBits == 32 ? AddressRange::Low : AddressRange::All;
}

/// Allocates all variables, then fills addresses into the new ones. The lock
/// hides a variable until that is done.
void ModuleVariables::define(const PtxjitVariable *list, uint32_t count) {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<const PtxjitVariable *> fresh;
  for (uint32_t i = 0; i < count; ++i)
    if (!memory.count(list[i].name)) {
      allocate(list[i]);
      fresh.push_back(&list[i]);
    }
  for (const PtxjitVariable *variable : fresh)
    relocate(*variable);
}

void ModuleVariables::allocate(const PtxjitVariable &variable) {
  // Room behind the end: a vector access may read over the last element only
  // under its mask, but alignment is rounded up here.
  AddressRange range = rangeOf(module);
  uint64_t bytes = variable.bytes + variable.align;
  DeviceBuffer buffer =
      makeDeviceBuffer(bytes, variable.isConstant ? AddressRange::Low : range);
  if (!buffer && variable.isConstant)
    buffer = makeDeviceBuffer(bytes, range);
  if (buffer && variable.initBytes)
    std::memcpy(buffer.get(), variable.init, variable.initBytes);
  memory.emplace(variable.name, std::move(buffer));
}

void ModuleVariables::relocate(const PtxjitVariable &variable) {
  auto *bytes =
      static_cast<uint8_t *>(memory.find(variable.name)->second.get());
  for (uint64_t i = 0; bytes && i < variable.numRelocs; ++i) {
    const PtxjitReloc &reloc = variable.relocs[i];
    uint64_t value =
        (addressOf(reloc.symbol) + uint64_t(reloc.addend)) >> reloc.shift;
    std::memcpy(bytes + reloc.offset, &value, reloc.bytes);
  }
}

void ModuleVariables::shareManaged(ModuleVariables &other) {
  std::lock_guard<std::mutex> lock(other.mutex);
  for (uint32_t i = 0; i < module.numVariables; ++i)
    if (module.variables[i].isManaged)
      memory.insert(*other.memory.find(module.variables[i].name));
}

void ModuleVariables::resetManaged() {
  std::lock_guard<std::mutex> lock(mutex);
  for (uint32_t i = 0; i < module.numVariables; ++i) {
    const PtxjitVariable &variable = module.variables[i];
    auto *bytes = reinterpret_cast<uint8_t *>(find(variable.name));
    if (!variable.isManaged || !bytes)
      continue;
    std::memset(bytes, 0, variable.bytes);
    if (variable.initBytes)
      std::memcpy(bytes, variable.init, variable.initBytes);
    relocate(variable);
  }
}

/// Address of a function or variable, as PTX sees it.
uint64_t ModuleVariables::addressOf(const std::string &symbol) const {
  for (uint32_t i = 0; i < module.numFunctions; ++i)
    if (symbol == module.functions[i])
      return PTXJIT_FUNCTION_ADDRESS(uint64_t(i));
  return find(symbol);
}

uint64_t ModuleVariables::find(const std::string &name) const {
  auto it = memory.find(name);
  return it == memory.end() ? 0 : reinterpret_cast<uint64_t>(it->second.get());
}

uint64_t ModuleVariables::resolve(const std::string &name) {
  std::lock_guard<std::mutex> lock(mutex);
  return find(name);
}

std::vector<uint64_t>
ModuleVariables::resolveGlobals(const PtxjitImage &image) {
  define(image.globals, image.numGlobals);
  std::vector<uint64_t> addresses;
  for (uint32_t i = 0; i < image.numGlobals; ++i)
    addresses.push_back(resolve(image.globals[i].name));
  return addresses;
}
