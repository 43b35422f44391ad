//===- Operands.cpp - operand syntax, and operands as values --------------===//

#include "ParserImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

//===----------------------------------------------------------------------===//
// Syntax
//===----------------------------------------------------------------------===//

LogicalResult ParserImpl::parseOperandList(std::vector<RawOperand> &operands) {
  if (tok.isPunct(";"))
    return success();
  do {
    if (failed(parseOperand(operands)))
      return failure();
  } while (consumePunct(","));
  return success();
}

/// One operand, with what follows it behind `|`.
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
  if (tok.isPunct("-")) { // `-%r`, in the video instructions
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

/// `%tid` and the like: x, y, z, and 0.
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
    operand.kind = RawOperand::SymbolAddress; // a label, perhaps
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
    if (index >= operand.symbol->vectorSize)
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

/// var[n], var[%r], var[%r+n]: in elements. As an operand of a memory
/// instruction an address, elsewhere the address as a value.
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
  // `.unified`: the same for all threads of the warp; nothing to do with it.
  (void)consumeWord("unified");
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value ParserImpl::createConstant(ScalarType type, uint64_t bits) {
  Location loc = builder.getUnknownLoc();
  Type t = getValueType(context, type);
  TypedAttr attr;
  if (auto f = dyn_cast<FloatType>(t))
    attr = FloatAttr::get(
        t, APFloat(f.getFloatSemantics(),
                   APInt(f.getWidth(), bits, false, /*implicitTrunc=*/true)));
  else
    attr = IntegerAttr::get(t, APInt(t.getIntOrFloatBitWidth(), bits, false,
                                     /*implicitTrunc=*/true));
  return arith::ConstantOp::create(builder, loc, attr);
}

Value ParserImpl::bitcast(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return arith::BitcastOp::create(builder, value.getLoc(), type, value);
}

/// Registers are slots at the head of the function, made when first used.
Value ParserImpl::getSlot(Symbol &symbol, unsigned component, StringRef name) {
  if (symbol.slots.empty()) // 128-bit registers: a slot for each half
    symbol.slots.resize(symbol.type == ScalarType::B128 ? 2
                                                        : symbol.vectorSize);
  Value &slot = symbol.slots[component];
  if (!slot) {
    OpBuilder::InsertionGuard guard(builder);
    if (lastSlot)
      builder.setInsertionPointAfter(lastSlot);
    else
      builder.setInsertionPointToStart(entryBlock);
    auto reg = RegOp::create(
        builder, toLocation(symbol.loc),
        SlotType::get(context, getValueType(context, symbol.type)),
        builder.getStringAttr(name));
    lastSlot = reg;
    slot = reg.getSlot();
  }
  return slot;
}

Value ParserImpl::readRegister(Symbol &symbol, unsigned component,
                               StringRef name) {
  Value slot = getSlot(symbol, component, name);
  return ReadOp::create(builder, slot.getLoc(),
                        cast<SlotType>(slot.getType()).getElement(), slot);
}

/// Makes a register's value one of `want`: same width, or (wide) truncated.
Value ParserImpl::adaptSource(Value value, ScalarType want, ScalarType have,
                              bool wide) {
  Type type = getValueType(context, want);
  unsigned from = getBitWidth(have), to = getBitWidth(want);
  if (from == to)
    return bitcast(value, type);
  value = bitcast(value, builder.getIntegerType(from));
  Value narrow = arith::TruncIOp::create(builder, value.getLoc(),
                                         builder.getIntegerType(to), value);
  return bitcast(narrow, type);
}

FailureOr<Value> ParserImpl::getConstant(const RawOperand &operand,
                                         ScalarType type) {
  const ConstValue &c = operand.constant;
  if (type == ScalarType::Pred) {
    if (c.kind != ConstValue::Int)
      return error(operand.loc) << "a predicate constant must be an integer";
    return createConstant(type, c.bits != 0);
  }
  if (c.kind == ConstValue::Int) {
    if (isFloat(type))
      return error(operand.loc) << "an integer constant may not stand where ."
                                << stringifyScalarType(type) << " is expected";
    return createConstant(type, c.bits);
  }
  double number = c.kind == ConstValue::Bits32
                      ? double(llvm::bit_cast<float>(uint32_t(c.bits)))
                      : c.number;
  unsigned width = getBitWidth(type);
  if (type == ScalarType::F16 || (!isFloat(type) && !isBits(type)) ||
      (width != 32 && width != 64))
    return error(operand.loc)
           << "a floating-point constant may not stand where ."
           << stringifyScalarType(type) << " is expected";
  if (width == 32)
    return createConstant(type, c.kind == ConstValue::Bits32
                                    ? c.bits
                                    : llvm::bit_cast<uint32_t>(float(number)));
  return createConstant(type, c.kind == ConstValue::Bits64
                                  ? c.bits
                                  : llvm::bit_cast<uint64_t>(number));
}

/// `{a, b}` where one value of `type` is wanted.
FailureOr<Value> ParserImpl::getPacked(const RawOperand &operand,
                                       ScalarType type) {
  unsigned total = getBitWidth(type), count = operand.elements.size();
  unsigned width = count ? total / count : 0;
  SmallVector<Value> values;
  for (const RawOperand &element : operand.elements) {
    if (element.kind == RawOperand::Constant) {
      if (element.constant.kind != ConstValue::Int || width == 0 ||
          width * count != total)
        return error(element.loc) << "constant does not fit in this vector";
      Type t = builder.getIntegerType(width);
      values.push_back(arith::ConstantOp::create(
          builder, builder.getUnknownLoc(),
          IntegerAttr::get(t, APInt(width, element.constant.bits, false,
                                    /*implicitTrunc=*/true))));
      continue;
    }
    if (element.kind == RawOperand::SpecialReg)
      return error(element.loc) << "special register '" << element.name
                                << "' is a vector; name a component";
    if (element.kind != RawOperand::Register)
      return error(element.loc) << "expected a register in a vector operand";
    Value value =
        readRegister(*element.symbol, element.component, element.name);
    values.push_back(bitcast(
        value, builder.getIntegerType(getBitWidth(element.symbol->type))));
  }
  unsigned sum = 0;
  for (Value v : values)
    sum += v.getType().getIntOrFloatBitWidth();
  if (sum != total)
    return error(operand.loc)
           << "the elements of the vector have " << sum << " bits, ."
           << stringifyScalarType(type) << " has " << total;
  Value packed = PackOp::create(builder, toLocation(operand.loc),
                                builder.getIntegerType(total), values);
  return bitcast(packed, getValueType(context, type));
}

FailureOr<Value> ParserImpl::getSymbolAddress(const RawOperand &operand,
                                              unsigned bits) {
  Location loc = toLocation(operand.loc);
  Symbol *symbol = operand.symbol;
  if (!symbol)
    return error(operand.loc) << "'" << operand.name << "' is not declared";
  Type type = builder.getIntegerType(addressBits);
  Value value;
  if (symbol->kind == Symbol::Param)
    value = ParamAddressOp::create(
        builder, loc, type, builder.getI64IntegerAttr(symbol->index),
        symbol->isResult ? builder.getUnitAttr() : nullptr);
  else if (symbol->kind == Symbol::Variable || symbol->kind == Symbol::Function)
    value = AddressOfOp::create(
        builder, loc, type, FlatSymbolRefAttr::get(context, symbol->irName));
  else
    return error(operand.loc) << "'" << operand.name << "' has no address";
  if (operand.indexReg) {
    Value index =
        readRegister(*operand.indexReg, 0, operand.elements.front().name);
    unsigned width = index.getType().getIntOrFloatBitWidth();
    index = bitcast(index, builder.getIntegerType(width));
    if (width > 32)
      index =
          arith::TruncIOp::create(builder, loc, builder.getI32Type(), index);
    else if (width < 32)
      index = arith::ExtUIOp::create(builder, loc, builder.getI32Type(), index);
    index = arith::ExtUIOp::create(builder, loc, type, index);
    Value scale = createConstant(ScalarType::B64, symbol->elementBytes);
    index = arith::MulIOp::create(builder, loc, index, scale);
    value = arith::AddIOp::create(builder, loc, value, index);
  }
  if (bits < addressBits)
    value = arith::TruncIOp::create(builder, loc, builder.getIntegerType(bits),
                                    value);
  return value;
}

FailureOr<Value> ParserImpl::getSource(const RawOperand &operand,
                                       ScalarType type, const OperandSpec &spec,
                                       bool wide) {
  Location loc = toLocation(operand.loc);
  Value value;
  switch (operand.kind) {
  case RawOperand::Register: {
    ScalarType have = operand.symbol->type;
    unsigned from = getBitWidth(have), to = getBitWidth(type);
    bool sizeOk =
        from == to || (wide && from > to && from % 8 == 0 && to % 8 == 0);
    sizeOk &= from <= 64; // the halves of others: see addValues
    if (!sizeOk || (from == to && !isCompatible(type, have)))
      return error(operand.loc)
             << "register '" << operand.name << "' is ."
             << stringifyScalarType(have) << ", operand '" << spec.name
             << "' must be ." << stringifyScalarType(type);
    value = adaptSource(
        readRegister(*operand.symbol, operand.component, operand.name), type,
        have, wide);
    break;
  }
  case RawOperand::Constant:
    return getConstant(operand, type);
  case RawOperand::SpecialReg: {
    if (!availability.satisfies(getAvailability(operand.sreg)))
      return error(operand.loc)
             << "special register '%" << stringifySpecialRegister(operand.sreg)
             << "' needs PTX " << getAvailability(operand.sreg).ptxVersion
             << " and " << getAvailability(operand.sreg).target;
    ScalarType have = getRegisterType(operand.sreg);
    unsigned from = getBitWidth(have);
    unsigned to = getBitWidth(type);
    if (isFloat(type) ||
        (have == ScalarType::Pred) != (type == ScalarType::Pred))
      return error(operand.loc)
             << "special register '%" << stringifySpecialRegister(operand.sreg)
             << "' is ." << stringifyScalarType(have) << ", operand '"
             << spec.name << "' must be ." << stringifyScalarType(type);
    value = SRegOp::create(builder, loc, builder.getIntegerType(from),
                           operand.sreg);
    if (to < from)
      value = arith::TruncIOp::create(builder, loc, builder.getIntegerType(to),
                                      value);
    else if (to > from)
      value = arith::ExtUIOp::create(builder, loc, builder.getIntegerType(to),
                                     value);
    return value;
  }
  case RawOperand::SymbolAddress: {
    unsigned bits = getBitWidth(type);
    if (isFloat(type) || (bits != 32 && bits != 64))
      return error(operand.loc)
             << (operand.symbol ? "an address may not stand where ."
                                : "unknown name; no value where .")
             << stringifyScalarType(type) << " is expected";
    FailureOr<Value> address = getSymbolAddress(operand, bits);
    if (failed(address) || !operand.offset)
      return address;
    Value offset = createConstant(
        bits == 32 ? ScalarType::B32 : ScalarType::B64, operand.offset);
    return Value(arith::AddIOp::create(builder, loc, *address, offset));
  }
  case RawOperand::Vector:
    return getPacked(operand, type);
  case RawOperand::Sink:
  case RawOperand::Address:
    return error(operand.loc)
           << "expected a value for operand '" << spec.name << "'";
  }
  if (operand.negated) {
    Value ones = createConstant(ScalarType::Pred, 1);
    value = arith::XOrIOp::create(builder, loc, value, ones);
  }
  return value;
}

/// The base of an address operand; its constant part is an attribute.
FailureOr<Value> ParserImpl::getAddress(const RawOperand &operand) {
  if (operand.kind == RawOperand::SymbolAddress)
    return getSymbolAddress(operand, addressBits);
  if (!operand.symbol)
    return createConstant(ScalarType::B64, operand.constant.bits);
  if (operand.symbol->kind != Symbol::Register)
    return getSymbolAddress(operand, addressBits);
  ScalarType type = operand.symbol->type;
  if (isFloat(type) || (getBitWidth(type) != 64 && getBitWidth(type) != 32))
    return error(operand.loc) << "register '" << operand.name << "' is ."
                              << stringifyScalarType(type)
                              << ", an address must be a 64- or 32-bit integer";
  return readRegister(*operand.symbol, 0, operand.name);
}

LogicalResult ParserImpl::writeResult(const RawOperand &operand, Value value,
                                      ScalarType type, bool wide,
                                      unsigned half) {
  if (operand.kind == RawOperand::Sink)
    return success();
  Location loc = value.getLoc();
  if (operand.kind == RawOperand::Vector) {
    SmallVector<Type> types;
    unsigned sum = 0, sinks = 0;
    for (const RawOperand &e : operand.elements)
      if (e.kind == RawOperand::Register)
        sum += getBitWidth(e.symbol->type);
      else
        ++sinks;
    unsigned sinkBits = sinks && sum <= getBitWidth(type)
                            ? (getBitWidth(type) - sum) / sinks
                            : 0;
    for (const RawOperand &e : operand.elements)
      types.push_back(builder.getIntegerType(e.kind == RawOperand::Register
                                                 ? getBitWidth(e.symbol->type)
                                                 : std::max(sinkBits, 1u)));
    if (sum + sinkBits * sinks != getBitWidth(type))
      return error(operand.loc)
             << "the elements of the vector have " << sum << " bits, ."
             << stringifyScalarType(type) << " has " << getBitWidth(type);
    value = bitcast(value, builder.getIntegerType(getBitWidth(type)));
    auto unpack = UnpackOp::create(builder, loc, types, value);
    for (auto [e, v] : llvm::zip(operand.elements, unpack.getElements()))
      if (e.kind == RawOperand::Register)
        WriteOp::create(builder, loc,
                        bitcast(v, getValueType(context, e.symbol->type)),
                        getSlot(*e.symbol, e.component, e.name));
    return success();
  }
  if (operand.kind != RawOperand::Register)
    return error(operand.loc) << "a destination must be a register";
  ScalarType have = operand.symbol->type;
  unsigned to = getBitWidth(have), from = getBitWidth(type);
  bool sizeOk = to == from || (wide && to > from && to <= 64);
  if (!sizeOk || (to == from && !isCompatible(type, have)))
    return error(operand.loc)
           << "register '" << operand.name << "' is ."
           << stringifyScalarType(have) << ", the result is ."
           << stringifyScalarType(type);
  if (to > from) {
    value = bitcast(value, builder.getIntegerType(from));
    Type wideType = builder.getIntegerType(to);
    value = isSignedInt(type)
                ? Value(arith::ExtSIOp::create(builder, loc, wideType, value))
                : Value(arith::ExtUIOp::create(builder, loc, wideType, value));
  }
  value = bitcast(value, getValueType(context, have));
  WriteOp::create(
      builder, loc, value,
      getSlot(*operand.symbol, operand.component + half, operand.name));
  return success();
}
