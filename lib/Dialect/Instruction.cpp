//===- Instruction.cpp - assembly and verifier of Ptx_Instr ops -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions print with their modifiers as PTX spells them:
//   %2 = ptx.add.int "sat.s32"(%0, %1) : (i32, i32) -> i32
// The form table verifies them.
//
//===----------------------------------------------------------------------===//

#include "ptxjit/Dialect/FormTable.h"
#include "ptxjit/Dialect/PtxOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace ptxjit;
using namespace ptxjit::ptx;

/// Adds the attributes for the modifiers in `text` ("sat.s32").
static ParseResult readModifiers(OpAsmParser &parser, SMLoc loc, StringRef text,
                                 OperationState &state) {
  SmallVector<StringRef, 8> tokens;
  if (!text.empty())
    text.split(tokens, '.');
  // "shared::cta" holds no dot, so a plain split is right.
  unsigned bad = 0;
  for (const FormSpec &form : getFormsOfOp(state.name.getStringRef()))
    if (auto match = matchForm(form, tokens, bad)) {
      addModifiers(form, *match, state);
      return success();
    }
  return parser.emitError(loc) << "no form of '" << state.name.getStringRef()
                               << "' has the modifiers \"" << text << "\"";
}

ParseResult ptx::parseInstruction(OpAsmParser &parser, OperationState &state) {
  SMLoc loc = parser.getCurrentLocation();
  std::string modifiers;
  if (parser.parseString(&modifiers) ||
      readModifiers(parser, loc, modifiers, state))
    return failure();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Block *> successors;
  FunctionType type;
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren))
    return failure();
  if (succeeded(parser.parseOptionalLSquare())) {
    do {
      if (parser.parseSuccessor(successors.emplace_back()))
        return failure();
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseRSquare())
      return failure();
  }
  state.addSuccessors(successors);
  if (parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), loc, state.operands))
    return failure();
  state.addTypes(type.getResults());
  return success();
}

void ptx::printInstruction(OpAsmPrinter &printer, Operation *op) {
  printer << ' ' << '"' << spellModifiers(op).value_or("?") << "\"(";
  printer.printOperands(op->getOperands());
  printer << ')';
  if (op->getNumSuccessors()) {
    printer << '[';
    llvm::interleaveComma(op->getSuccessors(), printer,
                          [&](Block *b) { printer.printSuccessor(b); });
    printer << ']';
  }
  SmallVector<StringRef> elided;
  for (const FormSpec &form : getFormsOfOp(op->getName().getStringRef()))
    for (const SlotSpec &slot : form.getSlots())
      elided.push_back(slot.modifier->attrName);
  if (auto offset = op->getAttrOfType<IntegerAttr>("offset");
      offset && offset.getInt() == 0)
    elided.push_back("offset");
  printer.printOptionalAttrDict(op->getAttrs(), elided);
  printer << " : ";
  printer.printFunctionalType(op);
}

/// The index of the first operand of the op that belongs to `source`. Vectors
/// of fixed size in front of it take several operands each.
static unsigned indexOf(const FormSpec &form, const OperandSpec &source) {
  unsigned index = source.group;
  for (const OperandSpec &other : form.getOperands())
    if (!other.isResult && other.kind == OperandKind::Vector &&
        other.countRule == CountRule::Fixed && other.group < source.group)
      index += other.count - 1;
  return index;
}

/// Describes the first value whose type breaks the operand rules of `form`;
/// empty if there is none.
static std::string findWrongType(Operation *op, const FormSpec &form) {
  auto typeOf = [&](StringRef name) {
    auto attr = op->getInherentAttr(name);
    auto type = attr ? dyn_cast_if_present<ScalarTypeAttr>(*attr) : nullptr;
    return type ? type.getValue() : ScalarType::B32;
  };
  ScalarType first = typeOf("ty"), second = typeOf("ty2");
  if (form.operandGroups || form.wideOperands)
    return ""; // ODS checks groups of varying size
  for (const OperandSpec &operand : form.getOperands()) {
    if (operand.kind != OperandKind::Value || operand.isSecondResult)
      continue;
    Value value;
    if (operand.isResult && operand.group < op->getNumResults())
      value = op->getResult(operand.group);
    else if (!operand.isResult && indexOf(form, operand) < op->getNumOperands())
      value = op->getOperand(indexOf(form, operand));
    if (!value || operand.special)
      continue;
    Type want =
        getValueType(op->getContext(), getOperandType(operand, first, second));
    if (value.getType() == want)
      continue;
    std::string text;
    llvm::raw_string_ostream(text)
        << (operand.isResult ? "result" : "operand") << " '" << operand.name
        << "' must be " << want << ", is " << value.getType();
    return text;
  }
  return "";
}

LogicalResult ptx::verifyInstruction(Operation *op) {
  auto forms = getFormsOfOp(op->getName().getStringRef());
  unsigned bad = 0;
  auto text = spellModifiers(op);
  if (!text) {
    InFlightDiagnostic diag =
        op->emitOpError("modifiers fit no form of the instruction");
    for (const FormSpec &form : forms)
      diag.attachNote() << "allowed: " << describeForm(form);
    return diag;
  }
  SmallVector<StringRef, 8> tokens;
  if (!text->empty())
    StringRef(*text).split(tokens, '.');
  // Forms may differ only in the types of operands, so try them all.
  std::string wrong;
  for (const FormSpec &form : forms) {
    if (!matchForm(form, tokens, bad))
      continue;
    std::string found = findWrongType(op, form);
    if (found.empty())
      return success();
    if (wrong.empty())
      wrong = found;
  }
  return wrong.empty() ? success() : op->emitOpError(wrong);
}
