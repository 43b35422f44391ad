//===- Operands.cpp - parses the syntax of operands -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

LogicalResult ParserImpl::parseOperandList(std::vector<RawOperand> &operands) {
  if (tok.isPunct(";"))
    return success();
  do {
    if (failed(parseOperand(operands)))
      return failure();
  } while (consumePunct(","));
  return success();
}

/// One operand, or two that `|` separates.
LogicalResult ParserImpl::parseOperand(std::vector<RawOperand> &operands) {
  RawOperand operand;
  operand.loc = tok.getLoc();
  if (tok.isPunct("!")) {
    // `!%p` is a negated predicate, `!5` a constant expression.
    Token bang = tok;
    advance();
    if (tok.is(TokenKind::Identifier) && tok.spelling != "WARP_SZ") {
      operand.negated = true;
    } else {
      lexer.rewind(bang.begin);
      advance();
    }
  }
  if (failed(parsePrimary(operand)))
    return failure();
  bool isRegister = operand.kind == RawOperand::Register &&
                    operand.symbol->vectorSize == 1 && operand.selector.empty();
  if (isRegister && consumePunct("+")) {
    FailureOr<int64_t> offset = parseConstInt("what is added to a register");
    if (failed(offset))
      return failure();
    operand.hasOffset = true;
    operand.offset = *offset;
  }
  operands.push_back(std::move(operand));
  if (!consumePunct("|"))
    return success();
  RawOperand second;
  second.loc = tok.getLoc();
  second.isSecond = true;
  if (failed(parsePrimary(second)))
    return failure();
  operands.push_back(std::move(second));
  return success();
}

LogicalResult ParserImpl::parsePrimary(RawOperand &operand) {
  if (tok.isPunct("["))
    return parseAddress(operand);
  if (consumePunct("{")) {
    operand.kind = RawOperand::Vector;
    do {
      RawOperand element;
      element.loc = tok.getLoc();
      if (tok.isPunct("{") || tok.isPunct("["))
        return errorHere() << "expected a register or constant in a vector, "
                              "found "
                           << describeToken();
      if (failed(parsePrimary(element)))
        return failure();
      operand.elements.push_back(std::move(element));
    } while (consumePunct(","));
    return expectPunct("}", "after a vector operand");
  }
  if (tok.isPunct("-")) { // `-%r` in video instructions
    Token minus = tok;
    advance();
    if (tok.is(TokenKind::Identifier) && tok.spelling != "WARP_SZ") {
      operand.minus = true;
      return parseNamed(operand);
    }
    lexer.rewind(minus.begin);
    advance();
  }
  if (startsConstant()) {
    FailureOr<ConstValue> value = parseConstExpr();
    if (failed(value))
      return failure();
    operand.kind = RawOperand::Constant;
    operand.constant = *value;
    return success();
  }
  if (tok.is(TokenKind::Identifier))
    return parseNamed(operand);
  return errorHere() << "expected an operand, found " << describeToken();
}

/// A special register that is a vector, such as `%tid`: x, y, z and 0.
void ParserImpl::makeSpecialVector(StringRef name, RawOperand &operand) {
  operand.kind = RawOperand::Vector;
  for (StringRef component : {".x", ".y", ".z", ""}) {
    RawOperand element;
    element.loc = operand.loc;
    element.name = operand.name;
    element.kind = RawOperand::Constant;
    element.constant.kind = ConstValue::Int;
    if (auto sreg = symbolizeSpecialRegister((name + component).str())) {
      element.kind = RawOperand::SpecialReg;
      element.sreg = *sreg;
    }
    operand.elements.push_back(element);
  }
}

/// Register, vector component, special register, variable, function, label.
LogicalResult ParserImpl::parseNamed(RawOperand &operand) {
  StringRef name = tok.spelling;
  operand.name = name;
  advance();
  if (name == "_") {
    operand.kind = RawOperand::Sink;
    return success();
  }
  operand.symbol = lookup(name);
  StringRef component;
  if (tok.is(TokenKind::DotWord)) {
    component = tok.spelling;
    advance();
  }
  if (!operand.symbol) {
    StringRef reg = name;
    if (reg.consume_front("%")) {
      size_t colour = component.size() == 1 ? StringRef("rgba").find(component)
                                            : StringRef::npos;
      if (colour != StringRef::npos)
        component = StringRef("xyzw").substr(colour, 1);
      std::string full =
          component.empty() ? reg.str() : (reg + "." + component).str();
      if (auto sreg = symbolizeSpecialRegister(full)) {
        operand.kind = RawOperand::SpecialReg;
        operand.sreg = *sreg;
        return success();
      }
      if (symbolizeSpecialRegister((reg + ".x").str())) {
        if (component.empty()) {
          makeSpecialVector(reg, operand);
          return success();
        }
        if (component == "w") { // always 0
          operand.kind = RawOperand::Constant;
          operand.constant.kind = ConstValue::Int;
          return success();
        }
        return error(operand.loc)
               << "special register '" << name << "' has no component '."
               << component << "'";
      }
    }
    operand.kind = RawOperand::SymbolAddress; // may be a label
    return success();
  }
  if (operand.symbol->kind == Symbol::Register) {
    operand.kind = RawOperand::Register;
    if (component.size() > 1 && operand.symbol->vectorSize == 1) {
      operand.selector = component;
      return success();
    }
    if (component.empty()) {
      if (operand.symbol->vectorSize == 1)
        return success();
      operand.kind = RawOperand::Vector;
      for (unsigned i = 0; i < operand.symbol->vectorSize; ++i) {
        RawOperand element;
        element.kind = RawOperand::Register;
        element.loc = operand.loc;
        element.name = name;
        element.symbol = operand.symbol;
        element.component = i;
        operand.elements.push_back(std::move(element));
      }
      return success();
    }
    size_t index = component.size() == 1 ? StringRef("xyzw").find(component[0])
                                         : StringRef::npos;
    if (index == StringRef::npos && component.size() == 1)
      index = StringRef("rgba").find(component[0]);
    bool isScalar = operand.symbol->vectorSize == 1;
    if (isScalar || index >= operand.symbol->vectorSize)
      return error(operand.loc) << "register '" << name
                                << "' has no component '." << component << "'";
    operand.component = index;
    return success();
  }
  if (!component.empty())
    return error(operand.loc)
           << "'" << name << "' has no component '." << component << "'";
  operand.kind = RawOperand::SymbolAddress;
  if (tok.isPunct("["))
    return parseIndexed(operand);
  if (consumePunct("+")) {
    FailureOr<int64_t> offset = parseConstInt("the offset of an address");
    if (failed(offset))
      return failure();
    operand.offset = *offset;
  }
  return success();
}

/// var[n], var[%r], var[%r+n], where indices count elements. In a memory
/// instruction this is an address operand, elsewhere the address as a value.
LogicalResult ParserImpl::parseIndexed(RawOperand &operand) {
  advance(); // [
  int64_t scale = operand.symbol->elementBytes;
  if (tok.is(TokenKind::Identifier) && tok.spelling != "WARP_SZ") {
    Symbol *index = lookup(tok.spelling);
    if (!index || index->kind != Symbol::Register || index->vectorSize != 1)
      return errorHere() << "'" << tok.spelling << "' is not a register";
    operand.indexReg = index;
    operand.elements.emplace_back();
    operand.elements.back().name = tok.spelling;
    advance();
    if (consumePunct("+")) {
      FailureOr<int64_t> offset = parseConstInt("an index");
      if (failed(offset))
        return failure();
      operand.offset = *offset * scale;
    }
  } else {
    FailureOr<int64_t> index = parseConstInt("an index");
    if (failed(index))
      return failure();
    operand.offset = *index * scale;
  }
  return expectPunct("]", "after an index");
}

/// [reg], [reg+n], [var], [var+n], [n]
LogicalResult ParserImpl::parseAddress(RawOperand &operand) {
  operand.loc = tok.getLoc();
  advance(); // [
  operand.kind = RawOperand::Address;
  if (tok.is(TokenKind::Identifier) && tok.spelling != "WARP_SZ") {
    SMLoc loc = tok.getLoc();
    operand.name = tok.spelling;
    operand.symbol = lookup(tok.spelling);
    if (!operand.symbol)
      return error(loc) << "'" << tok.spelling << "' is not declared";
    if (operand.symbol->kind == Symbol::Label ||
        operand.symbol->vectorSize != 1)
      return error(loc) << "'" << tok.spelling << "' is not an address";
    advance();
    if (consumePunct("+")) {
      FailureOr<int64_t> offset = parseConstInt("the offset of an address");
      if (failed(offset))
        return failure();
      operand.offset = *offset;
    }
  } else {
    FailureOr<int64_t> value = parseConstInt("an address");
    if (failed(value))
      return failure();
    operand.constant.bits = uint64_t(*value);
  }
  while (consumePunct(",")) {
    RawOperand part;
    part.loc = tok.getLoc();
    if (tok.isPunct("["))
      return errorHere() << "expected a register, a vector or a constant, "
                            "found '['";
    if (failed(parsePrimary(part)))
      return failure();
    operand.parts.push_back(std::move(part));
  }
  if (failed(expectPunct("]", "after an address")))
    return failure();
  // `.unified` says that the address is the same in all threads of the warp; we
  // do not use that.
  (void)consumeWord("unified");
  return success();
}
