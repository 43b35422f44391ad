//===- FaultScope.cpp - signals of compiled code --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FaultScope.h"
#include "CtaFibers.h"

#include <csignal>
#include <initializer_list>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <ucontext.h>

using namespace ptxjit;

// In a signal handler the first touch of a thread-local must not allocate.
#define PTXJIT_SIGNAL_LOCAL                                                    \
  static thread_local __attribute__((tls_model("initial-exec")))
PTXJIT_SIGNAL_LOCAL FaultScope *active = nullptr;
namespace {
/// Of a thread that runs the compiler rather than what it has made.
struct CrashGuard {
  void *place[5]; ///< of __builtin_setjmp
  int signal = 0;
  sigset_t signalMask;
};
} // namespace
PTXJIT_SIGNAL_LOCAL CrashGuard *guard = nullptr;
/// How often a fault that was not ours has been passed on by this thread.
PTXJIT_SIGNAL_LOCAL int passedOn = 0;

//===----------------------------------------------------------------------===//
// The handler
//===----------------------------------------------------------------------===//

static uint64_t programCounter(const void *context) {
  const auto *state = static_cast<const ucontext_t *>(context);
#if defined(__x86_64__)
  return uint64_t(state->uc_mcontext.gregs[REG_RIP]);
#else
  return state->uc_mcontext.pc;
#endif
}

static uint64_t stackPointer(const void *context) {
  const auto *state = static_cast<const ucontext_t *>(context);
#if defined(__x86_64__)
  return uint64_t(state->uc_mcontext.gregs[REG_RSP]);
#else
  return state->uc_mcontext.sp;
#endif
}

namespace ptxjit {
struct FaultHandler {
  /// Indexed by signal; what was there before us, the last and the first time.
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

  [[noreturn]] static void jump(FaultScope &scope) {
    __builtin_longjmp(scope.place, 1);
  }
  /// Out of the handler: what it runs with ends with it.
  [[noreturn]] static void jumpFrom(const void *context, FaultScope &scope) {
    scope.signalled = true;
    scope.signalMask = static_cast<const ucontext_t *>(context)->uc_sigmask;
    jump(scope);
  }

  static void handle(int signal, siginfo_t *info, void *context) {
    bool sent = info->si_code <= 0; // by somebody, not by an instruction
    if (guard && !sent) {
      guard->signal = signal;
      guard->signalMask = static_cast<const ucontext_t *>(context)->uc_sigmask;
      __builtin_longjmp(guard->place, 1);
    }
    FaultScope *scope = isOfAccess(signal) ? active : nullptr;
    uint64_t pc = programCounter(context);
    auto address = reinterpret_cast<uint64_t>(info->si_addr);
    if (scope && sent && scope->interruptible) {
      // Asked to give up. Not now if a helper is running: asked again later.
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
    fault.status =
        overflow ? LaunchStatus::StackOverflow : LaunchStatus::IllegalAddress;
    fault.hasPlace = isCode(*scope, pc);
    fault.thread =
        scope->fibers ? scope->fibers->threadAt(stackPointer(context)) : -1;
    fault.codeOffset = pc - scope->kernel.codeBegin;
    // An address that is not canonical comes without.
    fault.hasAddress = !overflow && info->si_code != SI_KERNEL;
    fault.address = address;
    jumpFrom(context, *scope);
  }

  /// Not our fault: as if we were not here.
  static void chain(int signal, siginfo_t *info, void *context) {
    // Handlers end by raising the signal once more for the one before them.
    // That may be this one: then it is the turn of the first, if that is
    // another, and in the end of the system.
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
      // The instruction is run again, and ends the process as it should.
      struct sigaction standard = {};
      standard.sa_handler = SIG_DFL;
      sigaction(signal, &standard, nullptr);
      if (sent)
        raise(signal);
    } else {
      before.sa_handler(signal);
    }
  }

  /// Puts the handler in front of whatever the program has installed since.
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
      // Not deferred: the handler is left by a jump.
      ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
      sigaction(signal, &ours, nullptr);
    }
  }
};
} // namespace ptxjit

namespace {
/// The handler must not need the stack that has overflowed.
class SignalStack {
public:
  SignalStack() {
    stack_t now;
    if (sigaltstack(nullptr, &now) || !(now.ss_flags & SS_DISABLE))
      return; // the program has one
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
  // The state of AVX-512 alone takes almost 3 KB of it.
  static constexpr size_t kBytes = 64 << 10;
  void *memory = MAP_FAILED;
};
} // namespace

//===----------------------------------------------------------------------===//
// The scope
//===----------------------------------------------------------------------===//

FaultScope::FaultScope(const KernelCode &kernel)
    : kernel(kernel), outer(active) {
  thread_local SignalStack stack;
  (void)stack;
  FaultHandler::install({SIGSEGV, SIGBUS});
}

FaultScope::~FaultScope() { active = outer; }

FaultScope::Reading::Reading() { active->reading = true; }
FaultScope::Reading::~Reading() { active->reading = false; }

bool FaultScope::run(void (*body)(void *), void *argument) {
  if (__builtin_setjmp(place)) {
    active = outer;
    // We ask for no signal to be blocked, but others stand in between, such as
    // sanitizers.
    if (signalled)
      pthread_sigmask(SIG_SETMASK, &signalMask, nullptr);
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

void FaultScope::fill(Fault &place, LaunchStatus status, int32_t thread,
                      const void *returnAddress) const {
  place.status = status;
  place.thread = thread;
  // The address behind the call; the call is what is meant.
  place.codeOffset = uint64_t(returnAddress) - 1 - uint64_t(kernel.codeBegin);
  place.hasPlace = true;
  place.hasAddress = false;
}

void FaultScope::hold(LaunchStatus status, int32_t thread,
                      const void *returnAddress) {
  fill(held, status, thread, returnAddress);
  holds = true;
}

void FaultScope::leaveHeld() { FaultHandler::jump(*this); }

void FaultScope::leave(LaunchStatus status, int32_t thread, uint64_t address,
                       const void *returnAddress) {
  Fault &fault = active->fault;
  active->fill(fault, status, thread, returnAddress);
  fault.address = address;
  fault.hasAddress = status == LaunchStatus::MisalignedAddress;
  FaultHandler::jump(*active);
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
  CrashGuard here;
  if (__builtin_setjmp(here.place)) {
    guard = nullptr;
    pthread_sigmask(SIG_SETMASK, &here.signalMask, nullptr);
    return here.signal;
  }
  guard = &here;
  body(argument);
  guard = nullptr;
  return 0;
}
