//===- Lexer.cpp - splits PTX text into tokens ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"

#include "llvm/ADT/StringExtras.h"

#include <array>
#include <cstring>

using namespace ptxjit;
using llvm::StringRef;

static bool isNameStart(char c) {
  return llvm::isAlpha(c) || c == '_' || c == '$' || c == '%';
}
static bool isNamePart(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$';
}
static bool isPunctuation(char c) {
  return StringRef("{}[]()<>,;:+-*/&|^~?!=@").contains(c);
}

/// Which characters Lexer::skipBraces passes over without a closer look: those
/// of statements, but no brace, and none that a comment or `#line` begins with.
/// Large modules consist of bodies that are skipped, so this is a table.
static std::array<bool, 256> makePlainTable() {
  std::array<bool, 256> plain{};
  for (unsigned i = 0; i < plain.size(); ++i) {
    char c = char(i);
    bool isKnown = isNamePart(c) || isPunctuation(c) || llvm::isSpace(c) ||
                   c == '%' || c == '.';
    plain[i] = isKnown && c != '{' && c != '}' && c != '/';
  }
  return plain;
}

Token Lexer::make(TokenKind kind, const char *from, const char *textBegin,
                  const char *textEnd) {
  return {kind, StringRef(textBegin, textEnd - textBegin), from};
}

void Lexer::skipLine() {
  const void *found = std::memchr(cur, '\n', end - cur);
  cur = found ? static_cast<const char *>(found) : end;
}

void Lexer::skipTrivia() {
  while (cur < end) {
    if (llvm::isSpace(*cur)) {
      ++cur;
    } else if (*cur == '/' && cur + 1 < end && cur[1] == '/') {
      skipLine();
    } else if (*cur == '/' && cur + 1 < end && cur[1] == '*') {
      const char *from = cur;
      cur += 2;
      while (cur + 1 < end && !(cur[0] == '*' && cur[1] == '/'))
        ++cur;
      if (cur + 1 >= end) {
        cur = end;
        openComment = from;
        return;
      }
      cur += 2;
    } else if (*cur == '#' && StringRef(cur, end - cur).starts_with("#line")) {
      skipLine();
    } else {
      return;
    }
  }
}

Token Lexer::takeOpenComment() {
  return make(TokenKind::Error, std::exchange(openComment, nullptr), end, end);
}

Token Lexer::skipBraces() {
  Token malformed;
  auto note = [&](Token token) {
    if (token.is(TokenKind::Error) && !malformed.is(TokenKind::Error))
      malformed = token;
  };
  static const std::array<bool, 256> isPlain = makePlainTable();
  for (unsigned depth = 1; depth;) {
    while (cur < end && isPlain[uint8_t(*cur)])
      ++cur;
    skipTrivia();
    if (openComment)
      note(takeOpenComment());
    if (cur >= end)
      return malformed.is(TokenKind::Error)
                 ? malformed
                 : make(TokenKind::Eof, end, end, end);
    if (*cur == '"') {
      note(lexString());
      continue;
    }
    if (*cur == '{')
      ++depth;
    else if (*cur == '}')
      --depth;
    else if (*cur != '/' && !isPlain[uint8_t(*cur)])
      note(make(TokenKind::Error, cur, cur, cur + 1));
    ++cur;
  }
  return malformed.is(TokenKind::Error)
             ? malformed
             : make(TokenKind::Punctuation, cur - 1, cur - 1, cur);
}

Token Lexer::next() {
  skipTrivia();
  if (openComment)
    return takeOpenComment();
  if (cur >= end)
    return make(TokenKind::Eof, end, end, end);
  char c = *cur;
  bool nextIsDigit = cur + 1 < end && llvm::isDigit(cur[1]);
  if (llvm::isDigit(c))
    return lexNumber();
  if (c == '.') {
    // Behind a name, `.2d` is a word (`tex.2d`); else `.5` is a number.
    bool glued = cur > start && isNamePart(cur[-1]);
    if (nextIsDigit && !glued)
      return lexNumber();
    if (cur + 1 < end && isNamePart(cur[1]))
      return lexWord(cur++);
    const char *from = cur++;
    return make(TokenKind::Error, from, from, cur);
  }
  if (c == '"')
    return lexString();
  if (isNameStart(c)) {
    const char *from = cur++;
    while (cur < end && isNamePart(*cur))
      ++cur;
    // A lone `%` is the remainder operator.
    if (c == '%' && cur == from + 1)
      return make(TokenKind::Punctuation, from, from, cur);
    return make(TokenKind::Identifier, from, from, cur);
  }
  return lexPunctuation();
}

Token Lexer::lexWord(const char *from) {
  const char *text = cur;
  while (cur < end) {
    if (isNamePart(*cur))
      ++cur;
    else if (cur + 2 < end && cur[0] == ':' && cur[1] == ':' &&
             isNamePart(cur[2]))
      cur += 2;
    else
      break;
  }
  return make(TokenKind::DotWord, from, text, cur);
}

Token Lexer::lexString() {
  const char *from = cur++;
  const char *text = cur;
  while (cur < end && *cur != '"' && *cur != '\n')
    ++cur;
  if (cur >= end || *cur != '"')
    return make(TokenKind::Error, from, from, from + 1);
  return make(TokenKind::String, from, text, cur++);
}

Token Lexer::lexNumber() {
  const char *from = cur;
  Token number = lexDigits();
  // `0x1G` and `0f3F80` are one malformed number each, not a number and a name.
  auto continues = [&] {
    return cur < end && (llvm::isAlnum(*cur) || *cur == '_' || *cur == '$');
  };
  if (!continues())
    return number;
  while (continues())
    ++cur;
  return make(TokenKind::Error, from, from, cur);
}

Token Lexer::lexDigits() {
  const char *from = cur;
  auto hexDigits = [&](unsigned n) {
    if (unsigned(end - cur) < n + 2)
      return false;
    for (unsigned i = 0; i < n; ++i)
      if (!llvm::isHexDigit(cur[2 + i]))
        return false;
    return true;
  };
  char kind = *cur == '0' && cur + 1 < end ? llvm::toLower(cur[1]) : 0;
  if (kind == 'f' && hexDigits(8)) {
    cur += 10;
    return make(TokenKind::Hex32, from, from + 2, cur);
  }
  if (kind == 'd' && hexDigits(16)) {
    cur += 18;
    return make(TokenKind::Hex64, from, from + 2, cur);
  }
  if (kind == 'x' || kind == 'b') {
    cur += 2;
    while (cur < end && llvm::isHexDigit(*cur))
      ++cur;
    if (cur < end && (*cur == 'U' || *cur == 'u'))
      ++cur;
    return make(TokenKind::Integer, from, from, cur);
  }
  bool isFloat = false;
  while (cur < end && llvm::isDigit(*cur))
    ++cur;
  if (cur < end && *cur == '.') {
    isFloat = true;
    ++cur;
    while (cur < end && llvm::isDigit(*cur))
      ++cur;
  }
  if (cur < end && (*cur == 'e' || *cur == 'E')) {
    const char *exp = cur + 1;
    if (exp < end && (*exp == '+' || *exp == '-'))
      ++exp;
    if (exp < end && llvm::isDigit(*exp)) {
      isFloat = true;
      cur = exp;
      while (cur < end && llvm::isDigit(*cur))
        ++cur;
    }
  }
  if (!isFloat && cur < end && (*cur == 'U' || *cur == 'u'))
    ++cur;
  return make(isFloat ? TokenKind::Float : TokenKind::Integer, from, from, cur);
}

Token Lexer::lexPunctuation() {
  static constexpr llvm::StringLiteral two[] = {
      "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
  const char *from = cur;
  StringRef rest(cur, end - cur);
  for (StringRef op : two)
    if (rest.starts_with(op)) {
      cur += 2;
      return make(TokenKind::Punctuation, from, from, cur);
    }
  ++cur;
  return make(isPunctuation(*from) ? TokenKind::Punctuation : TokenKind::Error,
              from, from, cur);
}
