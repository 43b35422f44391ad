//===- HandleTable.h - handles of libraries in front of others --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_RUNTIME_HANDLETABLE_H
#define PTXJIT_RUNTIME_HANDLETABLE_H

#include <memory>
#include <mutex>
#include <unordered_map>

namespace ptxjit {

/// Objects by their handles, which are opaque pointers. Any pointer may be
/// looked up. An object lives on while it is used. Thread-safe. Tables are
/// never destroyed, since programs use handles in exit handlers.
template <typename T, typename Handle> class HandleTable {
public:
  Handle add(std::shared_ptr<T> object) {
    auto handle = reinterpret_cast<Handle>(object.get());
    std::lock_guard<std::mutex> lock(mutex);
    objects[handle] = std::move(object);
    return handle;
  }
  /// Null for what is no handle.
  std::shared_ptr<T> find(Handle handle) {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = objects.find(handle);
    return it == objects.end() ? nullptr : it->second;
  }
  /// \returns false for what is no handle.
  bool remove(Handle handle) {
    // Destroyed behind the lock, since that may take its time.
    std::shared_ptr<T> last;
    std::lock_guard<std::mutex> lock(mutex);
    auto it = objects.find(handle);
    if (it == objects.end())
      return false;
    last = std::move(it->second);
    objects.erase(it);
    return true;
  }

private:
  std::mutex mutex;
  std::unordered_map<Handle, std::shared_ptr<T>> objects;
};

} // namespace ptxjit

#endif
