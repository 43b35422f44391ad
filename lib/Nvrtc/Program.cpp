//===- Program.cpp - programs that are compiled ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <mutex>
#include <unordered_map>

using namespace ptxjit;
using namespace ptxjit::nvrtc;

namespace {
struct Table {
  std::mutex mutex;
  std::unordered_map<nvrtcProgram, std::shared_ptr<Program>> programs;
};
} // namespace

static Table &getTable() {
  // Never destroyed, since programs use handles in exit handlers.
  static Table &table = *new Table;
  return table;
}

Program::~Program() {
  if (real)
    (void)library->nvrtcDestroyProgram(&real);
}

nvrtcProgram nvrtc::addProgram(std::shared_ptr<Program> program) {
  auto handle = reinterpret_cast<nvrtcProgram>(program.get());
  std::lock_guard<std::mutex> lock(getTable().mutex);
  getTable().programs[handle] = std::move(program);
  return handle;
}

std::shared_ptr<Program> nvrtc::findProgram(nvrtcProgram handle) {
  std::lock_guard<std::mutex> lock(getTable().mutex);
  auto it = getTable().programs.find(handle);
  return it == getTable().programs.end() ? nullptr : it->second;
}

bool nvrtc::removeProgram(nvrtcProgram handle) {
  // Destroyed behind the lock, since NVIDIA's library takes its time.
  std::shared_ptr<Program> last;
  std::lock_guard<std::mutex> lock(getTable().mutex);
  auto it = getTable().programs.find(handle);
  if (it == getTable().programs.end())
    return false;
  last = std::move(it->second);
  getTable().programs.erase(it);
  return true;
}
