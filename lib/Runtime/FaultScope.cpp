//===- FaultScope.cpp - catches faults of compiled code -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultScope.h"
#include "Cpu.h"
#include "CtaFibers.h"
#include "ptxjit/Runtime/MovePages.h"

#include <csignal>
#include <initializer_list>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

using namespace ptxjit;

// The first access to a thread-local may allocate, which a signal handler must
// not do; with initial-exec it does not.
#define PTXJIT_SIGNAL_LOCAL                                                    \
  static thread_local __attribute__((tls_model("initial-exec")))
PTXJIT_SIGNAL_LOCAL FaultScope *active = nullptr;
namespace {
/// The guard of a thread that runs the compiler.
struct CrashGuard {
  JumpPlace place;
  int signal = 0;
  sigset_t signalMask;
};
} // namespace
PTXJIT_SIGNAL_LOCAL CrashGuard *guard = nullptr;
/// How many times in a row this thread has passed on a signal that was not
/// ours.
PTXJIT_SIGNAL_LOCAL int passedOn = 0;

//===----------------------------------------------------------------------===//
// The handler
//===----------------------------------------------------------------------===//

namespace ptxjit {
struct FaultHandler {
  /// By signal: the handlers that ours replaced, the last and the first time.
  static inline struct sigaction previous[NSIG], original[NSIG];

  static bool isOfAccess(int signal) {
    return signal == SIGSEGV || signal == SIGBUS;
  }
  static bool isCode(const FaultScope &scope, uint64_t pc) {
    return pc - scope.kernel.codeBegin < scope.kernel.codeBytes;
  }
  static bool isOurs(const FaultScope &scope, uint64_t pc) {
    return scope.reading || isCode(scope, pc);
  }

  [[noreturn]] static void jump(FaultScope &scope) { PTXJIT_JUMP(scope.place); }
  /// Leaves the scope from the handler and so ends the handler, too.
  [[noreturn]] static void jumpFrom(const void *context, FaultScope &scope) {
    scope.signalled = true;
    scope.signalMask = static_cast<const ucontext_t *>(context)->uc_sigmask;
    jump(scope);
  }

  PTXJIT_IN_FAULT_HANDLER
  static void handle(int signal, siginfo_t *info, void *context) {
    bool sent = info->si_code <= 0; // by kill or raise, not by an instruction
    if (signal == SIGSEGV && info->si_code == SEGV_ACCERR &&
        isMoved(reinterpret_cast<uint64_t>(info->si_addr)))
      return; // the instruction runs again
    if (guard && !sent) {
      guard->signal = signal;
      guard->signalMask = static_cast<const ucontext_t *>(context)->uc_sigmask;
      PTXJIT_JUMP(guard->place);
    }
    FaultScope *scope = isOfAccess(signal) ? active : nullptr;
    const auto &state = *static_cast<const ucontext_t *>(context);
    uint64_t pc = programCounter(state);
    auto address = reinterpret_cast<uint64_t>(info->si_addr);
    if (scope && sent && scope->interruptible) {
      // interrupt(). A running helper is not interrupted: the watchdog asks
      // again.
      if (!isOurs(*scope, pc))
        return;
      scope->fault.status = LaunchStatus::Ok;
      jumpFrom(context, *scope);
    }
    bool overflow =
        scope && scope->fibers && scope->fibers->isGuardPage(address);
    if (!scope || sent || (!isOurs(*scope, pc) && !overflow))
      return chain(signal, info, context);
    Fault &fault = scope->fault;
    LaunchStatus status =
        overflow ? LaunchStatus::StackOverflow : LaunchStatus::IllegalAddress;
    if (isCode(*scope, pc) || !scope->reading) {
      fault.status = status;
      fault.hasPlace = isCode(*scope, pc);
      fault.thread =
          scope->fibers ? scope->fibers->threadAt(stackPointer(state)) : -1;
      fault.codeOffset = pc - scope->kernel.codeBegin;
    } else {
      scope->fill(fault, status, *scope->reading);
    }
    // The system does not tell an address that is not canonical.
    fault.hasAddress = !overflow && info->si_code != SI_KERNEL;
    fault.address = address;
    jumpFrom(context, *scope);
  }

  /// Passes on a signal that is not ours, as if our handler did not exist.
  static void chain(int signal, siginfo_t *info, void *context) {
    // The previous handler may pass the signal on by raising it again, which
    // leads here. Then the original handler gets it, if it is another one, and
    // at last the default action.
    bool sent = info->si_code <= 0;
    passedOn = sent ? passedOn + 1 : 1;
    struct sigaction before = previous[signal];
    if (passedOn > 1)
      before = original[signal];
    bool same = before.sa_sigaction == previous[signal].sa_sigaction;
    if (passedOn > 2 || (passedOn == 2 && same)) {
      before.sa_handler = SIG_DFL;
      before.sa_flags = 0;
    }
    if (before.sa_flags & SA_SIGINFO) {
      before.sa_sigaction(signal, info, context);
    } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
      // With the default action set, the instruction faults again and ends the
      // process.
      struct sigaction standard = {};
      standard.sa_handler = SIG_DFL;
      sigaction(signal, &standard, nullptr);
      if (sent)
        raise(signal);
    } else {
      before.sa_handler(signal);
    }
  }

  /// Installs our handler in front of the one that is there now.
  static void install(std::initializer_list<int> signals) {
    static std::mutex mutex;
    for (int signal : signals) {
      struct sigaction now;
      sigaction(signal, nullptr, &now);
      if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle)
        continue;
      std::lock_guard<std::mutex> lock(mutex);
      sigaction(signal, nullptr, &now);
      if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handle)
        continue;
      previous[signal] = now;
      static bool known[NSIG];
      if (!known[signal])
        original[signal] = now;
      known[signal] = true;
      struct sigaction ours = {};
      ours.sa_sigaction = handle;
      // SA_NODEFER, because the handler is left by a jump.
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      sigaction(signal, &ours, nullptr);
    }
  }
};
} // namespace ptxjit

namespace {
/// An alternate stack for the handler, since a fiber's stack may have
/// overflowed.
class SignalStack {
public:
  SignalStack() {
    stack_t now;
    if (sigaltstack(nullptr, &now) || !(now.ss_flags & SS_DISABLE))
      return; // the thread has one already
    memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return;
    stack_t ours = {};
    ours.ss_sp = memory;
    ours.ss_size = kBytes;
    sigaltstack(&ours, nullptr);
  }
  ~SignalStack() {
    stack_t now;
    if (memory == MAP_FAILED)
      return;
    if (!sigaltstack(nullptr, &now) && now.ss_sp == memory) {
      stack_t none = {};
      none.ss_flags = SS_DISABLE;
      sigaltstack(&none, nullptr);
    }
    munmap(memory, kBytes);
  }

private:
  // A signal frame with AVX-512 state takes almost 3 KB.
  static constexpr size_t kBytes = 64 << 10;
  void *memory = MAP_FAILED;
};
} // namespace

//===----------------------------------------------------------------------===//
// The scope
//===----------------------------------------------------------------------===//

void ptxjit::installFaultHandler() { FaultHandler::install({SIGSEGV, SIGBUS}); }

FaultScope::FaultScope(const KernelCode &kernel)
    : kernel(kernel), outer(active) {
  thread_local SignalStack stack;
  (void)stack;
  installFaultHandler();
}

FaultScope::~FaultScope() { active = outer; }

FaultScope::Reading::Reading(const KernelCall &call) {
  active->reading = &call;
}
FaultScope::Reading::~Reading() { active->reading = nullptr; }

bool FaultScope::run(void (*body)(void *), void *argument) {
  if (PTXJIT_SET_PLACE(place)) {
    active = outer;
    reading = nullptr;
    // Our handler blocks no signal, but sanitizers wrap it and do.
    if (signalled)
      pthread_sigmask(SIG_SETMASK, &signalMask, nullptr);
    // interrupt() may have met a directed rounding mode.
    setFloatMode(kKernelFloatMode);
    if (holds) {
      held.detail = std::move(fault.detail);
      fault = std::move(held);
    }
    return false;
  }
  active = this;
  passedOn = 0;
  body(argument);
  active = outer;
  return true;
}

FaultScope &FaultScope::current() { return *active; }

bool FaultScope::explain(const char *text) {
  if (fault.detail.empty())
    fault.detail = text;
  return fault.detail == text;
}

void FaultScope::fill(Fault &place, LaunchStatus status,
                      const KernelCall &call) const {
  place.status = status;
  place.thread = call.thread;
  // The return address is behind the call, so one byte less is inside of it.
  place.codeOffset =
      uint64_t(call.returnAddress) - 1 - uint64_t(kernel.codeBegin);
  place.hasPlace = true;
  place.hasAddress = false;
}

void FaultScope::hold(LaunchStatus status, const KernelCall &call) {
  fill(held, status, call);
  holds = true;
}

void FaultScope::leaveHeld() { FaultHandler::jump(*this); }

void FaultScope::leave(LaunchStatus status, uint64_t address,
                       const KernelCall &call) {
  Fault &fault = active->fault;
  active->fill(fault, status, call);
  fault.address = address;
  fault.hasAddress = status == LaunchStatus::MisalignedAddress ||
                     (status == LaunchStatus::IllegalAddress && address);
  FaultHandler::jump(*active);
}

void FaultScope::leaveIllegal(const char *reason, const KernelCall &call) {
  active->explain(reason);
  leave(LaunchStatus::Illegal, 0, call);
}

void FaultScope::interrupt(unsigned long thread) {
  pthread_kill(pthread_t(thread), SIGSEGV);
}

//===----------------------------------------------------------------------===//
// The guard
//===----------------------------------------------------------------------===//

int ptxjit::runGuarded(void (*body)(void *), void *argument) {
  thread_local SignalStack stack;
  (void)stack;
  FaultHandler::install({SIGSEGV, SIGBUS, SIGILL, SIGFPE});
#if defined(__aarch64__)
  // What LLVM takes for unreachable traps as a breakpoint does.
  FaultHandler::install({SIGTRAP});
#endif
  CrashGuard here;
  if (PTXJIT_SET_PLACE(here.place)) {
    guard = nullptr;
    pthread_sigmask(SIG_SETMASK, &here.signalMask, nullptr);
    return here.signal;
  }
  guard = &here;
  body(argument);
  guard = nullptr;
  return 0;
}
