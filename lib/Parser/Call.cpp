//===- Call.cpp - calls, and registers as parameters ----------------------===//
//
// Whatever the text passes, the call op has the addresses of variables: a
// register or constant is stored to one first, a result loaded from one. In the
// same way a function with `.reg` formals loads them at its start and stores
// its results before it returns.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

static constexpr OperandSpec kArgument{"argument"};

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

/// ... ) of a call.
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

/// A `.param` variable of the caller for `formal`; its address.
Value ParserImpl::declareCallVariable(ParamAttr formal, SMLoc loc) {
  std::string name = (func.getSymName() + "::call$" + Twine(numLocals++)).str();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module->getBody());
    VarOp::create(builder, toLocation(loc), name, Space::Param,
                  formal.getType(), formal.getBytes(), formal.getAlign(),
                  nullptr, FlatSymbolRefAttr::get(func), nullptr, nullptr);
  }
  return AddressOfOp::create(builder, toLocation(loc),
                             builder.getIntegerType(addressBits),
                             FlatSymbolRefAttr::get(context, name));
}

/// The address of a `.param` variable that stands as argument or result.
FailureOr<Value> ParserImpl::placeOf(const RawOperand &arg, ParamAttr formal) {
  Symbol *symbol = arg.symbol;
  if (!symbol || symbol->kind != Symbol::Variable ||
      symbol->space != Space::Param)
    return error(arg.loc)
           << "expected a .param variable, a register or a constant for '"
           << formal.getName().getValue() << "'";
  auto var = module->lookupSymbol<VarOp>(symbol->irName);
  // `va[]`: as long as the caller likes.
  if (formal.getBytes() && var.getBytes() != uint64_t(formal.getBytes()))
    return error(arg.loc) << "'" << arg.name << "' has " << var.getBytes()
                          << " bytes, parameter '"
                          << formal.getName().getValue() << "' has "
                          << formal.getBytes();
  return getSymbolAddress(arg, addressBits);
}

FailureOr<Value> ParserImpl::passArgument(const RawOperand &arg,
                                          ParamAttr formal) {
  if (arg.kind == RawOperand::SymbolAddress)
    return placeOf(arg, formal);
  FailureOr<Value> value =
      getSource(arg, formal.getType(), kArgument, /*wide=*/false);
  if (failed(value))
    return failure();
  Value place = declareCallVariable(formal, arg.loc);
  StOp::create(builder, toLocation(arg.loc), place, *value, Value(), 0,
               formal.getType(), SpaceAttr::get(context, Space::Param), {}, {},
               {}, {}, {});
  return place;
}

LogicalResult ParserImpl::fetchResult(const RawOperand &result,
                                      ParamAttr formal, Value place) {
  if (result.kind != RawOperand::Register)
    return success();
  auto load = LdOp::create(builder, toLocation(result.loc),
                           TypeRange(getValueType(context, formal.getType())),
                           place, Value(), 0, formal.getType(),
                           SpaceAttr::get(context, Space::Param), {}, {}, {},
                           {}, false, {});
  return writeResult(result, load.getD().front(), formal.getType(),
                     /*wide=*/false);
}

//===----------------------------------------------------------------------===//
// The callee
//===----------------------------------------------------------------------===//

/// What follows the arguments of an indirect call: a prototype, a
/// `.calltargets` list, or an array of functions.
LogicalResult ParserImpl::findCallees(const Token &list, CallTarget &target) {
  Symbol *symbol = lookup(list.spelling);
  if (symbol && symbol->kind == Symbol::Prototype) {
    target.signature = symbol->signature;
    return success();
  }
  SmallVector<Attribute> names;
  if (symbol && symbol->kind == Symbol::CallTargets)
    for (auto &[name, loc] : symbol->targets)
      names.push_back(FlatSymbolRefAttr::get(context, lookup(name)->irName));
  if (symbol && symbol->kind == Symbol::Variable)
    if (auto var = module->lookupSymbol<VarOp>(symbol->irName);
        var && var.getRelocsAttr())
      for (Attribute reloc : var.getRelocsAttr())
        names.push_back(cast<ArrayAttr>(reloc)[2]);
  for (Attribute name : names) {
    auto callee =
        module->lookupSymbol<FuncOp>(cast<FlatSymbolRefAttr>(name).getValue());
    if (!callee)
      return error(list.getLoc())
             << "'" << list.spelling << "' holds more than functions";
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
LogicalResult ParserImpl::parseCall(const Instruction &inst) {
  FormMatch match;
  unsigned bad = 0;
  const FormSpec &form = getFormsOfOpcode(inst.opcode).front();
  auto matched = matchForm(form, inst.modifiers, bad);
  if (!matched) {
    reportNoForm(inst);
    return failure();
  }
  std::vector<RawOperand> results, args;
  if (consumePunct("(") && (failed(parseCallList(results)) ||
                            failed(expectPunct(",", "after the results"))))
    return failure();
  CallTarget target;
  target.loc = tok.getLoc();
  FailureOr<StringRef> name = expectIdentifier("the function to call");
  if (failed(name))
    return failure();
  target.name = *name;
  target.symbol = lookup(*name);
  if (!target.symbol)
    return error(target.loc) << "'" << *name << "' is not declared";
  bool indirect = target.symbol->kind == Symbol::Register;
  if (!indirect && target.symbol->kind != Symbol::Function)
    return error(target.loc) << "'" << *name << "' is not a function";
  Token list;
  bool hasList = false;
  if (consumePunct(",")) {
    if (consumePunct("(")) {
      if (failed(parseCallList(args)))
        return failure();
      hasList = consumePunct(",");
    } else {
      hasList = true;
    }
    list = tok;
    if (hasList && failed(expectIdentifier("a prototype or list of functions")))
      return failure();
  }
  if (failed(expectPunct(";", "after an instruction")))
    return failure();
  if (!indirect) {
    auto callee = module->lookupSymbol<FuncOp>(target.symbol->irName);
    if (callee.getEntry())
      return error(target.loc) << "'" << *name << "' is a kernel";
    target.signature.results.assign(callee.getResults().begin(),
                                    callee.getResults().end());
    target.signature.params.assign(callee.getParams().begin(),
                                   callee.getParams().end());
  } else if (!hasList) {
    return error(target.loc) << "an indirect call needs a '.callprototype' or "
                                "a '.calltargets' list behind its arguments";
  } else if (failed(findCallees(list, target))) {
    return failure();
  }
  if (failed(checkCounts(target, args.size(), results.size())))
    return failure();

  // A guard makes a branch around it all.
  Location loc = toLocation(inst.loc);
  Block *next = nullptr;
  if (inst.guard.present) {
    FailureOr<Value> predicate = readGuard(inst.guard);
    if (failed(predicate))
      return failure();
    Block *block = new Block;
    next = new Block;
    cf::CondBranchOp::create(builder, loc, *predicate, block, next);
    startBlock(block);
  }
  LogicalResult built = buildCall(loc, form, *matched, target, args, results);
  if (next) {
    BraOp::create(builder, loc, /*uni=*/false, next);
    startBlock(next);
  }
  return built;
}

LogicalResult ParserImpl::buildCall(Location loc, const FormSpec &form,
                                    const FormMatch &match,
                                    const CallTarget &target,
                                    const std::vector<RawOperand> &args,
                                    const std::vector<RawOperand> &results) {
  SmallVector<Value> operands, places;
  OperationState state(loc, form.opName);
  addModifiers(match, state);
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

/// `formals` are the names of the function that was just parsed.
void ParserImpl::storeRegisterFormals(Scope &formals) {
  OpBuilder::InsertionGuard guard(builder);
  Type addressType = builder.getIntegerType(addressBits);
  auto space = SpaceAttr::get(context, Space::Param);
  for (auto &entry : formals.getNames()) {
    Symbol &symbol = entry.second;
    if (symbol.kind != Symbol::Register || symbol.slots.empty())
      continue;
    Location loc = toLocation(symbol.loc);
    Value slot = symbol.slots.front();
    auto place = [&] {
      return ParamAddressOp::create(
          builder, loc, addressType, builder.getI64IntegerAttr(symbol.index),
          symbol.isResult ? builder.getUnitAttr() : nullptr);
    };
    Type type = getValueType(context, symbol.type);
    if (!symbol.isResult) {
      builder.setInsertionPointAfter(lastSlot);
      auto load =
          LdOp::create(builder, loc, TypeRange(type), place(), Value(), 0,
                       symbol.type, space, {}, {}, {}, {}, false, {});
      WriteOp::create(builder, loc, load.getD().front(), slot);
      continue;
    }
    func.walk([&](RetOp ret) {
      builder.setInsertionPoint(ret);
      Value value = ReadOp::create(builder, loc, type, slot);
      StOp::create(builder, loc, place(), value, Value(), 0, symbol.type, space,
                   {}, {}, {}, {}, {});
    });
  }
}
