//===- CpuFeaturesTest.cpp - what this machine's CPU has ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Ahead/CpuFeatures.h"

#include <gtest/gtest.h>

using namespace ptxjit;

#if defined(__x86_64__)
// The compiler's own tests of a machine, where it has them.
TEST(CpuFeatures, AgreesWithTheCompiler) {
#define COMPARE(name)                                                          \
  EXPECT_EQ(hasFeature(name), __builtin_cpu_supports(name) != 0) << name
  COMPARE("popcnt");
  COMPARE("fma");
  COMPARE("bmi");
  COMPARE("bmi2");
  COMPARE("avx");
  COMPARE("avx2");
  COMPARE("avx512f");
  COMPARE("avx512dq");
  COMPARE("avx512cd");
  COMPARE("avx512bw");
  COMPARE("avx512vl");
  COMPARE("avx512vnni");
  COMPARE("avx512vpopcntdq");
  COMPARE("gfni");
#undef COMPARE
}
TEST(CpuFeatures, HasWhatKernelsNeed) {
  EXPECT_TRUE(hasFeature("avx2"));
  EXPECT_EQ(describeMissing("avx2,fma,bmi2,f16c,lzcnt,movbe", 0), "");
}
#endif

TEST(CpuFeatures, SaysWhatIsMissing) {
  EXPECT_FALSE(hasFeature(""));
  EXPECT_FALSE(hasFeature("telepathy"));
  EXPECT_EQ(describeMissing("", 0), "");
  EXPECT_EQ(describeMissing("telepathy,levitation", 0),
            "telepathy, levitation");
  EXPECT_EQ(describeMissing("", 4096), "SVE of 4096 bits");
  EXPECT_EQ(describeMissing("", getSveBits()), "");
}
