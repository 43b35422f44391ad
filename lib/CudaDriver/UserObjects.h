//===- UserObjects.h - what programs tie to the life of graphs --*- C++ -*-===//
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

/// Something of the program's, which is told when nobody refers to it any more.
class UserObject {
public:
  UserObject(void *data, CUhostFn destroy, uint64_t references)
      : data(data), destroy(destroy), references(references) {}
  void retain(uint64_t count);
  /// Calls `destroy` with the last reference; the handle is none then.
  /// \returns whether there were so many.
  bool release(uint64_t count);

private:
  void *data;
  CUhostFn destroy;
  std::mutex mutex;
  uint64_t references;
};

/// The references that a graph has. A copy has one of its own to each object.
class UserReferences {
public:
  UserReferences() = default;
  UserReferences(const UserReferences &other) { share(other); }
  UserReferences &operator=(const UserReferences &) = delete;
  ~UserReferences();
  void add(UserObject *object, uint64_t count) { counts[object] += count; }
  /// One more to each object of `other`.
  void share(const UserReferences &other);
  /// \returns whether there were so many.
  bool release(UserObject *object, uint64_t count);

private:
  std::map<UserObject *, uint64_t> counts;
};

} // namespace ptxjit::cuda

#endif
