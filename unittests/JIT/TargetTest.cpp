//===- TargetTest.cpp - which CPUs code is made for -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace ptxjit;

static CpuTarget select(StringRef name, unsigned chunk = 0) {
  auto cpu = selectCpu(name, chunk);
  if (cpu)
    return *cpu;
  ADD_FAILURE() << toString(cpu.takeError());
  return CpuTarget();
}

TEST(Target, ThisMachineRunsItsOwnCode) {
  EXPECT_TRUE(runsHere(select("")));
  EXPECT_TRUE(runsHere(select("native")));
}

TEST(Target, X86) {
  CpuTarget v3 = select("x86-64-v3"), v4 = select("x86-64-v4");
  EXPECT_EQ(v3.triple.getArch(), Triple::x86_64);
  EXPECT_EQ(v3.chunk, 8u);
  EXPECT_EQ(v4.chunk, 16u);
  EXPECT_FALSE(v3.scatters || v3.embeddedRounding);
  EXPECT_TRUE(v4.scatters && v4.embeddedRounding);
  EXPECT_EQ(select("sapphirerapids").device, DeviceLevel::V4Dot);
  EXPECT_TRUE(v3.runsOn(v4));
  EXPECT_FALSE(v4.runsOn(v3));
}

TEST(Target, AArch64) {
  CpuTarget old = select("cortex-a72"), grace = select("neoverse-v2");
  EXPECT_EQ(grace.triple.getArch(), Triple::aarch64);
  EXPECT_EQ(grace.device, DeviceLevel::Neon);
  EXPECT_EQ(grace.chunk, 4u);
  EXPECT_EQ(select("neoverse-v2", /*chunk=*/8).chunk, 8u);
  EXPECT_TRUE(old.runsOn(grace));
  EXPECT_FALSE(grace.runsOn(old)); // has LSE
  EXPECT_FALSE(old.runsOn(select("x86-64-v4")));
  EXPECT_FALSE(select("x86-64-v3").runsOn(grace));
}

TEST(Target, LengthOfSve) {
  CpuTarget graviton3 = select("neoverse-v1"), fugaku = select("a64fx");
  EXPECT_EQ(graviton3.sveBits, 256u);
  EXPECT_EQ(graviton3.chunk, 8u);
  EXPECT_EQ(fugaku.chunk, 16u);
  EXPECT_TRUE(fugaku.scatters);
  EXPECT_EQ(select("neoverse-v2").sveBits, 0u); // 128 bits: NEON does as well
  // Code for registers of one length is for these alone.
  CpuTarget longer = graviton3;
  longer.sveBits = 512;
  EXPECT_FALSE(graviton3.runsOn(longer));
  EXPECT_TRUE(select("cortex-a72").runsOn(graviton3));
}

TEST(Target, OthersAreRefused) {
  auto messageFor = [](StringRef name) {
    auto cpu = selectCpu(name, 0);
    return cpu ? std::string() : toString(cpu.takeError());
  };
  EXPECT_EQ(messageFor("z80"), "unknown CPU 'z80'");
  EXPECT_EQ(messageFor("sandybridge"),
            "CPU 'sandybridge' is not supported: AVX2 and FMA are needed");
}
