//===- UserObjects.h - objects that graphs keep alive -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_CUDADRIVER_USEROBJECTS_H
#define PTXJIT_LIB_CUDADRIVER_USEROBJECTS_H

#include "ptxjit/CudaDriver/CudaABI.h"

#include <cstdint>
#include <map>
#include <mutex>

namespace ptxjit::cuda {

/// An object of the program. Its destroy function is called when the last
/// reference is released.
class UserObject {
public:
  UserObject(void *data, CUhostFn destroy, uint64_t references)
      : data(data), destroy(destroy), references(references) {}
  void retain(uint64_t count);
  /// Releases references. With the last one it calls `destroy`, and the handle
  /// becomes invalid. \returns false if there are fewer than `count`
  /// references.
  bool release(uint64_t count);

private:
  void *data;
  CUhostFn destroy;
  std::mutex mutex;
  uint64_t references;
};

/// The references of a graph, per object. A copy of the graph gets one
/// reference of its own to each object.
class UserReferences {
public:
  UserReferences() = default;
  UserReferences(const UserReferences &other) { share(other); }
  UserReferences &operator=(const UserReferences &) = delete;
  ~UserReferences();
  void add(UserObject *object, uint64_t count) { counts[object] += count; }
  /// Adds one reference to each object of `other`.
  void share(const UserReferences &other);
  /// \returns false if this has fewer than `count` references to the object.
  bool release(UserObject *object, uint64_t count);

private:
  std::map<UserObject *, uint64_t> counts;
};

} // namespace ptxjit::cuda

#endif
