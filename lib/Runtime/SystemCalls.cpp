//===- SystemCalls.cpp - what CUDA's system does for kernels --------------===//

#include "SystemCalls.h"
#include "FaultScope.h"
#include "ptxjit/Runtime/DeviceHeap.h"

#include <cstdio>
#include <cstring>

using namespace ptxjit;

template <typename T> static T read(uint64_t place) {
  T value;
  std::memcpy(&value, reinterpret_cast<const void *>(place), sizeof(value));
  return value;
}

/// The string at the address that lies at `place`, or what fits of it.
template <size_t N> static void readString(uint64_t place, char (&out)[N]) {
  auto text = read<const char *>(place);
  size_t n = 0;
  for (; text && n + 1 < N && text[n]; ++n)
    out[n] = text[n];
  out[n] = 0;
}

void ptxjit::failAssertion(int32_t thread, const uint64_t *places,
                           const void *returnAddress) {
  char message[256], file[256], function[256];
  {
    // The pointers are the program's: they may be bad as well.
    FaultScope::Reading reading;
    readString(places[0], message);
    readString(places[1], file);
    readString(places[3], function);
  }
  FaultScope::Detail detail;
  std::snprintf(detail, sizeof(detail), "%s:%u: %s: Assertion `%s` failed.",
                file, read<uint32_t>(places[2]), function, message);
  FaultScope::leave(LaunchStatus::Assert, thread, 0, returnAddress, &detail);
}

void ptxjit::allocateOnHeap(const uint64_t *places) {
  void *block = heap::allocate(read<size_t>(places[0]));
  std::memcpy(reinterpret_cast<void *>(places[1]), &block, sizeof(block));
}

void ptxjit::freeOnHeap(const uint64_t *places) {
  heap::release(read<void *>(places[0]));
}
