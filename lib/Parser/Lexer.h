//===- Lexer.h - splits PTX text into tokens --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lexer knows the characters of PTX, but not its grammar.
//
//===----------------------------------------------------------------------===//

#ifndef PTXJIT_LIB_PARSER_LEXER_H
#define PTXJIT_LIB_PARSER_LEXER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SMLoc.h"

namespace ptxjit {

enum class TokenKind : uint8_t {
  Eof,
  Error,      ///< spelling holds the malformed text; empty: an open comment
  Identifier, ///< `add`, `%r1`, `$L_2`, `_`
  DotWord,    ///< `.global`, `.shared::cta`; spelling without the dot
  Integer,
  Float,  ///< decimal
  Hex32,  ///< 0fXXXXXXXX
  Hex64,  ///< 0dXXXXXXXXXXXXXXXX
  String, ///< spelling without the quotes
  // An operator, bracket or separator; spelling is the text.
  Punctuation,
};

struct Token {
  TokenKind kind = TokenKind::Eof;
  llvm::StringRef spelling;
  /// The token's start in the buffer, including a leading dot or quote.
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
  /// Skips from just behind an opening brace to behind its closing brace.
  /// \returns the first malformed token on the way, else the end of the buffer
  /// if the closing brace is missing, else that brace. Numbers and names are
  /// not checked.
  Token skipBraces();
  /// Skips to the end of the line.
  void skipLine();
  /// Goes back to the start of an earlier token.
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
  const char *openComment = nullptr; ///< a comment that has no end
};

} // namespace ptxjit

#endif
