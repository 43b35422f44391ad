//===- FaultScope.h - catches faults of compiled code -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A worker runs compiled code inside a FaultScope. A bad access in that code
// leaves the scope by a jump, from any stack. No frame between the scope and
// the code may own memory or hold a lock.
//
// The compiler runs under a guard (runGuarded) that catches its crashes.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_RUNTIME_FAULTSCOPE_H
#define PTXJIT_LIB_RUNTIME_FAULTSCOPE_H

#include "Cpu.h"
#include "ptxjit/Runtime/Fault.h"

#include <csignal>

/// A function that runs before the fault handler knows whose fault it is. A
/// sanitizer's own code may have faulted, with a lock, so it must not be
/// called.
#if __has_attribute(disable_sanitizer_instrumentation)
#define PTXJIT_IN_FAULT_HANDLER                                                \
  __attribute__((disable_sanitizer_instrumentation))
#else
#define PTXJIT_IN_FAULT_HANDLER
#endif

namespace ptxjit {

class CtaFibers;

/// A call of a helper by compiled code.
struct KernelCall {
  int32_t thread;            ///< on whose behalf, by its number in the CTA
  const void *returnAddress; ///< in the kernel's code
};

class FaultScope {
public:
  /// \param kernel  the kernel whose code may fault.
  explicit FaultScope(const KernelCode &kernel);
  ~FaultScope();

  /// Runs body(argument). \returns false if a fault left it. getFault() then
  /// describes the fault, except for the CTA.
  bool run(void (*body)(void *), void *argument);
  Fault &getFault() { return fault; }

  /// Sets the fibers that are running now; null if none.
  void setFibers(const CtaFibers *current) { fibers = current; }
  /// Lets interrupt() end the scope.
  void setInterruptible() { interruptible = true; }

  /// The innermost scope of the calling thread, for helpers of compiled code.
  static FaultScope &current();
  const KernelCode &getKernel() const { return kernel; }

  /// Adds a text to the description of the coming fault, unless it has one.
  /// \returns whether the description is `text`.
  bool explain(const char *text);
  /// Records a fault that the scope reports when it is left, whatever leaves
  /// it.
  void hold(LaunchStatus status, const KernelCall &call);
  [[noreturn]] void leaveHeld();

  /// Leaves the calling thread's scope, from a helper of compiled code.
  /// \param address  the bad address, if `status` is about one.
  [[noreturn]] static void leave(LaunchStatus status, uint64_t address,
                                 const KernelCall &call);
  /// The same, for an operand that no hardware accepts; says why.
  [[noreturn]] static void leaveIllegal(const char *reason,
                                        const KernelCall &call);

  /// While this lives, a bad access of a helper counts as one of the
  /// instruction that called it. `call` lives longer than this.
  class Reading {
  public:
    explicit Reading(const KernelCall &call);
    ~Reading();
  };

  /// Makes `thread` leave its scope if it is running compiled code, else does
  /// nothing.
  static void interrupt(unsigned long thread);

private:
  friend struct FaultHandler;
  void fill(Fault &place, LaunchStatus status, const KernelCall &call) const;

  JumpPlace place; ///< must not move
  const KernelCode &kernel;
  const CtaFibers *fibers = nullptr;
  FaultScope *outer;
  bool interruptible = false;
  const KernelCall *reading = nullptr; ///< the helper that may fault
  bool signalled = false;              ///< a signal handler left the scope
  sigset_t signalMask;                 ///< the mask before that signal
  bool holds = false;
  Fault fault, held;
};

/// Puts our handler of bad accesses in front of the one that is there.
void installFaultHandler();

/// Runs body(argument). A bad access, an illegal instruction or a division by 0
/// of the calling thread leaves it by a jump, and its work is abandoned.
/// \returns the signal, or 0.
int runGuarded(void (*body)(void *), void *argument);

} // namespace ptxjit

#endif
