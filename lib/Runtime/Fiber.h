//===- Fiber.h - stacks to switch between -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cooperative stacks of one OS thread. A fiber never changes its thread.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_FIBER_H
#define PTXJIT_LIB_RUNTIME_FIBER_H

#include "ptxjit/Runtime/Memory.h"
#include <cstdint>

namespace ptxjit {

/// Where a fiber, or the thread itself, goes on when it is switched to.
struct FiberState {
  void *stackPointer = nullptr;
  // What the sanitizers know of this stack.
  void *fakeStack = nullptr, *tsanFiber = nullptr;
  const void *stackBottom = nullptr;
  size_t stackSize = 0;
};

/// Memory for `count` stacks of equal size. Pages are taken as they are
/// touched.
class FiberStacks {
public:
  FiberStacks() = default;
  ~FiberStacks();
  FiberStacks(const FiberStacks &) = delete;
  FiberStacks &operator=(const FiberStacks &) = delete;

  /// \param guarded  puts an inaccessible page below each stack. (Each costs
  ///   the process two of its 65,530 mappings.)
  /// \returns false if there is no memory.
  bool allocate(unsigned count, size_t bytes, bool guarded, AddressRange range);

  /// Prepares `state` so that the first switch to it calls entry(argument) on
  /// stack `index`. `entry` never returns. What was on the stack is forgotten.
  void prepare(unsigned index, FiberState &state, void (*entry)(void *),
               void *argument);

  /// Is `address` in the page below one of the stacks?
  bool isGuardPage(uint64_t address) const;

  /// Lowest address of the first stack, and the bytes from one to the next.
  uint8_t *begin() const { return reinterpret_cast<uint8_t *>(base); }
  size_t getStride() const { return stride; }

private:
  char *base = nullptr;
  size_t stride = 0, total = 0, guard = 0;
};

/// Suspends `from`, which is running, and goes on with `to`.
void switchFiber(FiberState &from, FiberState &to);
/// To be called first on a new fiber.
void enterFiber(FiberState &self);
/// Forgets what the sanitizers know of a fiber that will not go on.
void abandonFiber(FiberState &state);
/// The calling thread has left a fiber, which will not go on, by a jump to its
/// own stack, as adoptThread() has described it.
void returnToThread(FiberState &thread);
/// Describes the stack of the calling thread.
void adoptThread(FiberState &state);

} // namespace ptxjit

#endif
