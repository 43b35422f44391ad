//===- FaultScope.h - faults of compiled code are caught here ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker that runs compiled code does so inside a scope. A bad access in that
// code leaves the scope by a jump, on whatever stack it happened. Nothing that
// owns memory or a lock may stand between the scope and the code.
//
// The compiler runs under a guard, for what is wrong in itself.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_FAULTSCOPE_H
#define PTXJIT_LIB_RUNTIME_FAULTSCOPE_H

#include "ptxjit/Runtime/Fault.h"

#include <csignal>

namespace ptxjit {

class CtaFibers;

class FaultScope {
public:
  /// \param kernel  whose code may fault here.
  explicit FaultScope(const KernelCode &kernel);
  ~FaultScope();

  /// Runs body(argument). \returns false if it was left by a fault, which is
  /// in getFault(), except for the CTA.
  bool run(void (*body)(void *), void *argument);
  Fault &getFault() { return fault; }

  /// Which fibers are running now; null if none.
  void setFibers(const CtaFibers *current) { fibers = current; }
  /// A request from another thread to give up ends the scope, too.
  void setInterruptible() { interruptible = true; }

  /// The scope that the calling thread is in, for helpers of compiled code.
  static FaultScope &current();
  const KernelCode &getKernel() const { return kernel; }

  /// More to say of the fault that the scope will be left by. The first text
  /// counts, and those like it. \returns whether this is one.
  bool explain(const char *text);
  /// Keeps a fault: whatever the scope is left by later, this was first.
  void hold(LaunchStatus status, int32_t thread, const void *returnAddress);
  [[noreturn]] void leaveHeld();

  /// Leaves the calling thread's scope, from a helper of compiled code.
  /// \param address  that is bad; counts where the status is about one.
  [[noreturn]] static void leave(LaunchStatus status, int32_t thread,
                                 uint64_t address, const void *returnAddress);

  /// While it lives, a bad access of the calling thread counts as the kernel's,
  /// though a helper makes it.
  class Reading {
  public:
    Reading();
    ~Reading();
  };

  /// Asks `thread` to leave its scope, if it is in compiled code just now.
  static void interrupt(unsigned long thread);

private:
  friend struct FaultHandler;
  void fill(Fault &place, LaunchStatus status, int32_t thread,
            const void *returnAddress) const;

  void *place[5]; ///< of __builtin_setjmp; first, and never moved
  const KernelCode &kernel;
  const CtaFibers *fibers = nullptr;
  FaultScope *outer;
  bool interruptible = false;
  bool reading = false;
  bool signalled = false; ///< left from a signal handler
  sigset_t signalMask;    ///< before that signal
  bool holds = false;
  Fault fault, held;
};

/// Runs body(argument). A bad access, an illegal instruction or a division by 0
/// of the calling thread ends it by a jump; what it has begun is abandoned.
/// \returns the signal, or 0.
int runGuarded(void (*body)(void *), void *argument);

} // namespace ptxjit

#endif
