//===- DeviceCode.cpp - code with variables on each device ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"
#include "State.h"

using namespace ptxjit;
using namespace ptxjit::cuda;

DeviceCode::DeviceCode(std::shared_ptr<LoadedModule> code, Context *owner)
    : original(std::move(code)), owner(owner) {
  if (owner)
    on(owner->device);
}

DeviceCode::~DeviceCode() {
  for (auto &[device, code] : codes)
    forget(*code);
}

void DeviceCode::announce(LoadedModule &code, CUdevice device) {
  State &state = getState();
  code.forEachVariable([&](uint64_t address, size_t bytes) {
    std::lock_guard<std::mutex> lock(state.memoryMutex);
    // A managed variable is known already.
    if (bytes)
      state.allocations.try_emplace(
          address, Allocation{bytes, Allocation::Variable, 0, nullptr,
                              state.nextId++, owner, device, MemoryShare()});
  });
}

void DeviceCode::forget(LoadedModule &code) {
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  code.forEachVariable(
      [&](uint64_t address, size_t) { getState().allocations.erase(address); });
}

std::shared_ptr<LoadedModule> DeviceCode::on(CUdevice device) {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<LoadedModule> &code = codes[device];
  if (!code) {
    code = isOriginalUsed ? original->makeTwin() : original;
    isOriginalUsed = true;
    announce(*code, device);
  }
  return code;
}

void DeviceCode::reset(CUdevice device) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = codes.find(device);
  if (it == codes.end())
    return;
  forget(*it->second);
  codes.erase(it);
}
