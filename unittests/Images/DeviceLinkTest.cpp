//===- DeviceLinkTest.cpp - linking for a device --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tools print of it is tested with the tools.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Images/DeviceLink.h"
#include "gtest/gtest.h"

using namespace ptxjit;

static const std::string kHead =
    ".version 8.0\n.target sm_80\n.address_size 64\n";
static const std::string kUses =
    kHead + ".extern .func f();\n.extern .global .u32 v;\n"
            ".visible .entry k() { .reg .u32 %r; call f, (); "
            "ld.global.u32 %r, [v]; ret; }\n";
static const std::string kDefines =
    kHead + ".visible .func f() { ret; }\n.visible .global .u32 v;\n";

TEST(DeviceLink, ResultsAreLinkedAgain) {
  DeviceLink link({8, 0}, "sm_80");
  std::string diagnostics;
  EXPECT_TRUE(link.add(kUses, "uses.ptx", diagnostics));
  std::vector<LinkProblem> problems;
  std::string open = link.link(problems, /*mayBeOpen=*/true);
  EXPECT_TRUE(problems.empty());
  EXPECT_TRUE(isLinkedText(open));
  DeviceLink again({8, 0}, "sm_80");
  EXPECT_TRUE(again.add(open, "open", diagnostics));
  EXPECT_TRUE(again.add(kDefines, "defines.ptx", diagnostics));
  EXPECT_FALSE(again.link(problems).empty());
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(diagnostics, "");
  EXPECT_EQ(again.getNames(),
            (std::vector<std::string>{"uses.ptx", "defines.ptx"}));
}

TEST(DeviceLink, ProblemsNameSymbolsAndModules) {
  DeviceLink link({8, 0}, "sm_80");
  std::string diagnostics;
  std::vector<LinkProblem> problems;
  EXPECT_TRUE(link.add(kUses, "a:b.ptx", diagnostics));
  EXPECT_EQ(link.link(problems), "");
  ASSERT_EQ(problems.size(), 2u);
  for (const LinkProblem &problem : problems) {
    EXPECT_EQ(problem.kind, LinkProblem::Kind::Undefined);
    EXPECT_EQ(problem.module, "a:b.ptx");
    EXPECT_TRUE(problem.symbol == "f" || problem.symbol == "v");
  }
  EXPECT_TRUE(link.add(kDefines, "one", diagnostics));
  EXPECT_TRUE(link.add(kDefines, "two", diagnostics));
  EXPECT_EQ(link.link(problems), "");
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].kind, LinkProblem::Kind::Multiple);
  EXPECT_EQ(problems[0].module, "two");
  EXPECT_EQ(problems[0].first, "one");
}

TEST(DeviceLink, OtherErrorsAreTexts) {
  DeviceLink link({8, 0}, "sm_80");
  std::string diagnostics;
  std::vector<LinkProblem> problems;
  EXPECT_TRUE(link.add(".version 8.0\nfoo", "bad.ptx", diagnostics));
  EXPECT_EQ(link.link(problems), "");
  ASSERT_FALSE(problems.empty());
  EXPECT_EQ(problems[0].kind, LinkProblem::Kind::Other);
  EXPECT_NE(problems[0].text.find("bad.ptx:2:1: error: "), std::string::npos);
}

TEST(DeviceLink, NothingIsAModuleWithoutFunctions) {
  DeviceLink link({9, 0}, "sm_90a");
  std::vector<LinkProblem> problems;
  std::string text = link.link(problems), diagnostics;
  EXPECT_TRUE(problems.empty());
  EXPECT_TRUE(link.add(text, "empty", diagnostics));
  EXPECT_FALSE(link.link(problems).empty());
  EXPECT_TRUE(problems.empty());
  EXPECT_FALSE(
      link.add("// ptx-jit linked image, version 0\n", "old", diagnostics));
  EXPECT_NE(diagnostics.find("of another version"), std::string::npos);
}
