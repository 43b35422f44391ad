//===- FormMatcher.cpp - builds the op of an instruction ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the form of an instruction by its mnemonic and operands, and builds
// the op. The form table drives this: no opcode is special here, only kinds of
// operands are.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

std::string ParserImpl::Instruction::getMnemonic(size_t count) const {
  std::string text = opcode.str();
  for (StringRef m :
       ArrayRef(modifiers).take_front(std::min(count, modifiers.size())))
    text += "." + m.str();
  return text;
}

//===----------------------------------------------------------------------===//
// Choosing the form
//===----------------------------------------------------------------------===//

static bool selectorFits(StringRef text, const OperandSpec &spec) {
  std::optional<Selector> selector = readSelector(text);
  return selector && isSelectable(spec, selector->width, selector->parts);
}

/// Does the syntax of an operand fit `spec`? `spec` must be an element of the
/// form's array of operands: the parts of an address follow it there.
/// \param isPart  the operand is a part of an address, `[map, {x, y}]`.
static bool shapeFits(const RawOperand &raw, const OperandSpec &spec,
                      ArrayRef<StringRef> tokens, bool isPart = false) {
  if ((raw.negated && !spec.negatable) || (raw.minus && !spec.signable) ||
      (!raw.selector.empty() && !selectorFits(raw.selector, spec)))
    return false;
  switch (spec.kind) {
  case OperandKind::Carry:
    return false;
  case OperandKind::Address:
    if (raw.parts.size() != spec.numParts)
      return false;
    for (auto [i, part] : llvm::enumerate(raw.parts))
      if (!shapeFits(part, (&spec)[1 + i], tokens, /*isPart=*/true))
        return false;
    return raw.kind == RawOperand::Address ||
           (raw.kind == RawOperand::SymbolAddress && raw.symbol);
  case OperandKind::Label:
    return raw.kind == RawOperand::SymbolAddress;
  case OperandKind::Immediate:
    return raw.kind == RawOperand::Constant &&
           raw.constant.kind == ConstValue::Int &&
           isAllowed(spec, int64_t(raw.constant.bits));
  case OperandKind::Sink:
    return raw.kind == RawOperand::Sink;
  case OperandKind::Vector:
    if (spec.countRule != CountRule::Modifier) {
      unsigned size = getVectorSize(spec, tokens);
      bool isScalar = raw.kind == RawOperand::Constant ||
                      (raw.kind == RawOperand::Register && !raw.hasOffset);
      if (isPart && size == 1 && isScalar) // a coordinate without braces
        return true;
      return raw.kind == RawOperand::Vector && raw.elements.size() == size;
    }
    return raw.kind != RawOperand::Address &&
           (spec.isResult ? !raw.hasOffset : raw.kind != RawOperand::Sink);
  case OperandKind::Callee:
    return false;
  case OperandKind::Ignored:
  case OperandKind::Value:
    break;
  }
  if (spec.isResult)
    return (raw.kind == RawOperand::Register && !raw.hasOffset) ||
           raw.kind == RawOperand::Sink || raw.kind == RawOperand::Vector;
  switch (raw.kind) {
  case RawOperand::Register:
  case RawOperand::Constant:
    return true;
  case RawOperand::SpecialReg:
  case RawOperand::SymbolAddress:
  case RawOperand::Vector:
    return spec.special;
  default:
    return false;
  }
}

std::optional<ParserImpl::OperandPairs>
ParserImpl::pairOperands(const Instruction &inst, const FormSpec &form) {
  OperandPairs pairs;
  size_t at = 0;
  unsigned parts = 0;
  for (const OperandSpec &spec : form.getOperands()) {
    if (parts) { // part of an address, which has been checked with it
      --parts;
      continue;
    }
    if (spec.kind == OperandKind::Carry) {
      pairs.push_back({&spec, &carryFlag});
      continue;
    }
    parts = spec.numParts;
    bool ended = at == inst.operands.size();
    if (spec.isSecondResult && (ended || !inst.operands[at].isSecond))
      continue;
    if (ended) {
      if (spec.optional)
        continue;
      return std::nullopt;
    }
    const RawOperand &raw = inst.operands[at++];
    if (raw.isSecond != spec.isSecondResult ||
        !shapeFits(raw, spec, inst.modifiers))
      return std::nullopt;
    pairs.push_back({&spec, &raw});
  }
  if (at != inst.operands.size())
    return std::nullopt;
  return pairs;
}

/// Do the register operands have the sizes that the form requires?
bool ParserImpl::sizesFit(const OperandPairs &pairs, const FormSpec &form,
                          const FormMatch &match) {
  return llvm::all_of(pairs, [&](const auto &pair) {
    auto [spec, raw] = pair;
    bool isValue =
        spec->kind == OperandKind::Value || spec->kind == OperandKind::Ignored;
    if (!isValue || raw->kind != RawOperand::Register)
      return true;
    unsigned have = getBitWidth(raw->symbol->type);
    unsigned want =
        getBitWidth(getOperandType(*spec, match.first, match.second));
    return form.wideOperands ? have >= want : have == want;
  });
}

/// Returns the first form that fits. If none does, returns the first that fits
/// except for the sizes of registers, because its errors are the most helpful;
/// else null.
const FormSpec *ParserImpl::selectForm(const Instruction &inst,
                                       FormMatch &match) {
  unsigned bad = 0;
  const FormSpec *best = nullptr;
  for (const FormSpec &form : getFormsOfOpcode(inst.opcode)) {
    auto m = matchForm(form, inst.modifiers, bad);
    if (!m || !availability.satisfies(form))
      continue;
    auto pairs = pairOperands(inst, form);
    if (!pairs)
      continue;
    bool fits = sizesFit(*pairs, form, *m);
    if (fits || !best) {
      best = &form;
      match = std::move(*m);
    }
    if (fits)
      break;
  }
  return best;
}

/// Reports why no form fits, by the forms of which the most modifiers matched.
void ParserImpl::reportNoForm(const Instruction &inst) {
  ArrayRef<FormSpec> forms = getFormsOfOpcode(inst.opcode);
  std::string text = inst.getMnemonic();
  SmallVector<const FormSpec *> closest;
  unsigned furthest = 0;
  const FormSpec *modifiersFit = nullptr, *allFit = nullptr;
  for (const FormSpec &form : forms) {
    unsigned bad = 0;
    if (matchForm(form, inst.modifiers, bad)) {
      modifiersFit = &form;
      if (pairOperands(inst, form))
        allFit = &form;
      continue;
    }
    if (bad > furthest)
      closest.clear(), furthest = bad;
    if (bad == furthest)
      closest.push_back(&form);
  }
  auto describe = [&](Diagnostic &note, ArrayRef<const FormSpec *> list) {
    note << "allowed: ";
    llvm::interleave(
        list.take_front(4),
        [&](const FormSpec *f) { note << describeForm(*f); },
        [&] { note << "; "; });
    if (list.size() > 4)
      note << "; and " << list.size() - 4 << " more";
    note << "; see " << list.front()->isaAnchor;
  };
  if (allFit) {
    InFlightDiagnostic diag = error(inst.loc);
    diag << "'" << text << "' is not available in this module";
    Diagnostic &note = diag.attachNote();
    note << "needs ";
    llvm::interleave(
        allFit->getSince(),
        [&](const SinceSpec &s) {
          note << "PTX " << s.ptxVersion << " and " << s.target;
        },
        [&] { note << ", or "; });
    note << "; see " << allFit->isaAnchor;
    return;
  }
  if (modifiersFit) {
    InFlightDiagnostic diag = error(inst.operandLoc);
    diag << "operands do not fit '" << text << "'";
    describe(diag.attachNote(), {modifiersFit});
    return;
  }
  bool missing = furthest == inst.modifiers.size();
  InFlightDiagnostic diag =
      error(missing ? inst.loc : inst.modifierLocs[furthest]);
  if (missing)
    diag << "'" << text << "': a modifier is missing";
  else if (furthest == 0 && inst.modifiers.empty())
    diag << "'" << text << "': modifiers are missing";
  else
    diag << "'" << inst.opcode << "': modifier '." << inst.modifiers[furthest]
         << "' is not allowed"
         << (furthest ? " with '" + inst.getMnemonic(furthest) + "'"
                      : std::string(" here"));
  describe(diag.attachNote(), closest);
}

/// Adds the modifier that text of this version implies, if there is one.
LogicalResult ParserImpl::addImpliedModifier(Instruction &inst) {
  const ImpliedSpec *implied = getImpliedModifier(inst.opcode);
  if (!implied ||
      availability.satisfies(SinceSpec{implied->ptxVersion, "sm_10+"}))
    return success();
  for (auto [token, loc] : llvm::zip(inst.modifiers, inst.modifierLocs))
    if (token == implied->token)
      return error(loc) << "modifier '." << token << "' needs PTX "
                        << implied->ptxVersion << " with '" << inst.opcode
                        << "'; it is implied before";
  inst.modifiers.push_back(implied->token);
  inst.modifierLocs.push_back(inst.operandLoc);
  return success();
}

LogicalResult ParserImpl::checkModifiers(const Instruction &inst) {
  for (auto [token, loc] : llvm::zip(inst.modifiers, inst.modifierLocs)) {
    const SinceSpec *since = getModifierAvailability(token);
    if (since && !availability.satisfies(*since))
      return error(loc) << "modifier '." << token << "' needs PTX "
                        << since->ptxVersion << " and " << since->target;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

FailureOr<Value> ParserImpl::readGuard(const Guard &guard) {
  Symbol *symbol = lookup(guard.name);
  if (!symbol || symbol->kind != Symbol::Register)
    return error(guard.loc) << "'" << guard.name << "' is not declared";
  if (symbol->type != ScalarType::Pred)
    return error(guard.loc) << "register '" << guard.name << "' is ."
                            << stringifyScalarType(symbol->type)
                            << ", a guard must be a predicate";
  Value value = readRegister(*symbol, 0, guard.name);
  if (guard.negated)
    value = arith::XOrIOp::create(builder, toLocation(guard.loc), value,
                                  createConstant(ScalarType::Pred, 1));
  return value;
}

LogicalResult ParserImpl::buildInstruction(const Instruction &inst) {
  FormMatch match;
  const FormSpec *form = selectForm(inst, match);
  if (!form) {
    for (const RawOperand &raw : inst.operands)
      if (raw.kind == RawOperand::SymbolAddress && !raw.symbol &&
          getFormsOfOpcode(inst.opcode).front().numOperands != 1)
        return error(raw.loc) << "'" << raw.name << "' is not declared";
    reportNoForm(inst);
    return failure();
  }
  if (failed(checkModifiers(inst)))
    return failure();
  if (form->isRow)
    return buildGuarded(inst, [&] { return buildRow(inst, *form, match); });
  OperationName name(form->opName, context);
  if (name.hasTrait<OpTrait::IsTerminator>())
    return buildControl(inst, *form, match);
  return buildGuarded(inst, [&] { return buildPlain(inst, *form, match); });
}

/// Builds an instruction, inside `ptx.guard` if the text has a guard.
LogicalResult
ParserImpl::buildGuarded(const Instruction &inst,
                         llvm::function_ref<LogicalResult()> build) {
  if (!inst.guard.present)
    return build();
  FailureOr<Value> predicate = readGuard(inst.guard);
  if (failed(predicate))
    return failure();
  auto guard = GuardOp::create(builder, toLocation(inst.loc), *predicate);
  OpBuilder::InsertionGuard insertion(builder);
  builder.setInsertionPointToEnd(&guard.getBody().emplaceBlock());
  return build();
}

/// Adds the block of a label, or the blocks of a `.branchtargets` list.
LogicalResult ParserImpl::findTargets(const RawOperand &operand,
                                      SmallVectorImpl<Block *> &targets) {
  auto add = [&](StringRef name, SMLoc loc) -> LogicalResult {
    Block *block = getLabelBlock(name, loc);
    if (!block)
      return error(loc) << "'" << name << "' is not a label";
    targets.push_back(block);
    return success();
  };
  Symbol *symbol = lookup(operand.name);
  if (!symbol || symbol->kind != Symbol::BranchTargets)
    return add(operand.name, operand.loc);
  // Copy the list: getLabelBlock may declare labels, which moves symbols.
  auto list = symbol->targets;
  for (auto &[name, loc] : list)
    if (failed(add(name, loc)))
      return failure();
  return success();
}

/// Builds terminators. With a guard, they become conditional branches.
LogicalResult ParserImpl::buildControl(const Instruction &inst,
                                       const FormSpec &form,
                                       const FormMatch &match) {
  Location loc = toLocation(inst.loc);
  SmallVector<Block *> targets;
  if (form.numOperands && failed(findTargets(inst.operands.back(), targets)))
    return failure();
  bool indexed = form.numOperands == 2;
  if (!targets.empty() && !indexed && targets.size() != 1)
    return error(inst.operands.back().loc) << "expected one label";
  Block *dest = indexed || targets.empty() ? nullptr : targets.front();
  Value predicate;
  if (inst.guard.present) {
    FailureOr<Value> value = readGuard(inst.guard);
    if (failed(value))
      return failure();
    predicate = *value;
  }
  OperationState state(loc, form.opName);
  addModifiers(form, match, state);
  state.addSuccessors(targets);
  Block *next = new Block;
  if (predicate && !dest) {
    // A guarded exit or indexed branch gets a block of its own.
    Block *leave = new Block;
    cf::CondBranchOp::create(builder, loc, predicate, leave, next);
    startBlock(leave);
  }
  if (indexed) {
    FailureOr<Value> index =
        getSource(inst.operands.front(), ScalarType::U32,
                  form.getOperands().front(), form.wideOperands);
    if (failed(index))
      return failure();
    state.addOperands(*index);
  }
  if (!predicate) {
    builder.create(state);
    delete next;
    return success();
  }
  if (!dest) {
    builder.create(state);
  } else {
    cf::CondBranchOp::create(builder, loc, predicate, dest, next);
  }
  startBlock(next);
  return success();
}

/// Adds the offset of an address to the op's attributes, and its space if that
/// follows from a variable. A space in the text must be that of the variable.
LogicalResult ParserImpl::describeAddress(const RawOperand &raw, Value address,
                                          OperationState &state) {
  if (raw.offset)
    state.addAttribute("offset", builder.getI64IntegerAttr(raw.offset));
  Symbol *symbol = raw.symbol;
  bool named = symbol && (symbol->kind == Symbol::Variable ||
                          symbol->kind == Symbol::Param);
  auto space = dyn_cast_if_present<SpaceAttr>(state.attributes.get("space"));
  if (named && !space)
    state.addAttribute("space", SpaceAttr::get(context, symbol->space));
  auto family = [](Space s) {
    if (s == Space::SharedCta || s == Space::SharedCluster)
      return Space::Shared;
    return s == Space::ParamEntry || s == Space::ParamFunc ? Space::Param : s;
  };
  if (named && space && family(space.getValue()) != family(symbol->space))
    return error(raw.loc) << "variable '" << raw.name << "' is in ."
                          << stringifySpace(symbol->space) << " space, not ."
                          << stringifySpace(space.getValue());
  bool global = !space || space.getValue() == Space::Global;
  if (!named && address.getType().isInteger(32) && global &&
      !takesNarrowAddress())
    return error(raw.loc) << "a ." << (space ? "global" : "generic")
                          << " address must be 64 bits wide";
  return success();
}

/// The elements of a vector operand, or the operand itself if it is a scalar.
/// Their number must be that of `.v2`, `.v4`, `.v8` or the form.
FailureOr<ArrayRef<RawOperand>>
ParserImpl::getElements(const RawOperand &raw, const OperandSpec &spec,
                        const FormMatch &match) {
  unsigned size = spec.countRule == CountRule::Fixed ? spec.count : 1;
  for (auto &[modifier, token] : match.modifiers)
    if (StringRef(modifier->attrName) == "vec")
      size = unsigned(*symbolizeVectorSize(token));
  ArrayRef<RawOperand> list =
      raw.kind == RawOperand::Vector ? ArrayRef(raw.elements) : ArrayRef(raw);
  if (list.size() != size)
    return error(raw.loc) << "expected a vector of " << size
                          << " elements, found " << list.size();
  return list;
}

/// Adds the values of `elements` to `values`, or if `spec` is a result, adds
/// `elements` to `results`. Does both if the result is read, too.
LogicalResult ParserImpl::addValues(ArrayRef<RawOperand> elements,
                                    const OperandSpec &spec,
                                    const FormMatch &match, bool wide,
                                    SmallVectorImpl<Value> &values,
                                    ResultList &results) {
  ScalarType stated = getOperandType(spec, match.first, match.second);
  bool isWide = stated == ScalarType::B128;
  for (const RawOperand &e : elements) {
    // A register that is read and written keeps its type, so that it is the
    // same value from one instruction to the next.
    bool keepsType = spec.isUpdated && e.kind == RawOperand::Register &&
                     isCompatible(stated, e.symbol->type);
    ScalarType type = keepsType ? e.symbol->type : stated;
    bool isRegister = e.kind == RawOperand::Register &&
                      e.symbol->type == type && !e.hasOffset;
    bool isSink = spec.isResult && e.kind == RawOperand::Sink;
    bool isNumber = !spec.isResult && e.kind == RawOperand::Constant &&
                    e.constant.kind == ConstValue::Int;
    if (isWide && !isRegister && !isSink && !isNumber)
      return error(e.loc) << "operand '" << spec.name
                          << "' must be a .b128 register"
                          << (spec.isResult ? "" : " or an integer");
    if (spec.isResult) {
      for (unsigned half = 0; half < (isWide ? 2 : 1); ++half)
        results.push_back({&e, type, half});
      if (!spec.isUpdated)
        continue;
    }
    if (isWide && isNumber) {
      bool negative = !e.constant.isUnsigned && int64_t(e.constant.bits) < 0;
      values.push_back(createConstant(ScalarType::B64, e.constant.bits));
      values.push_back(createConstant(ScalarType::B64, negative ? -1 : 0));
      continue;
    }
    if (isWide) {
      for (unsigned half = 0; half < 2; ++half)
        values.push_back(readRegister(*e.symbol, half, e.name));
      continue;
    }
    FailureOr<Value> value = getSource(e, type, spec, wide);
    if (failed(value))
      return failure();
    if (spec.kind != OperandKind::Ignored)
      values.push_back(*value);
  }
  return success();
}

LogicalResult
ParserImpl::addOperand(const OperandSpec &spec, const RawOperand &raw,
                       const FormSpec &form, const FormMatch &match,
                       OperationState &state, SmallVectorImpl<Value> &values,
                       ResultList &results) {
  switch (spec.kind) {
  case OperandKind::Sink:
    return success();
  case OperandKind::Immediate:
    state.addAttribute(spec.name,
                       builder.getI64IntegerAttr(int64_t(raw.constant.bits)));
    return success();
  case OperandKind::Address: {
    // An op with one address has the offset and the space as attributes.
    bool only = llvm::count_if(form.getOperands(), [](const OperandSpec &o) {
                  return o.kind == OperandKind::Address;
                }) == 1;
    FailureOr<Value> address = only ? getAddress(raw) : getPlainAddress(raw);
    if (failed(address) ||
        (only && failed(describeAddress(raw, *address, state))))
      return failure();
    values.push_back(*address);
    return success();
  }
  case OperandKind::Vector: {
    FailureOr<ArrayRef<RawOperand>> elements = getElements(raw, spec, match);
    return failed(elements) ? failure()
                            : addValues(*elements, spec, match,
                                        form.wideOperands, values, results);
  }
  default:
    return addValues(raw, spec, match, form.wideOperands, values, results);
  }
}

LogicalResult ParserImpl::buildPlain(const Instruction &inst,
                                     const FormSpec &form,
                                     const FormMatch &match) {
  OperationState state(toLocation(inst.loc), form.opName);
  addModifiers(form, match, state);
  SmallVector<SmallVector<Value, 4>, 8> groups(8);
  ResultList results;
  OperandPairs pairs = *pairOperands(inst, form);
  for (auto [spec, raw] : pairs)
    if (failed(addOperand(*spec, *raw, form, match, state,
                          groups[spec->isResult ? 0 : spec->group], results)))
      return failure();
  for (auto &group : groups)
    state.addOperands(group);
  if (form.operandGroups) {
    SmallVector<int32_t> sizes;
    for (unsigned g = 0; g < form.operandGroups; ++g)
      sizes.push_back(groups[g].size());
    state.addAttribute("operandSegmentSizes",
                       builder.getDenseI32ArrayAttr(sizes));
  }
  return createInstruction(state, results, form.wideOperands);
}

/// Creates the op and writes its results to their registers.
LogicalResult ParserImpl::createInstruction(OperationState &state,
                                            const ResultList &results,
                                            bool wide) {
  for (const Result &result : results)
    state.addTypes(getValueType(context, result.type));
  Operation *op = builder.create(state);
  for (auto [result, value] : llvm::zip(results, op->getResults()))
    if (failed(writeResult(*result.operand, value, result.type, wide,
                           result.half)))
      return failure();
  return success();
}
