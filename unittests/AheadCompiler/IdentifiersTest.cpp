//===- IdentifiersTest.cpp - names of PTX in C ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/AheadCompiler/CompiledModule.h"

#include <gtest/gtest.h>

using namespace ptxjit;

using Names = std::vector<std::string>;

TEST(Identifiers, AreValid) {
  EXPECT_EQ(toIdentifier("saxpy"), "saxpy");
  EXPECT_EQ(toIdentifier("$a%b"), "_a_b");
  EXPECT_EQ(toIdentifier("2d"), "_2d");
  EXPECT_EQ(toIdentifier(""), "_");
  EXPECT_EQ(toIdentifier("float"), "float_");
  EXPECT_EQ(toIdentifier("launch"), "launch_");
}

TEST(Identifiers, AreShortWhereThatIsEnough) {
  EXPECT_EQ(toIdentifiers({"_Z5saxpyifPfS_", "plain"}),
            (Names{"saxpy", "plain"}));
  EXPECT_EQ(toIdentifiers({"_ZN2ns5scaleIfEEvPT_i"}), (Names{"ns__scale"}));
  // Overloads and instances keep what tells them apart.
  EXPECT_EQ(toIdentifiers({"_Z1fi", "_Z1ff"}), (Names{"_Z1fi", "_Z1ff"}));
}

TEST(Identifiers, AreDifferent) {
  EXPECT_EQ(toIdentifiers({"a$b", "a%b", "a_b"}),
            (Names{"a_b", "a_b_", "a_b__"}));
  EXPECT_EQ(toIdentifiers({"_Z1fi", "f"}), (Names{"_Z1fi", "f"}));
}
