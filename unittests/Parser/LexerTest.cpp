//===- LexerTest.cpp - tokens and their places ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lib/Parser/Lexer.h"

#include <gtest/gtest.h>
#include <string>

using namespace ptxjit;

/// The kinds and spellings of all tokens, for example "I:add W:u32 P:; ".
static std::string lex(const char *text) {
  Lexer lexer(text);
  std::string out;
  for (Token t = lexer.next(); !t.is(TokenKind::Eof); t = lexer.next()) {
    out += "?EIWNFhHSP"[unsigned(t.kind) + 1 > 9 ? 9 : unsigned(t.kind)];
    out += ":" + t.spelling.str() + " ";
    if (out.size() > 1000)
      break;
  }
  return out;
}

TEST(Lexer, Instruction) {
  EXPECT_EQ(lex("@!%p1 add.s32 %r1, %r2, -5;"),
            "P:@ P:! I:%p1 I:add W:s32 I:%r1 P:, I:%r2 P:, P:- N:5 P:; ");
}
TEST(Lexer, Names) {
  EXPECT_EQ(lex("$L_1: _ %x$y WARP_SZ"), "I:$L_1 P:: I:_ I:%x$y I:WARP_SZ ");
}
TEST(Lexer, DotWords) {
  EXPECT_EQ(lex("ld.shared::cta.v4.u32 tex.2d"),
            "I:ld W:shared::cta W:v4 W:u32 I:tex W:2d ");
}
TEST(Lexer, Numbers) {
  EXPECT_EQ(lex("0 0777 0x1fU 0b101 12u 1.5 .5 1. 2e10 1.5e-3"),
            "N:0 N:0777 N:0x1fU N:0b101 N:12u F:1.5 F:.5 F:1. F:2e10 "
            "F:1.5e-3 ");
  EXPECT_EQ(lex("0f3F800000 0d3FF0000000000000"),
            "h:3F800000 H:3FF0000000000000 ");
}
TEST(Lexer, MalformedNumbersAreOneToken) {
  EXPECT_EQ(lex("0x1G 0f3F80 12ab"), "E:0x1G E:0f3F80 E:12ab ");
}
TEST(Lexer, Comments) {
  EXPECT_EQ(lex("a // b\nc /* d\n */ e /**/ f"), "I:a I:c I:e I:f ");
  EXPECT_EQ(lex("a /* b"), "I:a E: ");
  EXPECT_EQ(lex("/*"), "E: ");
  EXPECT_EQ(lex("/"), "P:/ ");
}
TEST(Lexer, Strings) {
  EXPECT_EQ(lex("\"a b\" x"), "S:a b I:x ");
  EXPECT_EQ(lex("\"a").substr(0, 2), "E:");
}
TEST(Lexer, OperatorsOfTwoCharacters) {
  EXPECT_EQ(lex("<< >> <= >= == != && || | <"),
            "P:<< P:>> P:<= P:>= P:== P:!= P:&& P:|| P:| P:< ");
}
TEST(Lexer, SkipsToTheBraceThatCloses) {
  Lexer lexer("a { \"}\" /* } */ } // }\n %r1 [x+0f3F800000]; } b");
  EXPECT_TRUE(lexer.skipBraces().isPunct("}"));
  EXPECT_EQ(lexer.next().spelling, "b");
}
TEST(Lexer, SkipsLinesOfOtherPrograms) {
  Lexer lexer("a / b\n#line 7 \"}\n //}\n %x } c");
  EXPECT_TRUE(lexer.skipBraces().isPunct("}"));
  EXPECT_EQ(lexer.next().spelling, "c");
}
TEST(Lexer, SkippingFindsTheFirstMalformedToken) {
  auto skip = [](llvm::StringRef text) {
    Token token = Lexer(text).skipBraces();
    return std::pair(token.kind, token.begin - text.begin());
  };
  using Found = std::pair<TokenKind, long>;
  EXPECT_EQ(skip("a \"b\n } c"), Found(TokenKind::Error, 2));
  EXPECT_EQ(skip("a ` \"b\n }"), Found(TokenKind::Error, 2));
  EXPECT_EQ(skip("a # b }"), Found(TokenKind::Error, 2));
  EXPECT_EQ(skip("\"a\" b /* } "), Found(TokenKind::Error, 6));
  EXPECT_EQ(skip("a { }"), Found(TokenKind::Eof, 5));
  // The text behind the brace is not read.
  EXPECT_EQ(skip("a } \"b"), Found(TokenKind::Punctuation, 2));
}
TEST(Lexer, OddBytes) { EXPECT_EQ(lex("\x01 \xff ` #").size() > 0, true); }
