//===- CodeOutlineTest.cpp - which kernels an image has -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Runtime/CodeOutline.h"
#include "unittests/CudaDriver/MachineCodeWriter.h"
#include "gtest/gtest.h"

#include <cstring>

using namespace ptxjit;

namespace {
using Names = std::vector<std::string>;

/// The outline of a damaged or right file. Sanitizers see reads outside, since
/// the copy is of its exact size.
CodeOutline outline(const std::string &file, bool isRight) {
  std::vector<char> copy(file.begin(), file.end());
  CodeOutline found;
  EXPECT_EQ(outlineMachineCode({copy.data(), copy.size()}, found), isRight);
  return found;
}
} // namespace

TEST(CodeOutline, Texts) {
  CodeOutline text = outlineText("// .entry no\n"
                                 ".version 9.0 /* .entry no\n */\n"
                                 ".target sm_90a , texmode_independent, debug\n"
                                 ".file 1 \".entry no\"\n"
                                 ".visible .entry a(.param .u64 p) { ret; }\n"
                                 ".entry/**/$b_2\n{ .loc 1 2 3; }\n"
                                 ".weak .entry a;.entry");
  EXPECT_EQ(text.version, "9.0");
  EXPECT_EQ(text.target, "sm_90a");
  EXPECT_TRUE(text.hasDebug);
  EXPECT_TRUE(text.hasLines);
  EXPECT_EQ(text.kernels, (Names{"a", "$b_2"}));
}

TEST(CodeOutline, TextsThatAreNone) {
  for (std::string_view text :
       {std::string_view(), std::string_view("\0.entry a", 9),
        std::string_view("/* .entry a"), std::string_view("\".entry a"),
        std::string_view("//"), std::string_view("\x80\xff")}) {
    CodeOutline found = outlineText(text);
    EXPECT_EQ(found.version + found.target, "") << text;
    EXPECT_TRUE(found.kernels.empty()) << text;
  }
}

TEST(CodeOutline, MachineCode) {
  CodeOutline found = outline(makeMachineCode(90, {"a", "b", "a"}), true);
  EXPECT_EQ(found.target, "sm_90");
  EXPECT_EQ(found.kernels, (Names{"a", "b"}));
  EXPECT_FALSE(found.hasDebug || found.hasLines);
  for (const char *suffix : {"a", "f"})
    EXPECT_EQ(outline(makeMachineCode(120, {},
                                      std::string("-v -arch sm_120") + suffix),
                      true)
                  .target,
              std::string("sm_120") + suffix);
  // Before CUDA 13 the flags had another form.
  std::string old = makeMachineCode(0, {});
  old[EI_ABIVERSION] = 7;
  old[offsetof(Elf64_Ehdr, e_flags)] = 75;
  EXPECT_EQ(outline(old, true).target, "sm_75");
}

TEST(CodeOutline, MachineCodeThatEndsEarly) {
  std::string file = makeMachineCode(90, {"a", "b"});
  for (size_t bytes = 0; bytes < file.size(); ++bytes)
    outline(file.substr(0, bytes), false);
}

TEST(CodeOutline, MachineCodeWithWrongBytes) {
  std::string file = makeMachineCode(90, {"a", "b"}, "-arch sm_90a");
  for (size_t at = 0; at < file.size(); ++at)
    for (int value : {0, 0x7f, 0xff}) {
      std::string wrong = file;
      wrong[at] = char(value);
      CodeOutline found;
      outlineMachineCode(wrong, found);
      EXPECT_LE(found.kernels.size(), 3u);
    }
}

TEST(CodeOutline, NamesThatOverlapTakeNoMemory) {
  // Each of a thousand symbols has another part of one long string as its name.
  constexpr uint32_t numSymbols = 1000;
  Names kernels(numSymbols);
  kernels.push_back(std::string(60000, 'x'));
  std::string file = makeMachineCode(90, kernels);
  Elf64_Ehdr header;
  Elf64_Shdr symbols;
  std::memcpy(&header, file.data(), sizeof(header));
  std::memcpy(&symbols, &file[header.e_shoff + sizeof(symbols)],
              sizeof(symbols));
  for (uint32_t i = 1; i <= numSymbols; ++i) {
    uint32_t name = numSymbols + 1 + i;
    std::memcpy(&file[symbols.sh_offset + i * sizeof(Elf64_Sym)], &name,
                sizeof(name));
  }
  CodeOutline found = outline(file, false);
  EXPECT_GT(found.kernels.size(), 0u);
  EXPECT_LT(found.kernels.size(), 10u);
}
