//===- TargetTest.cpp - which CPUs code is made for -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/JIT/Compiler.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

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
  EXPECT_TRUE(v3.slowGathers && !v4.slowGathers);
  EXPECT_TRUE(v4.scatters && v4.embeddedRounding);
  EXPECT_EQ(select("sapphirerapids").device, DeviceLevel::V4Dot);
  EXPECT_TRUE(v3.runsOn(v4));
  EXPECT_FALSE(v4.runsOn(v3));
}

TEST(Target, AArch64) {
  CpuTarget old = select("cortex-a72"), grace = select("neoverse-v2");
  EXPECT_EQ(grace.triple.getArch(), Triple::aarch64);
  EXPECT_EQ(old.device, DeviceLevel::Neon);
  EXPECT_EQ(select("neoverse-n1").device, DeviceLevel::NeonDot);
  EXPECT_EQ(grace.device, DeviceLevel::NeonMatrix);
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

// It keeps a debug location of the last function, whose context may have ended.
TEST(Target, NothingIsSelectedByGlobalISel) {
  for (const char *cpu : {"neoverse-n1", "neoverse-v2", "x86-64-v3"})
    EXPECT_FALSE(createTargetMachine(select(cpu), Effort::Quick)
                     ->Options.EnableGlobalISel)
        << cpu;
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

static bool knows(const CpuTarget &cpu, StringRef name) {
  auto machine = createTargetMachine(cpu, Effort::Quick);
  return any_of(machine->getMCSubtargetInfo()->getAllProcessorFeatures(),
                [&](const SubtargetFeatureKV &kv) { return name == kv.Key; });
}

// LLVM does not tell if a name is none of its features.
TEST(Target, TestableFeaturesAreFeatures) {
  CpuTarget x86 = select("x86-64-v3"), arm = select("neoverse-v2");
#define X86_FEATURE(name, ...) EXPECT_TRUE(knows(x86, name)) << name;
#define AARCH64_FEATURE(name, ...) EXPECT_TRUE(knows(arm, name)) << name;
#include "ptxjit/Runtime/CpuFeatures.def"
}

TEST(Target, TestableFeatures) {
  auto has = [](StringRef cpu, StringRef feature) {
    std::string list = select(cpu).testable;
    SmallVector<StringRef> names;
    StringRef(list).split(names, ',');
    return is_contained(names, feature);
  };
  EXPECT_TRUE(has("x86-64-v3", "avx2"));
  EXPECT_TRUE(has("x86-64-v3", "lzcnt"));
  EXPECT_FALSE(has("x86-64-v3", "avx512f"));
  EXPECT_TRUE(has("sapphirerapids", "avx512fp16"));
  EXPECT_TRUE(has("neoverse-n1", "lse"));
  EXPECT_FALSE(has("neoverse-n1", "sve"));
  EXPECT_TRUE(has("neoverse-v2", "sve2"));
}

TEST(Target, FeaturesMayBeChanged) {
  CpuTarget less = select("neoverse-v2,-lse2,-sve");
  EXPECT_EQ(less.name, "neoverse-v2");
  EXPECT_EQ(less.testable.find("lse2"), std::string::npos);
  EXPECT_EQ(less.testable.find("sve"), std::string::npos);
  EXPECT_TRUE(select("x86-64-v3,+avx512f").runsOn(select("x86-64-v4")));
  for (const char *wrong : {"x86-64-v3,+lse2", "x86-64-v3,avx512f",
                            "x86-64-v3,", "x86-64-v3,,", "x86-64-v3,+"}) {
    auto cpu = selectCpu(wrong, 0);
    if (StringRef(wrong) == "x86-64-v3,") {
      EXPECT_TRUE(bool(cpu)); // no changes
      continue;
    }
    ASSERT_FALSE(bool(cpu)) << wrong;
    EXPECT_NE(toString(cpu.takeError()).find("unknown CPU feature"),
              std::string::npos);
  }
}
