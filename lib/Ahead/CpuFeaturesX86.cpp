//===- CpuFeaturesX86.cpp - what an x86-64 CPU has ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuFeatures.h"

#include <cpuid.h>

using namespace ptxjit;

namespace {
enum Register { Eax, Ebx, Ecx, Edx };
/// Registers whose contents the system must save: bits of XCR0.
enum State : uint32_t {
  None = 0,
  Avx = 0x6,
  Avx512 = 0xe6,
  Tiles = 0x60000,
  Egprs = 0x80000
};

struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register place;
  unsigned bit;
  State state;
};
} // namespace

static constexpr Feature kFeatures[] = {
#define X86_FEATURE(name, leaf, subleaf, place, bit, state)                    \
  {name, leaf, subleaf, place, bit, state},
#include "ptxjit/Runtime/CpuFeatures.def"
};

static uint32_t readWord(uint32_t leaf, uint32_t subleaf, Register place) {
  uint32_t words[4] = {0, 0, 0, 0};
  if (!__get_cpuid_count(leaf, subleaf, &words[0], &words[1], &words[2],
                         &words[3]))
    return 0; // the CPU is older
  return words[place];
}

/// XCR0; 0 if the system saves no more than SSE's registers.
static uint32_t getSavedState() {
  constexpr uint32_t osxsave = 1u << 27;
  if (!(readWord(1, 0, Ecx) & osxsave))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

bool ptxjit::hasFeature(std::string_view name) {
  static const uint32_t saved = getSavedState();
  for (const Feature &feature : kFeatures)
    if (name == feature.name)
      return (readWord(feature.leaf, feature.subleaf, feature.place) >>
              feature.bit) &
                 1 &&
             (saved & feature.state) == feature.state;
  return false;
}

uint32_t ptxjit::getSveBits() { return 0; }
