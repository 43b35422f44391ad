//===- EntriesTest.cpp - calls every function without arguments -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file does not include CudaRuntimeABI.h: it declares functions without
// their types. With the calling conventions of x86-64 and AArch64, arguments
// that a function does not have do no harm.
//
//===----------------------------------------------------------------------===//

#if PTXJIT_CUDART_VERSION == 12
#include "ptxjit/CudaRuntime/Names12.h"
#endif
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

using Word = uint64_t;
#define PTXJIT_16_WORDS                                                        \
  Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word,      \
      Word, Word, Word, Word
#define ENTRY(name) extern "C" int name(PTXJIT_16_WORDS);
#include "../../lib/CudaRuntime/Entries.def"
#undef ENTRY

namespace {
using AnyFunction = int (*)(PTXJIT_16_WORDS);
struct Row {
  const char *symbol;
  AnyFunction function;
};

const std::vector<Row> kRows = {
#define ENTRY(name) {#name, name},
#include "../../lib/CudaRuntime/Entries.def"
#undef ENTRY
};

/// Functions that return no error, or may call, at once or later, the function
/// that they are given.
bool isSpecial(const std::string &symbol, bool hasArgument) {
  for (const char *name :
       {"cudaGetErrorName", "cudaGetErrorString", "cudaCreateChannelDesc"})
    if (symbol == name)
      return true;
  for (const char *part : {"cudaLaunchHostFunc", "cudaStreamAddCallback",
                           "cudaLogsRegisterCallback", "cudaUserObjectCreate",
                           "cudaDeviceRegisterAsyncNotification"})
    if (hasArgument && symbol.rfind(part, 0) == 0)
      return true;
  return false;
}

/// Functions with structures of more than 16 bytes as arguments. AArch64 passes
/// their addresses, and zero is the address of none.
bool takesCopy([[maybe_unused]] const std::string &symbol) {
#if defined(__aarch64__)
  for (const char *part :
       {"cudaMalloc3D", "cudaMallocMipmapped", "cudaMemset3D", "cudaIpcOpen"})
    if (symbol.rfind(part, 0) == 0)
      return true;
#endif
  return false;
}

/// Calls all functions with zeros, but for argument `place`, which is the
/// address of zeros; -1: none.
void callAll(int place) {
  static Word memory[1024];
  for (const Row &row : kRows) {
    if (isSpecial(row.symbol, place >= 0) || takesCopy(row.symbol))
      continue;
    SCOPED_TRACE(row.symbol);
    std::memset(memory, 0, sizeof(memory)); // calls write to it
    Word a[16] = {};
    if (place >= 0)
      a[place] = reinterpret_cast<Word>(&memory);
    int result =
        row.function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                     a[10], a[11], a[12], a[13], a[14], a[15]);
    EXPECT_GE(result, 0);
    EXPECT_LT(result, 1000);
  }
}

/// Calls all functions for places `first` to `last`. The thread's own default
/// stream and current context go with the thread.
void inThread(int first, int last) {
  std::thread([&] {
    for (int place = first; place <= last; ++place)
      callAll(place);
  }).join();
}
} // namespace

TEST(RuntimeEntries, NullArgumentsAreErrors) { inThread(-1, -1); }

TEST(RuntimeEntries, MemoryThatIsNoHandleIsAnError) { inThread(0, 3); }
