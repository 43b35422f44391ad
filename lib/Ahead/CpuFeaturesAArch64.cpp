//===- CpuFeaturesAArch64.cpp - what an AArch64 CPU has -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuFeatures.h"

#include <sys/auxv.h>
#include <sys/prctl.h>

using namespace ptxjit;

namespace {
struct Feature {
  const char *name;
  uint64_t first, second; ///< bits of AT_HWCAP and AT_HWCAP2
};
} // namespace

static constexpr Feature kFeatures[] = {
#define AARCH64_FEATURE(name, first, second) {name, first, second},
#include "ptxjit/Runtime/CpuFeatures.def"
};

bool ptxjit::hasFeature(std::string_view name) {
  uint64_t first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
  for (const Feature &feature : kFeatures)
    if (name == feature.name)
      return !(feature.first & ~first) && !(feature.second & ~second);
  return false;
}

uint32_t ptxjit::getSveBits() {
  int length = prctl(PR_SVE_GET_VL);
  return length < 0 ? 0 : uint32_t(length & PR_SVE_VL_LEN_MASK) * 8;
}
