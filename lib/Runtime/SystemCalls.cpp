//===- SystemCalls.cpp - what CUDA's system does for kernels --------------===//

#include "SystemCalls.h"
#include "FaultScope.h"
#include "ptxjit/Runtime/DeviceHeap.h"

#include <cstdio>

using namespace ptxjit;

/// The string at `address`, or what fits of it.
template <size_t N> static void readString(uint64_t address, char (&out)[N]) {
  auto *text = reinterpret_cast<const char *>(address);
  size_t n = 0;
  for (; text && n + 1 < N && text[n]; ++n)
    out[n] = text[n];
  out[n] = 0;
}

void ptxjit::failAssertion(int32_t thread, const SystemCall &call,
                           const void *returnAddress) {
  char message[256], file[256], function[256];
  {
    // The pointers are the program's: they may be bad as well.
    FaultScope::Reading reading;
    readString(call.readPointer(0), message);
    readString(call.readPointer(1), file);
    readString(call.readPointer(3), function);
  }
  FaultScope::Detail detail;
  std::snprintf(detail, sizeof(detail), "%s:%u: %s: Assertion `%s` failed.",
                file, call.read<uint32_t>(2), function, message);
  FaultScope::leave(LaunchStatus::Assert, thread, 0, returnAddress, &detail);
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
