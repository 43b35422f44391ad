//===- AheadABITest.cpp - the layout that objects rely on -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If a line here must change, so must PTXJIT_AHEAD_ABI_VERSION, and what
// AheadCompiler writes.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Ahead/AheadABI.h"

#include <cstddef>
#include <gtest/gtest.h>

TEST(AheadABI, Layout) {
  EXPECT_EQ(PTXJIT_AHEAD_ABI_VERSION, 1u);
  EXPECT_EQ(sizeof(PTXJIT_AHEAD_MAGIC), 8u + 1);
  EXPECT_EQ(sizeof(PtxjitVariant), 72u);
  EXPECT_EQ(offsetof(PtxjitVariant, code), 16u);
  EXPECT_EQ(offsetof(PtxjitVariant, entry), 24u);
  EXPECT_EQ(offsetof(PtxjitVariant, textBegin), 32u);
  EXPECT_EQ(offsetof(PtxjitVariant, textBytes), 40u);
  EXPECT_EQ(offsetof(PtxjitVariant, kernel), 48u);
  EXPECT_EQ(offsetof(PtxjitVariant, anyBlock), 52u);
  EXPECT_EQ(offsetof(PtxjitVariant, block), 56u);
  EXPECT_EQ(offsetof(PtxjitVariant, isSmallGrid), 68u);
  EXPECT_EQ(sizeof(PtxjitObject), 112u);
  EXPECT_EQ(offsetof(PtxjitObject, version), 8u);
  EXPECT_EQ(offsetof(PtxjitObject, state), 16u);
  EXPECT_EQ(offsetof(PtxjitObject, kernelABI), 24u);
  EXPECT_EQ(offsetof(PtxjitObject, compilerABI), 28u);
  EXPECT_EQ(offsetof(PtxjitObject, recordFormat), 32u);
  EXPECT_EQ(offsetof(PtxjitObject, sveBits), 36u);
  EXPECT_EQ(offsetof(PtxjitObject, producer), 40u);
  EXPECT_EQ(offsetof(PtxjitObject, fileName), 48u);
  EXPECT_EQ(offsetof(PtxjitObject, text), 56u);
  EXPECT_EQ(offsetof(PtxjitObject, cpu), 64u);
  EXPECT_EQ(offsetof(PtxjitObject, features), 72u);
  EXPECT_EQ(offsetof(PtxjitObject, numVariants), 80u);
  EXPECT_EQ(offsetof(PtxjitObject, variants), 88u);
  EXPECT_EQ(offsetof(PtxjitObject, module), 96u);
  EXPECT_EQ(offsetof(PtxjitObject, moduleBytes), 104u);
}
