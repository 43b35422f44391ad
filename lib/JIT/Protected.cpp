//===- Protected.cpp - survives fatal errors of LLVM ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM calls report_fatal_error where it cannot go on (at an intrinsic that it
// cannot select, say), which would abort. Our handler leaves by longjmp
// instead. The failed run is abandoned: its memory leaks, and its LLVMContext
// is not touched again. Crashes are handled in the same way if the host has set
// a guard.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/thread.h"
#include <atomic>
#include <csetjmp>
#include <mutex>

using namespace llvm;
using namespace ptxjit;

namespace {
struct Escape {
  jmp_buf target;
  std::string message;
};
thread_local Escape *escape = nullptr;

void handleFatalError(void *, const char *reason, bool) {
  if (!escape)
    return; // not under runProtected: LLVM aborts
  escape->message = reason;
  longjmp(escape->target, 1);
}

/// Not inlined, so that no locals of `body` are in the frame of setjmp.
__attribute__((noinline)) bool runWithEscape(Escape &place,
                                             function_ref<void()> body) {
  if (setjmp(place.target))
    return false;
  body();
  return true;
}
} // namespace

char CompilerGaveUp::ID;

void CompilerGaveUp::log(raw_ostream &os) const {
  os << "LLVM gave up: " << why;
}

static std::atomic<PtxjitGuardFn> guard{nullptr};

void ptxjit::setCrashGuard(PtxjitGuardFn function) { guard = function; }

/// \returns the signal of a crash, or 0.
static int runUnderGuard(function_ref<void()> body) {
  auto call = [](void *argument) {
    (*static_cast<function_ref<void()> *>(argument))();
  };
  if (PtxjitGuardFn run = guard)
    return run(call, &body);
  body();
  return 0;
}

Error ptxjit::runProtected(function_ref<Error()> body) {
  static std::once_flag once;
  std::call_once(once, [] {
    remove_fatal_error_handler();
    install_fatal_error_handler(handleFatalError, nullptr);
  });
  constexpr unsigned stackBytes = 256u << 20; // address space, not memory
  Error result = Error::success();
  (void)!!result;
  bool finished = false;
  std::string message;
  llvm::thread worker(std::optional<unsigned>(stackBytes), [&] {
    Escape place;
    escape = &place;
    int signal = runUnderGuard(
        [&] { finished = runWithEscape(place, [&] { result = body(); }); });
    escape = nullptr;
    message = signal ? "signal " + std::to_string(signal) : place.message;
  });
  worker.join();
  if (finished)
    return result;
  consumeError(std::move(result));
  return make_error<CompilerGaveUp>(message);
}
