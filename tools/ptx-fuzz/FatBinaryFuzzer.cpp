//===- FatBinaryFuzzer.cpp - fuzzes the readers of device code ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A libFuzzer target. Whatever the file, what is found must lie inside of it,
// and either there is a text, or a message says why there is none.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/CodeOutline.h"
#include "ptxjit/Runtime/FatBinary.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

using namespace ptxjit;

[[noreturn]] static void fail(const char *why) {
  std::fprintf(stderr, "ptx-fuzz-fatbinary: %s\n", why);
  std::abort();
}

/// What an entry claims would take long to allocate, and is right to be tried.
static constexpr uint64_t kMostUnpacked = 1 << 20;

static void readEntry(const ImageEntry &entry) {
  std::string bytes;
  CodeOutline outline;
  (void)(std::string(entry.name) + std::string(entry.options));
  if (entry.unpackedBytes > kMostUnpacked || !unpack(entry, bytes))
    return;
  outlineText(bytes);
  outlineMachineCode(bytes, outline);
}

static void readContainer(std::string_view container) {
  bool isLarge = false;
  visitEntries(container, [&](const ImageEntry &entry) {
    isLarge |= entry.unpackedBytes > kMostUnpacked;
  });
  if (isLarge)
    return;
  std::string diagnostics;
  if (readContainers({container}, diagnostics).empty() && diagnostics.empty())
    fail("neither a text nor a message");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view file(reinterpret_cast<const char *>(data), size);
  CodeOutline outline;
  outlineText(file);
  outlineMachineCode(file, outline);
  visitContainers(file, [&](std::string_view container) {
    size_t bytes = visitEntries(container, readEntry);
    if (bytes > container.size())
      fail("a container ends outside of the file");
    readContainer(container);
    return bytes;
  });
  return 0;
}
