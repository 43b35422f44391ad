//===- ConstExpr.cpp - parses constant expressions ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ISA: "constant expressions". Integers have 64 bits; a literal is unsigned
// only if it has the suffix U or is too large for a signed number. `%` takes
// its operands as unsigned, and `~` gives an unsigned result. Comparisons, `!`,
// `&&` and `||` give a signed 0 or 1.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace ptxjit;

static int precedence(llvm::StringRef op) {
  static const std::pair<llvm::StringLiteral, int> table[] = {
      {"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4},  {"&", 5},  {"==", 6},
      {"!=", 6}, {"<", 7},  {">", 7}, {"<=", 7}, {">=", 7}, {"<<", 8},
      {">>", 8}, {"+", 9},  {"-", 9}, {"*", 10}, {"/", 10}, {"%", 10}};
  for (auto [text, value] : table)
    if (text == op)
      return value;
  return -1;
}

static ConstValue makeInt(uint64_t bits, bool isUnsigned = false) {
  return {ConstValue::Int, isUnsigned, bits, 0};
}
static ConstValue makeFloat(double number) {
  return {ConstValue::Float, false, 0, number};
}

bool ParserImpl::startsConstant() const {
  switch (tok.kind) {
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::Hex32:
  case TokenKind::Hex64:
    return true;
  case TokenKind::Identifier:
    return tok.spelling == "WARP_SZ";
  default:
    return tok.isPunct("-") || tok.isPunct("+") || tok.isPunct("~") ||
           tok.isPunct("!") || tok.isPunct("(");
  }
}

FailureOr<ConstValue> ParserImpl::parseConstPrimary() {
  SMLoc loc = tok.getLoc();
  StringRef text = tok.spelling;
  switch (tok.kind) {
  case TokenKind::Integer: {
    bool isUnsigned = text.consume_back("U") || text.consume_back("u");
    uint64_t value;
    if (text.getAsInteger(0, value))
      return error(loc) << "integer literal '" << text
                        << "' is malformed or does not fit in 64 bits";
    advance();
    return makeInt(value, isUnsigned || int64_t(value) < 0);
  }
  case TokenKind::Float: {
    llvm::APFloat f(llvm::APFloat::IEEEdouble());
    llvm::Expected<llvm::APFloat::opStatus> status =
        f.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      return error(loc) << "malformed floating-point literal '" << text << "'";
    }
    advance();
    return makeFloat(f.convertToDouble());
  }
  case TokenKind::Hex32:
  case TokenKind::Hex64: {
    bool is32 = tok.is(TokenKind::Hex32);
    uint64_t bits = 0;
    (void)text.getAsInteger(16, bits);
    advance();
    if (is32)
      return ConstValue{ConstValue::Bits32, false, bits, 0};
    return ConstValue{ConstValue::Bits64, false, bits,
                      llvm::bit_cast<double>(bits)};
  }
  case TokenKind::Identifier:
    if (text == "WARP_SZ") {
      advance();
      return makeInt(32);
    }
    break;
  default:
    break;
  }
  if (!consumePunct("("))
    return errorHere() << "expected a constant, found " << describeToken();
  // A cast: (.s64) or (.u64).
  if (tok.isWord("s64") || tok.isWord("u64")) {
    bool isUnsigned = tok.spelling == "u64";
    advance();
    if (failed(expectPunct(")", "after the type of a cast")))
      return failure();
    FailureOr<ConstValue> value = parseConstUnary();
    if (succeeded(value))
      value->isUnsigned = isUnsigned;
    return value;
  }
  FailureOr<ConstValue> value = parseConstExpr();
  if (failed(value) || failed(expectPunct(")", "in a constant expression")))
    return failure();
  return value;
}

namespace {
/// Limits the nesting depth, so that no input can overflow the stack.
struct NestingGuard {
  static thread_local unsigned depth;
  NestingGuard() { ++depth; }
  ~NestingGuard() { --depth; }
  bool tooDeep() const { return depth > 500; }
};
thread_local unsigned NestingGuard::depth = 0;
} // namespace

FailureOr<ConstValue> ParserImpl::parseConstUnary() {
  NestingGuard guard;
  if (guard.tooDeep())
    return errorHere() << "constant expression is nested too deeply";
  SMLoc loc = tok.getLoc();
  for (StringRef op : {"-", "+", "~", "!"}) {
    if (!consumePunct(op))
      continue;
    FailureOr<ConstValue> a = parseConstUnary();
    if (failed(a))
      return failure();
    if (a->kind == ConstValue::Float || a->kind == ConstValue::Bits64) {
      if (op == "-")
        return makeFloat(-a->number);
      if (op == "+")
        return a;
    }
    if (a->kind != ConstValue::Int)
      return error(loc) << "'" << op << "' needs an integer operand";
    if (op == "-")
      return makeInt(0 - a->bits, false);
    if (op == "~")
      return makeInt(~a->bits, true);
    if (op == "!")
      return makeInt(a->bits == 0);
    return a;
  }
  return parseConstPrimary();
}

FailureOr<ConstValue> ParserImpl::applyBinary(StringRef op, ConstValue a,
                                              ConstValue b, SMLoc loc) {
  auto isFloating = [](const ConstValue &v) {
    return v.kind == ConstValue::Float || v.kind == ConstValue::Bits64;
  };
  if (a.kind == ConstValue::Bits32 || b.kind == ConstValue::Bits32)
    return error(loc) << "'0f' literals may not stand in constant expressions";
  if (isFloating(a) != isFloating(b))
    return error(loc) << "operands of '" << op
                      << "' must be both integers or both floating-point";
  if (isFloating(a)) {
    double x = a.number, y = b.number;
    if (op == "+")
      return makeFloat(x + y);
    if (op == "-")
      return makeFloat(x - y);
    if (op == "*")
      return makeFloat(x * y);
    if (op == "/")
      return makeFloat(x / y);
    if (op == "<")
      return makeInt(x < y);
    if (op == ">")
      return makeInt(x > y);
    if (op == "<=")
      return makeInt(x <= y);
    if (op == ">=")
      return makeInt(x >= y);
    if (op == "==")
      return makeInt(x == y);
    if (op == "!=")
      return makeInt(x != y);
    return error(loc) << "'" << op << "' needs integer operands";
  }
  uint64_t x = a.bits, y = b.bits;
  bool u = a.isUnsigned || b.isUnsigned;
  int64_t sx = int64_t(x), sy = int64_t(y);
  if ((op == "/" || op == "%") && y == 0)
    return error(loc) << "division by zero in a constant expression";
  if (op == "+")
    return makeInt(x + y, u);
  if (op == "-")
    return makeInt(x - y, u);
  if (op == "*")
    return makeInt(x * y, u);
  if (op == "/")
    return makeInt(u ? x / y : (sy == -1 ? 0 - x : uint64_t(sx / sy)), u);
  if (op == "%")
    return makeInt(x % y, u);
  if (op == "<<")
    return makeInt(y > 63 ? 0 : x << y, a.isUnsigned);
  if (op == ">>")
    return makeInt(a.isUnsigned ? (y > 63 ? 0 : x >> y)
                                : uint64_t(sx >> (y > 63 ? 63 : y)),
                   a.isUnsigned);
  if (op == "&")
    return makeInt(x & y, u);
  if (op == "|")
    return makeInt(x | y, u);
  if (op == "^")
    return makeInt(x ^ y, u);
  if (op == "&&")
    return makeInt(x && y);
  if (op == "||")
    return makeInt(x || y);
  if (op == "==")
    return makeInt(x == y);
  if (op == "!=")
    return makeInt(x != y);
  if (op == "<")
    return makeInt(u ? x < y : sx < sy);
  if (op == ">")
    return makeInt(u ? x > y : sx > sy);
  if (op == "<=")
    return makeInt(u ? x <= y : sx <= sy);
  return makeInt(u ? x >= y : sx >= sy);
}

FailureOr<ConstValue> ParserImpl::parseConstExpr(int minPrecedence) {
  NestingGuard guard;
  if (guard.tooDeep())
    return errorHere() << "constant expression is nested too deeply";
  FailureOr<ConstValue> left = parseConstUnary();
  if (failed(left))
    return failure();
  while (tok.is(TokenKind::Punctuation)) {
    SMLoc loc = tok.getLoc();
    StringRef op = tok.spelling;
    if (op == "?" && minPrecedence == 0) {
      advance();
      FailureOr<ConstValue> yes = parseConstExpr();
      if (failed(yes) ||
          failed(expectPunct(":", "in a conditional expression")))
        return failure();
      FailureOr<ConstValue> no = parseConstExpr();
      if (failed(no))
        return failure();
      left = left->bits ? *yes : *no;
      continue;
    }
    int p = precedence(op);
    if (p < 0 || p < minPrecedence)
      break;
    advance();
    FailureOr<ConstValue> right = parseConstExpr(p + 1);
    if (failed(right))
      return failure();
    left = applyBinary(op, *left, *right, loc);
    if (failed(left))
      return failure();
  }
  return left;
}

FailureOr<int64_t> ParserImpl::parseConstInt(StringRef what) {
  SMLoc loc = tok.getLoc();
  FailureOr<ConstValue> value = parseConstExpr();
  if (failed(value))
    return failure();
  if (value->kind != ConstValue::Int)
    return error(loc) << what << " must be an integer";
  return int64_t(value->bits);
}
