//===- IdlePool.h - objects kept for their next user ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What LLVM and MLIR set up before they see the first instruction takes longer
// than compiling a small kernel. So compilations hand on their contexts and
// target machines. A pool has no lock that a child of fork() could find taken.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_JIT_IDLEPOOL_H
#define PTXJIT_LIB_JIT_IDLEPOOL_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include <array>
#include <atomic>
#include <memory>

namespace ptxjit {

/// Keeps a few idle objects. Any thread may call at any time. Pools live until
/// the process ends: other threads may still compile while it exits.
template <typename ObjectTy> class IdlePool {
public:
  /// \returns an object that `fits`, which is the caller's now; null: none.
  std::unique_ptr<ObjectTy>
  take(llvm::function_ref<bool(const ObjectTy &)> fits) {
    for (std::atomic<ObjectTy *> &place : places) {
      std::unique_ptr<ObjectTy> object(place.exchange(nullptr));
      if (object && fits(*object))
        return object;
      if (object)
        give(std::move(object));
    }
    return nullptr;
  }

  /// Keeps an object, in place of another one if the pool is full.
  void give(std::unique_ptr<ObjectTy> object) {
    for (std::atomic<ObjectTy *> &place : places) {
      ObjectTy *none = nullptr;
      if (place.compare_exchange_strong(none, object.get())) {
        (void)object.release();
        return;
      }
    }
    std::unique_ptr<ObjectTy> replaced(
        places[next++ % places.size()].exchange(object.release()));
  }

private:
  std::array<std::atomic<ObjectTy *>, 4> places{};
  std::atomic<unsigned> next{0}; ///< the place that is replaced next
};

} // namespace ptxjit

#endif
