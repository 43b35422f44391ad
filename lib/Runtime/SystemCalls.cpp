//===- SystemCalls.cpp - assert, printf and malloc of kernels -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SystemCalls.h"
#include "FaultScope.h"
#include "ptxjit/Runtime/DeviceHeap.h"

#include <cassert>
#include <cstdio>
#include <initializer_list>

using namespace ptxjit;

unsigned ptxjit::countParams(PtxjitSystemFunction function) {
  constexpr int POINTER = sizeof(uint64_t);
  static constexpr unsigned counts[] = {
#define SYSTEM_FUNCTION(id, name, result, ...)                                 \
  unsigned(std::initializer_list<int>{__VA_ARGS__}.size()),
#include "ptxjit/Runtime/SystemFunctions.def"
#undef SYSTEM_FUNCTION
  };
  return counts[function];
}

/// Copies the string at `address`, cut off where `out` is full.
template <size_t N> static void readString(uint64_t address, char (&out)[N]) {
  auto *text = reinterpret_cast<const char *>(address);
  size_t n = 0;
  for (; text && n + 1 < N && text[n]; ++n)
    out[n] = text[n];
  out[n] = 0;
}

void ptxjit::tellAssertion(const PtxjitKernelContext &context,
                           const SystemCall &call, bool onlySame) {
  char message[256], file[256], function[256];
  {
    // The pointers come from the program and may be bad.
    FaultScope::Reading reading(call.caller);
    readString(call.readPointer(0), message);
    readString(call.readPointer(1), file);
    readString(call.readPointer(3), function);
  }
  uint32_t line = call.read<uint32_t>(2);
  FaultScope &scope = FaultScope::current();
  char text[900];
  std::snprintf(text, sizeof(text), "%s:%u: %s: Assertion `%s` failed.", file,
                line, function, message);
  bool isSame = scope.explain(text);
  if ((onlySame && !isSame) || MutedKernels::areMuted())
    return;
  const KernelCode &kernel = scope.getKernel();
  uint32_t x = kernel.block[0] ? kernel.block[0] : kernel.threads;
  uint32_t y = kernel.block[1] ? kernel.block[1] : 1;
  assert(!context.sweptCta && "kernels that sweep do not call the runtime");
  const uint32_t (&cta)[3] = context.ctaid;
  auto thread = uint32_t(call.caller.thread);
  std::fprintf(stderr,
               "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion "
               "`%s` failed.\n",
               file, line, function, cta[0], cta[1], cta[2], thread % x,
               thread / x % y, thread / (x * y), message);
}

void ptxjit::allocateOnHeap(const SystemCall &call) {
  void *block =
      heap::allocate(call.readPointer(0),
                     call.isNarrow ? AddressRange::Low : AddressRange::All);
  call.write(1, reinterpret_cast<uint64_t>(block), call.isNarrow ? 4 : 8);
}

void ptxjit::freeOnHeap(const SystemCall &call) {
  heap::release(reinterpret_cast<void *>(call.readPointer(0)));
}
