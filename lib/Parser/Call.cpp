//===- Call.cpp - calls, and registers as formal parameters ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The operands of a call op are addresses of variables. If the text passes a
// register or constant, the parser stores it to a variable before the call, and
// loads results from variables after it. In the same way, a function with
// `.reg` formals loads its parameters at its start and stores its results
// before it returns.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// The type in memory of a register's elements. A predicate is a byte; 128 bits
/// are two halves.
static ScalarType getMemoryType(ScalarType type) {
  switch (type) {
  case ScalarType::Pred:
    return ScalarType::U8;
  case ScalarType::F16:
    return ScalarType::B16;
  case ScalarType::F16x2:
    return ScalarType::B32;
  case ScalarType::B128:
    return ScalarType::B64;
  default:
    return type;
  }
}

/// The number of slots of a register of this type; see ParserImpl::getSlot.
static unsigned countHalves(ScalarType type) {
  return type == ScalarType::B128 ? 2 : 1;
}

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

/// The rest of a list behind its `(`, up to the `)`.
LogicalResult ParserImpl::parseCallList(std::vector<RawOperand> &list) {
  if (consumePunct(")"))
    return success();
  do {
    RawOperand &operand = list.emplace_back();
    operand.loc = tok.getLoc();
    if (failed(parsePrimary(operand)))
      return failure();
  } while (consumePunct(","));
  return expectPunct(")", "after call arguments");
}

/// Declares a `.param` variable of the caller for `formal`. \returns its
/// address.
Value ParserImpl::declareCallVariable(ParamAttr formal, SMLoc loc) {
  std::string name = (func.getSymName() + "::call$" + Twine(numLocals++)).str();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module->getBody());
    VarOp::create(builder, toLocation(loc), name, Space::Param,
                  formal.getType(), formal.getBytes(), formal.getAlign(),
                  nullptr, FlatSymbolRefAttr::get(func), nullptr, nullptr,
                  nullptr);
  }
  return AddressOfOp::create(builder, toLocation(loc),
                             builder.getIntegerType(addressBits),
                             FlatSymbolRefAttr::get(context, name));
}

/// The address of a `.param` variable that is an argument or result of a call.
FailureOr<Value> ParserImpl::placeOf(const RawOperand &arg, ParamAttr formal) {
  Symbol *symbol = arg.symbol;
  if (!symbol || symbol->kind != Symbol::Variable ||
      symbol->space != Space::Param)
    return error(arg.loc)
           << "expected a .param variable, a register or a constant for '"
           << formal.getName().getValue() << "'";
  auto var = cast<VarOp>(symbol->op);
  // A formal without a size, as in `va[]`, accepts variables of any size.
  if (formal.getBytes() && var.getBytes() != uint64_t(formal.getBytes()))
    return error(arg.loc) << "'" << arg.name << "' has " << var.getBytes()
                          << " bytes, parameter '"
                          << formal.getName().getValue() << "' has "
                          << formal.getBytes();
  return getSymbolAddress(arg, addressBits);
}

/// The elements of an argument or result. Their number must be the formal's.
FailureOr<ArrayRef<RawOperand>> ParserImpl::getElements(const RawOperand &raw,
                                                        ParamAttr formal) {
  ArrayRef<RawOperand> list =
      raw.kind == RawOperand::Vector ? ArrayRef(raw.elements) : ArrayRef(raw);
  if (int64_t(list.size()) == formal.getCount())
    return list;
  return error(raw.loc) << "parameter '" << formal.getName().getValue()
                        << "' has " << formal.getCount() << " element"
                        << (formal.getCount() == 1 ? "" : "s")
                        << ", what stands for it here " << list.size();
}

void ParserImpl::storeElements(Location loc, Value place, ScalarType type,
                               ValueRange values) {
  ScalarType memory = getMemoryType(type);
  Type memoryType = getValueType(context, memory);
  for (auto [i, value] : llvm::enumerate(values)) {
    value = type == ScalarType::Pred
                ? arith::ExtUIOp::create(builder, loc, memoryType, value)
                : bitcast(value, memoryType);
    StOp::create(builder, loc, place, value, Value(),
                 int64_t(i) * getBitWidth(memory) / 8, memory,
                 SpaceAttr::get(context, Space::Param), {}, {}, {}, {}, {});
  }
}

Value ParserImpl::loadElement(Location loc, Value place, ScalarType type,
                              unsigned index) {
  ScalarType memory = getMemoryType(type);
  auto load = LdOp::create(
      builder, loc, TypeRange(getValueType(context, memory)), place, Value(),
      int64_t(index) * getBitWidth(memory) / 8, memory,
      SpaceAttr::get(context, Space::Param), {}, {}, {}, {}, false, {});
  Value value = load.getD().front();
  Type want = getValueType(context, type);
  return type == ScalarType::Pred
             ? Value(arith::TruncIOp::create(builder, loc, want, value))
             : bitcast(value, want);
}

FailureOr<Value> ParserImpl::passArgument(const RawOperand &arg,
                                          ParamAttr formal) {
  if (arg.kind == RawOperand::SymbolAddress)
    return placeOf(arg, formal);
  FailureOr<ArrayRef<RawOperand>> elements = getElements(arg, formal);
  if (failed(elements))
    return failure();
  OperandSpec spec{"argument"};
  spec.rule = TypeRule::Fixed;
  spec.fixed = formal.getType();
  SmallVector<Value> values;
  ResultList results;
  if (failed(addValues(*elements, spec, FormMatch(), /*wide=*/false, values,
                       results)))
    return failure();
  Value place = declareCallVariable(formal, arg.loc);
  storeElements(toLocation(arg.loc), place, formal.getType(), values);
  return place;
}

LogicalResult ParserImpl::fetchResult(const RawOperand &result,
                                      ParamAttr formal, Value place) {
  if (result.kind == RawOperand::SymbolAddress ||
      result.kind == RawOperand::Sink)
    return success();
  FailureOr<ArrayRef<RawOperand>> elements = getElements(result, formal);
  if (failed(elements))
    return failure();
  ScalarType type = formal.getType();
  unsigned index = 0;
  for (const RawOperand &element : *elements)
    for (unsigned half = 0; half < countHalves(type); ++half)
      if (failed(writeResult(
              element,
              loadElement(toLocation(result.loc), place, type, index++), type,
              /*wide=*/false, half)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// The callee
//===----------------------------------------------------------------------===//

/// Resolves the last operand of an indirect call: a prototype, a `.calltargets`
/// list, or an array of functions.
LogicalResult ParserImpl::findCallees(const Token &list, CallTarget &target) {
  Symbol *symbol = lookup(list.spelling);
  if (symbol && symbol->kind == Symbol::Prototype) {
    target.signature = symbol->signature;
    callsAny = true;
    return success();
  }
  SmallVector<Attribute> names;
  if (symbol && symbol->kind == Symbol::CallTargets)
    for (auto &[name, loc] : symbol->targets)
      names.push_back(FlatSymbolRefAttr::get(context, lookup(name)->irName));
  if (symbol && symbol->kind == Symbol::Variable)
    if (auto var = cast<VarOp>(symbol->op); var.getRelocsAttr())
      for (Attribute reloc : var.getRelocsAttr())
        names.push_back(cast<ArrayAttr>(reloc)[2]);
  for (Attribute name : names) {
    Symbol *known =
        scopes.front().lookup(cast<FlatSymbolRefAttr>(name).getValue());
    if (!known || known->kind != Symbol::Function)
      return error(list.getLoc())
             << "'" << list.spelling << "' holds more than functions";
    auto callee = cast<FuncOp>(known->op);
    called.push_back(callee.getSymName().str());
    target.signature.results.assign(callee.getResults().begin(),
                                    callee.getResults().end());
    target.signature.params.assign(callee.getParams().begin(),
                                   callee.getParams().end());
  }
  if (names.empty())
    return error(list.getLoc())
           << "expected a '.callprototype', a '.calltargets' list or an array "
              "of functions, found '"
           << list.spelling << "'";
  target.candidates = builder.getArrayAttr(names);
  return success();
}

LogicalResult ParserImpl::checkCounts(const CallTarget &target, size_t args,
                                      size_t results) {
  const Signature &signature = target.signature;
  if (signature.params.size() == args && signature.results.size() == results)
    return success();
  return error(target.loc) << "'" << target.name << "' takes "
                           << signature.params.size() << " arguments and gives "
                           << signature.results.size()
                           << " results, the call has " << args << " and "
                           << results;
}

//===----------------------------------------------------------------------===//
// The call
//===----------------------------------------------------------------------===//

/// call {(results),} f {, (arguments)} {, prototype or list};
LogicalResult ParserImpl::parseCallSyntax(CallSyntax &call) {
  if (consumePunct("(") && (failed(parseCallList(call.results)) ||
                            failed(expectPunct(",", "after the results"))))
    return failure();
  call.loc = tok.getLoc();
  FailureOr<StringRef> name = expectIdentifier("the function to call");
  if (failed(name))
    return failure();
  call.name = *name;
  if (consumePunct(",")) {
    if (consumePunct("(")) {
      if (failed(parseCallList(call.args)))
        return failure();
      call.hasList = consumePunct(",");
    } else {
      call.hasList = true;
    }
    call.list = tok;
    if (call.hasList &&
        failed(expectIdentifier("a prototype or list of functions")))
      return failure();
  }
  return expectPunct(";", "after an instruction");
}

LogicalResult ParserImpl::parseCall(const Instruction &inst) {
  unsigned bad = 0;
  const FormSpec &form = getFormsOfOpcode(inst.opcode).front();
  auto matched = matchForm(form, inst.modifiers, bad);
  if (!matched) {
    reportNoForm(inst);
    return failure();
  }
  CallSyntax call;
  if (failed(parseCallSyntax(call)))
    return failure();
  // The instruction is complete; errors from here on need no recovery.
  CallTarget target;
  if (failed(resolveTarget(call, target)) ||
      failed(checkCounts(target, call.args.size(), call.results.size())))
    return success();

  // A guard becomes a branch around the call with its stores and loads.
  Location loc = toLocation(inst.loc);
  Block *next = nullptr;
  if (inst.guard.present) {
    FailureOr<Value> predicate = readGuard(inst.guard);
    if (failed(predicate))
      return success();
    Block *block = new Block;
    next = new Block;
    cf::CondBranchOp::create(builder, loc, *predicate, block, next);
    startBlock(block);
  }
  (void)buildCall(loc, form, *matched, target, call.args, call.results);
  if (next) {
    BraOp::create(builder, loc, /*uni=*/false, next);
    startBlock(next);
  }
  return success();
}

/// Finds the function that is called, or the register that has its address.
LogicalResult ParserImpl::resolveTarget(const CallSyntax &call,
                                        CallTarget &target) {
  target.name = call.name;
  target.loc = call.loc;
  target.symbol = lookup(call.name);
  if (!target.symbol)
    return error(call.loc) << "'" << call.name << "' is not declared";
  if (target.symbol->kind == Symbol::Function) {
    auto callee = cast<FuncOp>(target.symbol->op);
    if (callee.getEntry())
      return error(call.loc) << "'" << call.name << "' is a kernel";
    target.signature.results.assign(callee.getResults().begin(),
                                    callee.getResults().end());
    target.signature.params.assign(callee.getParams().begin(),
                                   callee.getParams().end());
    return success();
  }
  if (target.symbol->kind != Symbol::Register || target.symbol->vectorSize != 1)
    return error(call.loc) << "'" << call.name << "' is not a function";
  if (!call.hasList)
    return error(call.loc) << "an indirect call needs a '.callprototype' or "
                              "a '.calltargets' list behind its arguments";
  return findCallees(call.list, target);
}

LogicalResult ParserImpl::buildCall(Location loc, const FormSpec &form,
                                    const FormMatch &match,
                                    const CallTarget &target,
                                    const std::vector<RawOperand> &args,
                                    const std::vector<RawOperand> &results) {
  SmallVector<Value> operands, places;
  OperationState state(loc, form.opName);
  addModifiers(form, match, state);
  if (target.symbol->kind == Symbol::Register) {
    unsigned width = getBitWidth(target.symbol->type);
    bool isAddress =
        width == 32 ? takesNarrowAddress() : width == 64 && addressSize != 32;
    if (!isAddress || isFloat(target.symbol->type))
      return error(target.loc)
             << "register '" << target.name << "' must hold "
             << (addressSize == 32 ? 32 : 64) << " bits to be called";
    operands.push_back(readRegister(*target.symbol, 0, target.name));
    auto formals = [&](ArrayRef<Attribute> list) {
      return builder.getArrayAttr(list);
    };
    state.addAttribute(
        "formals", builder.getArrayAttr({formals(target.signature.params),
                                         formals(target.signature.results)}));
    if (target.candidates)
      state.addAttribute("candidates", target.candidates);
  } else {
    state.addAttribute("callee",
                       FlatSymbolRefAttr::get(context, target.symbol->irName));
  }
  int32_t numTargets = int32_t(operands.size());
  for (auto [arg, formal] : llvm::zip(args, target.signature.params)) {
    FailureOr<Value> place = passArgument(arg, cast<ParamAttr>(formal));
    if (failed(place))
      return failure();
    operands.push_back(*place);
  }
  for (auto [result, attr] : llvm::zip(results, target.signature.results)) {
    auto formal = cast<ParamAttr>(attr);
    FailureOr<Value> place =
        result.kind == RawOperand::SymbolAddress
            ? placeOf(result, formal)
            : FailureOr<Value>(declareCallVariable(formal, result.loc));
    if (failed(place))
      return failure();
    places.push_back(*place);
  }
  llvm::append_range(operands, places);
  state.addOperands(operands);
  state.addAttribute(
      "operandSegmentSizes",
      builder.getDenseI32ArrayAttr(
          {numTargets, int32_t(args.size()), int32_t(results.size()), 0}));
  builder.create(state);
  for (auto [result, formal, place] :
       llvm::zip(results, target.signature.results, places))
    if (failed(fetchResult(result, cast<ParamAttr>(formal), place)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Registers as formals
//===----------------------------------------------------------------------===//

/// Adds the loads of `.reg` parameters and the stores of `.reg` results to the
/// function that was just parsed. `formals` is the scope of its formals.
void ParserImpl::storeRegisterFormals(Scope &formals) {
  OpBuilder::InsertionGuard guard(builder);
  for (auto &entry : formals.getNames()) {
    Symbol &symbol = entry.second;
    if (symbol.kind != Symbol::Register)
      continue;
    Location loc = toLocation(symbol.loc);
    auto place = [&] {
      return ParamAddressOp::create(
          builder, loc, builder.getIntegerType(addressBits),
          builder.getI64IntegerAttr(symbol.index),
          symbol.isResult ? builder.getUnitAttr() : nullptr);
    };
    if (!symbol.isResult) {
      if (lastSlot)
        builder.setInsertionPointAfter(lastSlot);
      for (auto [i, slot] : llvm::enumerate(symbol.slots))
        if (slot)
          WriteOp::create(builder, loc,
                          loadElement(loc, place(), symbol.type, i), slot);
      continue;
    }
    unsigned count = symbol.vectorSize * countHalves(symbol.type);
    for (unsigned i = 0; i < count; ++i)
      (void)getSlot(symbol, i, entry.first());
    func.walk([&](RetOp ret) {
      builder.setInsertionPoint(ret);
      SmallVector<Value> values;
      for (unsigned i = 0; i < count; ++i)
        values.push_back(readRegister(symbol, i, entry.first()));
      storeElements(loc, place(), symbol.type, values);
    });
  }
}
