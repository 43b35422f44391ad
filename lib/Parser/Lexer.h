//===- Lexer.h - PTX text to tokens -----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Knows the characters of PTX and nothing of its grammar.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_PARSER_LEXER_H
#define PTXJIT_LIB_PARSER_LEXER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SMLoc.h"

namespace ptxjit {

enum class TokenKind : uint8_t {
  Eof,
  Error,      ///< spelling holds the offending character
  Identifier, ///< `add`, `%r1`, `$L_2`, `_`
  DotWord,    ///< `.global`, `.shared::cta`; spelling without the dot
  Integer,
  Float,  ///< decimal
  Hex32,  ///< 0fXXXXXXXX
  Hex64,  ///< 0dXXXXXXXXXXXXXXXX
  String, ///< spelling without the quotes
  // Punctuation: spelling is the text.
  Punctuation,
};

struct Token {
  TokenKind kind = TokenKind::Eof;
  llvm::StringRef spelling;
  /// Start in the buffer, including a leading dot or quote.
  const char *begin = nullptr;

  llvm::SMLoc getLoc() const { return llvm::SMLoc::getFromPointer(begin); }
  bool is(TokenKind k) const { return kind == k; }
  bool isPunct(llvm::StringRef text) const {
    return kind == TokenKind::Punctuation && spelling == text;
  }
  bool isWord(llvm::StringRef text) const {
    return kind == TokenKind::DotWord && spelling == text;
  }
};

class Lexer {
public:
  explicit Lexer(llvm::StringRef buffer)
      : cur(buffer.begin()), end(buffer.end()), start(buffer.begin()) {}

  Token next();
  /// From just behind an opening brace to behind the one that closes it. Gives
  /// the first malformed token on the way, the end of the buffer if that comes
  /// before the brace, else the brace. Numbers and names are not looked at.
  Token skipBraces();
  /// To the end of the line.
  void skipLine();
  /// Goes back to a token handed out before.
  void rewind(const char *to) { cur = to; }

private:
  void skipTrivia();
  Token make(TokenKind kind, const char *from, const char *textBegin,
             const char *textEnd);
  Token lexNumber();
  Token lexDigits();
  Token lexWord(const char *from);
  Token lexString();
  Token lexPunctuation();
  Token takeOpenComment();

  const char *cur, *end, *start;
  const char *openComment = nullptr; ///< one that the end of the file cut off
};

} // namespace ptxjit

#endif
