//===- RowInstruction.cpp - assembly and verifier of Ptx_RowOps -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `Ptx_RowOp` has its operands in one list. It prints with opcode and
// modifiers as PTX spells them, and with the operands in the order of the text:
//   %2:2 = ptx.mma "mma.sync.aligned. ..."(%0, %1) mask %m : (i32, i32) -> ...
// The form table verifies these ops and those that keep their text.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

static constexpr StringLiteral kSegments = "operandSegmentSizes";

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// The operands of the instruction: all but the mask.
static OperandRange getInputs(Operation *op) {
  auto masked = dyn_cast<MaskedOpInterface>(op);
  bool hasMask = masked && masked.getLaneMask();
  return op->getOperands().drop_back(hasMask);
}

/// The opcode and modifiers of `op` as `form` spells them
/// ("mma.sync.aligned..."); nothing if the form does not fit.
static std::optional<std::string> spellInstruction(Operation *op,
                                                   const FormSpec &form) {
  std::optional<std::string> modifiers = spellModifiers(op, form);
  if (!modifiers || modifiers->empty())
    return modifiers ? std::optional(std::string(form.opcode)) : std::nullopt;
  return form.opcode + ("." + *modifiers);
}

static std::string spellInstruction(Operation *op) {
  for (const FormSpec &form : getFormsOfOp(op->getName().getStringRef()))
    if (std::optional<std::string> text = spellInstruction(op, form))
      return *text;
  return "?";
}

/// The attributes that the instruction's text shows, and operandSegmentSizes.
static SmallVector<StringRef> getStatedAttributes(Operation *op) {
  SmallVector<StringRef> names = {kSegments};
  for (const FormSpec &form : getFormsOfOp(op->getName().getStringRef())) {
    if (form.opcodeModifier)
      names.push_back(form.opcodeModifier->attrName);
    for (const SlotSpec &slot : form.getSlots())
      names.push_back(slot.modifier->attrName);
  }
  return names;
}

void ptx::printRowInstruction(OpAsmPrinter &printer, Operation *op) {
  OperandRange inputs = getInputs(op);
  printer << " \"" << spellInstruction(op) << "\"(" << inputs << ')';
  if (inputs.size() != op->getNumOperands())
    printer << " mask " << op->getOperands().back();
  printer.printOptionalAttrDict(op->getAttrs(), getStatedAttributes(op));
  printer << " : ";
  printer.printFunctionalType(inputs.getTypes(), op->getResultTypes());
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// Adds the attributes for the opcode and modifiers in `text`.
static ParseResult readInstruction(OpAsmParser &parser, SMLoc loc,
                                   StringRef text, OperationState &state) {
  SmallVector<StringRef, 16> tokens;
  text.split(tokens, '.');
  unsigned bad = 0;
  for (const FormSpec &form : getFormsOfOp(state.name.getStringRef()))
    if (form.opcode == tokens.front())
      if (auto match = matchForm(form, ArrayRef(tokens).drop_front(), bad)) {
        addModifiers(form, *match, state);
        return success();
      }
  return parser.emitError(loc)
         << "'" << text << "' is no form of '" << state.name << "'";
}

/// Adds the operands, and the mask as the last one.
static ParseResult
resolveInputs(OpAsmParser &parser, SMLoc loc,
              ArrayRef<OpAsmParser::UnresolvedOperand> inputs,
              const std::optional<OpAsmParser::UnresolvedOperand> &mask,
              TypeRange types, OperationState &state) {
  if (parser.resolveOperands(inputs, types, loc, state.operands))
    return failure();
  Builder &builder = parser.getBuilder();
  if (mask && parser.resolveOperand(*mask, builder.getI1Type(), state.operands))
    return failure();
  if (state.name.hasTrait<OpTrait::AttrSizedOperandSegments>())
    state.addAttribute(kSegments,
                       builder.getDenseI32ArrayAttr(
                           {int32_t(inputs.size()), int32_t(bool(mask))}));
  return success();
}

ParseResult ptx::parseRowInstruction(OpAsmParser &parser,
                                     OperationState &state) {
  SMLoc loc = parser.getCurrentLocation();
  std::string text;
  SmallVector<OpAsmParser::UnresolvedOperand> inputs;
  std::optional<OpAsmParser::UnresolvedOperand> mask;
  FunctionType type;
  if (parser.parseString(&text) || readInstruction(parser, loc, text, state) ||
      parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren))
    return failure();
  bool isMasked = state.name.hasInterface<MaskedOpInterface>();
  if (isMasked && succeeded(parser.parseOptionalKeyword("mask")) &&
      parser.parseOperand(mask.emplace()))
    return failure();
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type) ||
      resolveInputs(parser, loc, inputs, mask, type.getInputs(), state))
    return failure();
  state.addTypes(type.getResults());
  return success();
}

//===----------------------------------------------------------------------===//
// Verifying
//===----------------------------------------------------------------------===//

/// Does the op have as many operands and results as `form` allows with the
/// modifiers `tokens`?
static bool fitsOperands(Operation *op, const FormSpec &form,
                         ArrayRef<StringRef> tokens) {
  unsigned least = 0, most = 0, results = 0;
  for (const OperandSpec &operand : form.getOperands()) {
    bool isKept = operand.kind != OperandKind::Sink &&
                  operand.kind != OperandKind::Ignored;
    unsigned size = !isKept ? 0
                    : operand.kind == OperandKind::Vector
                        ? getVectorSize(operand, tokens)
                        : 1;
    if (operand.isResult)
      results += size;
    if (!operand.isResult || operand.isUpdated)
      most += size, least += operand.optional ? 0 : size;
  }
  unsigned inputs = getInputs(op).size();
  return inputs >= least && inputs <= most && op->getNumResults() <= results;
}

/// Does `form` allow the minus signs and selectors of `op`?
static bool fitsNotes(Operation *op, const FormSpec &form) {
  ArrayRef<OperandSpec> operands = form.getOperands();
  if (auto negated = op->getAttrOfType<DenseBoolArrayAttr>("negated")) {
    if (negated.size() != int64_t(operands.size()))
      return false;
    for (auto [operand, isNegated] : llvm::zip(operands, negated.asArrayRef()))
      if (isNegated && !operand.signable)
        return false;
  }
  auto selectors = op->getAttrOfType<ArrayAttr>("selectors");
  if (!selectors)
    return true;
  if (selectors.size() != operands.size())
    return false;
  for (auto [operand, attr] : llvm::zip(operands, selectors)) {
    auto selector = dyn_cast<SelectorAttr>(attr);
    bool isWhole =
        selector && selector.getWidth() == 32 && selector.getParts().empty();
    if (!isWhole && !(selector && isSelectable(operand, selector.getWidth(),
                                               selector.getParts())))
      return false;
  }
  return true;
}

static LogicalResult refuse(Operation *op, StringRef instruction) {
  return op->emitOpError() << "'" << instruction
                           << "' is no form with as many operands";
}

LogicalResult ptx::verifyTextInstruction(Operation *op, StringRef instruction) {
  auto [opcode, rest] = instruction.split('.');
  SmallVector<StringRef, 12> tokens;
  if (!rest.empty())
    rest.split(tokens, '.');
  unsigned bad = 0;
  for (const FormSpec &form : getFormsOfOpcode(opcode))
    if (form.opName == op->getName().getStringRef() &&
        matchForm(form, tokens, bad) && fitsOperands(op, form, tokens))
      return success();
  return refuse(op, instruction);
}

LogicalResult ptx::verifyRowInstruction(Operation *op) {
  for (const FormSpec &form : getFormsOfOp(op->getName().getStringRef())) {
    std::optional<std::string> text = spellModifiers(op, form);
    if (!text)
      continue;
    SmallVector<StringRef, 12> tokens;
    StringRef(*text).split(tokens, '.');
    if (fitsOperands(op, form, tokens) && fitsNotes(op, form))
      return success();
  }
  std::string text = spellInstruction(op);
  if (text == "?")
    return op->emitOpError("modifiers fit no form of the instruction");
  return refuse(op, text);
}
