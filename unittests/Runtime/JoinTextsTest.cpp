//===- JoinTextsTest.cpp - several PTX texts as one module ----------------===//

#include "ptxjit/Runtime/JoinTexts.h"

#include <gtest/gtest.h>

using namespace ptxjit;

TEST(JoinTexts, OneTextIsLeft) {
  std::vector<unsigned> lines;
  EXPECT_EQ(joinTexts({"whatever"}, &lines), "whatever");
  EXPECT_EQ(lines, std::vector<unsigned>{1});
}

TEST(JoinTexts, NewestHeaderAndAllLines) {
  std::vector<unsigned> lines;
  std::string whole = joinTexts({".version 8.7\n.target sm_80\n"
                                 ".address_size 64\n.func a() {}",
                                 ".version 8.0\n.target sm_100a\n.func b() {}"},
                                &lines);
  EXPECT_EQ(whole, ".version 8.7 .target sm_100a .address_size 64\n"
                   "            \n             \n                \n"
                   ".func a() {}\n"
                   "            \n               \n.func b() {}\n");
  EXPECT_EQ(lines, (std::vector<unsigned>{2, 6}));
}

// The header's line was taken away as a whole, with what stood behind it.
TEST(JoinTexts, HeaderOnOneLine) {
  EXPECT_EQ(joinTexts({".version 8.0 .target sm_80 .address_size 64 .func a();",
                       ".version 7.0\n.target sm_90, debug\n.func b();"}),
            ".version 8.0 .target sm_90, debug .address_size 64\n" +
                std::string(44, ' ') + ".func a();\n" + std::string(12, ' ') +
                "\n" + std::string(20, ' ') + "\n.func b();\n");
}

TEST(JoinTexts, CommentsAreNoHeader) {
  std::string first = "// .version 9.9\n/* .target sm_120\n*/.version 8.0\n"
                      ".target sm_80 /* , */, // debug\n debug\n.func a();";
  std::string whole = joinTexts({first, ".version 7.0\n.target sm_70\n"});
  EXPECT_EQ(whole.substr(0, whole.find('\n')),
            ".version 8.0 .target sm_80, debug ");
  EXPECT_NE(whole.find("\n// .version 9.9\n/* .target sm_120\n*/"),
            std::string::npos);
}

TEST(JoinTexts, TextsWithoutHeader) {
  EXPECT_EQ(joinTexts({"", "/* never closed", "\"never closed"}),
            "  \n\n/* never closed\n\"never closed\n");
}
