//===- DeviceCode.cpp - code with variables on each device ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceCode.h"
#include "State.h"

#include <set>

using namespace ptxjit;
using namespace ptxjit::cuda;

DeviceCode::DeviceCode(std::shared_ptr<LoadedModule> code, Context *owner)
    : original(std::move(code)), owner(owner) {
  if (owner)
    on(owner->device);
}

DeviceCode::~DeviceCode() {
  while (!codes.empty())
    drop(codes.begin());
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

/// Drops the variables of a device. Managed ones stay known while another
/// device has them, too.
void DeviceCode::drop(Codes::iterator place) {
  std::shared_ptr<LoadedModule> dropped = std::move(place->second);
  codes.erase(place);
  std::set<uint64_t> used;
  for (auto &[device, code] : codes)
    code->forEachVariable(
        [&](uint64_t address, size_t) { used.insert(address); });
  std::lock_guard<std::mutex> lock(getState().memoryMutex);
  dropped->forEachVariable([&](uint64_t address, size_t) {
    if (!used.count(address))
      getState().allocations.erase(address);
  });
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
  if (auto it = codes.find(device); it != codes.end())
    drop(it);
}
