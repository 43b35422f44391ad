//===- OperandValues.cpp - operands to values -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts source operands to values of the types that the instruction
// requires, and writes results to registers. Reports errors about types of
// operands.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

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

/// Registers become slots at the start of the function when they are first
/// used.
Value ParserImpl::getSlot(Symbol &symbol, unsigned component, StringRef name) {
  if (symbol.slots.empty()) // a 128-bit register has a slot for each half
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
        builder, toDeclaration(symbol.loc),
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

/// Converts a register's value from type `have` to `want`: a bitcast if they
/// have the same width, else a truncation, which `wide` operands may need.
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

/// The value of `{a, b}` where one value of `type` is expected.
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

/// May a number be added to an operand of this type (`%r+n`)? It may not for
/// packed types.
static bool isInteger(ScalarType type) {
  return type >= ScalarType::B8 && type <= ScalarType::S64 &&
         type != ScalarType::B128;
}

FailureOr<Value> ParserImpl::getSource(const RawOperand &operand,
                                       ScalarType type, const OperandSpec &spec,
                                       bool wide) {
  auto loc = [&] { return toLocation(operand.loc); }; // few kinds need it
  Value value;
  switch (operand.kind) {
  case RawOperand::Register: {
    ScalarType have = operand.symbol->type;
    unsigned from = getBitWidth(have), to = getBitWidth(type);
    bool sizeOk =
        from == to || (wide && from > to && from % 8 == 0 && to % 8 == 0);
    sizeOk &= from <= 64; // addValues reads the halves of 128-bit registers
    if (!sizeOk || (from == to && !isCompatible(type, have)))
      return error(operand.loc)
             << "register '" << operand.name << "' is ."
             << stringifyScalarType(have) << ", operand '" << spec.name
             << "' must be ." << stringifyScalarType(type);
    value = adaptSource(
        readRegister(*operand.symbol, operand.component, operand.name), type,
        have, wide);
    if (!operand.hasOffset)
      break;
    if (!isInteger(have) || !isInteger(type))
      return error(operand.loc)
             << "a number may be added to an integer operand only, '"
             << spec.name << "' is ." << stringifyScalarType(type)
             << " and register '" << operand.name << "' ."
             << stringifyScalarType(have);
    value = arith::AddIOp::create(builder, loc(), value,
                                  createConstant(type, operand.offset));
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
    value = SRegOp::create(builder, loc(), builder.getIntegerType(from),
                           operand.sreg);
    if (to < from)
      value = arith::TruncIOp::create(builder, loc(),
                                      builder.getIntegerType(to), value);
    else if (to > from)
      value = arith::ExtUIOp::create(builder, loc(), builder.getIntegerType(to),
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
    return Value(arith::AddIOp::create(builder, loc(), *address, offset));
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
    value = arith::XOrIOp::create(builder, loc(), value, ones);
  }
  return value;
}

/// The base of an address operand, without its offset.
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
