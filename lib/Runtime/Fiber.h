//===- Fiber.h - switches between stacks of one thread ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fibers are cooperative stacks of one OS thread. A fiber never moves to
// another thread.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_FIBER_H
#define PTXJIT_LIB_RUNTIME_FIBER_H

#include "ptxjit/Runtime/Memory.h"
#include <cstdint>

namespace ptxjit {

/// The state of a suspended fiber, or of the thread itself.
struct FiberState {
  void *stackPointer = nullptr;
  // The sanitizers' data about this stack.
  void *fakeStack = nullptr, *tsanFiber = nullptr;
  const void *stackBottom = nullptr;
  size_t stackSize = 0;
};

/// Memory for stacks of equal size. The system commits pages when they are
/// touched. Each thread keeps some for its next launch.
class FiberStacks {
public:
  FiberStacks() = default;
  ~FiberStacks();
  FiberStacks(const FiberStacks &) = delete;
  FiberStacks &operator=(const FiberStacks &) = delete;

  /// Maps `count` stacks of `bytes` bytes.
  /// \param guarded  puts an inaccessible page below each stack. (Each costs
  ///   the process two of its 65,530 mappings.)
  /// \returns false if there is no memory.
  bool allocate(unsigned count, size_t bytes, bool guarded, AddressRange range);

  /// Prepares `state` so that the first switch to it calls entry(argument) on
  /// stack `index`. `entry` must not return. The old contents of the stack are
  /// lost.
  void prepare(unsigned index, FiberState &state, void (*entry)(void *),
               void *argument);

  /// Whether `address` is in the guard page of a stack.
  bool isGuardPage(uint64_t address) const;

  /// The lowest address of the first stack, and the distance between stacks in
  /// bytes.
  uint8_t *begin() const { return reinterpret_cast<uint8_t *>(base); }
  size_t getStride() const { return stride; }

private:
  struct Kept;
  bool takeKept();
  bool keep();

  char *base = nullptr;
  size_t stride = 0, total = 0, guard = 0;
  AddressRange range = AddressRange::All;
};

/// Suspends `from`, which is running, and resumes `to`.
void switchFiber(FiberState &from, FiberState &to);
/// A new fiber must call this first.
void enterFiber(FiberState &self);
/// Frees the sanitizers' data of a fiber that will not be resumed.
void abandonFiber(FiberState &state);
/// Tells the sanitizers that a jump has left a fiber for the thread's own
/// stack. The fiber will not be resumed; `thread` is from adoptThread().
void returnToThread(FiberState &thread);
/// Stores the sanitizers' data about the calling thread's stack in `state`.
void adoptThread(FiberState &state);

} // namespace ptxjit

#endif
