//===- Fiber.h - stacks to switch between -----------------------*- C++ -*-===//
//
// Cooperative stacks of one OS thread. A fiber never changes its thread.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_FIBER_H
#define PTXJIT_LIB_RUNTIME_FIBER_H

#include <cstddef>
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

/// Memory for one stack, with a guard page below. Pages are taken as they are
/// touched.
class FiberStack {
public:
  FiberStack() = default;
  ~FiberStack();
  FiberStack(const FiberStack &) = delete;
  FiberStack &operator=(const FiberStack &) = delete;

  /// False if there is no memory.
  bool allocate(size_t bytes);
  bool isAllocated() const { return base; }

  /// Prepares `state` so that the first switch to it calls entry(argument) on
  /// this stack. `entry` never returns. What was on the stack is forgotten.
  void prepare(FiberState &state, void (*entry)(void *), void *argument);

private:
  char *base = nullptr;
  size_t size = 0;
};

/// Suspends `from`, which is running, and goes on with `to`.
void switchFiber(FiberState &from, FiberState &to);
/// To be called first on a new fiber.
void enterFiber(FiberState &self);
/// Forgets what the sanitizers know of a fiber that will not go on.
void abandonFiber(FiberState &state);
/// Describes the stack of the calling thread.
void adoptThread(FiberState &state);

} // namespace ptxjit

#endif
