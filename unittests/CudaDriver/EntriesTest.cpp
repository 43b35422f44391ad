//===- EntriesTest.cpp - calls every function without arguments -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file does not include CudaABI.h: it declares functions without their
// types. With the calling conventions of x86-64 and AArch64, arguments that a
// function does not have do no harm.
//
//===----------------------------------------------------------------------===//

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
#define ENTRY(name, since, symbol) extern "C" int symbol(PTXJIT_16_WORDS);
#define ENTRY_PER_THREAD(name, since, symbol) ENTRY(name, since, symbol)
#include "../../lib/CudaDriver/Entries.def"
#undef ENTRY
#undef ENTRY_PER_THREAD

namespace {
using AnyFunction = int (*)(PTXJIT_16_WORDS);
struct Row {
  const char *symbol;
  AnyFunction function;
};

const std::vector<Row> kRows = {
#define ENTRY(name, since, symbol) {#symbol, symbol},
#define ENTRY_PER_THREAD(name, since, symbol) ENTRY(name, since, symbol)
#include "../../lib/CudaDriver/Entries.def"
#undef ENTRY
#undef ENTRY_PER_THREAD
};

/// Calls a function with zeros, but for argument `place`.
int call(AnyFunction function, int place, Word value) {
  Word a[16] = {};
  if (place >= 0)
    a[place] = value;
  return function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9],
                  a[10], a[11], a[12], a[13], a[14], a[15]);
}

/// Functions that may call, at once or later, the function that they are given.
bool takesFunction(const std::string &symbol) {
  for (const char *part :
       {"cuLaunchHostFunc", "cuStreamAddCallback",
        "cuOccupancyMaxPotentialBlockSize", "cuLogsRegisterCallback",
        "cuUserObjectCreate", "cuDeviceRegisterAsyncNotification"})
    if (symbol.rfind(part, 0) == 0)
      return true;
  return false;
}

/// Functions with structures of more than 16 bytes as arguments. AArch64 passes
/// their addresses, and zero is the address of none.
bool takesCopy([[maybe_unused]] const std::string &symbol) {
#if defined(__aarch64__)
  for (const char *part : {"cuIpcOpen"})
    if (symbol.rfind(part, 0) == 0)
      return true;
#endif
  return false;
}

const char *nameOf(int result) {
  const char *name = nullptr;
  cuGetErrorName(Word(result), reinterpret_cast<Word>(&name), 0, 0, 0, 0, 0, 0,
                 0, 0, 0, 0, 0, 0, 0, 0);
  return name;
}

/// \param place  the argument that is the address of zeros; -1: none.
void callAll(int place) {
  static Word memory[1024];
  for (const Row &row : kRows) {
    if ((place >= 0 && takesFunction(row.symbol)) || takesCopy(row.symbol))
      continue;
    SCOPED_TRACE(row.symbol);
    std::memset(memory, 0, sizeof(memory)); // calls write to it
    EXPECT_TRUE(
        nameOf(call(row.function, place, reinterpret_cast<Word>(&memory))));
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

TEST(Entries, NullArgumentsAreErrors) {
  inThread(-1, -1);
  ASSERT_EQ(call(cuInit, -1, 0), 0);
  inThread(-1, -1);
}

TEST(Entries, MemoryThatIsNoHandleIsAnError) {
  ASSERT_EQ(call(cuInit, -1, 0), 0);
  inThread(0, 3);
}
